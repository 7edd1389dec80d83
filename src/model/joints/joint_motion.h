// Joint coordinates: what a joint leaves free, as numbers.
//
// Legend
//   ρ, R      pose of marker a seen from marker b, in the axes of b: x_a = x_b + R_b·ρ,  R_a = R_b·R
//   (ν ; ω)   twist of a relative to b: velocity of the *origin of a* and angular velocity, both seen from b, in the axes of b
//   q, v      coordinates and velocities of the joint; S free directions, 6 × num_v; c = Ṡv their bias
//
//   (ν ; ω) = S(q)·v,        (ν̇ ; ω̇) = S(q)·v̇ + c(q, v),    derivatives of components in the axes of b                    (1)
//
// In world axes, with Ω the angular velocity of b and r = R_b·ρ:
//   v_a = v_b + Ω × r + R_b·ν                                       ω_a = Ω + R_b·ω                                        (2)
//   v̇_a = v̇_b + Ω̇ × r + Ω × (Ω × r) + 2Ω × R_b·ν + R_b·ν̇            ω̇_a = Ω̇ + Ω × R_b·ω + R_b·ω̇                             (3)
//
// The motion is a chain of elementary ones (joint_shape.h, eq. 5), slides first:
//
//   move      q                       pose                      directions                             c
//   slide     s                       ρ = s·e                   (e ; 0)                                0
//   turn      θ, any turn             R = exp(θ[e]×)            (0 ; e)                                0                     (4)
//   helix     θ, any turn             the same, ρ = lθ·z        (l·z ; z), l the lead per radian       0                     (5)
//   bend      φ = (φ_x, φ_y, 0)       R = exp([φ]×)             (0 ; J(φ)) without the last column     (0 ; J̇φ̇)              (6)
//   ball      unit quaternion p       R = R(p)                  (0 ; 1): v = ω                         0                     (7)
//
//   ω = Σ_i R_{<i}·S_i·v_i,     c = Σ_i ω_{<i} × R_{<i}·S_i·v_i + R_{<i}·c_i     (rotations i, those before it <i)             (8)
//   J(φ) = A + B[φ]× + C φφᵀ,   A = sin θ/θ,  B = (1 - cos θ)/θ²,  C = (θ - sin θ)/θ³,  θ = |φ|                              (9)
//   q̇ = v but for a ball:  ṗ = ½(0, ω)·p                                                                                    (10)
//
// Singular positions: none of slides, turns, helices, universal joints (their axes stay normal to each other) and balls (the
// quaternion has none). A bend ends at |φ| = π: there a half turn about φ or -φ is the same and the joint's own row vanishes.
//
// Nothing allocates. Sources: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 4; Jain, Robot and Multibody Dynamics
// (2011), ch. 3. Theirs are the axes and the origin of the moved body; here those of b, so that lower pairs have constant S.
#pragma once

#include "model/joints/joint_shape.h"

#include <optional>

namespace catena {

/// Marker a seen from marker b.
struct RelativePose {
  Vec3 x = Vec3::Zero();      // ρ                   m
  Mat3 R = Mat3::Identity();  // axes of a to axes of b
};

using Twist = Eigen::Matrix<double, 6, 1>;                                 // (ν ; ω)
using FreeDirections = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;  // S

constexpr int num_q(Move move) {
  return move == Move::ball ? 4 : move == Move::bend ? 2 : 1;
}
constexpr int num_v(Move move) {
  return move == Move::ball ? 3 : move == Move::bend ? 2 : 1;
}
constexpr bool is_slide(Move move) {
  return move == Move::slide_x || move == Move::slide_y || move == Move::slide_z;
}

/// The coordinates of one joint. Arrays have num_q() or num_v() entries; outputs may not overlap inputs.
class JointMotion {
 public:
  static constexpr int kMostQ = 7, kMostV = 6;

  /// @param shape   must outlive this: one of joint_shape.h   @param lead   of a helix, l of (5)         m/rad
  explicit JointMotion(const JointShape& shape, double lead = 0.0);

  const JointShape& shape() const { return *shape_; }
  int num_q() const { return num_q_; }
  int num_v() const { return num_v_; }

  /// Coordinates at which a lies on b.
  void set_neutral(double* q) const;
  RelativePose pose_from(const double* q) const;

  /// Coordinates of a pose: exact on the constraint; off it those of the nearest position and of the nearest rotation (in the angle
  /// between them). On entry q tells which of several: turns are counted from there, and the quaternion keeps its sign. A helix
  /// counts its turns by its travel.
  void coordinates_of(const RelativePose& pose, double* q) const;

  FreeDirections free_directions(const double* q) const;
  Twist bias(const double* q, const double* v) const;
  Twist twist(const double* q, const double* v) const;
  /// v of a twist: exact if the joint allows it, else by least squares, 1 m/s beside 1 rad/s.
  void velocities_of(const double* q, const Twist& twist, double* v) const;

  void rates(const double* q, const double* v, double* q_dot) const;       // (10)
  void velocities(const double* q, const double* q_dot, double* v) const;  // its inverse
  /// q ⊕ d: where v = d leads in unit time; rotations of a ball multiply from the left. out may be q.
  void retract(const double* q, const double* d, double* out) const;

  /// Rate of the chart u ↦ q ⊕ u at velocity v (Body::chart_rate).
  void chart_rate(const double* u, const double* v, double* u_dot) const;

  /// Marker a that moves by q, v on marker b: (2).
  Marker carried_by(const Marker& b, const double* q, const double* v) const;

 private:
  const JointShape* shape_;
  double lead_;
  int num_q_ = 0, num_v_ = 0;
};

/// Constraints that are nothing but a joint with coordinates.
class HasJointMotion {
 public:
  virtual ~HasJointMotion() = default;
  virtual JointMotion joint_motion() const = 0;
};

/// The coordinates that replace the rows of a constraint, if there are such. In the plane z = 0 a ball is a hinge about the plane's
/// normal; a ball has no axes of its own, so take markers whose z is that normal.
std::optional<JointMotion> joint_motion_of(const Constraint& constraint, bool planar);

}  // namespace catena
