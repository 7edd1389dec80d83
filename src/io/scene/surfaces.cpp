// Constraints on surfaces: point on surface, tangency, rolling, knife edge.
#include "catena/joints.h"
#include "io/scene/context.h"

#include <fmt/format.h>

namespace catena::io {
namespace {

Key own_kind(std::string_view what, std::string_view name) {
  return {"kind", Value::choice, "", what, kRequired, {name}};
}

const Key kInside{"inside", Value::boolean, "",
                  "whether its inner side is the outside: a bowl, a pipe; default false"};
const Key kHollow{"inside", Value::boolean, "", "of shape_b: a touches its inner side; default false"};
const Key kNormal{"normal", Value::direction, "",
                  "normal of the plane of b on the side of a; default z, in the plane y"};
const Key kPlanePoint{"plane_point", Value::vector, "m",
                      "a point of that plane, in the world at the start; default the origin"};

}  // namespace

SurfacePtr read_surface(const Fields& fields) {
  const std::string_view kind = fields.record().kind;
  const bool inside = kind != "plane" && fields.boolean("inside", false);
  if (kind == "plane")
    return plane_surface(fields.vector("point", Vec3::Zero()), fields.vector("normal", Vec3::UnitZ()));
  if (kind == "sphere")
    return sphere_surface(fields.vector("centre", Vec3::Zero()), fields.number("radius", 1.0), inside);
  if (kind == "cylinder")
    return cylinder_surface(fields.vector("point", Vec3::Zero()), fields.vector("axis", Vec3::UnitZ()),
                            fields.number("radius", 1.0), inside);
  return ellipsoid_surface(fields.vector("centre", Vec3::Zero()), fields.vector("semi_axes", Vec3::Ones()),
                           inside);
}

namespace {

ConvexShapePtr read_convex_shape(const Fields& fields) {
  const std::string_view kind = fields.record().kind;
  if (kind == "disc") return disc_shape(fields.number("radius", 1.0), fields.number("edge_radius", 0.0));
  const ConvexShapePtr shape = kind == "sphere" ? sphere_shape(fields.number("radius", 1.0))
                                                : ellipsoid_shape(fields.vector("semi_axes", Vec3::Ones()));
  return fields.boolean("inside", false) ? cavity(shape) : shape;
}

// a shape sits in its body's own axes
Attachment centre_of(const BodyRef& body, const Vec3& point) {
  return mark_with_axes(body, point, body.placement.orientation.toRotationMatrix());
}

std::vector<Key> touching_keys(std::string_view kind) {
  return join_keys({constraint_pair_keys(kind),
                    {{"shape", Value::variants, "", "outline of a, about its centre, in its own axes",
                      kRequired, convex_shape_variants},
                     {"shape_b", Value::variants, "", "outline of b; without it b is a plane", kOptional,
                      convex_shape_variants},
                     {"centre", Value::vector, "m", "centre of the shape of a; default the centre of a"},
                     {"surface", Value::variants, "",
                      "the surface it touches, in the world at the start, instead of a plane", kOptional,
                      surface_variants},
                     kPlanePoint,
                     kNormal}});
}

// where b is an outline or a surface, nobody would read where its plane is
void refuse_plane_beside(std::string_view other, const Fields& fields) {
  if (!fields.has(other)) return;
  for (const std::string_view key : {"plane_point", "normal"})
    if (fields.has(key))
      fields.report(key, fmt::format("'{}' is of the plane of b, but '{}' says what b is", key, other),
                    fmt::format("leave out '{}', or '{}'", key, other));
}

ConstraintPtr make_touching(const Fields& fields, const BodyRef& a, const BodyRef& b) {
  const auto shape_fields = fields.fields("shape");
  if (!shape_fields) return nullptr;
  const bool rolls = fields.record().kind == "rolling";
  const Attachment at_a = centre_of(a, fields.vector("centre", a.placement.position));
  const ConvexShapePtr shape = read_convex_shape(*shape_fields);
  fields.exclusive({"surface", "shape_b"});
  for (const std::string_view other : {"surface", "shape_b"}) refuse_plane_beside(other, fields);
  if (fields.has("surface")) {
    const auto surface = fields.fields("surface");
    if (!surface) return nullptr;
    const auto touching = rolls ? rolling : tangency;
    if (surface->record().kind == "ellipsoid")  // which has a support, but does not know its distance
      return touching(at_a, shape,
                      mark_with_axes(b, surface->vector("centre", Vec3::Zero()), Mat3::Identity()),
                      read_convex_shape(*surface));
    const auto on_surface = rolls ? rolling_on_surface : tangency_on_surface;
    return on_surface(at_a, shape, mark_with_axes(b, Vec3::Zero(), Mat3::Identity()), read_surface(*surface));
  }
  ConvexShapePtr shape_b;
  const Vec3 up = a.body->is_planar() ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ());
  Attachment at_b = mark_with_axes(b, fields.vector("plane_point", Vec3::Zero()),
                                   frame_from_axis(fields.vector("normal", up)));
  if (const auto other = fields.fields("shape_b")) {
    shape_b = read_convex_shape(*other);
    at_b = centre_of(b, b.placement.position);
  }
  return rolls ? rolling(at_a, shape, at_b, shape_b) : tangency(at_a, shape, at_b, shape_b);
}

ConstraintPtr make_knife_edge(const Fields& fields, const BodyRef& a, const BodyRef& b) {
  const Vec3 normal = fields.vector("normal", Vec3::UnitZ()).normalized();
  const Vec3 blade = fields.vector("direction", a.placement.orientation * Vec3::UnitX()).normalized();
  if (std::abs(normal.dot(blade)) > 1e-9)
    fields.report("direction", "the blade must lie in the plane",
                  "give a direction at right angles to the normal");
  const Vec3 point = fields.vector("point", a.placement.position);
  const Mat3 axes = axes_from(normal, blade);
  return knife_edge(mark_with_axes(a, point, axes), mark_with_axes(b, point, axes));
}

}  // namespace

