// Section `forces`: springs, bushings, loads, drag and friction; motors are in motors.cpp. Gravity has its own key.
#include "catena/force.h"
#include "io/scene/force_keys.h"

#include <fmt/format.h>

namespace catena::io {

std::vector<Key> single_force_keys(std::string_view kind) {
  return {{"name", Value::name, "", "name; default the kind with a number"},
          {"kind", Value::choice, "", "kind of force", kRequired, {kind}},
          {"a", Value::body, "", "the body it acts on", kRequired},
          placed_keys()[0]};
}

std::vector<Key> pair_force_keys(std::string_view kind) {
  return join_keys(
      {single_force_keys(kind),
       {{"b", Value::body, "", "second body, takes the reaction; default world"}, placed_keys()[1]}});
}

namespace {

const Key kPointA{"point_a", Value::vector, "m", "point of a in the world at the start; default its centre"};
const Key kPointB{"point_b", Value::vector, "m", "point of b in the world at the start; default its centre"};
const Key kSpringStiffness{"stiffness", Value::non_negative, "N/m", "spring constant", kRequired};
const Key kSpringDamping{"damping", Value::non_negative, "N·s/m", "damping constant; default 0"};

// springs of all kinds
std::vector<Record> elastic_records() {
  return {
      {"spring", "spring and damper between two points",
       join_keys({pair_force_keys("spring"),
                  {kPointA,
                   kPointB,
                   kSpringStiffness,
                   kSpringDamping,
                   {"rest_length", Value::non_negative, "m",
                    "length without force; default the distance at the start"}}})},
      {"torsion-spring", "spring and damper about an axis; counts turns",
       join_keys(
           {pair_force_keys("torsion-spring"),
            {kForcePoint,
             kForceAxis,
             {"stiffness", Value::non_negative, "N·m/rad", "spring constant", kRequired},
             {"damping", Value::non_negative, "N·m·s/rad", "damping constant; default 0"},
             {"rest_angle", Value::number, "rad", "angle since the start without torque; default 0"}}})},
      {"bushing", "springs and dampers along and about three axes fixed in b",
       join_keys(
           {pair_force_keys("bushing"),
            {kForcePoint,
             {"axis", Value::direction, "",
              "z of the three axes, in the world at the start; default world axes"},
             {"linear_stiffness", Value::vector, "N/m", "along x, y, z of the axes; default 0"},
             {"angular_stiffness", Value::vector, "N·m/rad", "about x, y, z of the axes; default 0"},
             {"linear_damping", Value::vector, "N·s/m", "along x, y, z of the axes; default 0"},
             {"angular_damping", Value::vector, "N·m·s/rad", "about x, y, z of the axes; default 0"}}})},
      {"mouse-spring", "pulls a point towards a place in the world",
       join_keys({single_force_keys("mouse-spring"),
                  {kForcePoint,
                   {"target", Value::vector, "m", "the place", kRequired},
                   kSpringStiffness,
                   kSpringDamping}})},
  };
}

std::vector<Record> other_records() {
  return {
      {"load", "given force and torque",
       join_keys({single_force_keys("load"),
                  {kForcePoint,
                   {"force", Value::functions, "N", "force, may depend on t; default 0"},
                   {"torque", Value::functions, "N·m",
                    "torque, may depend on t; a single one is about z; default 0"},
                   {"axes",
                    Value::choice,
                    "",
                    "axes of force and torque; default world",
                    kOptional,
                    {"world", "body"}}}})},
      {"drag", "resistance against motion in the world",
       join_keys({single_force_keys("drag"),
                  {kForcePoint,
                   {"linear", Value::non_negative, "N·s/m", "force over speed; default 0"},
                   {"quadratic", Value::non_negative, "N·s²/m²", "force over speed squared; default 0"},
                   {"angular", Value::non_negative, "N·m·s/rad", "torque over angular speed; default 0"}}})},
      {"viscous-friction", "resistance of a joint about and along its axis",
       join_keys({pair_force_keys("viscous-friction"),
                  {kForcePoint,
                   kForceAxis,
                   {"angular", Value::non_negative, "N·m·s/rad", "torque over angular speed; default 0"},
                   {"linear", Value::non_negative, "N·s/m", "force over speed; default 0"}}})},
      {"central-force", "attraction or repulsion between two points, strength/r^exponent",
       join_keys({pair_force_keys("central-force"),
                  {kPointA,
                   kPointB,
                   {"strength", Value::number, "N·m^exponent", "positive attracts", kRequired},
                   {"exponent", Value::number, "", "power of the distance; default 2"},
                   {"softening", Value::non_negative, "m",
                    "distance below which the force stays bounded: strength·r/(r² + "
                    "softening²)^((exponent+1)/2); default 0"}}})},
  };
}

}  // namespace

const Variant& force_variants() {
  static const Variant variant = [] {
    Variant result{"force", "kind", elastic_records()};
    for (auto records : {elastic_coordinate_records(), other_records(), motor_records()})
      result.kinds.insert(result.kinds.end(), records.begin(), records.end());
    return result;
  }();
  return variant;
}

AttachmentPair join_force_axis(const Fields& fields, const BodyPair& pair) {
  const auto axis = fields.vector("axis");
  if (!axis && !fields.has("axis") && !pair.planar())
    fields.report("kind", "'axis' is missing", "add 'axis: [x, y, z]', the direction at the start");
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  const Mat3 axes = frame_from_axis(axis.value_or(Vec3::UnitZ()));
  return {mark_with_axes(pair.a, point, axes), mark_with_axes(pair.b, point, axes)};
}

namespace {

// points of a and b that may lie apart
AttachmentPair join_points(const Fields& fields, const BodyPair& pair) {
  if (pair.b.is_world() && !fields.has("point_b"))
    fields.report("kind", "'point_b' is missing: the world has no centre",
                  "add 'point_b: [x, y, z]', or a second body 'b'");
  const Vec3 point_a = fields.vector("point_a", pair.a.placement.position);
  const Vec3 point_b = fields.vector("point_b", pair.b.placement.position);
  return {mark_with_axes(pair.a, point_a, Mat3::Identity()),
          mark_with_axes(pair.b, point_b, Mat3::Identity())};
}

ForcePtr make_spring(const Fields& fields, const BodyPair& pair) {
  const AttachmentPair at = join_points(fields, pair);
  const Vec3 point_a = fields.vector("point_a", pair.a.placement.position);
  const Vec3 point_b = fields.vector("point_b", pair.b.placement.position);
  const double rest = fields.number("rest_length", (point_a - point_b).norm());
  return spring_damper(at, fields.number("stiffness", 0.0), fields.number("damping", 0.0), rest);
}

ForcePtr make_bushing(const Fields& fields, const BodyPair& pair) {
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  const auto axis = fields.vector("axis");
  const Mat3 axes = axis ? frame_from_axis(*axis) : Mat3::Identity();
  const auto vector = [&](std::string_view key) { return fields.vector(key, Vec3::Zero()); };
  return bushing({mark_with_axes(pair.a, point, axes), mark_with_axes(pair.b, point, axes)},
                 vector("linear_stiffness"), vector("angular_stiffness"), vector("linear_damping"),
                 vector("angular_damping"));
}

ForcePtr make_load(const Fields& fields, const Attachment& a) {
  if (!fields.has("force") && !fields.has("torque"))
    fields.report("kind", "the load has neither force nor torque",
                  "add 'force: [x, y, z]' or 'torque: [x, y, z]'");
  return load(a, fields.functions("force").value_or(PointFunction{}),
              fields.functions("torque").value_or(PointFunction{}),
              fields.text("axes").value_or("world") == "body");
}

ForcePtr make_force(const Fields& fields, const BodyPair& pair) {
  const std::string_view kind = fields.record().kind;
  const auto number = [&](std::string_view key) { return fields.number(key, 0.0); };
  if (ForcePtr elastic = make_elastic(fields, pair)) return elastic;
  if (kind == "spring") return make_spring(fields, pair);
  if (kind == "torsion-spring")
    return torsion_spring(join_force_axis(fields, pair), number("stiffness"), number("damping"),
                          number("rest_angle"));
  if (kind == "bushing") return make_bushing(fields, pair);
  if (kind == "viscous-friction")
    return viscous_friction(join_force_axis(fields, pair), number("angular"), number("linear"));
  if (kind == "central-force")
    return central_force(join_points(fields, pair), number("strength"), fields.number("exponent", 2.0),
                         number("softening"));
  const Attachment a =
      mark_with_axes(pair.a, fields.vector("point", pair.a.placement.position), Mat3::Identity());
  if (kind == "load") return make_load(fields, a);
  if (kind == "drag") return drag(a, number("linear"), number("quadratic"), number("angular"));
  return mouse_spring(a, fields.vector("target", Vec3::Zero()), number("stiffness"), number("damping"));
}

}  // namespace

void read_force(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, force_variants(), context.reading());
  if (!fields) return;
  const std::string name = context.name_or_number(*fields, fields->record().kind);
  if (is_motor(*fields)) return read_motor(context, *fields, node, name);
  if (fields->record().kind == kJointMotor) return read_joint_motor(context, *fields, node, name);
  const bool single = fields->record().find("b") == nullptr;
  const auto a = context.find_body(*fields, "a");
  const auto b = single ? std::optional(BodyRef{}) : context.find_body(*fields, "b");
  if (!a || !b) return;
  if (a->is_world()) {
    if (fields->has("a")) fields->report("a", "a force acts on a body, not on the world", "exchange a and b");
    return;
  }
  ForcePtr force = make_force(*fields, {*a, *b});
  if (!fields->ok() || force == nullptr) return;
  context.add_force(node, name, std::move(force));
}

}  // namespace catena::io
