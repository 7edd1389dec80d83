// Places and velocities, parents first.
//
//   V = V_p at r + S v,    ζ = Ṡ v + V × S v                                                                                    (1)
//
// Joint coordinates are those of marker a seen from marker b, in the axes of b (model/joints/joint_motion.h): twist (ν ; ω) = S_b v with
// bias c_b, pose (ρ, R). In the frame of the link that is
//
//   link carries a:   S = Rᵀ S_b,                          Ṡ v = Rᵀ c_b - (ω' × ν' ; 0),        ' components in the axes of a      (2)
//   link carries b:   S = -(1  [ρ]× ; 0  1) S_b,           Ṡ v = -(1 [ρ]× ; 0 1) c_b - (ν × ω ; 0)                                  (3)
//
// and the axes of the link take it to those of the world. Joints that sweeps know by name are placed in world axes at once: their directions
// are columns of `base`, the axes of the marker on the parent, or of the link's own.
#include "formulation/minimal/workspace.h"

#include "math/rotation.h"

namespace catena::minimal {
namespace {

using V = V3<double>;
using Axes = M3<double>;

double sign_of(const Link& link) {
  return link.carries_b ? -1.0 : 1.0;
}

/// B·Rz(θ), B·Rx(θ)
CATENA_INLINE Axes turned_about_z(const Axes& B, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {c * B.x + s * B.y, c * B.y - s * B.x, B.z};
}
CATENA_INLINE Axes turned_about_x(const Axes& B, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {B.x, c * B.y + s * B.z, c * B.z - s * B.y};
}

/// (2) or (3) of columns in the axes of b. @param pose of a seen from b
template <class Columns>
Columns in_link(const Link& link, const RelativePose& pose, const Columns& of_b) {
  Columns out = of_b;
  for (Eigen::Index j = 0; j < of_b.cols(); ++j) {
    const Vec3 linear = of_b.col(j).template head<3>(), angular = of_b.col(j).template tail<3>();
    if (link.carries_b) {
      out.col(j).template head<3>() = -(linear + pose.x.cross(angular));
      out.col(j).template tail<3>() = -angular;
    } else {
      out.col(j).template head<3>() = pose.R.transpose() * linear;
      out.col(j).template tail<3>() = pose.R.transpose() * angular;
    }
  }
  return out;
}

/// Ṡ v of joints whose directions change in the frame of their link, in world axes.
Motion6 direction_rate(const Link& link, const Axes& world, const double* q, const double* v) {
  const RelativePose pose = link.motion.pose_from(q);
  const Twist twist = link.motion.twist(q, v);
  const Vec3 turn = twist.head<3>().cross(twist.tail<3>());  // ν × ω, in the axes of b
  Motion6 rate = motion_from(in_link(link, pose, link.motion.bias(q, v)));
  rate.v += link.carries_b ? Vec3(-turn) : Vec3(pose.R.transpose() * turn);
  return {world * rate.v, world * rate.w};
}

void place_general(const Link& link, const double* q, const Axes& base, LinkMotion& own, Motion6* S) {
  const RelativePose seen = link.motion.pose_from(q);
  const Frame a_from_b{seen.R, seen.x}, moved = link.carries_b ? a_from_b.inverse() : a_from_b;
  own.world.R = base * moved.R;
  own.r += base * moved.x;
  const FreeDirections directions = in_link(link, seen, link.motion.free_directions(q));
  for (int i = 0; i < link.num_v(); ++i)
    S[i] = {own.world.R * V(directions.col(i).head<3>()), own.world.R * V(directions.col(i).tail<3>())};
}

void place_ball(const Link& link, const double* q, const Axes& base, LinkMotion& own, Motion6* S) {
  const Axes R(load_quat(q).toRotationMatrix());  // v is the angular velocity in the axes of b
  own.world.R = base * (link.carries_b ? transposed(R) : R);
  const Axes turns = link.carries_b ? -own.world.R : base;
  S[0].w = turns.x, S[1].w = turns.y, S[2].w = turns.z;
}

/// Rz(θ) Rx(φ), or back.
void place_universal(const Link& link, const double* q, const Axes& base, LinkMotion& own, Motion6* S) {
  if (link.carries_b) {
    own.world.R = turned_about_z(turned_about_x(base, -q[1]), -q[0]);
    S[0].w = -own.world.R.z, S[1].w = -base.x;
  } else {
    own.world.R = turned_about_x(turned_about_z(base, q[0]), q[1]);
    S[0].w = base.z, S[1].w = own.world.R.x;
  }
}

/// Axes and origin of a link, and its directions; `base` has the axes of the marker on its parent, own.r leads to that marker.
CATENA_INLINE void place(const Link& link, const double* q, const Axes& base, LinkMotion& own, Motion6* S) {
  switch (link.kind) {
    case JointKind::fixed:
      own.world.R = base;
      break;
    case JointKind::hinge:
      own.world.R = turned_about_z(base, sign_of(link) * q[0]);
      S->w = sign_of(link) * base.z;
      break;
    case JointKind::slider:
      own.world.R = base;
      S->v = sign_of(link) * base.z;
      own.r += q[0] * S->v;
      break;
    case JointKind::ball:
      place_ball(link, q, base, own, S);
      break;
    case JointKind::universal:
      place_universal(link, q, base, own, S);
      break;
    case JointKind::free:  // S is 1
      own.world.R = load_quat(q + 3).toRotationMatrix();
      own.r = V::load(q);
      break;
    case JointKind::other:
      place_general(link, q, base, own, S);
      break;
  }
}

CATENA_INLINE void place_link(const Link& link, const double* q, Workspace& data, LinkMotion& own) {
  if (link.parent < 0) {
    own.r = link.at_parent.x;
    place(link, q, link.at_parent.R, own, data.S.data() + link.v);
    own.world.x = own.r;
  } else {
    const Frame& parent = data.links[std::size_t(link.parent)].world;
    own.r = parent.R * link.at_parent.x;
    place(link, q, parent.R * link.at_parent.R, own, data.S.data() + link.v);
    own.world.x = parent.x + own.r;
  }
  own.lever = own.world.R * link.at_body.x;
  own.I = turned(own.world.R, link.inertia);
}

/// (1)
CATENA_INLINE void move_link(const Link& link, const double* q, const double* v, Workspace& data,
                             LinkMotion& own) {
  const Motion6* S = data.directions(link);
  const Motion6 relative = along_joint(link, v, data);
  own.V = link.parent < 0 ? relative : data.links[std::size_t(link.parent)].V.at(own.r) + relative;
  own.zeta = cross(own.V, relative);
  switch (link.kind) {
    case JointKind::fixed:
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::ball:
      return;
    case JointKind::universal: {  // the second axis turns with the first
      const V first = v[0] * S[0].w, second = v[1] * S[1].w;
      own.zeta.w += link.carries_b ? cross(second, first) : cross(first, second);
      return;
    }
    case JointKind::free:  // v̇ is that of the moving origin
      own.zeta = {cross(relative.v, relative.w), V::zero()};
      return;
    case JointKind::other:
      own.zeta = own.zeta + direction_rate(link, own.world.R, q, v);
      return;
  }
}

}  // namespace

Workspace::Workspace(const Structure& structure)
    : links(structure.links.size()),
      inertia(structure.links.size()),
      singles(structure.links.size()),
      joints(structure.links.size()),
      S(std::size_t(structure.num_v), Motion6::zero()),
      U(std::size_t(structure.num_v), Force6::zero()),
      still(VecX::Zero(structure.num_v)),
      motions(structure.links.size()),
      forces(structure.links.size()) {
  for (const Link& link : structure.links)
    for (int i = 0; link.kind == JointKind::free && i < 6; ++i)
      S[std::size_t(link.v + i)] = motion_from(Vec6::Unit(i));
}

void update_places(const Structure& structure, const VecX& q, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    place_link(link, q.data() + link.q, data, data.links[k]);
  }
}

void update_motion(const Structure& structure, const VecX& q, const VecX& v, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    place_link(link, q.data() + link.q, data, own);
    move_link(link, q.data() + link.q, v.data() + link.v, data, own);
  }
}

}  // namespace catena::minimal