const Variant& surface_variants() {
  static const Variant variant{"surface",
                               "kind",
                               {{"plane",
                                 "plane",
                                 {own_kind("kind of surface", "plane"),
                                  {"point", Value::vector, "m", "a point of it; default the origin"},
                                  {"normal", Value::direction, "", "normal; default z"}}},
                                {"sphere",
                                 "sphere",
                                 {own_kind("kind of surface", "sphere"),
                                  {"centre", Value::vector, "m", "centre; default the origin"},
                                  {"radius", Value::positive, "m", "radius", kRequired},
                                  kInside}},
                                {"cylinder",
                                 "cylinder",
                                 {own_kind("kind of surface", "cylinder"),
                                  {"point", Value::vector, "m", "a point of the axis; default the origin"},
                                  {"axis", Value::direction, "", "axis; default z"},
                                  {"radius", Value::positive, "m", "radius", kRequired},
                                  kInside}},
                                {"ellipsoid",
                                 "ellipsoid with axes x, y, z of the world at the start",
                                 {own_kind("kind of surface", "ellipsoid"),
                                  {"centre", Value::vector, "m", "centre; default the origin"},
                                  {"semi_axes", Value::vector, "m", "semi-axes along x, y, z", kRequired},
                                  kInside}}}};
  return variant;
}

const Variant& convex_shape_variants() {
  static const Variant variant{
      "outline",
      "kind",
      {{"sphere",
        "sphere",
        {own_kind("kind of outline", "sphere"),
         {"radius", Value::positive, "m", "radius", kRequired},
         kHollow}},
       {"ellipsoid",
        "ellipsoid along the body's axes",
        {own_kind("kind of outline", "ellipsoid"),
         {"semi_axes", Value::vector, "m", "semi-axes", kRequired},
         kHollow}},
       {"disc",
        "disc about the body's z axis",
        {own_kind("kind of outline", "disc"),
         {"radius", Value::positive, "m", "radius", kRequired},
         {"edge_radius", Value::non_negative, "m", "rounds the rim, as a tyre does; default 0"}}}}};
  return variant;
}

std::vector<Record> surface_constraint_records() {
  return {
      {"point-on-surface", "a point of a stays on a surface fixed in b",
       join_keys(
           {constraint_pair_keys("point-on-surface"),
            {{"point", Value::vector, "m", "the point, in the world at the start; default the centre of a"},
             {"surface", Value::variants, "", "the surface, in the world at the start", kRequired,
              surface_variants}}})},
      {"tangency", "a touches b and slides: a plane, another outline, or a surface",
       touching_keys("tangency")},
      {"rolling", "a rolls on b without slipping", touching_keys("rolling")},
      {"knife-edge", "a blade on a does not move sideways",
       join_keys({constraint_pair_keys("knife-edge"),
                  {{"point", Value::vector, "m",
                    "where the blade is, in the world at the start; default the centre of a"},
                   {"direction", Value::direction, "",
                    "along the blade, in the world at the start; default x of a"},
                   {"normal", Value::direction, "", "normal of the ice; default z"}}})},
  };
}

std::optional<ConstraintPtr> make_surface_constraint(SceneContext& context, const Fields& fields) {
  const std::string_view kind = fields.record().kind;
  if (kind != "point-on-surface" && kind != "tangency" && kind != "rolling" && kind != "knife-edge")
    return std::nullopt;
  const auto a = context.find_body(fields, "a"), b = context.find_body(fields, "b");
  if (!a || !b) return nullptr;
  if (a->is_world()) {
    fields.report("a", "the first side must be a body", "exchange a and b");
    return nullptr;
  }
  if (kind == "knife-edge") return make_knife_edge(fields, *a, *b);
  if (kind != "point-on-surface") return make_touching(fields, *a, *b);
  const auto surface = fields.fields("surface");
  if (!surface) return nullptr;
  return point_on_surface(mark_with_axes(*a, fields.vector("point", a->placement.position), Mat3::Identity()),
                          mark_with_axes(*b, Vec3::Zero(), Mat3::Identity()), read_surface(*surface));
}

}  // namespace catena::io
