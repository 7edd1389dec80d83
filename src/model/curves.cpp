// The built-in curves. Bad parameters (zero direction, negative radius) give NaN, which the validation of
// point_on_curve reports with the name of the constraint.
#include "catena/body.h"
#include "catena/joints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace catena {
namespace {

double positive_or_nan(double x) {
  return x > 0.0 ? x : std::numeric_limits<double>::quiet_NaN();
}

/// c(u) = point + u·direction: u is the arc length, and nearest points need no search.
class Line final : public Curve {
 public:
  Line(const Vec3& point, const Vec3& direction)
      : point_(point), direction_(frame_from_axis(direction).col(2)) {}
  std::string_view kind() const override { return "line"; }
  CurvePoint at(double u) const override {
    return {point_ + u * direction_, direction_, Vec3::Zero(), Vec3::Zero()};
  }
  std::pair<double, double> range() const override { return {-1.0, 1.0}; }

 private:
  Vec3 point_, direction_;
};

/// c(u) = centre + r(x·cos u + y·sin u)
class Circle final : public Curve {
 public:
  Circle(const Vec3& centre, const Vec3& normal, double radius)
      : centre_(centre), radius_(positive_or_nan(radius)), frame_(frame_from_axis(normal)) {}
  std::string_view kind() const override { return "circle"; }
  CurvePoint at(double u) const override {
    const Vec3 c = radius_ * (std::cos(u) * frame_.col(0) + std::sin(u) * frame_.col(1));
    const Vec3 d = radius_ * (std::cos(u) * frame_.col(1) - std::sin(u) * frame_.col(0));
    return {centre_ + c, d, -c, -d};
  }
  std::pair<double, double> range() const override { return {0.0, 2.0 * std::numbers::pi}; }

 private:
  Vec3 centre_;
  double radius_;
  Mat3 frame_;
};

/// c(u) = bottom + a(u + sin u)·along + a(1 - cos u)·up; cusps at u = ±π
class Cycloid final : public Curve {
 public:
  Cycloid(const Vec3& bottom, const Vec3& along, const Vec3& up, double a)
      : bottom_(bottom), a_(positive_or_nan(a)) {
    along_ = frame_from_axis(along).col(2);
    up_ = frame_from_axis(up - up.dot(along_) * along_).col(2);  // made perpendicular
  }
  std::string_view kind() const override { return "cycloid"; }
  CurvePoint at(double u) const override {
    const double c = std::cos(u), s = std::sin(u);
    return {bottom_ + a_ * (u + s) * along_ + a_ * (1.0 - c) * up_, a_ * (1.0 + c) * along_ + a_ * s * up_,
            -a_ * s * along_ + a_ * c * up_, -a_ * c * along_ - a_ * s * up_};
  }
  std::pair<double, double> range() const override { return {-std::numbers::pi, std::numbers::pi}; }

