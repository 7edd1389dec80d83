// Elimination of one body together with the joint above it, with block sizes known to the compiler.
//
// Legend (docs/notation.md; references: Baraff 1996, Featherstone 2008)
//   P      body pivot: mass block plus what the subtree below adds (the articulated inertia)   D × D
//   J_a    joint rows on the child body                                                       M × D
//   J_b    joint rows on the parent body (DP = 0: joint to the world, a root)                  M × DP
//   f, d   right-hand sides of child and joint; on the way down they hold intermediate values
//
// Range space (up to three rows):           P = L Λ Lᵀ,  W = L⁻¹ J_aᵀ,  S = Wᵀ Λ⁻¹ W + compliance              (1)
//                                           S = L_S Λ_S L_Sᵀ,  V = L_S⁻¹ J_b,  P_p += Vᵀ Λ_S⁻¹ V              (2)
//   up     y = L⁻¹ f,  u = L_S⁻¹ (d - Wᵀ Λ⁻¹ y),  f_p += Vᵀ Λ_S⁻¹ u                                         (3)
//   down   λ = L_S⁻ᵀ Λ_S⁻¹ (u - V x_p),  x = L⁻ᵀ Λ⁻¹ (y + W λ)                                              (4)
//
// Null space (lower pairs between rigid bodies; explicit form x = T x_p + N s + B d of solve/problem.h):
//                                           U = P N,  Δ = Nᵀ U,  P_p += Tᵀ (P - U Δ⁻¹ Uᵀ) T                    (5)
//   up     f' = f - P B d,  e = Nᵀ f',  f_p += Tᵀ (f' - U Δ⁻¹ e)                                            (6)
//   down   y = T x_p + N Δ⁻¹ (e - Uᵀ T x_p),  λ = Bᵀ (P y - f'),  x = y + B d                                (7)
// It needs about a quarter of the range-space operations for a hinge and gives the same Schur complement. Not for three rows and
// fewer: (5) subtracts where (2) only adds, and with three free directions the difference loses digits (ball chain of 100 rods:
// accelerations to 1e-11 instead of 3e-14) for no gain in time.
#pragma once

#include "math/small_matrix_kernel.h"
#include "solve/problem.h"

namespace catena::solve {

/// Normalised pivots below this count as zero: rows that are (nearly) combinations of others.
inline constexpr double kSingularPivot = 1e-13;

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
inline void load(const T* from, T* to) {
  CATENA_UNROLL
  for (int i = 0; i < N; ++i) to[i] = from[i];
}

template <class T, int D, int M, int DP>
struct RangeKernel {
  static constexpr int kW = D * D;  // layout of the stored factor: L,Λ | W | L_S,Λ_S | V
  static constexpr int kS = kW + D * M;
  static constexpr int kV = kS + M * M;
  static constexpr int kFactorSize = kV + M * DP;

