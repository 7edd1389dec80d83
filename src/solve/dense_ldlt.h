// L D Lᵀ of a dense symmetric matrix in place, without pivoting, in blocks; n³/3 multiplications.
//
// It serves positive definite matrices (all pivots positive: Cholesky without square roots) and matrices [M
// -Jᵀ; -J -S] with the bodies first, whose pivots are positive for the bodies and negative for the
// constraints.
//
// Eigen's own factors are not used because they allocate their work space anew for large matrices, and do not
// say at which row they failed. Here products run in tiles small enough for Eigen to keep on the stack.
#pragma once

#include <Eigen/Core>

namespace catena::solve {

class DenseLdlt {
 public:
  /// Sizes the matrix and sets it to zero.
  void reset(int n);

  /// Lower triangle of the matrix; after `factor`, D on the diagonal and L below it. What is above the
  /// diagonal is scratch.
  Eigen::MatrixXd& matrix() { return A_; }

  /// Eliminates columns [begin, end), in turn from 0 on. Each pivot must have this sign and stay above
  /// `tolerance` times the diagonal entry as it was at this call.
  /// @return -1, or the first column whose pivot did not
  [[nodiscard]] int factor(int begin, int end, double sign, double tolerance);

  /// The pivot of a column that was eliminated, relative to its diagonal entry.
  double relative_pivot(int column) const { return A_(column, column) / diagonal_[column]; }

  /// b ← A⁻¹ b
  void solve(Eigen::VectorXd& b) const;

 private:
  [[nodiscard]] int factor_panel(int begin, int end, double sign, double tolerance);
  void update_rest(int begin, int end);

  Eigen::MatrixXd A_;
  Eigen::MatrixXd LD_;           // L D of the current panel          (n × panel)
  Eigen::VectorXd diagonal_;     // at the start of `factor`          (n)
  Eigen::VectorXd multipliers_;  // row of L D to the left of a pivot (panel)
};

}  // namespace catena::solve
