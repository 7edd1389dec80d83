// Triangles of the shapes that a glTF file shows.
#pragma once

#include "catena/math.h"

#include <cstdint>
#include <vector>

namespace catena::io {

struct Mesh {
  std::vector<float> positions, normals;  // x y z each
  std::vector<std::uint32_t> triangles;
};

/// A solid of revolution about x: profile points (x, radius) from left to right. Corners sharper than about 30° stay sharp.
Mesh turned(const std::vector<Vec2>& profile, int sides = 20);

Mesh make_rod(double length, double radius);       // along x, with rounded ends
Mesh make_ellipsoid(const Vec3& semi_axes);        // along x, y, z
Mesh make_box(const Vec3& edges);                  // full
Mesh make_disc(double radius, double thickness);   // about z
Mesh make_hoop(double radius, double thickness);   // a torus about z
Mesh make_cylinder(double length, double radius);  // along x
Mesh make_coil(double radius, int turns);          // a spring along x, length 1
/// Tube through points, as it stands in the world.
Mesh make_tube(const std::vector<Vec3>& points, bool closed, double radius);

}  // namespace catena::io
