// Motors: a given torque about, or force along, z of b between two bodies.
//
//   motor           τ_a = T(t)·z_b = -τ_b,   power T·z_b·(ω_a - ω_b)                                    (1)
//   linear_motor    F_a = f(t)·z_b = -F_b,   power f·d(z_b·ρ)/dt,   ρ = x_a - x_b                       (2)
//
// The reaction of (2) acts on b at the point of a, so that both lie on one line and angular momentum is kept
// even while a slider has drifted.
#include "catena/force.h"
#include "model/checks.h"

namespace catena {
namespace {

class Motor final : public Force {
 public:
  Motor(const AttachmentPair& at, TimeFunction torque) : Force({at.a, at.b}), torque_(std::move(torque)) {}
  std::string_view kind() const override { return "motor"; }
  WorkSource source() const override { return WorkSource::motor; }
  bool needs_orientation() const override { return true; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Vec3 torque = torque_(motion.time).value * motion.at[1].R.col(2);  // (1)
    wrenches.add(0, Vec3::Zero(), torque);
    wrenches.add(1, Vec3::Zero(), -torque);
  }
  double nonconservative_power(const Motion& motion) const override {
    return torque_(motion.time).value * motion.at[1].R.col(2).dot(motion.at[0].w - motion.at[1].w);
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_function("torque", torque_, problems);
    return problems;
  }

 private:
  TimeFunction torque_;
};

class LinearMotor final : public Force {
 public:
  LinearMotor(const AttachmentPair& at, TimeFunction force) : Force({at.a, at.b}), force_(std::move(force)) {}
  std::string_view kind() const override { return "linear_motor"; }
  WorkSource source() const override { return WorkSource::motor; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 force = force_(motion.time).value * b.R.col(2);  // (2)
    wrenches.add(0, force);
    wrenches.add(1, -force, -(a.x - b.x).cross(force));
  }
  double nonconservative_power(const Motion& motion) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 relative = a.v - b.v - b.w.cross(a.x - b.x);
    return force_(motion.time).value * b.R.col(2).dot(relative);
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_function("force", force_, problems);
    return problems;
  }

 private:
  TimeFunction force_;
};

}  // namespace

ForcePtr motor(const AttachmentPair& at, TimeFunction torque) {
  return std::make_shared<Motor>(at, std::move(torque));
}
ForcePtr linear_motor(const AttachmentPair& at, TimeFunction force) {
  return std::make_shared<LinearMotor>(at, std::move(force));
}

}  // namespace catena
