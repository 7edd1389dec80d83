// Rotor: one angle about an axis fixed in the world.   q = (θ), v = (θ̇)
//
//   M = (J),   R = R₀·exp([θ z]×),   ω = u·θ̇         u = R₀ z, the axis; no velocity-quadratic force            (1)
//   ẋ = (u × r)·θ̇,   bias = θ̇²·u × (u × r)           r = R·local                                               (2)
#include "catena/bodies.h"
#include "catena/joints.h"
#include "math/rotation.h"
#include "model/bodies/placement_checks.h"
#include "model/checks.h"

#include <cmath>
#include <numbers>

namespace catena {
namespace {

constexpr double kSlack = 1e-9;  // round-off of a conversion, not a wish

Mat3 turned(const Mat3& axes, double angle) {
  return axes * exp_rotation({0.0, 0.0, angle}).toRotationMatrix();
}

}  // namespace

Rotor::Rotor(double inertia, const Vec3& position, const Vec3& axis)
    : inertia_(inertia), position_(position), axes_(frame_from_axis(axis)) {}

bool Rotor::is_planar() const {
  return position_.z() == 0.0 && std::abs(axes_(2, 2)) > 1.0 - 1e-12;
}

void Rotor::mass_block(const double*, double* M) const {
  M[0] = inertia_;  // (1)
}

void Rotor::add_velocity_force(const double*, const double*, double*) const {}

void Rotor::point(const double* q, const double* v, const Vec3& local, PointMap& out) const {
  const Vec3 r = turned(axes_, q[0]) * local, u = axes_.col(2);
  out.x = position_ + r;
  out.J.resize(3, 1);
  out.J.col(0) = u.cross(r);                           // (2)
  out.bias = v[0] * v[0] * u.cross(Vec3(u.cross(r)));  // (2)
}

void Rotor::frame(const double* q, const double*, FrameMap& out) const {
  out.R = turned(axes_, q[0]);
  out.bias.setZero();
  out.W.resize(3, 1);
  out.W.col(0) = axes_.col(2);  // (1)
}

void Rotor::retract(double* q, const double* d) const {
  q[0] += d[0];
}

std::string Rotor::pack(const Placement& placement, double* q, double* v) const {
  // what is not given (the default placement) is where the rotor is anyway
  const bool turned_on_purpose = placement.orientation.vec() != Vec3::Zero();
  const Quat relative =
      turned_on_purpose ? Quat(axes_).conjugate() * placement.orientation : Quat::Identity();
  const Vec3 axis = axes_.col(2);
  q[0] = std::remainder(planar_angle(relative), 2.0 * std::numbers::pi);
  v[0] = axis.dot(placement.angular_velocity);
  std::string problem = check_placement(placement);
  if (!problem.empty()) return problem;
  if (placement.position != Vec3::Zero() && (placement.position - position_).norm() > kSlack)
    return "a rotor stays at the place it was made with, got the position " + to_text(placement.position) +
           " m; leave the position out";
  if (placement.velocity != Vec3::Zero())
    return "a rotor cannot move, got the velocity " + to_text(placement.velocity) + " m/s; leave it out";
  if (relative.vec().head<2>().norm() > kSlack)
    return "a rotor turns about its axis only, got an orientation that tilts it; give a turn about the axis";
  if ((placement.angular_velocity - v[0] * axis).norm() > kSlack * (1.0 + std::abs(v[0])))
    return "a rotor turns about its axis only, got the angular velocity " +
           to_text(placement.angular_velocity) + " rad/s; give one along the axis";
  return {};
}

Placement Rotor::unpack(const double* q, const double* v) const {
  return {.position = position_,
          .orientation = Quat(axes_) * exp_rotation({0.0, 0.0, q[0]}),
          .velocity = Vec3::Zero(),
          .angular_velocity = v[0] * axes_.col(2)};
}

std::vector<std::string> Rotor::validate() const {
  Problems problems;
  check_positive("inertia", inertia_, 1e40, "kg·m²", problems);
  if (inertia_ > 0.0 && inertia_ < 1e-40)
    problems.push_back("inertia is so small that results would be round-off; leave the rotor out");
  check_finite("position", position_, kLargestLength, problems);
  if (!axes_.allFinite())
    problems.push_back("the axis is zero or not finite; give a direction such as (0, 0, 1)");
  return problems;
}

}  // namespace catena
