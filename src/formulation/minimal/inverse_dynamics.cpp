// The recursive Newton-Euler algorithm: forces from accelerations.
//
//   parents first:   A = X A_p + S v̇ + ζ,   B = I A + V ×* I V - X F_load                                                  (1)
//   children first:  F = B + Σ X* F_child,   τ = Sᵀ F                                                                       (2)
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5.
#include "formulation/minimal/dynamics.h"

namespace catena {

using namespace minimal;

namespace minimal {

void update_accelerations(const Structure& structure, const VecX& a, Workspace& data) {
  const Motion6 falling{-structure.gravity, Vec3::Zero()};
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    const Vec6 relative = data.directions(link).lazyProduct(a.segment(link.v, link.num_v()));
    own.A = own.at.in(link.parent < 0 ? falling : data.links[std::size_t(link.parent)].A) + own.zeta +
            motion_from(relative);
  }
}

void update_joint_forces(const Structure& structure, Loads loads, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    LinkMotion& own = data.links[k];
    const RigidInertia<double>& I = structure.links[k].inertia;
    own.F = I * own.A;
    own.F += cross(own.V, I * own.V);
    if (!loads.empty()) own.F -= load_on(structure, data, int(k), loads);
  }
  for (std::size_t k = structure.links.size(); k-- > 0;)
    if (const int parent = structure.links[k].parent; parent >= 0)
      data.links[std::size_t(parent)].F += data.links[k].at.out(data.links[k].F);
}

Force6 load_on(const Structure& structure, const Workspace& data, int k, Loads loads) {
  const Link& link = structure.links[std::size_t(k)];
  const Mat3 to_link = data.world[std::size_t(k)].R.transpose();
  const Vec6& load = loads[std::size_t(link.body)];
  const Vec3 force = to_link * load.head<3>();
  return {force, to_link * load.tail<3>() + link.at_body.x.cross(force)};
}

}  // namespace minimal

void inverse_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& a, TreeData& data,
                      VecX& tau, Loads loads) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, v, &a, loads);
  update_motion(structure, q, v, work);
  if (!loads.empty()) update_world(structure, work);
  update_accelerations(structure, a, work);
  update_joint_forces(structure, loads, work);
  tau.resize(structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    tau.segment(link.v, link.num_v()) =
        work.directions(link).transpose().lazyProduct(column_from(work.links[k].F));
  }
}

void bias_forces(const JointTree& tree, const VecX& q, const VecX& v, TreeData& data, VecX& b) {
  inverse_dynamics(tree, q, v, data.workspace().still, data, b);
}

}  // namespace catena
