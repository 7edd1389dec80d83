// Elimination order of an acyclic problem: a rooted forest of bodies and constraints, children before parents.
//
// Cost O(nodes); no recursion, so that chains of 100,000 links do not overflow the stack.  Reference: Baraff 1996, section 6.
#pragma once

#include "solve/equality_solver.h"

namespace catena::solve {

/// One constraint and the bodies below it are eliminated together; `constraint` is -1 for a root body without one.
struct ForestStep {
  int constraint = -1;
  int parent = -1;                     // body above the constraint, -1 at a root
  int parent_edge = -1;                // edge (constraint, parent)
  int child_begin = 0, child_end = 0;  // range of Forest::children
};

struct Child {
  int body = 0;
  int edge = -1;  // edge (constraint above, body), -1 for a root body
};

struct Forest {
  std::vector<ForestStep> steps;  // children before parents
  std::vector<Child> children;
  // One-body constraints that are not the root are merged with their body into one pivot.
  std::vector<int> merged_begin;  // per body, range of `merged`        (bodies + 1)
  std::vector<int> merged;        // edges
  int num_trees = 0;
  int depth = 0;  // longest path from a root, in bodies
};

/// Number of independent cycles of the graph, and one constraint that closes one (-1 when acyclic).
struct Cycles {
  int count = 0;
  int constraint = -1;
  int components = 0;
};
Cycles count_cycles(const Graph& graph);

/// Finds roots and order. The roots are chosen so that every constraint has a child-side block of full row rank
/// (otherwise its pivot vanishes), then a constraint to the world is preferred, then the smallest depth.
Refusal find_forest(const Problem& problem, Forest& forest);

}  // namespace catena::solve
