// A given force and torque at a marker, as functions of time.
#include "catena/force.h"
#include "model/checks.h"

namespace catena {
namespace {

Vec3 value_at(const PointFunction& f, double time) {
  return {f.x(time).value, f.y(time).value, f.z(time).value};
}

class Load final : public Force {
 public:
  Load(const Attachment& a, PointFunction force, PointFunction torque, bool in_body_axes)
      : Force({a}), force_(std::move(force)), torque_(std::move(torque)), in_body_axes_(in_body_axes) {}
  std::string_view kind() const override { return "load"; }
  Account account() const override { return Account::loads; }
  bool needs_orientation() const override { return in_body_axes_ || has_torque(); }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Wrench w = wrench(motion);
    wrenches.add(0, w.force, w.torque);
  }
  double nonconservative_power(const Motion& motion) const override {
    const Wrench w = wrench(motion);
    return w.force.dot(motion.at[0].v) + w.torque.dot(motion.at[0].w);
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_function("force", force_, problems);
    check_function("torque", torque_, problems);
    return problems;
  }

 private:
  struct Wrench {
    Vec3 force, torque;  // world axes
  };
  Wrench wrench(const Motion& motion) const {
    const Vec3 force = value_at(force_, motion.time), torque = value_at(torque_, motion.time);
    if (!in_body_axes_) return {force, torque};
    const Mat3 R = motion.at[0].R * attachments()[0].axes.transpose();  // body axes, not those of the marker
    return {R * force, R * torque};
  }

  // A function of time cannot be asked whether it is always zero: a torque that vanishes at these four
  // incommensurate times is taken as none, so that a plain force may act on a particle.
  bool has_torque() const {
    if (!torque_.x || !torque_.y || !torque_.z) return false;  // reported by validate()
    for (const double time : {0.0, 0.1234567, 1.7320508, 31.415927}) {
      if (value_at(torque_, time) != Vec3::Zero()) return true;
    }
    return false;
  }

  PointFunction force_, torque_;
  bool in_body_axes_;
};

}  // namespace

ForcePtr load(const Attachment& a, PointFunction force, PointFunction torque, bool in_body_axes) {
  return std::make_shared<Load>(a, std::move(force), std::move(torque), in_body_axes);
}

}  // namespace catena
