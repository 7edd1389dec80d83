// The step. Read this first.
//
// One attempt at a step; src/sim/advance.cpp makes as many as adaptive integrators and events need.
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

StepReport refused(std::string message) {
  StepReport report;
  refuse(std::move(message), report);
  return report;
}

}  // namespace

StepReport Simulation::step(double dt) {
  Impl& s = *impl_;
  if (!std::isfinite(dt) || dt <= 0.0) return refused(explain_bad_dt(dt));
  if (!s.solution.result.ok()) return refused(explain(s, s.solution.result));
  if (!s.start_is_checked) {
    const std::string problem = explain_bad_start(s);
    if (!problem.empty()) return refused(problem);
    s.start_is_checked = true;
  }
  return s.events.empty() ? advance(s, dt) : advance_to_event(*this, dt);
}

Attempt Simulation::Impl::attempt(double dt, StepReport& report) {
  Impl& s = *this;
  const double omega = s.equations->tension_frequency(s.solution.lambda);
  report.omega_dt = omega * dt;

  const StepStart start{s.state, s.solution.acceleration, s.solution.lambda};
  const StepOutcome outcome = s.scheme->step(*s.equations, s.options, start, dt, s.next);
  report.iterations = outcome.iterations;
  report.constraint_error = outcome.constraint_error;
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
  return Attempt::done;
}

}  // namespace catena
