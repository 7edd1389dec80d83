// Driven hinge and driven slider: a joint, and one row that follows a function of time.
//
//   driven hinge    the rows of a hinge, then C = x_a·m(t) = sin(θ - φ(t))
//   driven slider   the rows of a slider; the last of the linear ones is C = z_b·ρ - s(t)
//
// Angle row, with s = x_a, m = y_b·cos φ - x_b·sin φ and m⊥ = dm/dφ: a dot row whose e = m turns in b.
//   Ċ = (s × m)·(ω_a - ω_b) + C_t,   C_t = φ̇·s·m⊥                                                      (1)
//   γ = γ of the dot row + 2φ̇·(s × m⊥)·(ω_a - ω_b) + φ̈·s·m⊥ - φ̇²·C                                     (2)
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/rows.h"
#include "model/joints/shaped_joint.h"

#include <cmath>

namespace catena {
namespace {

/// m and m⊥ of (1).
struct TurningAxis {
  Vec3 m, m_perp;
  TurningAxis(const Marker& b, double phi)
      : m(std::cos(phi) * b.R.col(1) - std::sin(phi) * b.R.col(0)),
        m_perp(-std::sin(phi) * b.R.col(1) - std::cos(phi) * b.R.col(0)) {}
};

class DrivenHinge final : public ShapedJoint {
 public:
  DrivenHinge(const AttachmentPair& at, TimeFunction angle)
      : ShapedJoint(kHingeShape, at), angle_(std::move(angle)) {}
  std::string_view kind() const override { return "driven_hinge"; }
  JointType type() const override { return JointType::other; }
  int num_rows(bool planar) const override { return shape().num_rows(planar) + 1; }
  bool depends_on_time() const override { return true; }
  LowerPair lower_pair(bool planar) const override {
    LowerPair pair = shape().lower_pair(planar);
    if (!planar) ++pair.angular;
    return pair;
  }
  void evaluate(const Motion& motion, Rows& rows) const override {
    ShapedJoint::evaluate(motion, rows);
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Jet phi = angle_(motion.time);
    const TurningAxis to(b, phi.value);
    const int row = rows.num_rows() - 1;
    const Vec3 s = a.R.col(0);
    add_dot_row(rows, row, 1.0, a, s, b, to.m);
    rows.C_t(row) = phi.rate * s.dot(to.m_perp);  // (1)
    rows.gamma(row) += 2.0 * phi.rate * s.cross(to.m_perp).dot(a.w - b.w) +
                       phi.acceleration * s.dot(to.m_perp) - phi.rate * phi.rate * rows.C(row);  // (2)
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    ShapedJoint::add_geometric_stiffness(motion, lambda, K);
    const TurningAxis to(motion.at[1], angle_(motion.time).value);
    add_dot_stiffness(lambda.back(), motion.at[0].R.col(0), to.m, K);
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems = ShapedJoint::validate(planar);
    check_function("angle", angle_, problems);
    return problems;
  }

 private:
  TimeFunction angle_;
};

class DrivenSlider final : public ShapedJoint {
 public:
  DrivenSlider(const AttachmentPair& at, TimeFunction travel)
      : ShapedJoint(kDrivenSliderShape, at), travel_(std::move(travel)) {}
  bool depends_on_time() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    ShapedJoint::evaluate(motion, rows);
    const Jet travel = travel_(motion.time);
    const int row = (motion.planar ? shape().num_planar_linear_rows() : shape().num_linear_rows()) - 1;
    rows.C(row) -= travel.value;
    rows.C_t(row) = -travel.rate;
    rows.gamma(row) -= travel.acceleration;
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems = ShapedJoint::validate(planar);
    check_function("travel", travel_, problems);
    return problems;
  }

 private:
  TimeFunction travel_;
};

}  // namespace

ConstraintPtr driven_hinge(const AttachmentPair& at, TimeFunction angle) {
  return std::make_shared<DrivenHinge>(at, std::move(angle));
}
ConstraintPtr driven_slider(const AttachmentPair& at, TimeFunction travel) {
  return std::make_shared<DrivenSlider>(at, std::move(travel));
}

}  // namespace catena
