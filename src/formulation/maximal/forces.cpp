#include "formulation/maximal/forces.h"

namespace catena::maximal {
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
void add_velocity_terms(const BodySlot& slot, const double* M, const double* q, const double* v, double* F) {
  if (slot.type == BodyType::rigid) {
    const Vec3 w(v[3], v[4], v[5]);
    double L[3];  // angular momentum
    for (int i = 0; i < 3; ++i) L[i] = M[21 + i] * w[0] + M[27 + i] * w[1] + M[33 + i] * w[2];
    F[3] += L[1] * w[2] - L[2] * w[1];
    F[4] += L[2] * w[0] - L[0] * w[2];
    F[5] += L[0] * w[1] - L[1] * w[0];
  } else if (slot.type == BodyType::other) {
    slot.body->add_velocity_force(q, v, F);
  }
}

}  // namespace

Motion force_motion(const ForceSlot& slot, const Kinematics& kinematics, double t, const VecX& memory) {
  Motion motion;
  motion.at = {kinematics.force_markers.data() + slot.marker_begin,
               std::size_t(slot.marker_end - slot.marker_begin)};
  motion.time = t;
  motion.planar = slot.planar;
  motion.memory = {memory.data() + slot.memory, std::size_t(slot.memory_size)};
  motion.step = kinematics.step;
  return motion;
}

void update_forces(const Layout& layout, const VecX& q, const VecX& v, const VecX& M,
                   const Kinematics& kinematics, double t, const VecX& memory, bool with_velocity_terms,
                   ForceArrays& arrays, VecX& F) {
  F.setZero();
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    const double* qi = q.data() + slot.q;
    const double* vi = v.data() + slot.v;
    add_gravity(slot, qi, layout.gravity, F.data() + slot.v);
    if (slot.has_shape_force) slot.body->add_shape_force(qi, vi, F.data() + slot.v);
    if (with_velocity_terms) add_velocity_terms(slot, M.data() + slot.M, qi, vi, F.data() + slot.v);
  }
  for (const ForceSlot& slot : layout.forces) {
    const int markers = slot.marker_end - slot.marker_begin;
    for (int k = 0; k < markers; ++k) arrays.wrenches[k].setZero();
    Wrenches wrenches({arrays.wrenches.data(), std::size_t(markers)});
    slot.force->apply(force_motion(slot, kinematics, t, memory), wrenches);
    for (int k = 0; k < markers; ++k) {
      const int m = slot.marker_begin + k;
      const MarkerSlot& marker = layout.force_markers[m];
      if (marker.body < 0) continue;
      const bool other = layout.bodies[marker.body].type == BodyType::other;
      add_wrench(layout, marker, kinematics.force_levers[m], kinematics.force_others[other ? m : 0],
                 arrays.wrenches[k].head<3>(), arrays.wrenches[k].tail<3>(), F);
    }
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

double spring_potential(const Layout& layout, const VecX& q, const Kinematics& kinematics, double t,
                        const VecX& memory) {
  double potential = 0.0;
  for (const BodySlot& slot : layout.bodies)
    if (slot.has_shape_force) potential += slot.body->shape_potential(q.data() + slot.q);
  for (const ForceSlot& slot : layout.forces)
    potential += slot.force->potential(force_motion(slot, kinematics, t, memory));
  return potential;
}

void add_power(const Force& force, const Motion& motion, Powers& powers) {
  const double power = force.nonconservative_power(motion);
  switch (force.source()) {
    case WorkSource::damper:
      powers.dampers += power;
      break;
    case WorkSource::motor:
      powers.motors += power;
      break;
    case WorkSource::load:
      powers.loads += power;
      break;
    case WorkSource::drag:
      powers.drag += power;
      break;
  }
}

Powers compute_powers(const Layout& layout, const VecX& q, const VecX& v, const Kinematics& kinematics,
                      double t, const VecX& memory) {
  Powers powers;
  for (const BodySlot& slot : layout.bodies)
    if (slot.has_shape_force)
      powers.dampers += slot.body->shape_damping_power(q.data() + slot.q, v.data() + slot.v);
  for (const ForceSlot& slot : layout.forces)
    add_power(*slot.force, force_motion(slot, kinematics, t, memory), powers);
  return powers;
}

}  // namespace catena::maximal
