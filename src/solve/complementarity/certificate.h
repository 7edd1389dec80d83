// Proof that a problem has no solution, where there is one to be found. Cost: up to eight problems without friction.
//
// Legend (problem in normal form)
//   D     directions d of rates that every solution keeps ≥ 0: d·u ≥ 0. Components ≥ 0 at normals and one-sided rows, any at equalities,
//         0 at rows that slip or have two bounds
//   g     Wᵀ d
//
//   0 ≤ d·u = g·x + d·q ≤ sup g·x + d·q   over the sets of x.                                                                   (1)
//
// Where the right side is negative for a d of D nothing solves the problem (Farkas). Rounding leaves a part of g for which the supremum
// is infinite, its violation v; then (1) says that solutions have |x|₁ ≥ margin/v, and that is what a certificate claims.                    (2)
//
// How d is found: the problem without friction is monotone where W is symmetric. Of such a problem without solution the proximal iteration
// x_k+1 = solution of (W + c, q - c x_k) grows in the end by ever the same step, and this is d. The smaller c, the sooner; it goes from 1e-2,
// which is easy, to 1e-6.
#pragma once

#include "solve/complementarity/newton.h"

namespace catena::solve::complementarity {

class Certificate {
 public:
  /// @param least  what |x|₁ of (2) must be at least for the claim
  /// @param budget  factorisations
  bool find(const NormalForm& p, double least, int budget, Newton& newton);
  /// d, when find() was true; rates of the normal form.
  Vector direction(int n) { return d_.vector(n); }
  /// margin/v of (2).
  double least_size() const { return least_size_; }
  int factorisations() const { return factorisations_; }

 private:
  bool proves(const NormalForm& p, double least);
  bool try_rows(const NormalForm& p, double least);

  NormalForm smooth_, step_problem_;
  Numbers d_, g_, x_, next_;
  double least_size_ = 0.0;
  int factorisations_ = 0;
};

}  // namespace catena::solve::complementarity
