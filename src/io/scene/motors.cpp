// Section `forces`, motors: torques about and forces along an axis by a law, with gear and rotor.
//
// Every kind exists twice, about and along the axis; the tables are written once, with either(about, along) where words differ.
#include "catena/bodies.h"
#include "catena/force.h"
#include "catena/joints.h"
#include "io/scene/force_keys.h"

#include <fmt/format.h>

namespace catena::io {

namespace {

/// Units of the two sorts.
struct Units {
  std::string_view effort, position, rate, stiffness, damping;
};
constexpr Units kRotary{"N·m", "rad", "rad/s", "N·m/rad", "N·m·s/rad"};
constexpr Units kLinear{"N", "m", "m/s", "N/m", "N·s/m"};

bool is_linear(std::string_view kind) {
  return kind.starts_with("linear-");
}

std::vector<Key> motor_keys(std::string_view kind, const Units& units, std::vector<Key> own) {
  const Key axis = is_linear(kind) ? Key{"axis", Value::direction, "",
                                         "axis fixed in b, in the world at the start", kRequired}
                                   : kForceAxis;
  return join_keys(
      {pair_force_keys(kind),
       {kForcePoint, axis},
       std::move(own),
       {{"command", Value::number, "", "follow a command of a controller instead; the value it starts with"},
        {"limit", Value::positive, units.effort,
         is_linear(kind) ? "largest force of the shaft, either way; default none"
                         : "largest torque of the shaft, either way; default none"},
        {"gear_ratio", Value::number, "",
         is_linear(kind) ? "n, speed of the shaft over that of the joint; the joint gets n times the shaft's "
                           "force; default 1"
                         : "n, speed of the shaft over that of the joint; the joint gets n times the shaft's "
                           "torque; default 1"},
        {"rotor_inertia", Value::positive, "kg·m²",
         is_linear(kind) ? "of a shaft that turns gear_ratio radians per metre; default none"
                         : "of the shaft; the joint feels n² times as much; default none"}}});
}

std::vector<Record> records_of(bool linear) {
  const Units& u = linear ? kLinear : kRotary;
  const auto either = [linear](std::string_view rotary, std::string_view along) {
    return linear ? along : rotary;
  };
  const auto record = [&u](std::string_view name, std::string_view doc, std::vector<Key> own) {
    return Record{name, doc, motor_keys(name, u, std::move(own))};
  };
  return {
      record(either("motor", "linear-motor"),
             either("torque on a about an axis, reaction on b", "force on a along an axis, reaction on b"),
             {{either("torque", "force"), Value::function, u.effort,
               either("torque of the shaft, may depend on t", "force of the shaft, may depend on t")}}),
      record(either("motor-curve", "linear-motor-curve"),
             either("torque as a function of speed", "force as a function of speed"),
             {{"curve", Value::pairs, "",
               either("points [speed rad/s, torque N·m] of the shaft, joined by lines; held outside",
                      "points [speed m/s, force N] of the shaft, joined by lines; held outside"),
               kRequired},
              {"throttle", Value::function, "", "factor, may depend on t; default 1"}}),
      record(
          either("pd-motor", "linear-pd-motor"),
          either("turns the angle towards a target; counts turns", "pulls the travel towards a target"),
          {{"target", Value::function, u.position,
            either("angle of a against b since the start, may depend on t",
                   "travel of a along axis since the start, may depend on t")},
           {"stiffness", Value::non_negative, u.stiffness,
            either("torque over error of the angle", "force over error of the travel"), kRequired},
           {"damping", Value::non_negative, u.damping,
            either("torque over error of the rate; default 0", "force over error of the speed; default 0")},
           {"feed_forward", Value::function, u.effort,
            either("torque added at the joint, may depend on t; default 0",
                   "force added at the joint, may depend on t; default 0")}}),
      record(either("velocity-motor", "linear-velocity-motor"), "drives the speed towards a target",
             {{"speed", Value::function, u.rate, "target of the joint, may depend on t"},
              {"gain", Value::non_negative, u.damping,
               either("torque over difference of speed", "force over difference of speed"), kRequired}}),
  };
}

// the function under `key`, or the command that stands for it
Signal read_signal(const Fields& fields, std::string_view key, bool required) {
  fields.exclusive({key, "command"});
  if (fields.has("command")) return Command{fields.number("command", 0.0)};
  if (required && !fields.has(key))
    fields.report("kind", fmt::format("neither '{}' nor 'command' is given", key),
                  fmt::format("add '{}: ...', or 'command: 0' for a controller", key));
  return fields.function(key).value_or(constant(key == "throttle" ? 1.0 : 0.0));
}

Vec3 point_velocity(const BodyRef& body, const Vec3& point) {
  if (body.is_world()) return Vec3::Zero();
  return body.placement.velocity + body.placement.angular_velocity.cross(point - body.placement.position);
}

}  // namespace

std::vector<Record> motor_records() {
  std::vector<Record> all = records_of(false);
  for (Record& record : records_of(true)) all.push_back(std::move(record));
  return all;
}

ForcePtr make_motor(const Fields& fields, const BodyPair& pair) {
  const AttachmentPair at = join_force_axis(fields, pair);
  const auto number = [&](std::string_view key) { return fields.number(key, 0.0); };
  Drive drive;
  drive.limit = fields.number("limit", drive.limit);
  drive.ratio = fields.number("gear_ratio", drive.ratio);
  const bool linear = is_linear(fields.record().kind);
  const std::string_view kind = fields.record().kind.substr(linear ? std::string_view("linear-").size() : 0);
  if (kind == "motor-curve")
    return (linear ? linear_motor_curve : motor_curve)(at,
                                                       fields.pairs("curve").value_or(std::vector<Vec2>{}),
                                                       read_signal(fields, "throttle", false), drive);
  if (kind == "pd-motor")
    return (linear ? linear_pd_motor : pd_motor)(at, read_signal(fields, "target", true), number("stiffness"),
                                                 number("damping"), drive,
                                                 fields.function("feed_forward").value_or(nullptr));
  if (kind == "velocity-motor")
    return (linear ? linear_velocity_motor : velocity_motor)(at, read_signal(fields, "speed", true),
                                                             number("gain"), drive);
  return (linear ? linear_motor : motor)(at, read_signal(fields, linear ? "force" : "torque", true), drive);
}

void add_rotor(SceneContext& context, const Fields& fields, const BodyPair& pair, const Node& node,
               const std::string& name) {
  const auto inertia = fields.number("rotor_inertia");
  if (!inertia) return;
  const bool linear = is_linear(fields.record().kind);
  const AttachmentPair at = join_force_axis(fields, pair);
  const double ratio = fields.number("gear_ratio", 1.0);
  const Vec3 axis = fields.vector("axis", Vec3::UnitZ()).normalized();
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  // it starts with the speed that the joint gives it
  const Vec3 relative = linear ? Vec3(point_velocity(pair.a, point) - point_velocity(pair.b, point))
                               : Vec3(pair.a.placement.angular_velocity - pair.b.placement.angular_velocity);
  Placement start;
  start.angular_velocity = ratio * axis.dot(relative) * axis;
  const auto rotor =
      context.add_body(node, name + ".rotor", std::make_shared<Rotor>(*inertia, point, axis), start);
  if (!rotor) return;
  context.add_constraint(node, name + ".gear",
                         linear ? linear_rotor_gear(rotor->id, at, ratio) : rotor_gear(rotor->id, at, ratio));
}

}  // namespace catena::io
