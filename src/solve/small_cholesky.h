// Cholesky factor of the small blocks (a body's mass, a constraint's diagonal block), in place and without
// Eigen's general machinery: the blocks have 1 to 12 rows and there are many of them.
//
// A block is symmetric, n × n, row-major with `stride` numbers between rows; only its lower triangle is read
// and it becomes L of  A = L Lᵀ.
#pragma once

#include <cmath>
#include <limits>

namespace catena::solve {

/// True when a pivot is a usable fraction of the diagonal entry it started as; false for NaN and infinity.
inline bool is_sound_pivot(double pivot, double diagonal, double tolerance) {
  return pivot > tolerance * std::abs(diagonal) && pivot > 0.0 &&
         pivot < std::numeric_limits<double>::infinity();
}

/// Calls accept_pivot(row, pivot, diagonal entry at the start) for the pivot to go on with: the same one when it
/// is sound, a replacement, or 0 to stop.
/// @return -1, or the row where the factor stopped
template <class AcceptPivot>
int factor_cholesky(double* A, int n, int stride, AcceptPivot&& accept_pivot) {
  for (int i = 0; i < n; ++i) {
    double* row = A + i * stride;
    double pivot = row[i];
    for (int j = 0; j < i; ++j) {
      const double* above = A + j * stride;
      double sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * above[k];
      row[j] = sum / above[j];
      pivot -= row[j] * row[j];
    }
    pivot = accept_pivot(i, pivot, row[i]);
    if (!(pivot > 0.0)) return i;
    row[i] = std::sqrt(pivot);
  }
  return -1;
}

/// b ← L⁻¹ b
inline void solve_lower(const double* L, int n, int stride, double* b) {
  for (int i = 0; i < n; ++i) {
    double sum = b[i];
    for (int k = 0; k < i; ++k) sum -= L[i * stride + k] * b[k];
    b[i] = sum / L[i * stride + i];
  }
}

/// B ← L⁻¹ B for a block of n rows, row-major
inline void solve_lower(const double* L, int n, int stride, double* B, int columns) {
  for (int i = 0; i < n; ++i) {
    double* row = B + i * columns;
    for (int k = 0; k < i; ++k)
      for (int j = 0; j < columns; ++j) row[j] -= L[i * stride + k] * B[k * columns + j];
    for (int j = 0; j < columns; ++j) row[j] /= L[i * stride + i];
  }
}

/// b ← L⁻ᵀ b
inline void solve_lower_transposed(const double* L, int n, int stride, double* b) {
  for (int i = n - 1; i >= 0; --i) {
    b[i] /= L[i * stride + i];
    for (int k = 0; k < i; ++k) b[k] -= L[i * stride + k] * b[i];
  }
}

}  // namespace catena::solve
