#include "solve/complementarity/sweeps.h"

#include "catena/interrupt.h"
#include "solve/complementarity/local_contact.h"

namespace catena::solve::complementarity {

void Sweeps::prepare(const NormalForm& p) {
  const ConstMatrix W = p.W();
  local_.assign(9 * p.blocks().size(), 0.0);
  for (std::size_t k = 0; k < p.blocks().size(); ++k) {
    const Block& b = p.blocks()[k];
    for (int j = 0; j < b.size; ++j)
      for (int i = 0; i < b.size; ++i) local_[9 * k + std::size_t(i + 3 * j)] = W(b.row + i, b.row + j);
  }
}

// One block; u_ follows.
void Sweeps::relax(const NormalForm& p, int block, Vector x) {
  const Block& b = p.blocks()[std::size_t(block)];
  const double* W = local_.data() + 9 * block;
  Vector u = u_.vector(p.size());
  double q[3] = {}, r[3] = {};
  for (int i = 0; i < b.size; ++i) {
    q[i] = u[b.row + i];
    for (int j = 0; j < b.size; ++j) q[i] -= W[i + 3 * j] * x[b.row + j];
    r[i] = x[b.row + i];
  }
  if (b.kind == Kind::cone) {
    if (!solve_contact(b.size, NormalForm::friction(b), W, q, r)) return;
  } else {
    if (W[0] > 0.0)
      r[0] = -q[0] / W[0];
    else if (!b.is_fixed())
      return;
    project_block(b, x.data(), r);
  }
  for (int i = 0; i < b.size; ++i) {
    const double change = r[i] - x[b.row + i];
    if (change == 0.0 || !std::isfinite(change)) continue;
    u += change * p.W().col(b.row + i);
    x[b.row + i] = r[i];
  }
}

void Sweeps::sweep(const NormalForm& p, bool backward, Vector x) {
  const int count = int(p.blocks().size());
  for (int k = 0; k < count; ++k) relax(p, backward ? count - 1 - k : k, x);
}

// (1) after sweep k from before_ to x.
void Sweeps::accelerate(const NormalForm& p, int k, Vector x) {
  const int n = p.size();
  Vector d = before_.vector(n), direction = direction_.vector(n), u = u_.vector(n);
  d = x - d;
  const double square = d.squaredNorm();
  const double beta = k > 0 && last_square_ > 0.0 ? square / last_square_ : 2.0;
  last_square_ = square;
  if (beta > 1.0) {
    direction = d;
    return;
  }
  x += beta * direction;
  direction = beta * direction + d;
  find_rates(p, x, u);
}

Outcome Sweeps::run(const NormalForm& p, const Options& options, Vector x) {
  const int n = p.size();
  prepare(p);
  Vector u = u_.vector(n);
  find_rates(p, x, u);
  Outcome outcome;
  outcome.eta = natural_residual(p, x, u);
  best_.vector(n) = x;
  for (int k = 0; k < options.most && outcome.eta > options.tolerance; ++k) {
    if (k % 16 == 0) allow_interruption();
    if (options.is_accelerated) before_.vector(n) = x;
    sweep(p, options.is_symmetric && k % 2 == 1, x);
    ++outcome.sweeps;
    if (k % 5 == 4 || k + 1 == options.most) {
      find_rates(p, x, u);
      const double eta = natural_residual(p, x, u);
      if (eta < outcome.eta) {
        outcome.eta = eta;
        best_.vector(n) = x;
      }
    }
    if (options.is_accelerated) accelerate(p, k, x);
  }
  x = best_.vector(n);
  return outcome;
}

}  // namespace catena::solve::complementarity
