// Ready Lagrangian bodies.
//
//   bead         x = c(u) + p                           J = c',            bias = c''·u̇²                           (1)
//   pantograph   x = o + p_x·d(α) + p_y·d(β)            J = (p_x·d'(α), p_y·d'(β)),  bias = -(p_x·d(α)·α̇² + p_y·d(β)·β̇²)  (2)
//                d(α) = e·cos α + n·sin α
#include "catena/bodies.h"
#include "catena/joints.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <cmath>

namespace catena {
namespace {

class BeadRule final : public PointRule {
 public:
  explicit BeadRule(std::shared_ptr<const Curve> curve) : curve_(std::move(curve)) {}
  std::string_view kind() const override { return "bead"; }
  int num_u() const override { return 1; }
  void point(const double* u, const double* u_dot, const Vec3& p, PointMap& out) const override {
    const CurvePoint at = curve_->at(u[0]);
    out.x = at.c + p;
    out.J.resize(3, 1);
    out.J.col(0) = at.d1;
    out.bias = at.d2 * (u_dot[0] * u_dot[0]);  // (1)
  }
  std::vector<Figure> figures() const override { return {figure_of(*curve_)}; }
  std::vector<std::string> validate() const override {
    if (!curve_) return {"there is no curve; pass one, for example circle(...)"};
    const auto [begin, end] = curve_->range();
    for (int i = 0; i <= 16; ++i) {
      const CurvePoint at = curve_->at(begin + (end - begin) * i / 16);
      if (!at.c.allFinite() || !at.d1.allFinite() || !at.d2.allFinite())
        return {fmt::format("the {} is not finite; give directions other than 0 and a radius above 0",
                            curve_->kind())};
    }
    return {};
  }

 private:
  std::shared_ptr<const Curve> curve_;
};

// Along α from the pivot to the elbow (long, 0), along β from there to the pen (long, long); the inner bars go from (short, 0)
// to the tracer (short, short) and on to the second long bar.
std::vector<std::pair<Vec3, Vec3>> bars(const Pantograph& shape) {
  const double L = shape.long_bar, s = shape.short_bar;
  return {{{0, 0, 0}, {L, 0, 0}}, {{L, 0, 0}, {L, L, 0}}, {{s, 0, 0}, {s, s, 0}}, {{s, s, 0}, {L, s, 0}}};
}

class PantographRule final : public PointRule {
 public:
  explicit PantographRule(const Pantograph& shape) : shape_(shape) {}
  std::string_view kind() const override { return "pantograph"; }
  int num_u() const override { return 2; }
  void point(const double* u, const double* u_dot, const Vec3& p, PointMap& out) const override {
    out.x = shape_.pivot;
    out.bias.setZero();
    out.J.resize(3, 2);
    for (int i = 0; i < 2; ++i) {
      const double cosine = std::cos(u[i]), sine = std::sin(u[i]);
      const Vec3 d = cosine * shape_.e + sine * shape_.n;
      out.x += p[i] * d;
      out.J.col(i) = p[i] * (cosine * shape_.n - sine * shape_.e);
      out.bias -= (p[i] * u_dot[i] * u_dot[i]) * d;  // (2)
    }
  }
  bool is_planar() const override {
    return shape_.pivot.z() == 0.0 && shape_.e.z() == 0.0 && shape_.n.z() == 0.0;
  }
  // the two coefficients of x - pivot in the bar directions
  Vec3 material_point(const double* u, const Vec3& x) const override {
    Eigen::Matrix<double, 2, 1> y(shape_.e.dot(x - shape_.pivot), shape_.n.dot(x - shape_.pivot));
    const double det = std::sin(u[1] - u[0]);
    return {(y[0] * std::sin(u[1]) - y[1] * std::cos(u[1])) / det,
            (y[1] * std::cos(u[0]) - y[0] * std::sin(u[0])) / det, 0.0};
  }
  std::vector<std::pair<Vec3, Vec3>> picture_lines() const override { return bars(shape_); }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_positive("long bar", shape_.long_bar, kLargestLength, "m", problems);
    check_positive("short bar", shape_.short_bar, kLargestLength, "m", problems);
    check_positive("mass per length", shape_.mass_per_length, kLargestMass, "kg/m", problems);
    check_finite("pivot", shape_.pivot, kLargestLength, problems);
    if (problems.empty() && !(shape_.short_bar < shape_.long_bar))
      problems.push_back(
          fmt::format("the short bars ({:g} m) are not shorter than the long ones ({:g} m); exchange them",
                      shape_.short_bar, shape_.long_bar));
    if (!(std::abs(shape_.e.norm() - 1.0) < 1e-9 && std::abs(shape_.n.norm() - 1.0) < 1e-9 &&
          std::abs(shape_.e.dot(shape_.n)) < 1e-9))
      problems.push_back("e and n must be unit vectors at right angles; normalise them");
    return problems;
  }

 private:
  Pantograph shape_;
};

// A uniform bar between two material points: its moments up to the second are those of two masses at the Gauss points.
void add_bar(const Vec3& from, const Vec3& to, double mass_per_length, std::vector<MassPoint>& masses) {
  const Vec3 middle = 0.5 * (from + to), half = (0.5 / std::sqrt(3.0)) * (to - from);
  const double mass = 0.5 * mass_per_length * (to - from).norm();
  masses.push_back({middle - half, mass});
  masses.push_back({middle + half, mass});
}

}  // namespace

std::shared_ptr<const Body> bead_on_curve(double mass, std::shared_ptr<const Curve> curve) {
  return std::make_shared<Lagrangian>(std::make_shared<BeadRule>(std::move(curve)),
                                      std::vector<MassPoint>{{Vec3::Zero(), mass}});
}

std::shared_ptr<const Body> pantograph(const Pantograph& shape) {
  std::vector<MassPoint> masses;
  for (const auto& [from, to] : bars(shape)) add_bar(from, to, shape.mass_per_length, masses);
  return std::make_shared<Lagrangian>(std::make_shared<PantographRule>(shape), std::move(masses));
}

}  // namespace catena
