// Sections `joints` and `constraints`: both take every kind; the two names only help to read a scene.
//
// Anchors are world coordinates of the start placement. A joint that has a function of time (`angle`,
// `travel`, `length`, `target`) is driven by it.
#include "catena/joints.h"
#include "io/scene/context.h"

#include <fmt/format.h>

#include <cmath>

namespace catena::io {

Key constraint_kind_key(std::string_view kind) {
  return {"kind", Value::choice, "", "kind of constraint", kRequired, {kind}};
}

std::vector<Key> constraint_pair_keys(std::string_view kind) {
  return {{"name", Value::name, "", "name; default the kind with a number"},
          constraint_kind_key(kind),
          {"a", Value::body, "", "first body", kRequired},
          {"b", Value::body, "", "second body; default world"},
          {"breaks_at", Value::record, "", "the joint is removed when it carries more than this", kOptional,
           breaks_at_record},
          placed_keys()[0],
          placed_keys()[1]};
}

namespace {

const Key kJointPoint{"point", Value::vector, "m",
                      "anchor in the world at the start; default the particle among a and b"};
const Key kCentre{"point", Value::vector, "m", "anchor in the world at the start; default the centre of a"};

const Key kOwnAxis{"axis", Value::direction, "",
                   "z of the axes in which its force is shown; default world axes"};

}  // namespace

namespace {

/// Joints that leave more than one coordinate free.
std::vector<Record> free_joint_records() {
  return {
      {"constant-velocity", "bends in any direction and passes rotation on evenly",
       join_keys({constraint_pair_keys("constant-velocity"),
                  {kJointPoint,
                   {"axis", Value::direction, "", "shaft of b, in the world at the start", kRequired},
                   {"axis_a", Value::direction, "",
                    "shaft of a, where the joint is bent at the start; default axis"}}})},
      {"cylindrical", "turns about an axis and slides along it",
       join_keys({constraint_pair_keys("cylindrical"),
                  {kCentre,
                   {"axis", Value::direction, "", "axis fixed in b, in the world at the start", kRequired},
                   {"angle", Value::function, "rad", "drives the turn of a about axis, since the start"},
                   {"travel", Value::function, "m", "drives the travel of a along axis, since the start"}}})},
      {"planar", "slides in a plane and turns about its normal",
       join_keys({constraint_pair_keys("planar"),
                  {kCentre,
                   {"axis", Value::direction, "", "normal of the plane, fixed in b", kRequired},
                   {"along", Value::direction, "", "direction of travel_x in the plane; default any"},
                   {"travel_x", Value::function, "m",
                    "drives the travel along 'along'; travel_y is then needed too"},
                   {"travel_y", Value::function, "m", "drives the travel across it"},
                   {"angle", Value::function, "rad", "drives the turn about the normal"}}})}};
}

Variant joint_variants() {
  static const Key axis{"axis", Value::direction, "",
                        "axis in the world at the start; default z in the plane", kOptional};
  return {
      "constraint",
      "kind",
      {
          {"ball", "two points coincide",
           join_keys({constraint_pair_keys("ball"),
                      {kJointPoint,
                       kOwnAxis,
                       {"angles", Value::functions, "rad",
                        "drives the joint: turn of a against b since the start, about x, then y, then z of "
                        "its axes"}}})},
          {"hinge", "turns about an axis",
           join_keys(
               {constraint_pair_keys("hinge"),
                {kJointPoint,
                 axis,
                 {"angle", Value::function, "rad",
                  "drives the joint: angle of a against b since the start, right-handed about axis"},
                 {"armature", Value::positive, "kg·m²",
                  "inertia of rotors that the joint feels besides that of the bodies; default none"}}})},
          {"universal", "turns about an axis fixed in b and one fixed in a",
           join_keys(
               {constraint_pair_keys("universal"),
                {kJointPoint,
                 {"axis", Value::direction, "", "axis fixed in b, in the world at the start", kRequired},
                 {"axis_a", Value::direction, "", "axis fixed in a, at right angles to axis; default any"},
                 {"angle", Value::function, "rad", "drives the turn about axis, since the start"},
                 {"angle_a", Value::function, "rad", "drives the turn about axis_a, since the start"}}})},
          {"slider", "slides along an axis",
           join_keys(
               {constraint_pair_keys("slider"),
                {kCentre,
                 {"axis", Value::direction, "", "axis fixed in b, in the world at the start", kRequired},
                 {"travel", Value::function, "m", "drives the joint: travel of a along axis since the start"},
                 {"armature", Value::positive, "kg",
                  "inertia of rotors that the joint feels besides that of the bodies; default none"}}})},
          {"weld", "holds everything", join_keys({constraint_pair_keys("weld"), {kCentre, kOwnAxis}})},
          {"distance", "two points stay a length apart",
           join_keys(
               {constraint_pair_keys("distance"),
                {{"point_a", Value::vector, "m", "point of a in the world at the start; default its centre"},
                 {"point_b", Value::vector, "m", "point of b in the world at the start; default its centre"},
                 {"length", Value::function, "m",
                  "length, may depend on t; default the distance at the start"}}})},
          {"nail",
           "a point stays at a place in the world",
           {{"name", Value::name, "", "name; default the kind with a number"},
            constraint_kind_key("nail"),
            {"a", Value::body, "", "the body", kRequired},
            placed_keys()[0],
            kCentre,
            {"target", Value::functions, "m",
             "the place, may depend on t; default where the point is at the start"}}},
          {"point-on-curve", "a point stays on a curve fixed in b",
           join_keys({constraint_pair_keys("point-on-curve"),
                      {kCentre,
                       {"curve", Value::variants, "", "the curve, in the world at the start", kRequired,
                        curve_variants}}})},
          {"gear", "couples the speeds about two axes: ω_a = ratio·ω_b",
           join_keys(
               {constraint_pair_keys("gear"),
                {{"axis", Value::direction, "",
                  "both axes in the world at the start; default z in the plane"},
                 {"axis_a", Value::direction, "", "axis of a, where it differs"},
                 {"axis_b", Value::direction, "", "axis of b, where it differs"},
                 {"carrier", Value::body, "", "body against which both speeds are measured; default none"},
                 {"ratio", Value::number, "",
                  "speed of a over speed of b; external gears have a negative one"},
                 {"radii", Value::vector, "m", "pitch radii [a, b] of external gears, instead of ratio"}}})},
      }};
}

}  // namespace

const Variant& constraint_variants() {
  static const Variant variant = [] {
    Variant all = joint_variants();
    for (Record& record : free_joint_records()) all.kinds.push_back(std::move(record));
    for (Record& record : coupling_records()) all.kinds.push_back(std::move(record));
    for (Record& record : surface_constraint_records()) all.kinds.push_back(std::move(record));
    return all;
  }();
  return variant;
}

const Variant& curve_variants() {
  const auto kind = [](std::string_view name) {
    return Key{"kind", Value::choice, "", "kind of curve", kRequired, {name}};
  };
  static const Variant variant{
      "curve",
      "kind",
      {
          {"line",
           "straight line",
           {kind("line"),
            {"point", Value::vector, "m", "a point of the line", kRequired},
            {"direction", Value::direction, "", "along the line", kRequired}}},
          {"circle",
           "circle",
           {kind("circle"),
            {"centre", Value::vector, "m", "centre", kRequired},
            {"normal", Value::direction, "", "normal of its plane; default z"},
            {"radius", Value::positive, "m", "radius", kRequired}}},
          {"ellipse",
           "ellipse",
           {kind("ellipse"),
            {"centre", Value::vector, "m", "centre", kRequired},
            {"a", Value::vector, "m", "first semi-axis as a vector", kRequired},
            {"b", Value::vector, "m", "second semi-axis, at right angles to it", kRequired}}},
          {"spline",
           "smooth curve through points",
           {kind("spline"),
            {"points", Value::vector_list, "m", "points in their order; parameter k is point k", kRequired},
            {"closed", Value::boolean, "", "whether it returns to the first point; default false"}}},
          {"cycloid",
           "path of a point of a circle that rolls below a line; cusps up",
           {kind("cycloid"),
            {"bottom", Value::vector, "m", "lowest point; default the origin"},
            {"along", Value::direction, "", "direction of rolling; default x"},
            {"up", Value::direction, "", "direction of the cusps; default y"},
            {"radius", Value::positive, "m", "of the rolling circle", kRequired}}},
          {"expression",
           "any smooth curve",
           {kind("expression"),
            {"at", Value::curve_functions, "m", "coordinates as functions of u, [x(u), y(u), z(u)]",
             kRequired},
            {"range", Value::range, "", "part of u in which the point starts, [begin, end]", kRequired}}},
      }};
  return variant;
}

std::shared_ptr<const Curve> read_curve(const Fields& fields) {
  const std::string_view kind = fields.record().kind;
  if (kind == "line") {
    const Vec3 point = fields.vector("point", Vec3::Zero());
    return line(point, fields.vector("direction", Vec3::UnitX()).normalized());
  }
  if (kind == "circle") {
    const Vec3 centre = fields.vector("centre", Vec3::Zero());
    return circle(centre, fields.vector("normal", Vec3::UnitZ()).normalized(), fields.number("radius", 1.0));
  }
  if (kind == "ellipse") {
    const Vec3 a = fields.vector("a", Vec3::UnitX()), b = fields.vector("b", Vec3::UnitY());
    if (!(a.norm() > 0.0 && b.norm() > 0.0 && std::abs(a.dot(b)) <= 1e-9 * a.norm() * b.norm()))
      fields.report("b", "the semi-axes must be at right angles and not zero", "turn one of them");
    return ellipse(fields.vector("centre", Vec3::Zero()), a, b);
  }
  if (kind == "spline") {
    const std::vector<Vec3> points = fields.vectors("points");
    const bool closed = fields.boolean("closed", false);
    if (fields.ok() && points.size() < (closed ? 3U : 2U))
      fields.report("points", fmt::format("a spline needs more points, got {}", points.size()),
                    "give at least 2, or 3 when it is closed");
    for (std::size_t k = 0; k + 1 < points.size(); ++k)
      if (points[k] == points[k + 1]) {
        fields.report("points", fmt::format("points {} and {} are the same", k, k + 1), "remove one");
        break;
      }
    return fields.ok() ? spline(points, closed) : nullptr;
  }
  if (kind == "cycloid") {
    const Vec3 along = fields.vector("along", Vec3::UnitX()).normalized();
    const Vec3 up = fields.vector("up", Vec3::UnitY()).normalized();
    if (std::abs(along.dot(up)) > 1e-9)
      fields.report("up", "'up' must be at right angles to 'along'", "turn one of them");
    return cycloid(fields.vector("bottom", Vec3::Zero()), along, up, fields.number("radius", 1.0));
  }
  const auto at = fields.curve_functions("at");
  const auto range = fields.range("range");
  if (!at || !range) return nullptr;
  const auto evaluate = [f = *at](double u) {
    CurvePoint point;
    for (int i = 0; i < 3; ++i) {
      const Taylor<3> c = f[std::size_t(i)].evaluate<3>(u);
      point.c[i] = c.derivative(0);
      point.d1[i] = c.derivative(1);
      point.d2[i] = c.derivative(2);
      point.d3[i] = c.derivative(3);
    }
    return point;
  };
  return user_curve(evaluate, range->first, range->second);
}

namespace {

// the centre of a, of the first particle, or what `point` says
Vec3 read_point(const Fields& fields, const BodyPair& pair, bool default_centre) {
  if (const auto point = fields.vector("point")) return *point;
  if (!fields.has("point")) {
    if (default_centre || pair.a.is_particle()) return pair.a.placement.position;
    if (pair.b.is_particle()) return pair.b.placement.position;
    fields.report("kind", "'point' is missing: neither body is a particle",
                  "add 'point: [x, y, z]', the joint's place at the start");
  }
  return Vec3::Zero();
}

}  // namespace

Vec3 read_axis(const Fields& fields, std::string_view key, bool planar) {
  if (const auto axis = fields.vector(key)) return axis->normalized();
  if (!fields.has(key) && !planar)
    fields.report("kind", fmt::format("'{}' is missing", key),
                  fmt::format("add '{}: [x, y, z]', the direction at the start", key));
  return Vec3::UnitZ();
}

Mat3 axes_from(const Vec3& z, const Vec3& x) {
  const Vec3 across = z.cross(x);
  if (across.norm() <= 1e-9 * x.norm()) return frame_from_axis(z);
  Mat3 axes;
  axes << across.cross(z).normalized(), across.normalized(), z.normalized();
  return axes;
}

namespace {

Mat3 read_own_axes(const Fields& fields) {
  const auto axis = fields.vector("axis");
  return axis ? frame_from_axis(*axis) : Mat3(Mat3::Identity());
}

AttachmentPair join_at(const BodyPair& pair, const Vec3& point, const Mat3& axes) {
  return {mark_with_axes(pair.a, point, axes), mark_with_axes(pair.b, point, axes)};
}

ConstraintPtr make_universal(const Fields& fields, const BodyPair& pair) {
  const Vec3 z = read_axis(fields, "axis", false);
  Mat3 axes = frame_from_axis(z);
  if (const auto x = fields.vector("axis_a")) {
    const Vec3 unit = x->normalized();
    if (std::abs(unit.dot(z)) > 1e-9)
      fields.report("axis_a", "'axis_a' must be at right angles to 'axis'", "turn one of them");
    axes << unit, z.cross(unit), z;
  }
  const Vec3 point = read_point(fields, pair, false);
  const auto angle = fields.function("angle"), angle_a = fields.function("angle_a");
  if (angle && angle_a)
    return driven(weld(join_at(pair, point, axes)), {.travel = {}, .angles = {.x = *angle_a, .z = *angle}});
  // one angle is held by a hinge about the other axis, whose frame turns
  Mat3 other;
  other << axes.col(2), axes.col(0).cross(axes.col(2)), axes.col(0);
  if (angle) return driven(hinge(join_at(pair, point, other)), {.travel = {}, .angles = {.x = *angle}});
  if (angle_a) {
    const TimeFunction back = [f = *angle_a](double t) {
      const Jet jet = f(t);
      return Jet{-jet.value, -jet.rate, -jet.acceleration};
    };
    return driven(hinge(join_at({pair.b, pair.a}, point, axes)), {.travel = {}, .angles = {.x = back}});
  }
  return universal(join_at(pair, point, axes));
}

// The joint may be bent where it is drawn: the frame of a is that of b, bent with the shaft.
ConstraintPtr make_constant_velocity(const Fields& fields, const BodyPair& pair) {
  const Vec3 shaft_b = read_axis(fields, "axis", false),
             shaft_a = fields.vector("axis_a", shaft_b).normalized();
  if (shaft_a.dot(shaft_b) < -0.9)
    fields.report("axis_a", "the shafts run back on each other",
                  "let both axes point along the drive, from b to a");
  const Vec3 point = read_point(fields, pair, false);
  const Mat3 axes = frame_from_axis(shaft_b);
  const Mat3 bent = rotation_between(shaft_b, shaft_a).toRotationMatrix() * axes;
  return constant_velocity({mark_with_axes(pair.a, point, bent), mark_with_axes(pair.b, point, axes)});
}

// each held coordinate makes the joint one that holds it, to a frame that moves
ConstraintPtr make_cylindrical(const Fields& fields, const BodyPair& pair) {
  const AttachmentPair at =
      join_at(pair, read_point(fields, pair, true), frame_from_axis(read_axis(fields, "axis", false)));
  const auto angle = fields.function("angle"), travel = fields.function("travel");
  if (!angle && !travel) return cylindrical(at);
  MovingFrame frame;
  if (angle) frame.angles.z = *angle;
  if (travel) frame.travel.z = *travel;
  return driven(angle && travel ? weld(at) : angle ? slider(at) : hinge(at), frame);
}

ConstraintPtr make_planar(const Fields& fields, const BodyPair& pair) {
  const Vec3 normal = read_axis(fields, "axis", false);
  const AttachmentPair at =
      join_at(pair, read_point(fields, pair, true), axes_from(normal, fields.vector("along", Vec3::Zero())));
  const auto x = fields.function("travel_x"), y = fields.function("travel_y"),
             angle = fields.function("angle");
  if (!x && !y && !angle) return planar(at);
  if (x.has_value() != y.has_value() || !x)
    fields.report("kind", "a planar joint is driven by travel_x and travel_y together, with or without angle",
                  "give both, or use two constraints");
  MovingFrame frame;
  if (x) frame.travel.x = *x;
  if (y) frame.travel.y = *y;
  if (angle) frame.angles.z = *angle;
  return driven(angle ? weld(at) : hinge(at), frame);
}

ConstraintPtr make_distance(const Fields& fields, const BodyPair& pair) {
  if (pair.a.is_world() && !fields.has("point_a"))
    fields.report("a", "the world has no centre", "add 'point_a: [x, y, z]'");
  if (pair.b.is_world() && !fields.has("point_b"))
    fields.report("b", "'point_b' is missing: the world has no centre",
                  "add 'point_b: [x, y, z]', or a second body 'b'");
  const Vec3 point_a = fields.vector("point_a", pair.a.placement.position);
  const Vec3 point_b = fields.vector("point_b", pair.b.placement.position);
  const double start = (point_a - point_b).norm();
  if (fields.ok() && start < 1e-12)
    fields.report("kind", "the two points coincide at the start",
                  "use 'ball' for points that stay together, or move one");
  const Mat3 axes = frame_from_axis(Vec3::UnitZ());
  const AttachmentPair at{mark_with_axes(pair.a, point_a, axes), mark_with_axes(pair.b, point_b, axes)};
  bool driven = false;
  const auto length = fields.function("length", &driven);
  if (!length) return distance(at, start);
  if (const double first = (*length)(0.0).value; !(first > 0.0))
    fields.report("length", fmt::format("length must be positive, got {} m", first), "give a length above 0");
  return driven ? driven_distance(at, *length) : distance(at, (*length)(0.0).value);
}

ConstraintPtr make_nail(const Fields& fields, const BodyPair& pair) {
  const Vec3 point = read_point(fields, pair, true);
  const Attachment a = mark_with_axes(pair.a, point, Mat3::Identity());
  bool driven = false;
  const auto target = fields.functions("target", &driven);
  if (!target) return nail(a, point);
  if (driven) return driven_nail(a, *target);
  return nail(a, Vec3(target->x(0.0).value, target->y(0.0).value, target->z(0.0).value));
}

ConstraintPtr make_gear(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  fields.exclusive({"ratio", "radii"});
  const bool both = fields.has("axis_a") && fields.has("axis_b");
  const Vec3 axis = both ? Vec3::UnitZ() : read_axis(fields, "axis", pair.planar());
  const Vec3 axis_a = fields.vector("axis_a", axis), axis_b = fields.vector("axis_b", axis);
  double ratio = fields.number("ratio", 1.0);
  if (const auto radii = fields.vector("radii")) {
    if (!(radii->x() > 0.0 && radii->y() > 0.0 && radii->z() == 0.0))
      fields.report("radii", "radii must be two positive lengths",
                    "write 'radii: [a, b]'; for internal gears use ratio");
    else
      ratio = -radii->y() / radii->x();
  }
  if (!fields.has("ratio") && !fields.has("radii"))
    fields.report("kind", "'ratio' is missing",
                  "add 'ratio', the speed of a over the speed of b, or 'radii'");
  const AttachmentPair at{mark_with_axes(pair.a, pair.a.placement.position, frame_from_axis(axis_a)),
                          mark_with_axes(pair.b, pair.b.placement.position, frame_from_axis(axis_b))};
  if (!fields.has("carrier")) return gear(at, ratio);
  const auto carrier = context.find_body(fields, "carrier");
  if (!carrier) return nullptr;
  return gear_on_carrier(
      at.a, at.b, mark_with_axes(*carrier, carrier->placement.position, frame_from_axis(axis_b)), ratio);
}

ConstraintPtr make_constraint(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  const std::string_view kind = fields.record().kind;
  if (kind == "ball") {
    const AttachmentPair at = join_at(pair, read_point(fields, pair, false), read_own_axes(fields));
    const auto angles = fields.functions("angles");
    return angles ? driven(weld(at), {.travel = {}, .angles = *angles}) : ball(at);
  }
  if (kind == "hinge") {
    const Vec3 point = read_point(fields, pair, false);
    const AttachmentPair at = join_at(pair, point, frame_from_axis(read_axis(fields, "axis", pair.planar())));
    const auto angle = fields.function("angle");
    return angle ? driven_hinge(at, *angle) : hinge(at);
  }
  if (kind == "universal") return make_universal(fields, pair);
  if (kind == "constant-velocity") return make_constant_velocity(fields, pair);
  if (kind == "cylindrical") return make_cylindrical(fields, pair);
  if (kind == "planar") return make_planar(fields, pair);
  if (kind == "slider") {
    const Vec3 point = read_point(fields, pair, true);
    const AttachmentPair at = join_at(pair, point, frame_from_axis(read_axis(fields, "axis", false)));
    const auto travel = fields.function("travel");
    return travel ? driven_slider(at, *travel) : slider(at);
  }
  if (kind == "weld") return weld(join_at(pair, read_point(fields, pair, true), read_own_axes(fields)));
  if (kind == "distance") return make_distance(fields, pair);
  if (kind == "nail") return make_nail(fields, pair);
  if (kind == "gear") return make_gear(context, fields, pair);
  const auto curve_fields = fields.fields("curve");
  const auto curve = curve_fields ? read_curve(*curve_fields) : nullptr;
  const Attachment a = mark_with_axes(pair.a, read_point(fields, pair, true), Mat3::Identity());
  const Attachment b = mark_with_axes(pair.b, Vec3::Zero(), Mat3::Identity());
  return curve ? point_on_curve(a, b, curve) : nullptr;
}

ConstraintPtr make_joint(SceneContext& context, const Fields& fields) {
  const bool single = fields.record().find("b") == nullptr;
  const auto a = context.find_body(fields, "a");
  const auto b = single ? std::optional(BodyRef{}) : context.find_body(fields, "b");
  if (!a || !b) return nullptr;
  if (a->is_world() && b->is_world()) fields.report("a", "both sides are the world", "attach it to a body");
  return make_constraint(context, fields, {*a, *b});
}

}  // namespace

void read_constraint(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, constraint_variants(), context.reading());
  if (!fields) {
    const Node* name = node.is_map() ? node.find("name") : nullptr;
    if (name != nullptr && name->is_scalar()) context.add_unusable_constraint(node, name->text);
    return;
  }
  const std::string name = context.name_or_number(*fields, fields->record().kind);
  std::optional<ConstraintPtr> made = make_coupling(context, *fields);
  if (!made) made = make_surface_constraint(context, *fields);
  ConstraintPtr constraint = made ? std::move(*made) : make_joint(context, *fields);
  const bool may_go_slack = fields->record().find("slack") != nullptr && fields->boolean("slack", false);
  if (fields->ok() && constraint != nullptr && may_go_slack) {
    context.add_inequality(node, name, slack(std::move(constraint)));
  } else if (fields->ok() && constraint != nullptr) {
    if (const auto id = context.add_constraint(node, name, std::move(constraint))) {
      read_breaks_at(context, *fields, *id);
      read_armature(context, *fields, *id);
    }
  } else {
    context.add_unusable_constraint(node, name);
  }
}

}  // namespace catena::io
