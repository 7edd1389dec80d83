// Where everything of a model is: slots of bodies, markers, constraints, forces and inequalities, in model order. Computed once per structure.
//
// Offsets are those of the state (q, v, memory), of rows in model order and of one block per body. Where blocks lie in the matrix of a
// formulation is that formulation's own affair (its blocks.h).
#pragma once

#include "catena/force.h"
#include "catena/joints.h"
#include "catena/state.h"

namespace catena {

/// One body with what the hot loops need of it.
struct BodySlot {
  BodyType type = BodyType::other;
  int num_v = 0;
  int q = 0, v = 0;             // offsets in the state
  int M = 0;                    // offset of its num_v × num_v block among those of all bodies
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
  bool adds = false;  // a second marker of its owner on the same body
  // lever / (smallest moment about axes normal to it): turns a pull into an angular frequency squared   1/(kg·m)
  double lever_ratio = 0.0;
};

/// What constraints and forces have in common: their markers and their numbers in the state.
struct AttachedSlot {
  int marker_begin = 0, marker_end = 0;  // range of markers
  int memory = 0, memory_size = 0;
  bool planar = false;
  int num_markers() const { return marker_end - marker_begin; }
};

struct ConstraintSlot : AttachedSlot {
  const Constraint* constraint = nullptr;
  int rows = 0, holonomic_rows = 0;
  int row = 0;                  // first row in model order
  int G = 0;                    // offset of its G in RowValues::G; joints known by name have none
  bool acts_elsewhere = false;  // its multipliers act along K, at the same offset in RowValues::K
  JointType joint =
      JointType::other;  // by name only between two different rigid bodies, or one and the world
  LowerPair lower_pair;  // exists() only where the explicit form applies
};

struct ForceSlot : AttachedSlot {
  const Force* force = nullptr;
  // of forces along coordinates; without them `along` is nullptr and rows is 0
  const CoordinateForce* along = nullptr;
  const Constraint* coordinates = nullptr;
  int rows = 0;
  int row = 0;         // first of its rows among those of all forces
  int G = 0;           // offset in CoordinateValues::G
  int first_law = -1;  // in Layout::laws; -1: its answers come from the force itself
};

struct InequalitySlot : AttachedSlot {
  const Inequality* inequality = nullptr;
  std::uint64_t feature = 0;  // its key in State::features
  int rows = 0, holonomic_rows = 0;
  int row = 0;  // first row among those of all inequalities
  int G = 0;    // offset in InequalityValues::G
  bool acts_elsewhere = false;
};

struct Layout {
  explicit Layout(const Model& model);

  std::vector<BodySlot> bodies;
  std::vector<ConstraintSlot> constraints;
  std::vector<ForceSlot> forces;
  std::vector<InequalitySlot> inequalities;
  std::vector<MarkerSlot> constraint_markers, force_markers, inequality_markers;
  std::vector<Law> laws;  // of elastic forces, side by side, one per row
  int num_q = 0, num_v = 0, num_M = 0, num_memory = 0;
  int num_rows = 0, num_coordinates = 0;  // rows of constraints; of forces along coordinates
  int num_inequality_rows = 0;
  int G_size = 0, coordinate_G_size = 0, inequality_G_size = 0;
  int most_rows = 0, most_markers = 0;  // of one constraint or force, for scratch memory
  VecX holonomic;                       // per row: 1 where C exists
  bool has_nonholonomic_rows = false, has_velocity_forces = false, has_constraint_memory = false;
  std::vector<int> driven;  // constraints that do work: those driven in time, and those that act elsewhere
  bool has_other_bodies = false;    // bodies without a type of their own
  bool has_own_directions = false;  // constraints that act elsewhere than along their rows
  double length_scale = 1.0;        // m
  Vec3 gravity;

 private:
  void add_bodies(const Model& model);
  void add_markers(const Model& model, std::span<const Attachment> attachments,
                   std::vector<MarkerSlot>& markers, AttachedSlot& owner);
  void add_constraint(const Model& model, const ConstraintEntry& entry);
  void add_force(const Model& model, const ForceEntry& entry);
  void add_inequality(const Model& model, const InequalityEntry& entry);

  double extent_ = 0.0;  // longest lever, m
};

/// The constraint that has this row, -1 when there is none.
int constraint_of_row(const Layout& layout, int row);
/// The force along coordinates that has this row among those of all, -1 when there is none.
int force_of_coordinate(const Layout& layout, int row);

/// Different bodies of a range of markers, without the world, in the order of their first marker.
std::vector<int> bodies_of(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner);

}  // namespace catena
