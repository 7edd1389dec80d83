// Row writers: the few kinds of row from which all joints are made.
//
// Legend: markers a and b with x, v, R, ω;  ρ = x_a - x_b;  G = (coefficients of v | of ω) per marker.
//
//   point   C = ρ      G_a = (1 | 0)       G_b = (-1 | 0)         γ = 0                               (1)
//   dot     C = s·e    G_a = (0 | s × e)   G_b = (0 | -(s × e))   γ = (ṡ × e + s × ė)·(ω_a - ω_b)     (2)
//   plane   C = n·ρ    G_a = (n | 0)       G_b = (-n | -(ρ × n))  γ = 2ṅ·ρ̇ + (ω_b × ṅ)·ρ              (3)
//
// s is fixed in a, e and n in b: ṡ = ω_a × s, ė = ω_b × e, ṅ = ω_b × n. Exact off the constraint as well.
#pragma once

#include "catena/constraint.h"

namespace catena {

/// (1) along the world axes: three rows, two (x, y) in the plane.
inline void write_point_rows(Rows& rows, int first, int count, const Marker& a, const Marker& b) {
  auto G_a = rows.G(0), G_b = rows.G(1);
  for (int i = 0; i < count; ++i) {
    rows.C(first + i) = a.x[i] - b.x[i];
    G_a(first + i, i) = 1.0;
    G_b(first + i, i) = -1.0;
  }
}

/// (2)
inline void write_dot_row(Rows& rows, int row, const Marker& a, const Vec3& s, const Marker& b,
                          const Vec3& e) {
  const Vec3 sxe = s.cross(e);
  rows.C(row) = s.dot(e);
  rows.set_G(row, 0, Vec3::Zero(), sxe);
  rows.set_G(row, 1, Vec3::Zero(), -sxe);
  // the double cross products of (2), multiplied out
  const Vec3 w = a.w - b.w;
  rows.gamma(row) = e.dot(a.w) * s.dot(w) - s.dot(b.w) * e.dot(w) - rows.C(row) * w.squaredNorm();
}

/// (3)
inline void write_plane_row(Rows& rows, int row, const Marker& a, const Marker& b, const Vec3& n) {
  const Vec3 rho = a.x - b.x;
  const Vec3 n_dot = b.w.cross(n);
  rows.C(row) = n.dot(rho);
  rows.set_G(row, 0, n, Vec3::Zero());
  rows.set_G(row, 1, -n, n.cross(rho));
  // (3), with ω × (ω × n) = (ω·n)ω - |ω|²n
  rows.gamma(row) = 2.0 * n_dot.dot(a.v - b.v) + b.w.dot(n) * b.w.dot(rho) - b.w.squaredNorm() * rows.C(row);
}

/// The three rows (2) that keep two frames aligned; each turns the error into an angle about one axis.
inline void write_alignment_rows(Rows& rows, int first, const Marker& a, const Marker& b) {
  write_dot_row(rows, first, a, a.R.col(1), b, b.R.col(2));
  write_dot_row(rows, first + 1, a, a.R.col(2), b, b.R.col(0));
  write_dot_row(rows, first + 2, a, a.R.col(0), b, b.R.col(1));
}

/// The two rows (2) that keep the z axes parallel.
inline void write_axis_rows(Rows& rows, int first, const Marker& a, const Marker& b) {
  write_dot_row(rows, first, a, a.R.col(0), b, b.R.col(2));
  write_dot_row(rows, first + 1, a, a.R.col(1), b, b.R.col(2));
}

/// z_world × e: the in-plane normal of a direction in the plane z = 0.
inline Vec3 perpendicular_in_plane(const Vec3& e) {
  return {-e.y(), e.x(), 0.0};
}

}  // namespace catena
