// Curves for beads, slots and cams: a point as a function of one parameter, with three derivatives.
//
// The third derivative is needed because the rows of a point-on-curve constraint turn with the curve's normals, and the
// second time derivative of a normal contains it; without it J̇v would only be right exactly on the curve.
#pragma once

#include "catena/math.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace CATENA_API catena {

/// c(u) and its derivatives with respect to u.
struct CurvePoint {
  Vec3 c, d1, d2, d3;
};

class Curve {
 public:
  virtual ~Curve() = default;
  virtual std::string_view kind() const = 0;
  virtual CurvePoint at(double u) const = 0;
  /// Where to start the search for the nearest point: a parameter range worth sampling.
  virtual std::pair<double, double> range() const = 0;
};

/// Straight line through `point` along `direction` (normalised).
std::shared_ptr<const Curve> line(const Vec3& point, const Vec3& direction);
/// Circle about `centre` in the plane normal to `normal`.
std::shared_ptr<const Curve> circle(const Vec3& centre, const Vec3& normal, double radius);
/// Ellipse about `centre` with the semi-axes `a` and `b` as vectors at right angles: c(u) = centre + a·cos u + b·sin u.
std::shared_ptr<const Curve> ellipse(const Vec3& centre, const Vec3& a, const Vec3& b);
/// Smooth curve through the points, in their order: the cubic spline with continuous curvature. Parameter k is point k; a closed one
/// returns to the first, an open one goes on straight beyond its ends. @pre at least 2 points, 3 when closed; neighbours differ
std::shared_ptr<const Curve> spline(const std::vector<Vec3>& points, bool closed = false);
/// Inverted cycloid in the plane spanned by `along` and `up`, lowest point at `bottom`, rolling circle of radius a:
/// c(u) = bottom + a(u + sin u)·along + a(1 - cos u)·up. A bead on it has the period 4π√(a/g) for every amplitude.
std::shared_ptr<const Curve> cycloid(const Vec3& bottom, const Vec3& along, const Vec3& up, double a);
/// A user's curve; `range` brackets the part to search for the nearest point at the start.
std::shared_ptr<const Curve> user_curve(std::function<CurvePoint(double)> at, double range_begin,
                                        double range_end);

}  // namespace catena
