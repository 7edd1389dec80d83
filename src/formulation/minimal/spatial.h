// Spatial vectors and inertias, templated on the scalar.
//
// Legend (linear part first, as everywhere in Catena; all parts in world axes, about the origin of a link)
//   V = (v ; ω)     motion: velocity of the point of the link at the origin, angular velocity
//   F = (f ; n)     wrench: force, torque about the origin
//   I               inertia, F = I A:   (M  H ; Hᵀ J), of a rigid body M = m·1, H = -[h]×, h = m·c, c its centre of mass
//   V × A           motion cross product: (ω × a + v × α ; ω × α)                                                            (1)
//   V ×* F          its dual on wrenches:  (ω × f ; ω × n + v × f)                                                           (2)
//   r               from the origin of the parent to that of a link: the same motion there is (v + ω × r ; ω), the same
//                   wrench at the parent (f ; n + r × f)                                                                     (3)
//
// Axes are those of the world in all links: from link to link only the origin moves, which costs a fifth of turning axes too, and origins
// stay in the links, so that nothing is lost far from the world's.
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 2 and 7; his order is angular first.
#pragma once

#include "math/small_matrix_kernel.h"

#include <Eigen/Core>

namespace catena::minimal {

#define CATENA_INLINE [[gnu::always_inline]] inline

template <class T>
using V3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using M3 = Eigen::Matrix<T, 3, 3>;

/// A B, by hand: Eigen's products of 3 × 3 matrices cost twice as much.
template <class T>
CATENA_INLINE M3<T> times(const M3<T>& A, const M3<T>& B) {
  M3<T> out;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return out;
}
/// A x
template <class T>
CATENA_INLINE V3<T> times(const M3<T>& A, const V3<T>& x) {
  V3<T> out;
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out[i] = A(i, 0) * x[0] + A(i, 1) * x[1] + A(i, 2) * x[2];
  return out;
}
/// Aᵀ x
template <class T>
CATENA_INLINE V3<T> transposed_times(const M3<T>& A, const V3<T>& x) {
  V3<T> out;
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out[i] = A(0, i) * x[0] + A(1, i) * x[1] + A(2, i) * x[2];
  return out;
}
template <class T>
CATENA_INLINE V3<T> cross(const V3<T>& a, const V3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A symmetric matrix by its six numbers.
template <class T>
struct Symmetric3 {
  T xx, xy, xz, yy, yz, zz;

  CATENA_INLINE V3<T> operator*(const V3<T>& a) const {
    return {xx * a[0] + xy * a[1] + xz * a[2], xy * a[0] + yy * a[1] + yz * a[2],
            xz * a[0] + yz * a[1] + zz * a[2]};
  }
  CATENA_INLINE Symmetric3& operator+=(const Symmetric3& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }
  /// Takes off u wᵀ, which is symmetric.
  CATENA_INLINE void take(const V3<T>& u, const V3<T>& w) {
    xx -= u[0] * w[0], xy -= u[0] * w[1], xz -= u[0] * w[2];
    yy -= u[1] * w[1], yz -= u[1] * w[2], zz -= u[2] * w[2];
  }
  CATENA_INLINE M3<T> full() const {
    M3<T> out;
    out << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return out;
  }
  CATENA_INLINE static Symmetric3 of(const M3<T>& m) {
    return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
  }
};

/// R X Rᵀ
template <class T>
CATENA_INLINE Symmetric3<T> turned(const M3<T>& R, const Symmetric3<T>& X) {
  const V3<T> a = X * V3<T>(R(0, 0), R(0, 1), R(0, 2)), b = X * V3<T>(R(1, 0), R(1, 1), R(1, 2)),
              c = X * V3<T>(R(2, 0), R(2, 1), R(2, 2));
  const auto row = [&](int i, const V3<T>& x) { return R(i, 0) * x[0] + R(i, 1) * x[1] + R(i, 2) * x[2]; };
  return {row(0, a), row(1, a), row(2, a), row(1, b), row(2, b), row(2, c)};
}

template <class T>
struct SpatialMotion {
  V3<T> v, w;
  static SpatialMotion zero() { return {V3<T>::Zero(), V3<T>::Zero()}; }
  /// The same motion, at a point r away.
  CATENA_INLINE SpatialMotion at(const V3<T>& r) const { return {v + cross(w, r), w}; }
};
template <class T>
CATENA_INLINE SpatialMotion<T> operator+(const SpatialMotion<T>& a, const SpatialMotion<T>& b) {
  return {a.v + b.v, a.w + b.w};
}

template <class T>
struct SpatialForce {
  V3<T> f, n;
  static SpatialForce zero() { return {V3<T>::Zero(), V3<T>::Zero()}; }
  /// A wrench that is given r away from here, about here.
  CATENA_INLINE SpatialForce from(const V3<T>& r) const { return {f, n + cross(r, f)}; }
  CATENA_INLINE SpatialForce& operator+=(const SpatialForce& other) {
    f += other.f;
    n += other.n;
    return *this;
  }
  CATENA_INLINE SpatialForce& operator-=(const SpatialForce& other) {
    f -= other.f;
    n -= other.n;
    return *this;
  }
};

/// (1)
template <class T>
CATENA_INLINE SpatialMotion<T> cross(const SpatialMotion<T>& V, const SpatialMotion<T>& A) {
  return {cross(V.w, A.v) + cross(V.v, A.w), cross(V.w, A.w)};
}
/// (2)
template <class T>
CATENA_INLINE SpatialForce<T> cross(const SpatialMotion<T>& V, const SpatialForce<T>& F) {
  return {cross(V.w, F.f), cross(V.w, F.n) + cross(V.v, F.f)};
}
/// Power of a wrench on a motion.
template <class T>
CATENA_INLINE T dot(const SpatialForce<T>& F, const SpatialMotion<T>& V) {
  return F.f[0] * V.v[0] + F.f[1] * V.v[1] + F.f[2] * V.v[2] + F.n[0] * V.w[0] + F.n[1] * V.w[1] +
         F.n[2] * V.w[2];
}

/// Where a frame is in another one.
template <class T>
struct Pose {
  M3<T> R = M3<T>::Identity();  // its axes to those of the other
  V3<T> x = V3<T>::Zero();      // its origin

  /// A frame that is at `inner` in this one.
  Pose operator*(const Pose& inner) const { return {times(R, inner.R), x + times(R, inner.x)}; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * x)}; }
};

