// The built-in surfaces f(p) = 0 and convex shapes. Bad parameters are reported by validate().
//
//   cylinder    y = p - c - z(z·(p - c)),  f = ±(|y| - r),   ∇f = ±y/|y|,   ∇∇f = ±(1 - zzᵀ - ∇f ∇fᵀ)/|y|
//   ellipsoid   E = diag(1/a²),  s = √(pᵀE p),   f = h(s - 1),   ∇f = h E p/s,   ∇∇f = h(E - E p pᵀE/s²)/s
//   supports    sphere r n;   ellipsoid A²n/|A n|, A = diag(a);   disc R (n_x, n_y, 0)/|(n_x, n_y)| + ρ n
#include "catena/joints.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace catena {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class PlaneSurface final : public Surface {
 public:
  PlaneSurface(const Vec3& point, const Vec3& normal)
      : point_(point), normal_(frame_from_axis(normal).col(2)) {}
  std::string_view kind() const override { return "plane"; }
  SurfaceValue at(const Vec3& p) const override { return {normal_.dot(p - point_), normal_, Mat3::Zero()}; }
  std::vector<Figure> figures() const override {
    return {{.kind = Figure::Kind::plane, .centre = point_, .axis = normal_}};
  }
  bool is_distance() const override { return true; }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_finite("point", point_, kLargestLength, problems);
    if (!normal_.allFinite())
      problems.push_back("the plane's normal is zero or not finite; give a direction");
    return problems;
  }

 private:
  Vec3 point_, normal_;
};

/// Distance from a point (rank 3) or from a line (rank 2), less a radius.
class RoundSurface final : public Surface {
 public:
  RoundSurface(std::string_view kind, const Vec3& centre, const Mat3& across, double radius, bool inside)
      : kind_(kind), centre_(centre), across_(across), radius_(radius), sign_(inside ? -1.0 : 1.0) {}
  std::string_view kind() const override { return kind_; }
  SurfaceValue at(const Vec3& p) const override {
    const Vec3 y = across_ * (p - centre_);
    const double distance = y.norm();
    const Vec3 n = y / distance;  // in the centre there is no normal: the NaN makes the step refuse
    return {sign_ * (distance - radius_), sign_ * n, (sign_ / distance) * (across_ - n * n.transpose())};
  }
  bool is_distance() const override { return true; }
  std::vector<Figure> figures() const override {
    Figure figure{.kind = Figure::Kind::sphere, .centre = centre_, .size = {radius_, 0, 0}};
    if (across_.isIdentity()) return {figure};
    figure.kind = Figure::Kind::cylinder;
    int column = 0;  // the axis is what `across` takes away
    (Mat3::Identity() - across_).diagonal().maxCoeff(&column);
    figure.axis = (Mat3::Identity() - across_).col(column).normalized();
    return {figure};
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_finite("centre", centre_, kLargestLength, problems);
    check_positive("radius", radius_, kLargestLength, "m", problems);
    if (!across_.allFinite()) problems.push_back("the axis is zero or not finite; give a direction");
    return problems;
  }

 private:
  std::string_view kind_;
  Vec3 centre_;
  Mat3 across_;  // projects on what counts as distance
  double radius_, sign_;
};

class EllipsoidSurface final : public Surface {
 public:
  EllipsoidSurface(const Vec3& centre, const Vec3& semi_axes, bool inside)
      : centre_(centre), semi_axes_(semi_axes), sign_(inside ? -1.0 : 1.0) {}
  std::string_view kind() const override { return "ellipsoid"; }
  SurfaceValue at(const Vec3& p) const override {
    const Vec3 E = semi_axes_.cwiseAbs2().cwiseInverse(), y = p - centre_, Ey = E.cwiseProduct(y);
    const double s = std::sqrt(y.dot(Ey)), h = sign_ * semi_axes_.minCoeff();
    SurfaceValue value{h * (s - 1.0), (h / s) * Ey, Mat3::Zero()};
    value.hessian = (-h / (s * s * s)) * Ey * Ey.transpose();
    value.hessian.diagonal() += (h / s) * E;
    return value;
  }
  std::vector<Figure> figures() const override {
    return {{.kind = Figure::Kind::ellipsoid, .centre = centre_, .size = semi_axes_}};
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_finite("centre", centre_, kLargestLength, problems);
    for (int i = 0; i < 3; ++i)
      check_positive(fmt::format("semi-axis {}", "xyz"[i]), semi_axes_[i], kLargestLength, "m", problems);
    return problems;
  }

 private:
  Vec3 centre_, semi_axes_;
  double sign_;
};

class UserSurface final : public Surface {
 public:
  explicit UserSurface(std::function<SurfaceValue(const Vec3&)> f) : f_(std::move(f)) {}
  std::string_view kind() const override { return "user surface"; }
  SurfaceValue at(const Vec3& p) const override { return f_(p); }
  std::vector<std::string> validate() const override {
    if (!f_) return {"the surface has no function; pass one"};
    return {};
  }

 private:
  std::function<SurfaceValue(const Vec3&)> f_;
};

