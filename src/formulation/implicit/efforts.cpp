// What a stage says about work: efforts and rates (formulation/efforts.h) where it ended, where a step starts, and of a linearised step.
#include "formulation/implicit/equations.h"

namespace catena::implicit {

void ImplicitStage::resize_efforts(VecX& effort, VecX& rate) const {
  effort.resize(Eigen::Index(efforts_.accounts.size()));
  rate.resize(effort.size());
}

// Forces along coordinates, as the laws were last evaluated.
void ImplicitStage::read_row_efforts(const VecX& lambda, VecX& effort, VecX& rate) const {
  for (const EffortList::Row& entry : efforts_.rows) {
    const ForceSlot& slot = layout_.forces[std::size_t(entry.force)];
    const int own = slot.row + entry.row;
    const bool is_on = laws_.is_on(own);
    effort[entry.at] =
        is_on ? without_potential(layout_, slot, entry.row, system_.coordinates.c[own],
                                  lambda[blocks_.force_row[std::size_t(entry.force)] + entry.row])
              : 0.0;
    rate[entry.at] = system_.coordinates.rate[own];
  }
}

// Constraints that are driven, and those that act elsewhere than along their rows, at the velocities v_.
void ImplicitStage::read_driven_efforts(const VecX& lambda, VecX& effort, VecX& rate) const {
  for (const EffortList::Single& entry : efforts_.driven) {
    const ConstraintSlot& slot = layout_.constraints[std::size_t(entry.index)];
    for (int r = 0; r < slot.rows; ++r) {
      effort[entry.at + r] = lambda[blocks_.constraint_row[std::size_t(entry.index)] + r];
      rate[entry.at + r] = -system_.rows.C_t[slot.row + r];  // J v
    }
  }
  for (const EffortList::Single& entry : efforts_.elsewhere) {
    effort[entry.at] = solve::force_times(problem_, entry.index, lambda, v_);
    rate[entry.at] = 1.0;
  }
}

void ImplicitStage::add_row_impulses(const VecX& mu, VecX& impulse) const {
  for (const EffortList::Single& entry : efforts_.driven) {
    const ConstraintSlot& slot = layout_.constraints[std::size_t(entry.index)];
    impulse.segment(entry.at, slot.rows) += mu.segment(slot.row, slot.rows);
  }
}

void ImplicitStage::read_efforts(VecX& effort, VecX& rate) {
  resize_efforts(effort, rate);
  if (efforts_.is_empty()) return;
  read_row_efforts(lambda_, effort, rate);
  if (!efforts_.has_more_than_rows()) return;
  read_force_efforts(efforts_, system_, instant(), effort, rate);
  read_driven_efforts(lambda_, effort, rate);
}

void ImplicitStage::read_start_efforts(const State& at, const VecX& constraint_lambda, VecX& effort,
                                       VecX& rate) {
  resize_efforts(effort, rate);
  if (efforts_.is_empty()) return;
  if (!is_at_start_) {
    q_ = at.q;
    v_ = at.v;
    stage_.memory = &at.memory;
    stage_.time = at.time;
    stage_.is_linearised = false;
    system_.place(instant());
    laws_.evaluate(stage_, instant());
  }
  is_at_start_ = false;
  if (!efforts_.elsewhere.empty())  // the K of the last iteration would be memory nobody saves
    update_rows(layout_, system_.kinematics, instant(), RowParts::without_bias, system_.rows, sink());
  lambda_.setZero(num_lambda());
  for (std::size_t r = 0; r < blocks_.model_row.size(); ++r)
    if (blocks_.model_row[r] >= 0) lambda_[Eigen::Index(r)] = constraint_lambda[blocks_.model_row[r]];
  for (const EffortList::Row& entry : efforts_.rows) {
    const int own = layout_.forces[std::size_t(entry.force)].row + entry.row;
    lambda_[blocks_.force_row[std::size_t(entry.force)] + entry.row] = laws_.response(own).force;
  }
  read_row_efforts(lambda_, effort, rate);
  read_force_efforts(efforts_, system_, instant(), effort, rate);
  read_driven_efforts(lambda_, effort, rate);
}

// The laws were evaluated at u = 0; their rows are linear in u.
void ImplicitStage::read_linear_rows(const VecX& u, const VecX& lambda, VecX& effort, VecX& rate) const {
  for (const EffortList::Row& entry : efforts_.rows) {
    const ForceSlot& slot = layout_.forces[std::size_t(entry.force)];
    const int own = slot.row + entry.row, row = blocks_.force_row[std::size_t(entry.force)] + entry.row;
    // J u of a row in the matrix follows from its λ
    const double c_t = system_.coordinates.c_t[own],
                 change = is_off_[std::size_t(row)] == 0
                              ? (laws_.response(own).force - lambda[row]) / laws_.stiffness(stage_, own)
                              : laws_.change_along(slot, entry.row, u);
    const double end = system_.coordinates.c[own] + stage_.tau * c_t + change;
    effort[entry.at] = laws_.is_on(own) ? without_potential(layout_, slot, entry.row, end, lambda[row]) : 0.0;
    rate[entry.at] =
        c_t + 0.5 * (change / stage_.tau + laws_.change_along(slot, entry.row, *stage_.start_velocity));
  }
}

void ImplicitStage::read_linear_efforts(const VecX& u, const VecX& lambda, VecX& effort, VecX& rate) {
  resize_efforts(effort, rate);
  if (efforts_.is_empty()) return;
  read_linear_rows(u, lambda, effort, rate);
  if (!efforts_.has_more_than_rows()) return;
  velocity(u, v_);
  read_driven_efforts(lambda, effort, rate);
  // other forces where they are at both ends: they are cheap next to the factor
  start_rate_ = rate;
  const VecX& q0 = *stage_.q0;
  system_.place({q0, *stage_.start_velocity, stage_.time, *stage_.memory, stage_.tau});
  read_force_efforts(efforts_, system_, {q0, *stage_.start_velocity, stage_.time, *stage_.memory, stage_.tau},
                     effort, start_rate_);
  displace_bodies(layout_, q0, u, q_);
  velocity(u, v_);
  system_.place(instant());
  read_force_efforts(efforts_, system_, instant(), effort, rate);
  rate = 0.5 * (rate + start_rate_);
}

}  // namespace catena::implicit
