// The model: bodies, constraints, forces and inequalities by name. It is constant while a step runs and may be edited between steps.
//
//   Model model;
//   BodyId bob = model.add("bob", std::make_shared<Particle3>(1.0), {.position = {1, 0, 0}});
//   model.add("rod", distance(model.join(bob, world, {1, 0, 0}, Vec3::UnitZ(), {0, 0, 0}), 1.0));
//
// A program: examples/cpp/pendulum.cpp
#pragma once

#include "catena/bodies.h"
#include "catena/constraint.h"
#include "catena/force.h"
#include "catena/inequality.h"

#include <optional>
#include <stdexcept>

namespace CATENA_API catena {

struct ConstraintId {
  std::uint32_t value = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const ConstraintId&) const = default;
};
struct ForceId {
  std::uint32_t value = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const ForceId&) const = default;
};
struct InequalityId {
  std::uint32_t value = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const InequalityId&) const = default;
};

/// One thing that is wrong, where it is and what to do about it.
struct Issue {
  std::string where;   // "body 'arm'", "crane.yaml:12:9 bodies[3].mass"
  std::string what;    // "mass must be positive and finite, got -1 kg"
  std::string remedy;  // "give a mass above 0"
  std::string text() const;
};

/// Thrown for input that cannot be simulated; carries every issue found, not only the first.
class InvalidInput : public std::runtime_error {
 public:
  explicit InvalidInput(std::vector<Issue> issues);
  const std::vector<Issue>& issues() const { return issues_; }

 private:
  std::vector<Issue> issues_;
};

struct BodyEntry {
  BodyId id;
  std::string name;
  std::shared_ptr<const Body> body;
  VecX q, v;  // start values
  Shape shape;
};

struct ConstraintEntry {
  ConstraintId id;
  std::string name;
  ConstraintPtr constraint;
  bool planar = false;  // every attached body is planar (and there is at least one)
};

struct ForceEntry {
  ForceId id;
  std::string name;
  ForcePtr force;
  bool planar = false;
};

struct InequalityEntry {
  InequalityId id;
  std::string name;
  InequalityPtr inequality;
  bool planar = false;
};

class Model {
 public:
  Vec3 gravity{0.0, 0.0, -9.81};  // m/s²

  /// Adding never throws for bad values: validate() reports them all together, with names.
  BodyId add(std::string name, std::shared_ptr<const Body> body, const Placement& placement = {},
             const Shape& shape = {});
  /// The same with coordinates and velocities of the body's own kind (Lagrangian bodies, scales).
  BodyId add_at(std::string name, std::shared_ptr<const Body> body, const VecX& q, const VecX& v,
                const Shape& shape = {});
  ConstraintId add(std::string name, ConstraintPtr constraint);
  ForceId add(std::string name, ForcePtr force);
  InequalityId add(std::string name, InequalityPtr inequality);

  /// Armature: inertia of rotors that a hinge (kg·m²) or a slider (kg) feels besides that of its bodies. A `Rotor` NAME.rotor, without mass, and
  /// its gear NAME.gear of ratio 1 (catena/joints.h). Throws InvalidInput for other constraints.
  BodyId add_armature(ConstraintId joint, double inertia);

  /// Throws InvalidInput when the id is unknown, or when something is still attached to the body.
  void remove(BodyId id);
  void remove(ConstraintId id);
  void remove(ForceId id);
  void remove(InequalityId id);

  /// Markers from world coordinates at the bodies' start placement.
  Attachment mark(BodyId body, const Vec3& point, const Vec3& z_axis = Vec3::UnitZ()) const;
  Attachment mark_axes(BodyId body, const Vec3& point, const Mat3& axes) const;
  /// Both sides of a joint at one world point, with one z axis.
  AttachmentPair join(BodyId a, BodyId b, const Vec3& point, const Vec3& z_axis = Vec3::UnitZ()) const;
  /// Both sides at different world points (distance constraints, springs).
  AttachmentPair join(BodyId a, BodyId b, const Vec3& point_a, const Vec3& z_axis, const Vec3& point_b) const;

  std::span<const BodyEntry> bodies() const { return bodies_; }
  std::span<const ConstraintEntry> constraints() const { return constraints_; }
  std::span<const ForceEntry> forces() const { return forces_; }
  std::span<const InequalityEntry> inequalities() const { return inequalities_; }

  /// Position in bodies(), constraints(), forces(), inequalities(); -1 for an unknown id, and for `world`.
  int index_of(BodyId id) const;
  int index_of(ConstraintId id) const;
  int index_of(ForceId id) const;
  int index_of(InequalityId id) const;
  std::optional<BodyId> find_body(std::string_view name) const;
  std::optional<ConstraintId> find_constraint(std::string_view name) const;
  std::optional<ForceId> find_force(std::string_view name) const;
  std::optional<InequalityId> find_inequality(std::string_view name) const;

  /// Overwrites start values; used when a running simulation is edited.
  void set_start(int body_index, const VecX& q, const VecX& v);

  /// Everything that is wrong with the model, all at once; empty when it can be simulated.
  std::vector<Issue> validate() const;

 private:
  bool all_planar(std::span<const Attachment> attachments) const;

  std::vector<BodyEntry> bodies_;
  std::vector<ConstraintEntry> constraints_;
  std::vector<ForceEntry> forces_;
  std::vector<InequalityEntry> inequalities_;
  // id value to position, -1 when removed
  std::vector<int> body_index_, constraint_index_, force_index_, inequality_index_;
  std::vector<std::pair<BodyId, std::string>> placement_problems_;
};

}  // namespace catena
