// One freedom between two markers, about or along z of b: what motors and joint friction act on.
//
//   rotary   τ_a = f·z_b = -τ_b                          position θ, unwrapped     speed z_b·(ω_a - ω_b)              (1)
//   linear   F_a = f·z_b = -F_b, at the point of a       position z_b·ρ            speed z_b·(v_a - v_b - ω_b × ρ)    (2)
//
// ρ = x_a - x_b; the power is f times the speed. The reaction of (2) acts on b at the point of a, so that both lie on one line
// and angular momentum is kept even while a slider has drifted.
#pragma once

#include "catena/force.h"
#include "catena/joints.h"
#include "model/turns.h"

namespace catena {

enum class Axis : std::uint8_t { rotary, linear };

inline double axis_speed(Axis axis, const Motion& motion) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  const Vec3 relative = axis == Axis::rotary ? Vec3(a.w - b.w) : Vec3(a.v - b.v - b.w.cross(a.x - b.x));
  return b.R.col(2).dot(relative);
}

/// @param turns memory of model/turns.h, for rotary ones
inline double axis_position(Axis axis, const Motion& motion, std::span<const double> turns) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  if (axis == Axis::linear) return b.R.col(2).dot(a.x - b.x);
  return count_turns(hinge_angle(a, b), motion.time, turns);
}

inline void add_along_axis(Axis axis, const Motion& motion, double effort, Wrenches& wrenches) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  const Vec3 f = effort * b.R.col(2);
  if (axis == Axis::rotary) {  // (1)
    wrenches.add(0, Vec3::Zero(), f);
    wrenches.add(1, Vec3::Zero(), -f);
  } else {  // (2)
    wrenches.add(0, f);
    wrenches.add(1, -f, -(a.x - b.x).cross(f));
  }
}

}  // namespace catena
