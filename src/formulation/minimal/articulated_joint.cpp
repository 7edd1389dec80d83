#include "formulation/minimal/articulated_joint.h"

#include <cassert>

namespace catena::minimal {
namespace {

template <int N>
bool factor_directions(const Link& link, const ArticulatedInertia<double>& I, Workspace& data,
                       JointFactor& joint) {
  const Motion6* S = data.directions(link);
  Force6* U = data.U.data() + link.v;
  const M3<double> Ht = transposed(I.H);
  for (int i = 0; i < N; ++i) {
    U[i] = {I.M * S[i].v + I.H * S[i].w, Ht * S[i].v + I.J * S[i].w};
    for (int j = 0; j <= i; ++j) joint.D[i + j * N] = dot(U[i], S[j]);
  }
  return math::factor_ldlt<double, N>(joint.D, kLeastInertia) < 0;
}

}  // namespace

bool release_several(const Link& link, const ArticulatedInertia<double>& I, Workspace& data,
                     JointFactor& joint) {
  switch (link.num_v()) {
    case 1:
      return factor_directions<1>(link, I, data, joint);
    case 2:
      return factor_directions<2>(link, I, data, joint);
    case 3:
      return factor_directions<3>(link, I, data, joint);
    default:
      assert(link.num_v() == 6);
      return factor_directions<6>(link, I, data, joint);
  }
}

// U D⁻¹Uᵀ = Σ w d⁻¹wᵀ with W = U L⁻ᵀ
void hand_down_several(const Link& link, const V3<double>& r, const Workspace& data, const JointFactor& joint,
                       ArticulatedInertia<double>& parent) {
  const int n = link.num_v();
  Force6 W[JointMotion::kMostV];
  for (int i = 0; i < n; ++i) {
    W[i] = data.U[std::size_t(link.v + i)].from(r);
    for (int j = 0; j < i; ++j) W[i] -= joint.D[i + j * n] * W[j];
    parent.take(W[i], joint.D[i + i * n] * W[i]);
  }
}

Force6 push_several(const Link& link, const double* tau, const Force6& p, const Workspace& data,
                    JointFactor& joint) {
  const int n = link.num_v();
  double x[6];
  project_on_joint(link, p, data, x);
  for (int i = 0; i < n; ++i) x[i] = joint.u[i] = tau[i] - x[i];
  Force6 push = Force6::zero();
  if (link.parent < 0) return push;  // nobody is there to be pushed
  math::solve_ldlt(n, joint.D, x);
  const Force6* U = data.U.data() + link.v;
  for (int i = 0; i < n; ++i) push += x[i] * U[i];
  return push;
}

void accelerate_several(const Link& link, const JointFactor& joint, const Workspace& data, Motion6& A,
                        double* a) {
  const Force6* U = data.U.data() + link.v;
  for (int i = 0; i < link.num_v(); ++i) a[i] = joint.u[i] - dot(U[i], A);
  math::solve_ldlt(link.num_v(), joint.D, a);
  A = A + along_joint(link, a, data);
}

}  // namespace catena::minimal
