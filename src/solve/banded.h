// Cholesky factor of A = J M⁻¹ Jᵀ + S in an order that keeps it close to its diagonal.
//
// Each constraint is a block row that is stored from its first neighbour up to its own diagonal block (an
// envelope; fill stays inside it). For a half bandwidth b the cost is O(m b²): linear for a chain. A body
// with k joints couples them all, so that a star is one dense block in any order; that is what the tree
// solver is for.
//
// Reference: A. George, J. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4.
#pragma once

#include "solve/block_schur.h"
#include "solve/equality_solver.h"
#include "solve/weakest_pivot.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace catena::solve {

class BandedSolver final : public EqualitySolver {
 public:
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<BandedSolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;

  double smallest_pivot() const override { return weakest_.pivot; }
  int weakest_row() const override { return weakest_.row; }

  /// Largest distance of an entry of the envelope from the diagonal, in rows; num_rows - 1 when A is full.
  int half_bandwidth() const;

 private:
  // One constraint, in the new order: rows [at, at + rows) of the factor, columns [first_column, at + rows).
  struct BlockRow {
    int constraint;
    int rows;
    int at;
    int first_block;  // position of the block row that first_column belongs to
    int first_column;
    std::ptrdiff_t offset;  // of its numbers, row-major
    int width() const { return at + rows - first_column; }
    int left() const { return at - first_column; }  // columns left of the diagonal block
  };
  using Block = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  Block block(const BlockRow& row) { return {envelope_.data() + row.offset, row.rows, row.width()}; }
  void assemble(const Problem& problem);
  [[nodiscard]] int factor_block_row(int position);

  BlockSchur schur_;
  std::vector<BlockRow> block_rows_;
  std::vector<int> position_;  // of a constraint in the order
  std::vector<double> envelope_;
  std::vector<double> diagonal_;  // of A, in the new order
  WeakestPivot weakest_;
  Eigen::VectorXd permuted_;  // right-hand side and solution, in the new order
};

}  // namespace catena::solve
