// The built-in constraints. Each returns an object for Model::add.
//
// Axes: a hinge turns about, a slider slides along, the z axis of its markers. Marker a is first, b second; joint
// coordinates are those of a relative to b. In the plane z = 0 the same functions give the planar joint.
//
//   model.add("elbow", hinge(model.join(forearm, upper_arm, {0.3, 0, 0}, Vec3::UnitY())));
//
//   function                 rows in space / plane     what is left free
//   ball                     3 / 2                     rotation about the point
//   hinge                    5 / 2                     rotation about z
//   universal                4 / -                     rotation about z of b and x of a
//   constant_velocity        4 / -                     bending in any direction, no twist
//   cylindrical              4 / -                     rotation about and translation along z of b
//   planar                   3 / -                     translation across and rotation about z of b
//   slider                   5 / 2                     translation along z of b (in the plane: z of b lies in it)
//   weld                     6 / 3                     nothing
//   distance                 1 / 1                     all but the distance of the two points
//   nail                     3 / 2                     rotation about the point, which is fixed in the world
//   point_on_curve           2 / 1                     motion along the curve, rotation
//   gear                     1 / 1                     all but ω_a·z_a = ratio·(ω_b·z_b); nonholonomic
//   driven_*                 one more, or the same     follows a given function of time
//   driven                   those of the joint        the joint, with the frame of b moved by given functions
//
// Below: couplings (screws, racks, gears on carriers, ropes), then surfaces with tangency and rolling.
//
// A program: examples/cpp/joints.cpp and couplings.cpp
#pragma once

#include "catena/constraint.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace CATENA_API catena {

// ---------------------------------------------------------------------------------------------------- curves
// Curves for beads, slots and cams: a point as a function of one parameter, with three derivatives.
//
// The third derivative is needed because the rows of a point-on-curve constraint turn with the curve's normals, and the
// second time derivative of a normal contains it; without it J̇v would only be right exactly on the curve.

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

// ---------------------------------------------------------------------------------------------------- joints

ConstraintPtr ball(const AttachmentPair& at);
ConstraintPtr hinge(const AttachmentPair& at);
ConstraintPtr universal(const AttachmentPair& at);
ConstraintPtr constant_velocity(const AttachmentPair& at);
ConstraintPtr slider(const AttachmentPair& at);
ConstraintPtr cylindrical(const AttachmentPair& at);
ConstraintPtr planar(const AttachmentPair& at);
ConstraintPtr weld(const AttachmentPair& at);

/// The points stay `length` apart. @pre length > 0; the points must not coincide.
ConstraintPtr distance(const AttachmentPair& at, double length);

/// A point of a body stays at `target` in the world.
ConstraintPtr nail(const Attachment& a, const Vec3& target);

/// A point of a body stays on a curve given in the coordinates of b (often the world).
ConstraintPtr point_on_curve(const Attachment& a, const Attachment& b, std::shared_ptr<const Curve> curve);

/// Speed ratio about the z axes of the two markers: z_a·ω_a = ratio · z_b·ω_b. External gears have ratio < 0.
ConstraintPtr gear(const AttachmentPair& at, double ratio);

/// A hinge whose angle (of a relative to b, right-handed about z of b) follows angle(t), rad.
ConstraintPtr driven_hinge(const AttachmentPair& at, TimeFunction angle);
/// A slider whose travel (of a relative to b along the sliding axis) follows travel(t), m.
ConstraintPtr driven_slider(const AttachmentPair& at, TimeFunction travel);
ConstraintPtr driven_distance(const AttachmentPair& at, TimeFunction length);
ConstraintPtr driven_nail(const Attachment& a, PointFunction target);

/// How the frame of marker b moves in the axes of b: shifted by `travel` (m), turned by `angles` (rad) about x, then y, then z.
struct MovingFrame {
  PointFunction travel, angles;
};
/// Drives the coordinates that a joint holds, by moving the frame it holds them to. What the joint leaves free stays free:
///   driven(weld(at), {.angles = {.z = f}})          a hinge that follows f
///   driven(hinge(at), {.travel = {.z = f}})         a cylindrical joint whose travel follows f, turning freely
///   driven(weld(at), {.angles = {.x = f, .y = g}})  a universal joint with both angles given
ConstraintPtr driven(ConstraintPtr joint, MovingFrame frame);

