// M(q) without its entries: times a vector, and its inverse by the factor of articulated bodies.   O(links)
//
//   M = (1 + H Φ K) D (1 + H Φ K)ᵀ      in Jain's operators: D of the joints, K = U D⁻¹, both at a position alone                 (1)
//
// Source: Jain, Robot and Multibody Dynamics (2011), ch. 7; the sweeps are those of forward_dynamics.cpp without velocities and weight.
#include "formulation/minimal/articulated_joint.h"

namespace catena::minimal {

int factor_mass(const Structure& structure, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    data.inertia[k] = ArticulatedInertia<double>(data.links[k].I);
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    const ArticulatedInertia<double> I = data.inertia[k];
    if (!release_joint(link, k, I, data)) return int(k);
    if (link.parent >= 0)
      hand_down(link, k, data.links[k].r, I, data, data.inertia[std::size_t(link.parent)]);
  }
  return JointTree::kNone;
}

void solve_mass(const Structure& structure, const VecX& f, Workspace& data, VecX& x) {
  for (Force6& force : data.forces) force = Force6::zero();
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    Force6 p = data.forces[k];
    p += push_joint(link, k, f.data() + link.v, data.forces[k], data);
    if (link.parent >= 0) data.forces[std::size_t(link.parent)] += p.from(data.links[k].r);
  }
  x.resize(structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    Motion6& A = data.motions[k];
    A = link.parent < 0 ? Motion6::zero() : data.motions[std::size_t(link.parent)].at(data.links[k].r);
    accelerate_joint(link, k, data, A, x.data() + link.v);
  }
}

void multiply_mass(const Structure& structure, const VecX& x, Workspace& data, VecX& out) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    Motion6& own = data.motions[k];
    own = along_joint(link, x.data() + link.v, data);
    if (link.parent >= 0) own = own + data.motions[std::size_t(link.parent)].at(data.links[k].r);
    data.forces[k] = data.links[k].I * own;
  }
  out.resize(structure.num_v);
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    project_on_joint(link, data.forces[k], data, out.data() + link.v);
    if (link.parent >= 0) data.forces[std::size_t(link.parent)] += data.forces[k].from(data.links[k].r);
  }
}

}  // namespace catena::minimal
