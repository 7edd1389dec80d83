// The plainest reference: the whole matrix [M -Kᵀ; -J -S] as one dense matrix, L D Lᵀ where it is symmetric, else LU with row pivots.
//
// The symmetric one needs no pivoting. With the bodies first every leading block of bodies is positive definite, so their
// pivots are positive; what they leave behind is -(J M⁻¹ Jᵀ + S), negative definite when the rows are
// independent, so the pivots of the constraints are negative and none vanishes. The same order is what makes
// rank visible: a constraint pivot is compared with its entry of J M⁻¹ Jᵀ + S, which stands on the diagonal
// once the bodies are gone.
//
// It knows nothing of blocks once the matrix is filled, and refines its answer once: the yardstick for the
// other solvers. Cost: O((n + m)³).
#include "solve/block_schur.h"
#include "solve/dense_ldlt.h"
#include "solve/pivoted_lu.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace catena::solve {

namespace {

constexpr double kSmallestLuPivot = 1e-15;  // over the largest entry of its column

class DenseKktSolver final : public EqualitySolver {
 public:
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<DenseKktSolver>(*this); }
  Refusal analyze(const Problem& problem) override {
    const std::ptrdiff_t size = problem.graph->num_x() + problem.graph->num_rows();
    if (Refusal large = refuse_large_matrix("the dense KKT matrix", size, size * size); large.refused())
      return large;
    is_symmetric_ = problem.is_symmetric && problem.graph->num_own_directions == 0;
    if (is_symmetric_)
      H_.reset(int(size));
    else
      full_.resize(size, size);
    return {};
  }

  FactorResult factor(const Problem& problem) override {
    return is_symmetric_ ? factor_symmetric(problem) : factor_full(problem);
  }

  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override {
    x.setZero(f.size());
    lambda.setZero(d.size());
    add_solution(f, d, x, lambda);
    compute_residual(problem, f, d, x, lambda, residual_);
    add_solution(residual_.r1, residual_.r2, x, lambda);
    return {};
  }

  PivotSigns pivot_signs(const Problem& problem) override {
    if (is_symmetric_) return EqualitySolver::pivot_signs(problem);
    Eigen::VectorXd weights;
    row_weights(problem, weights);
    Eigen::VectorXd scale = full_.diagonal().cwiseAbs();
    scale.tail(weights.size()) += weights;
    Eigen::MatrixXd copy = full_;
    return count_diagonal_pivots(copy, scale, kSingularPivot);
  }

 private:
  FactorResult factor_symmetric(const Problem& problem) {
    const Graph& g = *problem.graph;
    assemble(problem, H_.matrix());
    const int n = g.num_x(), size = n + g.num_rows();
    if (const int column = H_.factor(0, n, +1.0, kMasslessPivot); column >= 0)
      return {FactorStatus::not_positive, -1, find_block(g.body_offset, column)};
    if (const int column = H_.factor(n, size, -1.0, kSingularPivot); column >= 0)
      return {FactorStatus::singular, find_block(g.row_offset, column - n)};
    return {};
  }

  FactorResult factor_full(const Problem& problem) {
    const Graph& g = *problem.graph;
    assemble(problem, full_);
    lu_.compute(full_);
    for (int k = 0; k < int(full_.cols()); ++k) {
      const double pivot = std::abs(lu_.matrixLU()(k, k));
      if (pivot > kSmallestLuPivot * full_.col(k).cwiseAbs().maxCoeff() && std::isfinite(pivot)) continue;
      return k < g.num_x() ? FactorResult{FactorStatus::singular, -1, find_block(g.body_offset, k)}
                           : FactorResult{FactorStatus::singular, find_block(g.row_offset, k - g.num_x())};
    }
    return {};
  }

  static void assemble(const Problem& problem, Eigen::MatrixXd& H) {
    using Block = Eigen::Map<const Eigen::MatrixXd>;
    const Graph& g = *problem.graph;
    const int n = g.num_x();
    H.setZero();
    for (int b = 0; b < g.num_bodies(); ++b) {
      const int dim = g.dims[b], at = g.body_offset[b];
      H.block(at, at, dim, dim) = Block(&problem.M[g.mass_offset[b]], dim, dim);
    }
    for (const Edge& e : g.edges) {  // blocks are row-major: Jᵀ column-major
      const int rows = g.rows[e.constraint], dim = g.dims[e.body];
      const int row = n + g.row_offset[e.constraint], column = g.body_offset[e.body];
      H.block(row, column, rows, dim) = -Block(&problem.J[e.offset], dim, rows).transpose();
      H.block(column, row, dim, rows) = -Block(problem.force_block(e), dim, rows);
    }
    for (const Link& link : g.links) {
      const int a = g.dims[link.a], b = g.dims[link.b];
      const Block upper(&problem.links[link.offset], a, b);
      H.block(g.body_offset[link.a], g.body_offset[link.b], a, b) += upper;
      auto lower = H.block(g.body_offset[link.b], g.body_offset[link.a], b, a);
      if (problem.is_symmetric)
        lower += upper.transpose();
      else
        lower += Block(&problem.lower[link.offset], b, a);
    }
    for (int i = 0; i < g.num_rows(); ++i) H(n + i, n + i) = -problem.S[i];
  }

  // (x, λ) += H⁻¹ (f, -d)
  void add_solution(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                    Eigen::VectorXd& lambda) {
    z_.resize(f.size() + d.size());
    z_.head(f.size()) = f;
    z_.tail(d.size()) = -d;
    if (is_symmetric_)
      H_.solve(z_);
    else
      z_ = lu_.solve(z_).eval();
    x += z_.head(f.size());
    lambda += z_.tail(d.size());
  }

  bool is_symmetric_ = true;
  DenseLdlt H_;
  Eigen::MatrixXd full_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd z_;
  Residual residual_;
};

}  // namespace

std::unique_ptr<EqualitySolver> make_dense_kkt_solver() {
  return std::make_unique<DenseKktSolver>();
}

}  // namespace catena::solve
