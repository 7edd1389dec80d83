// Explicit form of a lower pair: dual bases of its rows (solve/problem.h, eqs. 3 to 5).
//
// The bases are those of the rows as they are, so that the explicit form and J say the same exactly, whatever the drift of
// the joint.
#pragma once

#include "catena/constraint.h"
#include "math/rotation.h"
#include "solve/problem.h"

namespace catena::maximal {

using Columns = Eigen::Map<Mat3>;

/// Dual vectors of the k given vectors (stride 6 apart), completed by free directions: columns of the inverse of the completed
/// matrix.
[[gnu::always_inline]] inline void write_dual_basis(int k, const double* rows, Columns dual) {
  const Eigen::Map<const Vec3> a(rows), b(rows + (k > 1 ? 6 : 0)), c(rows + (k > 2 ? 12 : 0));
  switch (k) {
    case 3: {
      const Vec3 bc = b.cross(c);
      const double scale = 1.0 / a.dot(bc);
      dual.col(0) = bc * scale;
      dual.col(1) = c.cross(a) * scale;
      dual.col(2) = a.cross(b) * scale;
      break;
    }
    case 2: {
      const Vec3 n = a.cross(b);
      const double scale = 1.0 / n.squaredNorm();
      dual.col(0) = b.cross(n) * scale;
      dual.col(1) = n.cross(a) * scale;
      dual.col(2) = n * std::sqrt(scale);
      break;
    }
    case 1: {
      const Vec3 first = any_perpendicular(a);
      dual.col(0) = a / a.squaredNorm();
      dual.col(1) = first;
      dual.col(2) = a.cross(first).normalized();
      break;
    }
    default:
      dual.setIdentity();
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
  if (pair.linear == 3 && !pair.at_marker_a)
    Columns(out.nu).setIdentity();
  else
    write_dual_basis(pair.linear, G, Columns(out.nu));
  write_dual_basis(pair.angular, G + 6 * pair.linear + 3, Columns(out.gamma));
}

}  // namespace catena::maximal
