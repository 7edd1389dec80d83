// An order of the constraints that keeps J M⁻¹ Jᵀ close to its diagonal: reverse Cuthill-McKee.
//
// Two constraints are neighbours when they share a body. The neighbours are never listed (a hub with k joints
// has k²/2 of them): the search passes through each body once, O(edges · log).
//
// Reference: A. George, J. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4.
#pragma once

#include "solve/problem.h"

#include <vector>

namespace catena::solve {

/// Constraints in their new order.
std::vector<int> order_constraints(const Graph& graph);

}  // namespace catena::solve
