// Newton's method on the equations of Alart and Curnier (1991), which are semismooth: quadratic convergence near a solution, in few steps from a
// good start. Cost: n³ 2/3 for each factorisation, n² for each trial of its line search.
//
// Legend (problem in normal form)
//   y      x - u
//   τ      y_t/|y_t|
//   ε      a proximal term with its centre at x: it makes the matrix regular and moves no solution
//
//   interval, y inside: F = u;  else F = x - bound.      dependent: the same with bounds ±|weight ∘ x_L|, and their derivative   (1)
//   cone  y_n ≤ 0:         F = x                                                                          (open)               (2)
//         |y_t| ≤ μ y_n:   F = u                                                                          (sticks)
//         else             F_n = u_n,  F_t = x_t - μ y_n τ                                                 (slips)
//   (A (W + ε) + B) Δx = -F,    A = ∂F/∂u,  B = ∂F/∂x                                                                             (3)
//   natural map:  F = x - P(x - ũ) instead of (2), for problems on which (2) cycles                                                  (4)
//
// Line search: |F|₂ below the largest of the last six. The best x by its natural residual is kept.
#pragma once

#include "solve/complementarity/dense_lu.h"
#include "solve/complementarity/natural_map.h"

namespace catena::solve::complementarity {

class Newton {
 public:
  struct Options {
    int most = 10;                  // factorisations
    double tolerance = 1e-9;        // of the natural residual
    double regularisation = 1e-8;   // ε
    bool uses_natural_map = false;  // (4), with ε = 0.1 of the residual
  };
  /// From x to the best point met.
  Outcome run(const NormalForm& p, const Options& options, Vector x);

 private:
  double evaluate(const NormalForm& p, const Vector& x, bool natural);
  void assemble(const NormalForm& p, const Vector& x, double regularisation, bool natural);
  bool search(const NormalForm& p, bool natural, Vector x);
  void keep_best(const NormalForm& p, const Vector& x, Outcome& outcome);

  DenseLu lu_;
  Numbers u_, F_, step_, trial_, best_;
  double merits_[6] = {};
  int num_merits_ = 0;
};

}  // namespace catena::solve::complementarity
