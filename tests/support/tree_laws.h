// What must hold of the tree algorithms on any tree, each as a number that would be zero in exact arithmetic.
//
//   round trip   inverse dynamics of the accelerations of forward dynamics, against the forces given; over |τ| + |b|
//   inverse      M x - e for columns x of M⁻¹, M by composite bodies and M⁻¹ by articulated ones; over |e| + ||M||x||
//   Jacobians    columns of M - Σ JᵀM_k J over the links; over those of M
//   energy       kinetic by the sum over links, by ½vᵀM v and by momenta of single bodies; weight by places; over their size
//   reactions    every link cut free: forces in its joints, weight and load against the rate of its momentum, and what the joint carries along its
//                directions against τ; over the size of what is added up
//
// Of matrices with many columns 40 are looked at, taken at random.
#pragma once

#include "support/random_tree.h"

namespace catena::test {

struct TreeErrors {
  double round_trip = 0.0, inverse = 0.0, jacobians = 0.0, energy = 0.0, reactions = 0.0;
  double identity =
      0.0;  // columns of M M⁻¹ - 1 by themselves: no more than rounding times the condition can be asked of them
  double condition = 1.0;  // of M: the largest eigenvalue over the smallest, from below
  double largest() const { return std::max({round_trip, inverse, jacobians, energy, reactions}); }
  /// What the algorithms promise at this condition.
  double tolerance() const { return 1e-11 * std::max(1.0, 1e-6 * condition); }
};

/// @returns what is found at the coordinates, velocities and forces of the case, with random loads on all bodies
TreeErrors tree_errors(TreeCase& c, RandomNumbers& random);

}  // namespace catena::test
