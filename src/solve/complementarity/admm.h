// Alternating directions: a linear problem for all rows, a projection of every block, and a price for where they differ. It reaches rough answers of
// problems that stop other methods; Newton's method sharpens them. Cost: one factor for each change of ρ, 2 n² an iteration.
//
// Legend (problem in normal form)
//   x, y, z   multipliers of the linear problem, of the sets, and price; at a solution x = y and z = -ũ
//   s         sliding shift μ|z_t| e_n of the last iteration
//   ρ, m      weight of the price, proximal term 1e-6;   L largest eigenvalue of W by power iteration
//
//   (W + ρ + m) x = -(q + s) + m x + ρ y - z;    y = P(x + z/ρ);    z ← z + ρ (x - y)                                            (1)
//   ρ = √(L m) (L/m)^p, p = 0.2 at first, ±0.05 where primal and dual residuals differ by more than a factor of 10                  (2)
//
// Reference: Carpentier, Le Lidec and Montaut 2024, whose ρ this is.
#pragma once

#include "solve/complementarity/newton.h"

namespace catena::solve::complementarity {

class Admm {
 public:
  struct Options {
    int most = 600;
    double tolerance = 1e-9;
    int budget = 100000;  // factorisations, those of Newton's method among them
  };
  /// From x to the best point met.
  Outcome run(const NormalForm& p, const Options& options, Newton& newton, Vector x);

 private:
  double largest_eigenvalue(const NormalForm& p);
  void factor(const NormalForm& p);
  void iterate(const NormalForm& p);
  bool adapt(const NormalForm& p);
  void keep_best(const NormalForm& p, const Options& options, Newton* newton, Outcome& outcome, Vector x);

  DenseLu lu_;
  Numbers x_, y_, z_, old_, u_, point_;
  double L_ = 1.0, exponent_ = 0.2, rho_ = 1.0, primal_ = 0.0, dual_ = 0.0;
};

}  // namespace catena::solve::complementarity
