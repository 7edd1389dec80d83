// Least squares by conjugate gradients:  min |K y - b|, and among its solutions the one of least |y|.
//
// K is block sparse (the J of a problem) and is only multiplied. Working on K and not on K Kᵀ keeps the condition number its
// square root, and inconsistent right-hand sides harmless: they leave a residual, where plain conjugate gradients on
// K Kᵀ diverge. The dual direction is carried along, so that a vector `dual` with y = Kᵀ·dual comes out as well.
//
// Cost per iteration: one product with K, one with Kᵀ. Number of iterations: at most rank(K) in exact arithmetic, about in
// proportion to cond(K) in practice.
//
// Reference: Å. Björck, Numerical Methods for Least Squares Problems, 1996, section 7.4.
#pragma once

#include <Eigen/Core>

#include "solve/problem.h"

namespace catena::solve {

class Cgls {
 public:
  struct Options {
    double tolerance;    // of |K y - b| relative to |b|
    double floor;        // |K y - b| below this is rounding in b
    int max_iterations;
  };

  void resize(const Graph& graph);

  /// Starts from y = 0. No allocation. Ends when the residual is small enough, when it is orthogonal to the columns of K (then
  /// b has a part that no y can reach), or after max_iterations.
  void solve(const Problem& K, const Eigen::VectorXd& b, const Options& options);

  const Eigen::VectorXd& y() const { return y_; }
  const Eigen::VectorXd& dual() const { return dual_; }
  const Eigen::VectorXd& residual() const { return r_; }  // b - K y
  int iterations() const { return iterations_; }

 private:
  void iterate(const Problem& K, double target, const Options& options);

  int iterations_ = 0;
  Eigen::VectorXd y_, s_, p_;                  // solution, gradient Kᵀr, direction        (columns of K)
  Eigen::VectorXd dual_, dual_p_, r_, q_;      // dual solution and direction, b - K y, K p   (rows of K)
};

}  // namespace catena::solve
