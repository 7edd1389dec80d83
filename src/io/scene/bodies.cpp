// Section `bodies`: particles, planar and spatial rigid bodies, and where they start.
#include "io/scene/context.h"

#include <fmt/format.h>

#include <cmath>

namespace catena::io {

namespace {

const Key kBodyName{"name", Value::name, "", "name; others refer to it", kRequired};

const Record& rod_end_keys() {
  static const Record record{
      "",
      "",
      {
          {"from", Value::vector, "m", "start of a rod, instead of position and orientation"},
          {"to", Value::vector, "m", "end of the rod; body x points from start to end"},
      }};
  return record;
}

const Variant& planar_shapes() {
  static const Variant variant{
      "planar shape",
      "kind",
      {
          {"rod",
           "slender uniform rod along body x",
           {{"kind", Value::choice, "", "rod", kRequired, {"rod"}},
            {"length", Value::positive, "m", "length; with from and to it is their distance"},
            {"radius", Value::positive, "m", "radius in pictures; default length/20"}}},
          {"disc",
           "uniform disc",
           {{"kind", Value::choice, "", "disc", kRequired, {"disc"}},
            {"radius", Value::positive, "m", "radius", kRequired}}},
          {"box",
           "uniform rectangle",
           {{"kind", Value::choice, "", "box", kRequired, {"box"}},
            {"size", Value::vector, "m", "full edges", kRequired}}},
      }};
  return variant;
}

}  // namespace

const Variant& spatial_shapes() {
  static const Variant variant{
      "shape",
      "kind",
      {
          {"rod",
           "slender uniform rod along body x",
           {{"kind", Value::choice, "", "rod", kRequired, {"rod"}},
            {"length", Value::positive, "m", "length; with from and to it is their distance"},
            {"radius", Value::positive, "m", "radius; default length/20"}}},
          {"sphere",
           "solid uniform sphere",
           {{"kind", Value::choice, "", "sphere", kRequired, {"sphere"}},
            {"radius", Value::positive, "m", "radius", kRequired}}},
          {"box",
           "solid uniform box",
           {{"kind", Value::choice, "", "box", kRequired, {"box"}},
            {"size", Value::vector, "m", "full edges", kRequired}}},
          {"disc",
           "solid uniform disc about body z",
           {{"kind", Value::choice, "", "disc", kRequired, {"disc"}},
            {"radius", Value::positive, "m", "radius", kRequired},
            {"thickness", Value::non_negative, "m", "thickness; default 0"}}},
          {"hoop",
           "thin uniform hoop about body z",
           {{"kind", Value::choice, "", "hoop", kRequired, {"hoop"}},
            {"radius", Value::positive, "m", "radius", kRequired}}},
          {"ellipsoid",
           "solid uniform ellipsoid",
           {{"kind", Value::choice, "", "ellipsoid", kRequired, {"ellipsoid"}},
            {"semi_axes", Value::vector, "m", "semi-axes along body x, y, z", kRequired}}},
      }};
  return variant;
}

namespace {

Key kind_key(std::string_view kind) {
  return {"kind", Value::choice, "", "kind of body", kRequired, {kind}};
}

}  // namespace

std::vector<Key> position_keys() {
  return {{"position", Value::vector, "m", "centre of mass, world axes; default the origin"},
          {"velocity", Value::vector, "m/s", "of the centre of mass, world axes; default 0"}};
}

std::vector<Key> rotation_keys() {
  return {{"orientation", Value::quaternion, "", "unit quaternion [w, x, y, z], body axes to world axes"},
          {"axis", Value::direction, "", "axis of the turn by angle or angle_deg; default z"},
          {"angle", Value::number, "rad", "orientation as a turn about axis"},
          {"angle_deg", Value::number, "°", "the same in degrees"},
          {"rpy_deg", Value::vector, "°", "orientation as turns about world x, then y, then z"},
          {"angular_velocity", Value::spin, "rad/s", "world axes; a single number is about z; default 0"},
          {"angular_velocity_body", Value::spin, "rad/s", "the same in body axes"}};
}

namespace {

Variant stiff_body_variants() {
  static const Key picture{"radius", Value::positive, "m", "radius in pictures"};
  return {
      "body",
      "kind",
      {
          {"particle", "point mass in space",
           join_keys({{kBodyName, kind_key("particle"), kMass, picture}, position_keys()})},
          {"particle-2d", "point mass in the plane z = 0",
           join_keys({{kBodyName, kind_key("particle-2d"), kMass, picture}, position_keys()})},
          {"planar", "rigid body in the plane z = 0",
           join_keys({{kBodyName,
                       kind_key("planar"),
                       kMass,
                       {"inertia", Value::positive, "kg·m²", "about the centre of mass; default from shape"},
                       {"shape", Value::variants, "", "gives the inertia and the picture", kOptional,
                        planar_shapes}},
                      position_keys(),
                      rotation_keys(),
                      rod_end_keys().keys})},
          {"rigid", "rigid body in space",
           join_keys({{kBodyName,
                       kind_key("rigid"),
                       kMass,
                       {"inertia", Value::inertia, "kg·m²",
                        "about the centre of mass in body axes: [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or 3 "
                        "× 3; default from shape"},
                       {"shape", Value::variants, "", "gives the inertia and the picture", kOptional,
                        spatial_shapes}},
                      position_keys(),
                      rotation_keys(),
                      rod_end_keys().keys})},
      }};
}

}  // namespace

namespace {

Record frame_record() {
  return {
      "frame",
      "a link without mass that is fixed on another body: what names it acts on that body",
      {{"name", Value::name, "", "name; others refer to it", kRequired},
       {"kind", Value::choice, "", "kind of body", kRequired, {"frame"}},
       {"on", Value::body, "", "a rigid or planar body, or another frame, above it in the list", kRequired},
       {"position", Value::vector, "m", "in the world at the start; default that of the body"},
       {"orientation", Value::quaternion, "", "unit quaternion [w, x, y, z]; default that of the body"}}};
}

/// False after an error.
bool read_frame(SceneContext& context, const Fields& fields, const std::string& name) {
  const auto carrier = context.find_body(fields, "on");
  if (!carrier || !fields.ok()) return false;
  if (carrier->is_world() || carrier->is_particle() || carrier->q.size() > 0) {
    fields.report("on", "a frame is fixed on a rigid or planar body",
                  "name one; points of other bodies and of the world are given where they are used");
    return false;
  }
  const Placement& body = carrier->placement;
  Placement own = body;
  own.position = fields.vector("position", body.position);
  own.orientation = fields.quaternion("orientation").value_or(body.orientation);
  own.velocity = body.velocity + body.angular_velocity.cross(own.position - body.position);
  if (!fields.ok()) return false;
  context.add_frame(fields.node(), name, *carrier, own);
  return true;
}

}  // namespace

const Variant& body_variants() {
  static const Variant variant = [] {
    Variant all = stiff_body_variants();
    for (Record& record : flexible_body_records()) all.kinds.push_back(std::move(record));
    all.kinds.push_back(frame_record());
    return all;
  }();
  return variant;
}

namespace {

void read_orientation(const Fields& fields, Placement& placement) {
  fields.exclusive({"orientation", "angle", "angle_deg", "rpy_deg"});
  if (const auto quaternion = fields.quaternion("orientation")) placement.orientation = *quaternion;
  const Vec3 axis = fields.vector("axis", Vec3::UnitZ()).normalized();
  const auto angle = fields.has("angle") ? fields.number("angle") : fields.number("angle_deg");
  if (angle) {
    const double radians = fields.has("angle") ? *angle : *angle * kDegree;
    placement.orientation = Quat(Eigen::AngleAxisd(radians, axis));
  } else if (fields.has("axis") && !fields.has("angle") && !fields.has("angle_deg")) {
    fields.report("axis", "'axis' turns nothing without an angle", "add angle or angle_deg");
  }
  if (const auto rpy = fields.vector("rpy_deg"))
    placement.orientation = Quat(Eigen::AngleAxisd(rpy->z() * kDegree, Vec3::UnitZ()) *
                                 Eigen::AngleAxisd(rpy->y() * kDegree, Vec3::UnitY()) *
                                 Eigen::AngleAxisd(rpy->x() * kDegree, Vec3::UnitX()));
}

// from and to place a rod; returns its length
std::optional<double> read_rod_ends(const Fields& fields, Placement& placement) {
  const auto from = fields.vector("from"), to = fields.vector("to");
  if (fields.has("from") != fields.has("to")) {
    fields.report(fields.has("from") ? "from" : "to", "'from' and 'to' come together",
                  "give both ends of the rod");
    return std::nullopt;
  }
  if (!from || !to) return std::nullopt;
  for (const std::string_view key : {"position", "orientation", "angle", "angle_deg", "rpy_deg"})
    if (fields.has(key))
      fields.report(key, fmt::format("'{}' contradicts 'from' and 'to', which place the rod", key),
                    "keep one of them");
  const double length = (*to - *from).norm();
  if (length < 1e-12) {
    fields.report("to", "the rod has no length: 'from' and 'to' are equal", "move one end");
    return std::nullopt;
  }
  placement.position = 0.5 * (*from + *to);
  placement.orientation = point_x_along(*to - *from);
  return length;
}

}  // namespace

ShapeReading read_shape(const Fields& fields, std::optional<double> rod_length) {
  ShapeReading result;
  const auto shape = fields.fields("shape");
  std::string_view kind;
  if (shape)
    kind = shape->record().kind;
  else if (rod_length && !fields.has("shape"))
    kind = "rod";
  if (kind == "rod") {
    std::optional<double> length = shape ? shape->number("length") : std::nullopt;
    if (length && rod_length)
      shape->report("length", "'length' contradicts 'from' and 'to', which give it", "remove it");
    if (!length) length = rod_length;
    if (!length && !shape->has("length"))
      shape->report("kind", "the rod has no length", "add 'length', or place the body with 'from' and 'to'");
    const double l = length.value_or(1.0);
    result = {{Shape::Kind::rod, {l, shape ? shape->number("radius", l / 20.0) : l / 20.0, 0.0}}, true};
  } else if (kind == "hoop" || (kind == "disc" && fields.record().kind != "planar")) {
    // a hoop has the picture of a disc; its thickness tells them apart: a hoop has none to speak of and twice the moments
    const double thickness = kind == "hoop" ? -1.0 : shape->number("thickness", 0.0);
    result = {{Shape::Kind::disc, {shape->number("radius", 1.0), thickness, 0.0}}, true};
  } else if (kind == "ellipsoid") {
    const Vec3 semi_axes = shape->vector("semi_axes", Vec3::Ones());
    if (!(semi_axes.minCoeff() > 0.0))
      shape->report("semi_axes", "every semi-axis must be positive", "give three lengths above 0");
    result = {{Shape::Kind::ellipsoid, semi_axes}, true};
  } else if (kind == "sphere" || kind == "disc") {
    result = {{Shape::Kind::sphere, {shape->number("radius", 1.0), 0.0, 0.0}}, true};
  } else if (kind == "box") {
    const Vec3 size = shape->vector("size", Vec3::Ones());
    const bool planar = fields.record().kind == "planar";
    if (!(size.x() > 0.0 && size.y() > 0.0 && (planar || size.z() > 0.0)))
      shape->report(
          "size",
          fmt::format("every edge of a box must be positive, got [{}, {}, {}]", size.x(), size.y(), size.z()),
          planar ? "give two lengths above 0" : "give three lengths above 0");
    result = {{Shape::Kind::box, size}, true};
  }
  return result;
}

std::optional<Vec3> moments_of(const Shape& shape, double mass) {
  const Vec3& size = shape.size;
  const Vec3 squares = size.cwiseAbs2();
  switch (shape.kind) {
    case Shape::Kind::rod:
      return Vec3(0.5 * squares.y(), squares.x() / 12.0, squares.x() / 12.0) * mass;
    case Shape::Kind::sphere:
      return Vec3::Constant(0.4 * mass * squares.x());
    case Shape::Kind::box:
      return Vec3(mass / 12.0 * (Vec3::Constant(squares.sum()) - squares));
    case Shape::Kind::disc: {
      const double solid = size.y() < 0.0 ? 1.0 : 0.5;  // a hoop has all its mass at the rim
      const double axial = solid * squares.x();
      const double across = 0.5 * axial + (size.y() < 0.0 ? 0.0 : squares.y() / 12.0);
      return Vec3(across, across, axial) * mass;
    }
    case Shape::Kind::ellipsoid:
      return Vec3(mass / 5.0 * (Vec3::Constant(squares.sum()) - squares));
    case Shape::Kind::point:
      break;
  }
  return std::nullopt;
}

namespace {

std::shared_ptr<const Body> make_planar(const Fields& fields, double mass, const ShapeReading& shape) {
  const Vec3& size = shape.shape.size;
  double inertia = 0.0;
  if (shape.shape.kind == Shape::Kind::rod) inertia = mass * size.x() * size.x() / 12.0;
  if (shape.shape.kind == Shape::Kind::sphere) inertia = mass * size.x() * size.x() / 2.0;  // a disc
  if (shape.shape.kind == Shape::Kind::box)
    inertia = mass * (size.x() * size.x() + size.y() * size.y()) / 12.0;
  return std::make_shared<PlanarRigid>(mass, fields.number("inertia", inertia));
}

std::shared_ptr<const Body> make_rigid(const Fields& fields, double mass, const ShapeReading& shape) {
  if (const auto inertia = read_inertia(fields, "inertia")) return std::make_shared<Rigid>(mass, *inertia);
  const auto moments = moments_of(shape.shape, mass);
  return moments ? std::make_shared<Rigid>(mass, *moments) : nullptr;
}

}  // namespace

void read_placement(const Fields& fields, bool has_rotation, Placement& placement) {
  placement.position = fields.vector("position", placement.position);
  placement.velocity = fields.vector("velocity", placement.velocity);
  if (!has_rotation) return;
  read_orientation(fields, placement);
  fields.exclusive({"angular_velocity", "angular_velocity_body"});
  if (const auto rate = fields.vector("angular_velocity")) placement.angular_velocity = *rate;
  if (const auto rate = fields.vector("angular_velocity_body"))
    placement.angular_velocity = placement.orientation * *rate;
}

void read_body(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, body_variants(), context.reading());
  // the name is kept even when nothing else can be read: joints that use it are not to blame
  const Node* name_node = node.is_map() ? node.find("name") : nullptr;
  std::string name;
  if (name_node != nullptr && name_node->kind != Node::Kind::null)
    name = read_text(*name_node, context.reading()).value_or("");
  if (!fields) {
    if (!name.empty()) context.add_unusable_body(node, name);
    return;
  }
  if (fields->ok() && name.empty()) fields->report("name", "the name is empty", "give the body a name");
  const std::string_view kind = fields->record().kind;
  const bool is_stiff = kind == "particle" || kind == "particle-2d" || kind == "planar" || kind == "rigid";
  if (!is_stiff) {
    const bool is_read =
        kind == "frame" ? read_frame(context, *fields, name) : read_flexible_body(context, *fields, name);
    if (!is_read && !name.empty()) context.add_unusable_body(node, name);
    return;
  }
  const bool has_rotation = kind == "planar" || kind == "rigid";
  const double mass = fields->number("mass", 1.0);
  Placement placement;
  std::shared_ptr<const Body> body;
  ShapeReading shape;
  if (has_rotation) {
    const auto length = read_rod_ends(*fields, placement);
    read_placement(*fields, true, placement);
    shape = read_shape(*fields, length);
    if (!shape.exists && !fields->has("inertia") && !fields->has("shape") && fields->ok())
      fields->report("kind", "the body has no inertia", "add 'inertia', or a 'shape' that gives it");
    body = kind == "planar" ? make_planar(*fields, mass, shape) : make_rigid(*fields, mass, shape);
  } else {
    read_placement(*fields, false, placement);
    if (const auto radius = fields->number("radius"))
      shape.shape = {Shape::Kind::sphere, {*radius, 0.0, 0.0}};
    if (kind == "particle")
      body = std::make_shared<Particle3>(mass);
    else
      body = std::make_shared<Particle2>(mass);
  }
  if (fields->ok() && body != nullptr)
    context.add_body(node, name, std::move(body), placement, shape.shape);
  else if (!name.empty())
    context.add_unusable_body(node, name);
}

}  // namespace catena::io
