// Gear: a fixed ratio of two speeds about axes that turn with their bodies. Nonholonomic: no C exists.
//
//   z_a·ω_a - ratio·z_b·ω_b = 0,   G_a = (0 | z_a),  G_b = (0 | -ratio·z_b),   γ = 0                   (1)
//
// γ vanishes because ż = ω × z is normal to ω.
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"

namespace catena {
namespace {

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
    Problems problems;
    check_finite("ratio", ratio_, 1e9, problems);
    if (ratio_ == 0.0)
      problems.push_back("ratio must not be 0; give the ratio of the speeds, negative if external");
    if (planar) check_axes_normal_to_plane(*this, problems);
    return problems;
  }

 private:
  double ratio_;
};

}  // namespace

ConstraintPtr gear(const AttachmentPair& at, double ratio) {
  return std::make_shared<Gear>(at, ratio);
}

}  // namespace catena
