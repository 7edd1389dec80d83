// Section `probes`: named quantities to record while a scene runs.
#include "catena/joints.h"
#include "io/document/suggest.h"
#include "io/scene/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::io {

namespace {

std::vector<Key> base_keys(std::string_view quantity) {
  return {{"name", Value::name, "", "name of the column; default the quantity with a number"},
          {"quantity", Value::choice, "", "what to record", kRequired, {quantity}},
          {"analytic", Value::name_list, "",
           "what it should be, an expression of t or a list of one per component; plots show it beside the "
           "probe"}};
}

const Key kComponent{"component", Value::choice,          "", "one number instead of three",
                     kOptional,   {"x", "y", "z", "norm"}};
const Key kBody{"body", Value::body, "", "the body", kRequired};
const Key kProbePoint{"point", Value::vector, "m",
                      "a point of it, in the world at the start; default its centre"};
const Key kJoint{"joint", Value::constraint, "", "the joint or constraint", kRequired};

Record record(std::string_view quantity, std::string_view doc, std::vector<Key> keys) {
  return {quantity, doc, join_keys({base_keys(quantity), std::move(keys)})};
}

}  // namespace

const Variant& probe_variants() {
  static const Variant variant{
      "probe",
      "quantity",
      {
          record("position", "of a point of a body, m", {kBody, kProbePoint, kComponent}),
          record("velocity", "of a point of a body, m/s", {kBody, kProbePoint, kComponent}),
          record("orientation", "of a body, quaternion w, x, y, z", {kBody}),
          record("angle", "of body x against world x about world z, rad, in (-π, π]", {kBody}),
          record("angular-velocity", "of a body, rad/s",
                 {kBody,
                  {"axes", Value::choice, "", "default world", kOptional, {"world", "body"}},
                  kComponent}),
          record(
              "imu",
              "specific force (acceleration without gravity), m/s², and angular rate, rad/s, in its own axes",
              {kBody,
               {"point", Value::vector, "m", "where it sits, in the world at the start; default the centre"},
               {"orientation", Value::quaternion, "",
                "its axes to world axes at the start, [w, x, y, z]; default the body's axes"}}),
          record(
              "distance", "between two points, m",
              {{"a", Value::body, "", "first body", kRequired},
               {"b", Value::body, "", "second body; default world"},
               {"point_a", Value::vector, "m", "point of a in the world at the start; default its centre"},
               {"point_b", Value::vector, "m", "point of b in the world at the start; default its centre"}}),
          record("joint-angle", "of a against b about the joint's axis, rad, in (-π, π]", {kJoint}),
          record("joint-travel", "of a against b along the joint's axis, m", {kJoint}),
          record("joint-rate", "of a against b about and along the joint's axis, rad/s and m/s", {kJoint}),
          record("joint-force", "that the joint exerts on a, in its own axes, N", {kJoint, kComponent}),
          record("joint-torque", "that the joint exerts on a, in its own axes, N·m", {kJoint, kComponent}),
          record("multipliers", "λ of every row of a joint", {kJoint}),
          record("energy", "J",
                 {{"part",
                   Value::choice,
                   "",
                   "default total",
                   kOptional,
                   {"total", "kinetic", "gravity", "springs", "numerical"}}}),
          record("momentum", "linear, kg·m/s", {kComponent}),
          record("angular-momentum", "about the world's origin, kg·m²/s", {kComponent}),
          record("constraint-error", "largest of all rows, m or rad", {}),
          record("constraint-power", "of all constraints, W", {}),
      }};
  return variant;
}

