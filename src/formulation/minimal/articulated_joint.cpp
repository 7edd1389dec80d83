#include "formulation/minimal/articulated_joint.h"

namespace catena::minimal {

bool release_general(const Link& link, Workspace& data, JointFactor& joint, ArticulatedInertia<double>& I) {
  const int n = link.num_v();
  const auto S = data.directions(link);
  for (int i = 0; i < n; ++i) {
    data.U.col(link.v + i) = column_from(I * motion_from(S.col(i)));
    for (int j = 0; j <= i; ++j) joint.D[i + j * n] = S.col(j).dot(data.U.col(link.v + i));
  }
  if (math::factor_ldlt(n, joint.D, kLeastInertia) >= 0) return false;
  Eigen::Matrix<double, 6, 6> W;  // (U D⁻¹)ᵀ: the columns of its transpose are what solve_ldlt takes
  for (int r = 0; r < 6; ++r) {
    for (int i = 0; i < n; ++i) W(i, r) = data.U(r, link.v + i);
    math::solve_ldlt(n, joint.D, W.col(r).data());
  }
  for (int i = 0; i < n; ++i) {
    const Force6 w = force_from(W.row(i).transpose()), u = force_from(data.U.col(link.v + i));
    I.M.take(u.f, w.f);
    I.H.noalias() -= u.f * w.n.transpose();
    I.J.take(u.n, w.n);
  }
  return true;
}

Force6 push_general(const Link& link, const double* tau, const Force6& p, const Workspace& data,
                    JointFactor& joint) {
  const int n = link.num_v();
  double x[6];
  project_on_joint(link, p, data, x);
  for (int i = 0; i < n; ++i) x[i] = joint.u[i] = tau[i] - x[i];
  math::solve_ldlt(n, joint.D, x);
  Force6 push = Force6::zero();
  for (int i = 0; i < n; ++i) {
    push.f += x[i] * data.U.col(link.v + i).head<3>();
    push.n += x[i] * data.U.col(link.v + i).tail<3>();
  }
  return push;
}

void accelerate_general(const Link& link, const JointFactor& joint, const Workspace& data, Motion6& A,
                        double* a) {
  const Vec6 carried = column_from(A);
  for (int i = 0; i < link.num_v(); ++i) a[i] = joint.u[i] - data.U.col(link.v + i).dot(carried);
  math::solve_ldlt(link.num_v(), joint.D, a);
  A = A + along_joint(link, a, data);
}

}  // namespace catena::minimal
