// A motor for all coordinates of a joint at once: torques and forces along them, by commands or as functions of time.
//
//   W = S (SᵀS)⁻¹ τ       on a at its own origin, in the axes of b;  the reaction acts on b at the same place                  (1)
//   P = W·(ν ; ω) = τ·v   for the motions (ν ; ω) = S v that the joint leaves free (joint_motion.h)                            (2)
#pragma once

#include "catena/model.h"
#include "model/joints/joint_motion.h"

namespace catena {

/// Marker a of a joint seen from b, with the twist: what the coordinates of a joint are read from. @pre two markers
struct RelativeMotion {
  RelativePose pose;
  Twist twist;
};
RelativeMotion relative_motion(const Marker& a, const Marker& b);

class JointMotor final : public Force {
 public:
  /// @param torques  one function per velocity; empty: commands instead
  JointMotor(const ConstraintEntry& joint, std::vector<TimeFunction> torques);

  std::string_view kind() const override { return "joint_motor"; }
  Account account() const override { return Account::motors; }
  bool needs_orientation() const override { return true; }
  void apply(const Motion& motion, Wrenches& wrenches) const override;
  double nonconservative_power(const Motion& motion) const override;
  int memory_size() const override { return int(command_names().size()); }
  std::span<const std::string_view> command_names() const override;
  std::vector<std::string> validate() const override;

  /// Whether it drives this constraint: the same markers on the same bodies.
  bool drives(const Constraint& joint) const { return joint_.get() == &joint; }

 private:
  /// Force and torque of (1), world axes.
  struct Wrench {
    Vec3 force, torque;
  };
  Wrench wrench(const Motion& motion) const;
  double torque(const Motion& motion, int i) const;

  ConstraintPtr joint_;
  std::optional<JointMotion> motion_;
  std::vector<TimeFunction> torques_;
};

}  // namespace catena
