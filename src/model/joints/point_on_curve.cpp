// Point on a curve that may move with body b: two rows in space, one in the plane.   ρ = x_a - x_b
//
// In the axes of marker b: y = R_bᵀρ, u the parameter of the nearest point, e = y - c(u), primes d/du.
//   c'·e = 0,   C_i = n_i·e,   D = |c'|² - c''·e,   u̇ = c'·ẏ/D                                         (1)
//   Ċ_i = g_i·ẏ,   g_i = n_i + (n_i'·e)/D·c'                                                           (2)
//   C̈_i = g_i·ÿ + n_i''·e·u̇² + n_i'·e·ü₀ + u̇·n_i'·(2ẏ - c'·u̇)                                          (3)
//   ü₀ = (c'''·e·u̇² + 2c''·(ẏ - c'·u̇)·u̇ - c'·c''·u̇²)/D                                                 (4)
//   ẏ = R_bᵀ(ρ̇ - ω_b × ρ),   ÿ = R_bᵀ(ρ̈ - ω̇_b × ρ - 2ω_b × R_b·ẏ - ω_b × (ω_b × ρ))                    (5)
//
// Space: n₁ ∝ k × c' with k the coordinate axis least aligned with c', n₂ = t × n₁.  Plane: n = z × t.
#include "catena/joints.h"
#include "model/checks.h"
#include "model/joints/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

/// A vector along the curve with its first two derivatives with respect to u.
struct Vector2Jet {
  Vec3 value, d1, d2;
};

// n = m/|m|, by differentiating m = |m|·n twice.
Vector2Jet normalise(const Vec3& m, const Vec3& m1, const Vec3& m2) {
  const double length = m.norm();
  if (!(length > 1e-12))
    return {Vec3::UnitX(), Vec3::Zero(), Vec3::Zero()};  // a cusp: no direction, but no NaN
  const Vec3 n = m / length;
  const double length1 = n.dot(m1);
  const Vec3 n1 = (m1 - length1 * n) / length;
  const double length2 = n1.dot(m1) + n.dot(m2);
  return {n, n1, (m2 - 2.0 * length1 * n1 - length2 * n) / length};
}

Vector2Jet cross(const Vector2Jet& a, const Vector2Jet& b) {
  return {a.value.cross(b.value), a.d1.cross(b.value) + a.value.cross(b.d1),
          a.d2.cross(b.value) + 2.0 * a.d1.cross(b.d1) + a.value.cross(b.d2)};
}

// D of (1). It vanishes at the centre of curvature, where no nearest point exists; the floor keeps the rows
// finite.
double curvature_denominator(const CurvePoint& p, const Vec3& e) {
  const double speed2 = p.d1.squaredNorm();
  return std::max(speed2 - p.d2.dot(e), std::max(1e-6 * speed2, 1e-24));
}

// Newton's method for c'·e = 0 from u; from the step before it takes one to three iterations.
double nearest_parameter(const Curve& curve, const Vec3& y, double u) {
  for (int iteration = 0; iteration < 50; ++iteration) {
    const CurvePoint p = curve.at(u);
    const Vec3 e = y - p.c;
    const double speed2 = p.d1.squaredNorm();
    const double D = speed2 - p.d2.dot(e);
    // where D is small or negative Newton heads for the farthest point: step as if the curve were straight
    const bool newton = D > 0.1 * speed2;
    const double step = p.d1.dot(e) / (newton ? D : speed2);
    if (!std::isfinite(step)) break;
    u += step;
    // Newton converges quadratically: a step of 1e-9 leaves an error of 1e-18
    if (std::abs(step) <= (newton ? 1e-9 : 1e-15) * (1.0 + std::abs(u))) break;
  }
  return u;
}

class PointOnCurve final : public Constraint {
 public:
  PointOnCurve(const Attachment& a, const Attachment& b, std::shared_ptr<const Curve> curve)
      : Constraint({a, b}), curve_(std::move(curve)) {}
  std::string_view kind() const override { return "point_on_curve"; }
  int num_rows(bool planar) const override { return planar ? 1 : 2; }
  int memory_size() const override { return 1; }
  void start_memory(const Motion& motion, std::span<double> memory) const override;
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    memory[0] = nearest_parameter(*curve_, local_point(motion), memory[0]);
  }
  void evaluate(const Motion& motion, Rows& rows) const override;
  std::vector<Figure> figures() const override { return {figure_of(*curve_, 1)}; }
  std::vector<std::string> validate(bool planar) const override;

 private:
  static Vec3 local_point(const Motion& motion) {
    return motion.at[1].R.transpose() * (motion.at[0].x - motion.at[1].x);
  }

  std::shared_ptr<const Curve> curve_;
};

