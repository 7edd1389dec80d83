// Section `forces`: springs, dampers, motors, loads and drag. Gravity has its own key.
#include "catena/force.h"
#include "io/scene_context.h"

#include <fmt/format.h>

namespace catena::io {

namespace {

std::vector<Key> single_keys(std::string_view kind) {
  return {{"name", Value::name, "", "name; default the kind with a number"},
          {"kind", Value::choice, "", "kind of force", kRequired, {kind}},
          {"a", Value::body, "", "the body it acts on", kRequired}};
}

std::vector<Key> pair_keys(std::string_view kind) {
  return join_keys(
      {single_keys(kind), {{"b", Value::body, "", "second body, takes the reaction; default world"}}});
}

const Key kPoint{"point", Value::vector, "m",
                 "where it acts, in the world at the start; default the centre of a"};
const Key kAxis{"axis", Value::direction, "",
                "axis fixed in b, in the world at the start; default z in the plane"};

}  // namespace

const Variant& force_variants() {
  static const Key stiffness{"stiffness", Value::non_negative, "N/m", "spring constant", kRequired};
  static const Key damping{"damping", Value::non_negative, "N·s/m", "damping constant; default 0"};
  static const Variant variant{
      "force",
      "kind",
      {
          {"spring", "spring and damper between two points",
           join_keys(
               {pair_keys("spring"),
                {{"point_a", Value::vector, "m", "point of a in the world at the start; default its centre"},
                 {"point_b", Value::vector, "m", "point of b in the world at the start; default its centre"},
                 stiffness,
                 damping,
                 {"rest_length", Value::non_negative, "m",
                  "length without force; default the distance at the start"}}})},
          {"torsion-spring", "spring and damper about an axis; counts turns",
           join_keys(
               {pair_keys("torsion-spring"),
                {kPoint,
                 kAxis,
                 {"stiffness", Value::non_negative, "N·m/rad", "spring constant", kRequired},
                 {"damping", Value::non_negative, "N·m·s/rad", "damping constant; default 0"},
                 {"rest_angle", Value::number, "rad", "angle since the start without torque; default 0"}}})},
          {"load", "given force and torque",
           join_keys({single_keys("load"),
                      {kPoint,
                       {"force", Value::functions, "N", "force, may depend on t; default 0"},
                       {"torque", Value::functions, "N·m",
                        "torque, may depend on t; a single one is about z; default 0"},
                       {"axes",
                        Value::choice,
                        "",
                        "axes of force and torque; default world",
                        kOptional,
                        {"world", "body"}}}})},
          {"motor", "torque on a about an axis, reaction on b",
           join_keys(
               {pair_keys("motor"),
                {kPoint, kAxis, {"torque", Value::function, "N·m", "torque, may depend on t", kRequired}}})},
          {"linear-motor", "force on a along an axis, reaction on b",
           join_keys(
               {pair_keys("linear-motor"),
                {kPoint,
                 {"axis", Value::direction, "", "axis fixed in b, in the world at the start", kRequired},
                 {"force", Value::function, "N", "force, may depend on t", kRequired}}})},
          {"drag", "resistance against motion in the world",
           join_keys(
               {single_keys("drag"),
                {kPoint,
                 {"linear", Value::non_negative, "N·s/m", "force over speed; default 0"},
                 {"quadratic", Value::non_negative, "N·s²/m²", "force over speed squared; default 0"},
                 {"angular", Value::non_negative, "N·m·s/rad", "torque over angular speed; default 0"}}})},
          {"mouse-spring", "pulls a point towards a place in the world",
           join_keys({single_keys("mouse-spring"),
                      {kPoint, {"target", Value::vector, "m", "the place", kRequired}, stiffness, damping}})},
      }};
  return variant;
}

namespace {

AttachmentPair join_axis(const Fields& fields, const BodyPair& pair) {
  const auto axis = fields.vector("axis");
  if (!axis && !fields.has("axis") && !pair.planar())
    fields.report("kind", "'axis' is missing", "add 'axis: [x, y, z]', the direction at the start");
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  const Mat3 axes = frame_from_axis(axis.value_or(Vec3::UnitZ()));
  return {mark_with_axes(pair.a, point, axes), mark_with_axes(pair.b, point, axes)};
}

ForcePtr make_spring(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  if (pair.b.is_world() && !fields.has("point_b"))
    fields.report("kind", "'point_b' is missing: the world has no centre",
                  "add 'point_b: [x, y, z]', or a second body 'b'");
  const Vec3 point_a = fields.vector("point_a", pair.a.placement.position);
  const Vec3 point_b = fields.vector("point_b", pair.b.placement.position);
  const double rest = fields.number("rest_length", (point_a - point_b).norm());
  return spring_damper(context.scene.model.join(pair.a.id, pair.b.id, point_a, Vec3::UnitZ(), point_b),
                       fields.number("stiffness", 0.0), fields.number("damping", 0.0), rest);
}

ForcePtr make_load(const Fields& fields, const Attachment& a) {
  if (!fields.has("force") && !fields.has("torque"))
    fields.report("kind", "the load has neither force nor torque",
                  "add 'force: [x, y, z]' or 'torque: [x, y, z]'");
  return load(a, fields.functions("force").value_or(PointFunction{}),
              fields.functions("torque").value_or(PointFunction{}),
              fields.text("axes").value_or("world") == "body");
}

ForcePtr make_force(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  const std::string_view kind = fields.record().kind;
  const auto number = [&](std::string_view key) { return fields.number(key, 0.0); };
  if (kind == "spring") return make_spring(context, fields, pair);
  if (kind == "torsion-spring")
    return torsion_spring(join_axis(fields, pair), number("stiffness"), number("damping"),
                          number("rest_angle"));
  if (kind == "motor")
    return motor(join_axis(fields, pair), fields.function("torque").value_or(constant(0.0)));
  if (kind == "linear-motor")
    return linear_motor(join_axis(fields, pair), fields.function("force").value_or(constant(0.0)));
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
  const bool single = fields->record().find("b") == nullptr;
  const auto a = context.find_body(*fields, "a");
  const auto b = single ? std::optional(BodyRef{}) : context.find_body(*fields, "b");
  if (!a || !b) return;
  if (a->is_world()) {
    if (fields->has("a")) fields->report("a", "a force acts on a body, not on the world", "exchange a and b");
    return;
  }
  ForcePtr force = make_force(context, *fields, {*a, *b});
  if (fields->ok() && force != nullptr) context.add_force(node, name, std::move(force));
}

}  // namespace catena::io
