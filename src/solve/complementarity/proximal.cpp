#include "solve/complementarity/proximal.h"

namespace catena::solve::complementarity {

Outcome Proximal::run(const NormalForm& p, const Options& options, Newton& newton, InteriorPoint& interior,
                      Vector x) {
  const int n = p.size();
  Outcome outcome;
  Vector at = at_.zeros(n), next = next_.zeros(n);
  double last = kInfinity;
  is_jammed_ = false;
  for (int k = 0; k < options.most && outcome.factorisations < options.budget; ++k) {
    step_problem_.set_proximal(p, options.compliance, at);
    const double tolerance = 0.1 * options.tolerance;
    Outcome step = newton.run(step_problem_, {.most = 10, .tolerance = tolerance}, next);
    outcome.factorisations += step.factorisations;
    if (step.eta > allowance(next, tolerance)) {
      const int budget = options.budget - outcome.factorisations;
      step = interior.run(step_problem_, {.tolerance = tolerance, .budget = budget}, newton, next);
      outcome.factorisations += step.factorisations;
    }
    find_rates(p, next, u_.vector(n));
    const double eta = natural_residual(p, next, u_.vector(n));
    if (eta < outcome.eta) {
      outcome.eta = eta;
      x = next;
    }
    if (outcome.eta <= allowance(x, options.tolerance)) return outcome;
    const double change = (next - at).cwiseAbs().maxCoeff();
    if (!(change <= 0.9 * last) && k > 1) {
      is_jammed_ = next.norm() > 1.1 * at.norm();
      return outcome;
    }
    last = change;
    at = next;
  }
  return outcome;
}

}  // namespace catena::solve::complementarity