// Samples the whole range, so that the start does not depend on a guess; then Newton.
void PointOnCurve::start_memory(const Motion& motion, std::span<double> memory) const {
  constexpr int kSamples = 400;
  const Vec3 y = local_point(motion);
  const auto [begin, end] = curve_->range();
  double best_u = begin, best_distance2 = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kSamples; ++i) {
    const double u = begin + (end - begin) * i / kSamples;
    const double distance2 = (curve_->at(u).c - y).squaredNorm();
    if (distance2 < best_distance2) {
      best_distance2 = distance2;
      best_u = u;
    }
  }
  memory[0] = nearest_parameter(*curve_, y, best_u);
}

void PointOnCurve::evaluate(const Motion& motion, Rows& rows) const {
  const Marker &a = motion.at[0], &b = motion.at[1];
  const Vec3 y = local_point(motion);
  const CurvePoint p =
      curve_->at(nearest_parameter(*curve_, y, motion.memory.empty() ? 0.0 : motion.memory[0]));

  // the point's motion relative to the curve, in the axes of b
  const Vec3 rho = a.x - b.x;
  const Vec3 rho_dot = a.v - b.v - b.w.cross(rho);
  const Vec3 e = y - p.c;
  const Vec3 y_dot = b.R.transpose() * rho_dot;  // (5)
  const Vec3 inertial = 2.0 * b.w.cross(rho_dot) + b.w.cross(b.w.cross(rho));

  // how the nearest point moves along the curve
  const double D = curvature_denominator(p, e);
  const double u_dot = p.d1.dot(y_dot) / D;  // (1)
  const double u_ddot =
      (p.d3.dot(e) * u_dot + 2.0 * p.d2.dot(y_dot - p.d1 * u_dot) - p.d1.dot(p.d2) * u_dot) * u_dot /
      D;  // (4)

  // normals of the curve, with derivatives
  const Vector2Jet t = normalise(p.d1, p.d2, p.d3);
  Vector2Jet normal[2];
  if (motion.planar) {
    const Vec3 z = b.R.row(2).transpose();  // world z in the axes of b; constant, because b is planar
    normal[0] = cross({z, Vec3::Zero(), Vec3::Zero()}, t);
  } else {
    Eigen::Index k = 0;
    p.d1.cwiseAbs().minCoeff(&k);
    const Vec3 axis = Vec3::Unit(k);
    normal[0] = normalise(axis.cross(p.d1), axis.cross(p.d2), axis.cross(p.d3));
    normal[1] = cross(t, normal[0]);
  }

  for (int i = 0; i < (motion.planar ? 1 : 2); ++i) {
    const Vector2Jet& n = normal[i];
    const double slope = n.d1.dot(e);
    const Vec3 g = b.R * (n.value + (slope / D) * p.d1);  // (2) in world axes
    rows.C(i) = n.value.dot(e);
    rows.set_G(i, 0, g, Vec3::Zero());
    rows.set_G(i, 1, -g, g.cross(rho));
    rows.gamma(i) = n.d2.dot(e) * u_dot * u_dot + slope * u_ddot +
                    u_dot * n.d1.dot(2.0 * y_dot - p.d1 * u_dot) - g.dot(inertial);  // (3), (5)
  }
}

std::vector<std::string> PointOnCurve::validate(bool planar) const {
  if (!curve_) return {"there is no curve; pass one, for example line(...)"};
  const auto [begin, end] = curve_->range();
  if (!std::isfinite(begin) || !std::isfinite(end) || !(begin < end)) {
    return {
        fmt::format("the curve's range {:g} to {:g} is empty or not finite; give begin < end", begin, end)};
  }
  bool moves = false;
  for (int i = 0; i <= 16; ++i) {
    const double u = begin + (end - begin) * i / 16;
    const CurvePoint p = curve_->at(u);
    if (!p.c.allFinite() || !p.d1.allFinite() || !p.d2.allFinite() || !p.d3.allFinite()) {
      return {
          fmt::format("the {} is not finite at u = {:g}; give directions other than 0 and a radius above 0",
                      curve_->kind() == "user" ? "curve" : curve_->kind(), u)};
    }
    moves = moves || p.d1.squaredNorm() > 0.0;
    const Attachment& b = attachments()[1];
    const Vec3 in_body = b.point + b.axes * p.c;
    if (planar && std::abs(in_body.z()) > 1e-9 * (1.0 + in_body.norm())) {
      return {fmt::format(
          "the curve leaves the plane z = 0 of the bodies at u = {:g}; choose one within the plane", u)};
    }
  }
  if (!moves) return {"the curve is a single point; use a nail or a ball joint"};
  return {};
}

}  // namespace

ConstraintPtr point_on_curve(const Attachment& a, const Attachment& b, std::shared_ptr<const Curve> curve) {
  return std::make_shared<PointOnCurve>(a, b, std::move(curve));
}

}  // namespace catena