namespace {

using VectorReader = std::function<Vec3(const Simulation&)>;
using NumberReader = std::function<double(const Simulation&)>;

void record_number(Probe& probe, std::string_view unit, NumberReader read) {
  probe.unit = unit;
  probe.size = 1;
  probe.read = [read = std::move(read)](const Simulation& sim, double* out) { *out = read(sim); };
}

// three numbers, or the one that `component` asks for
void record_vector(Probe& probe, const Fields& fields, std::string_view unit, VectorReader read) {
  const std::string component = fields.text("component").value_or("");
  if (component == "norm")
    return record_number(probe, unit, [read](const Simulation& sim) { return read(sim).norm(); });
  if (!component.empty()) {
    const int i = component[0] - 'x';
    return record_number(probe, unit, [read, i](const Simulation& sim) { return read(sim)[i]; });
  }
  probe.unit = unit;
  probe.size = 3;
  probe.components = {"x", "y", "z"};
  probe.read = [read = std::move(read)](const Simulation& sim, double* out) {
    const Vec3 value = read(sim);
    std::copy(value.data(), value.data() + 3, out);
  };
}

void record_imu(const Fields& fields, const BodyRef& body, Probe& probe) {
  const Quat axes = fields.quaternion("orientation").value_or(body.placement.orientation);
  const Attachment at =
      mark_with_axes(body, fields.vector("point", body.placement.position), axes.toRotationMatrix());
  probe.unit = "m/s², rad/s";
  probe.size = 6;
  probe.components = {"fx", "fy", "fz", "wx", "wy", "wz"};
  probe.read = [at](const Simulation& sim, double* out) {
    const ImuReading reading = sim.imu(at);
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(out) << reading.specific_force, reading.angular_rate;
  };
}

/// Where a body is, or a frame on one.
std::function<Placement(const Simulation&)> placement_of(const BodyRef& body) {
  if (!body.is_frame()) return [id = body.id](const Simulation& sim) { return sim.placement(id); };
  const Attachment at =
      mark_with_axes(body, body.placement.position, body.placement.orientation.toRotationMatrix());
  return [at](const Simulation& sim) {
    const Marker marker = sim.marker(at);
    return Placement{.position = marker.x,
                     .orientation = Quat(marker.R),
                     .velocity = marker.v,
                     .angular_velocity = marker.w};
  };
}

bool make_body_probe(SceneContext& context, const Fields& fields, Probe& probe) {
  const auto body = context.find_body(fields, "body");
  if (!body) return false;
  if (body->is_world()) {
    if (fields.has("body")) fields.report("body", "the world does not move", "name a body");
    return false;
  }
  const std::string_view quantity = fields.record().kind;
  const auto placed = placement_of(*body);
  const bool turns =
      quantity == "orientation" || quantity == "angle" || quantity == "angular-velocity" || quantity == "imu";
  if (turns && body->is_particle())
    fields.report("body", "a particle has no orientation", "probe its position or velocity");
  if (quantity == "imu") {
    record_imu(fields, *body, probe);
  } else if (quantity == "orientation") {
    probe.size = 4;
    probe.components = {"w", "x", "y", "z"};
    probe.read = [placed](const Simulation& sim, double* out) {
      const Quat q = placed(sim).orientation;
      Eigen::Map<Eigen::Vector4d>(out) << q.w(), q.x(), q.y(), q.z();
    };
  } else if (quantity == "angle") {
    record_number(probe, "rad", [placed](const Simulation& sim) {
      const Vec3 x = placed(sim).orientation * Vec3::UnitX();
      return std::atan2(x.y(), x.x());
    });
  } else if (quantity == "angular-velocity") {
    const bool in_body = fields.text("axes").value_or("world") == "body";
    record_vector(probe, fields, "rad/s", [placed, in_body](const Simulation& sim) -> Vec3 {
      const Placement p = placed(sim);
      return in_body ? p.orientation.conjugate() * p.angular_velocity : p.angular_velocity;
    });
  } else {
    const Attachment at =
        mark_with_axes(*body, fields.vector("point", body->placement.position), Mat3::Identity());
    if (quantity == "position")
      record_vector(probe, fields, "m", [at](const Simulation& sim) { return sim.marker(at).x; });
    else
      record_vector(probe, fields, "m/s", [at](const Simulation& sim) { return sim.marker(at).v; });
  }
  return fields.ok();
}

bool make_distance_probe(SceneContext& context, const Fields& fields, Probe& probe) {
  const auto a = context.find_body(fields, "a"), b = context.find_body(fields, "b");
  if (!a || !b) return false;
  const Attachment at_a =
      mark_with_axes(*a, fields.vector("point_a", a->placement.position), Mat3::Identity());
  const Attachment at_b =
      mark_with_axes(*b, fields.vector("point_b", b->placement.position), Mat3::Identity());
  record_number(probe, "m", [at_a, at_b](const Simulation& sim) {
    return (sim.marker(at_a).x - sim.marker(at_b).x).norm();
  });
  return fields.ok();
}

void record_joint_rate(ConstraintId id, Probe& probe) {
  probe.unit = "rad/s, m/s";
  probe.size = 2;
  probe.components = {"angular", "linear"};
  probe.read = [id](const Simulation& sim, double* out) {
    const JointRate rate = sim.joint_rate(id);
    out[0] = rate.angular;
    out[1] = rate.linear;
  };
}

// A joint that was removed or broke has nothing to read any more: NaN, and the run goes on.
void survive_removal(ConstraintId joint, Probe& probe) {
  probe.read = [joint, size = probe.size, read = std::move(probe.read)](const Simulation& sim, double* out) {
    if (sim.model().index_of(joint) >= 0) return read(sim, out);
    std::fill(out, out + size, std::numeric_limits<double>::quiet_NaN());
  };
}

bool make_joint_probe(SceneContext& context, const Fields& fields, Probe& probe) {
  const auto id = context.find_constraint(fields, "joint");
  if (!id) return false;
  const std::string_view quantity = fields.record().kind;
  const Model& model = context.scene.model;
  const ConstraintEntry& entry = model.constraints()[std::size_t(model.index_of(*id))];
  const auto attachments = entry.constraint->attachments();
  if (quantity == "joint-force") {
    record_vector(probe, fields, "N",
                  [id = *id](const Simulation& sim) { return sim.constraint_force(id).force; });
  } else if (quantity == "joint-torque") {
    record_vector(probe, fields, "N·m",
                  [id = *id](const Simulation& sim) { return sim.constraint_force(id).torque; });
  } else if (quantity == "multipliers") {
    probe.size = entry.constraint->num_rows(entry.planar);
    for (int row = 0; probe.size > 1 && row < probe.size; ++row)
      probe.components.push_back(fmt::format("{}", row));
    probe.read = [id = *id](const Simulation& sim, double* out) {
      for (const double lambda : sim.multipliers(id)) *out++ = lambda;
    };
  } else if (attachments.size() != 2) {
    fields.report("joint", fmt::format("a {} has no {}", entry.constraint->kind(), quantity),
                  "name a hinge or a slider");
  } else {
    const Attachment &a = attachments[0], &b = attachments[1];
    if (quantity == "joint-angle")
      record_number(probe, "rad",
                    [a, b](const Simulation& sim) { return hinge_angle(sim.marker(a), sim.marker(b)); });
    else if (quantity == "joint-rate")
      record_joint_rate(*id, probe);
    else
      record_number(probe, "m", [a, b](const Simulation& sim) {
        const Marker mb = sim.marker(b);
        return mb.R.col(2).dot(sim.marker(a).x - mb.x);
      });
  }
  if (fields.ok()) survive_removal(*id, probe);
  return fields.ok();
}

bool make_system_probe(const Fields& fields, Probe& probe) {
  const std::string_view quantity = fields.record().kind;
  if (quantity == "energy") {
    const std::string part = fields.text("part").value_or("total");
    record_number(probe, "J", [part](const Simulation& sim) {
      if (part == "numerical") return sim.numerical_energy();
      const Energy energy = sim.energy();
      return part == "kinetic"   ? energy.kinetic
             : part == "gravity" ? energy.gravity
             : part == "springs" ? energy.springs
                                 : energy.total();
    });
  } else if (quantity == "momentum") {
    record_vector(probe, fields, "kg·m/s", [](const Simulation& sim) { return sim.linear_momentum(); });
  } else if (quantity == "angular-momentum") {
    record_vector(probe, fields, "kg·m²/s", [](const Simulation& sim) { return sim.angular_momentum(); });
  } else if (quantity == "constraint-error") {
    record_number(probe, "m or rad", [](const Simulation& sim) { return sim.constraint_error(); });
  } else {
    record_number(probe, "W", [](const Simulation& sim) { return sim.constraint_power(); });
  }
  return fields.ok();
}

}  // namespace

