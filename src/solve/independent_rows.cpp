#include "solve/independent_rows.h"

#include "solve/small_cholesky.h"

#include <algorithm>

namespace catena::solve {

namespace {

// A pivot below this fraction of the row's total counts as doubtful. Far above rounding: the proof must not
// be wrong.
constexpr double kClearPivot = 1e-6;

}  // namespace

void IndependentRows::analyze(const Graph& graph) {
  const int max_dim = graph.dims.empty() ? 0 : *std::max_element(graph.dims.begin(), graph.dims.end());
  rows_left_.assign(graph.num_bodies(), 0);
  is_left_.assign(graph.num_constraints(), 1);
  candidates_.reserve(graph.num_bodies() + graph.edges.size());  // each edge is left out once
  gram_.assign(std::size_t(max_dim) * max_dim, 0.0);
}

bool IndependentRows::prove(const Problem& problem, const BlockSchur& schur,
                            const Eigen::VectorXd& diagonal) {
  const Graph& g = *problem.graph;
  std::fill(rows_left_.begin(), rows_left_.end(), 0);
  std::fill(is_left_.begin(), is_left_.end(), char(1));
  for (const Edge& e : g.edges) rows_left_[e.body] += g.rows[e.constraint];
  num_left_ = g.num_constraints();
  candidates_.clear();
  for (int b = 0; b < g.num_bodies(); ++b) candidates_.push_back(b);
  for (int c = 0; c < g.num_constraints(); ++c)
    if (problem.S.segment(g.row_offset[c], g.rows[c]).minCoeff() > 0.0) leave_out(c, g);

  while (num_left_ > 0 && !candidates_.empty()) {
    const int body = candidates_.back();
    candidates_.pop_back();
    if (rows_left_[body] == 0 || !holds_at(body, g, schur, diagonal)) continue;
    for (const int k : schur.edges_of(body))
      if (is_left_[g.edges[k].constraint]) leave_out(g.edges[k].constraint, g);
  }
  return num_left_ == 0;
}

// Are the remaining rows at this body independent on it alone? By the Cholesky factor of their Gram matrix.
bool IndependentRows::holds_at(int body, const Graph& graph, const BlockSchur& schur,
                               const Eigen::VectorXd& diagonal) {
  const int size = rows_left_[body];
  if (size > graph.dims[body]) return false;
  std::fill(gram_.begin(), gram_.end(), 0.0);
  int row = 0;
  for (const int i : schur.edges_of(body)) {
    const Edge& edge = graph.edges[i];
    if (!is_left_[edge.constraint]) continue;
    int column = 0;
    for (const int j : schur.edges_of(body)) {
      const Edge& other = graph.edges[j];
      if (!is_left_[other.constraint]) continue;
      schur.add_product(edge, other, &gram_[row * size + column], size);
      column += graph.rows[other.constraint];
    }
    // rows are told apart from nothing by what they are worth on all bodies, not on this one
    for (int r = 0; r < graph.rows[edge.constraint]; ++r) {
      const double total = diagonal[graph.row_offset[edge.constraint] + r];
      if (!is_sound_pivot(gram_[(row + r) * size + row + r], total, kClearPivot)) return false;
    }
    row += graph.rows[edge.constraint];
  }
  const auto accept = [](int, double pivot, double own) {
    return is_sound_pivot(pivot, own, kClearPivot) ? pivot : 0.0;
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
