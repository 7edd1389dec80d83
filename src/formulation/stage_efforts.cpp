#include "formulation/stage_efforts.h"

#include "formulation/momentum.h"

namespace catena {

void StageEfforts::resize(VecX& effort, VecX& rate) const {
  effort.resize(Eigen::Index(list_.accounts.size()));
  rate.resize(effort.size());
}

// Forces along coordinates.
void StageEfforts::read_rows(const VecX& lambda, VecX& effort, VecX& rate) const {
  for (const EffortList::Row& entry : list_.rows) {
    const ForceSlot& slot = layout_.forces[std::size_t(entry.force)];
    const int own = slot.row + entry.row;
    effort[entry.at] = laws_.is_on(own)
                           ? without_potential(layout_, slot, entry.row, system_.coordinates.c[own],
                                               lambda[rows_.coordinate[std::size_t(own)]])
                           : 0.0;
    rate[entry.at] = system_.coordinates.rate[own];
  }
}

void StageEfforts::read_driven(const VecX& lambda, VecX& effort, VecX& rate) const {
  int at = list_.driven;
  visit_driven(
      system_,
      [&](const ConstraintSlot& slot) { return lambda.data() + rows_.constraint[std::size_t(slot.row)]; },
      [&](double its_effort, double its_rate) {
        effort[at] = its_effort;
        rate[at++] = its_rate;
      });
}

void StageEfforts::add_row_impulses(const VecX& mu, VecX& impulse) const {
  int at = list_.driven;
  for (const int c : layout_.driven) {
    const ConstraintSlot& slot = layout_.constraints[std::size_t(c)];
    if (!slot.acts_elsewhere) impulse.segment(at, slot.rows) += mu.segment(slot.row, slot.rows);
    at += slot.acts_elsewhere ? 1 : slot.rows;
  }
}

void StageEfforts::read(const VecX& lambda, const Instant& at, VecX& effort, VecX& rate) {
  resize(effort, rate);
  read_rows(lambda, effort, rate);
  if (!list_.has_more_than_rows()) return;
  read_force_efforts(list_, system_, at, effort, rate);
  read_driven(lambda, effort, rate);
}

// The laws were evaluated at u = 0; their rows are linear in u.
void StageEfforts::read_linear_rows(const Stage& stage, const VecX& u, const VecX& lambda, VecX& effort,
                                    VecX& rate) const {
  for (const EffortList::Row& entry : list_.rows) {
    const ForceSlot& slot = layout_.forces[std::size_t(entry.force)];
    const int own = slot.row + entry.row;
    const double force = lambda[rows_.coordinate[std::size_t(own)]], c_t = system_.coordinates.c_t[own];
    // J u of a row in the matrix follows from its λ
    const double change = laws_.is_unknown(stage, own)
                              ? (laws_.response(own).force - force) / laws_.stiffness(stage, own)
                              : laws_.change_along(slot, entry.row, u);
    const double end = system_.coordinates.c[own] + stage.tau * c_t + change;
    effort[entry.at] = laws_.is_on(own) ? without_potential(layout_, slot, entry.row, end, force) : 0.0;
    rate[entry.at] =
        c_t + 0.5 * (change / stage.tau + laws_.change_along(slot, entry.row, *stage.start_velocity));
  }
}

void StageEfforts::read_linear(const Stage& stage, const VecX& u, const VecX& lambda, VecX& effort,
                               VecX& rate) {
  resize(effort, rate);
  read_linear_rows(stage, u, lambda, effort, rate);
  if (!list_.has_more_than_rows()) return;
  // other forces where they are at both ends: they are cheap next to the factor
  start_rate_ = rate;
  const auto read_at = [&](const VecX& q, const VecX& v, VecX& rate_there) {
    const Instant at{q, v, stage.time, *stage.memory, stage.tau};
    system_.place(at);
    read_force_efforts(list_, system_, at, effort, rate_there);
  };
  read_at(*stage.q0, *stage.start_velocity, start_rate_);
  displace_bodies(layout_, *stage.q0, u, q_);
  v_ = (1.0 / stage.tau) * (u - *stage.velocity_base);
  read_at(q_, v_, rate);
  rate = 0.5 * (rate + start_rate_);
  read_driven(lambda, effort, rate);
}

}  // namespace catena
