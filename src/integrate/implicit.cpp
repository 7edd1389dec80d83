#include "integrate/implicit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace catena {
namespace {
// What a substep may add to the energy by itself: this part of the kinetic energy, or this part of what earlier steps have lost. A smooth
// motion that the step barely resolves loses and regains energy as it swings; only what was never there must not come.
constexpr double kGain = 1e-3, kRegain = 0.25;
// Parts of a step that may fail, over the halvings of one: a step that needs short parts all the way costs a multiple of steps that short.
constexpr int kFailuresPerHalving = 16;
// Iterations of Newton's method in all parts of a step: at least these, or this many times what a stage may take. Each costs a factorisation
// at most, as does a part.
constexpr int kIterationsOfStep = 1000, kIterationsPerStage = 50;
constexpr double kSameTime = 1e-6;  // of a step: far below its shortest part, far above rounding

/// What acts from outside may add energy; dampers and drag cannot.
double largest_input(const Powers& powers) {
  double sum = 0.0;
  for (const AccountTraits& traits : kAccounts)
    if (traits.may_give) sum += std::abs(powers[traits.account]);
  return sum;
}
}  // namespace

StepOutcome Implicit::step(Equations& equations, const Options& options, const StepStart& start, double h,
                           State& next) {
  assert(h > 0.0 && start.state.v.size() == stage_->num_v() && start.end_time >= start.state.time);
  options_ = &options;
  outcome_ = {};
  now_ = start.state;
  acceleration_ = start.acceleration;
  energy_ = start.energy.total();
  unexplained_ = start.unexplained_energy;
  input_ = largest_input(start.powers);
  stage_->set_redundant_rows(equations.redundant_rows());
  meter_.begin(*stage_, now_, h, start.lambda, lambda_);
  is_metered_ = true;
  recall(now_.history);
  step_ = h;
  end_time_ = start.end_time;
  if (!take_step(equations, h)) {
    if (outcome_.ok())
      outcome_.status = outcome_.solve.ok() ? StepOutcome::Status::positions_not_converged
                                            : StepOutcome::Status::solve_failed;
    return outcome_;
  }
  outcome_.stubborn = {};
  next.q = now_.q;
  next.v = now_.v;
  next.time = start.end_time;
  next.history.lengths.resize(start.state.history.lengths.size());
  write(next.history);
  has_springs_ = stage_->constraint_lambda(lambda_, multipliers_);
  return outcome_;
}

bool Implicit::take_step(Equations& equations, double h) {
  if (needs_acceleration() && stage_->has_stops()) {  // stops answer differently within a step: respond()
    equations.evaluate({now_.q, now_.v, now_.time, now_.memory, step_});
    outcome_.solve = equations.factor();
    right_side_ = -equations.bias();
    if (outcome_.solve.ok())
      outcome_.solve = equations.solve_checked(equations.force(), right_side_, acceleration_, mu_);
    if (!outcome_.solve.ok()) {
      outcome_.status = StepOutcome::Status::solve_failed;
      return false;
    }
  }
  return starts_short() ? take_first_step(equations, h) : substep(equations, h, 0);
}

// h/16, h/16, h/8, h/4, h/2: what a first step of lower order costs in accuracy is then 1/256 of what it would cost at full length.
bool Implicit::take_first_step(Equations& equations, double h) {
  constexpr int kDoublings = 4;
  double part = std::ldexp(h, -kDoublings);
  if (!substep(equations, part, kDoublings)) return false;
  for (int k = 0; k < kDoublings; ++k, part *= 2.0)
    if (!substep(equations, part, kDoublings - k)) return false;
  return true;
}

bool Implicit::substep(Equations& equations, double h, int level) {
  if (outcome_.iterations >
      std::max(kIterationsOfStep, kIterationsPerStage * options_->max_newton_iterations)) {
    outcome_.status = StepOutcome::Status::too_much_work;
    return false;
  }
  const bool too_long = last_step() > 0.0 && h > 1.0001 * largest_growth() * last_step();
  if (!too_long) {
    stage_->momentum(now_.q, now_.v, momentum_);
    lambda_before_ = lambda_;
    if (advance(h)) {
      const Verdict verdict = accept(equations, h, may_gain_energy());
      if (verdict != Verdict::gained) return verdict == Verdict::taken;
      lambda_ = lambda_before_;
      ++outcome_.damped_substeps;
      if (advance_euler(h)) return accept(equations, h, false) == Verdict::taken;
    }
    lambda_ = lambda_before_;
    ++outcome_.halvings;
  }
  if (level >= options_->max_halvings || outcome_.halvings >= kFailuresPerHalving * options_->max_halvings)
    return false;
  return substep(equations, 0.5 * h, level + 1) && substep(equations, 0.5 * h, level + 1);
}

