// Figures: what a constraint or a body shows besides its markers and its shape: a wire, a table, a drum.
//
// They have no influence on the motion. catena/picture.h collects them.
#pragma once

#include "catena/export.h"
#include "catena/math.h"

#include <cstdint>
#include <vector>

namespace CATENA_API catena {

class Curve;

/// A curve or a surface in the coordinates of a marker of the constraint it belongs to, or of the world.
struct Figure {
  enum class Kind : std::uint8_t {
    line,       // through `centre` along `axis`, endless
    curve,      // through `points`
    plane,      // through `centre`, normal `axis`, endless
    sphere,     // radius size.x
    cylinder,   // about the line through `centre` along `axis`, radius size.x, length size.y (0: endless)
    ellipsoid,  // semi-axes `size` along the axes of the marker
    drum,  // about z of the marker, radius size.x; the rope from the first marker winds on it to the left (size.y = 1) or right (-1)
  };
  Kind kind = Kind::curve;
  int marker = -1;  // position in attachments(); -1: the world
  Vec3 centre = Vec3::Zero(), axis = Vec3::UnitZ(), size = Vec3::Zero();  // m
  std::vector<Vec3> points{};                                             // m
  bool closed = false;  // the last point is joined to the first
};

/// The part of a curve that its range covers, as a line through points. @param marker whose coordinates it is given in
Figure figure_of(const Curve& curve, int marker = -1);

}  // namespace catena
