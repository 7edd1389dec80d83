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

#include "math/lanes3.h"
#include "math/small_matrix_kernel.h"

namespace catena::minimal {

template <class T>
using V3 = math::Vector3<T>;
template <class T>
using M3 = math::Matrix3<T>;

/// R X Rᵀ
template <class T>
CATENA_INLINE M3<T> turned(const M3<T>& R, const M3<T>& X) {
  return times_transposed(R * X, R);
}

template <class T>
struct SpatialMotion {
  V3<T> v, w;
  static SpatialMotion zero() { return {V3<T>::zero(), V3<T>::zero()}; }
  /// The same motion, at a point r away.
  CATENA_INLINE SpatialMotion at(const V3<T>& r) const { return {v + cross(w, r), w}; }
};
template <class T>
CATENA_INLINE SpatialMotion<T> operator+(const SpatialMotion<T>& a, const SpatialMotion<T>& b) {
  return {a.v + b.v, a.w + b.w};
}
template <class T>
CATENA_INLINE SpatialMotion<T> operator*(T s, const SpatialMotion<T>& a) {
  return {s * a.v, s * a.w};
}

template <class T>
struct SpatialForce {
  V3<T> f, n;
  static SpatialForce zero() { return {V3<T>::zero(), V3<T>::zero()}; }
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
template <class T>
CATENA_INLINE SpatialForce<T> operator*(T s, const SpatialForce<T>& a) {
  return {s * a.f, s * a.n};
}

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
  const math::Lanes<T> products = F.f.lanes * V.v.lanes + F.n.lanes * V.w.lanes;
  return products[0] + products[1] + products[2];
}
/// f·f + n·n
template <class T>
CATENA_INLINE T squared(const SpatialForce<T>& F) {
  return dot(F, SpatialMotion<T>{F.f, F.n});
}

/// Where a frame is in another one.
template <class T>
struct Pose {
  M3<T> R = M3<T>::identity();  // its axes to those of the other
  V3<T> x = V3<T>::zero();      // its origin

  /// A frame that is at `inner` in this one.
  Pose operator*(const Pose& inner) const { return {R * inner.R, x + R * inner.x}; }
  Pose inverse() const { return {transposed(R), -(transposed(R) * x)}; }
};

/// Of one rigid body.
template <class T>
struct RigidInertia {
  T m = T(0);
  V3<T> h = V3<T>::zero();  // m·c
  M3<T> J = M3<T>::zero();  // about the origin

  CATENA_INLINE SpatialForce<T> operator*(const SpatialMotion<T>& A) const {
    return {m * A.v - cross(h, A.w), cross(h, A.v) + J * A.w};
  }
};
template <class T>
CATENA_INLINE RigidInertia<T> turned(const M3<T>& R, const RigidInertia<T>& I) {
  return {I.m, R * I.h, turned(R, I.J)};
}

/// Of a link with everything that hangs on it and gives way. M and J are symmetric, with all their numbers.
template <class T>
struct ArticulatedInertia {
  M3<T> M, H, J;

  ArticulatedInertia() = default;
  CATENA_INLINE explicit ArticulatedInertia(const RigidInertia<T>& rigid)
      : M(M3<T>::diagonal(rigid.m)), H(M3<T>::skew(-rigid.h)), J(rigid.J) {}
  CATENA_INLINE SpatialForce<T> operator*(const SpatialMotion<T>& A) const {
    return {M * A.v + H * A.w, transposed(H) * A.v + J * A.w};
  }
  /// Takes off U Wᵀ, which is symmetric.
  CATENA_INLINE void take(const SpatialForce<T>& U, const SpatialForce<T>& W) {
    M.take(U.f, W.f);
    H.take(U.f, W.n);
    J.take(U.n, W.n);
  }
};

/// Adds an inertia given r away.
///   H' = H - M[r]×,  J' = J + [r]×H' - Hᵀ[r]×                                                                                 (4)
template <class T>
CATENA_INLINE void add_shifted(const V3<T>& r, const ArticulatedInertia<T>& inner,
                               ArticulatedInertia<T>& outer) {
  const M3<T> MR = times_skew(inner.M, r), HR = times_skew(transposed(inner.H), r),
              H{inner.H.x - MR.x, inner.H.y - MR.y, inner.H.z - MR.z};
  outer.M += inner.M;
  outer.H += H;
  outer.J.x += inner.J.x - HR.x + cross(r, H.x);
  outer.J.y += inner.J.y - HR.y + cross(r, H.y);
  outer.J.z += inner.J.z - HR.z + cross(r, H.z);
}
/// The same of an inertia that resists pushes only, H = J = 0.
template <class T>
CATENA_INLINE void add_shifted_mass(const V3<T>& r, const M3<T>& M, ArticulatedInertia<T>& outer) {
  const M3<T> H = -times_skew(M, r);
  outer.M += M;
  outer.H += H;
  outer.J += M3<T>{cross(r, H.x), cross(r, H.y), cross(r, H.z)};
}

}  // namespace catena::minimal
