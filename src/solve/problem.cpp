// Products with the blocks of a problem, and the residual that every solve is judged by.
//
// All of them walk the blocks once, O(nnz), and allocate nothing once the results have their size. Blocks of
// bodies with 6 and 3 velocities go through code whose width is known at compile time; the rest through the
// same code with the width read at run time.
#include "solve/problem.h"

#include "math/small_matrix_kernel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace catena::solve {

namespace {

template <int D>
using ConstBlock = Eigen::Map<const Eigen::Array<double, D, 1>>;
template <int D>
using MutableBlock = Eigen::Map<Eigen::Array<double, D, 1>>;
/// A block to sum into: a copy that stays in registers when the size is known, else the block itself. Copy
/// back after.
template <int D>
using Sum = std::conditional_t<D == Eigen::Dynamic, MutableBlock<D>, Eigen::Array<double, D, 1>>;

/// Calls `run` with the dimension as a type: 6 and 3 by name, Eigen::Dynamic for all others.
template <class F>
void with_dimension(int dim, F&& run) {
  if (dim == 6) {
    run(std::integral_constant<int, 6>{});
  } else if (dim == 3) {
    run(std::integral_constant<int, 3>{});
  } else {
    run(std::integral_constant<int, Eigen::Dynamic>{});
  }
}

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

// r1 += Jᵀλ and r2 = d - J x - S λ in one pass over J; returns the largest term of the second equation.
double compute_constraint_part(const Problem& p, const Eigen::VectorXd& d, const Eigen::VectorXd& x,
                               const Eigen::VectorXd& lambda, Residual& out) {
  const Graph& g = *p.graph;
  out.r2 = p.S.cwiseProduct(lambda);
  double scale = std::max(d.size() > 0 ? d.cwiseAbs().maxCoeff() : 0.0, max_abs(out.r2));
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    const int column = g.body_offset[e.body], row = g.row_offset[e.constraint];
    const double *J = &p.J[e.offset], *x_b = &x[column], *lambda_c = &lambda[row];
    double *r1 = &out.r1[column], *Jx = &out.r2[row];
    scale = std::max(scale, add_edge(g.pair_shape[e.constraint], rows, dim, J, x_b, lambda_c, r1, Jx));
  }
  out.r2 = d - out.r2;
  return scale;
}

// On entry r1 = Jᵀλ, on return r1 = f + Jᵀλ - M x; returns the largest entry of f and Jᵀλ. Since M x is their
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
// acceleration that single forces would give, |J| M⁻¹ (|f| + |Jᵀ||λ|), here with the diagonal of M.
double cancelled_scale(const Problem& p, const Eigen::VectorXd& f, const Eigen::VectorXd& lambda) {
  const Graph& g = *p.graph;
  double scale = 0.0;
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    for (int j = 0; j < dim; ++j) {
      double force = std::abs(f[g.body_offset[e.body] + j]), entry = 0.0;
      for (int i = 0; i < rows; ++i) {
        const double J = std::abs(p.J[e.offset + i * dim + j]);
        force += J * std::abs(lambda[g.row_offset[e.constraint] + i]);
        entry = std::max(entry, J);
      }
      scale = std::max(scale, entry * force / p.M[g.mass_offset[e.body] + j * (dim + 1)]);
    }
  }
  return scale;
}

// y += s · (blocks of M between bodies) x
void add_links_times(const Problem& p, double s, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  const Graph& g = *p.graph;
  for (const Link& link : g.links) {
    const int a = g.dims[link.a], b = g.dims[link.b];
    const Eigen::Map<const Eigen::MatrixXd> block(&p.links[link.offset], a, b);
    y.segment(g.body_offset[link.a], a).noalias() += s * block * x.segment(g.body_offset[link.b], b);
    y.segment(g.body_offset[link.b], b).noalias() +=
        s * block.transpose() * x.segment(g.body_offset[link.a], a);
  }
}

}  // namespace

void Problem::resize(const Graph& g) {
  graph = &g;
  M.setZero(g.mass_offset.empty() ? 0 : g.mass_offset.back());
  J.setZero(g.J_size);
  S.setZero(g.num_rows());
  links.setZero(g.links_size);
  pairs.assign(g.num_pairs, Pair{});
}

void add_J_times(const Problem& p, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  const Graph& g = *p.graph;
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    with_dimension(dim, [&](auto D) {
      const double* J = &p.J[e.offset];
      const ConstBlock<D> x_b(&x[g.body_offset[e.body]], dim);
      double* y_c = &y[g.row_offset[e.constraint]];
      for (int i = 0; i < rows; ++i) y_c[i] += (ConstBlock<D>(J + i * dim, dim) * x_b).sum();
    });
  }
}

