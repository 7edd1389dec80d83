// One joint in the sweeps of articulated bodies: how it gives way, and what it leaves of an inertia for its parent.
//
//   U = I S,  D = Sᵀ U,  u = τ - Sᵀ p,      left: I - U D⁻¹Uᵀ, and the push U D⁻¹u                                                 (1)
//   v̇ = D⁻¹(u - Uᵀ A'),  A = A' + S v̇                                                                                          (2)
//
// What is left is taken to the parent as I from r, less (U from r) D⁻¹(U from r)ᵀ: the long way of I need not wait for D⁻¹.
// A ball gives way to every torque: whatever its coordinates are, M - H J⁻¹Hᵀ is left of I, and the torque of its drive. Its D is that of J
// in world axes, and S is orthogonal.
#pragma once

#include "formulation/minimal/dynamics.h"

namespace catena::minimal {

inline constexpr double kLeastInertia = 1e-14;  // pivots of D, relative to its diagonal

/// J⁻¹ of a ball.
CATENA_INLINE V3<double> solve_turn(const JointFactor& joint, const V3<double>& torque) {
  double x[3];
  torque.store(x);
  math::solve_lower<double, 3>(joint.D, x);
  math::scale_by_pivots<double, 3>(joint.D, x);
  math::solve_lower_transposed<double, 3>(joint.D, x);
  return V3<double>::load(x);
}

/// Joints of several velocities but balls, articulated_joint.cpp.
bool release_several(const Link& link, const ArticulatedInertia<double>& I, Workspace& data,
                     JointFactor& joint);
void hand_down_several(const Link& link, const V3<double>& r, const Workspace& data, const JointFactor& joint,
                       ArticulatedInertia<double>& parent);
Force6 push_several(const Link& link, const double* tau, const Force6& p, const Workspace& data,
                    JointFactor& joint);
void accelerate_several(const Link& link, const JointFactor& joint, const Workspace& data, Motion6& A,
                        double* a);

CATENA_INLINE bool release_single(const Force6& U, double D, SingleFactor& joint, Force6& kept) {
  joint.inverse = 1.0 / D;
  kept = U;
  return D > 0.0;
}

CATENA_INLINE bool release_ball(const ArticulatedInertia<double>& I, JointFactor& joint) {
  I.J.x.store(joint.D), I.J.y.store(joint.D + 3), I.J.z.store(joint.D + 6);
  return math::factor_ldlt<double, 3>(joint.D, kLeastInertia) < 0;
}

/// U and D of (1). @param I  of the articulated body on link k. False: nothing resists some motion of the joint.
CATENA_INLINE bool release_joint(const Link& link, std::size_t k, const ArticulatedInertia<double>& I,
                                 Workspace& data) {
  const Motion6* S = data.directions(link);
  switch (link.kind) {
    case JointKind::fixed:
      return true;
    case JointKind::hinge: {
      const Force6 U{I.H * S->w, I.J * S->w};
      return release_single(U, dot(S->w, U.n), data.singles[k], data.U[std::size_t(link.v)]);
    }
    case JointKind::slider: {
      const Force6 U{I.M * S->v, transposed(I.H) * S->v};
      return release_single(U, dot(S->v, U.f), data.singles[k], data.U[std::size_t(link.v)]);
    }
    case JointKind::ball:
      return release_ball(I, data.joints[k]);
    case JointKind::universal:
    case JointKind::free:
    case JointKind::other:
      break;
  }
  return release_several(link, I, data, data.joints[k]);
}

/// Hands what a released joint leaves of I to the parent.
CATENA_INLINE void hand_down(const Link& link, std::size_t k, const V3<double>& r,
                             const ArticulatedInertia<double>& I, const Workspace& data,
                             ArticulatedInertia<double>& parent) {
  switch (link.kind) {
    case JointKind::fixed:
      add_shifted(r, I, parent);
      return;
    case JointKind::hinge:
    case JointKind::slider: {
      add_shifted(r, I, parent);
      const Force6 U = data.U[std::size_t(link.v)].from(r);
      parent.take(U, data.singles[k].inverse * U);
      return;
    }
    case JointKind::ball: {
      const M3<double> Ht = transposed(I.H);
      const JointFactor& joint = data.joints[k];
      const M3<double> X{solve_turn(joint, Ht.x), solve_turn(joint, Ht.y), solve_turn(joint, Ht.z)};  // J⁻¹Hᵀ
      const M3<double> taken = I.H * X;
      add_shifted_mass(r, {I.M.x - taken.x, I.M.y - taken.y, I.M.z - taken.z}, parent);
      return;
    }
    case JointKind::universal:
    case JointKind::free:
    case JointKind::other:
      break;
  }
  add_shifted(r, I, parent);
  hand_down_several(link, r, data, data.joints[k], parent);
}

/// u and the push of (1), with the U and D of a release.
CATENA_INLINE Force6 push_joint(const Link& link, std::size_t k, const double* tau, const Force6& p,
                                Workspace& data) {
  const Motion6* S = data.directions(link);
  switch (link.kind) {
    case JointKind::fixed:
      return Force6::zero();
    case JointKind::hinge:
    case JointKind::slider: {
      SingleFactor& joint = data.singles[k];
      const Force6& U = data.U[std::size_t(link.v)];
      joint.u = tau[0] - (link.kind == JointKind::hinge ? dot(S->w, p.n) : dot(S->v, p.f));
      const double x = joint.inverse * joint.u;
      return {x * U.f, x * U.n};
    }
    case JointKind::ball: {
      JointFactor& joint = data.joints[k];
      const V3<double> u = tau[0] * S[0].w + tau[1] * S[1].w + tau[2] * S[2].w - p.n;
      u.store(joint.u);
      return {data.inertia[k].H * solve_turn(joint, u), u};
    }
    case JointKind::universal:
    case JointKind::free:
    case JointKind::other:
      break;
  }
  return push_several(link, tau, p, data, data.joints[k]);
}

/// (2): A' becomes A.
CATENA_INLINE void accelerate_joint(const Link& link, std::size_t k, const Workspace& data, Motion6& A,
                                    double* a) {
  const Motion6* S = data.directions(link);
  switch (link.kind) {
    case JointKind::fixed:
      return;
    case JointKind::hinge:
    case JointKind::slider: {
      const SingleFactor& joint = data.singles[k];
      a[0] = joint.inverse * (joint.u - dot(data.U[std::size_t(link.v)], A));
      if (link.kind == JointKind::hinge)
        A.w += a[0] * S->w;
      else
        A.v += a[0] * S->v;
      return;
    }
    case JointKind::ball: {
      const JointFactor& joint = data.joints[k];
      const V3<double> turn =
          solve_turn(joint, V3<double>::load(joint.u) - transposed(data.inertia[k].H) * A.v);
      for (int i = 0; i < 3; ++i) a[i] = dot(S[i].w, turn - A.w);
      A.w = turn;
      return;
    }
    case JointKind::universal:
    case JointKind::free:
    case JointKind::other:
      break;
  }
  accelerate_several(link, data.joints[k], data, A, a);
}

}  // namespace catena::minimal