  static KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    // local arrays: through pointers the compiler would have to reload everything after every store
    T L[D * D], W[D * M], LS[M * M];
    load<D * D>(a.P + step.P_child, L);
    load<D * M>(a.J + step.J_child, W);  // row m of J_a is column m of J_aᵀ
    if (math::factor_ldlt<T, D>(L, T(0)) >= 0) return KernelFailure::body;
    T scaled[D * M];  // Λ⁻¹ W
    CATENA_UNROLL
    for (int m = 0; m < M; ++m) {
      math::solve_lower<T, D>(L, W + m * D);
      CATENA_UNROLL
      for (int i = 0; i < D; ++i) scaled[i + m * D] = W[i + m * D] * L[i + i * D];
    }
    CATENA_UNROLL
    for (int m = 0; m < M; ++m) CATENA_UNROLL
    for (int n = m; n < M; ++n) {  // (1)
      T sum = n == m ? a.S[step.row + m] : T(0);
      CATENA_UNROLL
      for (int i = 0; i < D; ++i) sum += W[i + n * D] * scaled[i + m * D];
      LS[n + m * M] = sum;
    }
    if (math::factor_ldlt<T, M>(LS, T(kSingularPivot)) >= 0) return KernelFailure::joint;
    T* out = a.factor + step.factor;
    load<D * D>(L, out);
    load<D * M>(W, out + kW);
    load<M * M>(LS, out + kS);
    if constexpr (DP > 0) {
      T V[M * DP], scaled_V[M * DP];  // row-major
      load<M * DP>(a.J + step.J_parent, V);
      CATENA_UNROLL
      for (int m = 0; m < M; ++m) {
        CATENA_UNROLL
        for (int n = m + 1; n < M; ++n) CATENA_UNROLL
        for (int i = 0; i < DP; ++i) V[n * DP + i] -= LS[n + m * M] * V[m * DP + i];
        CATENA_UNROLL
        for (int i = 0; i < DP; ++i) scaled_V[m * DP + i] = V[m * DP + i] * LS[m + m * M];
      }
      load<M * DP>(V, out + kV);
      T* Pp = a.P + step.P_parent;
      CATENA_UNROLL
      for (int j = 0; j < DP; ++j) {
        T column[DP];
        load<DP>(Pp + j * DP, column);
        CATENA_UNROLL
        for (int m = 0; m < M; ++m) CATENA_UNROLL
        for (int i = 0; i < DP; ++i) column[i] += V[m * DP + i] * scaled_V[m * DP + j];  // (2)
        load<DP>(column, Pp + j * DP);
      }
    }
    return KernelFailure::none;
  }

  static void up(const TreeStep& step, const TreeArrays<T>& a, T* x, T* lambda) {
    const T* L = a.factor + step.factor;
    const T* W = L + kW;
    const T* LS = L + kS;
    T* y = x + step.x_child;
    T* u = lambda + step.row;
    math::solve_lower<T, D>(L, y);
    T scaled[D];
    CATENA_UNROLL
    for (int i = 0; i < D; ++i) scaled[i] = y[i] * L[i + i * D];
    CATENA_UNROLL
    for (int m = 0; m < M; ++m) {
      T sum = u[m];
      CATENA_UNROLL
      for (int i = 0; i < D; ++i) sum -= W[i + m * D] * scaled[i];
      u[m] = sum;
    }
    math::solve_lower<T, M>(LS, u);  // (3)
    if constexpr (DP > 0) {
      const T* V = L + kV;
      T* fp = x + step.x_parent;
      CATENA_UNROLL
      for (int m = 0; m < M; ++m) {
        const T s = u[m] * LS[m + m * M];
        CATENA_UNROLL
        for (int i = 0; i < DP; ++i) fp[i] += V[m * DP + i] * s;
      }
    }
  }

  static void down(const TreeStep& step, const TreeArrays<T>& a, T* x, T* lambda) {
    const T* L = a.factor + step.factor;
    const T* W = L + kW;
    const T* LS = L + kS;
    T* y = x + step.x_child;
    T* u = lambda + step.row;
    if constexpr (DP > 0) {
      const T* V = L + kV;
      const T* xp = x + step.x_parent;
      CATENA_UNROLL
      for (int m = 0; m < M; ++m) CATENA_UNROLL
      for (int i = 0; i < DP; ++i) u[m] -= V[m * DP + i] * xp[i];
    }
    math::scale_by_pivots<T, M>(LS, u);
    math::solve_lower_transposed<T, M>(LS, u);
    CATENA_UNROLL
    for (int m = 0; m < M; ++m) CATENA_UNROLL
    for (int i = 0; i < D; ++i) y[i] += W[i + m * D] * u[m];
    math::scale_by_pivots<T, D>(L, y);
    math::solve_lower_transposed<T, D>(L, y);  // (4)
  }
};

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

