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
#pragma once

#include "catena/constraint.h"

namespace CATENA_API catena {

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

}  // namespace catena
