// Before and after the scheme of an attempt (src/sim/step.cpp): what it begins with, and how its end becomes the state.
#include "sim/impl.h"
#include "sim/ledger.h"

#include <cassert>

namespace catena {

StepStart Simulation::Impl::start_of_step(double dt) const {
  assert(dt > 0.0 && state.q.size() == equations->num_q() && state.v.size() == equations->num_v());
  assert(state.q.allFinite() && state.v.allFinite() && "only finite states are committed");
  const IntegratorTraits& scheme_traits = traits(choice.integrator);
  if (scheme_traits.start == StartSolution::needed || scheme_traits.start == StartSolution::guess)
    reach(Reached::solved);
  const Balance now = scheme_traits.has_inertia ? balance() : Balance{};
  return {state,
          clock_after(state, dt).time,
          solution_.result,
          solution_.acceleration,
          solution_.lambda,
          now.energy,
          now.powers,
          unexplained_energy()};
}

void Simulation::Impl::complete_next(double dt) {
  next.time_rest = clock_after(state, dt).rest;
  next.memory = state.memory;
  next.coordinates = state.coordinates;
  advance_memory(next);
  next.steps = state.steps + 1;
  next.substep = state.substep;
  next.ledger = state.ledger;
  if (!traits(choice.integrator).takes_inequalities) next.features = state.features;
  if (traits(choice.integrator).remembers) return;
  next.history.lengths.resize(state.history.lengths.size());
  next.history.forget();
}

std::string Simulation::Impl::commit(double dt, const StepOutcome& outcome, StepReport& report) {
  assert(next.q.size() == state.q.size() && next.v.size() == state.v.size() &&
         next.memory.size() == state.memory.size());
  assert(next.steps == state.steps + 1 && next.time >= state.time);
  equations->evaluate(instant_of(next));
  swap(state, next);
  const Balance at_start = balance_;
  arrive();
  std::string why;
  try {
    if (traits(choice.integrator).has_inertia) {
      book_work(at_start, balance(), dt, outcome.work, state.ledger);
      why = watch_energy(*this, next, at_start, report);
    }
  } catch (...) {  // from a user's force, whose power is asked for
    swap(state, next);
    throw;
  }
  if (!why.empty()) {
    swap(state, next);
    return why;
  }
  if (scheme->reports_step_multipliers())
    state.multipliers = *scheme->step_multipliers();
  else
    state.multipliers.resize(0);
  return {};
}

}  // namespace catena
