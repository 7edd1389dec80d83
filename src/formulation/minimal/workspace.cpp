// Places and velocities, parents first.
//
//   V = X V_p + S v,    ζ = Ṡ v + V × S v          X: from the frame of the parent to that of the link                            (1)
//
// Joint coordinates are those of marker a seen from marker b, in the axes of b (model/joints/joint_motion.h): twist (ν ; ω) = S_b v with
// bias c_b, pose (ρ, R). In the frame of the link that is
//
//   link carries a:   S = Rᵀ S_b,                          Ṡ v = Rᵀ c_b - (ω' × ν' ; 0),        ' components in the axes of a      (2)
//   link carries b:   S = -(1  [ρ]× ; 0  1) S_b,           Ṡ v = -(1 [ρ]× ; 0 1) c_b - (ν × ω ; 0)                                  (3)
#include "formulation/minimal/workspace.h"

#include "math/rotation.h"

namespace catena::minimal {
namespace {

/// B·Rz(±θ) of a hinge, whose markers have one origin.
Frame turned_about_z(const Frame& base, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  Frame out;
  out.R.col(0) = c * base.R.col(0) + s * base.R.col(1);
  out.R.col(1) = c * base.R.col(1) - s * base.R.col(0);
  out.R.col(2) = base.R.col(2);
  out.x = base.x;
  return out;
}

double sign_of(const Link& link) {
  return link.carries_b ? -1.0 : 1.0;
}

Frame place_of(const Link& link, const double* q) {
  switch (link.kind) {
    case JointKind::fixed:
      return link.at_parent;
    case JointKind::hinge:
      return turned_about_z(link.at_parent, sign_of(link) * q[0]);
    case JointKind::slider:
      return {link.at_parent.R, link.at_parent.x + sign_of(link) * q[0] * link.at_parent.R.col(2)};
    case JointKind::ball: {
      const Mat3 R = load_quat(q).toRotationMatrix();
      return {link.carries_b ? times_transposed(link.at_parent.R, R) : times(link.at_parent.R, R),
              link.at_parent.x};
    }
    case JointKind::other:
      break;
  }
  const RelativePose seen = link.motion.pose_from(q);
  const Frame a_from_b{seen.R, seen.x};
  return link.at_parent * (link.carries_b ? a_from_b.inverse() : a_from_b);
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

void write_directions(const Link& link, const double* q, Workspace& data) {
  if (link.kind == JointKind::ball && !link.carries_b)
    data.S.block<3, 3>(3, link.v) = load_quat(q).toRotationMatrix().transpose();
  if (link.kind != JointKind::other) return;  // constant
  data.directions(link) = in_link(link, link.motion.pose_from(q), link.motion.free_directions(q));
}

/// Ṡ v of joints whose directions change in the frame of their link.
Motion6 direction_rate(const Link& link, const double* q, const double* v) {
  const RelativePose pose = link.motion.pose_from(q);
  const Twist twist = link.motion.twist(q, v);
  const Vec3 turn = twist.head<3>().cross(twist.tail<3>());  // ν × ω, in the axes of b
  Motion6 rate = motion_from(in_link(link, pose, link.motion.bias(q, v)));
  rate.v += link.carries_b ? Vec3(-turn) : Vec3(pose.R.transpose() * turn);
  return rate;
}

/// S v
Motion6 relative_velocity(const Link& link, const double* v, const Workspace& data) {
  Motion6 own = Motion6::zero();
  switch (link.kind) {
    case JointKind::fixed:
      break;
    case JointKind::hinge:
      own.w.z() = sign_of(link) * v[0];
      break;
    case JointKind::slider:
      own.v.z() = sign_of(link) * v[0];
      break;
    case JointKind::ball:
      own.w = data.S.block<3, 3>(3, link.v) * Eigen::Map<const Vec3>(v);
      break;
    case JointKind::other:
      own = motion_from(data.directions(link).lazyProduct(Eigen::Map<const VecX>(v, link.num_v())));
      break;
  }
  return own;
}

}  // namespace

Workspace::Workspace(const Structure& structure)
    : links(structure.links.size()),
      inertia(structure.links.size()),
      joints(structure.links.size()),
      S(Eigen::Matrix<double, 6, Eigen::Dynamic>::Zero(6, structure.num_v)),
      U(S),
      world(structure.links.size()),
      still(VecX::Zero(structure.num_v)),
      motions(structure.links.size()),
      forces(structure.links.size()) {
  for (const Link& link : structure.links) {
    if (link.kind == JointKind::hinge) S(5, link.v) = sign_of(link);
    if (link.kind == JointKind::slider) S(2, link.v) = sign_of(link);
    if (link.kind == JointKind::ball && link.carries_b) S.block<3, 3>(3, link.v) = -Mat3::Identity();
  }
}

void update_places(const Structure& structure, const VecX& q, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    data.links[k].at = place_of(link, q.data() + link.q);
    write_directions(link, q.data() + link.q, data);
  }
}

void update_motion(const Structure& structure, const VecX& q, const VecX& v, Workspace& data) {
  update_places(structure, q, data);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    const Motion6 relative = relative_velocity(link, v.data() + link.v, data);
    own.V = link.parent < 0 ? relative : own.at.in(data.links[std::size_t(link.parent)].V) + relative;
    own.zeta = cross(own.V, relative);
    if (link.kind == JointKind::other)
      own.zeta = own.zeta + direction_rate(link, q.data() + link.q, v.data() + link.v);
  }
}

void update_world(const Structure& structure, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const int parent = structure.links[k].parent;
    data.world[k] = parent < 0 ? data.links[k].at : data.world[std::size_t(parent)] * data.links[k].at;
  }
}

}  // namespace catena::minimal
