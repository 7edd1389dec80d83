// Drag of a medium at rest:  F = -(c₁ + c₂|v|)·v,   τ = -c_ω·ω
#include "catena/force.h"
#include "model/checks.h"

namespace catena {
namespace {

class Drag final : public Force {
 public:
  Drag(const Attachment& a, double linear, double quadratic, double angular)
      : Force({a}), linear_(linear), quadratic_(quadratic), angular_(angular) {}
  std::string_view kind() const override { return "drag"; }
  Account account() const override { return Account::drag; }
  bool depends_on_velocity() const override { return true; }
  bool needs_orientation() const override { return angular_ != 0.0; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Marker& a = motion.at[0];
    wrenches.add(0, -resistance(a) * a.v, -angular_ * a.w);
  }
  double nonconservative_power(const Motion& motion) const override {
    const Marker& a = motion.at[0];
    return -resistance(a) * a.v.squaredNorm() - angular_ * a.w.squaredNorm();
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_not_negative("linear drag", linear_, kLargestStiffness, "N·s/m", problems);
    check_not_negative("quadratic drag", quadratic_, kLargestStiffness, "N·s²/m²", problems);
    check_not_negative("angular drag", angular_, kLargestStiffness, "N·m·s/rad", problems);
    return problems;
  }

 private:
  double resistance(const Marker& a) const { return linear_ + quadratic_ * a.v.norm(); }

  double linear_, quadratic_, angular_;
};

}  // namespace

ForcePtr drag(const Attachment& a, double linear, double quadratic, double angular) {
  return std::make_shared<Drag>(a, linear, quadratic, angular);
}

}  // namespace catena
