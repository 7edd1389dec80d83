// Accelerations of a model from dense matrices in extended precision: a second way that shares nothing with the solvers.
//
//   M = L Lᵀ,  y = Lᵀ a:   y = y₀ + A⁺(d - A y₀),   A = J L⁻ᵀ,  y₀ = L⁻¹ F,  d = -b                            (1)
//
// the motion nearest to the free one that the rows allow (Gauss), unique whether rows are redundant or not.
#pragma once

#include "catena/simulation.h"

#include <string>

namespace catena::test {

struct DenseReference {
  std::string not_judged;  // why there is nothing to compare with; empty when there is
  VecX accelerations;      // per velocity
  VecX scale;              // per body: energy norm of its free and of its constrained acceleration
  double condition = 1.0;  // of A with rows of length 1, without redundant ones
  int redundant_rows = 0;
  double contradiction = 0.0;  // what is left of the rows that others imply, rows of length 1, Euclidean
};

DenseReference dense_reference(const Simulation& sim);

/// Largest difference of accelerations, body by body in the norm of its mass block, relative to the scale of the body.
double acceleration_difference(const Simulation& sim, const DenseReference& reference,
                               const VecX& accelerations);

}  // namespace catena::test
