// One island of a problem without units: every block answers with 1, rates are at most 1 without multipliers, elliptic cones are round.
//
// Legend
//   w_i   mean of the diagonal of block i of W + S, as in residual.h
//   e_i   stretch of a tangent, μ_i/μ with the larger μ of its cone; 1 for other rows
//
//   d_i = e_i/√w_i,   Q = max |d_i q_i|                                                                                         (1)
//   x = r/(d Q),   W ← d (W + S) dᵀ,   q ← d q/Q,   and bounds as x                                                              (2)
//
// All solvers work on this form: proximal steps and projections with the factor 1 fit every row, light or heavy, in metres or radians.
// Cones without friction become an interval and tangents fixed at 0.  Cost: O(n²) per island.
#pragma once

#include "solve/complementarity/problem.h"
#include "solve/complementarity/storage.h"

namespace catena::solve::complementarity {

class NormalForm {
 public:
  /// @param blocks  of the island, indices into rows.blocks()
  void set(const Rows& rows, std::span<const int> blocks, const Eigen::Ref<const Eigen::MatrixXd>& W,
           const Eigen::Ref<const Eigen::VectorXd>& q);

  int size() const { return int(rows_.size()); }
  std::span<const Block> blocks() const { return blocks_; }
  /// μ of a cone, which is round now.
  static double friction(const Block& cone) { return cone.friction[0]; }
  ConstMatrix W() const { return {W_.data(), size(), size()}; }
  ConstVector q() const { return {q_.data(), size()}; }

  void to_x(const Eigen::Ref<const Eigen::VectorXd>& r, Vector x) const;
  void to_r(const Vector& x, Eigen::Ref<Eigen::VectorXd> r) const;
  /// Row of the whole problem.
  int row(int i) const { return rows_[std::size_t(i)]; }
  /// r = scale x
  double scale(int i) const { return d_[std::size_t(i)] * Q_; }

  /// The same island without friction: tangents and dependent rows are fixed at 0.
  void set_frictionless(const NormalForm& of);
  /// The problem of a proximal step from x: (W + c, q - c x) with W and q of another form.
  void set_proximal(const NormalForm& of, double c, const Vector& x);

 private:
  void add_block(const Rows& rows, const Eigen::Ref<const Eigen::MatrixXd>& W, const Block& block);
  void add_without_friction(const Block& b);
  void scale_bounds();

  std::vector<Block> blocks_;
  std::vector<int> rows_;
  std::vector<double> d_, W_, q_;
  std::vector<int> place_;  // of a row of the whole problem, in the island
  double Q_ = 1.0;
};

}  // namespace catena::solve::complementarity
