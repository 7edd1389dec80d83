// Projections on the sets of blocks, and how far x is from a solution: the distance of x and P(x - ũ), problem in normal form.
//
// What solvers steer by; whether an answer is accepted is up to residual.h, which shares nothing with this.
#pragma once

#include "solve/complementarity/normal_form.h"

#include <algorithm>
#include <cmath>

namespace catena::solve::complementarity {

inline double tangent_size(const Block& cone, const double* v) {
  return cone.size > 2 ? std::hypot(v[1], v[2]) : std::abs(v[1]);
}

/// |weight ∘ x_L| of a dependent row.
inline double load_bound(const Block& b, const double* x) {
  if (b.load_size == 1) return std::abs(b.load_weight[0] * x[b.load_row]);
  double square = 0.0;
  for (int i = 0; i < b.load_size; ++i) {
    const double part = b.load_weight[std::size_t(i)] * x[b.load_row + i];
    square += part * part;
  }
  return std::sqrt(square);
}

/// y ← P(y) on {|y_t| ≤ μ y_n}
inline void project_on_cone(const Block& cone, double* y) {
  const double mu = NormalForm::friction(cone), tangent = tangent_size(cone, y);
  if (tangent <= mu * y[0]) return;
  if (mu * tangent <= -y[0]) {
    std::fill_n(y, cone.size, 0.0);
    return;
  }
  y[0] = (y[0] + mu * tangent) / (1.0 + mu * mu);
  for (int i = 1; i < cone.size; ++i) y[i] *= mu * y[0] / tangent;
}

/// y ← P(y) of the block that begins at y; bounds of dependent rows are those of x.
inline void project_block(const Block& b, const double* x, double* y) {
  if (b.kind == Kind::cone) {
    project_on_cone(b, y);
  } else if (b.kind == Kind::interval) {
    *y = std::clamp(*y, b.lower, b.upper);
  } else {
    const double bound = load_bound(b, x);
    *y = std::clamp(*y, -bound, bound);
  }
}

/// u = W x + q
inline void find_rates(const NormalForm& p, const Vector& x, Vector u) {
  u = p.q();
  u.noalias() += p.W() * x;
}

/// |x - P(x - ũ)|∞, infinite where it is not a number.
inline double natural_residual(const NormalForm& p, const Vector& x, const Vector& u) {
  double largest = 0.0;
  for (const Block& b : p.blocks()) {
    double y[3] = {};
    for (int i = 0; i < b.size; ++i) y[i] = x[b.row + i] - u[b.row + i];
    if (b.kind == Kind::cone) y[0] -= NormalForm::friction(b) * tangent_size(b, u.data() + b.row);
    project_block(b, x.data(), y);
    for (int i = 0; i < b.size; ++i) {
      const double defect = std::abs(x[b.row + i] - y[i]);
      if (!std::isfinite(defect)) return kInfinity;
      largest = std::max(largest, defect);
    }
  }
  return largest;
}

/// The tolerance, or what rounding leaves of a residual at x where that is more: half of what residual.h allows.
inline double allowance(const Vector& x, double tolerance) {
  const double size = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  return std::max(tolerance, std::min(0.5e-13 * size, 0.5e-7));
}

/// What a solver has to say of its answer, which it leaves in x.
struct Outcome {
  double eta = kInfinity;  // natural residual
  int factorisations = 0, sweeps = 0;
};

}  // namespace catena::solve::complementarity
