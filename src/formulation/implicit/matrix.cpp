// The matrix of Newton's method, (1) of equations.h.
#include "formulation/implicit/equations.h"
#include "formulation/joint_rows.h"
#include "formulation/mass.h"

#include <algorithm>

namespace catena::implicit {

double* ImplicitStage::place(const BlockPlace& at) {
  double* const parts[] = {nullptr, problem_.M.data(), problem_.links.data(), problem_.lower.data()};
  return at.kind == BlockPlace::Kind::none ? nullptr : parts[int(at.kind)] + at.offset;
}

void ImplicitStage::add_joint_stiffness(std::size_t constraint) {
  const ConstraintSlot& slot = layout_.constraints[constraint];
  const BlockPlace* at = blocks_.places.data() + blocks_.constraint_places[constraint];
  const auto add = [&](const BlockPlace& where, const auto& K) {
    if (double* block = place(where)) MarkerStiffness::Block(block).bottomRightCorner<3, 3>() -= stage_.s * K;
  };
  with_joint(slot.joint, [&]<JointType TYPE>() {
    const JointStiffness K = joint_stiffness<TYPE>(JointSides(layout_, slot, system_.kinematics),
                                                   lambda_.data() + blocks_.constraint_row[constraint]);
    add(at[0], K.aa);
    add(at[3], K.bb);
    if constexpr (kDots<TYPE> == 0) return;
    add(at[1], K.ab);
    add(at[2], K.ab.transpose());
  });
}

// -s T_kᵀ K_kl T_l for all pairs of markers, K in derivatives_
void ImplicitStage::add_marker_stiffness(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner,
                                         const MarkerSet& set, int first_place) {
  const int count = owner.num_markers();
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < count; ++l)
      if (double* block = place(blocks_.places[std::size_t(first_place + k * count + l)]))
        add_pair_stiffness(layout_, markers, set, owner.marker_begin + k, owner.marker_begin + l, -stage_.s,
                           derivatives_.K.data() + 36 * (k * count + l), block);
}

// The forces of rows turn with the levers they act on.
void ImplicitStage::add_row_levers(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner,
                                   const MarkerSet& set, int rows, const double* G, const double* lambda) {
  for (int m = owner.marker_begin; m < owner.marker_end; ++m, G += 6 * rows) {
    const int body = markers[std::size_t(m)].body;
    if (body < 0) continue;
    const BodySlot& slot = layout_.bodies[std::size_t(body)];
    add_lever_stiffness(slot, set.levers[std::size_t(m)], wrench_of_rows(rows, G, lambda).force, -stage_.s,
                        problem_.M.data() + slot.M);
  }
}

MarkerStiffness ImplicitStage::clear_stiffness(int markers) {
  derivatives_.K.head(36 * markers * markers).setZero();
  return {markers, derivatives_.K.data()};
}

void ImplicitStage::add_constraint_stiffness() {
  if (!form_.has_constraint_geometry()) return;
  const MarkerSet& set = system_.kinematics.constraints;
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout_.constraints[c];
    if (slot.joint != JointType::other) {
      add_joint_stiffness(c);
      continue;
    }
    const double* lambda = lambda_.data() + blocks_.constraint_row[c];
    add_row_levers(layout_.constraint_markers, slot, set, slot.rows, system_.rows.directions(slot), lambda);
    const bool has_places = blocks_.constraint_places[c + 1] > blocks_.constraint_places[c];
    if (!slot.constraint->has_geometric_stiffness() || !has_places) continue;
    MarkerStiffness K = clear_stiffness(slot.num_markers());
    slot.constraint->add_geometric_stiffness(motion_of(slot, set, instant()),
                                             {lambda, std::size_t(slot.rows)}, K);
    add_marker_stiffness(layout_.constraint_markers, slot, set, blocks_.constraint_places[c]);
  }
}

void ImplicitStage::add_coordinate_stiffness() {
  if (!form_.has_coordinate_geometry() && form_.has_coordinate_rows()) return;
  const MarkerSet& set = system_.kinematics.forces;
  for (std::size_t i = 0; i < layout_.forces.size(); ++i) {
    const ForceSlot& slot = layout_.forces[i];
    if (slot.along == nullptr) continue;
    const double* lambda = lambda_.data() + blocks_.force_row[i];
    const bool acts = std::any_of(lambda, lambda + slot.rows, [](double force) { return force != 0.0; });
    if (!acts && form_.has_coordinate_rows()) continue;
    MarkerStiffness K = clear_stiffness(slot.num_markers());
    if (form_.has_coordinate_geometry() && acts) {
      add_row_levers(layout_.force_markers, slot, set, slot.rows, system_.coordinates.G.data() + slot.G,
                     lambda);
      if (slot.coordinates->has_geometric_stiffness())
        slot.coordinates->add_geometric_stiffness(coordinate_motion(slot, set, instant()),
                                                  {lambda, std::size_t(slot.rows)}, K);
    }
    if (!form_.has_coordinate_rows()) add_law_stiffness(laws_, stage_, slot, system_.coordinates, K);
    add_marker_stiffness(layout_.force_markers, slot, set, blocks_.force_places[i]);
  }
}