class SphereShape final : public ConvexShape {
 public:
  explicit SphereShape(double radius) : radius_(radius) {}
  std::string_view kind() const override { return "sphere"; }
  bool is_round() const override { return true; }
  void support(const Vec3& n, Vec3& point, Mat3& derivative) const override {
    point = radius_ * n;
    derivative = radius_ * (Mat3::Identity() - n * n.transpose());
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_positive("radius", radius_, kLargestLength, "m", problems);
    return problems;
  }

 private:
  double radius_;
};

class PointShape final : public ConvexShape {
 public:
  std::string_view kind() const override { return "point"; }
  bool is_round() const override { return true; }
  void support(const Vec3&, Vec3& point, Mat3& derivative) const override {
    point.setZero();
    derivative.setZero();
  }
};

class EllipsoidShape final : public ConvexShape {
 public:
  explicit EllipsoidShape(const Vec3& semi_axes) : semi_axes_(semi_axes) {}
  std::string_view kind() const override { return "ellipsoid"; }
  void support(const Vec3& n, Vec3& point, Mat3& derivative) const override {
    const double h = semi_axes_.cwiseProduct(n).norm();
    point = semi_axes_.cwiseAbs2().cwiseProduct(n) / h;
    derivative = -point * point.transpose() / h;
    derivative.diagonal() += semi_axes_.cwiseAbs2() / h;
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    for (int i = 0; i < 3; ++i)
      check_positive(fmt::format("semi-axis {}", "xyz"[i]), semi_axes_[i], kLargestLength, "m", problems);
    return problems;
  }

 private:
  Vec3 semi_axes_;
};

class DiscShape final : public ConvexShape {
 public:
  DiscShape(double radius, double edge_radius) : radius_(radius), edge_radius_(edge_radius) {}
  std::string_view kind() const override { return "disc"; }
  void support(const Vec3& n, Vec3& point, Mat3& derivative) const override {
    const double m = std::hypot(n.x(), n.y());
    const double inverse = m > 1e-9 ? 1.0 / m : kNaN;  // flat on the ground
    const Vec3 e(n.x() * inverse, n.y() * inverse, 0.0);
    point = radius_ * e + edge_radius_ * n;
    derivative =
        -radius_ * inverse * e * e.transpose() + edge_radius_ * (Mat3::Identity() - n * n.transpose());
    derivative(0, 0) += radius_ * inverse;
    derivative(1, 1) += radius_ * inverse;
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_positive("radius", radius_, kLargestLength, "m", problems);
    check_not_negative("edge radius", edge_radius_, kLargestLength, "m", problems);
    return problems;
  }

 private:
  double radius_, edge_radius_;
};

/// h(n) = -h(-n) of what it is the inside of: points of the same boundary, with the normal turned round.
class Cavity final : public ConvexShape {
 public:
  explicit Cavity(ConvexShapePtr shape) : shape_(std::move(shape)) {}
  std::string_view kind() const override { return "cavity"; }
  void support(const Vec3& n, Vec3& point, Mat3& derivative) const override {
    shape_->support(-n, point, derivative);
    derivative = -derivative;
  }
  bool is_hollow() const override { return true; }
  std::vector<std::string> validate() const override {
    if (!shape_) return {"the cavity has no shape; pass one such as sphere_shape(1.0)"};
    Problems problems = shape_->validate();
    if (shape_->is_hollow()) problems.push_back("a cavity of a cavity is the shape itself; pass that");
    return problems;
  }

 private:
  ConvexShapePtr shape_;
};

}  // namespace

SurfacePtr plane_surface(const Vec3& point, const Vec3& normal) {
  return std::make_shared<PlaneSurface>(point, normal);
}
SurfacePtr sphere_surface(const Vec3& centre, double radius, bool inside) {
  return std::make_shared<RoundSurface>("sphere", centre, Mat3::Identity(), radius, inside);
}
SurfacePtr cylinder_surface(const Vec3& point, const Vec3& axis, double radius, bool inside) {
  const Vec3 z = frame_from_axis(axis).col(2);
  return std::make_shared<RoundSurface>("cylinder", point, Mat3::Identity() - z * z.transpose(), radius,
                                        inside);
}
SurfacePtr ellipsoid_surface(const Vec3& centre, const Vec3& semi_axes, bool inside) {
  return std::make_shared<EllipsoidSurface>(centre, semi_axes, inside);
}
SurfacePtr user_surface(std::function<SurfaceValue(const Vec3&)> f) {
  return std::make_shared<UserSurface>(std::move(f));
}

ConvexShapePtr sphere_shape(double radius) {
  return std::make_shared<SphereShape>(radius);
}

ConvexShapePtr point_shape() {
  return std::make_shared<PointShape>();
}
ConvexShapePtr ellipsoid_shape(const Vec3& semi_axes) {
  return std::make_shared<EllipsoidShape>(semi_axes);
}
ConvexShapePtr disc_shape(double radius, double edge_radius) {
  return std::make_shared<DiscShape>(radius, edge_radius);
}
ConvexShapePtr cavity(ConvexShapePtr shape) {
  return std::make_shared<Cavity>(std::move(shape));
}

}  // namespace catena
