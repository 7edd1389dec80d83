// One joint in the sweeps of articulated bodies: what it leaves of an inertia for its parent, and how it gives way.
//
//   U = I S,  D = Sᵀ U,  u = τ - Sᵀ p,      left: I - U D⁻¹Uᵀ, and the push U D⁻¹u                                                 (1)
//   v̇ = D⁻¹(u - Uᵀ A'),  A = A' + S v̇                                                                                          (2)
#pragma once

#include "formulation/minimal/dynamics.h"

namespace catena::minimal {

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

/// (1) of a link; `out.I` holds its articulated inertia on entry. U and D stay in `data` and `joint`. False: nothing resists some motion of it.
bool release_joint(const Link& link, const double* tau, const Force6& p, Workspace& data, JointFactor& joint,
                   Released& out);
/// u and the push of (1) alone, with the U and D of an earlier release.
Force6 push_joint(const Link& link, const ArticulatedInertia<double>& I, const double* tau, const Force6& p,
                  const Workspace& data, JointFactor& joint);
/// (2): A' becomes A.
void accelerate_joint(const Link& link, const ArticulatedInertia<double>& I, const JointFactor& joint,
                      const Workspace& data, Motion6& A, double* a);

}  // namespace catena::minimal
