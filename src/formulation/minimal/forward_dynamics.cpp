// The articulated-body algorithm: accelerations from forces, in one factorisation of the mass matrix.
//
//   parents first:    p = V ×* I V - F_load                                                                                   (1)
//   children first:   U = I S,  D = Sᵀ U,  u = τ - Sᵀ p                                                                       (2)
//                     I_p += X*(I - U D⁻¹Uᵀ)X,   p_p += X*(p + (I - U D⁻¹Uᵀ)ζ + U D⁻¹u)                                        (3)
//   parents first:    A' = X A_p + ζ,  v̇ = D⁻¹(u - Uᵀ A'),  A = A' + S v̇                                                       (4)
//
// I grows from the inertia of a link to that of the articulated body it carries; p is its bias force, kept in LinkMotion::F until the
// forces in the joints are F = I A + p in the end.
//
// Sources: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7; Jain, Robot and Multibody Dynamics (2011), ch. 7.
#include "formulation/minimal/dynamics.h"
#include "math/small_matrix_kernel.h"

namespace catena {

using namespace minimal;

namespace {

constexpr double kSmallestPivot = 1e-14;  // of D, relative to its diagonal

/// What is left of an articulated body for its parent once its joint gives way: I - U D⁻¹Uᵀ, and the push U D⁻¹u.
struct Released {
  ArticulatedInertia<double> I;
  Force6 push = Force6::zero();

  /// Takes off a column of U times one of U D⁻¹.
  void take(const Force6& U, const Force6& W) {
    I.M.noalias() -= U.f * W.f.transpose();
    I.H.noalias() -= U.f * W.n.transpose();
    I.J.noalias() -= U.n * W.n.transpose();
  }
};

/// (1)
void start_bodies(const Structure& structure, Loads loads, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    LinkMotion& own = data.links[k];
    const RigidInertia<double>& I = structure.links[k].inertia;
    data.inertia[k] = ArticulatedInertia<double>(I);
    own.F = cross(own.V, I * own.V);
    if (!loads.empty()) own.F -= load_on(structure, data, int(k), loads);
  }
}

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

/// (2) and D⁻¹ of any joint. False: nothing resists some motion of it.
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

bool release(const Link& link, const double* tau, const Force6& p, Workspace& data, JointFactor& joint,
             Released& out) {
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

bool release_any(const Link& link, const double* tau, const Force6& p, Workspace& data, JointFactor& joint,
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
  return release(link, tau, p, data, joint, out);
}

/// Hands what is left of a link to its parent: (3).
void pass_on(const Link& link, const LinkMotion& own, const Released& rest, Workspace& data) {
  ArticulatedInertia<double>& I = data.inertia[std::size_t(link.parent)];
  Force6 p = own.F;
  p += rest.push;
  if (link.kind == JointKind::ball) {
    p.f += rest.I.M * own.zeta.v;
    add_moved_mass(own.at, rest.I.M, I);
  } else {
    p += rest.I * own.zeta;
    add_moved(own.at, rest.I, I);
  }
  data.links[std::size_t(link.parent)].F += own.at.out(p);
}

/// (2), (3)
int eliminate_joints(const Structure& structure, const VecX& tau, Workspace& data) {
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    Released rest{data.inertia[k]};
    if (!release_any(link, tau.data() + link.v, data.links[k].F, data, data.joints[k], rest)) return int(k);
    if (link.parent >= 0) pass_on(link, data.links[k], rest, data);
  }
  return JointTree::kNone;
}

/// (4) of a ball: J α = u - Hᵀa'
void accelerate_ball(const Link& link, const ArticulatedInertia<double>& I, const JointFactor& joint,
                     const Workspace& data, Motion6& A, double* a) {
  Vec3 turn = Eigen::Map<const Vec3>(joint.u) - I.H.transpose() * A.v;
  solve_turn(joint, turn.data());
  Eigen::Map<Vec3>{a} = data.S.block<3, 3>(3, link.v).transpose() * (turn - A.w);
  A.w = turn;
}

/// (4)
void accelerate_joint(const Link& link, const JointFactor& joint, const Workspace& data, Motion6& A,
                      double* a) {
  const int n = link.num_v();
  const Vec6 carried = column_from(A);
  for (int i = 0; i < n; ++i) a[i] = joint.u[i] - data.U.col(link.v + i).dot(carried);
  if (n == 1)
    a[0] *= joint.D[0];
  else
    math::solve_ldlt(n, joint.D, a);
  for (int i = 0; i < n; ++i) {
    A.v += a[i] * data.S.col(link.v + i).head<3>();
    A.w += a[i] * data.S.col(link.v + i).tail<3>();
  }
}

void accelerate(const Structure& structure, Workspace& data, VecX& a) {
  const Motion6 falling{-structure.gravity, Vec3::Zero()};
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    own.A = own.at.in(link.parent < 0 ? falling : data.links[std::size_t(link.parent)].A) + own.zeta;
    if (link.kind == JointKind::ball)
      accelerate_ball(link, data.inertia[k], data.joints[k], data, own.A, a.data() + link.v);
    else if (link.kind != JointKind::fixed)
      accelerate_joint(link, data.joints[k], data, own.A, a.data() + link.v);
  }
}

}  // namespace

int forward_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& tau, TreeData& data,
                     VecX& a, Loads loads) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, v, &tau, loads);
  update_motion(structure, q, v, work);
  if (!loads.empty()) update_world(structure, work);
  start_bodies(structure, loads, work);
  a.resize(structure.num_v);
  if (const int stuck = eliminate_joints(structure, tau, work); stuck != JointTree::kNone) return stuck;
  accelerate(structure, work, a);
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    work.links[k].F += work.inertia[k] * work.links[k].A;
  return JointTree::kNone;
}

}  // namespace catena
