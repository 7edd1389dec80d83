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
// catena/couplings.h has screws, racks, gears on carriers, ropes; catena/surfaces.h has surfaces, tangency and rolling.
#pragma once

#include "catena/constraint.h"
#include "catena/curve.h"

namespace CATENA_API catena {

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

}  // namespace catena
