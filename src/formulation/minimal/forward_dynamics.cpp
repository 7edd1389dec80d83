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

/// (2), (3)
int eliminate_joints(const Structure& structure, const VecX& tau, Workspace& data) {
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    Released rest{data.inertia[k]};
    const double* own_tau = tau.data() + link.v;
    const bool is_along_z = link.kind == JointKind::hinge || link.kind == JointKind::slider;
    if (is_along_z ? !release_along_z(link, *own_tau, own.F, data, data.joints[k], rest)
                   : !release(link, own_tau, own.F, data, data.joints[k], rest))
      return int(k);
    if (link.parent < 0) continue;
    Force6 p = rest.I * own.zeta;
    p += own.F;
    p += rest.push;
    add_moved(own.at, rest.I, data.inertia[std::size_t(link.parent)]);
    data.links[std::size_t(link.parent)].F += own.at.out(p);
  }
  return JointTree::kNone;
}

/// (4)
void accelerate(const Structure& structure, Workspace& data, VecX& a) {
  const Motion6 falling{-structure.gravity, Vec3::Zero()};
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    own.A = own.at.in(link.parent < 0 ? falling : data.links[std::size_t(link.parent)].A) + own.zeta;
    const int n = link.num_v();
    if (n == 0) continue;
    JointFactor& joint = data.joints[k];
    const Vec6 carried = column_from(own.A);
    for (int i = 0; i < n; ++i) a[link.v + i] = joint.u[i] - data.U.col(link.v + i).dot(carried);
    if (n == 1)
      a[link.v] *= joint.D[0];
    else
      math::solve_ldlt(n, joint.D, a.data() + link.v);
    for (int i = 0; i < n; ++i) {
      own.A.v += a[link.v + i] * data.S.col(link.v + i).head<3>();
      own.A.w += a[link.v + i] * data.S.col(link.v + i).tail<3>();
    }
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
