#include "formulation/maximal/kinematics.h"

#include "math/rotation.h"

namespace catena::maximal {
namespace {

// Bodies of other kinds show only the pose of their frame here; their points are asked for one by one.
void update_other(const BodySlot& slot, const double* q, const double* v, BodyMotion& out) {
  const Placement placement = slot.body->unpack(q, v);
  out = {placement.position, placement.velocity, placement.angular_velocity,
         placement.orientation.toRotationMatrix()};
}

}  // namespace

Kinematics::Kinematics(const Layout& layout)
    : bodies(layout.bodies.size() + 1),
      constraint_markers(layout.constraint_markers.size()),
      force_markers(layout.force_markers.size()),
      constraint_levers(layout.constraint_markers.size()),
      force_levers(layout.force_markers.size()) {
  bodies.back() = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Mat3::Identity()};
  bool others = false;
  for (const BodySlot& slot : layout.bodies) others = others || slot.type == BodyType::other;
  if (others) {
    constraint_others.resize(layout.constraint_markers.size());
    force_others.resize(layout.force_markers.size());
  } else {
    constraint_others.resize(1);
    force_others.resize(1);
  }
}

void update_bodies(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics) {
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    const double* qi = q.data() + slot.q;
    const double* vi = v.data() + slot.v;
    BodyMotion& out = kinematics.bodies[i];
    switch (slot.type) {
      case BodyType::rigid:
        out.x = Vec3(qi[0], qi[1], qi[2]);
        out.R = load_quat(qi + 3).toRotationMatrix();
        out.v = Vec3(vi[0], vi[1], vi[2]);
        out.w = Vec3(vi[3], vi[4], vi[5]);
        break;
      case BodyType::planar: {
        const double c = std::cos(qi[2]), s = std::sin(qi[2]);
        out.x = Vec3(qi[0], qi[1], 0.0);
        out.R << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
        out.v = Vec3(vi[0], vi[1], 0.0);
        out.w = Vec3(0.0, 0.0, vi[2]);
        break;
      }
      case BodyType::particle3:
        out = {Vec3(qi[0], qi[1], qi[2]), Vec3(vi[0], vi[1], vi[2]), Vec3::Zero(), Mat3::Identity()};
        break;
      case BodyType::particle2:
        out = {Vec3(qi[0], qi[1], 0.0), Vec3(vi[0], vi[1], 0.0), Vec3::Zero(), Mat3::Identity()};
        break;
      case BodyType::other:
        update_other(slot, qi, vi, out);
        break;
    }
  }
}

void update_marker(const Layout& layout, const MarkerSlot& slot, const VecX& q, const VecX& v,
                   const Kinematics& kinematics, Marker& marker, MarkerMotion& lever, OtherMarker& other) {
  const BodyMotion& body = kinematics.bodies[slot.motion];
  if (slot.body < 0 || layout.bodies[slot.body].type != BodyType::other) {  // (1)
    const Vec3 r = body.R * slot.point;
    const Vec3 wr = body.w.cross(r);
    marker.x = body.x + r;
    marker.v = body.v + wr;
    marker.R = times(body.R, slot.axes);
    marker.w = body.w;
    lever.r = r;
    lever.bias = body.w.cross(wr);
    return;
  }
  const BodySlot& body_slot = layout.bodies[slot.body];
  const double* qi = q.data() + body_slot.q;
  const double* vi = v.data() + body_slot.v;
  body_slot.body->point(qi, vi, slot.point, other.point);
  const Eigen::Map<const VecX> velocity(vi, body_slot.num_v);
  marker.x = other.point.x;
  marker.v.noalias() = other.point.J.lazyProduct(velocity);
  lever = {other.point.x - body.x, other.point.bias};
  if (body_slot.body->has_orientation()) {
    body_slot.body->frame(qi, vi, other.frame);
    marker.R.noalias() = other.frame.R * slot.axes;
    marker.w.noalias() = other.frame.W.lazyProduct(velocity);
  } else {
    marker.R = slot.axes;
    marker.w.setZero();
  }
}

void update_markers(const Layout& layout, const ConstraintSlot& slot, const VecX& q, const VecX& v,
                    Kinematics& kinematics) {
  const bool others = kinematics.constraint_others.size() > 1;
  for (int k = slot.marker_begin; k < slot.marker_end; ++k)
    update_marker(layout, layout.constraint_markers[k], q, v, kinematics, kinematics.constraint_markers[k],
                  kinematics.constraint_levers[k], kinematics.constraint_others[others ? k : 0]);
}

void update_constraint_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics) {
  for (const ConstraintSlot& slot : layout.constraints)
    if (slot.joint == JointType::other) update_markers(layout, slot, q, v, kinematics);
}

void update_force_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics) {
  const bool others = kinematics.force_others.size() > 1;
  for (std::size_t k = 0; k < layout.force_markers.size(); ++k)
    update_marker(layout, layout.force_markers[k], q, v, kinematics, kinematics.force_markers[k],
                  kinematics.force_levers[k], kinematics.force_others[others ? k : 0]);
}

void write_constant_mass(const Layout& layout, VecX& M) {
  M.setZero();
  for (const BodySlot& slot : layout.bodies)
    if (slot.type == BodyType::rigid)
      for (int i = 0; i < 3; ++i) M[slot.M + i * 7] = slot.mass;
}

void update_mass(const Layout& layout, const VecX& q, const Kinematics& kinematics, VecX& M) {
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    double* block = M.data() + slot.M;
    if (slot.type == BodyType::rigid) {
      write_inertia<6>(kinematics.bodies[i].R, slot.inertia, block + 21);
    } else {
      slot.body->mass_block(q.data() + slot.q, block);
    }
  }
}

void add_wrench(const Layout& layout, const MarkerSlot& slot, const MarkerMotion& lever,
                const OtherMarker& other, const Vec3& force, const Vec3& torque, VecX& f) {
  if (slot.body < 0) return;
  const BodySlot& body = layout.bodies[slot.body];
  double* out = f.data() + body.v;
  switch (body.type) {
    case BodyType::rigid: {
      const Vec3 moment = torque + lever.r.cross(force);
      for (int i = 0; i < 3; ++i) out[i] += force[i];
      for (int i = 0; i < 3; ++i) out[3 + i] += moment[i];
      break;
    }
    case BodyType::planar:
      out[0] += force[0];
      out[1] += force[1];
      out[2] += torque[2] + lever.r[0] * force[1] - lever.r[1] * force[0];
      break;
    case BodyType::particle3:
      for (int i = 0; i < 3; ++i) out[i] += force[i];
      break;
    case BodyType::particle2:
      out[0] += force[0];
      out[1] += force[1];
      break;
    case BodyType::other: {
      Eigen::Map<VecX> generalised(out, body.num_v);
      generalised.noalias() += other.point.J.transpose().lazyProduct(force);
      if (body.body->has_orientation())
        generalised.noalias() += other.frame.W.transpose().lazyProduct(torque);
      break;
    }
  }
}

}  // namespace catena::maximal
