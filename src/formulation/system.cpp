#include "formulation/system.h"

#include "formulation/marker_map.h"
#include "formulation/mass.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace catena {

System::System(std::shared_ptr<const Layout> shared)
    : shared_layout(std::move(shared)),
      layout(*shared_layout),
      kinematics(layout),
      trial(layout),
      rows(layout),
      coordinates(layout),
      inequalities(layout),
      wrenches(std::size_t(std::max(layout.most_markers, 1))),
      still(VecX::Zero(layout.num_v)) {}

void System::place(const Instant& at) {
  update_bodies(layout, at.q, at.v, kinematics);
  update_constraint_markers(layout, at.q, at.v, kinematics);
  update_force_markers(layout, at.q, at.v, kinematics);
  update_inequality_markers(layout, at.q, at.v, kinematics);
}

void System::evaluate_errors(const VecX& q, double time, const VecX& memory, VecX& C) {
  assert(q.size() == layout.num_q && memory.size() == layout.num_memory && C.size() == layout.num_rows);
  // velocities do not enter C
  update_bodies(layout, q, still, trial);
  update_constraint_markers(layout, q, still, trial);
  update_errors(layout, trial, {q, still, time, memory}, rows, C);
}

void System::evaluate_forces(const Instant& at, VecX& F) {
  assert(at.q.size() == layout.num_q && at.v.size() == layout.num_v && at.memory.size() == layout.num_memory);
  update_bodies(layout, at.q, at.v, trial);
  update_force_markers(layout, at.q, at.v, trial);
  F.setZero(layout.num_v);
  add_body_forces(layout, at.q, at.v, F);
  add_marker_forces(layout, trial, at, ForceParts::all, wrenches, F);
}

namespace {

// Calls change(object, motion, numbers) for every constraint and force that has numbers in the state.
template <class Change>
void change_memory(System& system, const Instant& at, VecX& memory, Change&& change) {
  const Layout& layout = system.layout;
  assert(memory.size() == layout.num_memory);
  if (layout.num_memory == 0) return;
  update_bodies(layout, at.q, at.v, system.trial);
  update_constraint_markers(layout, at.q, at.v, system.trial);
  update_force_markers(layout, at.q, at.v, system.trial);
  update_inequality_markers(layout, at.q, at.v, system.trial);
  const auto run = [&](const auto& object, const AttachedSlot& slot, const MarkerSet& set) {
    if (slot.memory_size == 0) return;
    const std::span<double> own(memory.data() + slot.memory, std::size_t(slot.memory_size));
    Motion motion = motion_of(slot, set, at);
    motion.memory = own;
    change(object, motion, own);
  };
  for (const ConstraintSlot& slot : layout.constraints) run(*slot.constraint, slot, system.trial.constraints);
  for (const ForceSlot& slot : layout.forces) run(*slot.force, slot, system.trial.forces);
  for (const InequalitySlot& slot : layout.inequalities)
    run(*slot.inequality, slot, system.trial.inequalities);
}

}  // namespace

void System::start_memory(const Instant& at, VecX& memory) {
  change_memory(*this, at, memory, [](const auto& object, const Motion& motion, std::span<double> own) {
    object.start_memory(motion, own);
  });
}

void System::advance_memory(const Instant& at, VecX& memory) {
  change_memory(*this, at, memory, [](const auto& object, const Motion& motion, std::span<double> own) {
    object.advance_memory(motion, own);
  });
}

double tension_frequency(const System& system, const int* block, const double* J, const VecX& lambda,
                         VecX& frequency, int* worst_body) {
  const Layout& layout = system.layout;
  assert(lambda.size() == layout.num_rows);
  frequency.setZero(Eigen::Index(layout.bodies.size()));  // ω² per body
  for (const ConstraintSlot& slot : layout.constraints) {
    // points held a distance apart swing about each other even without a lever: ω² = 2 T/(m L) a side
    const Marker* marker = system.kinematics.constraints.markers.data() + slot.marker_begin;
    const double gap = slot.rows == 1 && slot.num_markers() == 2 ? (marker[0].x - marker[1].x).norm() : 0.0;
    for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
      const MarkerSlot& at = layout.constraint_markers[std::size_t(m)];
      if (at.body < 0 || layout.bodies[std::size_t(at.body)].type == BodyType::other) continue;
      const BodySlot& body = layout.bodies[std::size_t(at.body)];
      double force2 = 0.0;
      for (int k = 0; k < first_angular(body); ++k) {
        double sum = 0.0;
        for (int i = 0; i < slot.rows; ++i) sum += lambda[slot.row + i] * J[block[m] + i * body.num_v + k];
        force2 += sum * sum;
      }
      const double force = std::sqrt(force2);
      frequency[at.body] += force * at.lever_ratio;
      if (gap > 0.0) frequency[at.body] += 2.0 * force / (body.mass * gap);
    }
  }
  if (frequency.size() == 0) return 0.0;
  Eigen::Index worst = 0;
  const double largest = frequency.maxCoeff(&worst);
  if (worst_body != nullptr) *worst_body = int(worst);
  return std::sqrt(largest);
}

