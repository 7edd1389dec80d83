#include "formulation/minimal/body_map.h"

#include "math/rotation.h"

#include <algorithm>
#include <cmath>

namespace catena::minimal {
namespace {

/// A motion in world axes as velocities of a body, and the power-conjugate way back.
void put_twist(BodyType type, const Vec3& v, const Vec3& w, double* out) {
  const int linear = type == BodyType::planar || type == BodyType::particle2 ? 2 : 3;
  std::copy_n(v.data(), linear, out);
  if (type == BodyType::rigid) std::copy_n(w.data(), 3, out + 3);
  if (type == BodyType::planar) out[2] = w.z();
}

/// A pose in the world as coordinates of a body.
void put_place(BodyType type, const Vec3& x, const Mat3& R, double* q) {
  std::copy_n(x.data(), type == BodyType::planar || type == BodyType::particle2 ? 2 : 3, q);
  if (type == BodyType::rigid) store_quat(normalised(Quat(R)), q + 3);
  if (type == BodyType::planar) q[2] = std::atan2(R(1, 0), R(0, 0));
}

Force6 wrench_from(BodyType type, const double* f) {
  const V3<double> force(f[0], f[1], type == BodyType::planar || type == BodyType::particle2 ? 0.0 : f[2]);
  if (type == BodyType::rigid) return {force, V3<double>::load(f + 3)};
  return {force, {0.0, 0.0, type == BodyType::planar ? f[2] : 0.0}};
}

Motion6 twist_from(BodyType type, const double* v) {
  const Force6 same = wrench_from(type, v);
  return {same.f, same.n};
}

void add_wrench_to(BodyType type, const Force6& wrench, double* f) {
  double own[6] = {};
  put_twist(type, wrench.f, wrench.n, own);
  const int size = type == BodyType::rigid ? 6 : type == BodyType::particle2 ? 2 : 3;
  for (int i = 0; i < size; ++i) f[i] += own[i];
}

const Body& body_of(const Structure& structure, const Link& link) {
  return *structure.bodies[std::size_t(link.body)];
}

/// Of forces on all bodies that on the body of a link.
Force6 wrench_on(const Structure& structure, const Link& link, const VecX& f) {
  return wrench_from(body_of(structure, link).type(), f.data() + structure.body_v[std::size_t(link.body)]);
}

template <class Copy>
void map_loose(const Structure& structure, Copy&& copy) {
  for (const LooseBody& loose : structure.loose) copy(loose, structure.body_v[std::size_t(loose.body)]);
}

/// A body as the frame of its link moves, in the world.
Marker carried(const Placement& body, const Frame& body_in_link) {
  const Frame link = Frame{body.orientation.toRotationMatrix(), body.position} * body_in_link.inverse();
  const Vec3 x = link.x;
  return {x, body.velocity + body.angular_velocity.cross(x - body.position), link.R, body.angular_velocity};
}

/// The frame `inner` fixed in a moving frame.
Marker on(const Marker& outer, const Frame& inner) {
  const Vec3 r = outer.R * Vec3(inner.x);
  return {outer.x + r, outer.v + outer.w.cross(r), outer.R * Mat3(inner.R), outer.w};
}

/// (SᵀS)⁻¹ y, of the free directions of a joint.
Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> solve_directions(
    const Workspace& data, const Link& link, const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>& y) {
  using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  const Motion6* S = data.directions(link);
  Gram gram(link.num_v(), link.num_v());
  for (int i = 0; i < link.num_v(); ++i)
    for (int j = 0; j < link.num_v(); ++j) gram(i, j) = dot(Force6{S[i].v, S[i].w}, S[j]);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> x = y;
  if (math::factor_ldlt(link.num_v(), gram.data(), 0.0) < 0)
    math::solve_ldlt(link.num_v(), gram.data(), x.data());
  return x;
}

}  // namespace

void write_bodies(const Structure& structure, const Workspace& data, const VecX& q, const VecX& v,
                  VecX& body_q, VecX& body_v) {
  body_q.resize(structure.body_q.back());
  body_v.resize(structure.body_v.back());
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    const LinkMotion& own = data.links[k];
    const auto b = std::size_t(link.body);
    const BodyType type = body_of(structure, link).type();
    const Motion6 twist = own.V.at(own.lever);
    put_place(type, own.world.x + own.lever, own.world.R * link.at_body.R,
              body_q.data() + structure.body_q[b]);
    put_twist(type, twist.v, twist.w, body_v.data() + structure.body_v[b]);
  }
  for (const LooseBody& loose : structure.loose) {
    const auto b = std::size_t(loose.body);
    body_q.segment(structure.body_q[b], loose.num_q) = q.segment(loose.q, loose.num_q);
    body_v.segment(structure.body_v[b], loose.num_v) = v.segment(loose.v, loose.num_v);
  }
}

