#include "solve/block_schur.h"

#include "solve/small_cholesky.h"

#include <cmath>
#include <string>

namespace catena::solve {

Refusal refuse_large_matrix(const char* matrix, std::ptrdiff_t rows, std::ptrdiff_t entries) {
  if (entries <= kMaxMatrixEntries) return {};
  const double gigabytes = double(entries) * sizeof(double) * 1e-9;
  return {"needs " + std::string(matrix) + " of " + std::to_string(rows) + " rows, which would take " +
          std::to_string(std::lround(gigabytes)) + " GB"};
}

void BlockSchur::analyze(const Graph& graph) {
  W_.graph = &graph;
  W_.J.resize(graph.J_size);
  L_.resize(graph.mass_offset.back());
  edges_of_.assign(graph.num_bodies(), {});
  for (int k = 0; k < int(graph.edges.size()); ++k) edges_of_[graph.edges[k].body].push_back(k);
}

FactorResult BlockSchur::factor(const Problem& problem) {
  const Graph& g = *problem.graph;
  W_.graph = &g;
  L_ = problem.M;
  for (int b = 0; b < g.num_bodies(); ++b) {
    const auto accept = [](int, double pivot, double diagonal) {
      return is_sound_pivot(pivot, diagonal, kMasslessPivot) ? pivot : 0.0;
    };
    if (factor_cholesky(&L_[g.mass_offset[b]], g.dims[b], g.dims[b], accept) >= 0)
      return {FactorStatus::not_positive, -1, b};
  }
  W_.J = problem.J;
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body];
    for (int i = 0; i < g.rows[e.constraint]; ++i)
      solve_lower(&L_[g.mass_offset[e.body]], dim, dim, &W_.J[e.offset + i * dim]);  // (1)
  }
  return {};
}

void BlockSchur::reduce(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& u,
                        Eigen::VectorXd& rhs) const {
  const Graph& g = *W_.graph;
  u = -f;
  for (int b = 0; b < g.num_bodies(); ++b)
    solve_lower(&L_[g.mass_offset[b]], g.dims[b], g.dims[b], &u[g.body_offset[b]]);
  rhs = d;
  add_J_times(W_, u, rhs);  // (3)
  u = -u;
}

void BlockSchur::expand(const Eigen::VectorXd& lambda, Eigen::VectorXd& x) const {
  add_Jt_times(W_, lambda, x);
  solve_upper(x);  // (4)
}

void BlockSchur::solve_upper(Eigen::VectorXd& x) const {
  const Graph& g = *W_.graph;
  for (int b = 0; b < g.num_bodies(); ++b)
    solve_lower_transposed(&L_[g.mass_offset[b]], g.dims[b], g.dims[b], &x[g.body_offset[b]]);
}

void BlockSchur::add_product(const Edge& a, const Edge& b, double* block, std::ptrdiff_t stride) const {
  const Graph& g = *W_.graph;
  const int dim = g.dims[a.body];
  using Row = Eigen::Map<const Eigen::VectorXd>;
  for (int i = 0; i < g.rows[a.constraint]; ++i) {
    const Row row_a(&W_.J[a.offset + i * dim], dim);
    for (int j = 0; j < g.rows[b.constraint]; ++j)
      block[i * stride + j] += row_a.dot(Row(&W_.J[b.offset + j * dim], dim));
  }
}

}  // namespace catena::solve
