// Numbers of one instant, link by link, and the sweeps that all algorithms begin with.
#pragma once

#include "formulation/minimal/structure.h"

namespace catena::minimal {

using Motion6 = SpatialMotion<double>;
using Force6 = SpatialForce<double>;

/// Of one link, in its own frame.
struct LinkMotion {
  Frame at;      // where it is in the frame of its parent
  Motion6 V;     // velocity
  Motion6 zeta;  // acceleration that it has at v̇ = 0 and with a parent at rest: Ṡ v + V × S v
  Motion6 A;     // acceleration, with that of the world taken as -g: weight is then inertia
  Force6 F;      // what the parent exerts on it through the joint
};

/// Joints in the sweep of articulated bodies.
struct JointFactor {
  double D[36];  // L Λ Lᵀ of Sᵀ I S (math/small_matrix_kernel.h), num_v × num_v
  double u[6];   // τ - Sᵀ p
};

struct Workspace {
  explicit Workspace(const Structure& structure);

  std::vector<LinkMotion> links;
  std::vector<ArticulatedInertia<double>> inertia;  // of articulated or of composite bodies
  std::vector<JointFactor> joints;
  Eigen::Matrix<double, 6, Eigen::Dynamic>
      S;  // free directions of all joints, a column per velocity, in the frame of their link
  Eigen::Matrix<double, 6, Eigen::Dynamic> U;  // I S
  std::vector<Frame> world;                    // links in the world: forward_kinematics
  VecX still;                                  // zeros, one per velocity
  std::vector<Motion6> motions;                // scratch of sweeps, one per link
  std::vector<Force6> forces;

  auto directions(const Link& link) { return S.middleCols(link.v, link.num_v()); }
  auto directions(const Link& link) const { return S.middleCols(link.v, link.num_v()); }
};

inline Motion6 motion_from(const Vec6& column) {
  return {column.head<3>(), column.tail<3>()};
}
inline Force6 force_from(const Vec6& column) {
  return {column.head<3>(), column.tail<3>()};
}
template <class Pair>
Vec6 column_from(const Pair& pair) {
  const auto& [linear, angular] = pair;
  Vec6 out;
  out << linear, angular;
  return out;
}

/// Where links are in their parents, and the free directions of their joints.   O(links)
void update_places(const Structure& structure, const VecX& q, Workspace& data);
/// The same with velocities and ζ.
void update_motion(const Structure& structure, const VecX& q, const VecX& v, Workspace& data);
/// Links in the world, from their places.
void update_world(const Structure& structure, Workspace& data);

}  // namespace catena::minimal
