// Sums over all links: energies, centre of mass, momentum and its matrix (the centroidal one).
//
// Source: Orin, Goswami, Centroidal momentum matrix of a humanoid robot (2008).
#include "formulation/minimal/dynamics.h"

namespace catena {

using namespace minimal;

double kinetic_energy(const JointTree& /*tree*/, const TreeData& data) {
  double sum = 0.0;
  for (const LinkMotion& link : data.workspace().links) sum += 0.5 * dot(link.I * link.V, link.V);
  return sum;
}

double gravity_energy(const JointTree& tree, const TreeData& data) {
  double mass = 0.0;
  for (const Link& link : tree.structure().links) mass += link.inertia.m;
  return -mass * tree.structure().gravity.dot(centre_of_mass(tree, data));
}

Vec3 centre_of_mass(const JointTree& /*tree*/, const TreeData& data) {
  double mass = 0.0;
  Vec3 first = Vec3::Zero();
  for (const LinkMotion& link : data.workspace().links) {
    mass += link.I.m;
    first += Vec3(link.I.m * link.world.x + link.I.h);
  }
  return mass > 0.0 ? Vec3(first / mass) : Vec3::Zero();
}

Vec6 momentum(const JointTree& tree, const TreeData& data) {
  const Vec3 centre = centre_of_mass(tree, data);
  Force6 sum = Force6::zero();
  for (const LinkMotion& link : data.workspace().links)
    sum += (link.I * link.V).from(link.world.x - V3<double>(centre));
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
      A.col(i) = column_from(
          (work.inertia[k] * work.S[std::size_t(i)]).from(work.links[k].world.x - V3<double>(centre)));
}

Vec6 joint_wrench(const JointTree& tree, const TreeData& data, int link) {
  (void)link_at(tree.structure(), link);
  return column_from(data.workspace().links[std::size_t(link)].F);
}

}  // namespace catena
