// Joints that couple a travel to an angle: screw, rack and pinion.   θ of rows.h (4), counted over whole turns
//
//   screw   the rows of a cylindrical joint and C = z_b·ρ - (p/2π)·θ_ab,   ρ = x_a - x_b                           (1)
//   rack    C = x_c·(x_a - x_c) - r·θ_bc:  rack a, pinion b, both seen from the carrier c                           (2)
//
// The turns are memory (model/turns.h).
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_motion.h"
#include "model/joints/rows.h"
#include "model/joints/shaped_joint.h"
#include "model/turns.h"

#include <numbers>

namespace catena {
namespace {

/// Row `row` += factor·θ of marker i against marker k.
void add_angle(Rows& rows, int row, const Motion& motion, int i, int k, double factor) {
  const AngleRow angle = angle_row(motion.at[i], motion.at[k]);
  rows.C(row) += factor * count_turns(angle.angle, motion.time, motion.memory);
  rows.gamma(row) += factor * angle.gamma;
  auto G_i = rows.G(i), G_k = rows.G(k);
  G_i.row(row).tail<3>() += factor * angle.g.transpose();
  G_k.row(row).tail<3>() -= factor * angle.g.transpose();
}

double turning_rate(const Marker& a, const Marker& b) {
  return angle_row(a, b).g.dot(a.w - b.w);
}

/// θ of a against b as memory that counts its turns.
void start_angle(const Marker& a, const Marker& b, double time, std::span<double> memory) {
  start_turns(hinge_angle(a, b), turning_rate(a, b), time, memory);
}
void advance_angle(const Marker& a, const Marker& b, double time, std::span<double> memory) {
  advance_turns(hinge_angle(a, b), turning_rate(a, b), time, memory);
}

class Screw final : public FramePairConstraint, public HasJointMotion {
 public:
  Screw(const AttachmentPair& at, double pitch) : FramePairConstraint(at), pitch_(pitch) {}
  std::string_view kind() const override { return kScrewShape.kind; }
  int num_rows(bool) const override { return kScrewShape.num_rows(); }
  JointMotion joint_motion() const override { return JointMotion(kScrewShape, lead()); }
  int memory_size() const override { return kTurnMemory; }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    start_angle(motion.at[0], motion.at[1], motion.time, memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    advance_angle(motion.at[0], motion.at[1], motion.time, memory);
  }
  void evaluate(const Motion& motion, Rows& rows) const override {
    write_shape_rows(kScrewShape, motion, 2, rows);
    add_angle(rows, 2, motion, 0, 1, -lead());  // (1)
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_shape_stiffness(kScrewShape, motion, 2, lambda, K);
    add_angle_stiffness(hinge_angle_stiffness(motion.at[0], motion.at[1]), -lead() * lambda[2], K);
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_in_space(kScrewShape.title, planar, problems);
    check_finite("pitch", pitch_, kLargestLength, problems);
    if (pitch_ == 0.0) problems.push_back("the pitch is 0: the screw does not advance; use a hinge");
    return problems;
  }

 private:
  double lead() const { return pitch_ / (2.0 * std::numbers::pi); }  // m/rad
  double pitch_;
};

class Rack final : public Constraint {
 public:
  Rack(const Attachment& rack, const Attachment& pinion, const Attachment& carrier, double radius)
      : Constraint({rack, pinion, carrier}), radius_(radius) {}
  std::string_view kind() const override { return "rack"; }
  int num_rows(bool) const override { return 1; }
  bool needs_orientation() const override { return true; }
  int memory_size() const override { return kTurnMemory; }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    start_angle(motion.at[1], motion.at[2], motion.time, memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    advance_angle(motion.at[1], motion.at[2], motion.time, memory);
  }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &c = motion.at[2];
    const Vec3 n = c.R.col(0), n_dot = c.w.cross(n), rho = a.x - c.x;
    rows.C(0) = n.dot(rho);
    rows.gamma(0) = 2.0 * n_dot.dot(a.v - c.v) + c.w.cross(n_dot).dot(rho);
    rows.set_G(0, 0, n, Vec3::Zero());
    rows.set_G(0, 2, -n, n.cross(rho));
    add_angle(rows, 0, motion, 1, 2, -radius_);  // (2)
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_finite("radius", radius_, kLargestLength, problems);
    if (radius_ == 0.0) problems.push_back("the pinion's radius is 0; give the pitch radius");
    if (planar) check_axes_normal_to_plane(*this, problems);
    return problems;
  }

 private:
  double radius_;
};

}  // namespace

ConstraintPtr screw(const AttachmentPair& at, double pitch) {
  return std::make_shared<Screw>(at, pitch);
}
ConstraintPtr rack_and_pinion(const Attachment& rack, const Attachment& pinion, const Attachment& carrier,
                              double radius) {
  return std::make_shared<Rack>(rack, pinion, carrier, radius);
}

}  // namespace catena
