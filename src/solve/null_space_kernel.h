// Elimination of a rigid body together with a lower pair of four to six rows, in the joint's free directions.
//
// Legend: P, f, d, x_p as in range_kernel.h; explicit form x = T x_p + N s + B d of solve/problem.h (reference: Featherstone 2008)
//
//           U = P N,  Δ = Nᵀ U,  P_p += Tᵀ (P - U Δ⁻¹ Uᵀ) T                                              (1)
//   up      f' = f - P B d,  e = Nᵀ f',  f_p += Tᵀ (f' - U Δ⁻¹ e)                                        (2)
//   down    y = T x_p + N Δ⁻¹ (e - Uᵀ T x_p),  λ = Bᵀ (P y - f'),  x = y + B d                            (3)
//
// A quarter of the range-space operations for a hinge, and the same Schur complement. Not for three rows and fewer: (1) subtracts
// where the range space only adds, and a light body on a long lever then loses digits.
#pragma once

#include "solve/spatial_block.h"
#include "solve/tree_step.h"

namespace catena::solve {

/// 6-dimensional child, parent 6-dimensional or the world. At a point the ν are the unit vectors and need no products.
template <class T, int LIN, int ANG, bool kAtPoint, bool kHasParent>
struct NullSpaceKernel {
  static constexpr int M = LIN + ANG;
  static constexpr int K = 6 - M;       // free directions
  static constexpr int kDelta = 6 * K;  // layout of the stored factor: U | Δ
  static constexpr int kFactorSize = kDelta + K * K;

  /// Columns of N: free translations, then free rotations about the joint.
  static void free_directions(const Pair& pair, T* N) {
    CATENA_UNROLL
    for (int k = LIN; k < 3; ++k, N += 6) {
      load<3>(pair.nu + 3 * k, N);
      N[3] = N[4] = N[5] = T(0);
    }
    CATENA_UNROLL
    for (int k = ANG; k < 3; ++k, N += 6) {
      load<3>(pair.gamma + 3 * k, N + 3);
      math::cross(pair.r, pair.gamma + 3 * k, N);
    }
  }

