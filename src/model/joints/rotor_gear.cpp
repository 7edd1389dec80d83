// Rotor gears: a rotor turns n times as fast as a joint turns or slides. Nonholonomic: only speeds are coupled.
//
//   rotor_gear          z_r·ω_r - n·z_b·(ω_a - ω_b) = 0                                                      (1)
//                       G_r = (0 | z_r),  G_a = (0 | -n·z_b),  G_b = (0 | n·z_b),   γ = -n·(ω_b × z_b)·ω_a
//   linear_rotor_gear   z_r·ω_r - n·ṡ = 0,   ṡ = z_b·(v_a - v_b) + (ω_b × z_b)·ρ                             (2)
//                       G_r = (0 | z_r),  G_a = (-n·z_b | 0),  G_b = (n·z_b | -n·z_b × ρ)
//                       γ = -n·(2(ω_b × z_b)·ρ̇ + (ω_b × (ω_b × z_b))·ρ)
//
// Markers: r (the rotor), a, b; ρ = x_a - x_b. The first term has no γ because ż = ω × z is normal to ω.
#include "catena/bodies.h"
#include "catena/joints.h"
#include "model/checks.h"

namespace catena {
namespace {

class RotorGear : public Constraint {
 public:
  RotorGear(BodyId rotor, const AttachmentPair& at, double ratio)
      : Constraint({Attachment{.body = rotor}, at.a, at.b}), ratio_(ratio) {}
  std::string_view kind() const override { return "rotor_gear"; }
  int num_rows(bool) const override { return 1; }
  int num_holonomic_rows(bool) const override { return 0; }
  bool needs_orientation() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[1], &b = motion.at[2];
    const Vec3 z = b.R.col(2);
    rows.set_G(0, 0, Vec3::Zero(), motion.at[0].R.col(2));  // (1)
    rows.set_G(0, 1, Vec3::Zero(), -ratio_ * z);
    rows.set_G(0, 2, Vec3::Zero(), ratio_ * z);
    rows.gamma(0) = -ratio_ * b.w.cross(z).dot(a.w);
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    check_finite("ratio", ratio_, 1e9, problems);
    if (ratio_ == 0.0)
      problems.push_back("ratio must not be 0; give the speed of the rotor over that of the joint");
    return problems;
  }

 protected:
  double ratio_;
};

class LinearRotorGear final : public RotorGear {
 public:
  using RotorGear::RotorGear;
  std::string_view kind() const override { return "linear_rotor_gear"; }
  bool needs_orientation() const override { return false; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[1], &b = motion.at[2];
    const Vec3 z = b.R.col(2), z_dot = b.w.cross(z), rho = a.x - b.x;
    rows.set_G(0, 0, Vec3::Zero(), motion.at[0].R.col(2));  // (2)
    rows.set_G(0, 1, -ratio_ * z, Vec3::Zero());
    rows.set_G(0, 2, ratio_ * z, -ratio_ * z.cross(rho));
    rows.gamma(0) = -ratio_ * (2.0 * z_dot.dot(a.v - b.v) + b.w.cross(z_dot).dot(rho));
  }
};

}  // namespace

ConstraintPtr rotor_gear(BodyId rotor, const AttachmentPair& at, double ratio) {
  return std::make_shared<RotorGear>(rotor, at, ratio);
}
ConstraintPtr linear_rotor_gear(BodyId rotor, const AttachmentPair& at, double ratio) {
  return std::make_shared<LinearRotorGear>(rotor, at, ratio);
}

}  // namespace catena
