#include "solve/independent_rows.h"

#include "solve/small_cholesky.h"

#include <algorithm>

namespace catena::solve {

namespace {

// A pivot below this fraction of the row's total counts as doubtful. Far above rounding: the proof must not
// be wrong. Of rows that are off by δ, dependent ones have pivots up to some δ² (sparse.h, eq. (1)).
constexpr double kClearPivot = 1e-6, kClearPerError2 = 100.0;

}  // namespace

void IndependentRows::analyze(const Graph& graph) {
  const int max_dim = graph.dims.empty() ? 0 : *std::max_element(graph.dims.begin(), graph.dims.end());
  rows_left_.assign(graph.num_bodies(), 0);
  is_left_.assign(graph.num_constraints(), 1);
  size2_.assign(graph.num_rows(), 0.0);
  candidates_.reserve(graph.num_bodies() + graph.edges.size());  // each edge is left out once
  gram_.assign(std::size_t(max_dim) * max_dim, 0.0);
  edge_begin_.assign(graph.num_bodies() + 1, 0);
  for (const Edge& e : graph.edges) ++edge_begin_[e.body + 1];
  for (int b = 0; b < graph.num_bodies(); ++b) edge_begin_[b + 1] += edge_begin_[b];
  edges_.resize(graph.edges.size());
  std::vector<int> next(edge_begin_.begin(), edge_begin_.end() - 1);
  for (int k = 0; k < int(graph.edges.size()); ++k) edges_[next[graph.edges[k].body]++] = k;
}

bool IndependentRows::prove(const Problem& problem, double row_error) {
  const Graph& g = *problem.graph;
  std::fill(rows_left_.begin(), rows_left_.end(), 0);
  std::fill(is_left_.begin(), is_left_.end(), char(1));
  std::fill(size2_.begin(), size2_.end(), 0.0);
  for (const Edge& e : g.edges) {
    rows_left_[e.body] += g.rows[e.constraint];
    const double* J = &problem.J[e.offset];
    for (int i = 0, dim = g.dims[e.body]; i < g.rows[e.constraint] * dim; ++i)
      size2_[g.row_offset[e.constraint] + i / dim] += J[i] * J[i];
  }
  num_left_ = g.num_constraints();
  candidates_.clear();
  for (int b = 0; b < g.num_bodies(); ++b) candidates_.push_back(b);
  for (int c = 0; c < g.num_constraints(); ++c)
    if (problem.S.segment(g.row_offset[c], g.rows[c]).minCoeff() > 0.0) leave_out(c, g);

  const double clear = std::max(kClearPivot, kClearPerError2 * row_error * row_error);
  while (num_left_ > 0 && !candidates_.empty()) {
    const int body = candidates_.back();
    candidates_.pop_back();
    if (rows_left_[body] == 0 || !holds_at(body, problem, clear)) continue;
    for (int k = edge_begin_[body]; k < edge_begin_[body + 1]; ++k)
      if (const int c = g.edges[edges_[k]].constraint; is_left_[c]) leave_out(c, g);
  }
  return num_left_ == 0;
}

// block += J_a J_bᵀ on the body that both edges have.
void IndependentRows::add_products(const Problem& problem, const Edge& a, const Edge& b, double* block,
                                   int stride) const {
  const Graph& g = *problem.graph;
  const int dim = g.dims[a.body];
  for (int i = 0; i < g.rows[a.constraint]; ++i)
    for (int j = 0; j < g.rows[b.constraint]; ++j) {
      const double *left = &problem.J[a.offset + i * dim], *right = &problem.J[b.offset + j * dim];
      for (int k = 0; k < dim; ++k) block[i * stride + j] += left[k] * right[k];
    }
}

// Are the remaining rows at this body independent on it alone? By the Cholesky factor of their Gram matrix.
bool IndependentRows::holds_at(int body, const Problem& problem, double clear) {
  const Graph& graph = *problem.graph;
  const int size = rows_left_[body];
  if (size > graph.dims[body]) return false;
  std::fill(gram_.begin(), gram_.end(), 0.0);
  int row = 0;
  for (int i = edge_begin_[body]; i < edge_begin_[body + 1]; ++i) {
    const Edge& edge = graph.edges[edges_[i]];
    if (!is_left_[edge.constraint]) continue;
    int column = 0;
    for (int j = edge_begin_[body]; j < edge_begin_[body + 1]; ++j) {
      const Edge& other = graph.edges[edges_[j]];
      if (!is_left_[other.constraint]) continue;
      add_products(problem, edge, other, &gram_[row * size + column], size);
      column += graph.rows[other.constraint];
    }
    // rows are told apart from nothing by what they are worth on all bodies, not on this one
    for (int r = 0; r < graph.rows[edge.constraint]; ++r) {
      const double total = size2_[graph.row_offset[edge.constraint] + r];
      if (!is_sound_pivot(gram_[(row + r) * size + row + r], total, clear)) return false;
    }
    row += graph.rows[edge.constraint];
  }
  const auto accept = [&](int, double pivot, double own) {
    return is_sound_pivot(pivot, own, clear) ? pivot : 0.0;
  };
  return factor_cholesky(gram_.data(), size, size, accept) < 0;
}

void IndependentRows::leave_out(int constraint, const Graph& graph) {
  is_left_[constraint] = 0;
  --num_left_;
  for (int k = graph.edge_begin[constraint]; k < graph.edge_begin[constraint + 1]; ++k) {
    const int body = graph.edges[k].body;
    rows_left_[body] -= graph.rows[constraint];
    candidates_.push_back(body);
  }
}

}  // namespace catena::solve
