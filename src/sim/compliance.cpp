// What points of bodies answer to wrenches on them, with all constraints held: operational space in body coordinates.
//
//   Λ = T M̂⁻¹Tᵀ       T: (velocity of the point ; angular velocity) over the velocities of its body                        (1)
//   M̂⁻¹               x-part of the inverse of M x = f + Jᵀλ, J x = 0
//
// By the factor of the solver, along the ways from the bodies to its roots (solve/response_matrix.h): on a tree that is the selected inverse
// of the factor, and the recursion of formulation/minimal/operational_space.cpp in other words. Bodies of every kind have a T.
// Cost: 6 · points solves of those ways.
#include "sim/impl.h"
#include "solve/response_matrix.h"

#include <fmt/core.h>

namespace catena {
namespace {

void add_unit_rows(const Simulation::Impl& sim, const Instant& now, const Attachment& at,
                   solve::SparseRows& rows) {
  const int index = sim.model.index_of(at.body);
  if (at.body != world && index < 0)
    throw InvalidInput({{fmt::format("body id {}", at.body.value), "is not in the model",
                         "take the id from Model::add or Model::find_body"}});
  MatX T;
  if (index >= 0) {
    const BodySlot& slot = sim.system->layout.bodies[std::size_t(index)];
    T.setZero(slot.num_v, 6);
    PointMap point;
    slot.body->point(now.q.data() + slot.q, now.v.data() + slot.v, at.point, point);
    T.leftCols<3>() = point.J.transpose();
    FrameMap frame;
    if (slot.body->has_orientation()) {
      slot.body->frame(now.q.data() + slot.q, now.v.data() + slot.v, frame);
      T.rightCols<3>() = frame.W.transpose();
    }
  }
  for (int i = 0; i < 6; ++i) {
    rows.add_row();
    if (index >= 0) rows.add_part(index, int(T.rows()), T.col(i).data());
  }
}

}  // namespace

MatX Simulation::Impl::compliance(std::span<const Attachment> points) const {
  solve::SparseRows rows, along_rows;
  const Instant now = body_instant();
  for (const Attachment& at : points) add_unit_rows(*this, now, at, rows);
  for (int i = 0; i < rows.size(); ++i) along_rows.add_row();
  const std::lock_guard lock(known_mutex_);
  reach_locked(joint_equations ? Reached::evaluated : Reached::factored);
  BodyEquations& bodies = joint_equations ? joint_equations->bodies() : *body_equations;
  const SolveResult result = joint_equations ? bodies.factor() : factor_result_;
  if (!result.ok()) throw InvalidInput({{"compliance", explain(*this, result), "read it at another state"}});
  MatX Lambda(rows.size(), rows.size());
  solve::ResponseMatrix().compute(bodies.solver(), bodies.problem(), rows, along_rows, Lambda);
  return Lambda;
}

MatX Simulation::compliance(std::span<const Attachment> points) const {
  return impl_->compliance(points);
}

}  // namespace catena