// A force of a linearised step that depends on velocities, with derivatives_ at those of the start: r₁ at u = 0, where v = 0, becomes what
// the tangent there says. Linear forces do not change by it.
void ImplicitStage::move_to_start_velocity(const ForceSlot& slot) {
  const MarkerSet& set = system_.trial.forces;
  const int markers = slot.num_markers();
  apply_force(*slot.force, motion_of(slot, system_.kinematics.forces, instant()), system_.wrenches);
  correction_.setZero(num_v());
  for (int k = 0; k < markers; ++k) {
    Eigen::Matrix<double, 6, 1> change =
        derivatives_.wrenches[std::size_t(k)] - system_.wrenches[std::size_t(k)];
    for (int l = 0; l < markers; ++l) {
      const Marker& at = set.markers[std::size_t(slot.marker_begin + l)];
      const Eigen::Map<const Eigen::Matrix<double, 6, 6>> V(derivatives_.V.data() + 36 * (k * markers + l));
      change -= V.leftCols<3>() * at.v + V.rightCols<3>() * at.w;
    }
    const int m = slot.marker_begin + k;
    add_wrench(layout_, layout_.force_markers[std::size_t(m)], set, m, change.data(), correction_);
  }
  balance_.r -= correction_;
}

void ImplicitStage::add_force_stiffness() {
  const MarkerSet& set = system_.kinematics.forces;
  bool is_moved = false;
  for (std::size_t i = 0; i < layout_.forces.size(); ++i) {
    const ForceSlot& slot = layout_.forces[i];
    if (slot.along != nullptr) continue;
    if (stage_.is_linearised && slot.force->depends_on_velocity()) {
      if (!is_moved) {
        update_bodies(layout_, q_, *stage_.start_velocity, system_.trial);
        update_force_markers(layout_, q_, *stage_.start_velocity, system_.trial);
      }
      is_moved = true;
      derivatives_.evaluate(layout_, slot, motion_of(slot, system_.trial.forces, instant()));
      move_to_start_velocity(slot);
    } else {
      derivatives_.evaluate(layout_, slot, motion_of(slot, set, instant()));
    }
    derivatives_.add_rates(layout_, slot, set, u_, stage_.tau);
    for (int m = slot.marker_begin; m < slot.marker_end; ++m)
      if (const int body = layout_.force_markers[std::size_t(m)].body; body >= 0) {
        const BodySlot& at = layout_.bodies[std::size_t(body)];
        add_lever_stiffness(at, set.levers[std::size_t(m)],
                            derivatives_.wrenches[std::size_t(m - slot.marker_begin)].head<3>(), -stage_.s,
                            problem_.M.data() + at.M);
      }
    if (blocks_.force_places[i + 1] > blocks_.force_places[i])
      add_marker_stiffness(layout_.force_markers, slot, set, blocks_.force_places[i]);
  }
}

// The wrenches at all markers on bodies of other kinds.
void ImplicitStage::collect_loads() {
  loads_.clear();
  if (!layout_.has_other_bodies) return;
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c)
    if (const ConstraintSlot& slot = layout_.constraints[c]; slot.joint == JointType::other)
      add_row_loads(layout_, layout_.constraint_markers, slot, slot.rows, system_.rows.directions(slot),
                    lambda_.data() + blocks_.constraint_row[c], loads_);
  for (std::size_t i = 0; i < layout_.forces.size(); ++i)
    if (const ForceSlot& slot = layout_.forces[i]; slot.along != nullptr)
      add_row_loads(layout_, layout_.force_markers, slot, slot.rows, system_.coordinates.G.data() + slot.G,
                    lambda_.data() + blocks_.force_row[i], loads_);
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
      is_blanked_ = is_blanked_ || blocks_.model_row[std::size_t(row)] >= 0;
    }
}

SolveResult ImplicitStage::factor() {
  problem_.M.setZero();
  problem_.links.setZero();
  problem_.lower.setZero();
  collect_loads();
  inertia_.add_derivative(stage_, u_, loads_, problem_.M);
  add_constraint_stiffness();
  add_coordinate_stiffness();
  add_force_stiffness();
  switch_rows_off();
  const solve::FactorResult result = solver_->factor(problem_);
  if (result.ok()) return {};
  return {SolveResult::Status::singular, result.constraint, result.body, 0.0};
}

}  // namespace catena::implicit
