#include "solve/complementarity/admm.h"

namespace catena::solve::complementarity {
namespace {

constexpr double kAdmmProximal = 1e-6;  // m

}  // namespace

double Admm::largest_eigenvalue(const NormalForm& p) {
  const int n = p.size();
  Vector v = old_.vector(n), next = u_.vector(n);
  for (int i = 0; i < n; ++i) v[i] = 1.0 + 0.1 * (i % 7);  // along no axis of a symmetric problem
  double size = 1.0;
  for (int k = 0; k < 20; ++k) {
    v /= v.norm();
    next.noalias() = p.W() * v;
    size = next.norm();
    if (!(size > 1e-12)) return 1.0;
    v = next;
  }
  return size;
}

void Admm::factor(const NormalForm& p) {
  rho_ = std::sqrt(L_ * kAdmmProximal) * std::pow(L_ / kAdmmProximal, exponent_);
  Matrix K = lu_.matrix(p.size());
  K = p.W();
  K.diagonal().array() += rho_ + kAdmmProximal;
  lu_.factor();
}

// (1)
void Admm::iterate(const NormalForm& p) {
  const int n = p.size();
  Vector x = x_.vector(n), y = y_.vector(n), z = z_.vector(n), old = old_.vector(n);
  x = -p.q() + kAdmmProximal * x + rho_ * y - z;
  for (const Block& b : p.blocks())
    if (b.kind == Kind::cone) x[b.row] -= NormalForm::friction(b) * tangent_size(b, z.data() + b.row);
  lu_.solve(x);
  old = y;
  y = x + z / rho_;
  for (const Block& b : p.blocks()) project_block(b, y.data(), y.data() + b.row);  // loads before dependents
  z += rho_ * (x - y);
  primal_ = (x - y).cwiseAbs().maxCoeff();
  dual_ = rho_ * (y - old).cwiseAbs().maxCoeff();
}

// (2); true when ρ has changed
bool Admm::adapt(const NormalForm& p) {
  const double ratio = primal_ / std::max(dual_, 1e-300);
  if (ratio > 0.1 && ratio < 10.0) return false;
  const double wanted = std::clamp(exponent_ + (ratio >= 10.0 ? 0.05 : -0.05), -0.5, 0.5);
  if (wanted == exponent_) return false;
  exponent_ = wanted;
  factor(p);
  return true;
}

// The projected point, sharpened by Newton's method where there is one.
void Admm::keep_best(const NormalForm& p, const Options& options, Newton* newton, Outcome& outcome,
                     Vector x) {
  const int n = p.size();
  Vector point = point_.vector(n);
  point = y_.vector(n);
  find_rates(p, point, u_.vector(n));
  double eta = natural_residual(p, point, u_.vector(n));
  if (newton != nullptr && eta > options.tolerance) {
    const Outcome polished = newton->run(p, {.most = 4, .tolerance = options.tolerance}, point);
    outcome.factorisations += polished.factorisations;
    eta = polished.eta;
  }
  if (eta >= outcome.eta) return;
  outcome.eta = eta;
  x = point;
}

Outcome Admm::run(const NormalForm& p, const Options& options, Newton& newton, Vector x) {
  const int n = p.size();
  Outcome outcome;
  x_.vector(n) = x;
  y_.vector(n) = x;
  z_.zeros(n);
  L_ = largest_eigenvalue(p);
  exponent_ = 0.2;
  factor(p);
  ++outcome.factorisations;
  double last_try = 1e-2;
  for (int k = 1; k <= options.most && outcome.factorisations < options.budget; ++k) {
    iterate(p);
    ++outcome.sweeps;
    if (!std::isfinite(primal_)) break;
    if (k % 10 != 0 && k != options.most) continue;
    const bool is_worth_it = std::max(primal_, dual_) < 0.1 * last_try || k == options.most;
    if (is_worth_it) last_try = std::max(primal_, dual_);
    keep_best(p, options, is_worth_it ? &newton : nullptr, outcome, x);
    if (outcome.eta <= allowance(x, options.tolerance)) break;
    if (adapt(p)) ++outcome.factorisations;
  }
  return outcome;
}

}  // namespace catena::solve::complementarity