/// P_p += Tᵀ Q T for symmetric Q = [A B; Bᵀ C] (full storage).
template <class T>
inline void add_shifted_inertia(const double* l, const T* Q, T* Pp) {
  const T lv[3] = {T(l[0]), T(l[1]), T(l[2])};
  T Y[9];  // Y = B - A [l]×, row-major; aᵀ[l]× = (a × l)ᵀ
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) {
    const T row[3] = {Q[i], Q[i + 6], Q[i + 12]};
    T al[3];
    math::cross(row, lv, al);
    CATENA_UNROLL
    for (int j = 0; j < 3; ++j) Y[i * 3 + j] = Q[i + (3 + j) * 6] - al[j];
  }
  T Z[9];  // Z = C + [l]× Y - Bᵀ [l]×, row-major
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) {
    const T column[3] = {Y[j], Y[3 + j], Y[6 + j]};
    T ly[3];
    math::cross(lv, column, ly);
    CATENA_UNROLL
    for (int i = 0; i < 3; ++i) Z[i * 3 + j] = Q[(3 + i) + (3 + j) * 6] + ly[i];
  }
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) {
    const T column[3] = {Q[(3 + i) * 6], Q[1 + (3 + i) * 6], Q[2 + (3 + i) * 6]};
    T bl[3];
    math::cross(column, lv, bl);
    CATENA_UNROLL
    for (int j = 0; j < 3; ++j) Z[i * 3 + j] -= bl[j];
  }
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = 0; i < 3; ++i) {
    Pp[i + j * 6] += Q[i + j * 6];
    Pp[i + (3 + j) * 6] += Y[i * 3 + j];
    Pp[(3 + i) + j * 6] += Y[j * 3 + i];
    Pp[(3 + i) + (3 + j) * 6] += Z[i * 3 + j];
  }
}

