// What bodies do unless they say otherwise, and bodies from their dimensions.
#include "catena/bodies.h"
#include "math/small_matrix_kernel.h"

#include <algorithm>
#include <limits>

namespace catena {
namespace {

// A negative length squared would look like a good one: turn it into NaN, which validate() reports.
double length_squared(double length) {
  return length > 0.0 ? length * length : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void Body::drift(double h, const double* P, double* q) const {
  const int n = num_v();
  double M[kMostVelocities * kMostVelocities], d[kMostVelocities];
  mass_block(q, M);
  std::copy_n(P, n, d);
  if (math::factor_ldlt(n, M, 0.0) < 0)
    math::solve_ldlt(n, M, d);
  else  // the step's check for finite numbers sees it
    std::fill_n(d, n, std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < n; ++i) d[i] *= h;
  retract(q, d);
}

Vec3 Body::local_point(const double* q, const Vec3& x) const {
  const double at_rest[kMostVelocities] = {};
  PointMap origin;
  point(q, at_rest, Vec3::Zero(), origin);
  if (!has_orientation()) return x - origin.x;
  FrameMap axes;
  frame(q, at_rest, axes);
  return axes.R.transpose() * (x - origin.x);
}

void Body::add_gravity(const double* q, const Vec3& g, double* F) const {
  const double at_rest[kMostVelocities] = {};
  PointMap centre;
  point(q, at_rest, Vec3::Zero(), centre);
  Eigen::Map<VecX>(F, num_v()).noalias() += centre.J.transpose().lazyProduct(mass() * g);
}

double Body::gravity_potential(const double* q, const Vec3& g) const {
  const double at_rest[kMostVelocities] = {};
  PointMap centre;
  point(q, at_rest, Vec3::Zero(), centre);
  return -mass() * g.dot(centre.x);
}

Vec3 Body::linear_momentum(const double* q, const double* v) const {
  PointMap centre;
  point(q, v, Vec3::Zero(), centre);
  return mass() * (centre.J * Eigen::Map<const VecX>(v, num_v()));
}

Vec3 Body::angular_momentum(const double* q, const double* v) const {
  PointMap centre;
  point(q, v, Vec3::Zero(), centre);
  return centre.x.cross(linear_momentum(q, v));
}

std::shared_ptr<const Body> rod(double mass, double length, double radius) {
  const double r2 = length_squared(radius == 0.0 ? length / 20.0 : radius);
  const double transverse = mass * length_squared(length) / 12.0;
  return std::make_shared<Rigid>(mass, Vec3(0.5 * mass * r2, transverse, transverse));
}

std::shared_ptr<const Body> planar_rod(double mass, double length) {
  return std::make_shared<PlanarRigid>(mass, mass * length_squared(length) / 12.0);
}

std::shared_ptr<const Body> sphere(double mass, double radius) {
  return std::make_shared<Rigid>(mass, Vec3(Vec3::Constant(0.4 * mass * length_squared(radius))));
}

std::shared_ptr<const Body> box(double mass, const Vec3& edges) {
  const Vec3 e2(length_squared(edges.x()), length_squared(edges.y()), length_squared(edges.z()));
  return std::make_shared<Rigid>(mass, Vec3(mass / 12.0 * (Vec3::Constant(e2.sum()) - e2)));
}

}  // namespace catena
