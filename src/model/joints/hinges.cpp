// Joints that hold a point and directions: hinge, driven hinge, universal, constant velocity, weld.
//
//   hinge          3 point rows, x_a·z_b, y_a·z_b               plane: 2 point rows
//   driven hinge   hinge and C = x_a·m(t) = sin(θ - φ(t))       plane: 2 point rows and this one
//   universal      3 point rows, x_a·z_b                        plane: does not exist
//   constant vel.  3 point rows, ½(x_a·y_b - y_a·x_b)           plane: does not exist
//   weld           3 point rows, y_a·z_b, z_a·x_b, x_a·y_b      plane: 2 point rows and one dot row
//
// Driven row, with s = x_a, m = y_b·cos φ - x_b·sin φ and m⊥ = dm/dφ: a dot row whose e = m turns in b.
//   Ċ = (s × m)·(ω_a - ω_b) + C_t,   C_t = φ̇·s·m⊥                                                      (1)
//   γ = γ of the dot row + 2φ̇·(s × m⊥)·(ω_a - ω_b) + φ̈·s·m⊥ - φ̇²·C                                     (2)
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"

#include <cmath>

namespace catena {
namespace {

class Hinge final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "hinge"; }
  JointType type() const override { return JointType::hinge; }
  int num_rows(bool planar) const override { return planar ? 2 : 5; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{3, 2, false}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_point_rows(rows, 0, motion.planar ? 2 : 3, a, b);
    if (!motion.planar) write_axis_rows(rows, 3, a, b);
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    if (planar) check_axes_normal_to_plane(*this, problems);
    return problems;
  }
};

void write_driven_angle_row(Rows& rows, int row, const Marker& a, const Marker& b, const Jet& phi) {
  const double cosine = std::cos(phi.value), sine = std::sin(phi.value);
  const Vec3 s = a.R.col(0);
  const Vec3 m = cosine * b.R.col(1) - sine * b.R.col(0);
  const Vec3 m_perp = -sine * b.R.col(1) - cosine * b.R.col(0);
  write_dot_row(rows, row, a, s, b, m);
  rows.C_t(row) = phi.rate * s.dot(m_perp);  // (1)
  rows.gamma(row) += 2.0 * phi.rate * s.cross(m_perp).dot(a.w - b.w) + phi.acceleration * s.dot(m_perp) -
                     phi.rate * phi.rate * rows.C(row);  // (2)
}

class DrivenHinge final : public FramePairConstraint {
 public:
  DrivenHinge(const AttachmentPair& at, TimeFunction angle)
      : FramePairConstraint(at), angle_(std::move(angle)) {}
  std::string_view kind() const override { return "driven_hinge"; }
  int num_rows(bool planar) const override { return planar ? 3 : 6; }
  bool depends_on_time() const override { return true; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{3, 3, false}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_point_rows(rows, 0, motion.planar ? 2 : 3, a, b);
    if (!motion.planar) write_axis_rows(rows, 3, a, b);
    write_driven_angle_row(rows, motion.planar ? 2 : 5, a, b, angle_(motion.time));
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_function("angle", angle_, problems);
    if (planar) check_axes_normal_to_plane(*this, problems);
    return problems;
  }

 private:
  TimeFunction angle_;
};

class Universal final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "universal"; }
  JointType type() const override { return JointType::universal; }
  int num_rows(bool) const override { return 4; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{3, 1, false}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_point_rows(rows, 0, 3, a, b);
    write_dot_row(rows, 3, a, a.R.col(0), b, b.R.col(2));
  }
  std::vector<std::string> validate(bool planar) const override {
    if (planar) return {"a universal joint does not exist in the plane z = 0; use a hinge or spatial bodies"};
    return {};
  }
};

// The relative rotation keeps its axis in the plane of x_b and y_b: whatever turns b about z_b turns a about z_a by the same
// angle, at any bend of the joint.
class ConstantVelocity final : public FramePairConstraint {
 public:
  using FramePairConstraint::FramePairConstraint;
  std::string_view kind() const override { return "constant_velocity"; }
  int num_rows(bool) const override { return 4; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{3, 1, false}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_point_rows(rows, 0, 3, a, b);
    const Vec3 xa = a.R.col(0), ya = a.R.col(1), xb = b.R.col(0), yb = b.R.col(1);
    const Vec3 g = 0.5 * (xa.cross(yb) - ya.cross(xb));
    rows.C(3) = 0.5 * (xa.dot(yb) - ya.dot(xb));
    rows.set_G(3, 0, Vec3::Zero(), g);
    rows.set_G(3, 1, Vec3::Zero(), -g);
    rows.gamma(3) = 0.5 * (dot_gamma(a.w, xa, b.w, yb) - dot_gamma(a.w, ya, b.w, xb));
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_in_space("a constant-velocity joint", planar, problems);
    return problems;
  }
};

class Weld final : public FramePairConstraint {
 public:
  explicit Weld(const AttachmentPair& at) : FramePairConstraint(at) {
    // planar: measure the angle on the marker axis that lies in the plane best (fixed here, so that it never
    // switches)
    at.a.axes.topRows<2>().colwise().squaredNorm().maxCoeff(&in_plane_axis_);
  }
  std::string_view kind() const override { return "weld"; }
  JointType type() const override { return JointType::weld; }
  int num_rows(bool planar) const override { return planar ? 3 : 6; }
  LowerPair lower_pair(bool planar) const override { return planar ? LowerPair{} : LowerPair{3, 3, false}; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    write_point_rows(rows, 0, motion.planar ? 2 : 3, a, b);
    if (motion.planar) {
      write_dot_row(rows, 2, a, a.R.col(in_plane_axis_), b, perpendicular_in_plane(b.R.col(in_plane_axis_)));
    } else {
      write_alignment_rows(rows, 3, a, b);
    }
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    const Mat3 &axes_a = attachments()[0].axes, &axes_b = attachments()[1].axes;
    if (planar && axes_a.allFinite() && axes_b.allFinite() &&
        (axes_a.row(2) - axes_b.row(2)).cwiseAbs().maxCoeff() > 1e-9) {
      problems.push_back(
          "the two markers are tilted against each other, which no motion in the plane z = 0 can "
          "undo; give both the axis (0, 0, 1)");
    }
    return problems;
  }

 private:
  Eigen::Index in_plane_axis_ = 0;
};

}  // namespace

ConstraintPtr hinge(const AttachmentPair& at) {
  return std::make_shared<Hinge>(at);
}
ConstraintPtr driven_hinge(const AttachmentPair& at, TimeFunction angle) {
  return std::make_shared<DrivenHinge>(at, std::move(angle));
}
ConstraintPtr universal(const AttachmentPair& at) {
  return std::make_shared<Universal>(at);
}
ConstraintPtr constant_velocity(const AttachmentPair& at) {
  return std::make_shared<ConstantVelocity>(at);
}
ConstraintPtr weld(const AttachmentPair& at) {
  return std::make_shared<Weld>(at);
}

double hinge_angle(const Marker& a, const Marker& b) {
  // both axes, not x only: the angle is then smooth even while the z axes are not quite parallel
  const double sine = a.R.col(0).dot(b.R.col(1)) - a.R.col(1).dot(b.R.col(0));
  const double cosine = a.R.col(0).dot(b.R.col(0)) + a.R.col(1).dot(b.R.col(1));
  return std::atan2(sine + 0.0, cosine);  // + 0.0 turns -0 into 0, so that half a turn is π and never -π
}

}  // namespace catena