/// Angle of a relative to b about z of b, in (-π, π]; what a hinge, a torsion spring and a probe mean by "angle".
double hinge_angle(const Marker& a, const Marker& b);

// ------------------------------------------------------------------------------------------------- couplings
// Constraints that couple motions rather than hold bodies together: screws, racks, gears on carriers, ropes, centres of mass.
//
//   model.add("hoist", winch_rope({on_drum, over_pulley, on_hook}, ramp(12.0, -0.5)));     // half a metre per second
//
//   function                 rows in space / plane     what it says
//   screw                    5 / -                     turns about z of b and advances by the pitch per turn
//   rack_and_pinion          1 / 1                     travel of the rack = radius · angle of the pinion
//   gear_on_carrier          1 / 1                     ω_a - ω_c = ratio·(ω_b - ω_c) about their axes; nonholonomic
//   differential             1 / 1                     ω_a + ω_b = 2·ω_c; nonholonomic
//   rope, winch_rope         1 / 1                     length along the points, given or driven
//   rope_on_drum             1 / 1                     a rope wound on a drum that may turn
//   centre_of_mass           3 / 2                     common centre of mass of many bodies at a place
//   remote_drive             1 / 1                     angle of a against b by a torque between a and a third body
//   sliding_point            1 / 1                     a point stays on a plane, and its force carries friction

/// Right-handed screw along z of b: a advances by `pitch` (m) for each turn against b; negative for left-handed ones.
ConstraintPtr screw(const AttachmentPair& at, double pitch);

/// Rack and pinion on a carrier (often the world): travel of the rack's point along x of the carrier's marker, from that marker,
/// is radius times the angle of the pinion against the carrier about its z. A negative radius turns the other way.
ConstraintPtr rack_and_pinion(const Attachment& rack, const Attachment& pinion, const Attachment& carrier,
                              double radius);

/// Speed ratio about the z axes of a and b, both measured against the carrier: planetary gears.
ConstraintPtr gear_on_carrier(const Attachment& a, const Attachment& b, const Attachment& carrier,
                              double ratio);
/// The two output shafts turn as fast as the carrier on average.
ConstraintPtr differential(const Attachment& a, const Attachment& b, const Attachment& carrier);

/// A taut rope of the given length that runs freely through the points, in their order; a body may carry several of them.
ConstraintPtr rope(std::vector<Attachment> through, double length);
/// The same with a length that follows length(t): a winch.
ConstraintPtr winch_rope(std::vector<Attachment> through, TimeFunction length);

/// Seen against z of the drum's marker: the wound rope goes round to the left (counter-clockwise) or to the right on its way to a.
enum class Winding : std::uint8_t { left, right };
/// A rope from a point of a to a drum about z of its marker, on which it winds and unwinds without slip; it keeps the length it has
/// at the start. It runs in the plane normal to the drum's axis. @pre the point is outside the drum; a step that takes it
/// inside is refused.
ConstraintPtr rope_on_drum(const Attachment& a, const Attachment& drum, double radius, Winding winding);

/// The common centre of mass of the marked points, with the given masses, stays at `target` in the world.
ConstraintPtr centre_of_mass(std::vector<Attachment> centres, std::vector<double> masses, const Vec3& target);
ConstraintPtr driven_centre_of_mass(std::vector<Attachment> centres, std::vector<double> masses,
                                    PointFunction target);

/// The angle of a against b about z of b, counted over whole turns, follows angle(t) (rad), held by a torque on a whose reaction is
/// taken by the body of `reaction`, not by b: an arm driven through a chain by a motor on the frame. The hinge is a joint of its own.
/// The markers of both sides as for a hinge; of `reaction` only the body matters.
ConstraintPtr remote_drive(const AttachmentPair& at, const Attachment& reaction, TimeFunction angle);

/// The point of a stays on the plane through the point of b, and its force carries the friction of sliding along `direction`:
/// λ(n - μ t) on a, n the normal and t the direction, both in the axes of marker b (t is made perpendicular to n).
/// The user says which way it slides and that b pushes a along n: friction opposes motion along +t where λ > 0. Where the motion
/// turns round or b pulls (λ < 0), the same force drives, and the ledger shows the gain. @pre friction ≥ 0
ConstraintPtr sliding_point(const AttachmentPair& at, const Vec3& normal, const Vec3& direction,
                            double friction);

