#include "formulation/kinematics.h"

#include "math/rotation.h"

namespace catena {
namespace {

// Bodies of other kinds show only the pose of their frame here; their points are asked for one by one.
void update_other(const BodySlot& slot, const double* q, const double* v, BodyMotion& out) {
  const Placement placement = slot.body->unpack(q, v);
  out = {placement.position, placement.velocity, placement.angular_velocity,
         placement.orientation.toRotationMatrix()};
}

void update_planar(const double* q, const double* v, BodyMotion& out) {
  const double c = std::cos(q[2]), s = std::sin(q[2]);
  out.x = Vec3(q[0], q[1], 0.0);
  out.R << c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0;
  out.v = Vec3(v[0], v[1], 0.0);
  out.w = Vec3(0.0, 0.0, v[2]);
}

void update_other_marker(const BodySlot& body, const MarkerSlot& slot, const VecX& q, const VecX& v,
                         const Vec3& origin, Marker& marker, MarkerMotion& lever, OtherMarker& other) {
  const double* qi = q.data() + body.q;
  const double* vi = v.data() + body.v;
  body.body->point(qi, vi, slot.point, other.point);
  const Eigen::Map<const VecX> velocity(vi, body.num_v);
  marker.x = other.point.x;
  marker.v.noalias() = other.point.J.lazyProduct(velocity);
  lever = {other.point.x - origin, other.point.bias};
  if (body.body->has_orientation()) {
    body.body->frame(qi, vi, other.frame);
    marker.R.noalias() = other.frame.R * slot.axes;
    marker.w.noalias() = other.frame.W.lazyProduct(velocity);
  } else {
    marker.R = slot.axes;
    marker.w.setZero();
  }
}

void update_marker(const Layout& layout, const MarkerSlot& slot, const VecX& q, const VecX& v,
                   const BodyMotion& body, Marker& marker, MarkerMotion& lever, OtherMarker& other) {
  if (slot.body >= 0 && layout.bodies[std::size_t(slot.body)].type == BodyType::other)
    return update_other_marker(layout.bodies[std::size_t(slot.body)], slot, q, v, body.x, marker, lever,
                               other);
  const Vec3 r = body.R * slot.point;  // (1)
  const Vec3 wr = body.w.cross(r);
  marker.x = body.x + r;
  marker.v = body.v + wr;
  marker.R = times(body.R, slot.axes);
  marker.w = body.w;
  lever.r = r;
  lever.bias = body.w.cross(wr);
}

void update_range(const Layout& layout, const std::vector<MarkerSlot>& slots, int begin, int end,
                  const VecX& q, const VecX& v, const std::vector<BodyMotion>& bodies, MarkerSet& set) {
  for (int k = begin; k < end; ++k) {
    const MarkerSlot& slot = slots[std::size_t(k)];
    update_marker(layout, slot, q, v, bodies[std::size_t(slot.motion)], set.markers[std::size_t(k)],
                  set.levers[std::size_t(k)], set.other(k));
  }
}

}  // namespace

MarkerSet::MarkerSet(std::size_t size, bool has_other_bodies)
    : markers(size), levers(size), others(has_other_bodies ? size : 1) {}

Kinematics::Kinematics(const Layout& layout)
    : bodies(layout.bodies.size() + 1),
      constraints(layout.constraint_markers.size(), layout.has_other_bodies),
      forces(layout.force_markers.size(), layout.has_other_bodies),
      inequalities(layout.inequality_markers.size(), layout.has_other_bodies) {
  bodies.back() = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Mat3::Identity()};
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
      case BodyType::planar:
        update_planar(qi, vi, out);
        break;
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

void update_markers(const Layout& layout, const ConstraintSlot& slot, const VecX& q, const VecX& v,
                    Kinematics& kinematics) {
  update_range(layout, layout.constraint_markers, slot.marker_begin, slot.marker_end, q, v, kinematics.bodies,
               kinematics.constraints);
}

void update_constraint_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics) {
  for (const ConstraintSlot& slot : layout.constraints)
    if (slot.joint == JointType::other) update_markers(layout, slot, q, v, kinematics);
}

void update_force_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics) {
  update_range(layout, layout.force_markers, 0, int(layout.force_markers.size()), q, v, kinematics.bodies,
               kinematics.forces);
}

void update_inequality_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics) {
  update_range(layout, layout.inequality_markers, 0, int(layout.inequality_markers.size()), q, v,
               kinematics.bodies, kinematics.inequalities);
}

}  // namespace catena
