// A leaf of ldu.h between spatial bodies, as one small dense factorisation with sizes known to the compiler.
//
// The front F holds body i, constraint c and parent p of one leaf, transposed, because that makes rows of what the blocks store:
//
//        [ D_iᵀ    -J_iᵀ   D_piᵀ ]
//   F =  [ -J_i     -S     -J_p  ]      rows and columns: body (6), constraint (ROWS), parent (6)
//        [ D_ipᵀ   -J_pᵀ   D_pᵀ  ]
//
// Own = 6 + ROWS steps of Gaussian elimination, row by row, leave the new D_pᵀ in the last block: formula (2) of ldu.h without any of
// its back substitutions. F = L U; the matrix is UᵀLᵀ, so that both passes of a solve run along stored rows:
//   forward:   y_k = b_k / U_kk,   b ← b - U_k y_k  beyond k           backward:   x ← x - L_i x_i  before i
#pragma once

#include "solve/ldu_leaf.h"
#include "solve/small_lu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Straight-line code for all steps of a front, whose triangular loops the optimiser does not unroll by itself.
#define CATENA_UNROLL_FRONT _Pragma("GCC unroll 20")

// Chains of dependent scalars, which packing them into vectors makes longer.
#ifdef __clang__
#define CATENA_SCALAR
#else
#define CATENA_SCALAR [[gnu::optimize("no-tree-slp-vectorize", "no-tree-vectorize")]]
#endif

namespace catena::solve {

enum class LeafParent : std::uint8_t {
  world,     // no parent block
  joint,     // only the constraint couples the two bodies: D_ip = D_pi = 0
  stiffness  // D_ip, D_pi as well
};

template <int ROWS, LeafParent PARENT>
struct SpatialLeaf {
  static constexpr int kLanes = 4, kPanel = 2;
  using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

  static constexpr int kOwn = 6 + ROWS;
  static constexpr int kSize = PARENT == LeafParent::world ? kOwn : kOwn + 6;
  static constexpr int kPacks = (kSize + kLanes - 1) / kLanes, kWidth = kPacks * kLanes;
  static constexpr bool kHasParent = PARENT != LeafParent::world, kHasLink = PARENT == LeafParent::stiffness;

  static constexpr int first_column(int k) { return k / kLanes * kLanes; }  // panels begin at even k
  // what is stored: inverse pivots, rows of U from the pack of their panel on, rows of L up to the diagonal
  static constexpr int row_of_U(int k) {  // where its column 0 would be
    int offset = kOwn;
    for (int i = 0; i < k; ++i) offset += kLanes * pack_end(i) - first_column(i);
    return offset - first_column(k);
  }
  static constexpr int kParentColumn =
      PARENT == LeafParent::joint ? 6 : 0;  // where the rows of L of the parent begin
  static constexpr int row_of_L(int i) {    // where its column 0 would be
    const int own = kOwn * (kOwn - 1) / 2,
              before = i < kOwn ? i * (i - 1) / 2 : own + (i - kOwn) * (kOwn - kParentColumn) - kParentColumn;
    return row_of_U(kOwn - 1) + kWidth + before;
  }
  static constexpr int kStored = row_of_L(kSize) + kParentColumn;

  /// End of the rows, and of the packs of columns, that step k changes.
  static constexpr bool touches_parent(int k) { return kHasParent && (kHasLink || k >= 6); }
  static constexpr int row_end(int k) { return touches_parent(k) ? kSize : kOwn; }
  static constexpr int pack_end(int k) { return (row_end(k) + kLanes - 1) / kLanes; }