/// ω_rotor = ratio · z_b·(ω_a - ω_b): the rotor turns `ratio` times as fast as a against b. A velocity row without C.
ConstraintPtr rotor_gear(BodyId rotor, const AttachmentPair& at, double ratio);
/// ω_rotor = ratio · (rate of travel of a along z of b), ratio in rad/m: a spindle or a rack.
ConstraintPtr linear_rotor_gear(BodyId rotor, const AttachmentPair& at, double ratio);

// -------------------------------------------------------------------------------------------------- surfaces
// Surfaces, and what touches them: points, convex bodies that slide, bodies that roll, blades.
//
//   auto table = world_marker;                                                  // z is its normal
//   model.add("rolls", rolling(ball_marker, sphere_shape(0.1), table));
//
//   function                 rows in space / plane     what it says
//   point_on_surface         1 / 1                     a point of a stays on a surface fixed in b
//   tangency                 1 / 1                     a convex body touches a plane or another convex body; it may slide
//   rolling                  3 / 2                     the same without slip: two rows of it are nonholonomic
//   tangency_on_surface      1 / 1                     a convex body touches a surface that need not be convex (inside a pipe)
//   rolling_on_surface       3 / 2                     the same without slip
//   knife_edge               1 / 1                     a blade along x of a does not move sideways; nonholonomic

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
SurfacePtr ellipsoid_surface(const Vec3& centre, const Vec3& semi_axes, bool inside = false);
/// A user's f with derivatives. Scale it like a length near the surface, so that its errors compare with those of joints.
SurfacePtr user_surface(std::function<SurfaceValue(const Vec3&)> f);

/// The boundary of a strictly convex body, by its support: the point farthest along n, and how it moves when n turns.
class ConvexShape {
 public:
  virtual ~ConvexShape() = default;
  virtual std::string_view kind() const = 0;
  /// @param n unit vector in the axes of the marker; `point` = ∇h(n), `derivative` = ∇∇h(n), h(n) = max of n·x
  virtual void support(const Vec3& n, Vec3& point, Mat3& derivative) const = 0;
  virtual bool is_hollow() const { return false; }  // a cavity: the material is around it
  virtual bool is_round() const { return false; }   // a sphere: it does not matter how it is turned
  virtual std::vector<std::string> validate() const { return {}; }
};
using ConvexShapePtr = std::shared_ptr<const ConvexShape>;

ConvexShapePtr sphere_shape(double radius);
/// The marker's own point, for contacts.
ConvexShapePtr point_shape();
ConvexShapePtr ellipsoid_shape(const Vec3& semi_axes);
/// Disc about z of the marker; `edge_radius` > 0 rounds its rim (a tyre). A disc that lies flat has no contact point: the step is refused.
ConvexShapePtr disc_shape(double radius, double edge_radius = 0.0);
/// The inside of a shape, for b: a bowl in which a slides or rolls. a must be rounder than the bowl wherever it touches.
ConvexShapePtr cavity(ConvexShapePtr shape);

ConstraintPtr point_on_surface(const Attachment& a, const Attachment& b, SurfacePtr surface);

/// Shapes are centred at their markers. Without a second shape b is the plane through its marker, normal to z, with a on the side of +z.
ConstraintPtr tangency(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                       ConvexShapePtr shape_b = nullptr);
ConstraintPtr rolling(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                      ConvexShapePtr shape_b = nullptr);
/// A convex body on the positive side of a surface fixed in b, rounder than the surface where that is hollow. @pre surface->is_distance()
ConstraintPtr tangency_on_surface(const Attachment& a, ConvexShapePtr shape, const Attachment& b,
                                  SurfacePtr surface);
ConstraintPtr rolling_on_surface(const Attachment& a, ConvexShapePtr shape, const Attachment& b,
                                 SurfacePtr surface);

/// The point of a does not move along y of its marker, seen from b: skates, sleighs, thin wheels without contact geometry.
ConstraintPtr knife_edge(const Attachment& a, const Attachment& b);

}  // namespace catena
