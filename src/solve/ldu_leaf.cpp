// Leaves between spatial bodies go to ldu_spatial.h; here are the formulas (2) of ldu.h for any sizes.
#include "solve/ldu_leaf.h"

#include "solve/ldu_spatial.h"
#include "solve/small_lu.h"

#include <algorithm>

namespace catena::solve {
namespace {

/// Where a leaf keeps its numbers; all column-major.
struct Stored {
  double* X;   // n × r
  double* Z;   // r × m:  Q⁻¹B₁
  double* Q;   // r × r, factored
  double* Y;   // n × m
  double* B2;  // m × r
  Stored(const LduLeaf& leaf, double* values)
      : X(values + leaf.values),
        Z(X + leaf.dim * leaf.rows),
        Q(Z + leaf.rows * leaf.parent_dim),
        Y(Q + leaf.rows * leaf.rows),
        B2(Y + leaf.dim * leaf.parent_dim) {}
};

// C (rows × columns) += sign·A·B, inner size k; all column-major
void add_product(double sign, const double* A, const double* B, double* C, int columns, int rows, int inner) {
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < inner; ++k) {
      const double b = sign * B[k + j * inner];
      for (int i = 0; i < rows; ++i) C[i + j * rows] += A[i + k * rows] * b;
    }
}

bool eliminate(const Problem& p, const LduLeaf& leaf, double* D, double* values, int& negative_bodies,
               int& negative_constraints) {
  const int n = leaf.dim, r = leaf.rows, m = leaf.parent_dim;
  const int negative = factor_lu<0>(D + leaf.D, n);
  if (negative < 0) return false;
  negative_bodies += negative;
  if (leaf.constraint < 0) return true;

  const Stored s(leaf, values);
  const double* J = p.J.data() + leaf.J;  // row-major, so that it is Jᵀ column-major
  std::copy(J, J + n * r, s.X);
  solve_lu<0>(D + leaf.D, s.X, r, n, n);
  for (int j = 0; j < r; ++j)
    for (int i = 0; i < r; ++i) {
      double sum = i == j ? p.S[leaf.row + i] : 0.0;
      for (int k = 0; k < n; ++k) sum += J[k + i * n] * s.X[k + j * n];
      s.Q[i + j * r] = sum;
    }
  const int negative_rows = factor_lu<0>(s.Q, r);
  if (negative_rows < 0) return false;
  negative_constraints += negative_rows;
  if (leaf.parent < 0) return true;

  const double* J_p = p.J.data() + leaf.parent_J;
  double* D_p = D + leaf.parent_D;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < r; ++i) s.Z[i + j * r] = J_p[j + i * m];
  const double* B2 = J_p;  // J_pᵀ, column-major
  if (leaf.link >= 0) {
    const double* D_ip = (leaf.link_from_body ? p.links : p.lower).data() + leaf.link;
    const double* D_pi = (leaf.link_from_body ? p.lower : p.links).data() + leaf.link;
    std::copy(D_ip, D_ip + n * m, s.Y);
    solve_lu<0>(D + leaf.D, s.Y, m, n, n);
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < r; ++i)
        for (int k = 0; k < n; ++k) s.Z[i + j * r] -= J[k + i * n] * s.Y[k + j * n];
    std::copy(J_p, J_p + m * r, s.B2);
    add_product(-1.0, D_pi, s.X, s.B2, r, m, n);
    add_product(-1.0, D_pi, s.Y, D_p, m, m, n);
    B2 = s.B2;
  }
  solve_lu<0>(s.Q, s.Z, m, r, r);
  add_product(1.0, B2, s.Z, D_p, m, m, r);
  return true;
}

void forward(const Problem& p, const LduLeaf& leaf, const double* D, double* values, double* x,
             double* lambda) {
  const int n = leaf.dim, r = leaf.rows, m = leaf.parent_dim;
  double* f = x + leaf.entry;
  solve_lu<0>(D + leaf.D, f, 1, n, n);
  if (leaf.constraint < 0) return;
  const Stored s(leaf, values);
  const double* J = p.J.data() + leaf.J;
  double* g = lambda + leaf.row;
  for (int i = 0; i < r; ++i)
    for (int k = 0; k < n; ++k) g[i] += J[k + i * n] * f[k];
  solve_lu<0>(s.Q, g, 1, r, r);
  if (leaf.parent < 0) return;
  double* f_p = x + leaf.parent_entry;
  const double* B2 = p.J.data() + leaf.parent_J;
  if (leaf.link >= 0) {
    add_product(-1.0, (leaf.link_from_body ? p.lower : p.links).data() + leaf.link, f, f_p, 1, m, n);
    B2 = s.B2;
  }
  add_product(-1.0, B2, g, f_p, 1, m, r);
}

