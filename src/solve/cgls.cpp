#include "solve/cgls.h"

#include <algorithm>
#include <cmath>

namespace catena::solve {

namespace {

// The residual counts as orthogonal to the columns of K when |Kᵀr| falls below this (or the tolerance, if
// smaller) times |K||r|. While the residual can still shrink, |Kᵀr| ≥ σ_min|r|: a larger number would take
// slow convergence for a conflict.
constexpr double kOrthogonal = 1e-8;

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
  small_norm_ = std::max(options.tolerance * b.norm(), options.floor);
  small_entry_ = std::max(options.tolerance * largest(b), options.floor);
  iterations_ = 0;
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
    if (is_true) return;
  }
}

void Cgls::iterate(const Problem& K, const Options& options) {
  const double orthogonal = std::min(options.tolerance, kOrthogonal);
  s_.setZero();
  add_Jt_times(K, r_, s_);
  p_ = s_;
  dual_p_ = r_;
  double gradient = s_.squaredNorm();
  double norm_K = 0.0;  // square of the largest |K p|/|p| so far: a lower bound of |K|²
  for (; iterations_ < options.max_iterations; ++iterations_) {
    if (is_small(r_) || !(gradient > orthogonal * orthogonal * norm_K * r_.squaredNorm())) return;
    q_.setZero();
    add_J_times(K, p_, q_);
    const double curvature = q_.squaredNorm();
    if (!(curvature > 0.0)) return;
    norm_K = std::max(norm_K, curvature / p_.squaredNorm());

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
