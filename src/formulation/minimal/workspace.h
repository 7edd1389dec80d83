// Numbers of one instant, link by link, and the sweeps that all algorithms begin with.
#pragma once

#include "formulation/minimal/structure.h"

namespace catena::minimal {

using Motion6 = SpatialMotion<double>;
using Force6 = SpatialForce<double>;

/// Of one link, in world axes, about its own origin.
struct LinkMotion {
  Frame world;             // its frame
  V3<double> r;            // from the origin of the parent (or of the world)
  V3<double> lever;        // to its centre of mass
  RigidInertia<double> I;  // its own inertia
  Motion6 V;               // velocity
  Motion6 zeta;            // acceleration that it has at v̇ = 0 and with a parent at rest: Ṡ v + V × S v
  Motion6 A;               // acceleration, with that of the world taken as -g: weight is then inertia
  Force6 F;                // what the parent exerts on it through the joint
};

/// Joints of several velocities in the sweep of articulated bodies.
struct JointFactor {
  double D[36];  // L Λ Lᵀ of Sᵀ I S (math/small_matrix_kernel.h), num_v × num_v
  double u[6];   // τ - Sᵀ p
};
/// Hinges and sliders there.
struct SingleFactor {
  double inverse;  // of Sᵀ I S
  double u;
};

struct Workspace {
  explicit Workspace(const Structure& structure);

  std::vector<LinkMotion> links;
  std::vector<ArticulatedInertia<double>> inertia;  // of articulated or of composite bodies
  std::vector<SingleFactor> singles;                // by link, as the following
  std::vector<JointFactor> joints;
  std::vector<Motion6> S;  // free directions of all joints, one per velocity, as the motions of their links
  std::vector<Force6> U;   // I S
  VecX still;              // zeros, one per velocity
  std::vector<Motion6> motions;  // scratch of sweeps, one per link
  std::vector<Force6> forces;

  const Motion6* directions(const Link& link) const { return S.data() + link.v; }
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
  linear.store(out.data());
  angular.store(out.data() + 3);
  return out;
}

/// S x of one joint, and Sᵀ F into `out`.
CATENA_INLINE Motion6 along_joint(const Link& link, const double* x, const Workspace& data) {
  const Motion6* S = data.directions(link);
  Motion6 out = Motion6::zero();
  for (int i = 0; i < link.num_v(); ++i) out = out + x[i] * S[i];
  return out;
}
CATENA_INLINE void project_on_joint(const Link& link, const Force6& F, const Workspace& data, double* out) {
  const Motion6* S = data.directions(link);
  for (int i = 0; i < link.num_v(); ++i) out[i] = dot(F, S[i]);
}

/// Where links are, with their inertias and the free directions of their joints.   O(links)
void update_places(const Structure& structure, const VecX& q, Workspace& data);
/// The same with velocities and ζ.
void update_motion(const Structure& structure, const VecX& q, const VecX& v, Workspace& data);

}  // namespace catena::minimal
