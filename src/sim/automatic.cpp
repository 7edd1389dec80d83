// The automatic choice of the integrator: does the step resolve the fastest oscillations?
//
// Rattle keeps energy far better than a damped scheme, but keeps the direction of constraint forces from the start of a step and takes
// springs explicitly: it needs ω·dt < 2 for all of them, and is used below 1. Adaptive steps serve bodies that rattle does not take; they
// are as short as stability asks for, and give way to an implicit scheme where these would be many. What counts: src/sim/rates.h.
#include "sim/impl.h"

#include <fmt/format.h>

#include <utility>

namespace catena {
namespace {

constexpr double kResolved = 1.0;   // ω·dt up to which rattle is taken
constexpr double kFollowed = 10.0;  // and adaptive steps

}  // namespace

Choice planned_choice(Simulation::Impl& sim, double dt) {
  Choice choice = sim.choice;
  if (!std::exchange(choice.integrator_is_provisional, false)) return choice;
  const Fastest fastest = find_fastest(sim);
  const double omega_dt = fastest.omega * dt;
  const double limit = traits(choice.integrator).is_adaptive ? kFollowed : kResolved;
  const std::string swings = fmt::format("{} may swing at {:.3g} rad/s, ω·dt = {:.2g}",
                                         describe(sim.model, fastest), fastest.omega, omega_dt);
  if (omega_dt <= limit) {
    choice.integrator_reason +=
        fastest.omega > 0.0 ? "; " + swings : std::string("; nothing is tied or sprung, ω·dt = 0");
    return choice;
  }
  choice.integrator = Integrator::bdf2;
  choice.integrator_reason = swings + ": implicit, damped";
  return choice;
}

void settle_integrator(Simulation::Impl& sim, double dt) {
  if (!sim.choice.integrator_is_provisional) return;
  Choice before = sim.choice;
  sim.choice = planned_choice(sim, dt);
  if (sim.choice.integrator == before.integrator) return;
  try {
    sim.make_chosen_scheme();
  } catch (...) {  // interrupted: the next step settles it
    sim.choice = std::move(before);
    throw;
  }
  sim.forget_known();
}

}  // namespace catena
