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
                                         "axis fixed in b, in the world at the start; needed without 'joint'"}
                                   : kForceAxis;
  std::vector<Key> pair = pair_force_keys(kind);
  for (Key& key : pair)
    if (key.name == "a") key = {"a", Value::body, "", "the body it acts on; needed without 'joint'"};
  return join_keys(
      {std::move(pair),
       {{"joint", Value::constraint, "",
         is_linear(kind)
             ? "slider or cylindrical joint that it drives, instead of a, b, point and axis"
             : "hinge, cylindrical joint or screw that it drives, instead of a, b, point and axis"},
        kForcePoint,
        axis},
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

/// What a motor acts on: two bodies, their markers, and the axis through a point, in the world at the start.
struct MotorPlace {
  BodyPair pair;
  AttachmentPair at;
  Vec3 point, axis;
};

std::optional<MotorPlace> place_of_bodies(SceneContext& context, const Fields& fields) {
  if (!fields.has("a")) {
    fields.report("kind", "neither 'a' nor 'joint' is given",
                  "name the joint that it drives, or the body that it turns");
    return std::nullopt;
  }
  const auto a = context.find_body(fields, "a"), b = context.find_body(fields, "b");
  if (!a || !b) return std::nullopt;
  if (a->is_world()) {
    fields.report("a", "a force acts on a body, not on the world", "exchange a and b");
    return std::nullopt;
  }
  const BodyPair pair{*a, *b};
  if (is_linear(fields.record().kind) && !fields.has("axis") &&
      pair.planar())  // z, the default, leads out of the plane
    fields.report("kind", "'axis' is missing",
                  "add 'axis: [x, y]', the direction at the start, or name the 'joint'");
  return MotorPlace{pair, join_force_axis(fields, pair), fields.vector("point", a->placement.position),
                    fields.vector("axis", Vec3::UnitZ()).normalized()};
}

bool has_axis_for(std::string_view joint, bool linear) {
  return joint == "cylindrical" || joint == (linear ? "slider" : "hinge") || (!linear && joint == "screw");
}

/// The same of the markers of a joint. @param key  that named it
std::optional<MotorPlace> place_of_markers(SceneContext& context, const Fields& fields, std::string_view key,
                                           std::span<const Attachment> markers) {
  const Model& model = context.scene.model;
  const auto body_of = [&](const Attachment& at) {
    const int index = model.index_of(at.body);
    return index < 0 ? std::optional(BodyRef{})
                     : context.find_body_named(fields, key, model.bodies()[std::size_t(index)].name);
  };
  const auto a = body_of(markers[0]), b = body_of(markers[1]);
  if (!a || !b) return std::nullopt;
  const auto world_axes = [](const BodyRef& body, const Attachment& at) {
    return body.is_world() ? at.axes : Mat3(body.placement.orientation.toRotationMatrix() * at.axes);
  };
  const Vec3 axis = world_axes(*b, markers[1]).col(2);
  const Vec3 point = a->is_world()
                         ? markers[0].point
                         : Vec3(a->placement.position + a->placement.orientation * markers[0].point);
  return MotorPlace{{*a, *b}, {markers[0], markers[1]}, point, axis};
}

/// The markers of a joint, which say where and about what it turns or slides.
std::optional<MotorPlace> place_of_joint(SceneContext& context, const Fields& fields) {
  for (const std::string_view key : {"a", "b", "placed_a", "placed_b", "point", "axis"})
    fields.exclusive({"joint", key});
  const auto id = context.find_constraint(fields, "joint");
  if (!id || !fields.ok()) return std::nullopt;
  const Model& model = context.scene.model;
  const ConstraintEntry& entry = model.constraints()[std::size_t(model.index_of(*id))];
  const bool linear = is_linear(fields.record().kind);
  const auto markers = entry.constraint->attachments();
  if (markers.size() != 2 || !has_axis_for(entry.constraint->kind(), linear)) {
    fields.report("joint",
                  fmt::format("'{}' is a {}, which does not {}", entry.name, entry.constraint->kind(),
                              linear ? "slide along one axis" : "turn about one axis"),
                  linear ? "name a slider or a cylindrical joint, or give a, b, point and axis"
                         : "name a hinge, a cylindrical joint or a screw, or give a, b, point and axis");
    return std::nullopt;
  }
  return place_of_markers(context, fields, "joint", markers);
}

ForcePtr make_motor(const Fields& fields, const AttachmentPair& at) {
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

/// What a rotor is, and how fast it turns when the joint does.
struct RotorData {
  double inertia, ratio;
  bool linear;
};

void add_rotor(SceneContext& context, const RotorData& data, const MotorPlace& place, const Node& node,
               const std::string& name) {
  const auto& [inertia, ratio, linear] = data;
  const auto& [pair, at, point, axis] = place;
  // it starts with the speed that the joint gives it
  const Vec3 relative = linear ? Vec3(point_velocity(pair.a, point) - point_velocity(pair.b, point))
                               : Vec3(pair.a.placement.angular_velocity - pair.b.placement.angular_velocity);
  Placement start;
  start.angular_velocity = ratio * axis.dot(relative) * axis;
  const auto rotor =
      context.add_body(node, name + ".rotor", std::make_shared<Rotor>(inertia, point, axis), start);
  if (!rotor) return;
  context.add_constraint(node, name + ".gear",
                         linear ? linear_rotor_gear(rotor->id, at, ratio) : rotor_gear(rotor->id, at, ratio));
}

}  // namespace

bool is_motor(const Fields& fields) {
  return fields.record().find("gear_ratio") != nullptr;
}

void read_motor(SceneContext& context, const Fields& fields, const Node& node, const std::string& name) {
  const auto place = fields.has("joint") ? place_of_joint(context, fields) : place_of_bodies(context, fields);
  if (!place) return;
  ForcePtr force = make_motor(fields, place->at);
  if (!fields.ok() || force == nullptr) return;
  context.add_force(node, name, std::move(force));
  if (const auto inertia = fields.number("rotor_inertia"))
    add_rotor(context, {*inertia, fields.number("gear_ratio", 1.0), is_linear(fields.record().kind)}, *place,
              node, name);
}

void read_armature(SceneContext& context, const Fields& fields, ConstraintId joint) {
  const auto inertia = fields.record().find("armature") != nullptr ? fields.number("armature") : std::nullopt;
  if (!inertia) return;
  const Model& model = context.scene.model;
  const ConstraintEntry& entry = model.constraints()[std::size_t(model.index_of(joint))];
  const auto place = place_of_markers(context, fields, "name", entry.constraint->attachments());
  if (place)
    add_rotor(context, {*inertia, 1.0, fields.record().kind == "slider"}, *place, fields.node(),
              std::string(entry.name));
}

void read_joint_motor(SceneContext& context, const Fields& fields, const Node& node,
                      const std::string& name) {
  const auto joint = context.find_constraint(fields, "joint");
  const auto given = fields.functions("torques");
  if (!joint || !fields.ok()) return;
  const Model& model = context.scene.model;
  const ConstraintEntry& entry = model.constraints()[std::size_t(model.index_of(*joint))];
  std::vector<TimeFunction> torques;
  if (given) {  // a single one stands for the last of three
    const Node& list = *fields.find("torques");
    if (list.is_scalar())
      torques = {given->z};
    else if (list.children.size() == 2)
      torques = {given->x, given->y};
    else
      torques = {given->x, given->y, given->z};
  }
  context.add_force(node, name, joint_motor(entry, std::move(torques)));
}

std::vector<Record> motor_records() {
  std::vector<Record> all = records_of(false);
  for (Record& record : records_of(true)) all.push_back(std::move(record));
  all.push_back({kJointMotor,
                 "torques and forces along all coordinates of a joint, with their reaction",
                 {{"name", Value::name, "", "name; default the kind and a number"},
                  {"kind", Value::choice, "", "joint-motor", kRequired, {kJointMotor}},
                  {"joint", Value::constraint, "", "the joint that it drives", kRequired},
                  {"torques", Value::functions, "N·m or N",
                   "one per velocity of the joint, may depend on t; without them it follows commands"}}});
  return all;
}

}  // namespace catena::io
