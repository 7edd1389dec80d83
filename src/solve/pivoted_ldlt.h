// L D Lᵀ of a symmetric positive semidefinite matrix, pivoted along the diagonal of the normalised matrix; finds the rank.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace catena::solve {

class PivotedLdlt {
 public:
  /// A is normalised by scale (its diagonal if nothing had been eliminated): A_ij / √(scale_i scale_j). Pivots below `drop` end
  /// the factorisation; the rows left are dropped. No allocation unless A is larger than all before.
  void factor(const Eigen::Ref<const Eigen::MatrixXd>& A, const Eigen::Ref<const Eigen::VectorXd>& scale,
              double drop);

  /// x ← A⁻¹ x on the rows kept, 0 on the dropped ones.
  void solve(Eigen::Ref<Eigen::VectorXd> x);

  int rank() const { return rank_; }
  /// Of the rows kept, which is the last one of them; relative to the scale.
  double smallest_pivot() const { return L_[std::size_t(rank_ - 1) * (order_.size() + 1)]; }
  /// Row at each place; the first rank() are kept.
  const std::vector<int>& order() const { return order_; }

 private:
  std::vector<double> L_;       // n × n, unit lower, pivots on the diagonal
  std::vector<double> weight_;  // 1/√scale
  std::vector<int> order_;
  std::vector<double> LD_, diagonal_, y_;  // scratch
  int rank_ = 0;
};

}  // namespace catena::solve
