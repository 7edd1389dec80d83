#include "integrate/drift_control.h"

#include <cassert>

namespace catena {
namespace {

bool is_fed_back(const Options& options) {
  return options.drift == Drift::feedback || options.drift == Drift::feedback_after;
}

}  // namespace

SolveResult DriftControl::start_accelerations(Equations& equations, const Options& options,
                                              const StepStart& start, double h, VecX& acceleration,
                                              VecX& lambda) {
  if (is_fed_back(options))
    return solve_accelerations(equations, options, start.state.v, h, acceleration, lambda);
  assert(start.acceleration.size() == equations.num_v() && start.lambda.size() == equations.num_rows());
  acceleration = start.acceleration;
  lambda = start.lambda;
  return start.solve;
}

SolveResult DriftControl::accelerations_at(Equations& equations, const Options& options, const VecX& v,
                                           double h, VecX& acceleration, VecX& lambda) {
  if (!is_fed_back(options)) return equations.solve_accelerations(acceleration, lambda);
  const SolveResult factored = equations.factor();
  return factored.ok() ? solve_accelerations(equations, options, v, h, acceleration, lambda) : factored;
}

SolveResult DriftControl::solve_accelerations(Equations& equations, const Options& options, const VecX& v,
                                              double h, VecX& acceleration, VecX& lambda) {
  assert(h > 0.0 && v.size() == equations.num_v());
  d_ = -equations.bias();
  if (is_fed_back(options)) {
    const bool given = options.feedback_ks >= 0.0 && options.feedback_kd >= 0.0;
    const double alpha = options.feedback_eta / h;
    const double k_s = given ? options.feedback_ks : alpha * alpha;
    const double k_d = given ? options.feedback_kd : 2.0 * alpha;
    rate_.resize(equations.num_rows());
    equations.apply_J(v, rate_);
    rate_ += equations.C_t();
    feedback_ = -k_s * equations.C() - k_d * rate_;
    if (options.drift == Drift::feedback) d_ += feedback_;  // (1)
  }
  SolveResult result = equations.solve_checked(equations.force(), d_, acceleration, lambda);
  if (result.ok() && options.drift == Drift::feedback_after) {  // (2)
    d_.setZero(equations.num_v());
    equations.add_row_forces(feedback_, d_);
    equations.apply_inverse_mass(d_);
    acceleration += d_;
    lambda += feedback_;
  }
  return result;
}

StepOutcome DriftControl::finish(Equations& equations, const Options& options, const SolveResult& last,
                                 State& next) {
  if (options.drift == Drift::projection && equations.is_constrained())
    return projection_.project(equations, options, next);
  StepOutcome outcome;
  outcome.solve = last;
  if (!equations.is_constrained()) return outcome;
  feedback_.resize(equations.num_rows());
  equations.evaluate_errors(next.q, next.time, next.memory, feedback_);
  outcome.constraint_error = largest_error(feedback_, outcome.worst_row);
  return outcome;
}

}  // namespace catena
