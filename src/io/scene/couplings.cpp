// Constraints that couple motions: screw, rack, differential, rope, drum, centre of mass, remote drive, sliding point.
#include "catena/joints.h"
#include "io/scene/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace catena::io {
namespace {

const Key kCouplingName{"name", Value::name, "", "name; default the kind with a number"};
const Key kAxis{"axis", Value::direction, "", "axis in the world at the start; default z in the plane"};
const Key kBodies{"bodies", Value::name_list, "", "the bodies, in their order; world may be among them",
                  kRequired};

const Key kSlack{"slack", Value::boolean, "",
                 "whether it may go slack: its length is then at most what it says; default false"};

std::optional<BodyPair> find_pair(SceneContext& context, const Fields& fields) {
  const auto a = context.find_body(fields, "a"), b = context.find_body(fields, "b");
  if (!a || !b) return std::nullopt;
  return BodyPair{*a, *b};
}

std::vector<BodyRef> find_bodies(SceneContext& context, const Fields& fields) {
  std::vector<BodyRef> bodies;
  for (const std::string& name : fields.names("bodies")) {
    const auto body = context.find_body_named(fields, "bodies", name);
    if (!body) return {};
    if (body->is_frame()) {
      fields.report("bodies", fmt::format("'{}' is a frame, without mass", name),
                    "name the body that it is on");
      return {};
    }
    bodies.push_back(*body);
  }
  return bodies;
}

ConstraintPtr make_screw(const Fields& fields, const BodyPair& pair) {
  const Mat3 axes = frame_from_axis(read_axis(fields, "axis", false));
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  return screw({mark_with_axes(pair.a, point, axes), mark_with_axes(pair.b, point, axes)},
               fields.number("pitch", 1.0));
}

ConstraintPtr make_rack(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  const auto carrier = context.find_body(fields, "carrier");
  if (!carrier) return nullptr;
  const Vec3 axis = read_axis(fields, "axis", pair.planar());
  const Vec3 direction = fields.vector("direction", Vec3::UnitX()).normalized();
  if (std::abs(direction.dot(axis)) > 1e-9)
    fields.report("direction", "the rack must run at right angles to the pinion's axis", "turn one of them");
  const Mat3 axes = axes_from(axis, direction);
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  return rack_and_pinion(mark_with_axes(pair.a, point, axes),
                         mark_with_axes(pair.b, pair.b.placement.position, axes),
                         mark_with_axes(*carrier, point, axes), fields.number("radius", 1.0));
}

ConstraintPtr make_differential(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  const auto carrier = context.find_body(fields, "carrier");
  if (!carrier) return nullptr;
  const Mat3 axes = frame_from_axis(read_axis(fields, "axis", pair.planar()));
  const auto mark = [&](const BodyRef& body) { return mark_with_axes(body, body.placement.position, axes); };
  return differential(mark(pair.a), mark(pair.b), mark(*carrier));
}

ConstraintPtr make_rope(SceneContext& context, const Fields& fields) {
  const std::vector<BodyRef> bodies = find_bodies(context, fields);
  const std::vector<Vec3> points = fields.vectors("points");
  if (!fields.ok()) return nullptr;
  if (bodies.size() != points.size() || bodies.size() < 2) {
    fields.report("points",
                  fmt::format("a rope needs two or more bodies and a point for each, got {} and {}",
                              bodies.size(), points.size()),
                  "give 'bodies: [a, world, b]' and as many points");
    return nullptr;
  }
  std::vector<Attachment> through;
  double start = 0.0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    through.push_back(mark_with_axes(bodies[k], points[k], Mat3::Identity()));
    if (k > 0) start += (points[k] - points[k - 1]).norm();
  }
  bool driven = false;
  const auto length = fields.function("length", &driven);
  if (!length) return rope(std::move(through), start);
  return driven ? winch_rope(std::move(through), *length) : rope(std::move(through), (*length)(0.0).value);
}

ConstraintPtr make_drum(const Fields& fields, const BodyPair& pair) {
  const Mat3 axes = frame_from_axis(read_axis(fields, "axis", pair.planar()));
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  const Vec3 centre = fields.vector("centre", pair.b.placement.position);
  const double radius = fields.number("radius", 1.0);
  const Vec3 across = point - centre - axes.col(2) * axes.col(2).dot(point - centre);
  if (fields.ok() && !(across.norm() > radius))
    fields.report("radius",
                  fmt::format("the point is {:g} m from the drum's axis, inside its radius", across.norm()),
                  "give a smaller radius or move the point");
  const Winding winding = fields.text("winding").value_or("left") == "left" ? Winding::left : Winding::right;
  return rope_on_drum(mark_with_axes(pair.a, point, Mat3::Identity()), mark_with_axes(pair.b, centre, axes),
                      radius, winding);
}

ConstraintPtr make_remote_drive(SceneContext& context, const Fields& fields, const BodyPair& pair) {
  const auto reaction = context.find_body(fields, "reaction");
  const auto angle = fields.function("angle");
  if (!reaction || !angle) return nullptr;
  const Mat3 axes = frame_from_axis(read_axis(fields, "axis", pair.planar()));
  const auto mark = [&](const BodyRef& body) { return mark_with_axes(body, body.placement.position, axes); };
  return remote_drive({mark(pair.a), mark(pair.b)}, mark(*reaction), *angle);
}

ConstraintPtr make_sliding_point(const Fields& fields, const BodyPair& pair) {
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  return sliding_point(
      {mark_with_axes(pair.a, point, Mat3::Identity()), mark_with_axes(pair.b, point, Mat3::Identity())},
      fields.vector("normal", Vec3::UnitZ()), fields.vector("direction", Vec3::UnitX()),
      fields.number("friction", 0.0));
}

