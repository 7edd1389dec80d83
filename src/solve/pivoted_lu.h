// L U of a general matrix with pivots anywhere in the normalised matrix; finds the rank.   Cost 2/3 n³ and a search of n³/3.
//
// For the small matrices of solve/extra_rows.h, where nothing is known of signs and symmetry. Of a positive semidefinite matrix the
// largest entry stands on the diagonal, and the pivots are those of pivoted_ldlt.h.
#pragma once

#include "solve/equality_solver.h"

#include <Eigen/Core>

#include <vector>

namespace catena::solve {

class PivotedLu {
 public:
  /// A is normalised: A_ij / √(row_scale_i column_scale_j). Pivots below `drop` end the factorisation; the rows and columns left are
  /// dropped. No allocation unless A is larger than all before.
  void factor(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& row_scale,
              const Eigen::Ref<const Eigen::VectorXd>& column_scale, double drop);

  /// x ← A⁻¹ x: right-hand sides of the dropped rows are not met, unknowns of the dropped columns are 0.
  void solve(Eigen::Ref<Eigen::VectorXd> x);

  int rank() const { return rank_; }
  /// Row at each place; the first rank() are kept.
  const std::vector<int>& row_order() const { return row_order_; }

 private:
  void bring_pivot_to(Eigen::Map<Eigen::MatrixXd>& LU, int k, int row, int column);

  std::vector<double> LU_;                          // n × n, unit lower L
  std::vector<double> row_weight_, column_weight_;  // 1/√scale
  std::vector<int> row_order_, column_order_;
  std::vector<double> y_;  // scratch
  int rank_ = 0;
};

/// Signs of the pivots of a matrix when they are taken along the diagonal, the largest of the normalised matrix first; those below
/// `drop` count as zero. For a symmetric matrix the signs of its eigenvalues. A is overwritten.
PivotSigns count_diagonal_pivots(Eigen::Ref<Eigen::MatrixXd> A,
                                 const Eigen::Ref<const Eigen::VectorXd>& scale, double drop);

}  // namespace catena::solve
