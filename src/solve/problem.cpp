// Graphs of problems, and products with their blocks: each walks the blocks once, O(nnz), and allocates nothing once the result has
// its size.
#include "solve/problem.h"

#include "solve/block_dimension.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace catena::solve {

namespace {

// y += (blocks)ᵀ λ, one block per edge
template <class BlockOf>
void add_transposed_times(const Graph& g, const Eigen::VectorXd& lambda, Eigen::VectorXd& y,
                          BlockOf&& block_of) {
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body], rows = g.rows[e.constraint];
    with_dimension(dim, [&](auto D) {
      const double *J = block_of(e), *lambda_c = &lambda[g.row_offset[e.constraint]];
      MutableBlock<D> y_b(&y[g.body_offset[e.body]], dim);
      Sum<D> sum(y_b);
      for (int i = 0; i < rows; ++i) sum += lambda_c[i] * ConstBlock<D>(J + i * dim, dim);
      y_b = sum;
    });
  }
}

}  // namespace

void Problem::resize(const Graph& g, Symmetry symmetry) {
  graph = &g;
  is_symmetric = symmetry == Symmetry::symmetric;
  M.setZero(g.mass_offset.empty() ? 0 : g.mass_offset.back());
  J.setZero(g.J_size);
  S.setZero(g.num_rows());
  K.setZero(g.num_own_directions > 0 ? g.J_size : 0);
  links.setZero(g.links_size);
  lower.setZero(is_symmetric ? 0 : g.links_size);
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
  add_transposed_times(*p.graph, lambda, y, [&](const Edge& e) { return p.J.data() + e.offset; });
}

void add_Kt_times(const Problem& p, const Eigen::VectorXd& lambda, Eigen::VectorXd& y) {
  add_transposed_times(*p.graph, lambda, y, [&](const Edge& e) { return p.force_block(e); });
}

void mass_times(const Problem& p, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  y.setZero(p.graph->num_x());
  add_matrix_times(*p.graph, p, 1.0, x, y);
}

void clear_row(Problem& p, int constraint, int row) {
  const Graph& g = *p.graph;
  for (int e = g.edge_begin[constraint]; e < g.edge_begin[constraint + 1]; ++e) {
    const int dim = g.dims[g.edges[e].body], first = g.edges[e].offset + row * dim;
    p.J.segment(first, dim).setZero();
    if (g.own_direction[constraint] != 0) p.K.segment(first, dim).setZero();
  }
}

bool has_promised_zeros(const Problem& p) {
  const Graph& g = *p.graph;
  return std::all_of(g.edges.begin(), g.edges.end(), [&](const Edge& e) {
    return !g.pair_shape[e.constraint].at_point || has_point_form(&p.J[e.offset], g.rows[e.constraint]);
  });
}

bool has_point_form(const double* J, int rows) {
  const double sign = J[0];
  if (std::abs(sign) != 1.0) return false;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 3; ++j)
      if (J[6 * i + j] != (i == j ? sign : 0.0)) return false;
  return J[3] == 0.0 && J[10] == 0.0 && J[17] == 0.0;
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
        weights[g.row_offset[e.constraint] + i] +=
            J[i * dim + j] * J[i * dim + j] / std::abs(M[j * (dim + 1)]);
  }
}

int GraphBuilder::add_body(int dim) {
  assert(dim > 0);
  graph.dims.push_back(dim);
  return graph.num_bodies() - 1;
}

int GraphBuilder::add_constraint(int rows, const std::vector<int>& bodies, PairShape pair,
                                 bool own_direction) {
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
  graph.own_direction.push_back(own_direction ? 1 : 0);
  graph.num_own_directions += own_direction ? 1 : 0;
  return constraint;
}

void GraphBuilder::add_link(int a, int b) {
  assert(a != b);
  graph.links.push_back({a, b, graph.links_size});
  graph.links_size += graph.dims[a] * graph.dims[b];
}

Graph GraphBuilder::finish() {
  finish_in_place();
  return std::exchange(graph, {});
}

void GraphBuilder::finish_in_place() {
  graph.edge_begin.push_back(int(graph.edges.size()));
  graph.body_offset.assign(1, 0);
  graph.mass_offset.assign(1, 0);
  for (const int dim : graph.dims) {
    graph.body_offset.push_back(graph.body_offset.back() + dim);
    graph.mass_offset.push_back(graph.mass_offset.back() + dim * dim);
  }
  graph.row_offset.assign(1, 0);
  for (const int rows : graph.rows) graph.row_offset.push_back(graph.row_offset.back() + rows);
}

}  // namespace catena::solve
