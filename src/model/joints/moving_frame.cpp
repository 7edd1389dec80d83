// Driven joints: any joint between two frames, with the frame of b moved by given functions of time.
//
// Legend: d(t), Q(t) place and turn of the moved frame b' in the axes of b, u = R_b·d, ω_r and α_r rate of Q and its derivative,
// seen from b, in world axes; primes mark what the joint says about (a, b').
//
//   x' = x_b + u,   R' = R_b·Q,   v' = v_b + ω_b × u + R_b·ḋ,   ω' = ω_b + ω_r                                   (1)
//   Ċ = G_a·(v_a ; ω_a) + G'·(v' ; ω'):   G_b = (n' | g' + u × n')  of G' = (n' | g'),   C_t = G'·(R_b·ḋ ; ω_r)     (2)
//   γ = γ' + G'·(ω_b × (ω_b × u) + 2ω_b × R_b·ḋ + R_b·d̈ ; ω_b × ω_r + α_r)                                       (3)
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"

#include <fmt/format.h>

#include <array>

namespace catena {
namespace {

/// The moved frame seen from b, in the axes of b.
struct FrameState {
  Vec3 d, d_rate, d_acceleration;
  Mat3 Q;
  Vec3 w, w_rate;
};

Vec3 values(const std::array<Jet, 3>& f) {
  return {f[0].value, f[1].value, f[2].value};
}

std::array<Jet, 3> jets(const PointFunction& f, double t) {
  return {f.x(t), f.y(t), f.z(t)};
}

FrameState frame_state(const MovingFrame& frame, double t) {
  const auto d = jets(frame.travel, t), angle = jets(frame.angles, t);
  const Eigen::AngleAxisd Rz(angle[2].value, Vec3::UnitZ()), Ry(angle[1].value, Vec3::UnitY()),
      Rx(angle[0].value, Vec3::UnitX());
  // the three axes about which it turns, and the rates along them
  const Vec3 y = Rz * Vec3::UnitY(), x = Rz * (Ry * Vec3::UnitX());
  const Vec3 w_z = angle[2].rate * Vec3::UnitZ(), w_y = angle[1].rate * y, w_x = angle[0].rate * x;
  FrameState state;
  state.d = values(d);
  state.d_rate = {d[0].rate, d[1].rate, d[2].rate};
  state.d_acceleration = {d[0].acceleration, d[1].acceleration, d[2].acceleration};
  state.Q = (Rz * Ry * Rx).toRotationMatrix();
  state.w = w_z + w_y + w_x;
  state.w_rate = angle[2].acceleration * Vec3::UnitZ() + angle[1].acceleration * y +
                 angle[0].acceleration * x + w_z.cross(w_y) + (w_z + w_y).cross(w_x);
  return state;
}

class DrivenJoint final : public Constraint {
 public:
  DrivenJoint(ConstraintPtr joint, MovingFrame frame)
      : Constraint(joint ? std::vector<Attachment>(joint->attachments().begin(), joint->attachments().end())
                         : std::vector<Attachment>{}),
        joint_(std::move(joint)),
        frame_(std::move(frame)),
        kind_(fmt::format("driven_{}", joint_ ? joint_->kind() : "joint")) {}
  std::string_view kind() const override { return kind_; }
  int num_rows(bool planar) const override { return joint_ ? joint_->num_rows(planar) : 0; }
  int num_holonomic_rows(bool planar) const override {
    return joint_ ? joint_->num_holonomic_rows(planar) : 0;
  }
  bool needs_orientation() const override { return true; }
  bool depends_on_time() const override { return true; }
  // rows that act at marker a of both bodies stay where they are; point rows now act at the moved frame, which is neither
  LowerPair lower_pair(bool planar) const override {
    const LowerPair pair = joint_->lower_pair(planar);
    return pair.at_marker_a || pair.linear == 0 ? pair : LowerPair{};
  }
  void evaluate(const Motion& motion, Rows& rows) const override;
  std::vector<std::string> validate(bool planar) const override;

 private:
  ConstraintPtr joint_;
  MovingFrame frame_;
  std::string kind_;
};

void DrivenJoint::evaluate(const Motion& motion, Rows& rows) const {
  const Marker& b = motion.at[1];
  const FrameState frame = frame_state(frame_, motion.time);
  const Vec3 u = b.R * frame.d, u_rate = b.R * frame.d_rate, w = b.R * frame.w;
  const std::array<Marker, 2> moved{motion.at[0],
                                    {b.x + u, b.v + b.w.cross(u) + u_rate, b.R * frame.Q, b.w + w}};  // (1)
  Motion seen = motion;
  seen.at = moved;
  joint_->evaluate(seen, rows);
  const Vec3 acceleration = b.w.cross(b.w.cross(u)) + 2.0 * b.w.cross(u_rate) + b.R * frame.d_acceleration;
  const Vec3 angular_acceleration = b.w.cross(w) + b.R * frame.w_rate;
  auto G = rows.G(1);
  for (int i = 0; i < rows.num_rows(); ++i) {
    const Vec3 n = G.row(i).head<3>(), g = G.row(i).tail<3>();
    rows.C_t(i) += n.dot(u_rate) + g.dot(w);                             // (2)
    rows.gamma(i) += n.dot(acceleration) + g.dot(angular_acceleration);  // (3)
    rows.set_G(i, 1, n, g + u.cross(n));                                 // (2)
  }
}

std::vector<std::string> DrivenJoint::validate(bool planar) const {
  if (!joint_) return {"there is no joint to drive; pass one such as weld(...)"};
  if (joint_->attachments().size() != 2 || joint_->memory_size() > 0)
    return {fmt::format("a {} has no frames to drive; drive a joint between two frames", joint_->kind())};
  if (joint_->acts_elsewhere())
    return {
        fmt::format("the force of a {} does not act along its rows; drive another joint", joint_->kind())};
  Problems problems = joint_->validate(planar);
  check_function("travel", frame_.travel, problems);
  check_function("angles", frame_.angles, problems);
  if (!problems.empty() || !planar) return problems;
  const FrameState frame = frame_state(frame_, 0.0);
  const Mat3& axes = attachments()[1].axes;
  const auto leaves = [&axes](const Vec3& v) {
    return std::abs(axes.row(2).dot(v)) > 1e-9 * (1.0 + v.norm());
  };
  const auto tilts = [&axes](const Vec3& v) { return (axes * v).head<2>().norm() > 1e-9 * (1.0 + v.norm()); };
  if (leaves(frame.d) || leaves(frame.d_rate) || tilts(frame.w))
    problems.push_back("the drive leaves the plane z = 0; travel within it and turn about z only");
  return problems;
}

}  // namespace

ConstraintPtr driven(ConstraintPtr joint, MovingFrame frame) {
  return std::make_shared<DrivenJoint>(std::move(joint), std::move(frame));
}

}  // namespace catena
