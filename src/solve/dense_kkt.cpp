// The plainest reference: L D Lᵀ of the whole matrix [M -Jᵀ; -J -S] as one dense matrix.
//
// No pivoting is needed. With the bodies first every leading block of bodies is positive definite, so their
// pivots are positive; what they leave behind is -(J M⁻¹ Jᵀ + S), negative definite when the rows are
// independent, so the pivots of the constraints are negative and none vanishes. The same order is what makes
// rank visible: a constraint pivot is compared with its entry of J M⁻¹ Jᵀ + S, which stands on the diagonal
// once the bodies are gone.
//
// It knows nothing of blocks once the matrix is filled, and refines its answer once: the yardstick for the
// other solvers. Cost: O((n + m)³).
#include "solve/block_schur.h"
#include "solve/dense_ldlt.h"

#include <algorithm>

namespace catena::solve {

namespace {

class DenseKktSolver final : public EqualitySolver {
 public:
  Refusal analyze(const Problem& problem) override {
    const std::ptrdiff_t size = problem.graph->num_x() + problem.graph->num_rows();
    if (Refusal large = refuse_large_matrix("the dense KKT matrix", size, size * size); large.refused())
      return large;
    H_.reset(int(size));
    return {};
  }

  FactorResult factor(const Problem& problem) override {
    const Graph& g = *problem.graph;
    assemble(problem);
    const int n = g.num_x(), size = n + g.num_rows();
    if (const int column = H_.factor(0, n, +1.0, kMasslessPivot); column >= 0)
      return {FactorStatus::not_positive, -1, find_block(g.body_offset, column)};
    if (const int column = H_.factor(n, size, -1.0, kSingularPivot); column >= 0)
      return {FactorStatus::singular, find_block(g.row_offset, column - n)};
    return {};
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

 private:
  void assemble(const Problem& problem) {
    const Graph& g = *problem.graph;
    Eigen::MatrixXd& H = H_.matrix();
    H.setZero();
    for (int b = 0; b < g.num_bodies(); ++b) {
      const int dim = g.dims[b], at = g.body_offset[b];
      H.block(at, at, dim, dim) = Eigen::Map<const Eigen::MatrixXd>(&problem.M[g.mass_offset[b]], dim, dim);
    }
    for (const Edge& e : g.edges) {
      const int rows = g.rows[e.constraint], dim = g.dims[e.body];
      const Eigen::Map<const Eigen::MatrixXd> J_transposed(&problem.J[e.offset], dim, rows);
      H.block(g.num_x() + g.row_offset[e.constraint], g.body_offset[e.body], rows, dim) =
          -J_transposed.transpose();
    }
    for (const Link& link : g.links) {
      const Eigen::Map<const Eigen::MatrixXd> block(&problem.links[link.offset], g.dims[link.a],
                                                    g.dims[link.b]);
      H.block(g.body_offset[link.a], g.body_offset[link.b], g.dims[link.a], g.dims[link.b]) = block;
      H.block(g.body_offset[link.b], g.body_offset[link.a], g.dims[link.b], g.dims[link.a]) =
          block.transpose();
    }
    for (int i = 0; i < g.num_rows(); ++i) H(g.num_x() + i, g.num_x() + i) = -problem.S[i];
  }

  // (x, λ) += H⁻¹ (f, -d)
  void add_solution(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                    Eigen::VectorXd& lambda) {
    z_.resize(f.size() + d.size());
    z_.head(f.size()) = f;
    z_.tail(d.size()) = -d;
    H_.solve(z_);
    x += z_.head(f.size());
    lambda += z_.tail(d.size());
  }

  DenseLdlt H_;
  Eigen::VectorXd z_;
  Residual residual_;
};

}  // namespace

std::unique_ptr<EqualitySolver> make_dense_kkt_solver() {
  return std::make_unique<DenseKktSolver>();
}

}  // namespace catena::solve
