// Elimination of a rigid body together with the ball joint above it: the range space of range_kernel.h in 3 × 3 blocks.
//
// Legend: P = [ A B ; Bᵀ C ], J_a = ±( 1 | R ), R = -[r]×, J_b = ∓( 1 | R_p ), R_p = -[r + l]×, l and r of solve/problem.h
//
//           H = A⁻¹ B,  Q = (C - Bᵀ H)⁻¹,  D = R - H,  S = A⁻¹ + D Q Dᵀ,  K = S⁻¹,  P_p += J_bᵀ K J_b      (1)
//   up      y_ω = Q (f_ω - Hᵀ f_v),  p = A⁻¹ f_v,  u = d ∓ (p + D y_ω),  f_p += J_bᵀ K u                  (2)
//   down    λ = K (u - J_b x_p),  ω = y_ω ± Q Dᵀ λ,  v = p ± A⁻¹ λ - H ω                                  (3)
//
// The elimination of a chain is one long dependency. Nine scalar pivots one after the other, each with a division, are most of
// it; three inverses of 3 × 3 blocks by cofactors take half the time. S is a sum of positive terms, as in any range space.
#pragma once

#include "solve/spatial_block.h"
#include "solve/tree_step.h"

namespace catena::solve {

/// Symmetric 3 × 3, lower triangle 00 10 11 20 21 22.
template <class T>
struct Symmetric3 {
  T m[6];

  /// False unless positive definite (NaN included).
  [[gnu::always_inline]] inline bool invert(const T* a) {
    const T c00 = a[2] * a[5] - a[4] * a[4], c10 = a[3] * a[4] - a[1] * a[5], c20 = a[1] * a[4] - a[2] * a[3];
    const T c11 = a[0] * a[5] - a[3] * a[3], c21 = a[1] * a[3] - a[0] * a[4], c22 = a[0] * a[2] - a[1] * a[1];
    const T determinant = a[0] * c00 + (a[1] * c10 + a[3] * c20);
    const T scale = T(1) / determinant;
    m[0] = c00 * scale;
    m[1] = c10 * scale;
    m[2] = c11 * scale;
    m[3] = c20 * scale;
    m[4] = c21 * scale;
    m[5] = c22 * scale;
    return a[0] > T(0) && c22 > T(0) && determinant > T(0);
  }

  /// y = (this) x
  [[gnu::always_inline]] inline void times(const T* x, T* y) const {
    y[0] = m[0] * x[0] + m[1] * x[1] + m[3] * x[2];
    y[1] = m[1] * x[0] + m[2] * x[1] + m[4] * x[2];
    y[2] = m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
  }
};

template <class T, bool kHasParent>
struct BallKernel {
  /// What factor() keeps of one step.
  struct Factor {
    Symmetric3<T> A_inverse, Q, K;
    T H[9], D[9];  // row-major
  };
  static constexpr int kFactorSize = int(sizeof(Factor) / sizeof(T));