void backward(const LduLeaf& leaf, double* values, double* x, double* lambda) {
  if (leaf.constraint < 0) return;
  const int n = leaf.dim, r = leaf.rows, m = leaf.parent_dim;
  const Stored s(leaf, values);
  double* g = lambda + leaf.row;
  for (int i = 0; i < r; ++i) g[i] = -g[i];
  const double* x_p = x + leaf.parent_entry;
  if (leaf.parent >= 0) add_product(-1.0, s.Z, x_p, g, 1, r, m);
  add_product(1.0, s.X, g, x + leaf.entry, 1, n, r);
  if (leaf.link >= 0) add_product(-1.0, s.Y, x_p, x + leaf.entry, 1, n, m);
}

template <int ROWS, class Run>
auto with_parent(const LduLeaf& leaf, Run& run) {
  if (leaf.parent < 0) return run.template operator()<SpatialLeaf<ROWS, LeafParent::world>>();
  if (leaf.link < 0) return run.template operator()<SpatialLeaf<ROWS, LeafParent::joint>>();
  return run.template operator()<SpatialLeaf<ROWS, LeafParent::stiffness>>();
}

bool is_spatial(const LduLeaf& leaf) {
  constexpr int kMostRows = 8;
  return leaf.dim == 6 && leaf.rows <= kMostRows && (leaf.parent < 0 || leaf.parent_dim == 6);
}

/// Calls `run` with the kernel for the sizes of a spatial leaf.
template <class Run>
auto with_kernel(const LduLeaf& leaf, Run&& run) {
  switch (leaf.rows) {
    case 0:
      return run.template operator()<SpatialLeaf<0, LeafParent::world>>();
    case 1:
      return with_parent<1>(leaf, run);
    case 2:
      return with_parent<2>(leaf, run);
    case 3:
      return with_parent<3>(leaf, run);
    case 4:
      return with_parent<4>(leaf, run);
    case 5:
      return with_parent<5>(leaf, run);
    case 6:
      return with_parent<6>(leaf, run);
    case 7:
      return with_parent<7>(leaf, run);
    default:
      return with_parent<8>(leaf, run);
  }
}

}  // namespace

std::ptrdiff_t leaf_size(const LduLeaf& leaf) {
  if (is_spatial(leaf))
    return with_kernel(leaf, []<class Kernel>() { return std::ptrdiff_t(Kernel::kStored); });
  const std::ptrdiff_t n = leaf.dim, r = leaf.rows, m = leaf.parent_dim;
  return n * r + r * m + r * r + (leaf.link >= 0 ? n * m + m * r : 0);
}

bool eliminate_leaf(const Problem& p, const LduLeaf& leaf, double* D, double* values, int& negative_bodies,
                    int& negative_constraints) {
  if (!is_spatial(leaf)) return eliminate(p, leaf, D, values, negative_bodies, negative_constraints);
  return with_kernel(leaf, [&]<class Kernel>() {
    return Kernel::eliminate(p, leaf, D, values, negative_bodies, negative_constraints);
  });
}
void leaf_forward(const Problem& p, const LduLeaf& leaf, const double* D, double* values, double* x,
                  double* lambda) {
  if (!is_spatial(leaf)) return forward(p, leaf, D, values, x, lambda);
  with_kernel(leaf, [&]<class Kernel>() { Kernel::forward(leaf, values, x, lambda); });
}
void leaf_backward(const LduLeaf& leaf, double* values, double* x, double* lambda) {
  if (!is_spatial(leaf)) return backward(leaf, values, x, lambda);
  with_kernel(leaf, [&]<class Kernel>() { Kernel::backward(leaf, values, x, lambda); });
}

}  // namespace catena::solve
