// Coordinates of single joints, whatever the coordinates of the state.
#include "formulation/minimal/body_map.h"
#include "sim/impl.h"

#include <fmt/core.h>

namespace catena {
namespace {

/// The motion that a joint leaves free; throws for constraints that are no joints.
JointMotion motion_of_joint(const Model& model, ConstraintId id) {
  const int index = model.index_of(id);
  const std::string label =
      index >= 0 ? constraint_label(model, index) : fmt::format("constraint id {}", id.value);
  if (index < 0)
    throw InvalidInput(
        {{label, "is not in the model", "take the id from Model::add or Model::find_constraint"}});
  const ConstraintEntry& entry = model.constraints()[std::size_t(index)];
  const std::optional<JointMotion> motion = joint_motion_of(*entry.constraint, entry.planar);
  if (!motion)
    throw InvalidInput({{label, "has no joint coordinates",
                         "name a weld, hinge, slider, ball, universal, cylindrical, planar, screw or "
                         "constant-velocity joint"}});
  return *motion;
}

}  // namespace

JointState Simulation::joint_state(ConstraintId id) const {
  const Impl& s = *impl_;
  const JointMotion motion = motion_of_joint(s.model, id);
  const ConstraintEntry& entry = s.model.constraints()[std::size_t(s.model.index_of(id))];
  JointState out{VecX(motion.num_q()), VecX(motion.num_v())};
  if (s.joint_equations) {
    const JointPlace place = s.joint_equations->place_of(s.model.index_of(id));
    if (place.exists())
      return {s.state.q.segment(place.q, place.num_q), s.state.v.segment(place.v, place.num_v)};
  }
  const auto at = entry.constraint->attachments();
  Marker a = marker(at[0]), b = marker(at[1]);
  if (entry.planar && entry.constraint->type() == JointType::ball) {  // its markers have no axes of their own
    a.R = a.R * at[0].axes.transpose();
    b.R = b.R * at[1].axes.transpose();
  }
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

}  // namespace catena
