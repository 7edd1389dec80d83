// Point masses in the plane and in space: M = m·1, no velocity-quadratic force, all points move alike.
#include "catena/bodies.h"
#include "model/bodies/placement_checks.h"
#include "model/checks.h"

namespace catena {
namespace {

// A particle has no axes; those it shows are the world's and never turn.
void write_fixed_frame(int num_v, FrameMap& out) {
  out.R.setIdentity();
  out.bias.setZero();
  out.W.setZero(3, num_v);
}

}  // namespace

void Particle2::mass_block(const double*, double* M) const {
  M[0] = M[3] = mass_;
  M[1] = M[2] = 0.0;
}

void Particle2::add_velocity_force(const double*, const double*, double*) const {}

void Particle2::point(const double* q, const double*, const Vec3& local, PointMap& out) const {
  out.x = Vec3(q[0], q[1], 0.0) + local;
  out.bias.setZero();
  out.J.setIdentity(3, 2);
}

void Particle2::frame(const double*, const double*, FrameMap& out) const {
  write_fixed_frame(2, out);
}

void Particle2::retract(double* q, const double* d) const {
  for (int i = 0; i < 2; ++i) q[i] += d[i];
}

std::string Particle2::pack(const Placement& placement, double* q, double* v) const {
  for (int i = 0; i < 2; ++i) {
    q[i] = placement.position[i];
    v[i] = placement.velocity[i];
  }
  std::string problem = check_placement(placement);
  if (problem.empty()) problem = check_in_plane(placement);
  if (problem.empty()) problem = check_no_rotation(placement);
  return problem;
}

Placement Particle2::unpack(const double* q, const double* v) const {
  return {.position = {q[0], q[1], 0.0}, .velocity = {v[0], v[1], 0.0}};
}

std::vector<std::string> Particle2::validate() const {
  Problems problems;
  check_mass(mass_, problems);
  return problems;
}

void Particle3::mass_block(const double*, double* M) const {
  for (int i = 0; i < 9; ++i) M[i] = 0.0;
  M[0] = M[4] = M[8] = mass_;
}

void Particle3::add_velocity_force(const double*, const double*, double*) const {}

void Particle3::point(const double* q, const double*, const Vec3& local, PointMap& out) const {
  out.x = Vec3(q[0], q[1], q[2]) + local;
  out.bias.setZero();
  out.J.setIdentity(3, 3);
}

void Particle3::frame(const double*, const double*, FrameMap& out) const {
  write_fixed_frame(3, out);
}

void Particle3::retract(double* q, const double* d) const {
  for (int i = 0; i < 3; ++i) q[i] += d[i];
}

std::string Particle3::pack(const Placement& placement, double* q, double* v) const {
  for (int i = 0; i < 3; ++i) {
    q[i] = placement.position[i];
    v[i] = placement.velocity[i];
  }
  std::string problem = check_placement(placement);
  if (problem.empty()) problem = check_no_rotation(placement);
  return problem;
}

Placement Particle3::unpack(const double* q, const double* v) const {
  return {.position = {q[0], q[1], q[2]}, .velocity = {v[0], v[1], v[2]}};
}

std::vector<std::string> Particle3::validate() const {
  Problems problems;
  check_mass(mass_, problems);
  return problems;
}

}  // namespace catena
