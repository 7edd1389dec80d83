// What is known at the state of a simulation: found when it is asked for, once, and always in the same way.
//
// A state is evaluated, factored, solved. A step that begins with the solution lets the solver factor and solve in one pass; one that does
// not use it needs the factor alone, and whoever reads solves with that factor: who asks first makes no difference.
#include "sim/impl.h"
#include "sim/ledger.h"

#include <cassert>

namespace catena {

void Simulation::Impl::forget_known() {
  forget_all_but(Reached::elsewhere);
}

void Simulation::Impl::arrive() {
  factor_result_ = {};
  forget_all_but(scheme_leaves_factor ? Reached::factored : Reached::evaluated);
}

// Nobody reads while the state changes, so that no order of these needs to be seen.
void Simulation::Impl::forget_all_but(Reached reached) {
  reached_.store(reached, std::memory_order_relaxed);
  for (std::atomic<bool>* flag : {&balance_is_known_, &bodies_are_known_, &joint_multipliers_are_known_})
    flag->store(false, std::memory_order_relaxed);
}

void Simulation::Impl::restart(State start) {
  state = std::move(start);
  forget_known();
  start_is_checked = false;
  rates_are_known = false;
  energy_scale = -1.0;
  last_tension = -1.0;
}

void Simulation::Impl::go_back(const State& earlier) {
  state = earlier;
  forget_known();
  start_is_checked = true;
}

void Simulation::Impl::reach(Reached wanted) const {
  if (reached_.load(std::memory_order_acquire) >= wanted) return;
  const std::unique_lock lock = lock_known();
  reach_locked(wanted);
}

// A step has the simulation for itself: nobody reads while the state changes.
std::unique_lock<std::mutex> Simulation::Impl::lock_known() const {
  return is_stepping_ ? std::unique_lock<std::mutex>() : std::unique_lock(known_mutex_);
}

void Simulation::Impl::reach_locked(Reached wanted) const {
  if (reached_ == Reached::elsewhere) {
    equations->evaluate(instant_of(state));
    reached_.store(Reached::evaluated, std::memory_order_release);
  }
  if (wanted == Reached::solved && reached_ < Reached::solved) solve_locked();
  if (wanted == Reached::factored && reached_ < Reached::factored) {
    factor_result_ = equations->factor();
    reached_.store(Reached::factored, std::memory_order_release);
  }
}

void Simulation::Impl::solve_locked() const {
  Solution& out = solution_;
  if (reached_ == Reached::evaluated && traits(choice.integrator).start != StartSolution::unused) {
    out.result = equations->solve_accelerations(out.acceleration, out.lambda);
    const bool factored = out.result.ok() || out.result.status == SolveResult::Status::residual;
    factor_result_ = factored ? SolveResult{} : out.result;
  } else {
    if (reached_ == Reached::evaluated) factor_result_ = equations->factor();
    out.result = factor_result_;
    right_side_ = -equations->bias();
    if (out.result.ok())
      out.result = equations->solve_checked(equations->force(), right_side_, out.acceleration, out.lambda);
  }
  if (!out.result.ok()) {
    out.acceleration.setZero(equations->num_v());
    out.lambda.setZero(equations->num_rows());
  }
  assert(out.acceleration.size() == equations->num_v() && out.lambda.size() == equations->num_rows());
  reached_.store(Reached::solved, std::memory_order_release);
}

Equations& Simulation::Impl::evaluated() const {
  reach(Reached::evaluated);
  return *equations;
}

void Simulation::Impl::find_bodies_locked() const {
  if (bodies_are_known_) return;
  joint_equations->to_bodies(state.q, state.v, body_q_, body_v_);
  bodies_are_known_ = true;
}

Instant Simulation::Impl::body_instant() const {
  if (joint_equations == nullptr) return instant_of(state);
  if (!bodies_are_known_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(known_mutex_);
    find_bodies_locked();
  }
  return {body_q_, body_v_, state.time, state.memory};
}

BodyEquations& Simulation::Impl::evaluated_bodies() const {
  if (joint_equations == nullptr) {
    reach(Reached::evaluated);
    return *body_equations;
  }
  const std::lock_guard lock(known_mutex_);
  reach_locked(Reached::evaluated);
  return joint_equations->bodies();
}

const Solution& Simulation::Impl::solved() const {
  reach(Reached::solved);
  return solution_;
}

const SolveResult& Simulation::Impl::factored() const {
  reach(Reached::factored);
  return factor_result_;
}

const SolveResult& Simulation::Impl::start_result() const {
  static const SolveResult nothing_asked;
  switch (traits(choice.integrator).start) {
    case StartSolution::needed:
      return solved().result;
    case StartSolution::guess:
    case StartSolution::none:
      return nothing_asked;
    case StartSolution::unused:
      break;
  }
  reach(Reached::factored);
  return factor_result_;
}

const Balance& Simulation::Impl::balance() const {
  if (balance_is_known_.load(std::memory_order_acquire)) return balance_;
  const std::unique_lock lock = lock_known();
  if (balance_is_known_) return balance_;
  reach_locked(equations->is_driven() ? Reached::solved : Reached::evaluated);
  balance_.energy = equations->energy();
  balance_.powers = equations->powers(solution_.lambda);
  balance_is_known_.store(true, std::memory_order_release);
  return balance_;
}

const VecX& Simulation::Impl::multipliers() const {
  if (state.multipliers.size() > 0) return state.multipliers;
  const Solution& solution = solved();
  if (joint_equations == nullptr) return solution.lambda;
  if (joint_multipliers_are_known_.load(std::memory_order_acquire)) return joint_multipliers_;
  const std::lock_guard lock(known_mutex_);
  if (joint_multipliers_are_known_) return joint_multipliers_;
  joint_multipliers_ = solution.lambda;
  if (solution.result.ok()) joint_equations->complete_multipliers(solution.acceleration, joint_multipliers_);
  joint_multipliers_are_known_ = true;
  return joint_multipliers_;
}

VecX Simulation::Impl::body_accelerations() const {
  const Solution& solution = solved();
  if (joint_equations == nullptr) return solution.acceleration;
  const std::lock_guard lock(known_mutex_);
  VecX out;
  joint_equations->body_accelerations(solution.acceleration, out);
  return out;
}

double Simulation::Impl::tension_frequency() {
  constexpr std::uint64_t kEvery = 256;
  if (joint_equations == nullptr) return body_equations->tension_frequency(solved().lambda);
  if (last_tension < 0.0 || state.steps % kEvery == 0)
    last_tension = evaluated_bodies().tension_frequency(multipliers());
  return last_tension;
}

double Simulation::Impl::unexplained_energy() const {
  if (!traits(choice.integrator).has_inertia) return 0.0;
  return balance().energy.total() - start_energy - external_work(state.ledger);
}

}  // namespace catena
