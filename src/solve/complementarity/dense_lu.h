// L U of a general matrix with the largest pivot of each column, in place; 2/3 n³.
//
// Newton's matrices of complementarity problems are regular but for what rounding does; a pivot that vanishes is replaced by a small
// number, and the step it spoils is for the caller's line search to judge.
#pragma once

#include "solve/complementarity/storage.h"

namespace catena::solve::complementarity {

class DenseLu {
 public:
  /// Room for the matrix, which factor() overwrites.
  Matrix matrix(int n) { return A_.matrix(n_ = n, n); }
  void factor();
  /// b ← A⁻¹ b
  void solve(Vector b);

 private:
  Numbers A_;
  std::vector<int> swaps_;
  int n_ = 0;
};

}  // namespace catena::solve::complementarity
