// The formulas (2) of ldu.h, for sizes known to the compiler (spatial bodies, one to six rows) and for any.
#include "solve/ldu_leaf.h"

#include "solve/small_lu.h"

namespace catena::solve {
namespace {

/// Sizes of a leaf; constants where the template says so.
template <int DIM, int ROWS>
struct Sizes {
  int n, r, m;  // body, rows, parent
  explicit Sizes(const LduLeaf& leaf)
      : n(DIM > 0 ? DIM : leaf.dim), r(ROWS > 0 ? ROWS : leaf.rows), m(DIM > 0 ? DIM : leaf.parent_dim) {}
};

/// Where a leaf keeps its numbers; all column-major.
struct Stored {
  double* X;   // n × r
  double* Z;   // r × m:  Q⁻¹B₁
  double* Q;   // r × r, factored
  double* Y;   // n × m
  double* B2;  // m × r
  Stored(const LduLeaf& leaf, int n, int r, int m, double* values)
      : X(values + leaf.values), Z(X + n * r), Q(Z + r * m), Y(Q + r * r), B2(Y + n * m) {}
};

// C (rows × columns) += sign·A·B, inner size k; all column-major
template <int ROWS, int K>
inline void add_product(double sign, const double* A, const double* B, double* C, int columns,
                        int rows_at_run_time, int k_at_run_time) {
  const int rows = ROWS > 0 ? ROWS : rows_at_run_time, inner = K > 0 ? K : k_at_run_time;
  for (int j = 0; j < columns; ++j) {
    double* c = C + j * rows;
    CATENA_UNROLL
    for (int k = 0; k < inner; ++k) {
      const double b = sign * B[k + j * inner];
      CATENA_UNROLL
      for (int i = 0; i < rows; ++i) c[i] += A[i + k * rows] * b;
    }
  }
}

template <int DIM, int ROWS>
bool eliminate(const LduProblem& p, const LduLeaf& leaf, double* D, double* values, int& negative_bodies,
               int& negative_constraints) {
  const Sizes<DIM, ROWS> size(leaf);
  const int n = size.n, r = size.r, m = size.m;
  const int negative = factor_lu<DIM>(D + leaf.D, n);
  if (negative < 0) return false;
  negative_bodies += negative;
  if (leaf.constraint < 0) return true;

  const Stored s(leaf, n, r, m, values);
  const double* J = p.J.data() + leaf.J;  // row-major, so that it is Jᵀ column-major
  for (int i = 0; i < n * r; ++i) s.X[i] = J[i];
  solve_lu<DIM>(D + leaf.D, s.X, r, n, n);
  for (int j = 0; j < r; ++j) CATENA_UNROLL
  for (int i = 0; i < r; ++i) {
    double sum = i == j ? p.S[leaf.row + i] : 0.0;
    CATENA_UNROLL
    for (int k = 0; k < n; ++k) sum += J[k + i * n] * s.X[k + j * n];
    s.Q[i + j * r] = sum;
  }
  const int negative_rows = factor_lu<ROWS>(s.Q, r);
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
    for (int i = 0; i < n * m; ++i) s.Y[i] = D_ip[i];
    solve_lu<DIM>(D + leaf.D, s.Y, m, n, n);
    for (int j = 0; j < m; ++j) CATENA_UNROLL
    for (int i = 0; i < r; ++i) {
      double sum = 0.0;
      CATENA_UNROLL
      for (int k = 0; k < n; ++k) sum += J[k + i * n] * s.Y[k + j * n];
      s.Z[i + j * r] -= sum;
    }
    for (int i = 0; i < m * r; ++i) s.B2[i] = J_p[i];
    add_product<DIM, DIM>(-1.0, D_pi, s.X, s.B2, r, m, n);
    add_product<DIM, DIM>(-1.0, D_pi, s.Y, D_p, m, m, n);
    B2 = s.B2;
  }
  solve_lu<ROWS>(s.Q, s.Z, m, r, r);
  add_product<DIM, ROWS>(1.0, B2, s.Z, D_p, m, m, r);
  return true;
}

template <int DIM, int ROWS>
void forward(const LduProblem& p, const LduLeaf& leaf, const double* D, const double* values, double* x,
             double* lambda) {
  const Sizes<DIM, ROWS> size(leaf);
  const int n = size.n, r = size.r, m = size.m;
  double* f = x + leaf.entry;
  solve_lu<DIM>(D + leaf.D, f, 1, n, n);
  if (leaf.constraint < 0) return;
  const Stored s(leaf, n, r, m, const_cast<double*>(values));  // NOLINT: read only
  const double* J = p.J.data() + leaf.J;
  double* g = lambda + leaf.row;
  for (int i = 0; i < r; ++i) CATENA_UNROLL
  for (int k = 0; k < n; ++k) g[i] += J[k + i * n] * f[k];
  solve_lu<ROWS>(s.Q, g, 1, r, r);
  if (leaf.parent < 0) return;
  double* f_p = x + leaf.parent_entry;
  const double* B2 = p.J.data() + leaf.parent_J;
  if (leaf.link >= 0) {
    add_product<DIM, DIM>(-1.0, (leaf.link_from_body ? p.lower : p.links).data() + leaf.link, f, f_p, 1, m,
                          n);
    B2 = s.B2;
  }
  add_product<DIM, ROWS>(-1.0, B2, g, f_p, 1, m, r);
}

template <int DIM, int ROWS>
void backward(const LduLeaf& leaf, const double* values, double* x, double* lambda) {
  if (leaf.constraint < 0) return;
  const Sizes<DIM, ROWS> size(leaf);
  const int n = size.n, r = size.r, m = size.m;
  const Stored s(leaf, n, r, m, const_cast<double*>(values));  // NOLINT: read only
  double* g = lambda + leaf.row;
  for (int i = 0; i < r; ++i) g[i] = -g[i];
  const double* x_p = x + leaf.parent_entry;
  if (leaf.parent >= 0) add_product<ROWS, DIM>(-1.0, s.Z, x_p, g, 1, r, m);
  add_product<DIM, ROWS>(1.0, s.X, g, x + leaf.entry, 1, n, r);
  if (leaf.link >= 0) add_product<DIM, DIM>(-1.0, s.Y, x_p, x + leaf.entry, 1, n, m);
}

/// Calls `run` with the sizes as types: spatial bodies with up to six rows by name.
template <class Run>
auto with_sizes(const LduLeaf& leaf, Run&& run) {
  const bool spatial = leaf.dim == 6 && (leaf.parent < 0 || leaf.parent_dim == 6);
  if (spatial) switch (leaf.rows) {
      case 1:
        return run.template operator()<6, 1>();
      case 2:
        return run.template operator()<6, 2>();
      case 3:
        return run.template operator()<6, 3>();
      case 4:
        return run.template operator()<6, 4>();
      case 5:
        return run.template operator()<6, 5>();
      case 6:
        return run.template operator()<6, 6>();
      default:
        break;
    }
  return run.template operator()<0, 0>();
}

}  // namespace

