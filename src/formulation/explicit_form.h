// Explicit form of a lower pair: dual bases of its rows (solve/problem.h, eqs. 3 to 5).
//
// The bases are those of the rows as they are, so that the explicit form and J say the same exactly, whatever the drift of
// the joint.
#pragma once

#include "catena/constraint.h"
#include "math/rotation.h"
#include "solve/problem.h"

namespace catena {

using Columns = Eigen::Map<Mat3>;

/// Dual vectors of K given vectors, completed by free directions: columns of the inverse of the completed matrix.
template <int K>
[[gnu::always_inline]] inline void write_dual_basis(const Vec3* rows, Columns dual) {
  if constexpr (K == 3) {
    const Vec3 bc = rows[1].cross(rows[2]);
    const double scale = 1.0 / rows[0].dot(bc);
    dual.col(0) = bc * scale;
    dual.col(1) = rows[2].cross(rows[0]) * scale;
    dual.col(2) = rows[0].cross(rows[1]) * scale;
  } else if constexpr (K == 2) {
    const Vec3 n = rows[0].cross(rows[1]);
    const double scale = 1.0 / n.squaredNorm();
    dual.col(0) = rows[1].cross(n) * scale;
    dual.col(1) = n.cross(rows[0]) * scale;
    dual.col(2) = n * std::sqrt(scale);
  } else if constexpr (K == 1) {
    const Vec3 first = any_perpendicular(rows[0]);
    dual.col(0) = rows[0] / rows[0].squaredNorm();
    dual.col(1) = first;
    dual.col(2) = rows[0].cross(first).normalized();
  } else {
    dual.setIdentity();
  }
}

/// The same for a number known only at run time, from rows of G.
inline void write_dual_basis(int k, const double* G, double* columns) {
  const Columns dual(columns);
  Vec3 rows[3];
  for (int i = 0; i < k; ++i) rows[i] = Eigen::Map<const Vec3>(G + 6 * i);
  switch (k) {
    case 3:
      return write_dual_basis<3>(rows, dual);
    case 2:
      return write_dual_basis<2>(rows, dual);
    case 1:
      return write_dual_basis<1>(rows, dual);
    default:
      return write_dual_basis<0>(rows, dual);
  }
}

/// @param G      rows of marker a, (linear + angular) × 6, row-major
/// @param sign   +1 when the body carries marker a, -1 when it carries marker b
/// @param r      lever of the body to the point where the linear rows act
/// @param l      T x_p = (v_p - l × ω_p ; ω_p)
inline void write_explicit_form(const LowerPair& pair, const double* G, double sign, const Vec3& r,
                                const Vec3& l, solve::Pair& out) {
  Eigen::Map<Vec3>(out.l) = l;
  Eigen::Map<Vec3>(out.r) = r;
  out.sign = sign;
  // the three linear rows of a joint at a point are the unit vectors themselves
  if (pair.at_point())
    Columns(out.nu).setIdentity();
  else
    write_dual_basis(pair.linear, G, out.nu);
  write_dual_basis(pair.angular, G + 6 * pair.linear + 3, out.gamma);
}

}  // namespace catena
