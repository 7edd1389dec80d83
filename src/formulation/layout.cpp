#include "formulation/layout.h"

#include "catena/interrupt.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace catena {
namespace {

BodySlot make_body_slot(const Body& body) {
  BodySlot slot;
  slot.type = body.type();
  slot.num_v = body.num_v();
  slot.mass = body.mass();
  slot.body = &body;
  slot.has_shape_force = body.has_shape_force();
  if (slot.type == BodyType::planar) slot.planar_inertia = static_cast<const PlanarRigid&>(body).inertia();
  if (slot.type == BodyType::rigid) slot.inertia = static_cast<const Rigid&>(body).inertia();
  return slot;
}

// A pull T on a lever p turns the body back with stiffness T·|p|; divided by the smallest moment of inertia about an axis
// normal to the lever this is the square of a frequency. A rod pulled at both ends: ω² = 12 T/(m l).
double lever_ratio(const BodySlot& body, const Vec3& point) {
  if (point.norm() == 0.0) return 0.0;
  if (body.type == BodyType::planar) return point.norm() / body.planar_inertia;
  if (body.type != BodyType::rigid) return 0.0;
  const Mat3 frame = frame_from_axis(point);
  const Vec3 x = frame.col(0), y = frame.col(1), Ix = body.inertia * x, Iy = body.inertia * y;
  const double xx = x.dot(Ix), yy = y.dot(Iy), xy = x.dot(Iy);
  const double largest = 0.5 * (xx + yy + std::hypot(xx - yy, 2.0 * xy));
  const double smallest = (xx * yy - xy * xy) / largest;  // the product of both is the determinant
  return point.norm() / smallest;
}

// Joints known by name and explicit forms exist between two rigid bodies, or one and the world.
void recognise_joint(const std::vector<MarkerSlot>& markers, const std::vector<BodySlot>& bodies,
                     ConstraintSlot& slot) {
  if (slot.num_markers() != 2) return;
  for (int m = slot.marker_begin; m < slot.marker_end; ++m)
    if (const int body = markers[std::size_t(m)].body;
        body >= 0 && bodies[std::size_t(body)].type != BodyType::rigid)
      return;
  slot.lower_pair = slot.constraint->lower_pair(slot.planar);
  if (!markers.back().adds && !slot.planar) slot.joint = slot.constraint->type();
}

}  // namespace

Layout::Layout(const Model& model) : gravity(model.gravity) {
  add_bodies(model);
  for (const ConstraintEntry& entry : model.constraints()) {
    allow_interruption();
    add_constraint(model, entry);
  }
  has_constraint_memory = num_memory > 0;
  holonomic = VecX::Zero(num_rows);
  for (const ConstraintSlot& slot : constraints) holonomic.segment(slot.row, slot.holonomic_rows).setOnes();
  for (const ForceEntry& entry : model.forces()) {
    allow_interruption();
    add_force(model, entry);
  }
  for (const InequalityEntry& entry : model.inequalities()) {
    allow_interruption();
    add_inequality(model, entry);
  }
  if (extent_ > 0.0) length_scale = extent_;
  assert(length_scale > 0.0 && std::isfinite(length_scale));
}

void Layout::add_bodies(const Model& model) {
  for (const BodyEntry& entry : model.bodies()) {
    BodySlot slot = make_body_slot(*entry.body);
    slot.q = num_q;
    slot.v = num_v;
    slot.M = num_M;
    num_q += entry.body->num_q();
    num_v += slot.num_v;
    num_M += slot.num_v * slot.num_v;
    has_velocity_forces = has_velocity_forces || slot.has_shape_force;
    has_other_bodies = has_other_bodies || slot.type == BodyType::other;
    bodies.push_back(slot);
  }
}

void Layout::add_markers(const Model& model, std::span<const Attachment> attachments,
                         std::vector<MarkerSlot>& markers, AttachedSlot& owner) {
  owner.marker_begin = int(markers.size());
  for (const Attachment& a : attachments) {
    MarkerSlot slot;
    slot.body = model.index_of(a.body);
    slot.motion = slot.body >= 0 ? slot.body : int(bodies.size());
    slot.point = a.point;
    slot.axes = a.axes;
    if (slot.body >= 0) {
      slot.lever_ratio = lever_ratio(bodies[std::size_t(slot.body)], a.point);
      extent_ = std::max(extent_, a.point.norm());
      for (int m = owner.marker_begin; m < int(markers.size()); ++m)
        slot.adds = slot.adds || markers[std::size_t(m)].body == slot.body;
    }
    markers.push_back(slot);
  }
  owner.marker_end = int(markers.size());
  most_markers = std::max(most_markers, int(attachments.size()));
}

