#include "solve/cgls.h"

#include "catena/interrupt.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::solve {

namespace {

// The residual counts as orthogonal to the columns of K when |Kᵀr| falls below this (or the tolerance, if
// smaller) times |K||r|. While the residual can still shrink, |Kᵀr| ≥ σ_min|r|: a larger number would take
// slow convergence for a conflict.
constexpr double kOrthogonal = 1e-8;

// Where every row is off by the relative error δ, a dependency nᵀK = 0 of m rows, |n| = 1, becomes |nᵀK| ≤ Σ|nᵢ| δ|K| ≤ √m δ|K|, and its
// right side disagrees by |nᵀb| ≤ √m δ times the terms of b. What is left along n is as orthogonal as it should become: to remove it would
// take multipliers without bound. 10 is √m of a hundred rows, more than close a loop; dependencies of more rows are made of such. Beyond
// δ = 1e-3 nothing is excused further.
constexpr double kOrthogonalPerError = 10.0, kLeastOrthogonal = 1e-2, kDisagreementPerError = 10.0;
// Rates are off before positions are: an error that grows over a step has δ of the last position, and in b the part of its rate, which
// feedback multiplies by some 1/h. A residual that is small in itself may be 1,000 times what δ alone explains.
constexpr double kEarlyDisagreementPerError = 1e4, kEarlyDisagreement = 1e-4;
// Rounding of Kᵀr where rows may be dependent and the iteration would go on in it, relative to |K||b|.
constexpr double kRoundingOfDependent = 32.0;

// The true residual is judged by this times what ended the iteration, which looked at an updated one.
constexpr double kOptimalMargin = 8.0;

// How often the iteration starts again from the true residual when rounding has taken the updated one away
// from it.
constexpr int kMaxRestarts = 2;

}  // namespace

void Cgls::resize(const Graph& graph) {
  for (Eigen::VectorXd* v : {&y_, &s_, &p_}) v->setZero(graph.num_x());
  for (Eigen::VectorXd* v : {&dual_, &dual_p_, &r_, &q_}) v->setZero(graph.num_rows());
}

void Cgls::solve(const Problem& K, const Eigen::VectorXd& b, const Options& options) {
  // the second one keeps an error from gathering at one place of a large structure, where a mean would hide
  // it
  const double floor = std::numeric_limits<double>::epsilon() * options.size;
  small_norm_ = std::max(options.tolerance * b.norm(), floor);
  small_entry_ = std::max(options.tolerance * largest(b), floor);
  iterations_ = 0;
  norm_b_ = b.norm();
  norm2_K_ = 0.0;
  y_.setZero();
  dual_.setZero();
  r_ = b;
  for (int restart = 0; restart <= kMaxRestarts; ++restart) {
    iterate(K, options);
    q_ = -b;
    add_J_times(K, y_, q_);
    r_ += q_;  // by how much the updated residual was wrong
    const bool is_true = is_small(r_);
    r_ = -q_;
    if (is_true) break;
  }
  s_.setZero();
  add_Jt_times(K, r_, s_);
  is_optimal_ = !is_small(r_) && is_orthogonal(s_.squaredNorm() / (kOptimalMargin * kOptimalMargin), options);
}

// |Kᵀr| against |K||r| and the rounding of its own terms.
bool Cgls::is_orthogonal(double gradient2, const Options& options) const {
  const double size = r_.norm();
  const double disagreement =
      std::max(kDisagreementPerError * options.row_error,
               std::min(kEarlyDisagreementPerError * options.row_error, kEarlyDisagreement));
  const bool is_disagreement = size <= disagreement * options.size;
  const double relative =
      std::max(std::min(options.tolerance, kOrthogonal),
               is_disagreement ? std::min(kOrthogonalPerError * options.row_error, kLeastOrthogonal) : 0.0);
  const double rounding = (options.row_error > 0.0 ? kRoundingOfDependent : 1.0) * norm_b_;
  const double least = relative * size + std::numeric_limits<double>::epsilon() * rounding;
  return !(gradient2 > least * least * norm2_K_);
}

void Cgls::iterate(const Problem& K, const Options& options) {
  s_.setZero();
  add_Jt_times(K, r_, s_);
  p_ = s_;
  dual_p_ = r_;
  double gradient = s_.squaredNorm();
  for (; iterations_ < options.max_iterations; ++iterations_) {
    if (is_small(r_) || is_orthogonal(gradient, options)) return;
    allow_interruption();
    q_.setZero();
    add_J_times(K, p_, q_);
    const double curvature = q_.squaredNorm();
    if (!(curvature > 0.0)) return;
    norm2_K_ = std::max(norm2_K_, curvature / p_.squaredNorm());

    const double step = gradient / curvature;
    y_ += step * p_;
    dual_ += step * dual_p_;
    r_ -= step * q_;

    s_.setZero();
    add_Jt_times(K, r_, s_);
    const double previous = gradient;
    gradient = s_.squaredNorm();
    const double memory = gradient / previous;
    p_ = s_ + memory * p_;
    dual_p_ = r_ + memory * dual_p_;
  }
}

}  // namespace catena::solve
