#include "solve/complementarity/newton.h"

#include "solve/complementarity/linearisation.h"

namespace catena::solve::complementarity {

// F_ and u_ at x; |F|₂
double Newton::evaluate(const NormalForm& p, const Vector& x, bool natural) {
  const int n = p.size();
  Vector u = u_.vector(n), F = F_.vector(n);
  find_rates(p, x, u);
  for (const Block& b : p.blocks())
    F.segment(b.row, b.size) = linearise(b, x.data(), u.data(), natural).F.head(b.size);
  return F.norm();
}

void Newton::assemble(const NormalForm& p, const Vector& x, double regularisation, bool natural) {
  const int n = p.size();
  const ConstMatrix W = p.W();
  Matrix N = lu_.matrix(n);
  const Vector u = u_.vector(n);
  for (const Block& b : p.blocks()) {
    const Linearised l = linearise(b, x.data(), u.data(), natural);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < b.size; ++i) {
        double sum = 0.0;
        for (int k = 0; k < b.size; ++k) sum += l.A(i, k) * W(b.row + k, j);
        N(b.row + i, j) = sum;
      }
    for (int j = 0; j < b.size; ++j)
      for (int i = 0; i < b.size; ++i) N(b.row + i, b.row + j) += l.B(i, j) + regularisation * l.A(i, j);
    for (int j = 0; j < b.load_size; ++j) N(b.row, b.load_row + j) += l.load[j];
  }
}

// x ← x + α step with the first α = 1, 1/2, ... whose merit is no more than the largest of the last six.
bool Newton::search(const NormalForm& p, bool natural, Vector x) {
  const Vector step = step_.vector(p.size());
  Vector trial = trial_.vector(p.size());
  if (!step.allFinite()) return false;
  double reference = 0.0;
  for (int k = 0; k < std::min(num_merits_, 6); ++k) reference = std::max(reference, merits_[k]);
  double alpha = 1.0;
  for (int halvings = 0; halvings <= 10; ++halvings, alpha *= 0.5) {
    trial = x + alpha * step;
    const double merit = evaluate(p, trial, natural);
    if (!(merit <= (1.0 - 1e-4 * alpha) * reference) && halvings < 10) continue;
    if (!std::isfinite(merit)) return false;
    x = trial;
    merits_[num_merits_++ % 6] = merit;
    return true;
  }
  return false;
}

void Newton::keep_best(const NormalForm& p, const Vector& x, Outcome& outcome) {
  const double eta = natural_residual(p, x, u_.vector(p.size()));
  if (eta >= outcome.eta) return;
  outcome.eta = eta;
  best_.vector(p.size()) = x;
}

Outcome Newton::run(const NormalForm& p, const Options& options, Vector x) {
  const int n = p.size();
  Outcome outcome;
  best_.vector(n) = x;
  num_merits_ = 0;
  merits_[num_merits_++] = evaluate(p, x, options.uses_natural_map);
  keep_best(p, x, outcome);
  while (outcome.eta > allowance(best_.vector(n), options.tolerance) &&
         outcome.factorisations < options.most) {
    const double eta = natural_residual(p, x, u_.vector(n));
    const double epsilon = options.uses_natural_map ? std::min(0.1 * eta, 1.0) : options.regularisation;
    assemble(p, x, epsilon, options.uses_natural_map);
    lu_.factor();
    ++outcome.factorisations;
    step_.vector(n) = -F_.vector(n);
    lu_.solve(step_.vector(n));
    if (!search(p, options.uses_natural_map, x)) break;
    keep_best(p, x, outcome);
  }
  x = best_.vector(n);
  return outcome;
}

}  // namespace catena::solve::complementarity
