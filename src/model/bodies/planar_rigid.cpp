// Rigid body in the plane z = 0.   q = (x, y, θ), v = (ẋ, ẏ, θ̇)
//
//   M = diag(m, m, I)                        constant, no velocity-quadratic force                   (1)
//   ẋ = [1₂ perp(r)]·v,   bias = -θ̇²·r       r = R·local,  perp(r) = (-r_y, r_x)                    (2)
#include "catena/bodies.h"
#include "math/rotation.h"
#include "model/bodies/placement_checks.h"
#include "model/checks.h"

#include <cmath>
#include <numbers>

namespace catena {

void PlanarRigid::mass_block(const double*, double* M) const {
  for (int i = 0; i < 9; ++i) M[i] = 0.0;
  M[0] = M[4] = mass_;  // (1)
  M[8] = inertia_;
}

void PlanarRigid::add_velocity_force(const double*, const double*, double*) const {}

void PlanarRigid::point(const double* q, const double* v, const Vec3& local, PointMap& out) const {
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  const double rx = c * local.x() - s * local.y();
  const double ry = s * local.x() + c * local.y();
  const double w2 = v[2] * v[2];
  out.x = Vec3(q[0] + rx, q[1] + ry, local.z());
  out.bias = Vec3(-w2 * rx, -w2 * ry, 0.0);  // (2)
  out.J.setIdentity(3, 3);
  out.J.col(2) = Vec3(-ry, rx, 0.0);  // (2)
}

void PlanarRigid::frame(const double* q, const double*, FrameMap& out) const {
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  out.R << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  out.bias.setZero();
  out.W.setZero(3, 3);
  out.W(2, 2) = 1.0;
}

void PlanarRigid::retract(double* q, const double* d) const {
  for (int i = 0; i < 3; ++i) q[i] += d[i];
}

Vec3 PlanarRigid::angular_momentum(const double* q, const double* v) const {
  return {0.0, 0.0, mass_ * (q[0] * v[1] - q[1] * v[0]) + inertia_ * v[2]};
}

std::string PlanarRigid::pack(const Placement& placement, double* q, double* v) const {
  q[0] = placement.position.x();
  q[1] = placement.position.y();
  // into [-π, π]: q and -q are one rotation, but their angles are a turn apart
  q[2] = std::remainder(planar_angle(placement.orientation), 2.0 * std::numbers::pi);
  v[0] = placement.velocity.x();
  v[1] = placement.velocity.y();
  v[2] = placement.angular_velocity.z();
  std::string problem = check_placement(placement);
  if (problem.empty()) problem = check_in_plane(placement);
  return problem;
}

Placement PlanarRigid::unpack(const double* q, const double* v) const {
  return {.position = {q[0], q[1], 0.0},
          .orientation = exp_rotation({0.0, 0.0, q[2]}),
          .velocity = {v[0], v[1], 0.0},
          .angular_velocity = {0.0, 0.0, v[2]}};
}

std::vector<std::string> PlanarRigid::validate() const {
  Problems problems;
  check_mass(mass_, problems);
  check_positive("inertia", inertia_, 1e40, "kg·m²", problems);
  if (inertia_ > 0.0 && inertia_ < 1e-40) {
    problems.push_back("inertia is so small that results would be round-off; use a particle instead");
  }
  return problems;
}

}  // namespace catena
