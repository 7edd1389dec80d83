// The step. Read this first.
//
//   check_start        is this a step, does the state satisfy its constraints, is there what the integrator begins with?
//   settle_integrator  the automatic choice, at the first step, when its length is known
//   run_controllers    those that have a sample in this step write their commands
//   watch_rates        is the step too long for the fastest spring, damper or motor? (src/sim/watch.cpp)
//   advance            one attempt; adaptive integrators and events take several (src/sim/advance.cpp)
// An attempt is committed on what its scheme guarantees; docs/architecture.md has one heading for each of its calls.
#include "sim/impl.h"

#include <fmt/core.h>

namespace catena {
namespace {

Attempt refuse(std::string message, StepReport& report) {
  report.status = StepReport::Status::refused;
  report.message = std::move(message);
  return Attempt::refused;
}

/// Why no step of this length can begin here; empty when it can.
std::string check_start(Simulation::Impl& s, double dt) {
  if (s.controllers.running) return "a controller cannot make steps; return from it first";
  if (!std::isfinite(dt) || dt <= 0.0)
    return fmt::format("the step must be positive and finite, got {} s", dt);
  if (const SolveResult& result = s.start_result(); !result.ok()) return explain(s, result, dt);
  if (s.start_is_checked) return {};
  std::string problem = explain_bad_start(s);
  s.start_is_checked = problem.empty();
  return problem;
}

}  // namespace

StepReport Simulation::step(double dt) {
  CommandsOfStep commands{*this};
  const AnnouncementsOfStep announcements{*this};
  std::string problem = check_start(*impl_, dt);
  if (problem.empty()) settle_integrator(*impl_, dt);
  if (problem.empty()) problem = run_controllers(*this, dt);
  if (!problem.empty()) return {.status = StepReport::Status::refused, .message = std::move(problem)};
  std::string warning = watch_rates(*impl_, dt);
  StepReport report = impl_->events.empty() ? advance(*impl_, dt) : advance_to_event(*this, dt);
  prepend_warning(std::move(warning), report);
  commands.are_kept = report.ok();
  return report;
}

Attempt Simulation::Impl::attempt(double dt, StepReport& report) {
  const Stepping alone{is_stepping_};
  if (const SolveResult& result = start_result(); !result.ok())
    return refuse(explain(*this, result, dt), report);
  const StepStart start = start_of_step(dt);
  const bool starts_from_tensions = traits(choice.integrator).start == StartSolution::needed;
  const double omega = starts_from_tensions ? tension_frequency() : 0.0;
  report.omega_dt = omega * dt;
  ForgetUnlessDone forget{*this};  // the scheme takes the equations elsewhere, and user code may throw there
  const StepOutcome outcome = scheme->step(*equations, options, start, dt, next);
  fill_report(outcome, report);
  last_error = outcome.error;
  const bool is_inaccurate = outcome.status == StepOutcome::Status::too_inaccurate;
  std::string why;
  if (outcome.ok()) {
    complete_next(dt);
    why = explain_bad_end(*this, next, dt);
    if (why.empty()) why = commit(dt, outcome, report);
  } else if (!is_inaccurate) {
    why = explain(*this, outcome, dt, omega);
  }
  if (is_inaccurate || !why.empty())
    return is_inaccurate ? Attempt::inaccurate : refuse(std::move(why), report);
  forget.is_done = true;
  watch_tension(*this, dt, report);
  return Attempt::done;
}

}  // namespace catena