void write_motions(const Structure& structure, const Workspace& data, std::vector<BodyMotion>& bodies) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    const LinkMotion& own = data.links[k];
    const Motion6 twist = own.V.at(own.lever);
    bodies[std::size_t(link.body)] = {own.world.x + own.lever, twist.v, twist.w,
                                      own.world.R * link.at_body.R};
  }
}

void read_joint(const JointMotion& motion, const Marker& a, const Marker& b, double* q, double* v) {
  const Vec3 apart = a.x - b.x;
  const RelativePose pose{b.R.transpose() * apart, b.R.transpose() * a.R};
  motion.coordinates_of(pose, q);
  Twist twist;
  twist << b.R.transpose() * (a.v - b.v - b.w.cross(apart)), b.R.transpose() * (a.w - b.w);
  motion.velocities_of(q, twist, v);
}

void read_joints(const Structure& s, const VecX& body_q, const VecX& body_v, std::vector<Marker>& markers,
                 VecX& q, VecX& v) {
  if (q.size() == 0) {
    q.resize(s.num_q);
    for (const Link& link : s.links) link.motion.set_neutral(q.data() + link.q);
  }
  v.resize(s.num_v);
  markers.resize(s.links.size());
  const Marker ground{Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()};
  for (std::size_t k = 0; k < s.links.size(); ++k) {
    const Link& link = s.links[k];
    const auto b = std::size_t(link.body);
    markers[k] =
        carried(s.bodies[b]->unpack(body_q.data() + s.body_q[b], body_v.data() + s.body_v[b]), link.at_body);
    const Marker other = on(link.parent < 0 ? ground : markers[std::size_t(link.parent)], link.at_parent);
    read_joint(link.motion, link.carries_b ? other : markers[k], link.carries_b ? markers[k] : other,
               q.data() + link.q, v.data() + link.v);
  }
  for (const LooseBody& loose : s.loose) {
    const auto b = std::size_t(loose.body);
    q.segment(loose.q, loose.num_q) = body_q.segment(s.body_q[b], loose.num_q);
    v.segment(loose.v, loose.num_v) = body_v.segment(s.body_v[b], loose.num_v);
  }
}

void spread(const Structure& structure, Workspace& data, const VecX& x, VecX& out) {
  out.resize(structure.body_v.back());
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    Motion6& own = data.motions[k];
    own = along_joint(link, x.data() + link.v, data);
    if (link.parent >= 0) own = own + data.motions[std::size_t(link.parent)].at(data.links[k].r);
    const Motion6 twist = own.at(data.links[k].lever);
    put_twist(body_of(structure, link).type(), twist.v, twist.w,
              out.data() + structure.body_v[std::size_t(link.body)]);
  }
  map_loose(structure, [&](const LooseBody& loose, int at) {
    out.segment(at, loose.num_v) = x.segment(loose.v, loose.num_v);
  });
}

void take_off_bias(const Structure& structure, const VecX& f, Workspace& data) {
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    data.forces[k] -= wrench_on(structure, structure.links[k], f).from(data.links[k].lever);
    data.links[k].F = data.forces[k];
  }
}

