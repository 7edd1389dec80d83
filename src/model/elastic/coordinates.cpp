// Coordinates of joints as rows: angles, travels and rotation vectors of marker a against marker b.
//
//   hinge       C = θ - θ₀                       angle row (4) of rows.h, turns counted
//   slider      C = z_b·ρ - s₀                   plane row; planar: also x_b·ρ, y_b·ρ and θ
//   universal   C = (atan2(x_a·y_b, x_a·x_b), atan2(y_a·z_b, z_a·z_b))                                            (1)
//   swing       C = acos(z_a·z_b)                                                                                (2)
//   length      C = |ρ| - l₀
//   ball        C = φ = log(R_bᵀR_a),  G_a = -G_b = A·R_bᵀ,  A = J_l⁻¹(φ) = 1 - ½[φ]× + κ[φ]×²                     (3)
//               γ = Ȧ·R_bᵀω - A·R_bᵀ(ω_b × ω_a),   ω = ω_a - ω_b                                                  (4)
//
// An angle θ = atan2(S, K) of two dot rows has θ̇ = (KṠ - SK̇)/D, D = S² + K², and its γ by the quotient rule.          (5)
#include "catena/force.h"
#include "catena/joints.h"
#include "math/rotation.h"
#include "model/checks.h"
#include "model/elastic/rotation_rows.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"
#include "model/turns.h"

namespace catena {
namespace {

// Below this sine the direction in which two axes part is round-off.
constexpr double kAligned = 1e-9;

/// (5) for S = s₁·e₁ and K = s₂·e₂, s fixed in a and e in b.
void write_angle_of_dots(Rows& rows, int row, const Marker& a, const Marker& b, const Vec3& s1,
                         const Vec3& e1, const Vec3& s2, const Vec3& e2) {
  const double S = s1.dot(e1), K = s2.dot(e2), D = S * S + K * K;
  const Vec3 g_S = s1.cross(e1), g_K = s2.cross(e2), w = a.w - b.w;
  const double S_dot = g_S.dot(w), K_dot = g_K.dot(w), rate = (K * S_dot - S * K_dot) / D;
  const double S_gamma = dot_gamma(a.w, s1, b.w, e1), K_gamma = dot_gamma(a.w, s2, b.w, e2);
  const Vec3 g = (K * g_S - S * g_K) / D;
  rows.C(row) = std::atan2(S, K);
  rows.set_G(row, 0, Vec3::Zero(), g);
  rows.set_G(row, 1, Vec3::Zero(), -g);
  rows.gamma(row) = (K * S_gamma - S * K_gamma - 2.0 * rate * (S * S_dot + K * K_dot)) / D;
}

void write_hinge_angle(Rows& rows, int row, const Motion& motion, double rest) {
  const AngleRow angle = angle_row(motion.at[0], motion.at[1], rows.wants_gamma());
  rows.C(row) = count_turns(angle.angle, motion.time, motion.memory) - rest;
  rows.set_G(row, 0, Vec3::Zero(), angle.g);
  rows.set_G(row, 1, Vec3::Zero(), -angle.g);
  rows.gamma(row) = angle.gamma;
}

/// A pair with an angle about z of b that counts its turns.
class TurningPair : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  int memory_size() const override { return kTurnMemory; }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    const AngleRow angle = angle_row(motion.at[0], motion.at[1]);
    start_turns(angle.angle, angle.g.dot(motion.at[0].w - motion.at[1].w), motion.time, memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    const AngleRow angle = angle_row(motion.at[0], motion.at[1]);
    advance_turns(angle.angle, angle.g.dot(motion.at[0].w - motion.at[1].w), motion.time, memory);
  }
};

class HingeCoordinate final : public TurningPair {
 public:
  HingeCoordinate(const AttachmentPair& at, double rest) : TurningPair(at), rest_(rest) {}
  std::string_view kind() const override { return "hinge_coordinate"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    write_hinge_angle(rows, 0, motion, rest_);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_angle_stiffness(hinge_angle_stiffness(motion.at[0], motion.at[1]), lambda[0], K);
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    check_finite("rest angle", rest_, kLargestLength, problems);
    return problems;
  }

 private:
  double rest_;
};

class SliderCoordinate final : public FramePairConstraint {
 public:
  SliderCoordinate(const AttachmentPair& at, double rest) : FramePairConstraint(at), rest_(rest) {}
  std::string_view kind() const override { return "slider_coordinate"; }
  bool needs_orientation() const override { return false; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    write_plane_row(rows, 0, motion.at[0], motion.at[1], motion.at[1].R.col(2));
    rows.C(0) -= rest_;
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_plane_stiffness(motion.at[0], motion.at[1], lambda[0] * motion.at[1].R.col(2), K);
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    check_finite("rest travel", rest_, kLargestLength, problems);
    return problems;
  }

