// Before and after the scheme of an attempt (src/sim/step.cpp): what it begins with, and how its end becomes the state.
#include "sim/impl.h"
#include "sim/ledger.h"

namespace catena {

StepStart Simulation::Impl::start_of_step() const {
  const IntegratorTraits& scheme_traits = traits(choice.integrator);
  if (scheme_traits.start != StartSolution::unused) reach(Reached::solved);
  const Balance now = scheme_traits.has_inertia ? balance() : Balance{};
  return {state,      solution_.result, solution_.acceleration, solution_.lambda,
          now.energy, now.powers,       unexplained_energy()};
}

void Simulation::Impl::complete_next() {
  next.memory = state.memory;
  system->advance_memory(instant_of(next), next.memory);
  next.coordinates = state.coordinates;
  next.steps = state.steps + 1;
  next.substep = state.substep;
  next.ledger = state.ledger;
  next.features = state.features;
  if (traits(choice.integrator).remembers) return;
  next.history.lengths.resize(state.history.lengths.size());
  next.history.forget();
}

std::string Simulation::Impl::commit(double dt, const StepOutcome& outcome, StepReport& report) {
  std::swap(state, next);
  const Balance at_start = balance_;
  arrive();
  if (traits(choice.integrator).has_inertia) {
    book_work(at_start, balance(), dt, outcome.work, state.ledger);
    if (std::string why = watch_energy(*this, next, at_start, report); !why.empty()) {
      std::swap(state, next);
      return why;
    }
  }
  has_step_multipliers_ = scheme->reports_step_multipliers();
  if (has_step_multipliers_) step_multipliers_ = *scheme->step_multipliers();
  return {};
}

}  // namespace catena
