// The kinds of bodies: particles, rigid bodies, bodies that stretch, bodies with coordinates of their own, rotors.
//
//   auto box = std::make_shared<Rigid>(2.0, Vec3(0.1, 0.2, 0.3));   // 2 kg, principal moments in kg·m²
//
// A program: examples/cpp/lagrangian_body.cpp
#pragma once

#include "catena/body.h"

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CATENA_API catena {

/// Point mass in the plane z = 0.   q = (x, y), v = q̇
class Particle2 final : public Body {
 public:
  explicit Particle2(double mass) : mass_(mass) {}
  std::string_view kind() const override { return "particle-2d"; }
  BodyType type() const override { return BodyType::particle2; }
  int num_q() const override { return 2; }
  int num_v() const override { return 2; }
  bool is_planar() const override { return true; }
  bool has_orientation() const override { return false; }
  double mass() const override { return mass_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  double mass_;
};

/// Point mass in space.   q = (x, y, z), v = q̇
class Particle3 final : public Body {
 public:
  explicit Particle3(double mass) : mass_(mass) {}
  std::string_view kind() const override { return "particle"; }
  BodyType type() const override { return BodyType::particle3; }
  int num_q() const override { return 3; }
  int num_v() const override { return 3; }
  bool has_orientation() const override { return false; }
  double mass() const override { return mass_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  double mass_;
};

/// Rigid body in the plane z = 0.   q = (x, y, θ), v = q̇; reference point: centre of mass.
class PlanarRigid final : public Body {
 public:
  PlanarRigid(double mass, double inertia) : mass_(mass), inertia_(inertia) {}
  std::string_view kind() const override { return "planar"; }
  BodyType type() const override { return BodyType::planar; }
  int num_q() const override { return 3; }
  int num_v() const override { return 3; }
  bool is_planar() const override { return true; }
  double mass() const override { return mass_; }
  double inertia() const { return inertia_; }
  Vec3 angular_momentum(const double* q, const double* v) const override;
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  double mass_;
  double inertia_;  // about the centre of mass   kg·m²
};

/// Rigid body in space.   q = (x, quaternion wxyz), v = (ẋ, ω) in world axes; reference point: centre of mass.
class Rigid final : public Body {
 public:
  /// @param inertia about the centre of mass, in body axes.
  Rigid(double mass, const Mat3& inertia) : mass_(mass), inertia_(inertia) {}
  Rigid(double mass, const Vec3& principal_moments) : mass_(mass), inertia_(principal_moments.asDiagonal()) {}
  std::string_view kind() const override { return "rigid"; }
  BodyType type() const override { return BodyType::rigid; }
  int num_q() const override { return 7; }
  int num_v() const override { return 6; }
  double mass() const override { return mass_; }
  const Mat3& inertia() const { return inertia_; }
  Vec3 angular_momentum(const double* q, const double* v) const override;
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  void chart_rate(const double* u, const double* v, double* u_dot) const override;
  void drift(double h, const double* P, double* q) const override;  // discrete Moser-Veselov rotation
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  double mass_;
  Mat3 inertia_;
};

/// Slender uniform rod along body x: transverse moment m·l²/12 exactly, axial moment m·r²/2.
/// @param radius 0 chooses l/20, so that the axial moment is small but not singular.
std::shared_ptr<const Body> rod(double mass, double length, double radius = 0.0);
/// The same rod in the plane: m·l²/12.
std::shared_ptr<const Body> planar_rod(double mass, double length);
/// Solid uniform sphere, solid uniform box with the given full edges.
std::shared_ptr<const Body> sphere(double mass, double radius);
std::shared_ptr<const Body> box(double mass, const Vec3& edges);

// --------------------------------------------------------------------------------------- bodies that stretch
// Bodies that change their shape by a few numbers: rigid bodies with scale, affine and quadratic ones.
//
//   auto bar = std::make_shared<ScaledRigid>(2.0, Vec3(0.1, 0.2, 0.2), ScaleAxes::along_x(), 500.0);
//   auto jelly = std::make_shared<Deformable>(Deformable::Order::linear, 1.0, Vec3(0.2, 0.2, 0.2), 40.0, 0.02);
//
// All of them take every constraint and every force that rigid bodies take. Their stiffness keeps the shape near that
// of rest; with stiffness 0 they stretch freely.

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
  void add_gravity(const double* q, const Vec3& g, double* F) const override;
  double gravity_potential(const double* q, const Vec3& g) const override;
  bool has_shape_force() const override { return stiffness_ > 0.0 || damping_ > 0.0; }
  void add_shape_force(const double* q, const double* v, double* F) const override;
  double shape_potential(const double* q) const override;
  double shape_damping_power(const double* q, const double* v) const override;
  Vec3 linear_momentum(const double* q, const double* v) const override;
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

// --------------------------------------------------------------------------------- bodies of few coordinates
// Lagrangian bodies: a few coordinates u, and a rule x(p, u) that says where each material point p is.
//
// The rule and the masses are all there is to write; the engine derives the rest,
//   M = Σ m JᵀJ,   velocity-quadratic force -Σ m Jᵀ(J̇u̇),   weight Σ m Jᵀg                                   (1)
// and the body takes constraints and forces like any other. A curve, a linkage, a deformation become one body
// without a single constraint inside it.
//
//   auto bead = bead_on_curve(0.1, circle({0, 0, 0}, {0, 1, 0}, 1.0));      // one coordinate
//   model.add_at("bead", bead, coordinates({0.3}), coordinates({0.0}));

class Curve;  // catena/joints.h

/// A part of the mass, at the material point p.
struct MassPoint {
  Vec3 at = Vec3::Zero();  // p
  double mass = 0.0;       // kg
};

/// x(p, u) with J = ∂x/∂u and bias = J̇·u̇. Material points are three numbers of any meaning.
class PointRule {
 public:
  virtual ~PointRule() = default;
  virtual std::string_view kind() const = 0;
  virtual int num_u() const = 0;
  virtual void point(const double* u, const double* u_dot, const Vec3& p, PointMap& out) const = 0;

  /// Axes that turn with the body, for joints that hold directions; without them only points can be attached.
  virtual bool has_frame() const { return false; }
  virtual void frame(const double* /*u*/, const double* /*u_dot*/, FrameMap& /*out*/) const {}

  virtual bool is_planar() const { return false; }  // every point stays in the plane z = 0
  /// The material point at x, for attachments given in the world. The default assumes x(p, u) = x(0, u) + p.
  virtual Vec3 material_point(const double* u, const Vec3& x) const;
  virtual std::vector<std::pair<Vec3, Vec3>> picture_lines() const { return {}; }
  virtual std::vector<Figure> figures() const { return {}; }  // in the world
  virtual std::vector<std::string> validate() const { return {}; }
};

/// A body that moves by a rule.   q = u, v = u̇
class Lagrangian final : public Body {
 public:
  Lagrangian(std::shared_ptr<const PointRule> rule, std::vector<MassPoint> masses);
  std::string_view kind() const override { return rule_ ? rule_->kind() : "lagrangian"; }
  int num_q() const override { return rule_ ? rule_->num_u() : 0; }
  int num_v() const override { return num_q(); }
  bool is_planar() const override { return rule_ && rule_->is_planar(); }
  bool has_orientation() const override { return rule_ && rule_->has_frame(); }
  double mass() const override { return mass_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  Vec3 local_point(const double* q, const Vec3& x) const override;
  void add_gravity(const double* q, const Vec3& g, double* F) const override;
  double gravity_potential(const double* q, const Vec3& g) const override;
  Vec3 linear_momentum(const double* q, const double* v) const override;
  Vec3 angular_momentum(const double* q, const double* v) const override;
  std::vector<std::pair<Vec3, Vec3>> picture_lines() const override { return rule_->picture_lines(); }
  std::vector<Figure> figures() const override { return rule_->figures(); }
  /// Only the default placement, which means u = 0 and u̇ = 0: give the coordinates to Model::add_at instead.
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  std::shared_ptr<const PointRule> rule_;
  std::vector<MassPoint> masses_;
  double mass_ = 0.0;
};

/// A rule from a function, without writing a class.
using PointFunctionOfU =
    std::function<void(const double* u, const double* u_dot, const Vec3& p, PointMap& out)>;
std::shared_ptr<const Body> lagrangian(int num_u, PointFunctionOfU rule, std::vector<MassPoint> masses);

/// Slides along the curve without turning: x = c(u) + p, one coordinate.
std::shared_ptr<const Body> bead_on_curve(double mass, std::shared_ptr<const Curve> curve);

/// Plane linkage of four bars about a pivot, in the plane of the unit vectors `e` and `n`: two coordinates, the angles α, β of
/// its two bar directions against e. Every point of it is x = pivot + p_x·d(α) + p_y·d(β), d(α) = e·cos α + n·sin α, so that all
/// bars of one direction stay parallel, and a point at k·(p_x, p_y) draws what the point (p_x, p_y) draws, k times as large.
struct Pantograph {
  Vec3 pivot = Vec3::Zero();
  Vec3 e = Vec3::UnitX(), n = Vec3::UnitY();
  double long_bar =
      1.0;  // length of the two outer bars: the pen is the material point (long_bar, long_bar)     m
  double short_bar =
      0.5;  // length of the two inner bars: the tracer is the material point (short_bar, short_bar)   m
  double mass_per_length = 1.0;  // kg/m
};
std::shared_ptr<const Body> pantograph(const Pantograph& shape);

/// Start coordinates for Model::add_at.
inline VecX coordinates(std::initializer_list<double> values) {
  return Eigen::Map<const VecX>(values.begin(), Eigen::Index(values.size()));
}

// ---------------------------------------------------------------------------------------------------- rotors
// Rotors: the inertia of a motor behind its gear.
//
//   const BodyId spool = model.add("spool", std::make_shared<Rotor>(2e-5));
//   model.add("gearbox", rotor_gear(spool, at, 50.0));       // the joint now feels 50²·2e-5 kg·m² more
//
// A rotor turns about an axis that is fixed in the world; it has a moment of inertia and no mass, so that gravity and the motion
// of the machine it sits on do not reach it. That is the usual model of geared motors: exact about the joint's own axis, without
// the gyroscopic torques of a rotor that is carried around.

/// An inertia about one axis.   q = (angle), v = (rate), M = (J)
class Rotor final : public Body {
 public:
  /// @param inertia about the axis, kg·m²
  /// @param position, axis where it is shown; they have no influence on the motion
  explicit Rotor(double inertia, const Vec3& position = Vec3::Zero(), const Vec3& axis = Vec3::UnitZ());
  std::string_view kind() const override { return "rotor"; }
  int num_q() const override { return 1; }
  int num_v() const override { return 1; }
  bool is_planar() const override;
  double mass() const override { return 0.0; }
  double inertia() const { return inertia_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  bool has_free_flight() const override { return true; }
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  double inertia_;  // kg·m²
  Vec3 position_;   // m
  Mat3 axes_;       // of the frame at angle 0, z is the axis
};

}  // namespace catena
