// Rows that hold for a moment, in joint coordinates.
//
//   A = A_b T,   K = Tᵀ K_b,   W = A M̂⁻¹ K           A_b, K_b over the bodies; T from joints to bodies (body_map.h)               (1)
//
// Cost of k rows: O(k · links) for A and M̂⁻¹K, O(k² · velocities) for W. No allocation after the largest set was there.
#pragma once

#include "formulation/joint_equations.h"
#include "formulation/minimal/dynamics.h"

namespace catena::minimal {

class JointHeldRows final : public HeldRows {
 public:
  /// All outlive it; the workspace is at the evaluated instant whenever rows are added.
  JointHeldRows(JointEquations& equations, const Structure& structure, const Layout& layout, Workspace& work)
      : equations_(equations), structure_(structure), layout_(layout), work_(work) {}

  void begin() override;
  void begin_row() override;
  void add_part(int body, const double* numbers) override { add_to(on_bodies_, body, numbers); }
  void add_direction(int body, const double* numbers) override;
  void end_row() override;
  int size() const override { return size_; }
  void rates(const VecX& x, VecX& y) const override {
    y.resize(size_);
    y.noalias() = columns(A_).transpose() * x;
  }
  void add_forces(const VecX& mu, VecX& f) const override { f.noalias() += columns(K_) * mu; }
  Eigen::Map<const MatX> response() override;
  void respond(const VecX& mu, VecX& x, VecX& lambda) override;

 private:
  void add_to(VecX& on_bodies, int body, const double* numbers) const;
  void append(const VecX& on_bodies, std::vector<double>& columns);
  Eigen::Map<const MatX> columns(const std::vector<double>& of) const {
    return {of.data(), structure_.num_v, size_};
  }

  JointEquations& equations_;
  const Structure& structure_;
  const Layout& layout_;
  Workspace& work_;
  int size_ = 0;
  VecX on_bodies_, direction_;  // of the row that is being added
  bool has_direction_ = false;
  std::vector<double> A_, K_;  // transposed: a column per row
  std::vector<double> W_;
  bool is_up_to_date_ = false;
  VecX own_, no_rates_, x_, lambda_;
};

}  // namespace catena::minimal
