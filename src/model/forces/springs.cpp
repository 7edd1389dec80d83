// Springs with dampers: along a line, about an axis, towards a target in the world.
//
//   spring_damper    F_a = -(k(|ρ| - l₀) + c·n·ρ̇)·n = -F_b    V = k(|ρ| - l₀)²/2                     (1)
//   torsion_spring   τ_a = -(k(θ - θ₀) + c·θ̇)·u = -τ_b        V = k(θ - θ₀)²/2                       (2)
//   mouse_spring     F = -k·e - c·ẋ                           V = k|e|²/2                            (3)
//
// ρ = x_a - x_b, n = ρ/|ρ|;  θ the unwrapped angle, u its gradient;  e = x - target.
#include "catena/force.h"
#include "catena/joints.h"
#include "model/checks.h"
#include "model/turns.h"

#include <cmath>

namespace catena {
namespace {

/// What all three have: stiffness and damping.
class Spring : public Force {
 public:
  Spring(std::vector<Attachment> at, double stiffness, double damping)
      : Force(std::move(at)), stiffness_(stiffness), damping_(damping) {}
  WorkSource source() const override { return WorkSource::damper; }
  bool depends_on_velocity() const override { return damping_ != 0.0; }
  double stiffness() const override { return stiffness_; }

 protected:
  void check_constants(const char* stiffness_unit, const char* damping_unit, Problems& problems) const {
    check_not_negative("stiffness", stiffness_, kLargestStiffness, stiffness_unit, problems);
    check_not_negative("damping", damping_, kLargestStiffness, damping_unit, problems);
  }

  double stiffness_;
  double damping_;
};

class SpringDamper final : public Spring {
 public:
  SpringDamper(const AttachmentPair& at, double stiffness, double damping, double rest_length)
      : Spring({at.a, at.b}, stiffness, damping), rest_length_(rest_length) {}
  std::string_view kind() const override { return "spring"; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Line line = measure(motion);
    const Vec3 force = -(stiffness_ * (line.length - rest_length_) + damping_ * line.rate) * line.n;  // (1)
    wrenches.add(0, force);
    wrenches.add(1, -force);
  }
  double potential(const Motion& motion) const override {
    const double stretch = measure(motion).length - rest_length_;
    return 0.5 * stiffness_ * stretch * stretch;
  }
  double nonconservative_power(const Motion& motion) const override {
    const double rate = measure(motion).rate;
    return -damping_ * rate * rate;
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_constants("N/m", "N·s/m", problems);
    check_not_negative("rest length", rest_length_, kLargestLength, "m", problems);
    return problems;
  }

 private:
  struct Line {
    Vec3 n;  // from b to a; zero while the points coincide, where no direction is better than another
    double length, rate;
  };
  static Line measure(const Motion& motion) {
    const Vec3 rho = motion.at[0].x - motion.at[1].x;
    const double length = rho.norm();
    const Vec3 n = length > 0.0 ? Vec3(rho / length) : Vec3(Vec3::Zero());
    return {n, length, n.dot(motion.at[0].v - motion.at[1].v)};
  }

  double rest_length_;
};

class TorsionSpring final : public Spring {
 public:
  TorsionSpring(const AttachmentPair& at, double stiffness, double damping, double rest_angle)
      : Spring({at.a, at.b}, stiffness, damping), rest_angle_(rest_angle) {}
  std::string_view kind() const override { return "torsion_spring"; }
  bool needs_orientation() const override { return true; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Vec3 u = gradient(motion);
    const Vec3 torque =
        -(stiffness_ * (unwrapped(motion) - rest_angle_) + damping_ * rate(motion)) * u;  // (2)
    wrenches.add(0, Vec3::Zero(), torque);
    wrenches.add(1, Vec3::Zero(), -torque);
  }
  double potential(const Motion& motion) const override {
    const double twist = unwrapped(motion) - rest_angle_;
    return 0.5 * stiffness_ * twist * twist;
  }
  double nonconservative_power(const Motion& motion) const override {
    return -damping_ * rate(motion) * rate(motion);
  }
  int memory_size() const override { return kTurnMemory; }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    start_turns(hinge_angle(motion.at[0], motion.at[1]), rate(motion), motion.time, memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    advance_turns(hinge_angle(motion.at[0], motion.at[1]), rate(motion), motion.time, memory);
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_constants("N·m/rad", "N·m·s/rad", problems);
    check_finite("rest angle", rest_angle_, kLargestLength, problems);
    return problems;
  }

 private:
  static double unwrapped(const Motion& motion) {
    return count_turns(hinge_angle(motion.at[0], motion.at[1]), motion.time, motion.memory);
  }
  static double rate(const Motion& motion) { return gradient(motion).dot(motion.at[0].w - motion.at[1].w); }

  // ∂θ/∂(rotation of a against b) = (z_a + z_b)/(1 + z_a·z_b). It is z_b when the axes are parallel; the full
  // expression keeps (2) the exact gradient of V when they are not.
  static Vec3 gradient(const Motion& motion) {
    const Vec3 z_a = motion.at[0].R.col(2), z_b = motion.at[1].R.col(2);
    const double denominator = 1.0 + z_a.dot(z_b);
    if (denominator < 1e-9) return z_b;  // antiparallel axes: the angle is not defined there
    return (z_a + z_b) / denominator;
  }

  double rest_angle_;
};

class MouseSpring final : public Spring {
 public:
  MouseSpring(const Attachment& a, const Vec3& target, double stiffness, double damping)
      : Spring({a}, stiffness, damping), target_(target) {}
  std::string_view kind() const override { return "mouse_spring"; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Marker& a = motion.at[0];
    wrenches.add(0, -stiffness_ * (a.x - target_) - damping_ * a.v);  // (3)
  }
  double potential(const Motion& motion) const override {
    return 0.5 * stiffness_ * (motion.at[0].x - target_).squaredNorm();
  }
  double nonconservative_power(const Motion& motion) const override {
    return -damping_ * motion.at[0].v.squaredNorm();
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_constants("N/m", "N·s/m", problems);
    check_finite("target", target_, kLargestLength, problems);
    return problems;
  }

 private:
  Vec3 target_;
};

}  // namespace

ForcePtr spring_damper(const AttachmentPair& at, double stiffness, double damping, double rest_length) {
  return std::make_shared<SpringDamper>(at, stiffness, damping, rest_length);
}
ForcePtr torsion_spring(const AttachmentPair& at, double stiffness, double damping, double rest_angle) {
  return std::make_shared<TorsionSpring>(at, stiffness, damping, rest_angle);
}
ForcePtr mouse_spring(const Attachment& a, const Vec3& target, double stiffness, double damping) {
  return std::make_shared<MouseSpring>(a, target, stiffness, damping);
}

}  // namespace catena