ConstraintPtr make_centre_of_mass(SceneContext& context, const Fields& fields) {
  const std::vector<BodyRef> bodies = find_bodies(context, fields);
  std::vector<Attachment> centres;
  std::vector<double> masses;
  Vec3 moment = Vec3::Zero();
  double total = 0.0;
  for (const BodyRef& body : bodies) {
    if (body.is_world()) {
      fields.report("bodies", "the world has no centre of mass", "name bodies only");
      return nullptr;
    }
    centres.push_back(mark_with_axes(body, body.placement.position, Mat3::Identity()));
    masses.push_back(body.body->mass());
    moment += body.body->mass() * body.placement.position;
    total += body.body->mass();
  }
  bool driven = false;
  const auto target = fields.functions("target", &driven);
  if (driven) return driven_centre_of_mass(std::move(centres), std::move(masses), *target);
  const Vec3 place =
      target ? Vec3(target->x(0.0).value, target->y(0.0).value, target->z(0.0).value) : Vec3(moment / total);
  return centre_of_mass(std::move(centres), std::move(masses), place);
}

}  // namespace

std::vector<Record> coupling_records() {
  const Key carrier{"carrier", Value::body, "", "body that carries both; default world"};
  return {
      {"screw", "turns about an axis and advances by the pitch for each turn",
       join_keys(
           {constraint_pair_keys("screw"),
            {{"point", Value::vector, "m",
              "a point of the axis, in the world at the start; default the centre of a"},
             {"axis", Value::direction, "", "axis fixed in b, in the world at the start", kRequired},
             {"pitch", Value::number, "m", "advance of a per turn against b, right-handed", kRequired}}})},
      {"rack", "rack a and pinion b: travel of the rack = radius · angle of the pinion",
       join_keys(
           {constraint_pair_keys("rack"),
            {carrier,
             {"point", Value::vector, "m",
              "a point of the rack, in the world at the start; default its centre"},
             {"axis", Value::direction, "",
              "axis of the pinion, fixed in the carrier; default z in the plane"},
             {"direction", Value::direction, "", "along the rack, fixed in the carrier; default x"},
             {"radius", Value::number, "m", "pitch radius; negative turns the other way", kRequired}}})},
      {"differential", "two shafts that turn as fast as their carrier on average: ω_a + ω_b = 2·ω_carrier",
       join_keys({constraint_pair_keys("differential"),
                  {{"carrier", Value::body, "", "the cage between them", kRequired}, kAxis}})},
      {"rope",
       "taut rope through points, which run along it freely; driven by its length it is a winch",
       {kCouplingName,
        constraint_kind_key("rope"),
        kBodies,
        {"points", Value::vector_list, "m", "one point per body, in the world at the start", kRequired},
        {"length", Value::function, "m", "length, may depend on t; default the length at the start"},
        kSlack}},
      {"drum", "rope from a point of a to a drum b, on which it winds",
       join_keys({constraint_pair_keys("drum"),
                  {{"point", Value::vector, "m",
                    "where it is fixed to a, in the world at the start; default its centre"},
                   {"centre", Value::vector, "m", "a point of the drum's axis; default the centre of b"},
                   kAxis,
                   {"radius", Value::positive, "m", "of the drum", kRequired},
                   {"winding",
                    Value::choice,
                    "",
                    "seen against the axis, the rope goes round to the left or to the right on its way to a; "
                    "default left",
                    kOptional,
                    {"left", "right"}},
                   kSlack}})},
      {"centre-of-mass",
       "the common centre of mass of bodies stays at a place",
       {kCouplingName,
        constraint_kind_key("centre-of-mass"),
        kBodies,
        {"target", Value::functions, "m", "the place, may depend on t; default where it is at the start"}}},
      {"remote-drive", "drives the angle of a against b by a torque whose reaction a third body takes",
       join_keys({constraint_pair_keys("remote-drive"),
                  {{"reaction", Value::body, "", "body that takes the reaction; default world"},
                   kAxis,
                   {"angle", Value::function, "rad", "turn of a against b about axis, since the start",
                    kRequired}}})},
      {"sliding-point", "a point of a slides on a plane fixed in b with friction folded into its force",
       join_keys(
           {constraint_pair_keys("sliding-point"),
            {{"point", Value::vector, "m",
              "the point, in the world at the start, where it is on the plane; default the centre of a"},
             {"normal", Value::direction, "", "the way b pushes a, in the world at the start", kRequired},
             {"direction", Value::direction, "",
              "the way a slides over b, in the world at the start; friction acts against it", kRequired},
             {"friction", Value::number, "", "friction over normal force, 0 or more", kRequired}}})},
  };
}

std::optional<ConstraintPtr> make_coupling(SceneContext& context, const Fields& fields) {
  const std::string_view kind = fields.record().kind;
  if (kind == "rope") return make_rope(context, fields);
  if (kind == "centre-of-mass") return make_centre_of_mass(context, fields);
  constexpr std::string_view kPairs[] = {"screw", "rack",         "differential",
                                         "drum",  "remote-drive", "sliding-point"};
  if (std::ranges::find(kPairs, kind) == std::end(kPairs)) return std::nullopt;
  const auto pair = find_pair(context, fields);
  if (!pair) return nullptr;
  if (kind == "screw") return make_screw(fields, *pair);
  if (kind == "rack") return make_rack(context, fields, *pair);
  if (kind == "drum") return make_drum(fields, *pair);
  if (kind == "remote-drive") return make_remote_drive(context, fields, *pair);
  if (kind == "sliding-point") return make_sliding_point(fields, *pair);
  return make_differential(context, fields, *pair);
}

}  // namespace catena::io