/// 6-dimensional child, parent 6-dimensional or the world.
template <class T, int LIN, int ANG, bool kHasParent>
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

  static KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    const Pair& pair = a.pairs[step.pair];
    T Q[36];
    load<36>(a.P + step.P_child, Q);
    if constexpr (K > 0) {
      T N[6 * K], U[6 * K], delta[K * K];
      free_directions(pair, N);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) {
        T* u = U + k * 6;
        CATENA_UNROLL
        for (int i = 0; i < 6; ++i) u[i] = Q[i] * N[k * 6];
        CATENA_UNROLL
        for (int j = 1; j < 6; ++j) CATENA_UNROLL
        for (int i = 0; i < 6; ++i) u[i] += Q[i + j * 6] * N[j + k * 6];
      }
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) CATENA_UNROLL
      for (int n = k; n < K; ++n) {
        T sum = N[n * 6] * U[k * 6];
        CATENA_UNROLL
        for (int i = 1; i < 6; ++i) sum += N[i + n * 6] * U[i + k * 6];
        delta[n + k * K] = sum;
      }
      if (math::factor_ldlt<T, K>(delta, T(0)) >= 0) return KernelFailure::body;
      T* out = a.factor + step.factor;
      load<6 * K>(U, out);
      load<K * K>(delta, out + kDelta);
      if constexpr (kHasParent) subtract_projection(delta, U, Q);
    }
    if constexpr (kHasParent) add_shifted_inertia(pair.l, Q, a.P + step.P_parent);  // (5)
    return KernelFailure::none;
  }

  /// Q -= U Δ⁻¹ Uᵀ; U is overwritten by U L⁻ᵀ.
  static void subtract_projection(const T* delta, T* U, T* Q) {
    CATENA_UNROLL
    for (int k = 0; k < K; ++k) {
      CATENA_UNROLL
      for (int n = k + 1; n < K; ++n) CATENA_UNROLL
      for (int i = 0; i < 6; ++i) U[i + n * 6] -= delta[n + k * K] * U[i + k * 6];
      CATENA_UNROLL
      for (int j = 0; j < 6; ++j) {
        const T s = U[j + k * 6] * delta[k + k * K];
        CATENA_UNROLL
        for (int i = 0; i < 6; ++i) Q[i + j * 6] -= U[i + k * 6] * s;
      }
    }
  }

  /// g ← Δ⁻¹ g
  static void solve_delta(const T* delta, T* g) {
    math::solve_lower<T, K>(delta, g);
    math::scale_by_pivots<T, K>(delta, g);
    math::solve_lower_transposed<T, K>(delta, g);
  }

  /// t = B d
  static void particular(const Pair& pair, const T* d, T* t) {
    T linear[3] = {}, angular[3] = {}, moment[3];
    CATENA_UNROLL
    for (int m = 0; m < LIN; ++m) CATENA_UNROLL
    for (int i = 0; i < 3; ++i) linear[i] += pair.nu[i + 3 * m] * d[m];
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
  static void multipliers(const Pair& pair, const T* w, T* lambda) {
    T rf[3];
    math::cross(pair.r, w, rf);
    CATENA_UNROLL
    for (int m = 0; m < LIN; ++m) {
      const T* nu = pair.nu + 3 * m;
      lambda[m] = pair.sign * (nu[0] * w[0] + nu[1] * w[1] + nu[2] * w[2]);
    }
    CATENA_UNROLL
    for (int m = 0; m < ANG; ++m) {
      const T* gamma = pair.gamma + 3 * m;
      lambda[LIN + m] =
          pair.sign * (gamma[0] * (w[3] - rf[0]) + gamma[1] * (w[4] - rf[1]) + gamma[2] * (w[5] - rf[2]));
    }
  }

  /// e = Nᵀ f
  static void project(const T* N, const T* f, T* e) {
    CATENA_UNROLL
    for (int k = 0; k < K; ++k) {
      e[k] = N[k * 6] * f[0];
      CATENA_UNROLL
      for (int i = 1; i < 6; ++i) e[k] += N[i + k * 6] * f[i];
    }
  }

  /// y += P x
  static void add_product(const T* P, const T* x, T* y) {
    CATENA_UNROLL
    for (int j = 0; j < 6; ++j) CATENA_UNROLL
    for (int i = 0; i < 6; ++i) y[i] += P[i + j * 6] * x[j];
  }

  static void up(const TreeStep& step, const TreeArrays<T>& a, T* x, T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    T t0[6], Pt[6] = {}, f[6];
    particular(pair, lambda + step.row, t0);
    add_product(a.P + step.P_child, t0, Pt);
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
      add_shifted_force(pair.l, f, x + step.x_parent);  // (6)
    }
  }

  static void down(const TreeStep& step, const TreeArrays<T>& a, T* x, T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    T f[6], y[6] = {}, t0[6], w[6];
    load<6>(x + step.x_child, f);
    if constexpr (kHasParent) shift_velocity(pair.l, x + step.x_parent, y);
    if constexpr (K > 0) {
      const T* U = a.factor + step.factor;
      T N[6 * K], e[K];
      free_directions(pair, N);
      project(N, f, e);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) CATENA_UNROLL
      for (int i = 0; i < 6; ++i) e[k] -= U[i + k * 6] * y[i];
      solve_delta(U + kDelta, e);
      CATENA_UNROLL
      for (int k = 0; k < K; ++k) CATENA_UNROLL
      for (int i = 0; i < 6; ++i) y[i] += N[i + k * 6] * e[k];
    }
    CATENA_UNROLL
    for (int i = 0; i < 6; ++i) w[i] = -f[i];
    add_product(a.P + step.P_child, y, w);
    particular(pair, lambda + step.row, t0);
    multipliers(pair, w, lambda + step.row);  // (7): J_aᵀλ = P x - f = P y - f', and Bᵀ J_aᵀ = 1
    CATENA_UNROLL
    for (int i = 0; i < 6; ++i) x[step.x_child + i] = y[i] + t0[i];
  }
};

}  // namespace catena::solve
