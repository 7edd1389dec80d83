// The hand, streamed targets and switches of forces.
#include "view/hand.h"

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

/// Rotation vector that turns R into the wanted orientation.
Vec3 turn_between(const Mat3& R, const Quat& wanted) {
  const Eigen::AngleAxisd turn(wanted.toRotationMatrix() * R.transpose());
  return turn.angle() * turn.axis();
}

class PullNail final : public Constraint {
 public:
  PullNail(const Attachment& at, PullPtr pull) : Constraint({at}), pull_(std::move(pull)) {}
  std::string_view kind() const override { return "hand"; }
  int num_rows(bool planar) const override { return planar ? 2 : 3; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    auto G = rows.G(0);
    for (int i = 0; i < rows.num_rows(); ++i) {
      rows.C(i) = motion.at[0].x[i] - pull_->target[i];
      G(i, i) = 1.0;
    }
  }

 private:
  PullPtr pull_;
};

class SwitchedForce final : public Force {
 public:
  SwitchedForce(ForcePtr force, std::shared_ptr<const bool> is_on)
      : Force({force->attachments().begin(), force->attachments().end()}),
        force_(std::move(force)),
        is_on_(std::move(is_on)) {}
  std::string_view kind() const override { return force_->kind(); }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    if (*is_on_) force_->apply(motion, wrenches);
  }
  double potential(const Motion& motion) const override { return *is_on_ ? force_->potential(motion) : 0.0; }
  double nonconservative_power(const Motion& motion) const override {
    return *is_on_ ? force_->nonconservative_power(motion) : 0.0;
  }
  Account account() const override { return force_->account(); }
  bool depends_on_velocity() const override { return force_->depends_on_velocity(); }
  bool needs_orientation() const override { return force_->needs_orientation(); }
  double stiffness() const override { return force_->stiffness(); }
  int memory_size() const override { return force_->memory_size(); }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    force_->start_memory(motion, memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    force_->advance_memory(motion, memory);
  }
  std::span<const std::string_view> command_names() const override { return force_->command_names(); }
  std::vector<std::string> validate() const override { return force_->validate(); }

 private:
  ForcePtr force_;
  std::shared_ptr<const bool> is_on_;
};

}  // namespace

Vec3 force_of(const Pull& pull, const Marker& at) {
  return pull.stiffness * (pull.target - at.x) - pull.damping * at.v;
}

ForcePtr pull_force(const Attachment& at, PullPtr pull) {
  UserForceTraits traits;
  traits.needs_orientation = pull->turns;
  return user_force(
      {at},
      [pull = std::move(pull)](const Motion& motion, Wrenches& wrenches) {
        const Marker& marker = motion.at[0];
        Vec3 torque = Vec3::Zero();
        if (pull->turns)
          torque = pull->turn_stiffness * turn_between(marker.R, pull->orientation) -
                   pull->turn_damping * marker.w;
        wrenches.add(0, force_of(*pull, marker), torque);
      },
      traits);
}

ConstraintPtr pull_nail(const Attachment& at, PullPtr pull) {
  return std::make_shared<PullNail>(at, std::move(pull));
}

ForcePtr switched(ForcePtr force, std::shared_ptr<const bool> is_on) {
  return std::make_shared<SwitchedForce>(std::move(force), std::move(is_on));
}

bool has_own_switch(const Force& force) {
  const auto names = force.command_names();
  return !names.empty() && names[0] == "on";
}

void make_switchable(Scene& scene, std::vector<std::shared_ptr<bool>>& switches) {
  // ids are numbers in the order of adding: built in the same order the model keeps them, and with them events and probes
  Model model;
  model.gravity = scene.model.gravity;
  for (const BodyEntry& entry : scene.model.bodies())
    model.add_at(entry.name, entry.body, entry.q, entry.v, entry.shape);
  for (const ConstraintEntry& entry : scene.model.constraints()) model.add(entry.name, entry.constraint);
  switches.clear();
  for (const ForceEntry& entry : scene.model.forces()) {
    switches.push_back(std::make_shared<bool>(true));
    model.add(entry.name,
              has_own_switch(*entry.force) ? entry.force : switched(entry.force, switches.back()));
  }
  scene.model = std::move(model);
}

double softest_mass(Simulation& sim, const Attachment& at) {
  const int index = sim.model().index_of(at.body);
  const double mass = std::max(sim.model().bodies()[std::size_t(index)].body->mass(), 1e-9);
  const State before = sim.state();
  const Marker marker = sim.marker(at);
  double softness = 0.0;  // largest change of velocity per impulse
  for (int axis = 0; axis < 3; ++axis) {
    if (!sim.apply_impulse(at.body, marker.x, mass * Vec3::Unit(axis)).ok()) continue;
    const InterruptScope whole(nullptr);  // no blow stays that was only tried
    const double change = (sim.marker(at).v - marker.v)[axis] / mass;
    if (std::isfinite(change)) softness = std::max(softness, change);
    sim.set_state(before);
  }
  return softness > 1e-9 / mass ? 1.0 / softness : mass;
}

void tune(Pull& pull, double softest, double total_mass, double size, double dt) {
  constexpr double kStrength = 600.0;  // m/s²: a pull as long as the model is about sixty times its weight
  constexpr double kDamping = 0.7;     // of the critical one
  constexpr double kResolved = 0.4;    // ω·dt that explicit integrators take well
  // between what yields first and all that may hang on it: a link of a crane's cable can then lift the load too
  const double felt = std::sqrt(softest * std::max(total_mass, softest));
  pull.stiffness =
      std::min(kStrength / std::max(size, 1e-6) * felt, kResolved * kResolved * softest / (dt * dt));
  pull.damping = 2.0 * kDamping * std::sqrt(pull.stiffness * softest);
}

}  // namespace catena::app
