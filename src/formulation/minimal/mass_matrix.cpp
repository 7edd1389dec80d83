// The composite-rigid-body algorithm: what hangs on a joint moves as one body when only that joint moves.
//
//   I_p += I from r,    F = I S,      M_jj = Sᵀ F,      M_ij = S_iᵀ F, moved from link to link, for every joint i on the way         (1)
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 6.
#include "formulation/minimal/dynamics.h"

namespace catena {

using namespace minimal;

void mass_matrix(const JointTree& tree, const VecX& q, TreeData& data, MatX& M) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, work.still, nullptr, {});
  update_places(structure, q, work);
  update_composites(structure, work);
  M.setZero(structure.num_v, structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    for (int c = 0; c < link.num_v(); ++c) {
      Force6 F = work.inertia[k] * work.S[std::size_t(link.v + c)];
      for (int i = int(k); i >= 0; i = structure.links[std::size_t(i)].parent) {
        const Link& above = structure.links[std::size_t(i)];
        for (int r = 0; r < above.num_v(); ++r)
          M(above.v + r, link.v + c) = M(link.v + c, above.v + r) = dot(F, work.S[std::size_t(above.v + r)]);
        F = F.from(work.links[std::size_t(i)].r);
      }
    }
  }
}

namespace minimal {

void update_composites(const Structure& structure, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k)
    data.inertia[k] = ArticulatedInertia<double>(data.links[k].I);
  for (std::size_t k = structure.links.size(); k-- > 0;)
    if (const int parent = structure.links[k].parent; parent >= 0)
      add_shifted(data.links[k].r, data.inertia[k], data.inertia[std::size_t(parent)]);
}

}  // namespace minimal
}  // namespace catena
