// Symmetric 6 × 6 blocks of rigid bodies and what a change of reference point does to them; T = [ 1 -[l]× ; 0 1 ].
#pragma once

#include "math/small_matrix_kernel.h"

namespace catena::solve {

/// x ← T x = (v - l × w ; w)
template <class T>
inline void shift_velocity(const double* l, const T* x, T* out) {
  T lw[3];
  const T lv[3] = {T(l[0]), T(l[1]), T(l[2])};
  math::cross(lv, x + 3, lw);
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out[i] = x[i] - lw[i];
  CATENA_UNROLL
  for (int i = 3; i < 6; ++i) out[i] = x[i];
}

/// f += Tᵀ g = (g_lin ; g_ang + l × g_lin)
template <class T>
inline void add_shifted_force(const double* l, const T* g, T* f) {
  T lg[3];
  const T lv[3] = {T(l[0]), T(l[1]), T(l[2])};
  math::cross(lv, g, lg);
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) f[i] += g[i];
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) f[3 + i] += g[3 + i] + lg[i];
}

/// A symmetric 6 × 6 block [ A B ; Bᵀ C ] without its repetitions, so that it costs 21 loads.
template <class T>
struct SpatialBlock {
  T A[6], B[9], C[6];  // A, C: lower triangles 00 10 11 20 21 22; B row-major

  static constexpr int at(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

  /// From full storage.
  [[gnu::always_inline]] inline void load(const T* P) {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) CATENA_UNROLL
    for (int j = 0; j < 3; ++j) {
      if (j <= i) A[at(i, j)] = P[i + 6 * j];
      if (j <= i) C[at(i, j)] = P[3 + i + 6 * (3 + j)];
      B[3 * i + j] = P[i + 6 * (3 + j)];
    }
  }

  /// y = (this) x; four short sums instead of two long ones, which would be the longest chain of the kernels
  [[gnu::always_inline]] inline void times(const T* x, T* y) const {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) {
      y[i] = (A[at(i, 0)] * x[0] + A[at(i, 1)] * x[1] + A[at(i, 2)] * x[2]) +
             (B[3 * i] * x[3] + B[3 * i + 1] * x[4] + B[3 * i + 2] * x[5]);
      y[3 + i] = (B[i] * x[0] + B[3 + i] * x[1] + B[6 + i] * x[2]) +
                 (C[at(i, 0)] * x[3] + C[at(i, 1)] * x[4] + C[at(i, 2)] * x[5]);
    }
  }

  /// out = Tᵀ (this) T:  A,  Y = B - A [l]×,  Z = C + [l]× Y + ([l]× B)ᵀ
  [[gnu::always_inline]] inline void shift(const T* l, SpatialBlock& out) const {
    CATENA_UNROLL
    for (int i = 0; i < 6; ++i) out.A[i] = A[i];
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) {
      const T row[3] = {A[at(i, 0)], A[at(i, 1)], A[at(i, 2)]};
      T al[3];  // aᵀ [l]× = (a × l)ᵀ
      math::cross(row, l, al);
      CATENA_UNROLL
      for (int j = 0; j < 3; ++j) out.B[3 * i + j] = B[3 * i + j] - al[j];
    }
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) CATENA_UNROLL
    for (int j = 0; j <= i; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      out.C[at(i, j)] = (C[at(i, j)] + (l[i1] * out.B[3 * i2 + j] - l[i2] * out.B[3 * i1 + j])) +
                        (l[j1] * B[3 * j2 + i] - l[j2] * B[3 * j1 + i]);
    }
  }

  /// (this) -= s·u uᵀ
  [[gnu::always_inline]] inline void subtract(T s, const T* u) {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) {
      const T linear = s * u[i], angular = s * u[3 + i];
      CATENA_UNROLL
      for (int j = 0; j <= i; ++j) {
        A[at(i, j)] -= linear * u[j];
        C[at(i, j)] -= angular * u[3 + j];
      }
      CATENA_UNROLL
      for (int j = 0; j < 3; ++j) B[3 * i + j] -= linear * u[3 + j];
    }
  }

  /// P += (this), full storage.
  [[gnu::always_inline]] inline void add_to(T* P) const {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) CATENA_UNROLL
    for (int j = 0; j < 3; ++j) {
      if (j <= i) {
        const T a = P[i + 6 * j] + A[at(i, j)], c = P[3 + i + 6 * (3 + j)] + C[at(i, j)];
        P[i + 6 * j] = P[j + 6 * i] = a;
        P[3 + i + 6 * (3 + j)] = P[3 + j + 6 * (3 + i)] = c;
      }
      const T b = P[i + 6 * (3 + j)] + B[3 * i + j];
      P[i + 6 * (3 + j)] = P[3 + j + 6 * i] = b;
    }
  }
};

template <class T>
inline T dot6(const T* a, const T* b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

}  // namespace catena::solve
