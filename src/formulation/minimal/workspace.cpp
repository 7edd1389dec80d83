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
// and the axes of the link take it to those of the world.
#include "formulation/minimal/workspace.h"

#include "math/rotation.h"

namespace catena::minimal {
namespace {

double sign_of(const Link& link) {
  return link.carries_b ? -1.0 : 1.0;
}

/// B·Rz(θ)
M3<double> turned_about_z(const M3<double>& B, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  M3<double> out;
  CATENA_UNROLL
  for (int i = 0; i < 3; ++i) {
    out(i, 0) = c * B(i, 0) + s * B(i, 1);
    out(i, 1) = c * B(i, 1) - s * B(i, 0);
    out(i, 2) = B(i, 2);
  }
  return out;
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

/// Ṡ v of joints whose directions change in the frame of their link, in that frame.
Motion6 direction_rate(const Link& link, const double* q, const double* v) {
  const RelativePose pose = link.motion.pose_from(q);
  const Twist twist = link.motion.twist(q, v);
  const Vec3 turn = twist.head<3>().cross(twist.tail<3>());  // ν × ω, in the axes of b
  Motion6 rate = motion_from(in_link(link, pose, link.motion.bias(q, v)));
  rate.v += link.carries_b ? Vec3(-turn) : Vec3(pose.R.transpose() * turn);
  return rate;
}

void place_general(const Link& link, const double* q, const M3<double>& base, LinkMotion& own,
                   Workspace& data) {
  const RelativePose seen = link.motion.pose_from(q);
  const Frame a_from_b{seen.R, seen.x}, moved = link.carries_b ? a_from_b.inverse() : a_from_b;
  own.world.R = times(base, moved.R);
  own.r += times(base, moved.x);
  const FreeDirections S = in_link(link, seen, link.motion.free_directions(q));
  for (int i = 0; i < link.num_v(); ++i) {
    data.S.col(link.v + i).head<3>() = own.world.R * S.col(i).head<3>();
    data.S.col(link.v + i).tail<3>() = own.world.R * S.col(i).tail<3>();
  }
}

/// Axes and origin of a link, and its directions; `base` has the axes of the marker on its parent, own.r leads to that marker.
void place(const Link& link, const double* q, const M3<double>& base, LinkMotion& own, Workspace& data) {
  switch (link.kind) {
    case JointKind::fixed:
      own.world.R = base;
      break;
    case JointKind::hinge: {
      own.world.R = turned_about_z(base, sign_of(link) * q[0]);
      for (int i = 0; i < 3; ++i) data.S(3 + i, link.v) = sign_of(link) * base(i, 2);
      break;
    }
    case JointKind::slider: {
      own.world.R = base;
      for (int i = 0; i < 3; ++i) {
        const double axis = sign_of(link) * base(i, 2);
        own.r[i] += q[0] * axis;
        data.S(i, link.v) = axis;
      }
      break;
    }
    case JointKind::ball: {  // v is the angular velocity in the axes of b
      const Mat3 R = load_quat(q).toRotationMatrix();
      own.world.R = times(base, link.carries_b ? Mat3(R.transpose()) : R);
      if (link.carries_b)
        data.S.block<3, 3>(3, link.v) = -own.world.R;
      else
        data.S.block<3, 3>(3, link.v) = base;
      break;
    }
    case JointKind::other:
      place_general(link, q, base, own, data);
      break;
  }
}

}  // namespace

Workspace::Workspace(const Structure& structure)
    : links(structure.links.size()),
      inertia(structure.links.size()),
      joints(structure.links.size()),
      S(Eigen::Matrix<double, 6, Eigen::Dynamic>::Zero(6, structure.num_v)),
      U(S),
      still(VecX::Zero(structure.num_v)),
      motions(structure.links.size()),
      forces(structure.links.size()) {}

void update_places(const Structure& structure, const VecX& q, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    if (link.parent < 0) {
      own.r = link.at_parent.x;
      place(link, q.data() + link.q, link.at_parent.R, own, data);
      own.world.x = own.r;
    } else {
      const Frame& parent = data.links[std::size_t(link.parent)].world;
      own.r = times(parent.R, link.at_parent.x);
      place(link, q.data() + link.q, times(parent.R, link.at_parent.R), own, data);
      own.world.x = parent.x + own.r;
    }
    own.lever = times(own.world.R, link.at_body.x);
    own.I = turned(own.world.R, link.inertia);
  }
}

void update_motion(const Structure& structure, const VecX& q, const VecX& v, Workspace& data) {
  update_places(structure, q, data);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    LinkMotion& own = data.links[k];
    const Motion6 relative = along_joint(link, v.data() + link.v, data);
    own.V = link.parent < 0 ? relative : data.links[std::size_t(link.parent)].V.at(own.r) + relative;
    own.zeta = cross(own.V, relative);
    if (link.kind != JointKind::other) continue;
    const Motion6 rate = direction_rate(link, q.data() + link.q, v.data() + link.v);
    own.zeta = own.zeta + Motion6{own.world.R * rate.v, own.world.R * rate.w};
  }
}

}  // namespace catena::minimal
