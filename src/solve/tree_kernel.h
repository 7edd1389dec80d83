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
// Null space (lower pairs of four to six rows; explicit form x = T x_p + N s + B d of solve/problem.h):
//                                           U = P N,  Δ = Nᵀ U,  P_p += Tᵀ (P - U Δ⁻¹ Uᵀ) T                    (5)
//   up     f' = f - P B d,  e = Nᵀ f',  f_p += Tᵀ (f' - U Δ⁻¹ e)                                            (6)
//   down   y = T x_p + N Δ⁻¹ (e - Uᵀ T x_p),  λ = Bᵀ (P y - f'),  x = y + B d                                (7)
// It needs about a quarter of the range-space operations for a hinge and gives the same Schur complement.
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
  T* P;             // body pivots
  const T* J;       // blocks of J, row-major
  const T* S;       // compliance
  const Pair* pairs;
  T* factor;        // what the kernels keep
};

enum class KernelFailure { none, body, joint };

template <class T, int D, int M, int DP>
struct RangeKernel {
  static constexpr int kW = D * D;                 // layout of the stored factor: L,Λ | W | L_S,Λ_S | V
  static constexpr int kS = kW + D * M;
  static constexpr int kV = kS + M * M;
  static constexpr int kFactorSize = kV + M * DP;

