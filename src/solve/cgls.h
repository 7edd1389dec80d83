// Least squares by conjugate gradients:  min |K y - b|, and among its solutions the one of least |y|.
//
// K is block sparse (the J of a problem) and is only multiplied. Working on K and not on K Kᵀ keeps the
// condition number its square root, and inconsistent right-hand sides harmless: they leave a residual, where
// plain conjugate gradients on K Kᵀ diverge. The dual direction is carried along, so that a vector `dual`
// with y = Kᵀ·dual comes out as well.
//
// Cost per iteration: one product with K, one with Kᵀ. Number of iterations: at most rank(K) in exact
// arithmetic, about in proportion to cond(K) in practice.
//
// Reference: Å. Björck, Numerical Methods for Least Squares Problems, 1996, section 7.4.
#pragma once

#include "solve/problem.h"

#include <Eigen/Core>

namespace catena::solve {

class Cgls {
 public:
  struct Options {
    double tolerance;  // of K y - b relative to b, in the Euclidean norm and in the largest entry
    double size;       // of the terms that b is summed up from: an error below its rounding is none
    int max_iterations;
    double row_error = 0.0;  // relative error of the rows of K: dependent ones may look independent by it
  };

  void resize(const Graph& graph);

  /// Starts from y = 0. No allocation. Ends when the residual is small enough, when it is orthogonal to the
  /// columns of K up to the error of its rows (then b has a part that no y can reach), or after max_iterations.
  void solve(const Problem& K, const Eigen::VectorXd& b, const Options& options);

  const Eigen::VectorXd& y() const { return y_; }
  const Eigen::VectorXd& dual() const { return dual_; }
  const Eigen::VectorXd& residual() const { return r_; }  // b - K y
  int iterations() const { return iterations_; }
  /// The last solve ended because the residual is orthogonal to the columns of K: least squares.
  bool is_optimal() const { return is_optimal_; }

 private:
  void iterate(const Problem& K, const Options& options);
  bool is_orthogonal(double gradient2, const Options& options) const;
  bool is_small(const Eigen::VectorXd& error) const {
    return error.norm() <= small_norm_ && largest(error) <= small_entry_;
  }
  static double largest(const Eigen::VectorXd& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

  int iterations_ = 0;
  double small_norm_ = 0.0, small_entry_ = 0.0;  // errors of K y - b up to these are accepted
  double norm_b_ = 0.0, norm2_K_ = 0.0;  // |b|, and a lower bound of |K|²: the largest |K p|²/|p|² so far
  bool is_optimal_ = false;
  Eigen::VectorXd y_, s_, p_;              // solution, gradient Kᵀr, direction              (columns of K)
  Eigen::VectorXd dual_, dual_p_, r_, q_;  // dual solution and direction, b - K y, K p      (rows of K)
};

}  // namespace catena::solve
