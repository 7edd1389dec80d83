// What one panel of a film strip shows, in world coordinates.
#pragma once

#include "catena/simulation.h"

#include <vector>

namespace catena {

/// A body with its shape at one instant.
struct DrawnBody {
  Shape shape;
  Vec3 x;
  Mat3 R;
  Vec3 end(int sign) const { return x + R * Vec3(0.5 * sign * shape.size.x(), 0, 0); }  // of a rod
};

/// A line between two points: a distance constraint, the arm from a body to a joint outside its shape, or a spring.
struct DrawnLink {
  Vec3 a, b;
  bool spring = false;
};

struct DrawnJoint {
  Vec3 x;
  bool grounded = false;
};

struct FilmFrame {
  double time = 0.0;
  std::vector<DrawnBody> bodies;
  std::vector<DrawnLink> links;
  std::vector<DrawnJoint> joints;
  int stride = 1;  // every stride-th body was kept
};

FilmFrame capture_frame(const Simulation& sim);

/// Points that a picture of the frame must contain.
void append_extent(const FilmFrame& frame, std::vector<Vec3>& points);
/// Points that show how things move and turn: a sphere counts by its spoke, not by its rim.
void append_moving_points(const FilmFrame& frame, std::vector<Vec3>& points);

}  // namespace catena
