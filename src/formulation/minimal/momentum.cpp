// Sums over all links: energies, centre of mass, momentum and its matrix (the centroidal one).
//
// Source: Orin, Goswami, Centroidal momentum matrix of a humanoid robot (2008).
#include "formulation/minimal/dynamics.h"

namespace catena {

using namespace minimal;

namespace {

/// A wrench or a momentum in the frame of a link, about `point` and in the axes of the world.
Force6 about(const Frame& link, const Force6& inner, const Vec3& point) {
  const Vec3 f = link.R * inner.f;
  return {f, link.R * inner.n + (link.x - point).cross(f)};
}

}  // namespace

double kinetic_energy(const JointTree& tree, const TreeData& data) {
  double sum = 0.0;
  for (std::size_t k = 0; k < tree.structure().links.size(); ++k) {
    const Motion6& V = data.workspace().links[k].V;
    sum += 0.5 * dot(tree.structure().links[k].inertia * V, V);
  }
  return sum;
}

double gravity_energy(const JointTree& tree, const TreeData& data) {
  double mass = 0.0;
  for (const Link& link : tree.structure().links) mass += link.inertia.m;
  return -mass * tree.structure().gravity.dot(centre_of_mass(tree, data));
}

Vec3 centre_of_mass(const JointTree& tree, const TreeData& data) {
  double mass = 0.0;
  Vec3 first = Vec3::Zero();
  for (std::size_t k = 0; k < tree.structure().links.size(); ++k) {
    const RigidInertia<double>& I = tree.structure().links[k].inertia;
    const Frame& at = data.workspace().world[k];
    mass += I.m;
    first += I.m * at.x + at.R * I.h;
  }
  return mass > 0.0 ? Vec3(first / mass) : Vec3::Zero();
}

Vec6 momentum(const JointTree& tree, const TreeData& data) {
  const Vec3 centre = centre_of_mass(tree, data);
  Force6 sum = Force6::zero();
  for (std::size_t k = 0; k < tree.structure().links.size(); ++k)
    sum += about(data.workspace().world[k], tree.structure().links[k].inertia * data.workspace().links[k].V,
                 centre);
  return column_from(sum);
}

void momentum_matrix(const JointTree& tree, TreeData& data, MotionJacobian& A) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  const Vec3 centre = centre_of_mass(tree, data);
  update_composites(structure, work);
  A.resize(6, structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    for (int i = structure.links[k].v; i < structure.links[k].v + structure.links[k].num_v(); ++i)
      A.col(i) = column_from(about(work.world[k], work.inertia[k] * motion_from(work.S.col(i)), centre));
}

Vec6 joint_wrench(const JointTree& tree, const TreeData& data, int link) {
  const Workspace& work = data.workspace();
  (void)link_at(tree.structure(), link);
  Frame at = work.links[std::size_t(link)].at;
  for (int k = tree.parent(link); k >= 0; k = tree.parent(k)) at = work.links[std::size_t(k)].at * at;
  return column_from(about(at, work.links[std::size_t(link)].F, at.x));
}

}  // namespace catena
