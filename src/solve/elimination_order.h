// In which order bodies and constraints are eliminated: weighted minimum degree, with a rule for constraints.
//
// A constraint has no pivot of its own (its diagonal block is -S, mostly zero); it gets one from bodies eliminated before it.
// The rule that keeps all pivots regular for independent constraints: a body may go at any time; a constraint when it has a body of
// its own among the eliminated ones, on which it acts with full rank (each body serves one constraint), or when all its bodies
// are gone. Compliant constraints may go at any time.
#pragma once

#include "solve/problem.h"

#include <vector>

namespace catena::solve {

/// Nodes: bodies first, then constraints. Everything is given by position in the order of elimination.
struct EliminationOrder {
  std::vector<int> nodes;               // node eliminated at each position
  std::vector<int> position;            // its inverse
  std::vector<std::vector<int>> later;  // positions of the neighbours left when it went, ascending
  std::vector<int> parent;              // first of `later`, -1 at a root
};

/// @param problem  representative numbers, for the ranks of the blocks of J
/// @param late     per constraint: true to take it only when nothing else is left
EliminationOrder find_elimination_order(const Problem& problem, const std::vector<char>& late);

}  // namespace catena::solve
