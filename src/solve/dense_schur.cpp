// The classic reference: Cholesky factor of A = J M⁻¹ Jᵀ + S as one dense matrix (Witkin's system, solved
// directly).
//
// Cost: O(m³) for m rows, whatever the structure. Takes any graph; refuses redundant rows.
#include "solve/block_schur.h"
#include "solve/dense_ldlt.h"
#include "solve/weakest_pivot.h"

#include <algorithm>

namespace catena::solve {

namespace {

class DenseSchurSolver final : public EqualitySolver {
 public:
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<DenseSchurSolver>(*this); }
  Refusal analyze(const Problem& problem) override {
    if (Refusal refusal = refuse_unless(problem, {}); refusal.refused()) return refusal;
    const std::ptrdiff_t m = problem.graph->num_rows();
    if (Refusal large = refuse_large_matrix("the dense matrix J M⁻¹ Jᵀ", m, m * m); large.refused())
      return large;
    schur_.analyze(*problem.graph);
    A_.reset(int(m));
    return {};
  }

  FactorResult factor(const Problem& problem) override {
    if (const FactorResult mass = schur_.factor(problem); !mass.ok()) return mass;
    assemble(problem);
    const Graph& g = *problem.graph;
    const int row = A_.factor(0, g.num_rows(), +1.0, kSingularPivot);
    if (row >= 0) return {FactorStatus::singular, find_block(g.row_offset, row)};
    weakest_ = {};
    for (int r = 0; r < g.num_rows(); ++r) weakest_.note(A_.relative_pivot(r), r);
    return {};
  }
  double smallest_pivot() const override { return weakest_.pivot; }
  int weakest_row() const override { return weakest_.row; }

  FactorResult solve(const Problem&, const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                     Eigen::VectorXd& lambda) override {
    schur_.reduce(f, d, x, lambda);
    A_.solve(lambda);
    schur_.expand(lambda, x);
    return {};
  }

 private:
  void assemble(const Problem& problem) {
    const Graph& g = *problem.graph;
    Eigen::MatrixXd& A = A_.matrix();
    A.setZero();
    A.diagonal() = problem.S;
    for (int b = 0; b < g.num_bodies(); ++b) {
      for (const int i : schur_.edges_of(b)) {
        for (const int j : schur_.edges_of(b)) {
          const Edge &row = g.edges[i], &column = g.edges[j];
          if (row.constraint < column.constraint) continue;
          // the block is row-major, the matrix column-major: adding the transposed product swaps the two
          schur_.add_product(column, row, &A(g.row_offset[row.constraint], g.row_offset[column.constraint]),
                             A.rows());
        }
      }
    }
  }

  BlockSchur schur_;
  DenseLdlt A_;
  WeakestPivot weakest_;
};

}  // namespace

std::unique_ptr<EqualitySolver> make_dense_schur_solver() {
  return std::make_unique<DenseSchurSolver>();
}

}  // namespace catena::solve
