// LU of small blocks without pivoting, column-major: unit lower L below the diagonal, U above, inverse pivots on it.
//
// The blocks of an implicit step are near a mass matrix or its Schur complement; what pivoting would do for them, halving the step
// does better, and without it the signs of the pivots tell whether the matrix belongs to a minimum (ldu.h).
#pragma once

#include "math/small_matrix_kernel.h"

#include <cmath>

namespace catena::solve {

/// Returns the number of negative pivots, or -1 when one vanished or is not finite. N > 0: known to the compiler.
template <int N>
inline int factor_lu(double* A, int n_at_run_time = N) {
  const int n = N > 0 ? N : n_at_run_time;
  int negative = 0;
  CATENA_UNROLL
  for (int k = 0; k < n; ++k) {
    const double pivot = A[k + k * n];
    if (!(std::abs(pivot) > 1e-300) || !(std::abs(pivot) < 1e300)) return -1;
    negative += pivot < 0.0 ? 1 : 0;
    const double inverse = 1.0 / pivot;
    A[k + k * n] = inverse;
    CATENA_UNROLL
    for (int i = k + 1; i < n; ++i) A[i + k * n] *= inverse;
    CATENA_UNROLL
    for (int j = k + 1; j < n; ++j) {
      const double u = A[k + j * n];
      CATENA_UNROLL
      for (int i = k + 1; i < n; ++i) A[i + j * n] -= A[i + k * n] * u;
    }
  }
  return negative;
}

/// B ← (L U)⁻¹ B for `columns` columns of height n, `stride` apart.
template <int N>
inline void solve_lu(const double* A, double* B, int columns, int stride, int n_at_run_time = N) {
  const int n = N > 0 ? N : n_at_run_time;
  for (int c = 0; c < columns; ++c) {
    double* x = B + c * stride;
    CATENA_UNROLL
    for (int k = 0; k < n; ++k) CATENA_UNROLL
    for (int i = k + 1; i < n; ++i) x[i] -= A[i + k * n] * x[k];
    CATENA_UNROLL
    for (int k = n - 1; k >= 0; --k) {
      x[k] *= A[k + k * n];
      CATENA_UNROLL
      for (int i = 0; i < k; ++i) x[i] -= A[i + k * n] * x[k];
    }
  }
}

}  // namespace catena::solve
