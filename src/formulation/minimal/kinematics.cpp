// Where links are and how they move, and the linear maps from joint velocities to motions in the world.
//
// A direction S of a joint moves everything that its link carries: the column of a point's Jacobian is that motion, taken to the point.
#include "formulation/minimal/dynamics.h"
#include "math/rotation.h"

namespace catena {

using namespace minimal;

namespace {

/// A motion of a link, seen at a point of the world that moves with it, in world axes.
Motion6 at_point(const Frame& link, const Motion6& motion, const Vec3& point) {
  const Vec3 w = link.R * motion.w;
  return {link.R * motion.v + w.cross(point - link.x), w};
}

Frame body_in_world(const Structure& structure, const Workspace& data, int k) {
  const Frame& in_link = link_at(structure, k).at_body;
  return data.world[std::size_t(k)] * in_link;
}

}  // namespace

void forward_kinematics(const JointTree& tree, const VecX& q, const VecX& v, TreeData& data) {
  check_sizes(tree.structure(), q, v, nullptr, {});
  update_motion(tree.structure(), q, v, data.workspace());
  update_world(tree.structure(), data.workspace());
}

Placement placement(const JointTree& tree, const TreeData& data, int link) {
  const Workspace& work = data.workspace();
  const Frame body = body_in_world(tree.structure(), work, link);
  const Motion6 motion = at_point(work.world[std::size_t(link)], work.links[std::size_t(link)].V, body.x);
  return {body.x, normalised(Quat(body.R)), motion.v, motion.w};
}

void point_jacobian(const JointTree& tree, const TreeData& data, int link, const Vec3& point,
                    MotionJacobian& J) {
  const Structure& structure = tree.structure();
  const Workspace& work = data.workspace();
  (void)link_at(structure, link);
  J.setZero(6, structure.num_v);
  for (int k = link; k >= 0; k = structure.links[std::size_t(k)].parent) {
    const Link& above = structure.links[std::size_t(k)];
    for (int i = above.v; i < above.v + above.num_v(); ++i)
      J.col(i) = column_from(at_point(work.world[std::size_t(k)], motion_from(work.S.col(i)), point));
  }
}

void body_jacobian(const JointTree& tree, const TreeData& data, int link, MotionJacobian& J) {
  point_jacobian(tree, data, link, body_in_world(tree.structure(), data.workspace(), link).x, J);
}

// ζ of all joints on the way add up to the spatial acceleration at v̇ = 0; that of the point itself has ω × ẋ on top.
Vec6 point_bias(const JointTree& tree, const TreeData& data, int link, const Vec3& point) {
  const Structure& structure = tree.structure();
  const Workspace& work = data.workspace();
  (void)link_at(structure, link);
  Motion6 sum = Motion6::zero();
  for (int k = link; k >= 0; k = structure.links[std::size_t(k)].parent)
    sum = sum + at_point(work.world[std::size_t(k)], work.links[std::size_t(k)].zeta, point);
  const Motion6 motion = at_point(work.world[std::size_t(link)], work.links[std::size_t(link)].V, point);
  sum.v += motion.w.cross(motion.v);
  return column_from(sum);
}

Vec6 body_bias(const JointTree& tree, const TreeData& data, int link) {
  return point_bias(tree, data, link, body_in_world(tree.structure(), data.workspace(), link).x);
}

}  // namespace catena