  /// y = X x and y = Xᵀ x for a row-major 3 × 3
  [[gnu::always_inline]] static inline void times(const T* X, const T* x, T* y) {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) y[i] = X[3 * i] * x[0] + X[3 * i + 1] * x[1] + X[3 * i + 2] * x[2];
  }
  [[gnu::always_inline]] static inline void transposed_times(const T* X, const T* x, T* y) {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) y[i] = X[i] * x[0] + X[3 + i] * x[1] + X[6 + i] * x[2];
  }

  /// Lever of the joint on the parent.
  [[gnu::always_inline]] static inline void parent_lever(const Pair& pair, T* r_p) {
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) r_p[i] = pair.r[i] + pair.l[i];
  }

  [[gnu::always_inline]] static inline KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    const Pair& pair = a.pairs[step.pair];
    SpatialBlock<T> P;
    P.load(a.P + step.P_child);
    Factor k;
    if (!k.A_inverse.invert(P.A)) return KernelFailure::body;
    CATENA_UNROLL
    for (int j = 0; j < 3; ++j) {
      const T column[3] = {P.B[j], P.B[3 + j], P.B[6 + j]};
      T h[3];
      k.A_inverse.times(column, h);
      CATENA_UNROLL
      for (int i = 0; i < 3; ++i) k.H[3 * i + j] = h[i];
    }
    T schur[6], S[6], DQ[9];
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) CATENA_UNROLL
    for (int j = 0; j <= i; ++j) {
      const int at = SpatialBlock<T>::at(i, j);
      schur[at] = P.C[at] - (P.B[i] * k.H[j] + P.B[3 + i] * k.H[3 + j] + P.B[6 + i] * k.H[6 + j]);
    }
    if (!k.Q.invert(schur)) return KernelFailure::body;
    const T R[9] = {T(0), pair.r[2], -pair.r[1], -pair.r[2], T(0), pair.r[0], pair.r[1], -pair.r[0], T(0)};
    CATENA_UNROLL
    for (int i = 0; i < 9; ++i) k.D[i] = R[i] - k.H[i];
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) k.Q.times(k.D + 3 * i, DQ + 3 * i);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) CATENA_UNROLL
    for (int j = 0; j <= i; ++j) {
      const int at = SpatialBlock<T>::at(i, j);
      S[at] = k.A_inverse.m[at] +
              (DQ[3 * i] * k.D[3 * j] + DQ[3 * i + 1] * k.D[3 * j + 1] + DQ[3 * i + 2] * k.D[3 * j + 2]);
    }
    if (!k.K.invert(S)) return KernelFailure::joint;
    if constexpr (kHasParent) {  // (1)
      SpatialBlock<T> at_joint{}, at_parent;
      CATENA_UNROLL
      for (int i = 0; i < 6; ++i) at_joint.A[i] = k.K.m[i];
      T r_p[3];
      parent_lever(pair, r_p);
      at_joint.shift(r_p, at_parent);
      at_parent.add_to(a.P + step.P_parent);
    }
    *reinterpret_cast<Factor*>(a.factor + step.factor) = k;
    return KernelFailure::none;
  }

  [[gnu::always_inline]] static inline const Factor& factor_of(const TreeStep& step, const TreeArrays<T>& a) {
    return *reinterpret_cast<const Factor*>(a.factor + step.factor);
  }

  [[gnu::always_inline]] static inline void up(const TreeStep& step, const TreeArrays<T>& a, T* x,
                                               T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    const Factor& k = factor_of(step, a);
    T* f = x + step.x_child;
    T* u = lambda + step.row;
    T Hf[3], rest[3], y[3], p[3], Dy[3];
    transposed_times(k.H, f, Hf);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) rest[i] = f[3 + i] - Hf[i];
    k.Q.times(rest, y);
    k.A_inverse.times(f, p);
    times(k.D, y, Dy);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) {
      u[i] -= pair.sign * (p[i] + Dy[i]);
      f[i] = p[i];  // A⁻¹ f_v and y_ω stay in x
      f[3 + i] = y[i];
    }
    if constexpr (kHasParent) {  // (2)
      T Ku[3], g[3], r_p[3], moment[3];
      k.K.times(u, Ku);
      parent_lever(pair, r_p);
      CATENA_UNROLL
      for (int i = 0; i < 3; ++i) g[i] = pair.sign * Ku[i];
      math::cross(r_p, g, moment);
      CATENA_UNROLL
      for (int i = 0; i < 3; ++i) {
        x[step.x_parent + i] -= g[i];
        x[step.x_parent + 3 + i] -= moment[i];
      }
    }
  }

  [[gnu::always_inline]] static inline void down(const TreeStep& step, const TreeArrays<T>& a, T* x,
                                                 T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    const Factor& k = factor_of(step, a);
    T u[3], force[3], Df[3], turn[3], Af[3], Hw[3];
    load<3>(lambda + step.row, u);
    if constexpr (kHasParent) {
      const T* xp = x + step.x_parent;
      T r_p[3], wr[3];
      parent_lever(pair, r_p);
      math::cross(xp + 3, r_p, wr);
      CATENA_UNROLL
      for (int i = 0; i < 3; ++i) u[i] += pair.sign * (xp[i] + wr[i]);
    }
    k.K.times(u, lambda + step.row);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) force[i] = pair.sign * lambda[step.row + i];
    transposed_times(k.D, force, Df);
    k.Q.times(Df, turn);
    k.A_inverse.times(force, Af);
    T* out = x + step.x_child;
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) out[3 + i] += turn[i];
    times(k.H, out + 3, Hw);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) out[i] += Af[i] - Hw[i];  // (3)
  }
};

}  // namespace catena::solve
