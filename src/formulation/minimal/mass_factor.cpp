// M(q) without its entries: times a vector, and its inverse by the factor of articulated bodies.   O(links)
//
//   M = (1 + H Φ K) D (1 + H Φ K)ᵀ      in Jain's operators: D of the joints, K = U D⁻¹, both at a position alone                 (1)
//
// Source: Jain, Robot and Multibody Dynamics (2011), ch. 7; the sweeps are those of forward_dynamics.cpp without velocities and weight.
#include "formulation/minimal/articulated_joint.h"

namespace catena::minimal {

int factor_mass(const Structure& structure, Workspace& data) {
  static constexpr double kNoForce[JointMotion::kMostV] = {};
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    data.inertia[k] = ArticulatedInertia<double>(structure.links[k].inertia);
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    Released rest{data.inertia[k]};
    if (!release_joint(link, kNoForce, Force6::zero(), data, data.joints[k], rest)) return int(k);
    if (link.parent < 0) continue;
    ArticulatedInertia<double>& parent = data.inertia[std::size_t(link.parent)];
    if (link.kind == JointKind::ball)
      add_moved_mass(data.links[k].at, rest.I.M, parent);
    else
      add_moved(data.links[k].at, rest.I, parent);
  }
  return JointTree::kNone;
}

void solve_mass(const Structure& structure, const VecX& f, Workspace& data, VecX& x) {
  for (Force6& force : data.forces) force = Force6::zero();
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    Force6 p = data.forces[k];
    p += push_joint(link, data.inertia[k], f.data() + link.v, data.forces[k], data, data.joints[k]);
    if (link.parent >= 0) data.forces[std::size_t(link.parent)] += data.links[k].at.out(p);
  }
  x.resize(structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    Motion6& A = data.motions[k];
    A = link.parent < 0 ? Motion6::zero() : data.links[k].at.in(data.motions[std::size_t(link.parent)]);
    accelerate_joint(link, data.inertia[k], data.joints[k], data, A, x.data() + link.v);
  }
}

void multiply_mass(const Structure& structure, const VecX& x, Workspace& data, VecX& out) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    const Vec6 relative = data.directions(link).lazyProduct(x.segment(link.v, link.num_v()));
    Motion6& own = data.motions[k];
    own = motion_from(relative);
    if (link.parent >= 0) own = own + data.links[k].at.in(data.motions[std::size_t(link.parent)]);
    data.forces[k] = link.inertia * own;
  }
  out.resize(structure.num_v);
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    out.segment(link.v, link.num_v()) =
        data.directions(link).transpose().lazyProduct(column_from(data.forces[k]));
    if (link.parent >= 0) data.forces[std::size_t(link.parent)] += data.links[k].at.out(data.forces[k]);
  }
}

}  // namespace catena::minimal
