// Gears: a fixed ratio of two speeds about axes that turn with their bodies. Nonholonomic: no C exists.
//
//   pair            z_a·ω_a - ratio·z_b·ω_b = 0,   G_a = (0 | z_a),  G_b = (0 | -ratio·z_b),   γ = 0               (1)
//   on a carrier    z_a·(ω_a - ω_c) - ratio·z_b·(ω_b - ω_c) = 0,   G_c = (0 | ratio·z_b - z_a),
//                   γ = (ratio·ω_b × z_b - ω_a × z_a)·ω_c                                                       (2)
//
// γ of (1) vanishes because ż = ω × z is normal to ω. A differential is (2) with ratio -1: ω_a + ω_b = 2ω_c.
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"

namespace catena {
namespace {

void check_ratio(double ratio, Problems& problems) {
  check_finite("ratio", ratio, 1e9, problems);
  if (ratio == 0.0)
    problems.push_back("ratio must not be 0; give the ratio of the speeds, negative if external");
}

Problems gear_problems(const Constraint& gear, double ratio, bool planar) {
  Problems problems;
  check_ratio(ratio, problems);
  if (planar) check_axes_normal_to_plane(gear, problems);
  return problems;
}

class Gear final : public FramePairConstraint {
 public:
  Gear(const AttachmentPair& at, double ratio) : FramePairConstraint(at), ratio_(ratio) {}
  std::string_view kind() const override { return "gear"; }
  int num_rows(bool) const override { return 1; }
  int num_holonomic_rows(bool) const override { return 0; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    rows.set_G(0, 0, Vec3::Zero(), motion.at[0].R.col(2));  // (1)
    rows.set_G(0, 1, Vec3::Zero(), -ratio_ * motion.at[1].R.col(2));
  }
  std::vector<std::string> validate(bool planar) const override {
    return gear_problems(*this, ratio_, planar);
  }

 private:
  double ratio_;
};

class CarriedGear final : public Constraint {
 public:
  CarriedGear(const Attachment& a, const Attachment& b, const Attachment& carrier, double ratio,
              std::string_view kind)
      : Constraint({a, b, carrier}), ratio_(ratio), kind_(kind) {}
  std::string_view kind() const override { return kind_; }
  int num_rows(bool) const override { return 1; }
  int num_holonomic_rows(bool) const override { return 0; }
  bool needs_orientation() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1], &c = motion.at[2];
    const Vec3 z_a = a.R.col(2), z_b = ratio_ * b.R.col(2);
    rows.set_G(0, 0, Vec3::Zero(), z_a);
    rows.set_G(0, 1, Vec3::Zero(), -z_b);
    rows.set_G(0, 2, Vec3::Zero(), z_b - z_a);  // (2)
    rows.gamma(0) = (b.w.cross(z_b) - a.w.cross(z_a)).dot(c.w);
  }
  std::vector<std::string> validate(bool planar) const override {
    return gear_problems(*this, ratio_, planar);
  }

 private:
  double ratio_;
  std::string_view kind_;
};

}  // namespace

ConstraintPtr gear_on_carrier(const Attachment& a, const Attachment& b, const Attachment& carrier,
                              double ratio) {
  return std::make_shared<CarriedGear>(a, b, carrier, ratio, "gear_on_carrier");
}
ConstraintPtr differential(const Attachment& a, const Attachment& b, const Attachment& carrier) {
  return std::make_shared<CarriedGear>(a, b, carrier, -1.0, "differential");
}

ConstraintPtr gear(const AttachmentPair& at, double ratio) {
  return std::make_shared<Gear>(at, ratio);
}

}  // namespace catena
