#include "formulation/minimal/articulated_joint.h"

#include "math/small_matrix_kernel.h"

namespace catena::minimal {
namespace {

constexpr double kSmallestPivot = 1e-14;  // of D, relative to its diagonal

/// A turn about or a slide along ±z of the link: U is a column of I, and D one of its numbers. False: nothing resists it.
bool release_along_z(const Link& link, double tau, const Force6& p, Workspace& data, JointFactor& joint,
                     Released& out) {
  const ArticulatedInertia<double>& I = out.I;
  const bool turns = link.kind == JointKind::hinge;
  const double sign = data.S(turns ? 5 : 2, link.v), D = turns ? I.J(2, 2) : I.M(2, 2);
  if (!(D > 0.0)) return false;
  const Force6 U = turns ? Force6{I.H.col(2), I.J.col(2)} : Force6{I.M.col(2), I.H.row(2).transpose()};
  const double inverse = 1.0 / D;
  joint.D[0] = inverse;
  joint.u[0] = tau - sign * (turns ? p.n.z() : p.f.z());
  data.U.col(link.v) << sign * U.f, sign * U.n;
  out.take(U, {inverse * U.f, inverse * U.n});
  const double factor = sign * inverse * joint.u[0];
  out.push = {factor * U.f, factor * U.n};
  return true;
}

/// (1) and D⁻¹ of any joint. False: nothing resists some motion of it.
bool factor_joint(const Link& link, const double* tau, const Force6& p, const ArticulatedInertia<double>& I,
                  Workspace& data, JointFactor& joint) {
  const int n = link.num_v();
  const auto S = data.directions(link);
  for (int i = 0; i < n; ++i) {
    const Motion6 direction = motion_from(S.col(i));
    data.U.col(link.v + i) = column_from(I * direction);
    joint.u[i] = tau[i] - dot(p, direction);
    for (int j = 0; j <= i; ++j) joint.D[i + j * n] = S.col(j).dot(data.U.col(link.v + i));
  }
  return math::factor_ldlt(n, joint.D, kSmallestPivot) < 0;
}

bool release_general(const Link& link, const double* tau, const Force6& p, Workspace& data,
                     JointFactor& joint, Released& out) {
  if (!factor_joint(link, tau, p, out.I, data, joint)) return false;
  const int n = link.num_v();
  Eigen::Matrix<double, 6, 6> W;  // (U D⁻¹)ᵀ: the columns of its transpose are what solve_ldlt takes
  for (int r = 0; r < 6; ++r) {
    for (int i = 0; i < n; ++i) W(i, r) = data.U(r, link.v + i);
    math::solve_ldlt(n, joint.D, W.col(r).data());
  }
  for (int i = 0; i < n; ++i) {
    const Force6 w = force_from(W.row(i).transpose());
    out.take(force_from(data.U.col(link.v + i)), w);
    out.push += Force6{joint.u[i] * w.f, joint.u[i] * w.n};
  }
  return true;
}

/// J⁻¹ of a ball.
void solve_turn(const JointFactor& joint, double* x) {
  math::solve_lower<double, 3>(joint.D, x);
  math::scale_by_pivots<double, 3>(joint.D, x);
  math::solve_lower_transposed<double, 3>(joint.D, x);
}

/// A ball gives way to every torque: whatever its coordinates are, M - H J⁻¹Hᵀ is left, and the torque of its drive.            (5)
/// Its D is that of J in the axes of the link.
bool release_ball(const Link& link, const double* tau, const Force6& p, const Workspace& data,
                  JointFactor& joint, Released& out) {
  Eigen::Map<Mat3> J(joint.D);
  J = out.I.J;
  if (math::factor_ldlt<double, 3>(joint.D, kSmallestPivot) >= 0) return false;
  Eigen::Map<Vec3> u(joint.u);
  u = data.S.block<3, 3>(3, link.v) * Eigen::Map<const Vec3>(tau) -
      p.n;                       // S is orthogonal: its transpose is its inverse
  Mat3 X = out.I.H.transpose();  // J⁻¹Hᵀ
  for (int i = 0; i < 3; ++i) solve_turn(joint, X.col(i).data());
  out.I.M -= times(out.I.H, X);
  out.push = {X.transpose() * u, u};
  return true;
}

/// D⁻¹ x of any joint but a ball.
void solve_joint(const Link& link, const JointFactor& joint, double* x) {
  if (link.kind == JointKind::hinge || link.kind == JointKind::slider)
    x[0] *= joint.D[0];
  else
    math::solve_ldlt(link.num_v(), joint.D, x);
}

/// (2) of a ball: J α = u - Hᵀa'
void accelerate_ball(const Link& link, const ArticulatedInertia<double>& I, const JointFactor& joint,
                     const Workspace& data, Motion6& A, double* a) {
  Vec3 turn = Eigen::Map<const Vec3>(joint.u) - I.H.transpose() * A.v;
  solve_turn(joint, turn.data());
  Eigen::Map<Vec3>{a} = data.S.block<3, 3>(3, link.v).transpose() * (turn - A.w);
  A.w = turn;
}

/// (2)
void accelerate_general(const Link& link, const JointFactor& joint, const Workspace& data, Motion6& A,
                        double* a) {
  const int n = link.num_v();
  const Vec6 carried = column_from(A);
  for (int i = 0; i < n; ++i) a[i] = joint.u[i] - data.U.col(link.v + i).dot(carried);
  solve_joint(link, joint, a);
  for (int i = 0; i < n; ++i) {
    A.v += a[i] * data.S.col(link.v + i).head<3>();
    A.w += a[i] * data.S.col(link.v + i).tail<3>();
  }
}

}  // namespace

bool release_joint(const Link& link, const double* tau, const Force6& p, Workspace& data, JointFactor& joint,
                   Released& out) {
  switch (link.kind) {
    case JointKind::fixed:
      return true;
    case JointKind::hinge:
    case JointKind::slider:
      return release_along_z(link, *tau, p, data, joint, out);
    case JointKind::ball:
      return release_ball(link, tau, p, data, joint, out);
    case JointKind::other:
      break;
  }
  return release_general(link, tau, p, data, joint, out);
}

Force6 push_joint(const Link& link, const ArticulatedInertia<double>& I, const double* tau, const Force6& p,
                  const Workspace& data, JointFactor& joint) {
  Force6 push = Force6::zero();
  if (link.kind == JointKind::fixed) return push;
  if (link.kind == JointKind::ball) {
    Eigen::Map<Vec3> u(joint.u);
    u = data.S.block<3, 3>(3, link.v) * Eigen::Map<const Vec3>(tau) - p.n;
    Vec3 turn = u;
    solve_turn(joint, turn.data());
    return {I.H * turn, u};
  }
  const int n = link.num_v();
  double x[6];
  for (int i = 0; i < n; ++i) x[i] = joint.u[i] = tau[i] - dot(p, motion_from(data.S.col(link.v + i)));
  solve_joint(link, joint, x);
  for (int i = 0; i < n; ++i) {
    push.f += x[i] * data.U.col(link.v + i).head<3>();
    push.n += x[i] * data.U.col(link.v + i).tail<3>();
  }
  return push;
}

void accelerate_joint(const Link& link, const ArticulatedInertia<double>& I, const JointFactor& joint,
                      const Workspace& data, Motion6& A, double* a) {
  if (link.kind == JointKind::ball)
    accelerate_ball(link, I, joint, data, A, a);
  else if (link.kind != JointKind::fixed)
    accelerate_general(link, joint, data, A, a);
}

}  // namespace catena::minimal
