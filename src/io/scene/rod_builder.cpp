// Rods, joints and their names for the generators.
#include "io/scene/rod_builder.h"

#include "catena/joints.h"

#include <fmt/format.h>

namespace catena::io {

std::vector<Key> RodBuilder::keys(std::string_view kind, std::string_view default_name) {
  return {
      {"kind", Value::choice, "", "kind of generator", kRequired, {kind}},
      {"name", Value::name, "", default_name},
      {"body", Value::choice, "", "kind of body; default rod", kOptional, {"rod", "planar"}},
      {"length", Value::positive, "m", "of a rod; default 1"},
      {"mass", Value::positive, "kg", "of a rod; default 1"},
      {"radius", Value::positive, "m", "of a rod; default length/20"},
      {"joint",
       Value::choice,
       "",
       "kind of joint; default ball",
       kOptional,
       {"ball", "hinge", "universal", "weld"}},
      {"axis", Value::direction, "", "axis of hinges, in the world at the start; default y, z in the plane"},
      {"start", Value::vector, "m", "where it begins; default the origin"},
      {"direction", Value::direction, "", "where it leads; default x"},
      {"angular_velocity", Value::vector, "rad/s",
       "of the whole about its beginning at the start; default 0"},
      {"joint_stiffness", Value::non_negative, "N·m/rad",
       "springs on the free angles of ball joints, hinges and universal joints; default 0"},
      {"joint_damping", Value::non_negative, "N·m·s/rad", "dampers beside them; default 0"}};
}

RodBuilder::RodBuilder(SceneContext& context, const Fields& fields, std::string_view default_name, int total)
    : context_(context), node_(fields.node()) {
  const auto total_of = [&](std::string_view key) -> std::optional<double> {
    if (fields.record().find(key) == nullptr) return std::nullopt;
    const auto value = fields.number(key);
    return value ? std::optional(*value / total) : std::nullopt;
  };
  prefix_ = fields.text("name").value_or(std::string(default_name));
  joint_ = fields.text("joint").value_or("ball");
  planar_ =
      fields.text("body").value_or("rod") == "planar" || fields.text("body").value_or("rod") == "particle-2d";
  length_ = total_of("total_length").value_or(fields.number("length", 1.0));
  mass_ = total_of("total_mass").value_or(fields.number("mass", 1.0));
  radius_ = fields.number("radius", length_ / 20.0);
  start_ = fields.vector("start", Vec3::Zero());
  direction_ = fields.vector("direction", Vec3::UnitX()).normalized();
  turn_ = fields.vector("angular_velocity", Vec3::Zero());
  spring_.stiffness = fields.number("joint_stiffness", 0.0);
  spring_.damping = fields.number("joint_damping", 0.0);
  axis_ = fields.vector("axis", planar_ ? Vec3::UnitZ() : Vec3::UnitY()).normalized();
  if (planar_ && (start_.z() != 0.0 || direction_.z() != 0.0))
    fields.report("body", "planar bodies lie in the plane z = 0, but 'start' or 'direction' leave it",
                  "set their z to 0");
  rod_ = make_rod(length_);
}

std::shared_ptr<const Body> RodBuilder::make_rod(double length) const {
  return planar_ ? planar_rod(mass_, length) : rod(mass_, length, radius_);
}

std::optional<BodyRef> RodBuilder::add_rod(const Vec3& from, const Vec3& along) {
  return add_rod(from, along, length_);
}

std::optional<BodyRef> RodBuilder::add_rod(const Vec3& from, const Vec3& along, double length) {
  Placement placement{.position = from + 0.5 * length * along, .orientation = point_x_along(along)};
  placement.velocity = turn_.cross(placement.position - start_);
  placement.angular_velocity = turn_;
  return context_.add_body(node_, fmt::format("{}{}", prefix_, ++num_rods_),
                           length == length_ ? rod_ : make_rod(length), placement,
                           {Shape::Kind::rod, {length, radius_, 0.0}});
}

std::optional<BodyRef> RodBuilder::add_body(std::string_view suffix, std::shared_ptr<const Body> body,
                                            const Vec3& position, const Shape& shape) {
  return context_.add_body(node_, fmt::format("{}{}", prefix_, suffix), std::move(body),
                           {.position = position, .velocity = turn_.cross(position - start_)}, shape);
}

void RodBuilder::add_joint(const BodyRef& a, const BodyRef& b, const Vec3& point) {
  add_joint(a, b, point, axis_);
}

void RodBuilder::add_joint(const BodyRef& a, const BodyRef& b, const Vec3& point, const Vec3& axis) {
  const bool only_points = joint_ == "ball" || a.is_particle() || b.is_particle();
  const Mat3 axes = only_points ? Mat3::Identity() : frame_from_axis(axis);
  const AttachmentPair at{mark_with_axes(a, point, axes), mark_with_axes(b, point, axes)};
  if (only_points)
    add_constraint(ball(at));
  else if (joint_ == "hinge")
    add_constraint(hinge(at));
  else if (joint_ == "universal")
    add_constraint(universal(at));
  else
    add_constraint(weld(at));
  if (spring_.stiffness + spring_.damping > 0.0 && !a.is_particle() && !b.is_particle() && joint_ != "weld")
    add_spring(at);
}

void RodBuilder::add_spring(const AttachmentPair& at) {
  ConstraintPtr angles = joint_ == "hinge" || planar_ ? hinge_coordinate(at)
                         : joint_ == "universal"      ? universal_coordinates(at)
                                                      : ball_coordinates(at);
  context_.add_force(node_, fmt::format("{}-spring{}", prefix_, num_joints_),
                     elastic(std::move(angles), spring_));
}

void RodBuilder::add_constraint(ConstraintPtr constraint) {
  context_.add_constraint(node_, fmt::format("{}-joint{}", prefix_, ++num_joints_), std::move(constraint));
}

}  // namespace catena::io
