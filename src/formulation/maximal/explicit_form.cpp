#include "formulation/maximal/explicit_form.h"

#include "math/rotation.h"

namespace catena::maximal {
namespace {

// Dual vectors of k given vectors, completed by free directions: columns of the inverse of the completed matrix.
Mat3 dual_basis(int k, const Vec3& a, const Vec3& b, const Vec3& c) {
  Mat3 dual;
  switch (k) {
    case 3: {
      const Vec3 bc = b.cross(c);
      const double det = a.dot(bc);
      dual << bc / det, c.cross(a) / det, a.cross(b) / det;
      break;
    }
    case 2: {
      const Vec3 n = a.cross(b);
      const double n2 = n.squaredNorm();
      dual << b.cross(n) / n2, n.cross(a) / n2, n / std::sqrt(n2);
      break;
    }
    case 1: {
      const double a2 = a.squaredNorm();
      const Vec3 first = any_perpendicular(a);
      dual << a / a2, first, a.cross(first) / std::sqrt(a2);
      break;
    }
    default:
      dual.setIdentity();
  }
  return dual;
}

void write_column(double* column, const Vec3& linear, const Vec3& angular) {
  for (int i = 0; i < 3; ++i) column[i] = linear[i];
  for (int i = 0; i < 3; ++i) column[3 + i] = angular[i];
}

}  // namespace

void compute_explicit_form(const LowerPair& pair, const double* G, double sign, const Vec3& r, const Vec3& l,
                           solve::Pair& out) {
  const auto row = [&](int i, int part) {
    return i < pair.linear + pair.angular ? Vec3(Eigen::Map<const Vec3>(G + 6 * i + part)) : Vec3(Vec3::Zero());
  };
  const int first_angular = pair.linear;
  // three linear rows of a joint at a point are the unit vectors themselves
  const Mat3 nu = pair.linear == 3 && !pair.at_marker_a ? Mat3(Mat3::Identity())
                                                         : dual_basis(pair.linear, row(0, 0), row(1, 0), row(2, 0));
  const Mat3 gamma = dual_basis(pair.angular, row(first_angular, 3), row(first_angular + 1, 3),
                                row(first_angular + 2, 3));
  for (int i = 0; i < 3; ++i) out.l[i] = l[i];
  double* B = out.B;
  double* N = out.N;
  for (int i = 0; i < 3; ++i) {  // (2)
    if (i < pair.linear)
      write_column(B, sign * nu.col(i), Vec3::Zero()), B += 6;
    else
      write_column(N, nu.col(i), Vec3::Zero()), N += 6;
  }
  for (int j = 0; j < 3; ++j) {
    const Vec3 angular = gamma.col(j);
    const Vec3 linear = r.cross(angular);
    if (j < pair.angular)
      write_column(B, sign * linear, sign * angular), B += 6;
    else
      write_column(N, linear, angular), N += 6;
  }
}

}  // namespace catena::maximal
