// Bodies that change their shape by a few numbers: rigid bodies with scale, affine and quadratic ones.
//
//   auto bar = std::make_shared<ScaledRigid>(2.0, Vec3(0.1, 0.2, 0.2), ScaleAxes::along_x(), 500.0);
//   auto jelly = std::make_shared<Deformable>(Deformable::Order::linear, 1.0, Vec3(0.2, 0.2, 0.2), 40.0, 0.02);
//
// All of them take every constraint and every force that rigid bodies take. Their stiffness keeps the shape near that
// of rest; with stiffness 0 they stretch freely.
#pragma once

#include "catena/body.h"

#include <array>
#include <cstdint>

namespace CATENA_API catena {

/// Which body axes stretch, and which of them together: `group[i]` is the number of the scale of axis i, -1 for none.
struct ScaleAxes {
  std::array<int, 3> group{0, 0, 0};
  int count() const;  // number of scales, 1 to 3

  static ScaleAxes uniform() { return {{0, 0, 0}}; }
  static ScaleAxes along_x() { return {{0, -1, -1}}; }
  static ScaleAxes along_xy() { return {{0, 1, -1}}; }
  static ScaleAxes along_xyz() { return {{0, 1, 2}}; }
};

/// Rigid body with one to three scales s: x = c + R·diag(s)·X.   q = (c, quaternion wxyz, s), v = (ċ, ω, ṡ); 7 to 9 velocities.
/// Body axes are principal axes. A scale that reaches 0 ends the step with a refusal.
class ScaledRigid final : public Body {
 public:
  /// @param principal_moments  of the unscaled body, about the centre of mass                 kg·m²
  /// @param stiffness          of V = ½·stiffness·Σ(s - 1)²                                    J
  /// @param damping            power lost is damping·Σṡ²                                       J·s
  ScaledRigid(double mass, const Vec3& principal_moments, ScaleAxes axes = ScaleAxes::uniform(),
              double stiffness = 0.0, double damping = 0.0);
  std::string_view kind() const override { return "scaled"; }
  int num_q() const override { return 7 + num_scales_; }
  int num_v() const override { return 6 + num_scales_; }
  double mass() const override { return mass_; }
  int num_scales() const { return num_scales_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  void chart_rate(const double* u, const double* v, double* u_dot) const override;
  Vec3 local_point(const double* q, const Vec3& x) const override;
  bool has_shape_force() const override { return stiffness_ > 0.0 || damping_ > 0.0; }
  void add_shape_force(const double* q, const double* v, double* F) const override;
  double shape_potential(const double* q) const override;
  double shape_damping_power(const double* q, const double* v) const override;
  Vec3 angular_momentum(const double* q, const double* v) const override;
  const char* state_problem(const double* q) const override;
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  Vec3 scales(const double* q) const;       // one per axis, 1 where it does not stretch
  Vec3 scale_rates(const double* v) const;  // one per axis
  Vec3 inertia(const Vec3& s) const;        // principal moments at the scales s
  double spread(int scale) const;           // ∂²T/∂ṡ²

  double mass_;
  Vec3 moments_;  // as given, for validate()
  Vec3 second_;   // ∫ρ X_i² per axis
  ScaleAxes axes_;
  int num_scales_;
  double stiffness_, damping_;
};

/// Body whose points are polynomials of their place of rest: x = c + A·m(X).   q = (c, rows of A), v = q̇
///   linear     m = (X, Y, Z)                                              12 velocities: an affine body
///   quadratic  m = (X, Y, Z, X² - ⟨X²⟩, Y² - ⟨Y²⟩, Z² - ⟨Z²⟩, YZ, ZX, XY)     30: it bends, twists and tapers
/// M is constant. Axes attached to it follow the rotation in the polar decomposition of the deformation at its centre.
class Deformable final : public Body {
 public:
  enum class Order : std::uint8_t { linear, quadratic };
  /// A box of uniform density with the given full edges.
  /// @param stiffness  of V = ½·stiffness·⟨|FᵀF - 1|²⟩, F = ∂x/∂X, ⟨⟩ the mean over the box   J
  /// @param damping    power lost is damping·⟨|d(FᵀF)/dt|²⟩: rigid motion is not damped       J·s
  Deformable(Order order, double mass, const Vec3& edges, double stiffness = 0.0, double damping = 0.0);
  std::string_view kind() const override { return basis_ == 3 ? "affine" : "quadratic"; }
  int num_q() const override { return 3 + 3 * basis_; }
  int num_v() const override { return 3 + 3 * basis_; }
  double mass() const override { return mass_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double*, const double*, double*) const override {}
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  bool has_free_flight() const override { return true; }  // M is constant: the default drift is exact
  Vec3 local_point(const double* q, const Vec3& x) const override;
  bool has_shape_force() const override { return stiffness_ > 0.0 || damping_ > 0.0; }
  void add_shape_force(const double* q, const double* v, double* F) const override;
  double shape_potential(const double* q) const override;
  double shape_damping_power(const double* q, const double* v) const override;
  Vec3 angular_momentum(const double* q, const double* v) const override;
  const char* state_problem(const double* q) const override;
  std::vector<std::pair<Vec3, Vec3>> picture_lines() const override;
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  static constexpr int kMostBasis = 9;
  using Basis = Eigen::Matrix<double, kMostBasis, 1>;
  using Gradient = Eigen::Matrix<double, kMostBasis, 3>;  // ∂m/∂X
  struct Sample {                                         // of the mean over the box
    Gradient gradient;
    double weight;
  };
  Basis basis(const Vec3& X) const;
  Gradient basis_gradient(const Vec3& X) const;
  Mat3 deformation(const double* rows, const Gradient& gradient) const;  // A·∂m/∂X, or its rate

  int basis_;  // 3 or 9
  double mass_;
  Vec3 edges_;
  double stiffness_, damping_;
  Vec3 mean_square_;                                    // ⟨X_i²⟩
  Eigen::Matrix<double, kMostBasis, kMostBasis> gram_;  // ∫ρ m mᵀ
  std::vector<Sample> samples_;
};

}  // namespace catena
