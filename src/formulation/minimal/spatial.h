// Spatial vectors and inertias in the frame of a link, templated on the scalar.
//
// Legend (linear part first, as everywhere in Catena; all parts in the axes of one frame, about its origin)
//   V = (v ; ω)     motion: velocity of the point of the link at the origin, angular velocity
//   F = (f ; n)     wrench: force, torque about the origin
//   I               inertia, F = I A:   (M  H ; Hᵀ J), of a rigid body M = m·1, H = -[h]×, h = m·c, c its centre of mass
//   V × A           motion cross product: (ω × a + v × α ; ω × α)                                                            (1)
//   V ×* F          its dual on wrenches:  (ω × f ; ω × n + v × f)                                                           (2)
//   (R, x)          placement of a frame in another one: axes and origin
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 2 and 7; his order is angular first.
#pragma once

#include "math/small_matrix_kernel.h"

#include <Eigen/Core>

namespace catena::minimal {

template <class T>
using V3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using M3 = Eigen::Matrix<T, 3, 3>;

/// A B, A Bᵀ, and the symmetric R X Rᵀ: by hand, because Eigen's products of 3 × 3 matrices cost twice as much.
template <class T>
M3<T> times(const M3<T>& A, const M3<T>& B) {
  M3<T> out;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return out;
}
template <class T>
M3<T> times_transposed(const M3<T>& A, const M3<T>& B) {
  M3<T> out;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out(i, j) = A(i, 0) * B(j, 0) + A(i, 1) * B(j, 1) + A(i, 2) * B(j, 2);
  return out;
}
template <class T>
M3<T> turned_symmetric(const M3<T>& R, const M3<T>& X) {
  const M3<T> RX = times(R, X);
  M3<T> out;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = j; i < 3; ++i)
    out(i, j) = out(j, i) = RX(i, 0) * R(j, 0) + RX(i, 1) * R(j, 1) + RX(i, 2) * R(j, 2);
  return out;
}

template <class T>
struct SpatialMotion {
  V3<T> v, w;
  static SpatialMotion zero() { return {V3<T>::Zero(), V3<T>::Zero()}; }
};
template <class T>
SpatialMotion<T> operator+(const SpatialMotion<T>& a, const SpatialMotion<T>& b) {
  return {a.v + b.v, a.w + b.w};
}

template <class T>
struct SpatialForce {
  V3<T> f, n;
  static SpatialForce zero() { return {V3<T>::Zero(), V3<T>::Zero()}; }
  SpatialForce& operator+=(const SpatialForce& other) {
    f += other.f;
    n += other.n;
    return *this;
  }
  SpatialForce& operator-=(const SpatialForce& other) {
    f -= other.f;
    n -= other.n;
    return *this;
  }
};

/// (1)
template <class T>
SpatialMotion<T> cross(const SpatialMotion<T>& V, const SpatialMotion<T>& A) {
  return {V.w.cross(A.v) + V.v.cross(A.w), V.w.cross(A.w)};
}
/// (2)
template <class T>
SpatialForce<T> cross(const SpatialMotion<T>& V, const SpatialForce<T>& F) {
  return {V.w.cross(F.f), V.w.cross(F.n) + V.v.cross(F.f)};
}
/// Power of a wrench on a motion.
template <class T>
T dot(const SpatialForce<T>& F, const SpatialMotion<T>& V) {
  return F.f.dot(V.v) + F.n.dot(V.w);
}

/// Where a frame is in another one.
template <class T>
struct Pose {
  M3<T> R = M3<T>::Identity();  // its axes to those of the other
  V3<T> x = V3<T>::Zero();      // its origin

  /// The same motion and the same wrench, in the other frame and in this one.
  SpatialMotion<T> in(const SpatialMotion<T>& outer) const {
    return {R.transpose() * (outer.v + outer.w.cross(x)), R.transpose() * outer.w};
  }
  SpatialMotion<T> out(const SpatialMotion<T>& inner) const {
    const V3<T> w = R * inner.w;
    return {R * inner.v - w.cross(x), w};
  }
  SpatialForce<T> out(const SpatialForce<T>& inner) const {
    const V3<T> f = R * inner.f;
    return {f, R * inner.n + x.cross(f)};
  }
  SpatialForce<T> in(const SpatialForce<T>& outer) const {
    return {R.transpose() * outer.f, R.transpose() * (outer.n - x.cross(outer.f))};
  }
  /// A frame that is at `inner` in this one.
  Pose operator*(const Pose& inner) const { return {times(R, inner.R), x + R * inner.x}; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * x)}; }
};

/// Of one rigid body.
template <class T>
struct RigidInertia {
  T m = T(0);
  V3<T> h = V3<T>::Zero();  // m·c
  M3<T> J = M3<T>::Zero();  // about the origin

  SpatialForce<T> operator*(const SpatialMotion<T>& A) const {
    return {m * A.v - h.cross(A.w), h.cross(A.v) + J * A.w};
  }
};

/// Of a link with everything that hangs on it and gives way.
template <class T>
struct ArticulatedInertia {
  M3<T> M, H, J;  // M and J symmetric

  ArticulatedInertia() = default;
  explicit ArticulatedInertia(const RigidInertia<T>& rigid) : J(rigid.J) {
    M.setZero();
    M.diagonal().setConstant(rigid.m);
    const V3<T>& h = rigid.h;
    H << T(0), h.z(), -h.y(), -h.z(), T(0), h.x(), h.y(), -h.x(), T(0);
  }
  SpatialForce<T> operator*(const SpatialMotion<T>& A) const {
    return {M * A.v + H * A.w, H.transpose() * A.v + J * A.w};
  }
};

/// [x]× A, a cross product per column.
template <class T>
M3<T> cross_columns(const V3<T>& x, const M3<T>& A) {
  M3<T> out;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) {
    out(0, j) = x[1] * A(2, j) - x[2] * A(1, j);
    out(1, j) = x[2] * A(0, j) - x[0] * A(2, j);
    out(2, j) = x[0] * A(1, j) - x[1] * A(0, j);
  }
  return out;
}

/// Adds an inertia given in a frame at `pose` to one in the frame outside of it.
///   M' = R M Rᵀ,  H' = R H Rᵀ - M'[x]×,  J' = R J Rᵀ + [x]×H' + ([x]×R H Rᵀ)ᵀ                                                (3)
template <class T>
void add_moved(const Pose<T>& pose, const ArticulatedInertia<T>& inner, ArticulatedInertia<T>& outer) {
  const M3<T> M = turned_symmetric(pose.R, inner.M), J = turned_symmetric(pose.R, inner.J),
              H = times_transposed(times(pose.R, inner.H), pose.R);
  const M3<T> moved = H + cross_columns(pose.x, M).transpose();
  outer.M += M;
  outer.H += moved;
  outer.J += J + cross_columns(pose.x, moved) + cross_columns(pose.x, H).transpose();
}
/// The same of an inertia that resists pushes only, H = J = 0.
template <class T>
void add_moved_mass(const Pose<T>& pose, const M3<T>& inner, ArticulatedInertia<T>& outer) {
  const M3<T> M = turned_symmetric(pose.R, inner), H = cross_columns(pose.x, M).transpose();
  outer.M += M;
  outer.H += H;
  outer.J += cross_columns(pose.x, H);
}

}  // namespace catena::minimal
