// What the kernels of the tree solver work on: one step of the elimination, and the arrays it finds its numbers in.
#pragma once

#include "math/small_matrix_kernel.h"
#include "solve/problem.h"

namespace catena::solve {

/// Normalised pivots below this count as zero: rows that are (nearly) combinations of others.
inline constexpr double kSingularTreePivot = 1e-13;

/// Where the numbers of one step are: offsets into the arrays of TreeArrays.
struct TreeStep {
  int x_child = 0, x_parent = 0;  // in x
  int P_child = 0, P_parent = 0;  // in P
  int J_child = 0, J_parent = 0;  // in J
  int row = 0;                    // in λ, d, S
  int factor = 0;                 // in factor
  int pair = -1;
};

template <class T>
struct TreeArrays {
  T* P;        // body pivots
  const T* J;  // blocks of J, row-major
  const T* S;  // compliance
  const Pair* pairs;
  T* factor;  // what the kernels keep
};

enum class KernelFailure { none, body, joint };

/// to ← from
template <int N, class T>
[[gnu::always_inline]] inline void load(const T* from, T* to) {
  _Pragma("GCC unroll 40") for (int i = 0; i < N; ++i) to[i] = from[i];
}

}  // namespace catena::solve
