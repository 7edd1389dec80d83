// Elimination of one body together with the joint above it by its rows, with block sizes known to the compiler.
//
// Legend (docs/notation.md; reference: Baraff 1996)
//   P      body pivot: mass block plus what the subtree below adds (the articulated inertia)   D × D
//   J_a    joint rows on the child body                                                       M × D
//   J_b    joint rows on the parent body (DP = 0: joint to the world, a root)                  M × DP
//   f, d   right-hand sides of child and joint; on the way down they hold intermediate values
//
//           P = L Λ Lᵀ,  W = L⁻¹ J_aᵀ,  S = Wᵀ Λ⁻¹ W + compliance                                       (1)
//           S = L_S Λ_S L_Sᵀ,  V = L_S⁻¹ J_b,  P_p += Vᵀ Λ_S⁻¹ V                                        (2)
//   up      y = L⁻¹ f,  u = L_S⁻¹ (d - Wᵀ Λ⁻¹ y),  f_p += Vᵀ Λ_S⁻¹ u                                    (3)
//   down    λ = L_S⁻ᵀ Λ_S⁻¹ (u - V x_p),  x = L⁻ᵀ Λ⁻¹ (y + W λ)                                         (4)
#pragma once

#include "solve/tree_step.h"

namespace catena::solve {

template <class T, int D, int M, int DP>
struct RangeKernel {
  static constexpr int kW = D * D;  // layout of the stored factor: L,Λ | W | L_S,Λ_S | V
  static constexpr int kS = kW + D * M;
  static constexpr int kV = kS + M * M;
  static constexpr int kFactorSize = kV + M * DP;

  [[gnu::always_inline]] static inline KernelFailure factor(const TreeStep& step, const TreeArrays<T>& a) {
    // local arrays: through pointers the compiler would have to reload everything after every store
    T L[D * D], W[D * M], LS[M * M] = {};
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
    if (math::factor_ldlt<T, M>(LS, T(kSingularTreePivot)) >= 0) return KernelFailure::joint;
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

  [[gnu::always_inline]] static inline void up(const TreeStep& step, const TreeArrays<T>& a, T* x,
                                               T* lambda) {
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

  [[gnu::always_inline]] static inline void down(const TreeStep& step, const TreeArrays<T>& a, T* x,
                                                 T* lambda) {
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

}  // namespace catena::solve
