// Joints that hold one point in the world: nail and driven nail.
//
//   nail           C = x_a - target                                                                    (1)
//   driven nail    C = x_a - p(t),   C_t = -ṗ,   γ = -p̈                                                (2)
//
// Three rows in space, the first two (x, y) of them in the plane.
#include "catena/joints.h"
#include "model/checks.h"

#include <fmt/format.h>

namespace catena {
namespace {

int num_axes(bool planar) {
  return planar ? 2 : 3;
}

class Nail final : public Constraint {
 public:
  Nail(const Attachment& a, const Vec3& target) : Constraint({a}), target_(target) {}
  std::string_view kind() const override { return "nail"; }
  bool has_geometric_stiffness() const override { return false; }
  int num_rows(bool planar) const override { return num_axes(planar); }
  void evaluate(const Motion& motion, Rows& rows) const override {
    auto G = rows.G(0);
    for (int i = 0; i < num_axes(motion.planar); ++i) {
      rows.C(i) = motion.at[0].x[i] - target_[i];  // (1)
      G(i, i) = 1.0;
    }
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_finite("target", target_, kLargestLength, problems);
    if (planar && target_.z() != 0.0) {
      problems.push_back(
          fmt::format("the target of a planar body must lie in the plane z = 0, got z = {:g} m; set "
                      "its z to 0",
                      target_.z()));
    }
    return problems;
  }

 private:
  Vec3 target_;
};

class DrivenNail final : public Constraint {
 public:
  DrivenNail(const Attachment& a, PointFunction target) : Constraint({a}), target_(std::move(target)) {}
  std::string_view kind() const override { return "driven_nail"; }
  bool has_geometric_stiffness() const override { return false; }
  int num_rows(bool planar) const override { return num_axes(planar); }
  bool depends_on_time() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const TimeFunction* component[3] = {&target_.x, &target_.y, &target_.z};
    auto G = rows.G(0);
    for (int i = 0; i < num_axes(motion.planar); ++i) {
      const Jet p = (*component[i])(motion.time);
      rows.C(i) = motion.at[0].x[i] - p.value;  // (2)
      rows.C_t(i) = -p.rate;
      rows.gamma(i) = -p.acceleration;
      G(i, i) = 1.0;
    }
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    check_function("target", target_, problems);
    return problems;
  }

 private:
  PointFunction target_;
};

}  // namespace

ConstraintPtr nail(const Attachment& a, const Vec3& target) {
  return std::make_shared<Nail>(a, target);
}
ConstraintPtr driven_nail(const Attachment& a, PointFunction target) {
  return std::make_shared<DrivenNail>(a, std::move(target));
}

}  // namespace catena
