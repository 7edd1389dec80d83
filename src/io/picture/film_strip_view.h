// From which side a film strip looks at a mechanism.
#pragma once

#include "catena/math.h"

#include <optional>
#include <span>
#include <string>

namespace catena {

/// A parallel projection: picture coordinates are (right·x, up·x), the viewer sits at the end of right × up.
struct View {
  Vec3 right = Vec3::UnitX();
  Vec3 up = Vec3::UnitY();
  std::string right_name, up_name;  // "x", "z" when the direction is a coordinate axis, else empty

  Vec2 project(const Vec3& point) const { return {right.dot(point), up.dot(point)}; }
  double depth(const Vec3& point) const { return right.cross(up).dot(point); }  // larger: nearer
};

/// Chooses the plane in which the points spread most, with gravity downwards when there is gravity. A motion
/// that has next to no height is looked at from above.
/// @param along looks along this direction instead
View choose_view(std::span<const Vec3> points, const Vec3& gravity, bool planar,
                 const std::optional<Vec3>& along);

}  // namespace catena
