// The one test that a solution has to pass, from the problem and r alone. Cost: one product with W.
//
// It knows nothing of what the solvers do: no number of theirs is used, and no function.
//
// Legend
//   w_i    what block i answers to a unit multiplier: mean of the diagonal of its block of W + S
//   P_i    projection on the set of block i
//   r₀     0, or the bound next to it
//
//   F_i = r_i - P_i(r_i - ũ_i/w_i)      0 at a solution                                                                        (1)
//   eta = max_i √w_i |F_i|∞ / max_j |q_j|/√w_j        per island; the norm below is that of q or of q + W r₀, if larger             (2)
//
// eta has no units and does not depend on how rows are scaled. |r| is not part of the norm: of a problem without solution r grows without
// bound, and everything would be small against it. Elliptic cones are judged with tangents scaled to a round one.
//
// Friction as a pyramid of n_f tangents d_k (polyhedral.h) is judged by its own law. With r_t = Σ β_k d_k by the two d_k next to it and
// σ = max -d_k·u_t, all of these are 0:   min(r_n, u_n/w),   min(β_k, (d_k·u_t + σ)/w),   min(μ r_n - Σ β_k, σ/w)                 (4)
//
// Rounding alone leaves about 1e-13 √w|r| of F, so that as much is allowed where it is more than the tolerance: floor (never above 1e-7). (3)
#pragma once

#include "solve/complementarity/problem.h"

#include <Eigen/Core>

namespace catena::solve::complementarity {

struct Judgement {
  double eta = 0.0;    // (2)
  double floor = 0.0;  // (3)
  int worst_row = -1;  // first row of the block with the largest F
  bool accepts(double tolerance) const;
};

class Judge {
 public:
  /// Directions of friction, for (4); 0: cones are round. With one tangent both are the same.
  explicit Judge(int directions = 0) : directions_(directions) {}
  /// Of the blocks given (indices into rows.blocks()); an island.
  Judgement judge(const Rows& rows, std::span<const int> blocks, const Eigen::Ref<const Eigen::MatrixXd>& W,
                  const Eigen::Ref<const Eigen::VectorXd>& q, const Eigen::Ref<const Eigen::VectorXd>& r);
  /// Of all blocks as one island.
  Judgement judge(const Rows& rows, const Eigen::Ref<const Eigen::MatrixXd>& W,
                  const Eigen::Ref<const Eigen::VectorXd>& q, const Eigen::Ref<const Eigen::VectorXd>& r);

 private:
  int directions_;
  std::vector<double> u_, start_;
  std::vector<int> all_;
};

}  // namespace catena::solve::complementarity