  [[gnu::always_inline]] static inline KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    const Pair& pair = a.pairs[step.pair];
    const T l[3] = {T(pair.l[0]), T(pair.l[1]), T(pair.l[2])};
    SpatialBlock<T> P, shifted;
    P.load(a.P + step.P_child);
    if constexpr (kHasParent) P.shift(l, shifted);
    if constexpr (K > 0) {
      T N[6 * K], U[6 * K], delta[K * K];
      free_directions(pair, N);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) P.times(N + 6 * k, U + 6 * k);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) CATENA_UNROLL
      for (int n = k; n < K; ++n) delta[n + k * K] = dot6(N + 6 * n, U + 6 * k);
      if (math::factor_ldlt<T, K>(delta, T(0)) >= 0) return KernelFailure::body;
      T* out = a.factor + step.factor;
      load<6 * K>(U, out);
      load<K * K>(delta, out + kDelta);
      if constexpr (kHasParent) subtract_projection(l, delta, U, shifted);
    }
    if constexpr (kHasParent) shifted.add_to(a.P + step.P_parent);  // (1)
    return KernelFailure::none;
  }

  /// (Tᵀ P T) -= (Tᵀ U) Δ⁻¹ (Tᵀ U)ᵀ; U is overwritten by Tᵀ U L⁻ᵀ. The shift comes first, it need not wait for Δ⁻¹.
  [[gnu::always_inline]] static inline void subtract_projection(const T* l, const T* delta, T* U,
                                                                SpatialBlock<T>& shifted) {
    CATENA_UNROLL
    for (int k = 0; k < K; ++k) {
      T lu[3];
      math::cross(l, U + 6 * k, lu);
      CATENA_UNROLL
      for (int i = 0; i < 3; ++i) U[6 * k + 3 + i] += lu[i];
    }
    CATENA_UNROLL
    for (int k = 0; k < K; ++k) {
      CATENA_UNROLL
      for (int n = k + 1; n < K; ++n) CATENA_UNROLL
      for (int i = 0; i < 6; ++i) U[i + n * 6] -= delta[n + k * K] * U[i + k * 6];
      shifted.subtract(delta[k + k * K], U + 6 * k);
    }
  }

  /// g ← Δ⁻¹ g
  static void solve_delta(const T* delta, T* g) {
    math::solve_lower<T, K>(delta, g);
    math::scale_by_pivots<T, K>(delta, g);
    math::solve_lower_transposed<T, K>(delta, g);
  }

  /// t = B d
  [[gnu::always_inline]] static inline void particular(const Pair& pair, const T* d, T* t) {
    T linear[3] = {}, angular[3] = {}, moment[3];
    if constexpr (kAtPoint) {
      load<3>(d, linear);
    } else {
      CATENA_UNROLL
      for (int m = 0; m < LIN; ++m) CATENA_UNROLL
      for (int i = 0; i < 3; ++i) linear[i] += pair.nu[i + 3 * m] * d[m];
    }
    CATENA_UNROLL
    for (int m = 0; m < ANG; ++m) CATENA_UNROLL
    for (int i = 0; i < 3; ++i) angular[i] += pair.gamma[i + 3 * m] * d[LIN + m];
    math::cross(pair.r, angular, moment);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) {
      t[i] = pair.sign * (linear[i] + moment[i]);
      t[3 + i] = pair.sign * angular[i];
    }
  }

  /// λ = Bᵀ w
  [[gnu::always_inline]] static inline void multipliers(const Pair& pair, const T* w, T* lambda) {
    T rf[3];
    math::cross(pair.r, w, rf);
    CATENA_UNROLL
    for (int m = 0; m < LIN; ++m) {
      if constexpr (kAtPoint) {
        lambda[m] = pair.sign * w[m];
      } else {
        const double* nu = pair.nu + 3 * m;
        lambda[m] = pair.sign * (nu[0] * w[0] + nu[1] * w[1] + nu[2] * w[2]);
      }
    }
    CATENA_UNROLL
    for (int m = 0; m < ANG; ++m) {
      const double* gamma = pair.gamma + 3 * m;
      lambda[LIN + m] =
          pair.sign * (gamma[0] * (w[3] - rf[0]) + gamma[1] * (w[4] - rf[1]) + gamma[2] * (w[5] - rf[2]));
    }
  }

  /// e = Nᵀ f
  static void project(const T* N, const T* f, T* e) {
    CATENA_UNROLL
    for (int k = 0; k < K; ++k) {
      e[k] = dot6(N + 6 * k, f);
    }
  }

  [[gnu::always_inline]] static inline void up(const TreeStep& step, const TreeArrays<T>& a, T* x,
                                               T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    T t0[6], Pt[6], f[6];
    SpatialBlock<T> P;
    P.load(a.P + step.P_child);
    particular(pair, lambda + step.row, t0);
    P.times(t0, Pt);
    CATENA_UNROLL
    for (int i = 0; i < 6; ++i) f[i] = x[step.x_child + i] - Pt[i];
    load<6>(f, x + step.x_child);  // f' stays in x, d stays in λ
    if constexpr (kHasParent) {
      if constexpr (K > 0) {
        const T* U = a.factor + step.factor;
        T N[6 * K], e[K];
        free_directions(pair, N);
        project(N, f, e);
        solve_delta(U + kDelta, e);
        CATENA_UNROLL
        for (int k = 0; k < K; ++k) CATENA_UNROLL
        for (int i = 0; i < 6; ++i) f[i] -= U[i + k * 6] * e[k];
      }
      add_shifted_force(pair.l, f, x + step.x_parent);  // (2)
    }
  }

  [[gnu::always_inline]] static inline void down(const TreeStep& step, const TreeArrays<T>& a, T* x,
                                                 T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    T f[6], y[6] = {}, t0[6], w[6];
    SpatialBlock<T> P;
    P.load(a.P + step.P_child);
    load<6>(x + step.x_child, f);
    if constexpr (kHasParent) shift_velocity(pair.l, x + step.x_parent, y);
    if constexpr (K > 0) {
      const T* U = a.factor + step.factor;
      T N[6 * K], e[K];
      free_directions(pair, N);
      project(N, f, e);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) e[k] -= dot6(U + 6 * k, y);
      solve_delta(U + kDelta, e);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) CATENA_UNROLL
      for (int i = 0; i < 6; ++i) y[i] += N[i + k * 6] * e[k];
    }
    P.times(y, w);
    CATENA_UNROLL
    for (int i = 0; i < 6; ++i) w[i] -= f[i];
    particular(pair, lambda + step.row, t0);
    multipliers(pair, w, lambda + step.row);  // (3): J_aᵀλ = P x - f = P y - f', and Bᵀ J_aᵀ = 1
    CATENA_UNROLL
    for (int i = 0; i < 6; ++i) x[step.x_child + i] = y[i] + t0[i];
  }
};

}  // namespace catena::solve
