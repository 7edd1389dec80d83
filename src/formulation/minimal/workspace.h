// Numbers of one instant, link by link, and the sweeps that all algorithms begin with.
#pragma once

#include "formulation/minimal/structure.h"

namespace catena::minimal {

using Motion6 = SpatialMotion<double>;
using Force6 = SpatialForce<double>;

/// Of one link, in world axes, about its own origin.
struct LinkMotion {
  Frame world;             // its frame
  Vec3 r;                  // from the origin of the parent (or of the world)
  Vec3 lever;              // to its centre of mass
  RigidInertia<double> I;  // its own inertia
  Motion6 V;               // velocity
  Motion6 zeta;            // acceleration that it has at v̇ = 0 and with a parent at rest: Ṡ v + V × S v
  Motion6 A;               // acceleration, with that of the world taken as -g: weight is then inertia
  Force6 F;                // what the parent exerts on it through the joint
};

/// Joints in the sweep of articulated bodies.
struct JointFactor {
  double D
      [36];  // L Λ Lᵀ of Sᵀ I S (math/small_matrix_kernel.h), num_v × num_v; of hinges and sliders its inverse
  double u[6];  // τ - Sᵀ p
};

struct Workspace {
  explicit Workspace(const Structure& structure);

  std::vector<LinkMotion> links;
  std::vector<ArticulatedInertia<double>> inertia;  // of articulated or of composite bodies
  std::vector<JointFactor> joints;
  Eigen::Matrix<double, 6, Eigen::Dynamic>
      S;  // free directions of all joints, a column per velocity, as the motions of their links
  Eigen::Matrix<double, 6, Eigen::Dynamic> U;  // I S
  VecX still;                                  // zeros, one per velocity
  std::vector<Motion6> motions;                // scratch of sweeps, one per link
  std::vector<Force6> forces;

  auto directions(const Link& link) { return S.middleCols(link.v, link.num_v()); }
  auto directions(const Link& link) const { return S.middleCols(link.v, link.num_v()); }
};

CATENA_INLINE Motion6 motion_from(const Vec6& column) {
  return {column.head<3>(), column.tail<3>()};
}
CATENA_INLINE Force6 force_from(const Vec6& column) {
  return {column.head<3>(), column.tail<3>()};
}
template <class Pair>
CATENA_INLINE Vec6 column_from(const Pair& pair) {
  const auto& [linear, angular] = pair;
  Vec6 out;
  out << linear, angular;
  return out;
}

/// S x of one joint, and Sᵀ F into `out`.
CATENA_INLINE Motion6 along_joint(const Link& link, const double* x, const Workspace& data) {
  const double* S = data.S.data() + 6 * link.v;
  Motion6 out = Motion6::zero();
  for (int i = 0; i < link.num_v(); ++i, S += 6)
    for (int k = 0; k < 3; ++k) {
      out.v[k] += x[i] * S[k];
      out.w[k] += x[i] * S[3 + k];
    }
  return out;
}
CATENA_INLINE void project_on_joint(const Link& link, const Force6& F, const Workspace& data, double* out) {
  const double* S = data.S.data() + 6 * link.v;
  for (int i = 0; i < link.num_v(); ++i, S += 6)
    out[i] = S[0] * F.f[0] + S[1] * F.f[1] + S[2] * F.f[2] + S[3] * F.n[0] + S[4] * F.n[1] + S[5] * F.n[2];
}

/// Where links are, with their inertias and the free directions of their joints.   O(links)
void update_places(const Structure& structure, const VecX& q, Workspace& data);
/// The same with velocities and ζ.
void update_motion(const Structure& structure, const VecX& q, const VecX& v, Workspace& data);

}  // namespace catena::minimal
