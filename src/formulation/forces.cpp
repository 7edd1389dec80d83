#include "formulation/forces.h"

#include "formulation/marker_map.h"

namespace catena {
namespace {

void add_gravity(const BodySlot& slot, const double* q, const Vec3& gravity, double* F) {
  switch (slot.type) {
    case BodyType::rigid:
    case BodyType::particle3:
      for (int i = 0; i < 3; ++i) F[i] += slot.mass * gravity[i];
      break;
    case BodyType::planar:
    case BodyType::particle2:
      for (int i = 0; i < 2; ++i) F[i] += slot.mass * gravity[i];
      break;
    case BodyType::other:
      slot.body->add_gravity(q, gravity, F);
      break;
  }
}

// I ω × ω, with I the angular part of the mass block
void add_gyroscopic(const double* M, const double* v, double* F) {
  const Vec3 w(v[3], v[4], v[5]);
  double L[3];  // angular momentum
  for (int i = 0; i < 3; ++i) L[i] = M[21 + i] * w[0] + M[27 + i] * w[1] + M[33 + i] * w[2];
  F[3] += L[1] * w[2] - L[2] * w[1];
  F[4] += L[2] * w[0] - L[0] * w[2];
  F[5] += L[0] * w[1] - L[1] * w[0];
}

}  // namespace

void add_body_forces(const Layout& layout, const VecX& q, const VecX& v, VecX& F) {
  for (const BodySlot& slot : layout.bodies) {
    const double* qi = q.data() + slot.q;
    add_gravity(slot, qi, layout.gravity, F.data() + slot.v);
    if (slot.has_shape_force) slot.body->add_shape_force(qi, v.data() + slot.v, F.data() + slot.v);
  }
}

void add_velocity_forces(const Layout& layout, const VecX& q, const VecX& v, const VecX& M, VecX& F) {
  for (const BodySlot& slot : layout.bodies) {
    if (slot.type == BodyType::rigid)
      add_gyroscopic(M.data() + slot.M, v.data() + slot.v, F.data() + slot.v);
    else if (slot.type == BodyType::other)
      slot.body->add_velocity_force(q.data() + slot.q, v.data() + slot.v, F.data() + slot.v);
  }
}

void add_marker_forces(const Layout& layout, const Kinematics& kinematics, const Instant& at,
                       ForceParts parts, WrenchScratch& scratch, VecX& F) {
  for (const ForceSlot& slot : layout.forces) {
    if (slot.along != nullptr && parts == ForceParts::without_coordinates) continue;
    apply_force(*slot.force, motion_of(slot, kinematics.forces, at), scratch);
    for (int m = slot.marker_begin; m < slot.marker_end; ++m)
      add_wrench(layout, layout.force_markers[std::size_t(m)], kinematics.forces, m,
                 scratch[std::size_t(m - slot.marker_begin)].data(), F);
  }
}

double gravity_potential(const Layout& layout, const VecX& q, const Kinematics& kinematics) {
  double potential = 0.0;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    potential += slot.type == BodyType::other
                     ? slot.body->gravity_potential(q.data() + slot.q, layout.gravity)
                     : -slot.mass * layout.gravity.dot(kinematics.bodies[i].x);
  }
  return potential;
}

double spring_potential(const Layout& layout, const Kinematics& kinematics, const Instant& at) {
  double potential = 0.0;
  for (const BodySlot& slot : layout.bodies)
    if (slot.has_shape_force) potential += slot.body->shape_potential(at.q.data() + slot.q);
  for (const ForceSlot& slot : layout.forces)
    potential += slot.force->potential(motion_of(slot, kinematics.forces, at));
  return potential;
}

Powers compute_powers(const Layout& layout, const Kinematics& kinematics, const Instant& at) {
  Powers powers;
  for (const BodySlot& slot : layout.bodies)
    if (slot.has_shape_force)
      powers[Account::dampers] += slot.body->shape_damping_power(at.q.data() + slot.q, at.v.data() + slot.v);
  for (const ForceSlot& slot : layout.forces)
    powers[slot.force->account()] +=
        slot.force->nonconservative_power(motion_of(slot, kinematics.forces, at));
  return powers;
}

}  // namespace catena