/// Of one rigid body.
template <class T>
struct RigidInertia {
  T m = T(0);
  V3<T> h = V3<T>::Zero();  // m·c
  Symmetric3<T> J{};        // about the origin

  CATENA_INLINE SpatialForce<T> operator*(const SpatialMotion<T>& A) const {
    return {m * A.v - cross(h, A.w), cross(h, A.v) + J * A.w};
  }
};
template <class T>
CATENA_INLINE RigidInertia<T> turned(const M3<T>& R, const RigidInertia<T>& I) {
  return {I.m, times(R, I.h), turned(R, I.J)};
}

/// Of a link with everything that hangs on it and gives way.
template <class T>
struct ArticulatedInertia {
  Symmetric3<T> M;
  M3<T> H;
  Symmetric3<T> J;

  ArticulatedInertia() = default;
  CATENA_INLINE explicit ArticulatedInertia(const RigidInertia<T>& rigid)
      : M{rigid.m, T(0), T(0), rigid.m, T(0), rigid.m}, J(rigid.J) {
    const V3<T>& h = rigid.h;
    H << T(0), h[2], -h[1], -h[2], T(0), h[0], h[1], -h[0], T(0);
  }
  CATENA_INLINE SpatialForce<T> operator*(const SpatialMotion<T>& A) const {
    return {M * A.v + times(H, A.w), transposed_times(H, A.v) + J * A.w};
  }
};

/// Adds an inertia given r away.
///   H' = H - M[r]×,  J' = J + [r]×H' + ([r]×H)ᵀ                                                                               (4)
template <class T>
CATENA_INLINE void add_shifted(const V3<T>& r, const ArticulatedInertia<T>& inner,
                               ArticulatedInertia<T>& outer) {
  const Symmetric3<T>& M = inner.M;
  const M3<T>& H = inner.H;
  // [r]×M, a cross product per column; its transpose is -M[r]×
  const V3<T> a = cross(r, V3<T>(M.xx, M.xy, M.xz)), b = cross(r, V3<T>(M.xy, M.yy, M.yz)),
              c = cross(r, V3<T>(M.xz, M.yz, M.zz));
  M3<T> G;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) {
    G(0, j) = H(0, j) + a[j];
    G(1, j) = H(1, j) + b[j];
    G(2, j) = H(2, j) + c[j];
  }
  const auto lifted = [&](const M3<T>& A, int i, int j) {  // ([r]×A)_ij
    return i == 0   ? r[1] * A(2, j) - r[2] * A(1, j)
           : i == 1 ? r[2] * A(0, j) - r[0] * A(2, j)
                    : r[0] * A(1, j) - r[1] * A(0, j);
  };
  outer.M += M;
  outer.H += G;
  outer.J.xx += inner.J.xx + lifted(G, 0, 0) + lifted(H, 0, 0);
  outer.J.xy += inner.J.xy + lifted(G, 0, 1) + lifted(H, 1, 0);
  outer.J.xz += inner.J.xz + lifted(G, 0, 2) + lifted(H, 2, 0);
  outer.J.yy += inner.J.yy + lifted(G, 1, 1) + lifted(H, 1, 1);
  outer.J.yz += inner.J.yz + lifted(G, 1, 2) + lifted(H, 2, 1);
  outer.J.zz += inner.J.zz + lifted(G, 2, 2) + lifted(H, 2, 2);
}
/// The same of an inertia that resists pushes only, H = J = 0.
template <class T>
CATENA_INLINE void add_shifted_mass(const V3<T>& r, const Symmetric3<T>& M, ArticulatedInertia<T>& outer) {
  ArticulatedInertia<T> inner;
  inner.M = M;
  inner.H.setZero();
  inner.J = {};
  add_shifted(r, inner, outer);
}

}  // namespace catena::minimal
