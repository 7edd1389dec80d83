// Viscous friction of a joint: resistance against turning about, and sliding along, z of b.
//
//   f = -c·(speed of axis.h), power -c·speed²      one c about, one along the axis                            (1)
#include "model/checks.h"
#include "model/forces/axis.h"

namespace catena {
namespace {

class ViscousFriction final : public Force {
 public:
  ViscousFriction(const AttachmentPair& at, double angular, double linear)
      : Force({at.a, at.b}), angular_(angular), linear_(linear) {}
  std::string_view kind() const override { return "viscous_friction"; }
  Account account() const override { return Account::dampers; }
  bool depends_on_velocity() const override { return true; }
  bool needs_orientation() const override { return angular_ != 0.0; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    add_along_axis(Axis::rotary, motion, -angular_ * axis_speed(Axis::rotary, motion), wrenches);  // (1)
    add_along_axis(Axis::linear, motion, -linear_ * axis_speed(Axis::linear, motion), wrenches);
  }
  double nonconservative_power(const Motion& motion) const override {
    const double rate = axis_speed(Axis::rotary, motion), speed = axis_speed(Axis::linear, motion);
    return -angular_ * rate * rate - linear_ * speed * speed;
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_not_negative("angular friction", angular_, kLargestStiffness, "N·m·s/rad", problems);
    check_not_negative("linear friction", linear_, kLargestStiffness, "N·s/m", problems);
    return problems;
  }

 private:
  double angular_, linear_;
};

}  // namespace

ForcePtr viscous_friction(const AttachmentPair& at, double angular, double linear) {
  return std::make_shared<ViscousFriction>(at, angular, linear);
}

}  // namespace catena
