#include "integrate/projection.h"

#include <cassert>

namespace catena {
namespace {

constexpr double kRoundingOfRows =
    16.0 * std::numeric_limits<double>::epsilon();  // of C, relative to coordinates
// A correction of more than this times the tolerance on |C| is made even where |C| is below.
constexpr double kFarPerError = 10.0;
constexpr double kRegularGain = 0.1;

}  // namespace

StepOutcome Projection::project_positions(Equations& equations, const Options& options, State& state) {
  assert(state.q.size() == equations.num_q() && state.v.size() == equations.num_v());
  StepOutcome outcome;
  zero_.setZero(equations.num_v());
  double previous = std::numeric_limits<double>::infinity();
  while (true) {
    // of where it is now: a step that blew up begins far away, where rounding would excuse anything
    const double tolerance = position_tolerance(equations, options, state.q);
    const double rounding = kRoundingOfRows * (state.q.size() > 0 ? state.q.lpNorm<Eigen::Infinity>() : 0.0);
    equations.evaluate({state.q, state.v, state.time, state.memory});
    outcome.solve = equations.factor();
    if (!outcome.solve.ok()) {
      outcome.status = StepOutcome::Status::solve_failed;
      return outcome;
    }
    outcome.constraint_error = largest_error(equations.C(), outcome.worst_row);
    const bool is_met = outcome.constraint_error <= tolerance;
    // in a singular position |C| shrinks by 4 a correction, elsewhere by its square
    const bool is_regular = outcome.iterations > 0 && outcome.constraint_error < kRegularGain * previous;
    if (is_met &&
        (is_regular || outcome.constraint_error <= rounding || outcome.constraint_error >= 0.5 * previous))
      return outcome;
    // no progress any more at the size of rounding: this is as good as it gets
    if (outcome.constraint_error < 100.0 * tolerance && outcome.constraint_error >= 0.5 * previous)
      return outcome;
    if (outcome.iterations == options.max_position_iterations || !std::isfinite(outcome.constraint_error)) {
      outcome.status = StepOutcome::Status::positions_not_converged;
      return outcome;
    }
    previous = outcome.constraint_error;
    d_ = -equations.C();
    outcome.solve = equations.solve(zero_, d_, x_, mu_);  // (1)
    if (!outcome.solve.ok()) {
      outcome.status = StepOutcome::Status::solve_failed;
      return outcome;
    }
    // near a singular position a small |C| may be far off: what counts is how far
    if (is_met && x_.lpNorm<Eigen::Infinity>() <= kFarPerError * tolerance) return outcome;
    equations.retract(x_, state.q);
    ++outcome.iterations;
  }
}

StepOutcome Projection::project_velocities(Equations& equations, State& state) {
  StepOutcome outcome;
  P_.resize(equations.num_v());
  equations.apply_mass(state.v, P_);
  d_ = -equations.C_t();
  outcome.solve = equations.solve_checked(P_, d_, x_, mu_);  // (2)
  if (outcome.solve.ok())
    state.v = x_;
  else
    outcome.status = StepOutcome::Status::solve_failed;
  return outcome;
}

StepOutcome Projection::project(Equations& equations, const Options& options, State& state) {
  if (!equations.is_constrained()) return {};
  StepOutcome outcome = project_positions(equations, options, state);
  if (!outcome.ok()) return outcome;
  const StepOutcome velocities = project_velocities(equations, state);
  outcome.status = velocities.status;
  outcome.solve = velocities.solve;
  return outcome;
}

}  // namespace catena
