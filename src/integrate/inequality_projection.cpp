#include "integrate/inequality_projection.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kReach = 4.0;  // times the largest correction: gaps that it may close
constexpr double kNear = 1e-6;  // and those that are this near in any case, over the model's size

StepOutcome stop(StepOutcome outcome, StepOutcome::Status status) {
  outcome.status = status;
  return outcome;
}

StepOutcome stop(StepOutcome outcome, const ContactOutcome& contacts) {
  outcome.contact_residual = contacts.residual;
  outcome.worst_inequality = contacts.worst_inequality;
  return stop(outcome, StepOutcome::Status::contacts_not_solved);
}

}  // namespace

StepOutcome InequalityProjection::project_positions(Equations& equations, const Options& options,
                                                    State& state) {
  StepOutcome outcome;
  zero_.setZero(equations.num_v());
  while (true) {
    const double tolerance = position_tolerance(equations, options, state.q);
    equations.evaluate({state.q, state.v, state.time, state.memory});
    equations.evaluate_inequalities();
    outcome.constraint_error = largest_error(equations.C(), outcome.worst_row);
    outcome.penetration = deepest_penetration(equations, outcome.worst_inequality);
    if (outcome.constraint_error <= tolerance && outcome.penetration <= tolerance) return outcome;
    if (outcome.iterations == options.max_position_iterations || !std::isfinite(outcome.constraint_error) ||
        !std::isfinite(outcome.penetration))
      return stop(outcome, StepOutcome::Status::positions_not_converged);
    outcome.solve = equations.factor();
    if (!outcome.solve.ok()) return stop(outcome, StepOutcome::Status::solve_failed);
    d_ = -equations.C();
    outcome.solve = equations.solve(zero_, d_, x_, mu_);
    if (!outcome.solve.ok()) return stop(outcome, StepOutcome::Status::solve_failed);
    const double reach = kReach * std::max(x_.lpNorm<Eigen::Infinity>(), outcome.penetration);
    held_.collect_travel(equations, std::max(reach, kNear * equations.length_scale()));
    if (const ContactOutcome contacts = held_.solve_gaps(equations, x_, mu_); !contacts.is_solved)
      return stop(outcome, contacts);
    equations.retract(x_, state.q);  // (1)
    ++outcome.iterations;
  }
}

StepOutcome InequalityProjection::project_velocities(Equations& equations, const InequalitySet& step,
                                                     State& state) {
  StepOutcome outcome;
  outcome.solve = equations.factor();
  if (!outcome.solve.ok()) return stop(outcome, StepOutcome::Status::solve_failed);
  P_.resize(equations.num_v());
  equations.apply_mass(state.v, P_);
  d_ = -equations.C_t();
  outcome.solve = equations.solve_checked(P_, d_, x_, mu_);
  if (!outcome.solve.ok()) return stop(outcome, StepOutcome::Status::solve_failed);
  held_.collect_again(equations, step);
  if (const ContactOutcome contacts = held_.solve(equations, {}, x_, mu_); !contacts.is_solved)
    return stop(outcome, contacts);
  state.v = x_;  // (2)
  return outcome;
}

StepOutcome InequalityProjection::project(Equations& equations, const Options& options,
                                          const InequalitySet& step, State& state) {
  StepOutcome outcome = project_positions(equations, options, state);
  if (!outcome.ok() || !equations.is_constrained()) return outcome;
  const StepOutcome velocities = project_velocities(equations, step, state);
  outcome.status = velocities.status;
  outcome.solve = velocities.solve;
  outcome.contact_residual = velocities.contact_residual;
  if (!velocities.ok()) outcome.worst_inequality = velocities.worst_inequality;
  return outcome;
}

}  // namespace catena