std::ptrdiff_t leaf_size(const LduLeaf& leaf) {
  if (leaf.constraint < 0) return 0;
  const std::ptrdiff_t n = leaf.dim, r = leaf.rows,
                       m = leaf.parent >= 0 && leaf.dim == 6 ? std::max(leaf.parent_dim, 6)
                                                             : std::max(leaf.parent_dim, leaf.dim);
  return n * r + r * m + r * r + (leaf.link >= 0 ? n * m + m * r : 0);
}

bool eliminate_leaf(const LduProblem& p, const LduLeaf& leaf, double* D, double* values, int& negative_bodies,
                    int& negative_constraints) {
  return with_sizes(leaf, [&]<int DIM, int ROWS>() {
    return eliminate<DIM, ROWS>(p, leaf, D, values, negative_bodies, negative_constraints);
  });
}
void leaf_forward(const LduProblem& p, const LduLeaf& leaf, const double* D, const double* values, double* x,
                  double* lambda) {
  with_sizes(leaf, [&]<int DIM, int ROWS>() { forward<DIM, ROWS>(p, leaf, D, values, x, lambda); });
}
void leaf_backward(const LduLeaf& leaf, const double* values, double* x, double* lambda) {
  with_sizes(leaf, [&]<int DIM, int ROWS>() { backward<DIM, ROWS>(leaf, values, x, lambda); });
}

}  // namespace catena::solve
