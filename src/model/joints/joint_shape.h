// One description per joint: which rows hold, and what motion they leave.
//
// Everything the engine knows of a joint between two frames comes from here: its rows at markers (shaped_joint.h), the fast
// rows and the geometric stiffness between rigid bodies (compile-time constants of joint_shape(type)), its explicit form (LowerPair),
// its planar version, and its coordinates (joint_motion.h).
//
// Legend: markers a and b, ρ = x_a - x_b, s an axis of a, e and n axes of b; axes are numbered x = 0, y = 1, z = 2.
// Rows in this order, each written by rows.h:
//
//   point   ρ along the world axes, three or none        acts at each marker's own point                                     (1)
//   plane   n·ρ                                          acts at marker a of both bodies                                     (2)
//   dot     s·e                                                                                                              (3)
//   twist   ½(x_a·y_b - y_a·x_b)                         the mean of two dot rows                                            (4)
//
// Free motion: the frame of b is carried into that of a by elementary motions, one after the other, each about or along an axis
// of the frame the ones before it left:   (ρ, R) = E_1(q_1)·E_2(q_2)·…                                                       (5)
#pragma once

#include "catena/constraint.h"

namespace catena {

/// A list whose length is known when the program is compiled.
template <class T, int N>
struct ShortList {
  int count = 0;
  T items[N > 0 ? N : 1] = {};
  constexpr const T& operator[](int i) const { return items[i]; }
};

/// Axis a of marker a times axis b of marker b.
struct DotAxes {
  int a = 0, b = 0;
};

/// Elementary motions (5).
enum class Move : std::uint8_t {
  slide_x,  // translation along an axis                                          1 coordinate                       m
  slide_y,
  slide_z,
  turn_x,  // rotation about an axis                                              1 coordinate                       rad
  turn_z,
  helix,  // rotation about z, and along it by the lead per radian                1 coordinate                       rad
  bend,  // rotation about an axis normal to z: no twist                         2 coordinates, rotation vector     rad
  ball,  // any rotation                                                         unit quaternion (w, x, y, z), 3 velocities
};

/// What a joint becomes between planar bodies.
enum class InPlane : std::uint8_t {
  absent,  // there is no such joint in the plane
  point,   // point rows along x and y
  pivot,   // the same, and the z axes must be normal to the plane
  clamp,   // the same and one angle
  rail,    // n·ρ with n = z_world × z_b instead of the plane rows along x_b and y_b, and one angle
};

struct JointShape {
  std::string_view kind;
  std::string_view title;  // with an article, for messages
  JointType type = JointType::other;
  int point_rows = 0;            // (1)
  ShortList<int, 3> planes{};    // (2), axes of b
  ShortList<DotAxes, 3> dots{};  // (3)
  int twist_rows = 0;            // (4), one or none
  InPlane in_plane = InPlane::absent;
  ShortList<Move, 4> moves{};  // (5)

  constexpr int num_linear_rows() const { return point_rows + planes.count; }
  constexpr int num_angular_rows() const { return dots.count + twist_rows; }
  constexpr int num_rows() const { return num_linear_rows() + num_angular_rows(); }

  /// In the plane: x_b and y_b have become the one normal of the rail, and an angle is one dot row.
  constexpr int num_planar_linear_rows() const {
    return in_plane == InPlane::rail ? planes.count - 1 : point_rows - 1;
  }
  constexpr int num_planar_rows() const {
    return num_planar_linear_rows() + (in_plane == InPlane::clamp || in_plane == InPlane::rail ? 1 : 0);
  }
  constexpr int num_rows(bool planar) const {
    return planar && in_plane != InPlane::absent ? num_planar_rows() : num_rows();
  }

  /// Slides before rotations (5): the directions of a slide are then axes of b itself.
  constexpr bool slides_come_first() const {
    bool turned = false;
    for (int i = 0; i < moves.count; ++i) {
      const bool slides = moves[i] < Move::turn_x;
      if (slides && turned) return false;
      turned = turned || !slides;
    }
    return true;
  }