 private:
  double rest_;
};

class PlanarCoordinates final : public TurningPair {
 public:
  using TurningPair::TurningPair;
  std::string_view kind() const override { return "planar_coordinates"; }
  int num_rows(bool) const override { return 3; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    for (int i = 0; i < 2; ++i) write_plane_row(rows, i, motion.at[0], motion.at[1], motion.at[1].R.col(i));
    write_hinge_angle(rows, 2, motion, 0.0);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    for (int i = 0; i < 2; ++i) add_plane_stiffness(a, b, lambda[std::size_t(i)] * b.R.col(i), K);
    add_angle_stiffness(hinge_angle_stiffness(a, b), lambda[2], K);
  }
};

class UniversalCoordinates final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "universal_coordinates"; }
  int num_rows(bool) const override { return 2; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 x_a = a.R.col(0), z_b = b.R.col(2);
    write_angle_of_dots(rows, 0, a, b, x_a, b.R.col(1), x_a, b.R.col(0));  // (1)
    write_angle_of_dots(rows, 1, a, b, a.R.col(1), z_b, a.R.col(2), z_b);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    Dots S[2], C[2];
    S[0].add(1.0, a.R.col(0), b.R.col(1));
    C[0].add(1.0, a.R.col(0), b.R.col(0));
    S[1].add(1.0, a.R.col(1), b.R.col(2));
    C[1].add(1.0, a.R.col(2), b.R.col(2));
    for (int i = 0; i < 2; ++i) add_angle_stiffness(angle_stiffness(S[i], C[i]), lambda[std::size_t(i)], K);
  }
};

class SwingCoordinate final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "swing_coordinate"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 z_a = a.R.col(2), z_b = b.R.col(2), g = z_a.cross(z_b);
    const double cosine = z_a.dot(z_b), sine = g.norm();
    rows.C(0) = std::atan2(sine, cosine);  // (2)
    if (sine < kAligned) return;           // any direction parts them; a bound is not near
    const double rate = g.dot(a.w - b.w);
    rows.set_G(0, 0, Vec3::Zero(), -g / sine);
    rows.set_G(0, 1, Vec3::Zero(), g / sine);
    rows.gamma(0) = -(dot_gamma(a.w, z_a, b.w, z_b) + cosine * rate * rate / (sine * sine)) / sine;
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    Dots C;  // torque -λ g/|g|, with δ|g| = -(C/|g|) δC
    C.add(1.0, a.R.col(2), b.R.col(2));
    const double sine = C.g.norm();
    if (sine < kAligned) return;
    const Mat3 H = (-lambda[0] / sine) * C.H,
               Q = (-lambda[0] * C.value / (sine * sine * sine)) * (C.g * C.g.transpose());
    add_angle_stiffness({H + Q, -H.transpose() - Q}, 1.0, K);
  }
};

class LengthCoordinate final : public PairConstraint {
 public:
  LengthCoordinate(const AttachmentPair& at, double rest) : PairConstraint(at), rest_(rest) {}
  std::string_view kind() const override { return "length_coordinate"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 rho = a.x - b.x, rho_dot = a.v - b.v;
    const double length = rho.norm();
    rows.C(0) = length - rest_;
    if (length == 0.0) return;  // no direction is better than another
    const Vec3 n = rho / length;
    const double along = n.dot(rho_dot);
    rows.set_G(0, 0, n, Vec3::Zero());
    rows.set_G(0, 1, -n, Vec3::Zero());
    rows.gamma(0) = (rho_dot.squaredNorm() - along * along) / length;
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_distance_stiffness(motion.at[0], motion.at[1], lambda[0], K);
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    check_not_negative("rest length", rest_, kLargestLength, "m", problems);
    return problems;
  }

 private:
  double rest_;
};

/// Rows (3) after `LINEAR` plane rows along the axes of b.
template <int LINEAR>
class RotationCoordinates final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return LINEAR > 0 ? "frame_coordinates" : "ball_coordinates"; }
  int num_rows(bool) const override { return LINEAR + 3; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    for (int i = 0; i < LINEAR; ++i)
      write_plane_row(rows, i, motion.at[0], motion.at[1], motion.at[1].R.col(i));
    write_rotation_rows(rows, LINEAR, motion.at[0], motion.at[1]);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    for (int i = 0; i < LINEAR; ++i) add_plane_stiffness(a, b, lambda[std::size_t(i)] * b.R.col(i), K);
    add_rotation_stiffness(a, b, Vec3(lambda[LINEAR], lambda[LINEAR + 1], lambda[LINEAR + 2]), K);
  }
};

}  // namespace

ConstraintPtr hinge_coordinate(const AttachmentPair& at, double rest) {
  return std::make_shared<HingeCoordinate>(at, rest);
}
ConstraintPtr slider_coordinate(const AttachmentPair& at, double rest) {
  return std::make_shared<SliderCoordinate>(at, rest);
}
ConstraintPtr ball_coordinates(const AttachmentPair& at) {
  return std::make_shared<RotationCoordinates<0>>(at);
}
ConstraintPtr universal_coordinates(const AttachmentPair& at) {
  return std::make_shared<UniversalCoordinates>(at);
}
ConstraintPtr planar_coordinates(const AttachmentPair& at) {
  return std::make_shared<PlanarCoordinates>(at);
}
ConstraintPtr frame_coordinates(const AttachmentPair& at) {
  return std::make_shared<RotationCoordinates<3>>(at);
}
ConstraintPtr swing_coordinate(const AttachmentPair& at) {
  return std::make_shared<SwingCoordinate>(at);
}
ConstraintPtr length_coordinate(const AttachmentPair& at, double rest) {
  return std::make_shared<LengthCoordinate>(at, rest);
}

}  // namespace catena