void gather(const Structure& structure, Workspace& data, const VecX& f, VecX& out) {
  out.resize(structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    data.forces[k] = wrench_on(structure, structure.links[k], f).from(data.links[k].lever);
  }
  for (std::size_t k = structure.links.size(); k-- > 0;) {
    const Link& link = structure.links[k];
    project_on_joint(link, data.forces[k], data, out.data() + link.v);
    if (link.parent >= 0) data.forces[std::size_t(link.parent)] += data.forces[k].from(data.links[k].r);
  }
  map_loose(structure, [&](const LooseBody& loose, int at) {
    out.segment(loose.v, loose.num_v) = f.segment(at, loose.num_v);
  });
}

void scatter(const Structure& structure, const Workspace& data, const VecX& f, VecX& out) {
  out.setZero(structure.body_v.back());
  // a wrench about the origin of link k, on the body of another link
  const auto push = [&](std::size_t k, int on_link, const Force6& wrench, double sign) {
    const Link& link = structure.links[std::size_t(on_link)];
    const LinkMotion& other = data.links[std::size_t(on_link)];
    const Force6 moved = wrench.from(data.links[k].world.x - other.world.x - other.lever);
    add_wrench_to(body_of(structure, link).type(), {sign * moved.f, sign * moved.n},
                  out.data() + structure.body_v[std::size_t(link.body)]);
  };
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    if (link.num_v() == 0) continue;
    const auto weights = solve_directions(data, link, f.segment(link.v, link.num_v()));
    const Motion6 direction = along_joint(link, weights.data(), data);
    const Force6 wrench{direction.v, direction.w};
    push(k, int(k), wrench, 1.0);
    if (link.parent >= 0) push(k, link.parent, wrench, -1.0);
  }
  map_loose(structure, [&](const LooseBody& loose, int at) {
    out.segment(at, loose.num_v) = f.segment(loose.v, loose.num_v);
  });
}

void collect(const Structure& structure, Workspace& data, const VecX& body_v, VecX& x) {
  x.resize(structure.num_v);
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    Motion6& own = data.motions[k];
    own =
        twist_from(body_of(structure, link).type(), body_v.data() + structure.body_v[std::size_t(link.body)])
            .at(-data.links[k].lever);
    if (link.num_v() == 0) continue;
    Force6 relative{own.v, own.w};  // as a wrench, to be projected
    if (link.parent >= 0) {
      const Motion6 carried_along = data.motions[std::size_t(link.parent)].at(data.links[k].r);
      relative -= Force6{carried_along.v, carried_along.w};
    }
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> along(link.num_v());
    project_on_joint(link, relative, data, along.data());
    x.segment(link.v, link.num_v()) = solve_directions(data, link, along);
  }
  map_loose(structure, [&](const LooseBody& loose, int at) {
    x.segment(loose.v, loose.num_v) = body_v.segment(at, loose.num_v);
  });
}

// ζ of all joints on the way add up to the spatial acceleration; that of the centre of mass itself has ω × ẋ on top.
void write_bias_accelerations(const Structure& structure, Workspace& data, VecX& out) {
  out.resize(structure.body_v.back());
  for (std::size_t k = 0; k < structure.links.size(); ++k) {
    const Link& link = structure.links[k];
    const LinkMotion& motion = data.links[k];
    Motion6& own = data.motions[k];
    own = motion.zeta;
    if (link.parent >= 0) own = own + data.motions[std::size_t(link.parent)].at(motion.r);
    const Motion6 at_centre = own.at(motion.lever), velocity = motion.V.at(motion.lever);
    put_twist(body_of(structure, link).type(), at_centre.v + cross(velocity.w, velocity.v), at_centre.w,
              out.data() + structure.body_v[std::size_t(link.body)]);
  }
  map_loose(structure, [&](const LooseBody& loose, int at) { out.segment(at, loose.num_v).setZero(); });
}

}  // namespace catena::minimal
