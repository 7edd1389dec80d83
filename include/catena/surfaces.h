// Surfaces, and what touches them: points, convex bodies that slide, bodies that roll, blades.
//
//   auto table = world_marker;                                                  // z is its normal
//   model.add("rolls", rolling(ball_marker, sphere_shape(0.1), table));
//
//   function                 rows in space / plane     what it says
//   point_on_surface         1 / 1                     a point of a stays on a surface fixed in b
//   tangency                 1 / 1                     a convex body touches a plane or another convex body; it may slide
//   rolling                  3 / 2                     the same without slip: two rows of it are nonholonomic
//   rolling_on_surface       3 / 2                     a sphere rolls on a surface that need not be convex (inside a pipe)
//   knife_edge               1 / 1                     a blade along x of a does not move sideways; nonholonomic
#pragma once

#include "catena/constraint.h"

#include <functional>

namespace CATENA_API catena {

/// f(p) = 0 with gradient and matrix of second derivatives, in the coordinates of the marker it is attached to.
struct SurfaceValue {
  double f = 0.0;
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

class Surface {
 public:
  virtual ~Surface() = default;
  virtual std::string_view kind() const = 0;
  virtual SurfaceValue at(const Vec3& p) const = 0;
  virtual bool is_distance() const { return false; }  // f is the signed distance: |gradient| = 1
  /// How it looks, in its own coordinates; nothing when that is not known.
  virtual std::vector<Figure> figures() const { return {}; }
  virtual std::vector<std::string> validate() const { return {}; }
};
using SurfacePtr = std::shared_ptr<const Surface>;

SurfacePtr plane_surface(const Vec3& point, const Vec3& normal);
/// Positive outside; `inside` makes the inner side positive (a bowl, a pipe).
SurfacePtr sphere_surface(const Vec3& centre, double radius, bool inside = false);
SurfacePtr cylinder_surface(const Vec3& point, const Vec3& axis, double radius, bool inside = false);
/// Semi-axes along x, y, z of the marker.   f = h(√(Σ(x_i/a_i)²) - 1), h the smallest semi-axis
SurfacePtr ellipsoid_surface(const Vec3& centre, const Vec3& semi_axes);
/// A user's f with derivatives. Scale it like a length near the surface, so that its errors compare with those of joints.
SurfacePtr user_surface(std::function<SurfaceValue(const Vec3&)> f);

/// The boundary of a strictly convex body, by its support: the point farthest along n, and how it moves when n turns.
class ConvexShape {
 public:
  virtual ~ConvexShape() = default;
  virtual std::string_view kind() const = 0;
  /// @param n unit vector in the axes of the marker; `point` = ∇h(n), `derivative` = ∇∇h(n), h(n) = max of n·x
  virtual void support(const Vec3& n, Vec3& point, Mat3& derivative) const = 0;
  virtual std::vector<std::string> validate() const { return {}; }
};
using ConvexShapePtr = std::shared_ptr<const ConvexShape>;

ConvexShapePtr sphere_shape(double radius);
ConvexShapePtr ellipsoid_shape(const Vec3& semi_axes);
/// Disc about z of the marker; `edge_radius` > 0 rounds its rim (a tyre). A disc that lies flat has no contact point: the step is refused.
ConvexShapePtr disc_shape(double radius, double edge_radius = 0.0);

ConstraintPtr point_on_surface(const Attachment& a, const Attachment& b, SurfacePtr surface);

/// Shapes are centred at their markers. Without a second shape b is the plane through its marker, normal to z, with a on the side of +z.
ConstraintPtr tangency(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                       ConvexShapePtr shape_b = nullptr);
ConstraintPtr rolling(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                      ConvexShapePtr shape_b = nullptr);
/// A sphere of the given radius, centred at marker a, on the positive side of a surface fixed in b. @pre surface->is_distance()
ConstraintPtr rolling_on_surface(const Attachment& a, double radius, const Attachment& b, SurfacePtr surface);

/// The point of a does not move along y of its marker, seen from b: skates, sleighs, thin wheels without contact geometry.
ConstraintPtr knife_edge(const Attachment& a, const Attachment& b);

}  // namespace catena
