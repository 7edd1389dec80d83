// Coordinates of single joints and the torques along them, whatever the coordinates of the state.
//
//   τ = SᵀW,   W wrench on a at the origin of a, in the axes of b, of all that is attached to the two bodies and to nothing else   (1)
#include "formulation/minimal/body_map.h"
#include "model/forces/joint_motor.h"
#include "sim/impl.h"

#include <fmt/core.h>

namespace catena {
namespace {

const ConstraintEntry& entry_of_joint(const Model& model, ConstraintId id) {
  const int index = model.index_of(id);
  if (index < 0)
    throw InvalidInput({{fmt::format("constraint id {}", id.value), "is not in the model",
                         "take the id from Model::add or Model::find_constraint"}});
  return model.constraints()[std::size_t(index)];
}

/// The motion that a joint leaves free; throws for constraints that are no joints.
JointMotion motion_of_joint(const Model& model, ConstraintId id) {
  const ConstraintEntry& entry = entry_of_joint(model, id);
  const std::optional<JointMotion> motion = joint_motion_of(*entry.constraint, entry.planar);
  if (!motion)
    throw InvalidInput({{constraint_label(model, model.index_of(id)), "has no joint coordinates",
                         "name a weld, hinge, slider, ball, universal, cylindrical, planar, screw or "
                         "constant-velocity joint"}});
  return *motion;
}

/// Markers a and b of a joint. In the plane those of a ball have no axes of their own.
struct JointMarkers {
  Marker a, b;
};
JointMarkers markers_of_joint(const Simulation& sim, const ConstraintEntry& entry) {
  const auto at = entry.constraint->attachments();
  JointMarkers out{sim.marker(at[0]), sim.marker(at[1])};
  if (entry.planar && entry.constraint->type() == JointType::ball) {
    out.a.R = out.a.R * at[0].axes.transpose();
    out.b.R = out.b.R * at[1].axes.transpose();
  }
  return out;
}

/// Whether something is attached to both of two bodies and to nothing else.
bool joins_only(std::span<const Attachment> attachments, BodyId a, BodyId b) {
  bool is_on_a = false, is_on_b = false;
  for (const Attachment& at : attachments) {
    if (at.body != a && at.body != b) return false;
    (at.body == a ? is_on_a : is_on_b) = true;
  }
  return is_on_a && is_on_b;
}

/// Wrench of a force on one body, about a point of the world.
Vec6 wrench_on(const Simulation& sim, const ForceEntry& entry, BodyId body, const Vec3& about) {
  const auto attachments = entry.force->attachments();
  std::vector<Marker> markers;
  for (const Attachment& at : attachments) markers.push_back(sim.marker(at));
  WrenchScratch wrenches(markers.size());
  apply_force(*entry.force,
              {.at = markers, .time = sim.time(), .planar = entry.planar, .memory = sim.memory(entry.id)},
              wrenches);
  Vec6 sum = Vec6::Zero();
  for (std::size_t i = 0; i < markers.size(); ++i) {
    if (attachments[i].body != body) continue;
    const Vec3 force = wrenches[i].head<3>();
    sum.head<3>() += force;
    sum.tail<3>() += wrenches[i].tail<3>() + (markers[i].x - about).cross(force);
  }
  return sum;
}

}  // namespace

ConstraintId Simulation::joint_named(std::string_view name) const {
  if (const auto id = impl_->model.find_constraint(name)) return *id;
  throw InvalidInput({{fmt::format("joint '{}'", name), "is not in the model",
                       "give the name that Model::add or the scene gave it"}});
}

JointState Simulation::joint_state(ConstraintId id) const {
  const Impl& s = *impl_;
  const JointMotion motion = motion_of_joint(s.model, id);
  JointState out{VecX(motion.num_q()), VecX(motion.num_v())};
  if (s.joint_equations) {
    const JointPlace place = s.joint_equations->place_of(s.model.index_of(id));
    if (place.exists())
      return {s.state.q.segment(place.q, place.num_q), s.state.v.segment(place.v, place.num_v)};
  }
  const auto [a, b] = markers_of_joint(*this, entry_of_joint(s.model, id));
  motion.set_neutral(out.q.data());
  minimal::read_joint(motion, a, b, out.q.data(), out.v.data());
  return out;
}

void Simulation::set_joint_state(ConstraintId id, const JointState& joint) {
  require_no_controller_running(*this, "set_joint_state");
  Impl& s = *impl_;
  const JointMotion motion = motion_of_joint(s.model, id);
  const int index = s.model.index_of(id);
  if (joint.q.size() != motion.num_q() || joint.v.size() != motion.num_v() || !joint.q.allFinite() ||
      !joint.v.allFinite())
    throw InvalidInput({{constraint_label(s.model, index),
                         fmt::format("takes {} finite coordinates and {} velocities, got {} and {}",
                                     motion.num_q(), motion.num_v(), joint.q.size(), joint.v.size()),
                         "read them with joint_state first"}});
  const minimal::Structure structure(s.model);
  const int link = structure.link_of_joint[std::size_t(index)];
  if (link < 0)
    throw InvalidInput(
        {{constraint_label(s.model, index), "closes a loop: other joints decide its coordinates",
          "set the joints of the tree and call project() or assemble()"}});
  const minimal::Link& moved = structure.links[std::size_t(link)];
  State next = s.joint_equations ? s.state : in_joint_coordinates(s.model, s.state);
  next.q.segment(moved.q, moved.num_q()) = joint.q;
  next.v.segment(moved.v, moved.num_v()) = joint.v;
  next.history.forget();
  next.multipliers.resize(0);
  const double energy_before = s.balance().energy.total();
  set_state(next);
  if (s.state.steps == 0)
    s.start_energy = s.balance().energy.total();  // nothing has moved yet: this is the start
  else
    s.state.ledger[Account::impulses] += s.balance().energy.total() - energy_before;
}

VecX Simulation::joint_torque(ConstraintId id) const {
  const Impl& s = *impl_;
  const ConstraintEntry& entry = entry_of_joint(s.model, id);
  const std::string_view kind = entry.constraint->kind();
  if (kind == "driven_hinge") return VecX::Constant(1, constraint_force(id).torque.z());
  if (kind == "driven_slider") return VecX::Constant(1, constraint_force(id).force.z());
  const JointMotion motion = motion_of_joint(s.model, id);
  const auto [a, b] = markers_of_joint(*this, entry);
  const auto at = entry.constraint->attachments();
  Vec6 wrench = Vec6::Zero();
  for (const ForceEntry& force : s.model.forces())
    if (joins_only(force.force->attachments(), at[0].body, at[1].body))
      wrench += wrench_on(*this, force, at[0].body, a.x);
  wrench.head<3>() = b.R.transpose() * wrench.head<3>();
  wrench.tail<3>() = b.R.transpose() * wrench.tail<3>();
  VecX q(motion.num_q());
  motion.set_neutral(q.data());
  motion.coordinates_of(relative_motion(a, b).pose, q.data());
  return motion.free_directions(q.data()).transpose() * wrench;  // (1)
}

void Simulation::set_joint_torque(ConstraintId id, const VecX& torque) {
  const Model& model = impl_->model;
  const ConstraintEntry& entry = entry_of_joint(model, id);
  for (const ForceEntry& force : model.forces()) {
    const auto* motor = dynamic_cast<const JointMotor*>(force.force.get());
    if (motor == nullptr || !motor->drives(*entry.constraint) || motor->command_names().empty()) continue;
    return set_command(force.id, {torque.data(), std::size_t(torque.size())});
  }
  throw InvalidInput({{constraint_label(model, model.index_of(id)), "has no motor that takes torques",
                       "add joint_motor(joint) to the model (scenes: a force of the kind 'joint-motor')"}});
}

}  // namespace catena
