// Fixed-size factorisations and products for the inner loops: plain arrays, sizes known to the compiler.
//
// Symmetric matrices are column-major with the lower triangle valid; L is unit lower triangular, stored below the
// diagonal, and the diagonal holds the *inverse* pivots, because every use multiplies by them.
// Scalar type T is a template parameter so that one source serves double and, later, SIMD packs (lane = world).
#pragma once

// Complete unrolling is what turns these loops into straight-line code; the optimiser does not do it by itself for triangular
// loops. Measured on the 6 × 6 factorisation: a factor of two.
#define CATENA_UNROLL _Pragma("GCC unroll 8")

namespace catena::math {

/// A = L Λ Lᵀ in place. Returns the index of the first pivot that is not above `threshold` times the original
/// diagonal entry (also for NaN), or -1.
template <class T, int N>
inline int factor_ldlt(T* A, T threshold) {
  T pivot[N];
  CATENA_UNROLL
  for (int j = 0; j < N; ++j) {
    T sum = A[j + j * N];
    const T limit = threshold * sum;
    T row[N];
    CATENA_UNROLL
    for (int k = 0; k < j; ++k) {
      row[k] = A[j + k * N] * pivot[k];
      sum -= row[k] * A[j + k * N];
    }
    if (!(sum > limit) || !(sum > T(0))) return j;
    pivot[j] = sum;
    const T inverse = T(1) / sum;
    CATENA_UNROLL
    for (int i = j + 1; i < N; ++i) {
      T s = A[i + j * N];
      CATENA_UNROLL
      for (int k = 0; k < j; ++k) s -= A[i + k * N] * row[k];
      A[i + j * N] = s * inverse;
    }
    A[j + j * N] = inverse;
  }
  return -1;
}

/// x ← L⁻¹ x
template <class T, int N>
inline void solve_lower(const T* A, T* x) {
  CATENA_UNROLL
  for (int j = 0; j < N; ++j) CATENA_UNROLL
  for (int i = j + 1; i < N; ++i) x[i] -= A[i + j * N] * x[j];
}

/// x ← L⁻ᵀ x
template <class T, int N>
inline void solve_lower_transposed(const T* A, T* x) {
  CATENA_UNROLL
  for (int j = N - 1; j >= 0; --j) CATENA_UNROLL
  for (int i = j + 1; i < N; ++i) x[j] -= A[i + j * N] * x[i];
}

/// x ← Λ⁻¹ x
template <class T, int N>
inline void scale_by_pivots(const T* A, T* x) {
  CATENA_UNROLL
  for (int i = 0; i < N; ++i) x[i] *= A[i + i * N];
}

/// c = a × b
template <class T>
inline void cross(const T* a, const T* b, T* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// The same for sizes known only at run time (the general path of the tree solver).

template <class T>
inline int factor_ldlt(int n, T* A, T threshold) {
  for (int j = 0; j < n; ++j) {
    T sum = A[j + j * n];
    const T limit = threshold * sum;
    for (int k = 0; k < j; ++k) sum -= A[j + k * n] * A[j + k * n] / A[k + k * n];
    if (!(sum > limit) || !(sum > T(0))) return j;
    const T inverse = T(1) / sum;
    for (int i = j + 1; i < n; ++i) {
      T s = A[i + j * n];
      for (int k = 0; k < j; ++k) s -= A[i + k * n] * A[j + k * n] / A[k + k * n];
      A[i + j * n] = s * inverse;
    }
    A[j + j * n] = inverse;
  }
  return -1;
}

template <class T>
inline void solve_ldlt(int n, const T* A, T* x) {
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) x[i] -= A[i + j * n] * x[j];
  for (int j = n - 1; j >= 0; --j) {
    x[j] *= A[j + j * n];
    for (int i = j + 1; i < n; ++i) x[j] -= A[i + j * n] * x[i];
  }
}

}  // namespace catena::math
