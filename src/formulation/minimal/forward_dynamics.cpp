// The articulated-body algorithm: accelerations from forces, in one factorisation of the mass matrix.
//
//   parents first:    p = V ×* I V - F_load                                                                                   (1)
//   children first:   U = I S,  D = Sᵀ U,  u = τ - Sᵀ p                                                                       (2)
//                     I_p += I - U D⁻¹Uᵀ,   p_p += p + U D⁻¹u,      both from r                                                (3)
//   parents first:    A' = A_p at r,  v̇ = D⁻¹(u - Uᵀ A'),  A = A' + ζ + S v̇                                                    (4)
//
// with p + I ζ for p in (2) and (3): what ζ asks of the joint is asked of its bias.
//
// I grows from the inertia of a link to that of the articulated body it carries; p is its bias force, kept in LinkMotion::F until the
// forces in the joints are F = I A + p in the end.
//
// Sources: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7; Jain, Robot and Multibody Dynamics (2011), ch. 7.
#include "formulation/minimal/articulated_joint.h"

namespace catena {

using namespace minimal;

namespace minimal {

void start_bias_forces(const Structure& structure, Loads loads, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    LinkMotion& own = data.links[k];
    own.F = cross(own.V, own.I * own.V);
    if (!loads.empty()) own.F -= load_on(structure, data, int(k), loads);
    data.forces[k] = own.F;
  }
}

int solve_articulated(const Structure& structure, const double* tau, Workspace& data, VecX& a) {
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    data.inertia[k] = ArticulatedInertia<double>(data.links[k].I);
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    const LinkMotion& own = data.links[k];
    const ArticulatedInertia<double> I = data.inertia[k];
    if (!release_joint(link, k, I, data)) return int(k);
    Force6 p = I * own.zeta;
    p += own.F;
    p += push_joint(link, k, tau + link.v, p, data);
    if (link.parent < 0) continue;
    hand_down(link, k, own.r, I, data, data.inertia[std::size_t(link.parent)]);
    data.links[std::size_t(link.parent)].F += p.from(own.r);
  }
  const Motion6 falling{-structure.gravity, V3<double>::zero()};
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    Motion6 A = (link.parent < 0 ? falling : data.links[std::size_t(link.parent)].A).at(own.r);
    accelerate_joint(link, k, data, A, a.data() + link.v);
    own.A = A + own.zeta;
  }
  return JointTree::kNone;
}

}  // namespace minimal

int forward_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& tau, TreeData& data,
                     VecX& a, Loads loads) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, v, &tau, loads);
  update_motion(structure, q, v, work);
  start_bias_forces(structure, loads, work);
  a.resize(structure.num_v);
  if (const int stuck = solve_articulated(structure, tau.data(), work, a); stuck != JointTree::kNone)
    return stuck;
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    work.links[k].F += work.inertia[k] * work.links[k].A;
  return JointTree::kNone;
}

}  // namespace catena
