// The articulated-body algorithm: accelerations from forces, in one factorisation of the mass matrix.
//
//   parents first:    p = V ×* I V - F_load                                                                                   (1)
//   children first:   U = I S,  D = Sᵀ U,  u = τ - Sᵀ p                                                                       (2)
//                     I_p += X*(I - U D⁻¹Uᵀ)X,   p_p += X*(p + (I - U D⁻¹Uᵀ)ζ + U D⁻¹u)                                        (3)
//   parents first:    A' = X A_p + ζ,  v̇ = D⁻¹(u - Uᵀ A'),  A = A' + S v̇                                                       (4)
//
// I grows from the inertia of a link to that of the articulated body it carries; p is its bias force, kept in LinkMotion::F until the
// forces in the joints are F = I A + p in the end.
//
// Sources: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7; Jain, Robot and Multibody Dynamics (2011), ch. 7.
#include "formulation/minimal/articulated_joint.h"

namespace catena {

using namespace minimal;

namespace {

/// (1)
void start_bodies(const Structure& structure, Loads loads, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    LinkMotion& own = data.links[k];
    const RigidInertia<double>& I = structure.links[k].inertia;
    data.inertia[k] = ArticulatedInertia<double>(I);
    own.F = cross(own.V, I * own.V);
    if (!loads.empty()) own.F -= load_on(structure, data, int(k), loads);
  }
}

/// Hands what is left of a link to its parent: (3).
void pass_on(const Link& link, const LinkMotion& own, const Released& rest, Workspace& data) {
  ArticulatedInertia<double>& I = data.inertia[std::size_t(link.parent)];
  Force6 p = own.F;
  p += rest.push;
  if (link.kind == JointKind::ball) {
    p.f += rest.I.M * own.zeta.v;
    add_moved_mass(own.at, rest.I.M, I);
  } else {
    p += rest.I * own.zeta;
    add_moved(own.at, rest.I, I);
  }
  data.links[std::size_t(link.parent)].F += own.at.out(p);
}

/// (2), (3)
int eliminate_joints(const Structure& structure, const VecX& tau, Workspace& data) {
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    Released rest{data.inertia[k]};
    if (!release_joint(link, tau.data() + link.v, data.links[k].F, data, data.joints[k], rest)) return int(k);
    if (link.parent >= 0) pass_on(link, data.links[k], rest, data);
  }
  return JointTree::kNone;
}

/// (4)
void accelerate(const Structure& structure, Workspace& data, VecX& a) {
  const Motion6 falling{-structure.gravity, Vec3::Zero()};
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    own.A = own.at.in(link.parent < 0 ? falling : data.links[std::size_t(link.parent)].A) + own.zeta;
    accelerate_joint(link, data.inertia[k], data.joints[k], data, own.A, a.data() + link.v);
  }
}

}  // namespace

int forward_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& tau, TreeData& data,
                     VecX& a, Loads loads) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, v, &tau, loads);
  update_motion(structure, q, v, work);
  if (!loads.empty()) update_world(structure, work);
  start_bodies(structure, loads, work);
  a.resize(structure.num_v);
  if (const int stuck = eliminate_joints(structure, tau, work); stuck != JointTree::kNone) return stuck;
  accelerate(structure, work, a);
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    work.links[k].F += work.inertia[k] * work.links[k].A;
  return JointTree::kNone;
}

}  // namespace catena
