// Elastic coordinates in section `forces`: joint-spring, joint-limit, contact.
#include "catena/force.h"
#include "catena/joints.h"
#include "io/scene/force_keys.h"

#include <fmt/format.h>

namespace catena::io {
namespace {

const Key kCoordinatePoint{"point", Value::vector, "m",
                           "of the joint, in the world at the start; default the centre of a"};
const Key kCoordinateAxis{"axis", Value::direction, "",
                          "z of the joint, in the world at the start; default z"};
const Key kStiff{"stiffness", Value::non_negative, "N/m, N·m/rad", "over the coordinate; default 0"};
const Key kDamp{"damping", Value::non_negative, "N·s/m, N·m·s/rad", "over its rate; default 0"};

}  // namespace

ConstraintPtr coordinates_of(std::string_view name, const AttachmentPair& at, double rest) {
  if (name == "hinge") return hinge_coordinate(at, rest);
  if (name == "slider") return slider_coordinate(at, rest);
  if (name == "ball") return ball_coordinates(at);
  if (name == "universal") return universal_coordinates(at);
  if (name == "planar") return planar_coordinates(at);
  if (name == "swing") return swing_coordinate(at);
  return frame_coordinates(at);
}

AttachmentPair joint_frame(const Fields& fields, const BodyPair& pair) {
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  const Mat3 axes = frame_from_axis(fields.vector("axis", Vec3::UnitZ()));
  return {mark_with_axes(pair.a, point, axes), mark_with_axes(pair.b, point, axes)};
}

namespace {

ForcePtr make_joint_spring(const Fields& fields, const BodyPair& pair) {
  const std::string coordinate = fields.text("coordinate").value_or("hinge");
  const double rest = fields.number("rest", 0.0);
  if (fields.has("rest") && coordinate != "hinge" && coordinate != "slider")
    fields.report("rest", fmt::format("coordinate '{}' rests where the bodies are at the start", coordinate),
                  "leave 'rest' out, or use hinge or slider");
  Law law;
  law.stiffness = fields.number("stiffness", 0.0);
  law.damping = fields.number("damping", 0.0);
  law.preload = fields.number("preload", 0.0);
  law.limit = fields.number("limit", law.limit);
  return elastic(coordinates_of(coordinate, joint_frame(fields, pair), rest), law);
}

ForcePtr make_joint_limit(const Fields& fields, const BodyPair& pair) {
  Law law;
  law.stiffness = fields.number("stiffness", 0.0);
  law.damping = fields.number("damping", 0.0);
  law.lower = fields.number("lower", law.lower);
  law.upper = fields.number("upper", law.upper);
  if (!law.has_bounds())
    fields.report("kind", "a limit needs 'lower' or 'upper'", "add one of them, in rad or m since the start");
  else if (law.lower > law.upper)
    fields.report("lower", fmt::format("lower = {:g} is above upper = {:g}", law.lower, law.upper),
                  "exchange them");
  return elastic(coordinates_of(fields.text("coordinate").value_or("hinge"), joint_frame(fields, pair), 0.0),
                 law);
}

ForcePtr make_contact(const Fields& fields, const BodyPair& pair) {
  const auto surface = fields.fields("surface");
  if (!surface)  // reported; a stand-in lets the reader go on to the next mistake
    return compliant_contact(mark_with_axes(pair.a, pair.a.placement.position, Mat3::Identity()), 0.0, {},
                             plane_surface(Vec3::Zero(), Vec3::UnitZ()), 0.0, 0.0);
  const Vec3 point = fields.vector("point", pair.a.placement.position);
  const Mat3 axes =
      pair.b.is_world() ? Mat3(Mat3::Identity()) : pair.b.placement.orientation.toRotationMatrix();
  const Attachment a = mark_with_axes(pair.a, point, Mat3::Identity());
  const Attachment b =
      mark_with_axes(pair.b, pair.b.is_world() ? Vec3(Vec3::Zero()) : pair.b.placement.position, axes);
  return compliant_contact(a, fields.number("radius", 0.0), b, read_surface(*surface),
                           fields.number("stiffness", 0.0), fields.number("damping", 0.0));
}

}  // namespace

std::vector<Record> elastic_coordinate_records() {
  return {
      {"joint-spring", "spring, damper and preload on the free coordinates of a joint; at rest at the start",
       join_keys({pair_force_keys("joint-spring"),
                  {{"coordinate",
                    Value::choice,
                    "",
                    "what it measures of a against b; default hinge",
                    kOptional,
                    {"hinge", "slider", "ball", "universal", "planar", "swing", "frame"}},
                   kCoordinatePoint,
                   kCoordinateAxis,
                   kStiff,
                   kDamp,
                   {"rest", Value::number, "rad or m",
                    "hinge and slider: where it rests, since the start; default 0"},
                   {"preload", Value::number, "N or N·m", "force at rest; default 0"},
                   {"limit", Value::positive, "N or N·m", "largest force; default none"}}})},
      {"joint-limit", "stiff stops of a joint coordinate; nothing acts between them",
       join_keys({pair_force_keys("joint-limit"),
                  {{"coordinate",
                    Value::choice,
                    "",
                    "what it measures of a against b; default hinge",
                    kOptional,
                    {"hinge", "slider", "swing"}},
                   kCoordinatePoint,
                   kCoordinateAxis,
                   {"stiffness", Value::positive, "N/m, N·m/rad", "of the stops", kRequired},
                   kDamp,
                   {"lower", Value::number, "rad or m", "lower stop, since the start; default none"},
                   {"upper", Value::number, "rad or m", "upper stop, since the start; default none"}}})},
      {"contact", "a point or a sphere of a against a surface of b: pushes when they overlap",
       join_keys({pair_force_keys("contact"),
                  {{"point", Value::vector, "m", "of a, in the world at the start; default its centre"},
                   {"radius", Value::non_negative, "m", "of the sphere; default 0, a point"},
                   {"surface", Value::variants, "", "in the coordinates of b", kRequired, surface_variants},
                   {"stiffness", Value::positive, "N/m", "force over depth", kRequired},
                   kDamp}})},
  };
}

ForcePtr make_elastic(const Fields& fields, const BodyPair& pair) {
  const std::string_view kind = fields.record().kind;
  if (kind == "joint-spring") return make_joint_spring(fields, pair);
  if (kind == "joint-limit") return make_joint_limit(fields, pair);
  if (kind == "contact") return make_contact(fields, pair);
  return nullptr;
}

}  // namespace catena::io
