#include "model/forces/joint_motor.h"

#include "math/small_matrix_kernel.h"
#include "model/checks.h"

#include <fmt/core.h>

#include <array>

namespace catena {
namespace {

constexpr std::array<std::string_view, JointMotion::kMostV> kTorqueNames{"torque_1", "torque_2", "torque_3",
                                                                         "torque_4", "torque_5", "torque_6"};

/// Markers of a joint. In the plane those of a ball have axes of their own, which turn with nothing: the axes of the bodies instead.
std::vector<Attachment> markers_for(const ConstraintEntry& joint) {
  const auto given = joint.constraint->attachments();
  std::vector<Attachment> out(given.begin(), given.end());
  if (joint.planar && joint.constraint->type() == JointType::ball)
    for (Attachment& at : out) at.axes = Mat3::Identity();
  return out;
}

}  // namespace

RelativeMotion relative_motion(const Marker& a, const Marker& b) {
  const Vec3 r = a.x - b.x;
  RelativeMotion out{{b.R.transpose() * r, b.R.transpose() * a.R}, {}};
  out.twist << b.R.transpose() * (a.v - b.v - b.w.cross(r)), b.R.transpose() * (a.w - b.w);
  return out;
}

JointMotor::JointMotor(const ConstraintEntry& joint, std::vector<TimeFunction> torques)
    : Force(markers_for(joint)),
      joint_(joint.constraint),
      motion_(joint_motion_of(*joint.constraint, joint.planar)),
      torques_(std::move(torques)) {}

std::span<const std::string_view> JointMotor::command_names() const {
  if (!motion_ || !torques_.empty()) return {};
  return {kTorqueNames.data(), std::size_t(motion_->num_v())};
}

double JointMotor::torque(const Motion& motion, int i) const {
  if (!torques_.empty()) return torques_[std::size_t(i)](motion.time).value;
  return std::size_t(i) < motion.memory.size() ? motion.memory[std::size_t(i)] : 0.0;
}

// (1)
JointMotor::Wrench JointMotor::wrench(const Motion& motion) const {
  const RelativeMotion relative = relative_motion(motion.at[0], motion.at[1]);
  double q[JointMotion::kMostQ], x[JointMotion::kMostV];
  motion_->set_neutral(q);
  motion_->coordinates_of(relative.pose, q);
  const FreeDirections S = motion_->free_directions(q);
  const int n = motion_->num_v();
  double gram[JointMotion::kMostV * JointMotion::kMostV];
  for (int i = 0; i < n; ++i) {
    x[i] = torque(motion, i);
    for (int k = 0; k < n; ++k) gram[i * n + k] = S.col(i).dot(S.col(k));
  }
  Twist W = Twist::Zero();
  if (math::factor_ldlt(n, gram, 0.0) >= 0) return {W.head<3>(), W.tail<3>()};  // a bend by π: no directions
  math::solve_ldlt(n, gram, x);
  for (int i = 0; i < n; ++i) W += x[i] * S.col(i);
  const Mat3& R = motion.at[1].R;
  return {R * W.head<3>(), R * W.tail<3>()};
}

void JointMotor::apply(const Motion& motion, Wrenches& wrenches) const {
  const Wrench on_a = wrench(motion);
  const Vec3 r = motion.at[0].x - motion.at[1].x;
  wrenches.add(0, on_a.force, on_a.torque);
  wrenches.add(1, -on_a.force, -on_a.torque - r.cross(on_a.force));
}

// (2)
double JointMotor::nonconservative_power(const Motion& motion) const {
  const Wrench on_a = wrench(motion);
  const RelativeMotion relative = relative_motion(motion.at[0], motion.at[1]);
  const Mat3& R = motion.at[1].R;
  return on_a.force.dot(R * relative.twist.head<3>()) + on_a.torque.dot(R * relative.twist.tail<3>());
}

std::vector<std::string> JointMotor::validate() const {
  Problems problems;
  if (!motion_ || motion_->num_v() == 0) {
    problems.push_back(
        fmt::format("a {} has no joint coordinates that could be driven; name a joint that "
                    "moves: hinge, slider, ball, universal, cylindrical, planar, screw",
                    joint_->kind()));
    return problems;
  }
  if (!torques_.empty() && int(torques_.size()) != motion_->num_v())
    problems.push_back(fmt::format("a {} takes {} torques, got {}; give one per velocity of the joint",
                                   joint_->kind(), motion_->num_v(), torques_.size()));
  for (const TimeFunction& f : torques_) check_function("torque", f, problems);
  return problems;
}

ForcePtr joint_motor(const ConstraintEntry& joint, std::vector<TimeFunction> torques) {
  return std::make_shared<JointMotor>(joint, std::move(torques));
}

}  // namespace catena
