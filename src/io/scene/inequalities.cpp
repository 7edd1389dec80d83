// Section `inequalities`: limits of joints, contacts, dry friction. Ropes that may go slack are joints with the key `slack`.
#include "catena/force.h"
#include "catena/inequality.h"
#include "io/scene/context.h"

#include <fmt/format.h>

namespace catena::io {
namespace {

const Key kRestitution{"restitution", Value::non_negative, "",
                       "speed after an impact over that before it, 0 to 1; default 0"};

std::vector<Key> coordinate_keys(std::string_view kind) {
  return join_keys(
      {constraint_pair_keys(kind),
       {{"coordinate",
         Value::choice,
         "",
         "what it measures of a against b, since the start; default hinge",
         kOptional,
         {"hinge", "slider", "swing", "ball", "universal", "planar"}},
        {"point", Value::vector, "m", "of the joint, in the world at the start; default the centre of a"},
        {"axis", Value::direction, "", "z of the joint, in the world at the start; default z"}}});
}

std::vector<Record> inequality_records() {
  return {
      {"limits", "a coordinate of a joint stays within bounds",
       join_keys({coordinate_keys("limits"),
                  {{"lower", Value::number, "rad or m", "lower bound; default none"},
                   {"upper", Value::number, "rad or m", "upper bound; default none"},
                   kRestitution}})},
      {"dry-friction", "Coulomb's friction along a coordinate of a joint, or a brake",
       join_keys({coordinate_keys("dry-friction"),
                  {{"limit", Value::non_negative, "N or N·m", "largest force or torque", kRequired}}})},
      {"contact", "a point or a sphere of a against a surface of b, or a sphere of b: pushes, and rubs",
       join_keys({constraint_pair_keys("contact"),
                  {{"point", Value::vector, "m",
                    "centre of the sphere on a, in the world at the start; default the centre of a"},
                   {"radius", Value::non_negative, "m", "of that sphere; default 0, a point"},
                   {"surface", Value::variants, "",
                    "of b, in the world at the start; default the plane z = 0, in the plane y = 0", kOptional,
                    surface_variants},
                   {"radius_b", Value::positive, "m", "b is a sphere instead of a surface"},
                   {"point_b", Value::vector, "m",
                    "its centre, in the world at the start; default the centre of b"},
                   {"friction", Value::non_negative, "", "Coulomb's μ; default 0"},
                   kRestitution}})},
  };
}

ConstraintPtr coordinates_along(const Fields& fields, const BodyPair& pair) {
  return coordinates_of(fields.text("coordinate").value_or("hinge"), joint_frame(fields, pair), 0.0);
}

InequalityPtr make_limits(const Fields& fields, const BodyPair& pair) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double lower = fields.number("lower", -kNone), upper = fields.number("upper", kNone);
  if (!fields.has("lower") && !fields.has("upper"))
    fields.report("kind", "limits need 'lower' or 'upper'", "add one of them, in rad or m since the start");
  else if (lower > upper)
    fields.report("lower", fmt::format("lower = {:g} is above upper = {:g}", lower, upper), "exchange them");
  return limits(coordinates_along(fields, pair), lower, upper, fields.number("restitution", 0.0));
}

InequalityPtr make_contact_of(const Fields& fields, const BodyPair& pair) {
  const ContactMaterial material{fields.number("friction", 0.0), fields.number("restitution", 0.0)};
  const double radius = fields.number("radius", 0.0);
  const ConvexShapePtr shape = radius > 0.0 ? sphere_shape(radius) : point_shape();
  const Attachment a =
      mark_with_axes(pair.a, fields.vector("point", pair.a.placement.position), Mat3::Identity());
  fields.exclusive({"surface", "radius_b"});
  if (fields.has("radius_b"))
    return contact(
        a, shape,
        mark_with_axes(pair.b, fields.vector("point_b", pair.b.placement.position), Mat3::Identity()),
        sphere_shape(fields.number("radius_b", 1.0)), material);
  const auto surface = fields.fields("surface");
  if (fields.has("surface") && !surface) return nullptr;
  if (surface)
    return contact_on_surface(a, shape, mark_with_axes(pair.b, Vec3::Zero(), Mat3::Identity()),
                              read_surface(*surface), material);
  const Vec3 up = pair.a.body->is_planar() ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ());
  return contact(a, shape, mark_with_axes(pair.b, Vec3::Zero(), frame_from_axis(up)), nullptr, material);
}

}  // namespace

const Variant& inequality_variants() {
  static const Variant variant{"inequality", "kind", inequality_records()};
  return variant;
}

void read_inequality(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, inequality_variants(), context.reading());
  if (!fields) return;
  const std::string_view kind = fields->record().kind;
  const std::string name = context.name_or_number(*fields, kind);
  const auto a = context.find_body(*fields, "a"), b = context.find_body(*fields, "b");
  if (!a || !b) return;
  if (a->is_world()) {
    fields->report("a", "the first side must be a body", "exchange a and b");
    return;
  }
  const BodyPair pair{*a, *b};
  InequalityPtr made = kind == "limits" ? make_limits(*fields, pair)
                       : kind == "contact"
                           ? make_contact_of(*fields, pair)
                           : dry_friction(coordinates_along(*fields, pair), fields->number("limit", 0.0));
  if (fields->ok() && made != nullptr) context.add_inequality(node, name, std::move(made));
}

}  // namespace catena::io
