// The residual that every solve is judged by.
//
// One pass over the blocks, O(nnz); nothing is allocated once the results have their size. The common sizes go through code whose
// width is known at compile time.
#include "math/small_matrix_kernel.h"
#include "solve/block_dimension.h"
#include "solve/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::solve {
namespace {

// max |v|; NaN when there is one in v, which Eigen's lpNorm<Infinity> may lose.
double max_abs(const Eigen::VectorXd& v) {
  return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

// |r|∞ / scale. Nothing left of nothing counts as 0; what is not finite as infinitely wrong.
double relative_size(double residual, double scale) {
  const double ratio = residual / std::max(scale, std::numeric_limits<double>::min());
  return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
}

// One edge block:  r1 += Jᵀλ,  Jx += J·x; returns the largest |J_i·x|. Rows and width known to the compiler.
template <int D, int ROWS>
inline double add_edge(const double* J, const double* x, const double* lambda, double* r1, double* Jx) {
  double force[D], x_b[D], largest = 0.0;
  CATENA_UNROLL
  for (int j = 0; j < D; ++j) {
    force[j] = r1[j];
    x_b[j] = x[j];
  }
  CATENA_UNROLL
  for (int i = 0; i < ROWS; ++i) {
    double sum = J[i * D] * x_b[0];
    CATENA_UNROLL
    for (int j = 1; j < D; ++j) sum += J[i * D + j] * x_b[j];
    CATENA_UNROLL
    for (int j = 0; j < D; ++j) force[j] += lambda[i] * J[i * D + j];
    Jx[i] += sum;
    largest = std::max(largest, std::abs(sum));
  }
  CATENA_UNROLL
  for (int j = 0; j < D; ++j) r1[j] = force[j];
  return largest;
}

// The same for any size.
double add_edge(const double* J, int rows, int dim, const double* x, const double* lambda, double* r1,
                double* Jx) {
  double largest = 0.0;
  for (int i = 0; i < rows; ++i, J += dim) {
    double sum = 0.0;
    for (int j = 0; j < dim; ++j) {
      sum += J[j] * x[j];
      r1[j] += lambda[i] * J[j];
    }
    Jx[i] += sum;
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

// The same for ± ( 1 | -[r]× ; 0 | g ): half of the entries are known to be zero.
template <int ANG>
inline double add_point_edge(const double* J, const double* x, const double* lambda, double* r1, double* Jx) {
  const double sign = J[0];
  const double sums[3] = {sign * x[0] + J[4] * x[4] + J[5] * x[5], sign * x[1] + J[9] * x[3] + J[11] * x[5],
                          sign * x[2] + J[15] * x[3] + J[16] * x[4]};
  double torque[3] = {r1[3] + J[9] * lambda[1] + J[15] * lambda[2],
                      r1[4] + J[4] * lambda[0] + J[16] * lambda[2],
                      r1[5] + J[5] * lambda[0] + J[11] * lambda[1]};
  double largest = 0.0;
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) {
    r1[i] += sign * lambda[i];
    Jx[i] += sums[i];
    largest = std::max(largest, std::abs(sums[i]));
  }
  CATENA_UNROLL
  for (int i = 3; i < 3 + ANG; ++i) {
    const double* g = J + 6 * i + 3;
    const double sum = g[0] * x[3] + g[1] * x[4] + g[2] * x[5];
    CATENA_UNROLL
    for (int j = 0; j < 3; ++j) torque[j] += lambda[i] * g[j];
    Jx[i] += sum;
    largest = std::max(largest, std::abs(sum));
  }
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) r1[3 + j] = torque[j];
  return largest;
}

double add_edge(PairShape shape, int rows, int dim, const double* J, const double* x, const double* lambda,
                double* r1, double* Jx) {
  if (shape.at_point) {
    if (shape.angular == 0) return add_point_edge<0>(J, x, lambda, r1, Jx);
    if (shape.angular == 2) return add_point_edge<2>(J, x, lambda, r1, Jx);
  }
  if (dim == 3 && rows == 2) return add_edge<3, 2>(J, x, lambda, r1, Jx);
  return add_edge(J, rows, dim, x, lambda, r1, Jx);
}

// The same where the force does not act along the rows: r1 += Kᵀλ.
double add_edge_with_direction(const double* J, const double* K, int rows, int dim, const double* x,
                               const double* lambda, double* r1, double* Jx) {
  double largest = 0.0;
  for (int i = 0; i < rows; ++i, J += dim, K += dim) {
    double sum = 0.0;
    for (int j = 0; j < dim; ++j) {
      sum += J[j] * x[j];
      r1[j] += lambda[i] * K[j];
    }
    Jx[i] += sum;
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

// r1 += Kᵀλ and r2 = d - J x - S λ in one pass over J; returns the largest term of the second equation.
double compute_constraint_part(const Problem& p, const Eigen::VectorXd& d, const Eigen::VectorXd& x,
                               const Eigen::VectorXd& lambda, Residual& out) {
  const Graph& g = *p.graph;
  const bool has_directions = g.num_own_directions > 0;
  out.r2 = p.S.cwiseProduct(lambda);
  double scale = std::max(d.size() > 0 ? d.cwiseAbs().maxCoeff() : 0.0, max_abs(out.r2));
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    const int column = g.body_offset[e.body], row = g.row_offset[e.constraint];
    const double *J = &p.J[e.offset], *x_b = &x[column], *lambda_c = &lambda[row];
    double *r1 = &out.r1[column], *Jx = &out.r2[row];
    const bool own_direction = has_directions && g.own_direction[e.constraint] != 0;
    scale = std::max(scale, own_direction
                                ? add_edge_with_direction(J, &p.K[e.offset], rows, dim, x_b, lambda_c, r1, Jx)
                                : add_edge(g.pair_shape[e.constraint], rows, dim, J, x_b, lambda_c, r1, Jx));
  }
  out.r2 = d - out.r2;
  return scale;
}

// On entry r1 = Kᵀλ, on return r1 = f + Kᵀλ - M x; returns the largest entry of f and Kᵀλ. Since M x is their
// sum less r1, a scale made with |M x| as well could only differ where the residual is as large as the terms
// themselves.
template <int D>
inline double finish_body(const double* M, int dim, const double* f, const double* x, double* r1) {
  const ConstBlock<D> f_b(f, dim);
  MutableBlock<D> r1_b(r1, dim);
  Sum<D> sum(r1_b);
  const double scale = f_b.abs().max(sum.abs()).maxCoeff();
  sum += f_b;
  for (int j = 0; j < dim; ++j) sum -= x[j] * ConstBlock<D>(M + j * dim, dim);
  r1_b = sum;
  return scale;
}

// At rest x is what remains when large forces cancel: its size says nothing about the rounding in it. What does is the
// acceleration that single forces would give, |J| M⁻¹ (|f| + |Kᵀ||λ|), here with the diagonal of M.
double cancelled_scale(const Problem& p, const Eigen::VectorXd& f, const Eigen::VectorXd& lambda) {
  const Graph& g = *p.graph;
  double scale = 0.0;
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    for (int j = 0; j < dim; ++j) {
      double force = std::abs(f[g.body_offset[e.body] + j]), entry = 0.0;
      for (int i = 0; i < rows; ++i) {
        const double K = std::abs(p.force_block(e)[i * dim + j]);
        force += K * std::abs(lambda[g.row_offset[e.constraint] + i]);
        entry = std::max(entry, std::abs(p.J[e.offset + i * dim + j]));
      }
      scale = std::max(scale, entry * force / std::abs(p.M[g.mass_offset[e.body] + j * (dim + 1)]));
    }
  }
  return scale;
}

}  // namespace

void compute_residual(const Problem& p, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                      const Eigen::VectorXd& x, const Eigen::VectorXd& lambda, Residual& out) {
  const Graph& g = *p.graph;
  out.r1.setZero(g.num_x());
  out.r2.resize(g.num_rows());
  double scale2 = compute_constraint_part(p, d, x, lambda, out);
  double scale1 = 0.0;
  for (int b = 0; b < g.num_bodies(); ++b) {
    const int dim = g.dims[b], at = g.body_offset[b];
    with_dimension(dim, [&](auto D) {
      scale1 = std::max(scale1, finish_body<D>(&p.M[g.mass_offset[b]], dim, &f[at], &x[at], &out.r1[at]));
    });
  }
  add_links_times(g, p, -1.0, x, out.r1);
  constexpr double kSuspicious = 1e-13;  // below this the finer scale cannot matter
  if (relative_size(max_abs(out.r2), scale2) > kSuspicious)
    scale2 = std::max(scale2, cancelled_scale(p, f, lambda));
  out.relative1 = relative_size(max_abs(out.r1), scale1);
  out.relative2 = relative_size(max_abs(out.r2), scale2);
  out.relative = std::max(out.relative1, out.relative2);
}

}  // namespace catena::solve
