#include "solve/banded.h"

#include "catena/interrupt.h"
#include "solve/rcm_order.h"
#include "solve/small_cholesky.h"

#include <algorithm>

namespace catena::solve {

Refusal BandedSolver::analyze(const Problem& problem) {
  const Graph& g = *problem.graph;
  if (Refusal refusal = refuse_unless(problem, {}); refusal.refused()) return refusal;
  const std::vector<int> order = order_constraints(g);
  position_.assign(g.num_constraints(), 0);
  for (int i = 0; i < g.num_constraints(); ++i) position_[order[i]] = i;

  // the first constraint that shares each body decides how far left the others reach
  std::vector<int> first_on(g.num_bodies(), g.num_constraints());
  for (const Edge& e : g.edges) first_on[e.body] = std::min(first_on[e.body], position_[e.constraint]);

  block_rows_.clear();
  int at = 0;
  std::ptrdiff_t entries = 0;
  for (int i = 0; i < g.num_constraints(); ++i) {
    const int c = order[i];
    BlockRow row{c, g.rows[c], at, i, at, entries};
    for (int k = g.edge_begin[c]; k < g.edge_begin[c + 1]; ++k)
      row.first_block = std::min(row.first_block, first_on[g.edges[k].body]);
    if (row.first_block < i) row.first_column = block_rows_[row.first_block].at;
    block_rows_.push_back(row);
    at += row.rows;
    entries += std::ptrdiff_t(row.rows) * row.width();
  }
  if (Refusal large = refuse_large_matrix("the envelope of J M⁻¹ Jᵀ", at, entries); large.refused())
    return large;

  schur_.analyze(g);
  envelope_.assign(std::size_t(entries), 0.0);
  diagonal_.assign(at, 0.0);
  permuted_.resize(at);
  return {};
}

int BandedSolver::half_bandwidth() const {
  int widest = 1;
  for (const BlockRow& row : block_rows_) widest = std::max(widest, row.width());
  return widest - 1;
}

void BandedSolver::assemble(const Problem& problem) {
  const Graph& g = *problem.graph;
  std::fill(envelope_.begin(), envelope_.end(), 0.0);
  for (int b = 0; b < g.num_bodies(); ++b) {
    for (const int i : schur_.edges_of(b)) {
      const BlockRow& row = block_rows_[position_[g.edges[i].constraint]];
      for (const int j : schur_.edges_of(b)) {
        const BlockRow& column = block_rows_[position_[g.edges[j].constraint]];
        if (column.at > row.at) continue;
        schur_.add_product(g.edges[i], g.edges[j], &envelope_[row.offset + column.at - row.first_column],
                           row.width());
      }
    }
  }
  for (const BlockRow& row : block_rows_) {
    for (int i = 0; i < row.rows; ++i) {
      double& entry = block(row)(i, row.left() + i);
      entry += problem.S[g.row_offset[row.constraint] + i];
      diagonal_[row.at + i] = entry;
    }
  }
}

FactorResult BandedSolver::factor(const Problem& problem) {
  if (const FactorResult mass = schur_.factor(problem); !mass.ok()) return mass;
  assemble(problem);
  weakest_ = {};
  for (int i = 0; i < int(block_rows_.size()); ++i) {
    allow_interruption();
    const BlockRow& row = block_rows_[i];
    if (factor_block_row(i) >= 0) return {FactorStatus::singular, row.constraint};
    for (int r = 0; r < row.rows; ++r) {
      const double root = block(row)(r, row.left() + r);
      weakest_.note(root * root / diagonal_[row.at + r], problem.graph->row_offset[row.constraint] + r);
    }
  }
  return {};
}

// Left to right:  L_ij = (A_ij - Σ_{k<j} L_ik L_jkᵀ) L_jj⁻ᵀ,  then  L_ii L_iiᵀ = A_ii - Σ_{k<i} L_ik L_ikᵀ.
int BandedSolver::factor_block_row(int position) {
  const BlockRow& row = block_rows_[position];
  Block L_i = block(row);
  for (int j = row.first_block; j < position; ++j) {
    const BlockRow& other = block_rows_[j];
    const Block L_j = block(other);
    auto L_ij = L_i.middleCols(other.at - row.first_column, other.rows);
    const int common = std::max(row.first_column, other.first_column), length = other.at - common;
    L_ij.noalias() -= L_i.middleCols(common - row.first_column, length) *
                      L_j.middleCols(common - other.first_column, length).transpose();
    for (int r = 0; r < row.rows; ++r)
      solve_lower(&L_j(0, other.left()), other.rows, other.width(), &L_ij(r, 0));
  }
  const auto left = L_i.leftCols(row.left());
  L_i.rightCols(row.rows).noalias() -= left * left.transpose();
  const auto accept = [&](int r, double pivot, double) {
    return is_sound_pivot(pivot, diagonal_[row.at + r], kSingularPivot) ? pivot : 0.0;
  };
  return factor_cholesky(&L_i(0, row.left()), row.rows, row.width(), accept);
}

FactorResult BandedSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                                 Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Graph& g = *problem.graph;
  schur_.reduce(f, d, x, lambda);
  for (const BlockRow& row : block_rows_) {
    const Block L = block(row);
    auto b = permuted_.segment(row.at, row.rows);
    b = lambda.segment(g.row_offset[row.constraint], row.rows);
    b.noalias() -= L.leftCols(row.left()) * permuted_.segment(row.first_column, row.left());
    solve_lower(&L(0, row.left()), row.rows, row.width(), b.data());
  }
  for (auto row = block_rows_.rbegin(); row != block_rows_.rend(); ++row) {
    const Block L = block(*row);
    auto b = permuted_.segment(row->at, row->rows);
    solve_lower_transposed(&L(0, row->left()), row->rows, row->width(), b.data());
    permuted_.segment(row->first_column, row->left()).noalias() -= L.leftCols(row->left()).transpose() * b;
    lambda.segment(g.row_offset[row->constraint], row->rows) = b;
  }
  schur_.expand(lambda, x);
  return {};
}

std::unique_ptr<EqualitySolver> make_banded_solver() {
  return std::make_unique<BandedSolver>();
}

}  // namespace catena::solve
