// Where everything of a model is in the flat arrays: computed once per structure.
#pragma once

#include "catena/model.h"
#include "solve/problem.h"

namespace catena::maximal {

/// One body with what the hot loops need of it.
struct BodySlot {
  BodyType type = BodyType::other;
  int num_v = 0;
  int q = 0, v = 0, M = 0;      // offsets
  double mass = 0.0;            // kg
  double planar_inertia = 0.0;  // kg·m²
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, body axes
  bool has_shape_force = false;
  const Body* body = nullptr;
};

/// One attachment of a constraint or force.
struct MarkerSlot {
  int body = -1;   // index, -1 for the world
  int motion = 0;  // index in Kinematics::bodies, where the world comes last
  Vec3 point;      // body axes
  Mat3 axes;
  int block = -1;     // offset of its block of J (constraints only), -1 for the world
  bool adds = false;  // a second marker on the same body: add to the block
  // lever / (smallest moment about axes normal to it): turns a pull into an angular frequency squared   1/(kg·m)
  double lever_ratio = 0.0;
};

struct ConstraintSlot {
  const Constraint* constraint = nullptr;
  int rows = 0, holonomic_rows = 0;
  int row = 0;                           // offset in C, λ, ...
  int marker_begin = 0, marker_end = 0;  // range of markers
  int memory = 0, memory_size = 0;
  bool planar = false;
  JointType joint =
      JointType::other;  // by name only between two different rigid bodies, or one and the world
  LowerPair lower_pair;  // exists() only where the explicit form applies
};

struct ForceSlot {
  const Force* force = nullptr;
  int marker_begin = 0, marker_end = 0;
  int memory = 0, memory_size = 0;
  bool planar = false;
};

struct Layout {
  explicit Layout(const Model& model);

  std::vector<BodySlot> bodies;
  std::vector<ConstraintSlot> constraints;
  std::vector<ForceSlot> forces;
  std::vector<MarkerSlot> constraint_markers, force_markers;
  solve::Graph graph;
  int num_q = 0, num_v = 0, num_memory = 0;
  int most_rows = 0, most_markers = 0;  // of one constraint or force, for scratch memory
  VecX holonomic;                       // per row
  bool has_nonholonomic_rows = false, has_velocity_forces = false, has_constraint_memory = false;
  double length_scale = 1.0;  // m
  Vec3 gravity;

 private:
  void add_bodies(const Model& model, solve::GraphBuilder& builder);
  void add_markers(const Model& model, std::span<const Attachment> attachments,
                   std::vector<MarkerSlot>& markers);
  void add_constraint(const Model& model, const ConstraintEntry& entry, solve::GraphBuilder& builder);
  void add_force(const Model& model, const ForceEntry& entry);

  int num_rows_ = 0;
  double extent_ = 0.0;  // longest lever, m
};

}  // namespace catena::maximal
