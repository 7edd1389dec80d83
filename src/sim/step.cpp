// The step. Read this first.
//
// step() lets the controllers that have a sample write their commands, then advances by one attempt; adaptive integrators and
// events take several (src/sim/advance.cpp). An attempt:
//
//   solve_motion    kinematics, forces, rows, factor, accelerations and multipliers: where is everything, what acts on it
//   scheme->step    the chosen integrator goes to the end of the step, constraints included
//   solve_motion    the same questions at the end: a state that cannot answer them is not accepted
//   book_work       who did how much work on the way
//   commit          or leave the old state untouched and say why
//
// docs/architecture.md has one heading for each of these.
#include "math/all_finite.h"
#include "sim/impl.h"
#include "sim/ledger.h"

#include <cmath>

namespace catena {
namespace {

Attempt refuse(std::string message, StepReport& report) {
  report.status = StepReport::Status::refused;
  report.message = std::move(message);
  return Attempt::refused;
}

}  // namespace

StepReport Simulation::step(double dt) {
  StepReport report;
  if (std::string problem = explain_no_step(*this, dt); !problem.empty())
    refuse(std::move(problem), report);
  else
    report = impl_->events.empty() ? advance(*impl_, dt) : advance_to_event(*this, dt);
  finish_controllers(*impl_, report.ok());
  return report;
}

Attempt Simulation::Impl::attempt(double dt, StepReport& report) {
  Impl& s = *this;
  const double omega = s.equations->tension_frequency(s.solution.lambda);
  report.omega_dt = omega * dt;

  const StepStart start = step_start(s.state, s.solution, s.unexplained_energy());
  const StepOutcome outcome = s.scheme->step(*s.equations, s.options, start, dt, s.next);
  fill_report(outcome, report);
  s.last_error = outcome.error;
  if (!outcome.ok()) {
    s.restore_solution();
    if (outcome.status == StepOutcome::Status::too_inaccurate) return Attempt::inaccurate;
    return refuse(explain(s, outcome, dt, omega), report);
  }

  s.next.memory = s.state.memory;
  s.equations->advance_memory(s.next.q, s.next.v, s.next.time, s.next.memory);
  s.next.steps = s.state.steps + 1;
  s.next.ledger = s.state.ledger;
  s.solve_motion(s.next, s.scheme_leaves_factor, s.next_solution);
  report.residual = s.next_solution.result.residual;
  if (!math::all_finite(s.next.q) || !math::all_finite(s.next.v) || !s.next_solution.result.ok()) {
    const std::string why = explain(s, s.next_solution.result);
    s.restore_solution();
    return refuse("the step ended in a state without a solution: " + why, report);
  }
  if (const std::string why = explain_impossible_body(s, s.next); !why.empty()) {
    s.restore_solution();
    return refuse("the step ended in an impossible state: " + why, report);
  }

  if (s.choice.integrator != Integrator::first_order)
    book_work(s.solution, s.next_solution, dt, outcome.work, s.next.ledger);
  s.next.substep = s.state.substep;
  std::swap(s.state, s.next);
  std::swap(s.solution, s.next_solution);
  s.follows_step = true;
  return Attempt::done;
}

}  // namespace catena
