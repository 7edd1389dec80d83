// L D Lᵀ of a symmetric positive semidefinite matrix, pivoted along the diagonal of the normalised matrix; finds the rank.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace catena::solve {

class PivotedLdlt {
 public:
  /// A is normalised by scale (its diagonal if nothing had been eliminated): A_ij / √(scale_i scale_j). Pivots below `drop` end
  /// the factorisation; the rows left are dropped. A is overwritten.
  void factor(Eigen::MatrixXd& A, const Eigen::VectorXd& scale, double drop);

  /// x ← A⁻¹ x on the rows kept, 0 on the dropped ones.
  void solve(Eigen::VectorXd& x) const;

  int rank() const { return rank_; }
  /// Row at each place; the first rank() are kept.
  const std::vector<int>& order() const { return order_; }

 private:
  Eigen::MatrixXd L_;       // unit lower, pivots on the diagonal
  Eigen::VectorXd weight_;  // 1/√scale
  std::vector<int> order_;
  int rank_ = 0;
};

}  // namespace catena::solve