  template <int K, int COUNT>
  static void eliminate_panel(double (&F)[kSize][kWidth], double* values);
  template <int K>
  static void eliminate_from(double (&F)[kSize][kWidth], double* values);
  static void load(const Problem& p, const LduLeaf& leaf, const double* D, double (&F)[kSize][kWidth]);
  static bool eliminate(const Problem& p, const LduLeaf& leaf, double* D, double* values,
                        int& negative_bodies, int& negative_constraints);
  CATENA_SCALAR static void forward(const LduLeaf& leaf, const double* values, double* x, double* lambda);
  CATENA_SCALAR static void backward(const LduLeaf& leaf, const double* values, double* x, double* lambda);
};

template <int ROWS, LeafParent PARENT>
inline void SpatialLeaf<ROWS, PARENT>::load(const Problem& p, const LduLeaf& leaf, const double* D,
                                            double (&F)[kSize][kWidth]) {
  for (auto& row :
       F)  // zeros only where nothing else goes: the end of the rows, and blocks that are not there
    for (int k = kHasParent && !kHasLink ? kOwn : kSize; k < kWidth; ++k) row[k] = 0.0;
  const double *D_i = D + leaf.D, *J = p.J.data() + leaf.J;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) F[i][k] = D_i[6 * i + k];
  for (int r = 0; r < ROWS; ++r) {
    for (int k = 0; k < 6; ++k) F[k][6 + r] = F[6 + r][k] = -J[6 * r + k];
    for (int k = 0; k < ROWS; ++k) F[6 + r][6 + k] = 0.0;
    F[6 + r][6 + r] = -p.S[leaf.row + r];
  }
  if constexpr (kHasParent) {
    const double *D_p = D + leaf.parent_D, *J_p = p.J.data() + leaf.parent_J;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k) F[kOwn + i][kOwn + k] = D_p[6 * i + k];
    for (int r = 0; r < ROWS; ++r)
      for (int k = 0; k < 6; ++k) F[kOwn + k][6 + r] = F[6 + r][kOwn + k] = -J_p[6 * r + k];
  }
  if constexpr (kHasLink) {
    const double* D_ip = (leaf.link_from_body ? p.links : p.lower).data() + leaf.link;
    const double* D_pi = (leaf.link_from_body ? p.lower : p.links).data() + leaf.link;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k) {
        F[i][kOwn + k] = D_pi[6 * i + k];
        F[kOwn + i][k] = D_ip[6 * i + k];
      }
  }
}

// Steps K to K + COUNT: their rows among themselves, then all later rows at once, which saves loading and storing these for each step.
template <int ROWS, LeafParent PARENT>
template <int K, int COUNT>
inline void SpatialLeaf<ROWS, PARENT>::eliminate_panel(double (&F)[kSize][kWidth], double* values) {
  // whole packs everywhere: what changes left of a step's own column is not read again
  constexpr int kFirst = K / kLanes, kEnd = pack_end(K);
  Lanes row[COUNT][kPacks];
  CATENA_UNROLL
  for (int p = 0; p < COUNT; ++p) CATENA_UNROLL
  for (int b = kFirst; b < kEnd; ++b) std::memcpy(&row[p][b], &F[K + p][kLanes * b], sizeof(Lanes));
  double inverse[COUNT] = {1.0 / F[K][K]};
  const double corner = COUNT == 2 ? F[K][K + 1] : 0.0;
  if constexpr (COUNT == 2) {  // by the determinant: this division need not wait for the first
    inverse[1] = F[K][K] / (F[K][K] * F[K + 1][K + 1] - corner * F[K + 1][K]);
    const double factor = F[K + 1][K] * inverse[0];
    values[row_of_L(K + 1) + K] = factor;
    CATENA_UNROLL
    for (int b = kFirst; b < kEnd; ++b) row[1][b] -= factor * row[0][b];
  }
  CATENA_UNROLL
  for (int p = 0; p < COUNT; ++p) {
    values[K + p] = inverse[p];
    CATENA_UNROLL
    for (int b = kFirst; b < kEnd; ++b)
      std::memcpy(values + row_of_U(K + p) + kLanes * b, &row[p][b], sizeof(Lanes));
  }
  for (int i = K + COUNT; i < row_end(K); ++i) {
    double factor[COUNT];
    factor[0] = F[i][K] * inverse[0];
    if constexpr (COUNT == 2) factor[1] = (F[i][K + 1] - factor[0] * corner) * inverse[1];
    CATENA_UNROLL
    for (int p = 0; p < COUNT; ++p) values[row_of_L(i) + K + p] = factor[p];
    CATENA_UNROLL
    for (int b = (K + COUNT) / kLanes; b < kEnd; ++b) {
      Lanes other;
      std::memcpy(&other, &F[i][kLanes * b], sizeof(Lanes));
      CATENA_UNROLL
      for (int p = 0; p < COUNT; ++p) other -= factor[p] * row[p][b];
      std::memcpy(&F[i][kLanes * b], &other, sizeof(Lanes));
    }
  }
}

