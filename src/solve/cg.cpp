// Conjugate gradients on the multipliers, as Witkin proposes, in least-squares form. Takes anything: loops,
// redundant rows (λ of least norm), conflicting rows (least error in the norm |L_c⁻¹·|: Euclidean without the
// preconditioner, measured in A_cc with it), compliance from 0 up.
//
//   W = J L⁻ᵀ,  M = L Lᵀ                                  block_schur.h                                   (1)
//   A_cc = Σ_b W_cb W_cbᵀ + S_c = L_c L_cᵀ                block-Jacobi preconditioner; L_c = 1 without it (2)
//   K = L_c⁻¹ [ W  S^½ ],   min |K y - L_c⁻¹(d - W u)|,   u = L⁻¹ f                                       (3)
//   λ = L_c⁻ᵀ·dual,   x = L⁻ᵀ (u + y)                     with y = Kᵀ·dual restricted to the bodies       (4)
//
// Cost per iteration O(nnz J); the number of iterations grows with the length of chains.
// Reference: A. Witkin, M. Gleicher, W. Welch, Interactive Dynamics, 1990; Å. Björck 1996 (cgls.h).
#include "solve/block_schur.h"
#include "solve/cgls.h"
#include "solve/independent_rows.h"
#include "solve/known_redundancy.h"
#include "solve/small_cholesky.h"
#include "solve/sparse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace catena::solve {

namespace {

// Pivots of A_cc below this fraction of their diagonal mean that a constraint's own rows are dependent.
constexpr double kDependentPivot = 1e-10;

// Error of the rows that is believed: further off, rows say little about each other.
constexpr double kLargestRowErrorOfCg = 1e-2;

// What the removal of a null part may add to the forces, relative; passes that it may take to come below.
constexpr double kNullForce = 1e-11;
constexpr int kNullPasses = 5;
// Each pass ends where the gradient is this part of the null part, and is worth it while it leaves at most this part of the forces.
constexpr double kNullTolerance = 1e-13, kNullGain = 0.5;
// The same relative to what the entries of the null part would do one by one: below, it is one up to rounding.
constexpr double kNullRounding = 1e-10;

class CgSolver final : public EqualitySolver {
 public:
  explicit CgSolver(const IterativeOptions& options) : options_(options) {}

  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<CgSolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  int iterations() const override { return iterations_; }
  bool is_least_squares() const override { return is_least_squares_; }
  bool hides_redundant_rows() const override { return true; }
  const std::vector<int>& dropped_rows() const override { return dropped_rows_; }

 private:
  bool is_soft(const Problem& problem, int c) const;
  void extend_graph(const Problem& problem);
  void learn_ranks(const Problem& problem);
  void find_redundant_rows(const Problem& problem);
  void factor_diagonal_blocks(const Problem& problem);
  void fill_K(const Problem& problem);
  void fill_G(const Problem& problem);
  double size_of_terms(const Eigen::VectorXd& u, const Eigen::VectorXd& d) const;
  void remove_null_part(const Problem& problem, Eigen::VectorXd& lambda);

  int max_iterations(const Graph& g) const {
    return options_.max_iterations > 0 ? options_.max_iterations : 10 * g.num_rows() + 100;
  }
  const double* L_of(int c) const { return &L_[block_offset_[c]]; }