 private:
  Vec3 bottom_, along_, up_;
  double a_;
};

/// c(u) = centre + a·cos u + b·sin u
class Ellipse final : public Curve {
 public:
  Ellipse(const Vec3& centre, const Vec3& a, const Vec3& b) : centre_(centre), a_(a), b_(b) {
    // what is no ellipse becomes NaN, as with the radius of a circle
    if (!(a.norm() > 0.0 && b.norm() > 0.0 && std::abs(a.dot(b)) <= 1e-9 * a.norm() * b.norm()))
      a_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  std::string_view kind() const override { return "ellipse"; }
  CurvePoint at(double u) const override {
    const Vec3 c = std::cos(u) * a_ + std::sin(u) * b_, d = std::cos(u) * b_ - std::sin(u) * a_;
    return {centre_ + c, d, -c, -d};
  }
  std::pair<double, double> range() const override { return {0.0, 2.0 * std::numbers::pi}; }

 private:
  Vec3 centre_, a_, b_;
};

/// m of a spline, see there. Symmetric elimination in the order of the points, O(points): next to the diagonal d and the entry e to the
/// next point there is an entry `last` to the last one, which closes the ring.
std::vector<Vec3> second_derivatives(const std::vector<Vec3>& points, bool closed) {
  const std::size_t n = points.size(), end = n - 1;
  const auto has_equation = [&](std::size_t k) {
    return closed || (k > 0 && k < end);
  };  // of the others m = 0
  std::vector<Vec3> m(n, Vec3::Zero());
  std::vector<double> d(n, 1.0), e(n, 0.0), last(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    if (!has_equation(k)) continue;
    m[k] = 6.0 * (points[(k + end) % n] - 2.0 * points[k] + points[(k + 1) % n]);
    d[k] = 4.0;
    if (k + 1 < end && has_equation(k + 1)) e[k] = 1.0;
  }
  if (closed) last[0] = last[end - 1] = 1.0;
  for (std::size_t k = 0; k < end; ++k) {
    if (k + 1 < end) {
      d[k + 1] -= e[k] * e[k] / d[k];
      last[k + 1] -= e[k] * last[k] / d[k];
      m[k + 1] -= (e[k] / d[k]) * m[k];
    }
    d[end] -= last[k] * last[k] / d[k];
    m[end] -= (last[k] / d[k]) * m[k];
  }
  m[end] /= d[end];
  for (std::size_t k = end; k-- > 0;) m[k] = (m[k] - e[k] * m[k + 1] - last[k] * m[end]) / d[k];
  return m;
}

/// Pieces c(k + s) = c_k(1 - s) + c_{k+1} s + ((1 - s)³ - (1 - s)) m_k/6 + (s³ - s) m_{k+1}/6, m the second derivatives at the points:
///   m_{k-1} + 4m_k + m_{k+1} = 6(c_{k-1} - 2c_k + c_{k+1}),   open: m = 0 at both ends
class Spline final : public Curve {
 public:
  Spline(const std::vector<Vec3>& points, bool closed) : points_(points), closed_(closed) {
    const auto n = Eigen::Index(points.size());
    if (n < (closed ? 3 : 2)) points_.assign(3, Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
    second_ = second_derivatives(points_, closed_);
  }
  std::string_view kind() const override { return "spline"; }
  CurvePoint at(double u) const override {
    const double length = range().second;
    if (!closed_ && (u < 0.0 || u > length)) {  // straight on
      CurvePoint end = piece(u < 0.0 ? 0.0 : length);
      end.c += (u < 0.0 ? u : u - length) * end.d1;
      end.d2.setZero();
      end.d3.setZero();
      return end;
    }
    return piece(closed_ ? u - length * std::floor(u / length) : u);
  }
  std::pair<double, double> range() const override {
    return {0.0, double(points_.size()) - (closed_ ? 0.0 : 1.0)};
  }

 private:
  CurvePoint piece(double u) const {
    const std::size_t last = points_.size() - (closed_ ? 1 : 2);
    const std::size_t k = std::isfinite(u) ? std::min(std::size_t(u), last) : 0,
                      after = (k + 1) % points_.size();
    const double s = u - double(k), r = 1.0 - s;
    const Vec3 &m = second_[k], &m_after = second_[after], &c = points_[k], &c_after = points_[after];
    return {r * c + s * c_after + (r * r * r - r) / 6.0 * m + (s * s * s - s) / 6.0 * m_after,
            c_after - c - (3.0 * r * r - 1.0) / 6.0 * m + (3.0 * s * s - 1.0) / 6.0 * m_after,
            r * m + s * m_after, m_after - m};
  }

  std::vector<Vec3> points_, second_;
  bool closed_;
};

class UserCurve final : public Curve {
 public:
  UserCurve(std::function<CurvePoint(double)> at, double begin, double end)
      : at_(std::move(at)), begin_(begin), end_(end) {}
  std::string_view kind() const override { return "user"; }
  CurvePoint at(double u) const override {
    if (at_) return at_(u);
    const Vec3 nan = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    return {nan, nan, nan, nan};
  }
  std::pair<double, double> range() const override { return {begin_, end_}; }

 private:
  std::function<CurvePoint(double)> at_;
  double begin_, end_;
};

}  // namespace

Figure figure_of(const Curve& curve, int marker) {
  const auto [begin, end] = curve.range();
  if (curve.kind() == "line") {
    const CurvePoint at = curve.at(0.5 * (begin + end));
    return {.kind = Figure::Kind::line, .marker = marker, .centre = at.c, .axis = at.d1.normalized()};
  }
  // a spline has as many pieces as its range is long
  const int pieces = curve.kind() == "spline" ? std::clamp(int(12.0 * (end - begin)), 12, 600) : 120;
  Figure figure{.kind = Figure::Kind::curve, .marker = marker};
  for (int k = 0; k <= pieces; ++k) figure.points.push_back(curve.at(begin + (end - begin) * k / pieces).c);
  double length = 0.0;
  for (int k = 0; k < pieces; ++k)
    length += (figure.points[std::size_t(k) + 1] - figure.points[std::size_t(k)]).norm();
  figure.closed = (figure.points.front() - figure.points.back()).norm() < 1e-6 * length;
  if (figure.closed) figure.points.pop_back();
  return figure;
}

std::shared_ptr<const Curve> line(const Vec3& point, const Vec3& direction) {
  return std::make_shared<Line>(point, direction);
}
std::shared_ptr<const Curve> circle(const Vec3& centre, const Vec3& normal, double radius) {
  return std::make_shared<Circle>(centre, normal, radius);
}
std::shared_ptr<const Curve> ellipse(const Vec3& centre, const Vec3& a, const Vec3& b) {
  return std::make_shared<Ellipse>(centre, a, b);
}
std::shared_ptr<const Curve> spline(const std::vector<Vec3>& points, bool closed) {
  return std::make_shared<Spline>(points, closed);
}
std::shared_ptr<const Curve> cycloid(const Vec3& bottom, const Vec3& along, const Vec3& up, double a) {
  return std::make_shared<Cycloid>(bottom, along, up, a);
}
std::shared_ptr<const Curve> user_curve(std::function<CurvePoint(double)> at, double range_begin,
                                        double range_end) {
  return std::make_shared<UserCurve>(std::move(at), range_begin, range_end);
}

}  // namespace catena
