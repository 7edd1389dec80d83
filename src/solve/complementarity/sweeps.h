// Projected Gauss-Seidel, block after block, and its acceleration by conjugate directions (NNCG). Cost: 2 n² a sweep, no factorisation.
//
// Legend (problem in normal form)
//   x' = G(x)    one sweep: every block as if all others were right; cones exactly (local_contact.h)
//   d            x' - x, which takes the place of the gradient
//
//   β = |d|²/|d_old|²;   β > 1: p = d, x = x';   else x = x' + β p, p = β p + d                                                       (1)
//
// Sweeps are all that loose contacts need; through stacks, high mass ratios and long chains they creep. Reference for (1): Silcowitz,
// Niebe and Erleben 2010.
#pragma once

#include "solve/complementarity/natural_map.h"

namespace catena::solve::complementarity {

class Sweeps {
 public:
  struct Options {
    int most = 20;
    double tolerance = 1e-9;     // of the natural residual, which is found after every fifth sweep
    bool is_accelerated = true;  // (1)
    bool is_symmetric = false;   // every other sweep backward
  };
  /// From x to the best point met.
  Outcome run(const NormalForm& p, const Options& options, Vector x);

 private:
  void prepare(const NormalForm& p);
  void sweep(const NormalForm& p, bool backward, Vector x);
  void relax(const NormalForm& p, int block, Vector x);
  void accelerate(const NormalForm& p, int k, Vector x);

  std::vector<double> local_;  // 3 × 3 of each block
  Numbers u_, before_, direction_, best_;
  double last_square_ = 0.0;
};

}  // namespace catena::solve::complementarity
