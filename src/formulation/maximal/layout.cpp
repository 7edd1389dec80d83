#include "formulation/maximal/layout.h"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace catena::maximal {
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
  const Eigen::Matrix<double, 3, 2> normals = frame.leftCols<2>();
  const Eigen::Matrix2d projected = normals.transpose() * body.inertia * normals;
  const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(projected).eigenvalues()[0];
  return point.norm() / smallest;
}

}  // namespace

Layout::Layout(const Model& model) : gravity(model.gravity) {
  solve::GraphBuilder builder;
  add_bodies(model, builder);
  for (const ConstraintEntry& entry : model.constraints()) add_constraint(model, entry, builder);
  has_constraint_memory = num_memory > 0;
  holonomic = VecX::Zero(num_rows_);
  for (const ConstraintSlot& slot : constraints) holonomic.segment(slot.row, slot.holonomic_rows).setOnes();
  for (const ForceEntry& entry : model.forces()) add_force(model, entry);
  graph = builder.finish();
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].M = graph.mass_offset[i];
  if (extent_ > 0.0) length_scale = extent_;
}

void Layout::add_bodies(const Model& model, solve::GraphBuilder& builder) {
  for (const BodyEntry& entry : model.bodies()) {
    BodySlot slot = make_body_slot(*entry.body);
    slot.q = num_q;
    slot.v = num_v;
    builder.add_body(slot.num_v);
    num_q += entry.body->num_q();
    num_v += slot.num_v;
    has_velocity_forces = has_velocity_forces || slot.has_shape_force;
    bodies.push_back(slot);
  }
}

void Layout::add_markers(const Model& model, std::span<const Attachment> attachments,
                         std::vector<MarkerSlot>& markers) {
  for (const Attachment& a : attachments) {
    MarkerSlot slot;
    slot.body = model.index_of(a.body);
    slot.motion = slot.body >= 0 ? slot.body : int(bodies.size());
    slot.point = a.point;
    slot.axes = a.axes;
    if (slot.body >= 0) {
      slot.lever_ratio = lever_ratio(bodies[slot.body], a.point);
      extent_ = std::max(extent_, a.point.norm());
    }
    markers.push_back(slot);
  }
  most_markers = std::max(most_markers, int(attachments.size()));
}

void Layout::add_constraint(const Model& model, const ConstraintEntry& entry, solve::GraphBuilder& builder) {
  ConstraintSlot slot;
  slot.constraint = entry.constraint.get();
  slot.planar = entry.planar;
  slot.rows = entry.constraint->num_rows(entry.planar);
  slot.holonomic_rows = entry.constraint->num_holonomic_rows(entry.planar);
  slot.row = num_rows_;
  slot.memory = num_memory;
  slot.memory_size = entry.constraint->memory_size();
  slot.marker_begin = int(constraint_markers.size());
  add_markers(model, entry.constraint->attachments(), constraint_markers);
  slot.marker_end = int(constraint_markers.size());

  std::vector<int> attached;
  bool all_rigid = true;
  for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
    MarkerSlot& marker = constraint_markers[m];
    if (marker.body < 0) continue;
    all_rigid = all_rigid && bodies[marker.body].type == BodyType::rigid;
    marker.adds = std::find(attached.begin(), attached.end(), marker.body) != attached.end();
    if (!marker.adds) attached.push_back(marker.body);
  }
  const bool two_sides = slot.marker_end - slot.marker_begin == 2;
  if (all_rigid && two_sides) {
    slot.lower_pair = entry.constraint->lower_pair(entry.planar);
    if (!constraint_markers.back().adds && !entry.planar) slot.joint = entry.constraint->type();
  }
  const int c = builder.add_constraint(
      slot.rows, attached, {slot.lower_pair.linear, slot.lower_pair.angular, slot.lower_pair.at_point()});
  for (int m = slot.marker_begin; m < slot.marker_end; ++m)
    for (int e = builder.graph.edge_begin[c]; e < int(builder.graph.edges.size()); ++e)
      if (builder.graph.edges[e].body == constraint_markers[m].body)
        constraint_markers[m].block = builder.graph.edges[e].offset;

  num_rows_ += slot.rows;
  num_memory += slot.memory_size;
  most_rows = std::max(most_rows, slot.rows);
  has_nonholonomic_rows = has_nonholonomic_rows || slot.holonomic_rows < slot.rows;
  constraints.push_back(slot);
}

void Layout::add_force(const Model& model, const ForceEntry& entry) {
  ForceSlot slot;
  slot.force = entry.force.get();
  slot.planar = entry.planar;
  slot.memory = num_memory;
  slot.memory_size = entry.force->memory_size();
  slot.marker_begin = int(force_markers.size());
  add_markers(model, entry.force->attachments(), force_markers);
  slot.marker_end = int(force_markers.size());
  num_memory += slot.memory_size;
  has_velocity_forces = has_velocity_forces || entry.force->depends_on_velocity();
  forces.push_back(slot);
}

}  // namespace catena::maximal
