// One joint in the sweeps of articulated bodies: what it leaves of an inertia for its parent, and how it gives way.
//
//   U = I S,  D = Sᵀ U,  u = τ - Sᵀ p,      left: I - U D⁻¹Uᵀ, and the push U D⁻¹u                                                 (1)
//   v̇ = D⁻¹(u - Uᵀ A'),  A = A' + S v̇                                                                                          (2)
//
// A ball gives way to every torque: whatever its coordinates are, M - H J⁻¹Hᵀ is left of I, and the torque of its drive. Its D is that of J
// in world axes, and S is orthogonal.
#pragma once

#include "formulation/minimal/dynamics.h"

namespace catena::minimal {

inline constexpr double kLeastInertia = 1e-14;  // pivots of D, relative to its diagonal

/// J⁻¹ of a ball.
CATENA_INLINE void solve_turn(const JointFactor& joint, double* x) {
  math::solve_lower<double, 3>(joint.D, x);
  math::scale_by_pivots<double, 3>(joint.D, x);
  math::solve_lower_transposed<double, 3>(joint.D, x);
}

/// Joints of several velocities but balls, articulated_joint.cpp.
bool release_general(const Link& link, Workspace& data, JointFactor& joint, ArticulatedInertia<double>& I);
Force6 push_general(const Link& link, const double* tau, const Force6& p, const Workspace& data,
                    JointFactor& joint);
void accelerate_general(const Link& link, const JointFactor& joint, const Workspace& data, Motion6& A,
                        double* a);

/// A turn or a slide: S and U as they lie in their columns.
CATENA_INLINE bool release_single(const Link& link, Workspace& data, JointFactor& joint,
                                  ArticulatedInertia<double>& I) {
  const double* S = data.S.data() + 6 * link.v;
  const bool turns = link.kind == JointKind::hinge;
  const V3<double> s = turns ? V3<double>(S[3], S[4], S[5]) : V3<double>(S[0], S[1], S[2]);
  const Force6 U = turns ? Force6{times(I.H, s), I.J * s} : Force6{I.M * s, transposed_times(I.H, s)};
  const V3<double>& along = turns ? U.n : U.f;
  const double D = s[0] * along[0] + s[1] * along[1] + s[2] * along[2];
  if (!(D > 0.0)) return false;
  const double inverse = 1.0 / D;
  joint.D[0] = inverse;
  double* out = data.U.data() + 6 * link.v;
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) {
    out[i] = U.f[i];
    out[3 + i] = U.n[i];
  }
  const V3<double> f = inverse * U.f, n = inverse * U.n;
  I.M.take(U.f, f);
  I.J.take(U.n, n);
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = 0; i < 3; ++i) I.H(i, j) -= U.f[i] * n[j];
  return true;
}

CATENA_INLINE bool release_ball(JointFactor& joint, ArticulatedInertia<double>& I) {
  Eigen::Map<Mat3> J(joint.D);
  J = I.J.full();
  if (math::factor_ldlt<double, 3>(joint.D, kLeastInertia) >= 0) return false;
  Mat3 X = I.H.transpose();  // J⁻¹Hᵀ
  for (int i = 0; i < 3; ++i) solve_turn(joint, X.col(i).data());
  for (int i = 0; i < 3; ++i) I.M.take(I.H.col(i), X.row(i).transpose());
  return true;
}

/// Of (1), U, D and what is left of I, which for a ball is in its M alone. False: nothing resists some motion of the joint.
CATENA_INLINE bool release_joint(const Link& link, Workspace& data, JointFactor& joint,
                                 ArticulatedInertia<double>& I) {
  switch (link.kind) {
    case JointKind::fixed:
      return true;
    case JointKind::hinge:
    case JointKind::slider:
      return release_single(link, data, joint, I);
    case JointKind::ball:
      return release_ball(joint, I);
    case JointKind::other:
      break;
  }
  return release_general(link, data, joint, I);
}

/// u and the push of (1), with the U and D of a release. @param I  of the articulated body, before its joint gave way
CATENA_INLINE Force6 push_joint(const Link& link, const ArticulatedInertia<double>& I, const double* tau,
                                const Force6& p, const Workspace& data, JointFactor& joint) {
  switch (link.kind) {
    case JointKind::fixed:
      return Force6::zero();
    case JointKind::hinge:
    case JointKind::slider: {
      const double *S = data.S.data() + 6 * link.v, *U = data.U.data() + 6 * link.v;
      const V3<double>& along = link.kind == JointKind::hinge ? p.n : p.f;
      const double* s = link.kind == JointKind::hinge ? S + 3 : S;
      const double u = tau[0] - s[0] * along[0] - s[1] * along[1] - s[2] * along[2], x = joint.D[0] * u;
      joint.u[0] = u;
      return {{x * U[0], x * U[1], x * U[2]}, {x * U[3], x * U[4], x * U[5]}};
    }
    case JointKind::ball: {
      Eigen::Map<Vec3> u(joint.u);
      u = data.S.block<3, 3>(3, link.v) * Eigen::Map<const Vec3>(tau) - p.n;
      Vec3 turn = u;
      solve_turn(joint, turn.data());
      return {times(I.H, turn), u};
    }
    case JointKind::other:
      break;
  }
  return push_general(link, tau, p, data, joint);
}

/// (2): A' becomes A.
CATENA_INLINE void accelerate_joint(const Link& link, const ArticulatedInertia<double>& I,
                                    const JointFactor& joint, const Workspace& data, Motion6& A, double* a) {
  switch (link.kind) {
    case JointKind::fixed:
      return;
    case JointKind::hinge:
    case JointKind::slider: {
      const double *S = data.S.data() + 6 * link.v, *U = data.U.data() + 6 * link.v;
      const double x = joint.D[0] * (joint.u[0] - (U[0] * A.v[0] + U[1] * A.v[1] + U[2] * A.v[2]) -
                                     (U[3] * A.w[0] + U[4] * A.w[1] + U[5] * A.w[2]));
      V3<double>& moved = link.kind == JointKind::hinge ? A.w : A.v;
      const double* s = link.kind == JointKind::hinge ? S + 3 : S;
      CATENA_UNROLL
      for (int i = 0; i < 3; ++i) moved[i] += x * s[i];
      a[0] = x;
      return;
    }
    case JointKind::ball: {
      Vec3 turn = Eigen::Map<const Vec3>(joint.u) - transposed_times(I.H, A.v);
      solve_turn(joint, turn.data());
      Eigen::Map<Vec3>{a} = data.S.block<3, 3>(3, link.v).transpose() * (turn - A.w);
      A.w = turn;
      return;
    }
    case JointKind::other:
      break;
  }
  accelerate_general(link, joint, data, A, a);
}

/// Hands what is left of a link's inertia to its parent.
CATENA_INLINE void hand_down(const Link& link, const V3<double>& r, const ArticulatedInertia<double>& rest,
                             ArticulatedInertia<double>& parent) {
  if (link.kind == JointKind::ball)
    add_shifted_mass(r, rest.M, parent);
  else
    add_shifted(r, rest, parent);
}

}  // namespace catena::minimal
