// The matrix of Newton's method, (1) of equations.h.
#include "formulation/checked_solve.h"
#include "formulation/implicit/equations.h"

#include <algorithm>

namespace catena::implicit {

StiffnessSink ImplicitStage::constraint_sink() {
  return {layout_,
          layout_.constraint_markers,
          system_.kinematics.constraints,
          blocks_.constraint_pairs,
          -stage_.s,
          problem_};
}

StiffnessSink ImplicitStage::force_sink() {
  return {layout_, layout_.force_markers, system_.kinematics.forces, blocks_.force_pairs, -stage_.s,
          problem_};
}

MarkerStiffness ImplicitStage::clear_stiffness(int markers) {
  derivatives_.K.head(36 * markers * markers).setZero();
  return {markers, derivatives_.K.data()};
}

void ImplicitStage::add_constraint_stiffness() {
  if (!form_.has_constraint_geometry()) return;
  const StiffnessSink sink = constraint_sink();
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout_.constraints[c];
    const double* lambda = lambda_of(slot);
    if (slot.joint != JointType::other) {
      sink.add_joint(c, slot, system_.kinematics, lambda);
      continue;
    }
    sink.add_row_levers(slot, slot.rows, system_.rows.directions(slot), lambda);
    if (!slot.constraint->has_geometric_stiffness() || !sink.blocks.has_blocks(c)) continue;
    MarkerStiffness K = clear_stiffness(slot.num_markers());
    slot.constraint->add_geometric_stiffness(motion_of(slot, sink.set, instant()),
                                             {lambda, std::size_t(slot.rows)}, K);
    sink.add_pairs(c, slot, derivatives_.K.data());
  }
}

void ImplicitStage::add_coordinate_stiffness(const StiffnessSink& sink, std::size_t force) {
  if (!form_.has_coordinate_geometry() && form_.has_coordinate_rows()) return;
  const ForceSlot& slot = layout_.forces[force];
  const double* lambda = lambda_of(slot);
  const bool acts = std::any_of(lambda, lambda + slot.rows, [](double row) { return row != 0.0; });
  if (!acts && form_.has_coordinate_rows()) return;
  MarkerStiffness K = clear_stiffness(slot.num_markers());
  if (form_.has_coordinate_geometry() && acts) {
    sink.add_row_levers(slot, slot.rows, system_.coordinates.G.data() + slot.G, lambda);
    if (slot.coordinates->has_geometric_stiffness())
      slot.coordinates->add_geometric_stiffness(coordinate_motion(slot, sink.set, instant()),
                                                {lambda, std::size_t(slot.rows)}, K);
  }
  if (!form_.has_coordinate_rows()) add_law_stiffness(laws_, stage_, slot, system_.coordinates, K);
  sink.add_pairs(force, slot, derivatives_.K.data());
}

// In a linearised step, where v = 0 at u = 0, r₁ of a force that depends on velocities becomes what its tangent at those of the start says.
void ImplicitStage::update_derivatives(const ForceSlot& slot, bool& trial_is_placed) {
  if (!stage_.is_linearised || !slot.force->depends_on_velocity())
    return derivatives_.evaluate(layout_, slot, motion_of(slot, system_.kinematics.forces, instant()));
  if (!trial_is_placed) {
    update_bodies(layout_, q_, *stage_.start_velocity, system_.trial);
    update_force_markers(layout_, q_, *stage_.start_velocity, system_.trial);
  }
  trial_is_placed = true;
  derivatives_.evaluate(layout_, slot, motion_of(slot, system_.trial.forces, instant()));
  correction_.setZero(num_v());
  derivatives_.add_tangent_at_rest(system_, slot, instant(), correction_);
  balance_.r -= correction_;
}

void ImplicitStage::add_force_stiffness() {
  const StiffnessSink sink = force_sink();
  bool trial_is_placed = false;
  for (std::size_t i = 0; i < layout_.forces.size(); ++i) {
    const ForceSlot& slot = layout_.forces[i];
    if (slot.along != nullptr) {
      add_coordinate_stiffness(sink, i);
      continue;
    }
    update_derivatives(slot, trial_is_placed);
    derivatives_.add_rates(layout_, slot, sink.set, u_, stage_.tau);
    for (int k = 0; k < slot.num_markers(); ++k)
      sink.add_lever(slot.marker_begin + k, derivatives_.wrenches[std::size_t(k)].head<3>());
    sink.add_pairs(i, slot, derivatives_.K.data());
  }
}

// The wrenches at all markers on bodies of other kinds.
void ImplicitStage::collect_loads() {
  loads_.clear();
  if (!layout_.has_other_bodies) return;
  for (const ConstraintSlot& slot : layout_.constraints)
    if (slot.joint == JointType::other)
      add_row_loads(layout_, layout_.constraint_markers, slot, slot.rows, system_.rows.directions(slot),
                    lambda_of(slot), loads_);
  for (const ForceSlot& slot : layout_.forces)
    if (slot.along != nullptr)
      add_row_loads(layout_, layout_.force_markers, slot, slot.rows, system_.coordinates.G.data() + slot.G,
                    lambda_of(slot), loads_);
    else
      add_force_loads(layout_, slot, motion_of(slot, system_.kinematics.forces, instant()), system_.wrenches,
                      loads_);
}

// Rows that take no part: a zero row of J with a compliance of 1 leaves their multiplier as it is.
void ImplicitStage::switch_rows_off() {
  const solve::Graph& g = blocks_.graph;
  for (std::size_t node = 0; node < g.rows.size(); ++node)
    for (int r = 0; r < g.rows[node]; ++r) {
      const int row = g.row_offset[node] + r;
      if (is_off_[std::size_t(row)] == 0) continue;
      solve::clear_row(problem_, int(node), r);
      r2_[row] = 0.0;
      is_blanked_ = is_blanked_ || (node < layout_.constraints.size() && r < layout_.constraints[node].rows);
    }
}

SolveResult ImplicitStage::factor() {
  problem_.M.setZero();
  problem_.links.setZero();
  problem_.lower.setZero();
  collect_loads();
  inertia_.add_derivative(stage_, u_, loads_, problem_.M);
  add_constraint_stiffness();
  add_force_stiffness();
  switch_rows_off();
  return from(solver_->factor(problem_));
}

}  // namespace catena::implicit