  static KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    T* L = a.factor + step.factor;
    T* W = L + kW;
    T* LS = L + kS;
    T* V = L + kV;
    const T* P = a.P + step.P_child;
    const T* Ja = a.J + step.J_child;
    for (int i = 0; i < D * D; ++i) L[i] = P[i];
    if (math::factor_ldlt<T, D>(L, T(0)) >= 0) return KernelFailure::body;
    T scaled[D * M];  // Λ⁻¹ W
    for (int m = 0; m < M; ++m) {
      for (int i = 0; i < D; ++i) W[i + m * D] = Ja[i + m * D];  // row m of J_a is column m of J_aᵀ
      math::solve_lower<T, D>(L, W + m * D);
      for (int i = 0; i < D; ++i) scaled[i + m * D] = W[i + m * D] * L[i + i * D];
    }
    for (int m = 0; m < M; ++m)
      for (int n = m; n < M; ++n) {  // (1)
        T sum = T(0);
        for (int i = 0; i < D; ++i) sum += W[i + n * D] * scaled[i + m * D];
        LS[n + m * M] = sum;
      }
    for (int m = 0; m < M; ++m) LS[m + m * M] += a.S[step.row + m];
    if (math::factor_ldlt<T, M>(LS, T(kSingularPivot)) >= 0) return KernelFailure::joint;
    if constexpr (DP > 0) {
      const T* Jb = a.J + step.J_parent;
      T* Pp = a.P + step.P_parent;
      for (int i = 0; i < M * DP; ++i) V[i] = Jb[i];  // row-major M × DP
      for (int m = 0; m < M; ++m)
        for (int n = m + 1; n < M; ++n)
          for (int i = 0; i < DP; ++i) V[n * DP + i] -= LS[n + m * M] * V[m * DP + i];
      for (int m = 0; m < M; ++m)
        for (int j = 0; j < DP; ++j) {
          const T v = V[m * DP + j] * LS[m + m * M];
          for (int i = 0; i < DP; ++i) Pp[i + j * DP] += V[m * DP + i] * v;  // (2)
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
    for (int i = 0; i < D; ++i) scaled[i] = y[i] * L[i + i * D];
    for (int m = 0; m < M; ++m) {
      T sum = u[m];
      for (int i = 0; i < D; ++i) sum -= W[i + m * D] * scaled[i];
      u[m] = sum;
    }
    math::solve_lower<T, M>(LS, u);  // (3)
    if constexpr (DP > 0) {
      const T* V = L + kV;
      T* fp = x + step.x_parent;
      for (int m = 0; m < M; ++m) {
        const T s = u[m] * LS[m + m * M];
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
      for (int m = 0; m < M; ++m)
        for (int i = 0; i < DP; ++i) u[m] -= V[m * DP + i] * xp[i];
    }
    math::scale_by_pivots<T, M>(LS, u);
    math::solve_lower_transposed<T, M>(LS, u);
    for (int m = 0; m < M; ++m)
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
  for (int i = 0; i < 3; ++i) out[i] = x[i] - lw[i];
  for (int i = 3; i < 6; ++i) out[i] = x[i];
}

/// f += Tᵀ g = (g_lin ; g_ang + l × g_lin)
template <class T>
inline void add_shifted_force(const double* l, const T* g, T* f) {
  T lg[3];
  const T lv[3] = {T(l[0]), T(l[1]), T(l[2])};
  math::cross(lv, g, lg);
  for (int i = 0; i < 3; ++i) f[i] += g[i];
  for (int i = 0; i < 3; ++i) f[3 + i] += g[3 + i] + lg[i];
}

/// P_p += Tᵀ Q T for symmetric Q = [A B; Bᵀ C] (full storage).
template <class T>
inline void add_shifted_inertia(const double* l, const T* Q, T* Pp) {
  const T lv[3] = {T(l[0]), T(l[1]), T(l[2])};
  T Y[9];  // Y = B - A [l]×, row-major; aᵀ[l]× = (a × l)ᵀ
  for (int i = 0; i < 3; ++i) {
    const T row[3] = {Q[i], Q[i + 6], Q[i + 12]};
    T al[3];
    math::cross(row, lv, al);
    for (int j = 0; j < 3; ++j) Y[i * 3 + j] = Q[i + (3 + j) * 6] - al[j];
  }
  T Z[9];  // Z = C + [l]× Y - Bᵀ [l]×, row-major
  for (int j = 0; j < 3; ++j) {
    const T column[3] = {Y[j], Y[3 + j], Y[6 + j]};
    T ly[3];
    math::cross(lv, column, ly);
    for (int i = 0; i < 3; ++i) Z[i * 3 + j] = Q[(3 + i) + (3 + j) * 6] + ly[i];
  }
  for (int i = 0; i < 3; ++i) {
    const T column[3] = {Q[(3 + i) * 6], Q[1 + (3 + i) * 6], Q[2 + (3 + i) * 6]};
    T bl[3];
    math::cross(column, lv, bl);
    for (int j = 0; j < 3; ++j) Z[i * 3 + j] -= bl[j];
  }
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      Pp[i + j * 6] += Q[i + j * 6];
      Pp[i + (3 + j) * 6] += Y[i * 3 + j];
      Pp[(3 + i) + j * 6] += Y[j * 3 + i];
      Pp[(3 + i) + (3 + j) * 6] += Z[i * 3 + j];
    }
}

/// 6-dimensional child, parent 6-dimensional or the world; M = 4, 5, 6 rows, K = 6 - M free directions.
template <class T, int M, bool kHasParent>
struct NullSpaceKernel {
  static constexpr int K = 6 - M;
  static constexpr int kDelta = 6 * K;  // layout: U | Δ factor | N, B are read from the pair
  static constexpr int kFactorSize = kDelta + K * K;

  static KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    const Pair& pair = a.pairs[step.pair];
    const T* P = a.P + step.P_child;
    T Q[36];
    for (int i = 0; i < 36; ++i) Q[i] = P[i];
    if constexpr (K > 0) {
      T* U = a.factor + step.factor;
      T* delta = U + kDelta;
      for (int k = 0; k < K; ++k)
        for (int i = 0; i < 6; ++i) {
          T sum = T(0);
          for (int j = 0; j < 6; ++j) sum += P[i + j * 6] * T(pair.N[j + k * 6]);
          U[i + k * 6] = sum;
        }
      for (int k = 0; k < K; ++k)
        for (int n = k; n < K; ++n) {
          T sum = T(0);
          for (int i = 0; i < 6; ++i) sum += T(pair.N[i + n * 6]) * U[i + k * 6];
          delta[n + k * K] = sum;
        }
      if (math::factor_ldlt<T, K>(delta, T(0)) >= 0) return KernelFailure::body;
      T R[6 * K];  // columns of U L⁻ᵀ, so that U Δ⁻¹ Uᵀ = R Λ⁻¹ Rᵀ
      for (int i = 0; i < 6 * K; ++i) R[i] = U[i];
      for (int k = 0; k < K; ++k)
        for (int n = k + 1; n < K; ++n)
          for (int i = 0; i < 6; ++i) R[i + n * 6] -= delta[n + k * K] * R[i + k * 6];
      for (int k = 0; k < K; ++k)
        for (int j = 0; j < 6; ++j) {
          const T s = R[j + k * 6] * delta[k + k * K];
          for (int i = 0; i < 6; ++i) Q[i + j * 6] -= R[i + k * 6] * s;
        }
    }
    if constexpr (kHasParent) add_shifted_inertia(pair.l, Q, a.P + step.P_parent);  // (5)
    return KernelFailure::none;
  }

  /// g ← Δ⁻¹ g
  static void solve_delta(const T* delta, T* g) {
    math::solve_lower<T, K>(delta, g);
    math::scale_by_pivots<T, K>(delta, g);
    math::solve_lower_transposed<T, K>(delta, g);
  }

  static void up(const TreeStep& step, const TreeArrays<T>& a, T* x, T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    const T* P = a.P + step.P_child;
    T* f = x + step.x_child;
    const T* d = lambda + step.row;
    T t0[6] = {};
    for (int m = 0; m < M; ++m)
      for (int i = 0; i < 6; ++i) t0[i] += T(pair.B[i + m * 6]) * d[m];
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) f[i] -= P[i + j * 6] * t0[j];  // f' stays in f, d stays in λ
    if constexpr (kHasParent) {
      T g[6];
      for (int i = 0; i < 6; ++i) g[i] = f[i];
      if constexpr (K > 0) {
        const T* U = a.factor + step.factor;
        T e[K];
        project(pair, f, e);
        solve_delta(U + kDelta, e);
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < 6; ++i) g[i] -= U[i + k * 6] * e[k];
      }
      add_shifted_force(pair.l, g, x + step.x_parent);  // (6)
    }
  }

  static void project(const Pair& pair, const T* f, T* e) {
    for (int k = 0; k < K; ++k) {
      e[k] = T(0);
      for (int i = 0; i < 6; ++i) e[k] += T(pair.N[i + k * 6]) * f[i];
    }
  }

  static void down(const TreeStep& step, const TreeArrays<T>& a, T* x, T* lambda) {
    const Pair& pair = a.pairs[step.pair];
    const T* P = a.P + step.P_child;
    T* f = x + step.x_child;
    T* d = lambda + step.row;
    T y[6] = {};
    if constexpr (kHasParent) shift_velocity(pair.l, x + step.x_parent, y);
    if constexpr (K > 0) {
      const T* U = a.factor + step.factor;
      T e[K];
      project(pair, f, e);
      for (int k = 0; k < K; ++k)
        for (int i = 0; i < 6; ++i) e[k] -= U[i + k * 6] * y[i];
      solve_delta(U + kDelta, e);
      for (int k = 0; k < K; ++k)
        for (int i = 0; i < 6; ++i) y[i] += T(pair.N[i + k * 6]) * e[k];
    }
    T w[6];
    for (int i = 0; i < 6; ++i) w[i] = -f[i];
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) w[i] += P[i + j * 6] * y[j];
    T multipliers[M];
    for (int m = 0; m < M; ++m) {
      T sum = T(0);
      for (int i = 0; i < 6; ++i) {
        sum += T(pair.B[i + m * 6]) * w[i];
        y[i] += T(pair.B[i + m * 6]) * d[m];
      }
      multipliers[m] = sum;
    }
    // (7): J_aᵀλ = P x - f = P y - f', and Bᵀ J_aᵀ = 1
    for (int m = 0; m < M; ++m) d[m] = multipliers[m];
    for (int i = 0; i < 6; ++i) f[i] = y[i];
  }
};

}  // namespace catena::solve