namespace {

// The diagonal of the mass block of one body.
void write_diagonal_mass(const System& system, int b, const VecX& q, double* out) {
  const BodySlot& body = system.layout.bodies[std::size_t(b)];
  for (int k = 0; k < body.num_v; ++k) out[k] = diagonal_mass(body, k);
  if (body.type == BodyType::rigid) {
    Mat3 I;
    write_inertia<3>(system.kinematics.bodies[std::size_t(b)].R, body.inertia, I.data());
    for (int k = 0; k < 3; ++k) out[3 + k] = I(k, k);
  } else if (body.type == BodyType::other) {
    double M[kMostVelocities * kMostVelocities];
    body.body->mass_block(q.data() + body.q, M);
    for (int k = 0; k < body.num_v; ++k) out[k] = M[k * body.num_v + k];
  }
}

bool is_first_on_its_body(const Layout& layout, const ForceSlot& slot, int marker) {
  for (int m = slot.marker_begin; m < marker; ++m)
    if (layout.force_markers[std::size_t(m)].body == layout.force_markers[std::size_t(marker)].body)
      return false;
  return true;
}

// J M⁻¹Jᵀ of one coordinate, with the diagonal of M.
double inverse_mass(const System& system, const ForceSlot& slot, int row, const VecX& q) {
  const Layout& layout = system.layout;
  const MarkerSet& set = system.kinematics.forces;
  double sum = 0.0;
  for (int first = slot.marker_begin; first < slot.marker_end; ++first) {
    const int b = layout.force_markers[std::size_t(first)].body;
    if (b < 0 || !is_first_on_its_body(layout, slot, first)) continue;
    const BodySlot& body = layout.bodies[std::size_t(b)];
    double J[kMostVelocities] = {}, M[kMostVelocities] = {};
    for (int m = first; m < slot.marker_end; ++m)
      if (layout.force_markers[std::size_t(m)].body == b)
        add_row(body, set.levers[std::size_t(m)], set.other(m),
                system.coordinates.G.data() + slot.G + ((m - slot.marker_begin) * slot.rows + row) * 6, J);
    write_diagonal_mass(system, b, q, M);
    for (int k = 0; k < body.num_v; ++k)
      if (M[k] > 0.0) sum += J[k] * J[k] / M[k];
  }
  return sum;
}

}  // namespace

double fastest_coordinate(System& system, const Instant& at, int* force) {
  double fastest = 0.0;
  *force = -1;
  system.place(at);
  for (std::size_t i = 0; i < system.layout.forces.size(); ++i) {
    const ForceSlot& slot = system.layout.forces[i];
    if (slot.along == nullptr) continue;
    evaluate_coordinates(slot, system.kinematics.forces, at, system.coordinates);
    const Motion motion = motion_of(slot, system.kinematics.forces, at);
    for (int r = 0; r < slot.rows; ++r) {
      // what it can do, and what it does now: a law of one's own may be steeper than its estimate
      const Law& law = slot.along->law(r);
      const int own = slot.row + r;
      const LawResponse now =
          slot.along->answer(r, motion, system.coordinates.c[own], system.coordinates.rate[own], 0.0);
      const double w = inverse_mass(system, slot, r, at.q);
      const double rate = std::max(std::sqrt(std::max(law.stiffness, now.stiffness) * w),
                                   std::max(law.damping, now.damping) * w);
      if (rate <= fastest) continue;
      fastest = rate;
      *force = int(i);
    }
  }
  return fastest;
}

}  // namespace catena
