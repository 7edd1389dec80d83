// The recursive Newton-Euler algorithm: forces from accelerations.
//
//   parents first:   A = A_p at r + S v̇ + ζ,   B = I A + V ×* I V - F_load                                                 (1)
//   children first:  F = B + Σ F_child from r,   τ = Sᵀ F                                                                   (2)
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5.
#include "formulation/minimal/dynamics.h"

namespace catena {

using namespace minimal;

namespace minimal {

void update_accelerations(const Structure& structure, const VecX& a, Workspace& data) {
  const Motion6 falling{-structure.gravity, V3<double>::zero()};
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    const Motion6& carried = link.parent < 0 ? falling : data.links[std::size_t(link.parent)].A;
    own.A = carried.at(own.r) + own.zeta + along_joint(link, a.data() + link.v, data);
  }
}

void update_joint_forces(const Structure& structure, Loads loads, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    LinkMotion& own = data.links[k];
    own.F = own.I * own.A;
    own.F += cross(own.V, own.I * own.V);
    if (!loads.empty()) own.F -= load_on(structure, data, int(k), loads);
  }
  for (std::size_t k = structure.links.size(); k-- > 0;)
    if (const int parent = structure.links[k].parent; parent >= 0)
      data.links[std::size_t(parent)].F += data.links[k].F.from(data.links[k].r);
}

Force6 load_on(const Structure& structure, const Workspace& data, int k, Loads loads) {
  const Vec6& load = loads[std::size_t(structure.links[std::size_t(k)].body)];
  return force_from(load).from(data.links[std::size_t(k)].lever);
}

}  // namespace minimal

void inverse_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& a, TreeData& data,
                      VecX& tau, Loads loads) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, v, &a, loads);
  update_motion(structure, q, v, work);
  update_accelerations(structure, a, work);
  update_joint_forces(structure, loads, work);
  tau.resize(structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    project_on_joint(link, work.links[k].F, work, tau.data() + link.v);
  }
}

void bias_forces(const JointTree& tree, const VecX& q, const VecX& v, TreeData& data, VecX& b) {
  inverse_dynamics(tree, q, v, data.workspace().still, data, b);
}

}  // namespace catena
