// Where links are and how they move, and the linear maps from joint velocities to motions in the world.
//
// A direction S of a joint moves everything that its link carries: the column of a point's Jacobian is that motion, taken to the point.
#include "formulation/minimal/dynamics.h"
#include "math/rotation.h"

namespace catena {

using namespace minimal;

namespace {

Vec3 centre_of(const Structure& structure, const Workspace& data, int k) {
  (void)link_at(structure, k);
  const LinkMotion& link = data.links[std::size_t(k)];
  return link.world.x + link.lever;
}

}  // namespace

void forward_kinematics(const JointTree& tree, const VecX& q, const VecX& v, TreeData& data) {
  check_sizes(tree.structure(), q, v, nullptr, {});
  update_motion(tree.structure(), q, v, data.workspace());
}

Placement placement(const JointTree& tree, const TreeData& data, int link) {
  const Vec3 centre = centre_of(tree.structure(), data.workspace(), link);
  const LinkMotion& own = data.workspace().links[std::size_t(link)];
  const Mat3 R = own.world.R * tree.structure().links[std::size_t(link)].at_body.R;
  const Motion6 motion = own.V.at(own.lever);
  return {centre, normalised(Quat(R)), motion.v, motion.w};
}

void point_jacobian(const JointTree& tree, const TreeData& data, int link, const Vec3& point,
                    MotionJacobian& J) {
  const Structure& structure = tree.structure();
  const Workspace& work = data.workspace();
  (void)link_at(structure, link);
  J.setZero(6, structure.num_v);
  for (int k = link; k >= 0; k = structure.links[std::size_t(k)].parent) {
    const Link& above = structure.links[std::size_t(k)];
    const V3<double> r = V3<double>(point) - work.links[std::size_t(k)].world.x;
    for (int i = above.v; i < above.v + above.num_v(); ++i)
      J.col(i) = column_from(work.S[std::size_t(i)].at(r));
  }
}

void body_jacobian(const JointTree& tree, const TreeData& data, int link, MotionJacobian& J) {
  point_jacobian(tree, data, link, centre_of(tree.structure(), data.workspace(), link), J);
}

// ζ of all joints on the way add up to the spatial acceleration at v̇ = 0; that of the point itself has ω × ẋ on top.
Vec6 point_bias(const JointTree& tree, const TreeData& data, int link, const Vec3& point) {
  const Structure& structure = tree.structure();
  const Workspace& work = data.workspace();
  (void)link_at(structure, link);
  Motion6 sum = Motion6::zero();
  for (int k = link; k >= 0; k = structure.links[std::size_t(k)].parent) {
    const LinkMotion& above = work.links[std::size_t(k)];
    sum = sum + above.zeta.at(V3<double>(point) - above.world.x);
  }
  const LinkMotion& own = work.links[std::size_t(link)];
  const Motion6 motion = own.V.at(V3<double>(point) - own.world.x);
  sum.v += cross(motion.w, motion.v);
  return column_from(sum);
}

Vec6 body_bias(const JointTree& tree, const TreeData& data, int link) {
  return point_bias(tree, data, link, centre_of(tree.structure(), data.workspace(), link));
}

}  // namespace catena
