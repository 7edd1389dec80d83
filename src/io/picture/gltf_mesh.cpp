// Triangles: solids of revolution and tubes. Counter-clockwise seen from outside.
#include "io/picture/gltf_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena::io {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

void add_vertex(Mesh& mesh, const Vec3& x, const Vec3& normal) {
  for (int c = 0; c < 3; ++c) mesh.positions.push_back(float(x[c])), mesh.normals.push_back(float(normal[c]));
}

std::uint32_t size_of(const Mesh& mesh) {
  return std::uint32_t(mesh.positions.size() / 3);
}

void add_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  mesh.triangles.insert(mesh.triangles.end(), {a, b, c, a, c, d});
}

/// Moves what turns about x so that it turns about z.
Mesh about_z(Mesh mesh) {
  for (std::vector<float>* list : {&mesh.positions, &mesh.normals})
    for (std::size_t k = 0; k < list->size(); k += 3) {
      const float x = (*list)[k], y = (*list)[k + 1], z = (*list)[k + 2];
      (*list)[k] = y, (*list)[k + 1] = z, (*list)[k + 2] = x;
    }
  return mesh;
}

/// A vector across t.
Vec3 across(const Vec3& t) {
  return t.cross(std::abs(t.x()) < 0.7 * t.norm() ? Vec3::UnitX() : Vec3::UnitY()).normalized();
}

}  // namespace

Mesh turned(const std::vector<Vec2>& profile, int sides) {
  Mesh mesh;
  for (std::size_t k = 0; k + 1 < profile.size(); ++k) {
    // each piece has its own rings; its normals lean towards a neighbour that continues it smoothly
    const auto normal_of = [&](std::size_t i) -> Vec2 {
      const Vec2 along = profile[i + 1] - profile[i];
      return Vec2(-along.y(), along.x()).normalized();
    };
    const Vec2 own = normal_of(k);
    const auto lean = [&](bool at_end) -> Vec2 {
      if (at_end ? k + 2 >= profile.size() : k == 0) return own;
      const Vec2 other = normal_of(at_end ? k + 1 : k - 1);
      return own.dot(other) > 0.85 ? Vec2((own + other).normalized()) : own;
    };
    const std::uint32_t base = size_of(mesh);
    for (int side = 0; side <= sides; ++side) {
      const double angle = kTurn * side / sides;
      const Vec3 out(0, std::cos(angle), std::sin(angle));
      for (const bool at_end : {false, true}) {
        const Vec2& p = profile[k + (at_end ? 1 : 0)];
        const Vec2 n = lean(at_end);
        add_vertex(mesh, p.x() * Vec3::UnitX() + p.y() * out, n.x() * Vec3::UnitX() + n.y() * out);
      }
    }
    for (std::uint32_t side = 0; side < std::uint32_t(sides); ++side)
      add_quad(mesh, base + 2 * side, base + 2 * side + 2, base + 2 * side + 3, base + 2 * side + 1);
  }
  return mesh;
}

Mesh make_rod(double length, double radius) {
  std::vector<Vec2> profile;
  constexpr int kPieces = 4;
  for (const double end : {-1.0, 1.0})
    for (int k = 0; k <= kPieces; ++k) {
      const double angle = 0.25 * kTurn * (end < 0 ? k : kPieces - k) / kPieces;
      profile.emplace_back(end * (0.5 * length + radius * std::cos(angle)), radius * std::sin(angle));
    }
  return turned(profile, 12);
}

