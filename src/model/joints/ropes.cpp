// Ropes: through points, and wound on a drum.   ρ_k = x_k - x_{k+1}, n_k = ρ_k/|ρ_k|
//
//   rope   C = Σ|ρ_k| - l(t),   G: n_k at marker k, -n_k at k + 1,   γ = Σ(|ρ̇_k|² - (n_k·ρ̇_k)²)/|ρ_k| - l̈                (1)
//
//   drum   p = R_bᵀ(x_a - x_b) seen from the drum, d and φ its polar coordinates about z_b, t = √(d² - r²) the free length.
//          With σ = ±1 the sense of winding the rope measures  l(p) = t + r(σφ - atan(t/r)):  what is free and what is wound. (2)
//          C = l(p) - l(start).  ∇l = (t e_r + σr e_φ)/d is the unit vector along the rope, and since the curves l = const are
//          involutes with radius of curvature t:  ∇∇l = (e - ∇l ∇lᵀ)/t, e the unit matrix of the drum's plane.             (3)
//
// The drum's own turning is in p, so that one row says all: rope on a winch, on a pulley, on a yo-yo. φ counts turns (memory).
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"
#include "model/turns.h"

#include <fmt/format.h>

#include <limits>

namespace catena {
namespace {

// Below this a stretch of rope has no direction; it is then left out of the rows.
constexpr double kNoLength = 1e-14;  // m

class Rope final : public Constraint {
 public:
  Rope(std::vector<Attachment> through, TimeFunction length, bool is_driven)
      : Constraint(std::move(through)), length_(std::move(length)), is_driven_(is_driven) {}
  std::string_view kind() const override { return "rope"; }
  int num_rows(bool) const override { return 1; }
  bool depends_on_time() const override { return is_driven_; }
  bool may_repeat_bodies() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Jet length = length_(motion.time);
    rows.C(0) = -length.value;
    rows.C_t(0) = -length.rate;
    rows.gamma(0) = -length.acceleration;
    for (int k = 0; k + 1 < int(motion.at.size()); ++k) {
      const Marker &a = motion.at[k], &b = motion.at[k + 1];
      const Vec3 rho = a.x - b.x, rho_dot = a.v - b.v;
      const double stretch = rho.norm();
      if (!(stretch > kNoLength)) continue;
      const Vec3 n = rho / stretch;
      const double along = n.dot(rho_dot);
      rows.C(0) += stretch;  // (1)
      rows.gamma(0) += (rho_dot.squaredNorm() - along * along) / stretch;
      rows.G(k).row(0).head<3>() += n.transpose();
      rows.G(k + 1).row(0).head<3>() -= n.transpose();
    }
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    if (attachments().size() < 2) problems.push_back("a rope needs at least two points; add one");
    check_length(length_, problems);
    return problems;
  }

 private:
  TimeFunction length_;
  bool is_driven_;
};

class Drum final : public PairConstraint {
 public:
  Drum(const Attachment& a, const Attachment& drum, double radius, Winding winding)
      : PairConstraint({a, drum}), radius_(radius), sense_(winding == Winding::left ? 1.0 : -1.0) {}
  std::string_view kind() const override { return "drum"; }
  int num_rows(bool) const override { return 1; }
  int memory_size() const override { return kTurnMemory + 1; }  // of φ; l at the start
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    const Vec3 p = local_point(motion);
    start_turns(std::atan2(p.y(), p.x()), angular_rate(motion, p), motion.time, memory);
    memory[kTurnMemory] = measure(p, memory[0]);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    const Vec3 p = local_point(motion);
    advance_turns(std::atan2(p.y(), p.x()), angular_rate(motion, p), motion.time, memory);
  }
  std::string_view domain() const override { return "its point must stay outside the drum"; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 p = local_point(motion);
    const double d = std::hypot(p.x(), p.y()), t = free_length(d);
    const Vec3 e_r(p.x() / d, p.y() / d, 0.0), e_phi(-e_r.y(), e_r.x(), 0.0);
    const Vec3 along = (t * e_r + (sense_ * radius_) * e_phi) / d;  // (3)
    const double phi = count_turns(std::atan2(p.y(), p.x()), motion.time, motion.memory);
    const Vec3 rho = a.x - b.x, rho_dot = a.v - b.v;
    const Vec3 p_dot = b.R.transpose() * (rho_dot - b.w.cross(rho));
    const Vec3 n = b.R * along;
    const double across = p_dot.head<2>().squaredNorm() - along.dot(p_dot) * along.dot(p_dot);
    rows.C(0) = measure(p, phi) - motion.memory[kTurnMemory];
    rows.set_G(0, 0, n, Vec3::Zero());
    rows.set_G(0, 1, -n, n.cross(rho));
    rows.gamma(0) = n.dot(b.w.cross(b.w.cross(rho)) - 2.0 * b.w.cross(rho_dot)) + across / t;
  }
  bool needs_orientation() const override { return false; }
  std::vector<Figure> figures() const override {
    return {{.kind = Figure::Kind::drum, .marker = 1, .size = {radius_, sense_, 0}}};
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    check_positive("radius", radius_, kLargestLength, "m", problems);
    if (planar) check_axes_normal_to_plane(*this, problems);
    return problems;
  }

 private:
  static Vec3 local_point(const Motion& motion) {
    return motion.at[1].R.transpose() * (motion.at[0].x - motion.at[1].x);
  }
  static double angular_rate(const Motion& motion, const Vec3& p) {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 p_dot = b.R.transpose() * (a.v - b.v - b.w.cross(a.x - b.x));
    return (p.x() * p_dot.y() - p.y() * p_dot.x()) / (p.x() * p.x() + p.y() * p.y());
  }
  // A point inside the drum has no rope to hang on: the NaN makes the step refuse.
  double free_length(double d) const {
    return d > radius_ ? std::sqrt(d * d - radius_ * radius_) : std::numeric_limits<double>::quiet_NaN();
  }
  double measure(const Vec3& p, double phi) const {
    const double t = free_length(std::hypot(p.x(), p.y()));
    return t + radius_ * (sense_ * phi - std::atan2(t, radius_));  // (2)
  }

  double radius_, sense_;
};

}  // namespace

ConstraintPtr rope(std::vector<Attachment> through, double length) {
  return std::make_shared<Rope>(std::move(through), constant(length), false);
}
ConstraintPtr winch_rope(std::vector<Attachment> through, TimeFunction length) {
  return std::make_shared<Rope>(std::move(through), std::move(length), true);
}
ConstraintPtr rope_on_drum(const Attachment& a, const Attachment& drum, double radius, Winding winding) {
  return std::make_shared<Drum>(a, drum, radius, winding);
}

}  // namespace catena