  IterativeOptions options_;
  BlockSchur schur_;
  std::shared_ptr<const Graph>
      graph_;                      // the problem's, and a body for the compliance of every soft constraint
  std::vector<char> soft_;         // per constraint: has such a body
  Problem K_, G_;                  // on graph_; only J is used
  std::vector<int> block_offset_;  // of A_cc in L_                               (constraints)
  std::vector<double> L_;          // L_c, row-major; the identity without the preconditioner
  Eigen::VectorXd b_, column_size_;
  Cgls cgls_;
  IndependentRows independent_rows_;
  Eigen::VectorXd null_part_, force_;  // scratch
  SparseSolver rank_finder_;
  std::vector<int> dropped_rows_;      // that it found, where joints are open
  std::vector<char> is_dropped_;       // per row
  bool is_first_factor_ = true;        // of this structure
  bool has_rank_finder_ = false;       // it has analysed the structure
  bool is_known_full_rank_ = false;    // where joints are closed
  bool is_known_redundant_ = false;    // there
  bool is_full_rank_ = false;          // here
  bool has_independent_rows_ = false;  // here, without those dropped
  bool is_least_squares_ = false;      // the last solve left what cannot be met
  int iterations_ = 0;
};

bool CgSolver::is_soft(const Problem& problem, int c) const {
  const Graph& g = *problem.graph;
  return problem.S.segment(g.row_offset[c], g.rows[c]).maxCoeff() > 0.0;
}

Refusal CgSolver::analyze(const Problem& problem) {
  const Graph& g = *problem.graph;
  if (Refusal refusal = refuse_unless(problem, {}); refusal.refused()) return refusal;
  schur_.analyze(g);
  independent_rows_.analyze(g);
  is_first_factor_ = true;
  has_rank_finder_ = is_known_full_rank_ = is_known_redundant_ = false;
  is_dropped_.assign(std::size_t(g.num_rows()), 0);
  dropped_rows_.reserve(std::size_t(g.num_rows()));
  block_offset_.clear();
  int size = 0;
  for (const int rows : g.rows) {
    block_offset_.push_back(size);
    size += rows * rows;
  }
  L_.assign(size, 0.0);
  b_.setZero(g.num_rows());
  extend_graph(problem);
  return {};
}

void CgSolver::extend_graph(const Problem& problem) {
  const Graph& g = *problem.graph;
  GraphBuilder builder;
  for (const int dim : g.dims) builder.add_body(dim);
  soft_.assign(g.num_constraints(), 0);
  std::vector<int> bodies;
  for (int c = 0; c < g.num_constraints(); ++c) {
    bodies.clear();
    for (int k = g.edge_begin[c]; k < g.edge_begin[c + 1]; ++k) bodies.push_back(g.edges[k].body);
    soft_[c] = is_soft(problem, c);
    if (soft_[c]) bodies.push_back(builder.add_body(g.rows[c]));
    builder.add_constraint(g.rows[c], bodies);
  }
  graph_ = std::make_shared<const Graph>(builder.finish());
  for (Problem* p : {&K_, &G_}) {
    p->graph = graph_.get();
    p->J.setZero(graph_->J_size);
  }
  column_size_.setZero(graph_->num_x());
  cgls_.resize(*graph_);
}

FactorResult CgSolver::factor(const Problem& problem) {
  if (const FactorResult mass = schur_.factor(problem); !mass.ok()) return mass;
  for (int c = 0; c < problem.graph->num_constraints(); ++c) {
    if (is_soft(problem, c) &&
        !soft_[c]) {  // a rigid constraint became soft: a change of structure, though a rare one
      extend_graph(problem);
      break;
    }
  }
  find_redundant_rows(problem);
  factor_diagonal_blocks(problem);
  fill_K(problem);
  if (!K_.J.allFinite()) return {FactorStatus::singular};
  if (options_.minimum_norm && !is_full_rank_) fill_G(problem);
  return {};
}

// What the first position says about all others: a proof where there is one, else a sparse factor, which counts where joints are closed.
void CgSolver::learn_ranks(const Problem& problem) {
  is_known_full_rank_ = independent_rows_.prove_where_closed(problem);
  has_rank_finder_ = !is_known_full_rank_ && !rank_finder_.analyze(problem).refused();
  if (!has_rank_finder_ || !KnownRedundancy::is_closed(problem.row_error)) return;
  has_rank_finder_ = rank_finder_.factor(problem).ok();
  is_known_redundant_ = has_rank_finder_ && !rank_finder_.dropped_rows().empty();
  is_known_full_rank_ = has_rank_finder_ && !is_known_redundant_;
}

// Rows that imply each other where joints are closed look independent where they are open, and an iteration cannot tell them from weak ones. A
// sparse factor can, which knows how many there are (known_redundancy.h). It is asked wherever joints are open and no proof makes it
// unnecessary: what it drops is left out, and the others decide, as they do with `sparse`. Of a structure that was never closed rows that it
// would drop may as well contradict each other: all stay, and have the least squares between them.
void CgSolver::find_redundant_rows(const Problem& problem) {
  dropped_rows_.clear();
  std::fill(is_dropped_.begin(), is_dropped_.end(), char(0));
  if (is_first_factor_) learn_ranks(problem);
  is_first_factor_ = false;
  is_full_rank_ = is_known_full_rank_ || (is_known_redundant_ ? independent_rows_.prove_where_closed(problem)
                                                              : independent_rows_.prove(problem));
  has_independent_rows_ = is_full_rank_;
  const bool is_open = !KnownRedundancy::is_closed(problem.row_error);
  if (!is_open || !has_rank_finder_ || is_full_rank_ || !rank_finder_.factor(problem).ok()) return;
  if (is_known_redundant_) dropped_rows_ = rank_finder_.dropped_rows();
  for (const int row : dropped_rows_) is_dropped_[std::size_t(row)] = 1;
  has_independent_rows_ = is_known_redundant_ != rank_finder_.dropped_rows().empty();
}

// (2). A pivot lost to dependent rows is replaced by its diagonal entry: this block is then no longer the
// exact inverse, which costs iterations and nothing else.
void CgSolver::factor_diagonal_blocks(const Problem& problem) {
  const Graph& g = *problem.graph;
  std::fill(L_.begin(), L_.end(), 0.0);
  for (int c = 0; c < g.num_constraints(); ++c) {
    const int rows = g.rows[c], at = g.row_offset[c];
    double* A_cc = &L_[block_offset_[c]];
    for (int k = g.edge_begin[c]; k < g.edge_begin[c + 1]; ++k)
      schur_.add_product(g.edges[k], g.edges[k], A_cc, rows);
    for (int i = 0; i < rows; ++i) {
      A_cc[i * rows + i] += problem.S[at + i];
      if (is_dropped_[std::size_t(at + i)] == 0) continue;
      for (int j = 0; j < rows; ++j) A_cc[i * rows + j] = A_cc[j * rows + i] = i == j ? 1.0 : 0.0;
    }
    if (options_.precondition) {
      const auto accept = [](int, double pivot, double diagonal) {
        if (is_sound_pivot(pivot, diagonal, kDependentPivot)) return pivot;
        return diagonal > 0.0 ? diagonal : 1.0;
      };
      (void)factor_cholesky(A_cc, rows, rows, accept);  // cannot stop: every pivot is accepted or replaced
    } else {
      Eigen::Map<Eigen::MatrixXd>(A_cc, rows, rows).setIdentity();
    }
  }
}

// (3)
void CgSolver::fill_K(const Problem& problem) {
  const Graph& g = *problem.graph;
  for (int c = 0; c < g.num_constraints(); ++c) {
    const int rows = g.rows[c];
    const Edge* edge = &graph_->edges[graph_->edge_begin[c]];
    for (int k = g.edge_begin[c]; k < g.edge_begin[c + 1]; ++k, ++edge) {
      const int dim = g.dims[edge->body];
      K_.J.segment(edge->offset, rows * dim) = schur_.W().J.segment(g.edges[k].offset, rows * dim);
      for (int i = 0; i < rows; ++i)
        if (is_dropped_[std::size_t(g.row_offset[c] + i)] != 0)
          K_.J.segment(edge->offset + i * dim, dim).setZero();
      solve_lower(L_of(c), rows, rows, &K_.J[edge->offset], dim);
    }
    if (!soft_[c]) continue;
    K_.J.segment(edge->offset, rows * rows).setZero();
    for (int i = 0; i < rows; ++i)
      K_.J[edge->offset + i * rows + i] = std::sqrt(problem.S[g.row_offset[c] + i]);
    solve_lower(L_of(c), rows, rows, &K_.J[edge->offset], rows);
  }
}

// Columns of J, each of unit length, and a unit column for every compliant row. What matters is the space
// they span; the lengths only decide how fast the iteration converges.
void CgSolver::fill_G(const Problem& problem) {
  const Graph& g = *problem.graph;
  column_size_.setZero();
  for (const Edge& e : g.edges) {
    const int dim = g.dims[e.body];
    for (int i = 0; i < g.rows[e.constraint] * dim; ++i)
      column_size_[g.body_offset[e.body] + i % dim] += problem.J[e.offset + i] * problem.J[e.offset + i];
  }
  column_size_ = column_size_.cwiseSqrt();
  for (int c = 0; c < g.num_constraints(); ++c) {
    const int rows = g.rows[c];
    const Edge* edge = &graph_->edges[graph_->edge_begin[c]];
    for (int k = g.edge_begin[c]; k < g.edge_begin[c + 1]; ++k, ++edge) {
      const int dim = g.dims[edge->body];
      for (int i = 0; i < rows * dim; ++i) {
        const double length = column_size_[g.body_offset[edge->body] + i % dim];
        G_.J[edge->offset + i] = length > 0.0 ? problem.J[g.edges[k].offset + i] / length : 0.0;
      }
    }
    if (!soft_[c]) continue;
    G_.J.segment(edge->offset, rows * rows).setZero();
    for (int i = 0; i < rows; ++i)
      G_.J[edge->offset + i * rows + i] = problem.S[g.row_offset[c] + i] > 0.0 ? 1.0 : 0.0;
  }
}

// Euclidean size of everything that the right-hand side of (3) is summed up from. What is below the rounding
// of it is zero: a falling chain has such right-hand sides.
double CgSolver::size_of_terms(const Eigen::VectorXd& u, const Eigen::VectorXd& d) const {
  const Graph& g = *schur_.W().graph;
  double sum = 0.0;
  for (int c = 0; c < g.num_constraints(); ++c) {
    const int rows = g.rows[c];
    const Edge* edge = &graph_->edges[graph_->edge_begin[c]];
    for (int k = g.edge_begin[c]; k < g.edge_begin[c + 1]; ++k, ++edge) {
      const int dim = g.dims[edge->body];
      const Eigen::Map<const Eigen::VectorXd> u_b(&u[g.body_offset[edge->body]], dim);
      for (int i = 0; i < rows; ++i) {
        const double term = u_b.dot(Eigen::Map<const Eigen::VectorXd>(&K_.J[edge->offset + i * dim], dim));
        sum += term * term;
      }
    }
    for (int i = 0; i < rows; ++i) {
      const double term = d[g.row_offset[c] + i] / L_of(c)[i * rows + i];
      sum += term * term;
    }
  }
  return std::sqrt(sum);
}

FactorResult CgSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                             Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Graph& g = *problem.graph;
  schur_.reduce(f, d, x, b_);
  const double size = size_of_terms(x, d);
  for (const int row : dropped_rows_) b_[row] = 0.0;
  const double row_error = has_independent_rows_ ? 0.0 : std::min(problem.row_error, kLargestRowErrorOfCg);
  for (int c = 0; c < g.num_constraints(); ++c)
    solve_lower(L_of(c), g.rows[c], g.rows[c], &b_[g.row_offset[c]]);
  cgls_.solve(K_, b_, {options_.tolerance, size, max_iterations(g), row_error});  // (3)
  iterations_ = cgls_.iterations();
  is_least_squares_ = cgls_.is_optimal();