Mesh make_ellipsoid(const Vec3& semi_axes) {
  std::vector<Vec2> profile;
  constexpr int kPieces = 16;
  for (int k = 0; k <= kPieces; ++k) {
    const double angle = 0.5 * kTurn * k / kPieces;
    profile.emplace_back(-std::cos(angle), std::sin(angle));
  }
  Mesh mesh = turned(profile, 24);
  for (std::size_t k = 0; k < mesh.positions.size(); k += 3) {
    const Vec3 p(mesh.positions[k], mesh.positions[k + 1], mesh.positions[k + 2]);
    const Vec3 normal =
        Vec3(mesh.normals[k], mesh.normals[k + 1], mesh.normals[k + 2]).cwiseQuotient(semi_axes).normalized();
    for (std::size_t c = 0; c < 3; ++c) {
      mesh.positions[k + c] = float(p[Eigen::Index(c)] * semi_axes[Eigen::Index(c)]);
      mesh.normals[k + c] = float(normal[Eigen::Index(c)]);
    }
  }
  return mesh;
}

Mesh make_box(const Vec3& edges) {
  Mesh mesh;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 n = sign * Vec3::Unit(axis), u = Vec3::Unit((axis + 1) % 3), v = n.cross(u);
      const std::uint32_t base = size_of(mesh);
      for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
        add_vertex(mesh, 0.5 * edges.cwiseProduct(n + a * u + b * v), n);
      add_quad(mesh, base, base + 1, base + 2, base + 3);
    }
  return mesh;
}

Mesh make_cylinder(double length, double radius) {
  const double half = 0.5 * length;
  return turned({{-half, 0}, {-half, radius}, {half, radius}, {half, 0}});
}

Mesh make_disc(double radius, double thickness) {
  const double half = 0.5 * thickness;
  return about_z(turned({{-half, 0}, {-half, radius}, {half, radius}, {half, 0}}, 48));
}

Mesh make_hoop(double radius, double thickness) {
  std::vector<Vec3> circle;
  circle.reserve(48);
  for (int k = 0; k < 48; ++k)
    circle.emplace_back(radius * std::cos(kTurn * k / 48), radius * std::sin(kTurn * k / 48), 0.0);
  return make_tube(circle, true, 0.5 * thickness);
}

Mesh make_coil(double radius, int turns) {
  std::vector<Vec3> points{{-0.5, 0, 0}};
  const int pieces = 12 * turns;
  for (int k = 0; k <= pieces; ++k) {
    const double angle = kTurn * turns * k / pieces;
    points.emplace_back(-0.4 + 0.8 * k / pieces, radius * std::cos(angle), radius * std::sin(angle));
  }
  points.emplace_back(0.5, 0, 0);
  return make_tube(points, false, 0.15 * radius);
}

Mesh make_tube(const std::vector<Vec3>& points, bool closed, double radius) {
  Mesh mesh;
  constexpr std::uint32_t kSides = 8;
  const std::size_t n = points.size(), rings = closed ? n + 1 : n;
  if (n < 2) return mesh;
  Vec3 side = Vec3::Zero();
  for (std::size_t k = 0; k < rings; ++k) {
    const Vec3& before = points[closed ? (k + n - 1) % n : (k > 0 ? k - 1 : 0)];
    const Vec3& after = points[closed ? (k + 1) % n : std::min(k + 1, n - 1)];
    const Vec3 along =
        (after - before).norm() > 0 ? Vec3((after - before).normalized()) : Vec3(Vec3::UnitX());
    // carried along without twist: the last side, less its part along the tube
    side -= along * along.dot(side);
    side = side.norm() > 1e-6 ? Vec3(side.normalized()) : across(along);
    const Vec3 up = along.cross(side);
    for (std::uint32_t j = 0; j < kSides; ++j) {
      const double angle = kTurn * j / kSides;
      const Vec3 normal = std::cos(angle) * side + std::sin(angle) * up;
      add_vertex(mesh, points[k % n] + radius * normal, normal);
    }
    if (k == 0) continue;
    const auto base = std::uint32_t(k) * kSides;
    for (std::uint32_t j = 0; j < kSides; ++j) {
      const std::uint32_t next = (j + 1) % kSides;
      add_quad(mesh, base - kSides + j, base - kSides + next, base + next, base + j);
    }
  }
  return mesh;
}

}  // namespace catena::io
