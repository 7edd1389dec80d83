// Distance and driven distance between two points.   ρ = x_a - x_b,  n = ρ/|ρ|
//
//   C = |ρ| - l(t),   G_a = (n | 0),  G_b = (-n | 0),   C_t = -l̇                                       (1)
//   γ = (ρ̇·ρ̇ - (n·ρ̇)²)/|ρ| - l̈                                                                        (2)
//
// |ρ| - l rather than (ρ·ρ - l²)/2: the error is then a length, like that of every other linear row.
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"

#include <fmt/format.h>

namespace catena {
namespace {

// Below this the direction of the line is round-off; any fixed direction parts the points again.
constexpr double kCoincident = 1e-14;  // m

void write_distance_row(const Motion& motion, const Jet& length, Rows& rows) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  const Vec3 rho = a.x - b.x;
  const Vec3 rho_dot = a.v - b.v;
  const double norm = rho.norm();
  const bool parted = norm > kCoincident;
  const Vec3 n = parted ? Vec3(rho / norm) : Vec3(Vec3::UnitX());
  const double along = n.dot(rho_dot);
  rows.C(0) = norm - length.value;  // (1)
  rows.C_t(0) = -length.rate;
  rows.set_G(0, 0, n, Vec3::Zero());
  rows.set_G(0, 1, -n, Vec3::Zero());
  const double centripetal = parted ? (rho_dot.squaredNorm() - along * along) / norm : 0.0;
  rows.gamma(0) = centripetal - length.acceleration;  // (2)
}

class Distance final : public PairConstraint {
 public:
  Distance(const AttachmentPair& at, double length) : PairConstraint(at), length_(length) {}
  std::string_view kind() const override { return "distance"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    write_distance_row(motion, {length_, 0.0, 0.0}, rows);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_distance_stiffness(motion.at[0], motion.at[1], lambda[0], K);
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    if (length_ == 0.0) {
      problems.push_back("length must be positive, got 0 m; use a ball joint to hold two points together");
    } else {
      check_positive("length", length_, kLargestLength, "m", problems);
    }
    return problems;
  }

 private:
  double length_;
};

class DrivenDistance final : public PairConstraint {
 public:
  DrivenDistance(const AttachmentPair& at, TimeFunction length)
      : PairConstraint(at), length_(std::move(length)) {}
  std::string_view kind() const override { return "driven_distance"; }
  int num_rows(bool) const override { return 1; }
  bool depends_on_time() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    write_distance_row(motion, length_(motion.time), rows);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_distance_stiffness(motion.at[0], motion.at[1], lambda[0], K);
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    check_length(length_, problems);
    return problems;
  }

 private:
  TimeFunction length_;
};

}  // namespace

ConstraintPtr distance(const AttachmentPair& at, double length) {
  return std::make_shared<Distance>(at, length);
}
ConstraintPtr driven_distance(const AttachmentPair& at, TimeFunction length) {
  return std::make_shared<DrivenDistance>(at, std::move(length));
}

}  // namespace catena
