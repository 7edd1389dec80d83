// The built-in curves. Bad parameters (zero direction, negative radius) give NaN, which the validation of
// point_on_curve reports with the name of the constraint.
#include "catena/curve.h"

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

std::shared_ptr<const Curve> line(const Vec3& point, const Vec3& direction) {
  return std::make_shared<Line>(point, direction);
}
std::shared_ptr<const Curve> circle(const Vec3& centre, const Vec3& normal, double radius) {
  return std::make_shared<Circle>(centre, normal, radius);
}
std::shared_ptr<const Curve> cycloid(const Vec3& bottom, const Vec3& along, const Vec3& up, double a) {
  return std::make_shared<Cycloid>(bottom, along, up, a);
}
std::shared_ptr<const Curve> user_curve(std::function<CurvePoint(double)> at, double range_begin,
                                        double range_end) {
  return std::make_shared<UserCurve>(std::move(at), range_begin, range_end);
}

}  // namespace catena