// The substep becomes the state; its velocity is projected, and its acceleration found where the next one needs it.
Implicit::Verdict Implicit::accept(Equations& equations, double h, bool check_energy) {
  q_ = now_.q;
  equations.retract(u_, q_);
  const double time = time_after(h);
  equations.evaluate({q_, v_, time, now_.memory, step_});
  outcome_.solve = equations.factor();
  if (outcome_.solve.ok()) {
    right_side_ = -equations.C_t();
    rate_.resize(v_.size());
    equations.apply_mass(v_, rate_);
    outcome_.solve = equations.solve_checked(rate_, right_side_, projected_, mu_);  // (1)
  }
  if (!outcome_.solve.ok()) return fail();

  equations.apply_mass(projected_, rate_);
  const Energy unprojected = equations.energy();
  const double kinetic = 0.5 * projected_.dot(rate_),
               energy = unprojected.total() - unprojected.kinetic + kinetic;
  const double input_at_end = meter_.largest_input(*stage_), input = h * (input_ + input_at_end);
  const double lost = std::max(0.0, -unexplained_);
  if (check_energy && energy - energy_ > input + std::max(kGain * kinetic, kRegain * lost))
    return Verdict::gained;

  stage_->add_row_impulses(mu_, meter_.impulse);  // of (1)
  meter_.book(*stage_, outcome_.work);
  is_metered_ = false;
  unexplained_ += energy - energy_;  // within a step; what acts from outside is booked after it
  energy_ = energy;
  input_ = input_at_end;
  v_before_ = now_.v;
  now_.q = q_;
  now_.v = projected_;
  now_.time = time;
  outcome_.constraint_error = largest_error(equations.C(), outcome_.worst_row);
  if (needs_acceleration()) {
    equations.evaluate({now_.q, now_.v, now_.time, now_.memory, step_});
    right_side_ = -equations.bias();
    outcome_.solve = equations.solve_checked(equations.force(), right_side_, acceleration_, mu_);
    if (!outcome_.solve.ok()) return fail();
  }
  remember(h);
  if (stage_->take_stop_changes()) forget();
  return Verdict::taken;
}

Implicit::Verdict Implicit::fail() {
  outcome_.status = StepOutcome::Status::solve_failed;
  return Verdict::failed;
}

bool Implicit::solve_stage(const Stage& stage, VecX& u) {
  stage_->begin(stage);
  const NewtonResult result = newton_.solve(*stage_, *options_, u, lambda_);
  outcome_.iterations += result.iterations;
  outcome_.wrong_pivots += result.wrong_signs;
  outcome_.constraint_error = result.error.constraints;
  outcome_.worst_row = result.error.worst_row;
  outcome_.worst_force = result.error.worst_force;
  outcome_.force_error = result.error.forces;
  outcome_.worst_body = result.error.worst_body;
  outcome_.solve = result.solve;
  outcome_.turned_body = -1;
  if (!result.converged) {
    outcome_.stubborn = {result.error.worst_row, result.error.worst_force, result.error.worst_body};
    return false;
  }
  int body = -1;
  if (stage_->largest_turn(u, &body) < kLargestTurn) return true;
  outcome_.turned_body = body;
  outcome_.stubborn = {-1, -1, body};
  return false;
}

void Implicit::momentum_rate(VecX& rate) {
  stage_->momentum_rate(now_.q, now_.v, acceleration_, rate);
}

// The last substep ends where the step does to the last bit: its factor is then that of the state.
double Implicit::time_after(double h) const {
  const double time = now_.time + h;
  return std::abs(end_time_ - time) < kSameTime * step_ ? end_time_ : time;
}

bool Implicit::advance_euler(double h) {
  base_.setZero(momentum_.size());
  u_ = h * now_.v;
  if (!solve_stage({&now_.q, &now_.memory, time_after(h), &base_, h, &momentum_, nullptr, h * h}, u_))
    return false;
  stage_->velocity(u_, v_);
  meter_.read(*stage_);
  meter_.impulse = h * meter_.end;
  return true;
}

// Stage 1 to t + g h by the trapezoidal rule, stage 2 to t + h by BDF2, both from q_n; g = 2 - √2 makes their matrices alike.
bool Implicit::advance_tr_bdf2(double h) {
  const double g = 2.0 - std::numbers::sqrt2, tau = 0.5 * g * h, share = 1.0 / (g * (2.0 - g));
  if (!is_metered_) meter_.begin(*stage_, now_, h, mu_, start_lambda_);  // accept() left λ of now_ in mu_
  is_metered_ = true;
  momentum_rate(rate_);
  pi_star_ = momentum_ + tau * rate_;
  base_ = tau * now_.v;
  u1_ = (2.0 * tau) * now_.v;
  const double t = now_.time;
  if (!solve_stage({&now_.q, &now_.memory, t + g * h, &base_, tau, &pi_star_, nullptr, tau * tau}, u1_))
    return false;
  stage_->velocity(u1_, v_);
  meter_.read(*stage_);
  first_efforts_ = meter_.start + meter_.end;
  stage_->displaced_momentum(now_.q, u1_, v_, pi1_);
  pi_star_ = momentum_ + share * (pi1_ - momentum_);
  base_ = share * u1_;
  u_ = tau * v_ + base_;
  if (!solve_stage({&now_.q, &now_.memory, time_after(h), &base_, tau, &pi_star_, nullptr, tau * tau}, u_))
    return false;
  stage_->velocity(u_, v_);
  meter_.read(*stage_);
  meter_.impulse = (share * tau) * first_efforts_ + tau * meter_.end;
  return true;
}

Eigen::Index Implicit::meter_parts(int count) const {
  const Eigen::Index n = stage_->num_v();
  return n > 0 ? (count * meter_.size() + n - 1) / n : 0;
}

void Implicit::write_meter(const VecX& numbers, int place, int count, Eigen::Index first,
                           History& history) const {
  const Eigen::Index n = stage_->num_v(), used = first * n, m = meter_.size();
  assert(numbers.size() == m && used + meter_parts(count) * n <= history.numbers.size());
  history.numbers.segment(used + place * m, m) = numbers;
  history.numbers.segment(used + count * m, meter_parts(count) * n - count * m).setZero();
}

void Implicit::read_meter(const History& history, int place, Eigen::Index first, VecX& numbers) const {
  numbers = history.numbers.segment(first * stage_->num_v() + place * meter_.size(), meter_.size());
}

}  // namespace catena