void add_Jt_times(const Problem& p, const Eigen::VectorXd& lambda, Eigen::VectorXd& y) {
  const Graph& g = *p.graph;
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    with_dimension(dim, [&](auto D) {
      const double *J = &p.J[e.offset], *lambda_c = &lambda[g.row_offset[e.constraint]];
      MutableBlock<D> y_b(&y[g.body_offset[e.body]], dim);
      Sum<D> sum(y_b);
      for (int i = 0; i < rows; ++i) sum += lambda_c[i] * ConstBlock<D>(J + i * dim, dim);
      y_b = sum;
    });
  }
}

void mass_times(const Problem& p, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  const Graph& g = *p.graph;
  y.setZero(g.num_x());
  for (int b = 0; b < g.num_bodies(); ++b) {
    const int dim = g.dims[b], at = g.body_offset[b];
    with_dimension(dim, [&](auto D) {
      const double* M = &p.M[g.mass_offset[b]];
      MutableBlock<D> y_b(&y[at], dim);
      Sum<D> sum(y_b);
      for (int j = 0; j < dim; ++j) sum += x[at + j] * ConstBlock<D>(M + j * dim, dim);
      y_b = sum;
    });
  }
  add_links_times(p, 1.0, x, y);
}

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
  add_links_times(p, -1.0, x, out.r1);
  constexpr double kSuspicious = 1e-13;  // below this the finer scale cannot matter
  if (relative_size(max_abs(out.r2), scale2) > kSuspicious)
    scale2 = std::max(scale2, cancelled_scale(p, f, lambda));
  out.relative1 = relative_size(max_abs(out.r1), scale1);
  out.relative2 = relative_size(max_abs(out.r2), scale2);
  out.relative = std::max(out.relative1, out.relative2);
}

int find_block(const std::vector<int>& offsets, int at) {
  return int(std::upper_bound(offsets.begin(), offsets.end(), at) - offsets.begin()) - 1;
}

void row_weights(const Problem& p, Eigen::VectorXd& weights) {
  const Graph& g = *p.graph;
  weights.setZero(g.num_rows());
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body];
    const double *J = &p.J[e.offset], *M = &p.M[g.mass_offset[e.body]];
    for (int i = 0; i < g.rows[e.constraint]; ++i)
      for (int j = 0; j < dim; ++j)
        weights[g.row_offset[e.constraint] + i] += J[i * dim + j] * J[i * dim + j] / M[j * (dim + 1)];
  }
}

const char* refuse_links(const Graph& g) {
  return g.links.empty() ? nullptr
                         : "there are mass blocks between bodies; use the solver 'sparse' or 'dense-kkt'";
}

int GraphBuilder::add_body(int dim) {
  assert(dim > 0);
  graph.dims.push_back(dim);
  return graph.num_bodies() - 1;
}

int GraphBuilder::add_constraint(int rows, const std::vector<int>& bodies, PairShape pair) {
  assert(rows > 0 && !bodies.empty());
  const int constraint = graph.num_constraints();
  graph.rows.push_back(rows);
  graph.edge_begin.push_back(int(graph.edges.size()));
  for (const int body : bodies) {
    assert(body >= 0 && body < graph.num_bodies());
    assert(std::count(bodies.begin(), bodies.end(), body) == 1);
    graph.edges.push_back({constraint, body, graph.J_size});
    graph.J_size += rows * graph.dims[body];
  }
  graph.pair.push_back(pair.exists() ? graph.num_pairs++ : -1);
  graph.pair_shape.push_back(pair);
  return constraint;
}

void GraphBuilder::add_link(int a, int b) {
  assert(a != b);
  graph.links.push_back({a, b, graph.links_size});
  graph.links_size += graph.dims[a] * graph.dims[b];
}

Graph GraphBuilder::finish() {
  graph.edge_begin.push_back(int(graph.edges.size()));
  graph.body_offset.assign(1, 0);
  graph.mass_offset.assign(1, 0);
  for (const int dim : graph.dims) {
    graph.body_offset.push_back(graph.body_offset.back() + dim);
    graph.mass_offset.push_back(graph.mass_offset.back() + dim * dim);
  }
  graph.row_offset.assign(1, 0);
  for (const int rows : graph.rows) graph.row_offset.push_back(graph.row_offset.back() + rows);
  return std::exchange(graph, {});
}

}  // namespace catena::solve
