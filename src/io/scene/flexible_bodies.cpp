// Bodies that change their shape or follow a rule: scaled, affine, quadratic, bead, pantograph; by expressions: lagrangian_bodies.cpp.
#include "catena/bodies.h"
#include "catena/joints.h"
#include "io/scene/context.h"

#include <fmt/format.h>

namespace catena::io {
namespace {

std::vector<Key> common_keys(std::string_view kind) {
  return {{"name", Value::name, "", "name; others refer to it", kRequired},
          {"kind", Value::choice, "", "kind of body", kRequired, {kind}}};
}

const Key kShapeStiffness{"stiffness", Value::non_negative, "J",
                          "what brings the shape back; default 0: it stretches freely"};
const Key kShapeDamping{"damping", Value::non_negative, "J·s", "damping of the shape; default 0"};

Record box_record(std::string_view kind, std::string_view doc) {
  return {kind, doc,
          join_keys({common_keys(kind),
                     {kMass,
                      {"size", Value::vector, "m", "full edges of the box", kRequired},
                      kShapeStiffness,
                      kShapeDamping},
                     position_keys(),
                     rotation_keys()})};
}

ScaleAxes read_scale_axes(const std::string& axes) {
  if (axes == "uniform") return ScaleAxes::uniform();
  ScaleAxes out{{-1, -1, -1}};
  int count = 0;
  for (const char axis : axes) out.group[std::size_t(axis - 'x')] = count++;
  return out;
}

// One number per scale.
void read_scales(const Fields& fields, std::string_view key, Eigen::Ref<VecX> out) {
  const std::vector<double> values = fields.few_numbers(key);
  if (values.empty()) return;
  if (Eigen::Index(values.size()) != out.size())
    return fields.report(key,
                         fmt::format("the body has {} scale(s), got {} numbers", out.size(), values.size()),
                         "give one per axis that stretches; one when it is uniform");
  out = Eigen::Map<const VecX>(values.data(), out.size());
}

bool read_scaled(SceneContext& context, const Fields& fields, const std::string& name) {
  const double mass = fields.number("mass", 1.0);
  const ShapeReading shape = read_shape(fields, std::nullopt);
  std::optional<Vec3> moments = moments_of(shape.shape, mass);
  if (const auto inertia = read_inertia(fields, "inertia")) {
    moments = inertia->diagonal();
    if (!inertia->isDiagonal(1e-12))
      fields.report("inertia", "a scaled body stretches along its principal axes, got products of inertia",
                    "turn the body and give [xx, yy, zz]");
  }
  if (!moments && fields.ok())
    fields.report("kind", "the body has no inertia", "add 'inertia', or a 'shape' that gives it");
  Placement placement;
  read_placement(fields, true, placement);
  if (!fields.ok()) return false;
  const auto body = std::make_shared<ScaledRigid>(
      mass, *moments, read_scale_axes(fields.text("stretch").value_or("uniform")),
      fields.number("stiffness", 0.0), fields.number("damping", 0.0));
  VecX q(body->num_q()), v(body->num_v());
  const std::string problem = body->pack(placement, q.data(), v.data());
  if (!problem.empty()) fields.report("kind", problem, "correct the placement");
  read_scales(fields, "scale", q.tail(body->num_scales()));
  read_scales(fields, "scale_rate", v.tail(body->num_scales()));
  return fields.ok() && context.add_body(fields.node(), name, body, q, v, shape.shape).has_value();
}

bool read_box(SceneContext& context, const Fields& fields, const std::string& name) {
  const Vec3 size = fields.vector("size", Vec3::Ones());
  if (!(size.minCoeff() > 0.0))
    fields.report("size",
                  fmt::format("every edge must be positive, got [{}, {}, {}]", size.x(), size.y(), size.z()),
                  "give three lengths above 0");
  Placement placement;
  read_placement(fields, true, placement);
  const auto order =
      fields.record().kind == "affine" ? Deformable::Order::linear : Deformable::Order::quadratic;
  const auto body =
      std::make_shared<Deformable>(order, fields.number("mass", 1.0), size, fields.number("stiffness", 0.0),
                                   fields.number("damping", 0.0));
  VecX q(body->num_q()), v(body->num_v());
  const std::string problem = body->pack(placement, q.data(), v.data());
  if (!problem.empty()) fields.report("kind", problem, "correct the placement");
  return fields.ok() && context.add_body(fields.node(), name, body, q, v).has_value();
}

bool read_bead(SceneContext& context, const Fields& fields, const std::string& name) {
  fields.exclusive({"rate", "speed"});
  const auto curve_fields = fields.fields("curve");
  const auto curve = curve_fields ? read_curve(*curve_fields) : nullptr;
  if (!curve || !fields.ok()) return false;
  const double u = fields.number("at", curve->range().first);
  double rate = fields.number("rate", 0.0);
  if (const auto speed = fields.number("speed")) rate = *speed / curve->at(u).d1.norm();
  Shape shape;
  if (const auto radius = fields.number("radius")) shape = {Shape::Kind::sphere, {*radius, 0.0, 0.0}};
  return fields.ok() && context
                            .add_body(fields.node(), name, bead_on_curve(fields.number("mass", 1.0), curve),
                                      coordinates({u}), coordinates({rate}), shape)
                            .has_value();
}

bool read_pantograph(SceneContext& context, const Fields& fields, const std::string& name) {
  fields.exclusive({"angles", "angles_deg"});
  Pantograph shape;
  shape.pivot = fields.vector("pivot", Vec3::Zero());
  shape.e = fields.vector("along", Vec3::UnitX()).normalized();
  shape.n = fields.vector("up", Vec3::UnitY()).normalized();
  shape.long_bar = fields.number("long_bar", 1.0);
  shape.short_bar = fields.number("short_bar", 0.5);
  shape.mass_per_length = fields.number("mass_per_length", 1.0);
  Vec3 angles = fields.vector("angles", Vec3(30.0 * kDegree, 100.0 * kDegree, 0.0));
  if (const auto degrees = fields.vector("angles_deg")) angles = kDegree * *degrees;
  const Vec3 rates = fields.vector("rates", Vec3::Zero());
  if (fields.ok() && std::abs(std::sin(angles.y() - angles.x())) < 1e-9)
    fields.report("kind", "the two bar directions are parallel: nothing can be attached to the linkage there",
                  "give two different angles");
  return fields.ok() &&
         context
             .add_body(fields.node(), name, pantograph(shape), coordinates({angles.x(), angles.y()}),
                       coordinates({rates.x(), rates.y()}))
             .has_value();
}

}  // namespace

std::vector<Record> flexible_body_records() {
  return {
      {"scaled", "rigid body that stretches along one, two or three of its principal axes",
       join_keys(
           {common_keys("scaled"),
            {kMass,
             {"inertia", Value::inertia, "kg·m²",
              "principal moments of the unscaled body; default from shape"},
             {"shape", Value::variants, "", "gives the inertia and the picture", kOptional, spatial_shapes},
             {"stretch",
              Value::choice,
              "",
              "axes that stretch, each on its own, or all together; default uniform",
              kOptional,
              {"uniform", "x", "y", "z", "xy", "xz", "yz", "xyz"}},
             {"scale", Value::few_numbers, "", "scales at the start, one per axis that stretches; default 1"},
             {"scale_rate", Value::few_numbers, "1/s", "their rates at the start; default 0"},
             kShapeStiffness,
             kShapeDamping},
            position_keys(),
            rotation_keys()})},
      box_record("affine", "box that stretches and shears as a whole: 12 velocities"),
      box_record("quadratic", "box that also bends and twists: 30 velocities"),
      {"bead", "point that slides along a curve, by its one coordinate and without a constraint",
       join_keys(
           {common_keys("bead"),
            {kMass,
             {"curve", Value::variants, "", "the curve, in the world", kRequired, curve_variants},
             {"at", Value::number, "", "parameter of the curve at the start; default where its range begins"},
             {"rate", Value::number, "1/s", "rate of the parameter at the start; default 0"},
             {"speed", Value::number, "m/s", "the same as a speed along the curve"},
             {"radius", Value::positive, "m", "radius in pictures"}}})},
      {"pantograph", "plane linkage of four bars with two coordinates, the angles of its bars",
       join_keys({common_keys("pantograph"),
                  {{"pivot", Value::vector, "m", "fixed point; default the origin"},
                   {"along", Value::direction, "", "direction of the angle 0; default x"},
                   {"up", Value::direction, "", "direction of the angle 90°; default y"},
                   {"long_bar", Value::positive, "m", "length of the outer bars; default 1"},
                   {"short_bar", Value::positive, "m", "length of the inner bars; default 0.5"},
                   {"mass_per_length", Value::positive, "kg/m", "of all bars; default 1"},
                   {"angles", Value::vector, "rad",
                    "of the first and second bars at the start; default 30° and 100°"},
                   {"angles_deg", Value::vector, "°", "the same in degrees"},
                   {"rates", Value::vector, "rad/s", "their rates at the start; default 0"}}})},
      lagrangian_body_record()};
}

bool read_flexible_body(SceneContext& context, const Fields& fields, const std::string& name) {
  const std::string_view kind = fields.record().kind;
  if (kind == "scaled") return read_scaled(context, fields, name);
  if (kind == "bead") return read_bead(context, fields, name);
  if (kind == "pantograph") return read_pantograph(context, fields, name);
  if (kind == "lagrangian") return read_lagrangian_body(context, fields, name);
  return read_box(context, fields, name);
}

}  // namespace catena::io
