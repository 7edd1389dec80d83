// One leaf of the elimination of ldu.h: a body, the constraint that holds it, and the body behind it.
#pragma once

#include "solve/ldu.h"

#include <cstdint>

namespace catena::solve {

struct LduLeaf {
  int body = 0, constraint = -1,
      parent = -1;  // constraint -1: a body that nothing holds any more; parent -1: the world
  int dim = 0, rows = 0, parent_dim = 0;
  int D = 0, parent_D = 0;          // offsets of the body blocks
  int J = 0, parent_J = 0;          // of the edge blocks; parent_J is not used without a parent
  int row = 0;                      // first entry of the constraint in λ
  int entry = 0, parent_entry = 0;  // first entries in x
  int link = -1;                    // offset of the block between body and parent, -1: none
  bool link_from_body = true;       // `upper` is (body, parent); else it is (parent, body)
  std::ptrdiff_t values = 0;        // offset of what the leaf stores
};

/// Numbers that a leaf stores.
std::ptrdiff_t leaf_size(const LduLeaf& leaf);

/// Eliminates a leaf: D is overwritten by the factors of its body block and changed in that of the parent.
/// Adds the wrong signs of pivots to the counts. Returns false when a pivot vanished.
bool eliminate_leaf(const Problem& p, const LduLeaf& leaf, double* D, double* values, int& negative_bodies,
                    int& negative_constraints);
void leaf_forward(const Problem& p, const LduLeaf& leaf, const double* D, double* values, double* x,
                  double* lambda);
void leaf_backward(const LduLeaf& leaf, double* values, double* x, double* lambda);

}  // namespace catena::solve