namespace {

// Functions of t, as many as the probe has components.
void read_analytic(SceneContext& context, const Fields& fields, Probe& probe) {
  if (!fields.has("analytic")) return;
  for (const std::string& text : fields.names("analytic")) {
    try {
      const Expression expression = Expression::parse(text, context.symbols, "t");
      probe.analytic.push_back([expression](double t) { return expression.evaluate<0>(t).derivative(0); });
      probe.analytic_text.push_back(text);
    } catch (const ExpressionError& error) {
      return fields.report("analytic", fmt::format("'{}': {}", shorten(text), error.what), error.remedy);
    }
  }
  if (fields.ok() && probe.analytic.size() != std::size_t(probe.size))
    fields.report(
        "analytic",
        fmt::format("the probe has {} components, got {} expressions", probe.size, probe.analytic.size()),
        "give one expression of t per component");
}

}  // namespace

void read_probe(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, probe_variants(), context.reading());
  if (!fields) return;
  Probe probe;
  probe.name = context.name_or_number(*fields, fields->record().kind);
  probe.quantity = fields->record().kind;
  if (!context.probe_names.insert(probe.name).second)
    fields->report("name", fmt::format("the name '{}' is used by more than one probe", shorten(probe.name)),
                   "rename one");
  bool complete = false;
  if (fields->record().find("body") != nullptr)
    complete = make_body_probe(context, *fields, probe);
  else if (fields->record().find("joint") != nullptr)
    complete = make_joint_probe(context, *fields, probe);
  else if (fields->record().kind == "distance")
    complete = make_distance_probe(context, *fields, probe);
  else
    complete = make_system_probe(*fields, probe);
  if (!complete) return;
  read_analytic(context, *fields, probe);
  context.scene.probes.push_back(std::move(probe));
}

}  // namespace catena::io