void Layout::add_constraint(const Model& model, const ConstraintEntry& entry) {
  ConstraintSlot slot;
  slot.constraint = entry.constraint.get();
  slot.planar = entry.planar;
  slot.rows = entry.constraint->num_rows(entry.planar);
  slot.holonomic_rows = entry.constraint->num_holonomic_rows(entry.planar);
  assert(slot.rows > 0 && slot.holonomic_rows >= 0 && slot.holonomic_rows <= slot.rows);
  slot.row = num_rows;
  slot.acts_elsewhere = entry.constraint->acts_elsewhere();
  slot.memory = num_memory;
  slot.memory_size = entry.constraint->memory_size();
  add_markers(model, entry.constraint->attachments(), constraint_markers, slot);
  recognise_joint(constraint_markers, bodies, slot);
  slot.G = G_size;
  if (slot.joint == JointType::other) G_size += slot.rows * slot.num_markers() * 6;
  num_rows += slot.rows;
  num_memory += slot.memory_size;
  most_rows = std::max(most_rows, slot.rows);
  has_nonholonomic_rows = has_nonholonomic_rows || slot.holonomic_rows < slot.rows;
  has_own_directions = has_own_directions || slot.acts_elsewhere;
  if (slot.acts_elsewhere || entry.constraint->depends_on_time()) driven.push_back(int(constraints.size()));
  constraints.push_back(slot);
}

void Layout::add_force(const Model& model, const ForceEntry& entry) {
  ForceSlot slot;
  slot.force = entry.force.get();
  slot.planar = entry.planar;
  slot.memory = num_memory;
  slot.memory_size = entry.force->memory_size();
  add_markers(model, entry.force->attachments(), force_markers, slot);
  slot.along = dynamic_cast<const CoordinateForce*>(slot.force);
  if (slot.along != nullptr) {
    slot.coordinates = &slot.along->coordinates();
    slot.rows = slot.coordinates->num_rows(slot.planar);
    assert(slot.coordinates->attachments().size() == slot.force->attachments().size());
    slot.row = num_coordinates;
    slot.G = coordinate_G_size;
    num_coordinates += slot.rows;
    coordinate_G_size += slot.rows * slot.num_markers() * 6;
    if (dynamic_cast<const Elastic*>(slot.force) != nullptr) {
      slot.first_law = int(laws.size());
      for (int r = 0; r < slot.rows; ++r) laws.push_back(slot.along->law(r));
    }
  }
  num_memory += slot.memory_size;
  most_rows = std::max(most_rows, slot.rows);
  has_velocity_forces = has_velocity_forces || entry.force->depends_on_velocity();
  forces.push_back(slot);
}

void Layout::add_inequality(const Model& model, const InequalityEntry& entry) {
  const Constraint& rows = entry.inequality->rows();
  InequalitySlot slot;
  slot.inequality = entry.inequality.get();
  slot.feature = feature_of(entry.id);
  slot.planar = entry.planar;
  slot.rows = rows.num_rows(entry.planar);
  slot.holonomic_rows = rows.num_holonomic_rows(entry.planar);
  slot.acts_elsewhere = rows.acts_elsewhere();
  slot.row = num_inequality_rows;
  slot.G = inequality_G_size;
  slot.memory = num_memory;
  slot.memory_size = rows.memory_size();
  add_markers(model, rows.attachments(), inequality_markers, slot);
  num_inequality_rows += slot.rows;
  inequality_G_size += slot.rows * slot.num_markers() * 6;
  num_memory += slot.memory_size;
  most_rows = std::max(most_rows, slot.rows);
  inequalities.push_back(slot);
}

int constraint_of_row(const Layout& layout, int row) {
  const auto after =
      std::upper_bound(layout.constraints.begin(), layout.constraints.end(), row,
                       [](int wanted, const ConstraintSlot& slot) { return wanted < slot.row; });
  return row < 0 || row >= layout.num_rows ? -1 : int(after - layout.constraints.begin()) - 1;
}

int force_of_coordinate(const Layout& layout, int row) {
  for (std::size_t i = 0; i < layout.forces.size(); ++i)
    if (const ForceSlot& slot = layout.forces[i]; row >= slot.row && row < slot.row + slot.rows)
      return int(i);
  return -1;
}

std::vector<int> bodies_of(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner) {
  std::vector<int> bodies;
  for (int m = owner.marker_begin; m < owner.marker_end; ++m)
    if (const MarkerSlot& marker = markers[std::size_t(m)]; marker.body >= 0 && !marker.adds)
      bodies.push_back(marker.body);
  return bodies;
}

}  // namespace catena