  /// Rows that turn with their markers; else (1) alone, whose G is constant.
  constexpr bool holds_axes() const { return num_rows() > point_rows; }
  constexpr LowerPair lower_pair(bool planar) const {
    if (planar) return {};
    return {num_linear_rows(), num_angular_rows(), planes.count > 0};
  }
};

// Rows that several joints share.
inline constexpr ShortList<DotAxes, 3> kParallelZ{2, {{0, 2}, {1, 2}}};  // x_a·z_b, y_a·z_b
inline constexpr ShortList<DotAxes, 3> kAlignedAxes{
    3, {{1, 2}, {2, 0}, {0, 1}}};  // y_a·z_b, z_a·x_b, x_a·y_b: one angle each
inline constexpr ShortList<int, 3> kAcrossZ{2, {0, 1}}, kAlongZ{1, {2}}, kAllAxes{3, {0, 1, 2}};

// clang-format off
inline constexpr JointShape kBallShape{.kind = "ball", .title = "a ball joint", .type = JointType::ball,
    .point_rows = 3, .in_plane = InPlane::point, .moves = {1, {Move::ball}}};
inline constexpr JointShape kUniversalShape{.kind = "universal", .title = "a universal joint", .type = JointType::universal,
    .point_rows = 3, .dots = {1, {{0, 2}}}, .moves = {2, {Move::turn_z, Move::turn_x}}};
inline constexpr JointShape kHingeShape{.kind = "hinge", .title = "a hinge", .type = JointType::hinge,
    .point_rows = 3, .dots = kParallelZ, .in_plane = InPlane::pivot, .moves = {1, {Move::turn_z}}};
inline constexpr JointShape kWeldShape{.kind = "weld", .title = "a weld", .type = JointType::weld,
    .point_rows = 3, .dots = kAlignedAxes, .in_plane = InPlane::clamp};
inline constexpr JointShape kConstantVelocityShape{.kind = "constant_velocity", .title = "a constant-velocity joint",
    .point_rows = 3, .twist_rows = 1, .moves = {1, {Move::bend}}};
inline constexpr JointShape kSliderShape{.kind = "slider", .title = "a slider",
    .planes = kAcrossZ, .dots = kAlignedAxes, .in_plane = InPlane::rail, .moves = {1, {Move::slide_z}}};
inline constexpr JointShape kCylindricalShape{.kind = "cylindrical", .title = "a cylindrical joint",
    .planes = kAcrossZ, .dots = kParallelZ, .moves = {2, {Move::slide_z, Move::turn_z}}};
inline constexpr JointShape kPlanarShape{.kind = "planar", .title = "a planar joint",
    .planes = kAlongZ, .dots = kParallelZ, .moves = {3, {Move::slide_x, Move::slide_y, Move::turn_z}}};
/// A slider whose last linear row follows a function of time.
inline constexpr JointShape kDrivenSliderShape{.kind = "driven_slider", .title = "a driven slider",
    .planes = kAllAxes, .dots = kAlignedAxes, .in_plane = InPlane::rail};
/// A screw's last linear row also has the angle (screw.cpp): it is no LowerPair.
inline constexpr JointShape kScrewShape{.kind = "screw", .title = "a screw",
    .planes = kAllAxes, .dots = kParallelZ, .moves = {1, {Move::helix}}};
/// No joint at all.
inline constexpr JointShape kFreeShape{.kind = "free", .title = "a free body",
    .moves = {4, {Move::slide_x, Move::slide_y, Move::slide_z, Move::ball}}};
// clang-format on

static_assert(kCylindricalShape.slides_come_first() && kPlanarShape.slides_come_first() &&
              kFreeShape.slides_come_first());

/// The joints known by name. @pre type is not JointType::other
constexpr const JointShape& joint_shape(JointType type) {
  constexpr const JointShape* shapes[] = {&kBallShape, &kUniversalShape, &kHingeShape, &kWeldShape};
  return *shapes[int(type)];
}
static_assert(joint_shape(JointType::ball).type == JointType::ball &&
              joint_shape(JointType::universal).type == JointType::universal &&
              joint_shape(JointType::hinge).type == JointType::hinge &&
              joint_shape(JointType::weld).type == JointType::weld);

}  // namespace catena
