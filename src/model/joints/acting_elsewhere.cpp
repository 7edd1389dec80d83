// Constraints whose multipliers act along directions K of their own, not along their rows G (catena/constraint.h, eq. 4).
//
//   remote drive     C = θ_ab - φ(t), θ of rows.h (4) counted over whole turns, g = ∂θ̇/∂ω_a                                  (1)
//                    G_a = (0 | g)   G_b = (0 | -g)   G_c = 0        C_t = -φ̇,   γ = γ_θ - φ̈
//                    K_a = (0 | g)   K_b = 0          K_c = (0 | -g)                  power = λ g·(ω_a - ω_c)
//   sliding point    C = n·ρ, ρ = x_a - x_b, n and t fixed in b, t·n = 0:  G and γ of a plane row, rows.h (3)                  (2)
//                    K_a = (k | 0)   K_b = (-k | k × ρ)   k = n - μ t                 power = -μλ t·ṡ
//
// ṡ = ρ̇ - ω_b × ρ is the velocity of a over b. Forces and torques balance in both: those of (1) between a and c, those of (2) between
// a and b at the point of a. Stiffness of (2): (6) of rows.h with k for n.
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"
#include "model/turns.h"

#include <cmath>

namespace catena {
namespace {

constexpr double kLargestFriction = 100.0;

class RemoteDrive final : public Constraint {
 public:
  RemoteDrive(const AttachmentPair& at, const Attachment& reaction, TimeFunction angle)
      : Constraint({at.a, at.b, reaction}), angle_(std::move(angle)) {}
  std::string_view kind() const override { return "remote_drive"; }
  int num_rows(bool) const override { return 1; }
  bool needs_orientation() const override { return true; }
  bool depends_on_time() const override { return true; }
  bool acts_elsewhere() const override { return true; }
  int memory_size() const override { return kTurnMemory; }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    // the turn in which the drive starts is the one nearest to what it follows
    const AngleRow row = angle_row(motion.at[0], motion.at[1]);
    const double started[kTurnMemory] = {angle_(motion.time).value, 0.0, motion.time};
    start_turns(count_turns(row.angle, motion.time, started), rate(row, motion), motion.time, memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    const AngleRow row = angle_row(motion.at[0], motion.at[1]);
    advance_turns(row.angle, rate(row, motion), motion.time, memory);
  }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const AngleRow row = angle_row(motion.at[0], motion.at[1], rows.wants_gamma());
    const Jet phi = angle_(motion.time);
    rows.C(0) = count_turns(row.angle, motion.time, motion.memory) - phi.value;  // (1)
    rows.C_t(0) = -phi.rate;
    rows.gamma(0) = row.gamma - phi.acceleration;
    rows.set_G(0, 0, Vec3::Zero(), row.g);
    rows.set_G(0, 1, Vec3::Zero(), -row.g);
    if (!rows.wants_K()) return;
    rows.set_K(0, 0, Vec3::Zero(), row.g);
    rows.set_K(0, 2, Vec3::Zero(), -row.g);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    const AngleStiffness turn = hinge_angle_stiffness(motion.at[0], motion.at[1]);
    K.block(0, 0).bottomRightCorner<3, 3>() += lambda[0] * turn.by_a;
    K.block(0, 1).bottomRightCorner<3, 3>() += lambda[0] * turn.by_b;
    K.block(2, 0).bottomRightCorner<3, 3>() -= lambda[0] * turn.by_a;
    K.block(2, 1).bottomRightCorner<3, 3>() -= lambda[0] * turn.by_b;
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_function("angle", angle_, problems);
    if (planar) check_axes_normal_to_plane(*this, problems);
    return problems;
  }

 private:
  static double rate(const AngleRow& row, const Motion& motion) {
    return row.g.dot(motion.at[0].w - motion.at[1].w);
  }

  TimeFunction angle_;
};

class SlidingPoint final : public PairConstraint {
 public:
  SlidingPoint(const AttachmentPair& at, const Vec3& normal, const Vec3& direction, double friction)
      : PairConstraint(at),
        normal_(normal.normalized()),
        direction_((direction - normal_.dot(direction) * normal_).normalized()),
        given_normal_(normal),
        given_direction_(direction),
        friction_(friction) {}
  std::string_view kind() const override { return "sliding_point"; }
  int num_rows(bool) const override { return 1; }
  bool acts_elsewhere() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_plane_row(rows, 0, a, b, b.R * normal_);
    if (!rows.wants_K()) return;
    const Vec3 k = b.R * force_direction();
    rows.set_K(0, 0, k, Vec3::Zero());
    rows.set_K(0, 1, -k, k.cross(a.x - b.x));  // (2)
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    add_plane_stiffness(a, b, lambda[0] * (b.R * force_direction()), K);
  }
  std::vector<std::string> validate(bool planar) const override;

 private:
  Vec3 force_direction() const { return normal_ - friction_ * direction_; }

  Vec3 normal_, direction_, given_normal_, given_direction_;
  double friction_;
};

std::vector<std::string> SlidingPoint::validate(bool planar) const {
  Problems problems;
  check_finite("normal", given_normal_, kLargestLength, problems);
  check_finite("direction", given_direction_, kLargestLength, problems);
  check_finite("friction", friction_, kLargestFriction, problems);
  if (!problems.empty()) return problems;
  if (friction_ < 0.0)
    problems.push_back(
        "friction must not be negative; turn the direction round where it slides the other way");
  if (given_normal_.norm() == 0.0)
    problems.push_back("the normal is 0; give the direction in which b pushes a");
  else if (!(given_direction_.cross(normal_).norm() > 1e-9 * given_direction_.norm()))
    problems.push_back("the direction must run along the plane; give one that is not parallel to the normal");
  const Mat3& axes = attachments()[1].axes;
  if (problems.empty() && planar &&
      std::abs(axes.row(2).dot(normal_)) + std::abs(axes.row(2).dot(direction_)) > 1e-9)
    problems.push_back("normal and direction must lie in the plane z = 0; give vectors such as (0, 1, 0)");
  return problems;
}

}  // namespace

ConstraintPtr remote_drive(const AttachmentPair& at, const Attachment& reaction, TimeFunction angle) {
  return std::make_shared<RemoteDrive>(at, reaction, std::move(angle));
}
ConstraintPtr sliding_point(const AttachmentPair& at, const Vec3& normal, const Vec3& direction,
                            double friction) {
  return std::make_shared<SlidingPoint>(at, normal, direction, friction);
}

}  // namespace catena