  x += cgls_.y().head(g.num_x());
  schur_.solve_upper(x);  // (4)
  lambda = cgls_.dual();
  for (int c = 0; c < g.num_constraints(); ++c)
    solve_lower_transposed(L_of(c), g.rows[c], g.rows[c], &lambda[g.row_offset[c]]);
  if (options_.minimum_norm && !is_full_rank_ && dropped_rows_.empty()) remove_null_part(problem, lambda);

  const bool finite = x.allFinite() && lambda.allFinite();
  return {finite ? FactorStatus::ok : FactorStatus::singular};
}

// Redundant rows leave λ undetermined up to vectors with Jᵀλ = 0 and Sλ = 0, and (4) yields the least λ in the
// norm |L_cᵀ·| only. The least Euclidean one is the part of λ that the columns of [J S] reach: λ ← G v with
// min |G v - λ|. A rest below the tolerance is the error of the iteration, not a null vector; one that carries forces, because rows
// are nearly dependent only or because the iteration was slow, is none either, and λ stays as it is.
void CgSolver::remove_null_part(const Problem& problem, Eigen::VectorXd& lambda) {
  const auto largest_force = [&](const Eigen::VectorXd& multipliers) {
    force_.setZero(problem.graph->num_x());
    add_Jt_times(problem, multipliers, force_);
    return force_.size() > 0 ? force_.lpNorm<Eigen::Infinity>() : 0.0;
  };
  // |J| |λ|: what its entries would do one by one
  const auto largest_term = [&](const Eigen::VectorXd& multipliers) {
    double largest = 0.0;
    for (const Edge& e : problem.graph->edges)
      for (int i = 0, dim = problem.graph->dims[e.body]; i < problem.graph->rows[e.constraint]; ++i)
        largest = std::max(largest, std::abs(multipliers[problem.graph->row_offset[e.constraint] + i]) *
                                        problem.J.segment(e.offset + i * dim, dim).lpNorm<Eigen::Infinity>());
    return largest;
  };
  const double least = kNullForce * largest_force(lambda);
  double force = std::numeric_limits<double>::infinity(), previous = force;
  null_part_ = lambda;
  for (int pass = 0; pass < kNullPasses && force > least; ++pass) {
    cgls_.solve(G_, null_part_, {std::min(options_.tolerance, kNullTolerance), 0.0, max_iterations(*graph_)});
    iterations_ += cgls_.iterations();
    null_part_ = cgls_.residual();
    if (!(null_part_.norm() > options_.tolerance * lambda.norm())) return;
    previous = std::exchange(force, largest_force(null_part_));
    if (!(force < kNullGain * previous)) break;
  }
  if (force <= std::max(least, kNullRounding * largest_term(null_part_))) lambda -= null_part_;
}

}  // namespace

std::unique_ptr<EqualitySolver> make_cg_solver(const IterativeOptions& options) {
  return std::make_unique<CgSolver>(options);
}

}  // namespace catena::solve