template <int ROWS, LeafParent PARENT>
template <int K>
inline void SpatialLeaf<ROWS, PARENT>::eliminate_from(double (&F)[kSize][kWidth], double* values) {
  if constexpr (K < kOwn) {
    constexpr int kCount = K < 6 ? kPanel : std::min(kPanel, kOwn - K);
    eliminate_panel<K, kCount>(F, values);
    eliminate_from<K + kCount>(F, values);
  }
}

template <int ROWS, LeafParent PARENT>
bool SpatialLeaf<ROWS, PARENT>::eliminate(const Problem& p, const LduLeaf& leaf, double* D, double* values,
                                          int& negative_bodies, int& negative_constraints) {
  alignas(sizeof(Lanes)) double F[kSize][kWidth];
  load(p, leaf, D, F);
  eliminate_from<0>(F, values + leaf.values);
  if constexpr (kHasParent) {
    double* D_p = D + leaf.parent_D;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k) D_p[6 * i + k] = F[kOwn + i][kOwn + k];
  }
  const double* inverse_pivots = values + leaf.values;
  bool is_regular = true;
  for (int k = 0; k < kOwn; ++k) {
    const double size = std::abs(inverse_pivots[k]);
    is_regular = is_regular && size > 1e-300 && size < 1e300;
    (k < 6 ? negative_bodies : negative_constraints) += (inverse_pivots[k] < 0.0) == (k < 6) ? 1 : 0;
  }
  return is_regular;
}

template <int ROWS, LeafParent PARENT>
void SpatialLeaf<ROWS, PARENT>::forward(const LduLeaf& leaf, const double* values, double* x,
                                        double* lambda) {
  const double* stored = values + leaf.values;
  double b[kSize];
  for (int k = 0; k < 6; ++k) b[k] = x[leaf.entry + k];
  for (int r = 0; r < ROWS; ++r) b[6 + r] = lambda[leaf.row + r];
  if constexpr (kHasParent)
    for (int k = 0; k < 6; ++k) b[kOwn + k] = x[leaf.parent_entry + k];
  CATENA_UNROLL_FRONT
  for (int k = 0; k < kOwn; ++k) {
    b[k] *= stored[k];
    const int end = row_end(k);
    CATENA_UNROLL_FRONT
    for (int i = k + 1; i < end; ++i) b[i] -= stored[row_of_U(k) + i] * b[k];
  }
  for (int k = 0; k < 6; ++k) x[leaf.entry + k] = b[k];
  for (int r = 0; r < ROWS; ++r) lambda[leaf.row + r] = b[6 + r];
  if constexpr (kHasParent)
    for (int k = 0; k < 6; ++k) x[leaf.parent_entry + k] = b[kOwn + k];
}

template <int ROWS, LeafParent PARENT>
void SpatialLeaf<ROWS, PARENT>::backward(const LduLeaf& leaf, const double* values, double* x,
                                         double* lambda) {
  const double* stored = values + leaf.values;
  double b[kOwn];
  for (int k = 0; k < 6; ++k) b[k] = x[leaf.entry + k];
  for (int r = 0; r < ROWS; ++r) b[6 + r] = lambda[leaf.row + r];
  if constexpr (kHasParent)
    for (int i = 0; i < 6; ++i) {
      const double x_p = x[leaf.parent_entry + i];
      CATENA_UNROLL_FRONT
      for (int k = kParentColumn; k < kOwn; ++k) b[k] -= stored[row_of_L(kOwn + i) + k] * x_p;
    }
  CATENA_UNROLL_FRONT
  for (int i = kOwn - 1; i > 0; --i) CATENA_UNROLL_FRONT
  for (int k = 0; k < i; ++k) b[k] -= stored[row_of_L(i) + k] * b[i];
  for (int k = 0; k < 6; ++k) x[leaf.entry + k] = b[k];
  for (int r = 0; r < ROWS; ++r) lambda[leaf.row + r] = b[6 + r];
}

}  // namespace catena::solve
