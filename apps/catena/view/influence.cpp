// What people do to the viewer's simulation: hands that drag and strike, streamed targets, switches and commands.
#include "view/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

/// Coordinates of a body by itself.
VecX coordinates_of(const Simulation& sim, int index) {
  Eigen::Index first = 0;
  for (const BodyEntry& before : sim.model().bodies().first(std::size_t(index)))
    first += before.body->num_q();
  return sim.state_in(Coordinates::bodies)
      .q.segment(first, sim.model().bodies()[std::size_t(index)].body->num_q());
}

/// Inertia against turning, on average over the axes it turns about.   kg·m²
double mean_inertia(const Simulation& sim, int index) {
  const Body& body = *sim.model().bodies()[std::size_t(index)].body;
  MatX M(body.num_v(), body.num_v());
  body.mass_block(coordinates_of(sim, index).data(), M.data());
  return body.type() == BodyType::rigid ? M.diagonal().tail<3>().mean()
                                        : M(body.num_v() - 1, body.num_v() - 1);
}

/// The point of a body that can be pulled where the pointer met its skin, and how far the skin is from it.
Attachment grip_of(const Simulation& sim, int index, const Vec3& local, Vec3& offset) {
  const BodyEntry& entry = sim.model().bodies()[std::size_t(index)];
  const Placement at = sim.placement(entry.id);
  const Vec3 skin = at.position + at.orientation * local;
  Attachment grip{entry.id, local, Mat3::Identity()};
  if (entry.body->type() == BodyType::other) {
    grip.point = entry.body->local_point(coordinates_of(sim, index).data(), skin);
    if (!grip.point.allFinite()) grip.point.setZero();
  }
  if (!entry.body->has_orientation() && entry.body->num_v() < 4 && entry.body->picture_lines().empty())
    grip.point.setZero();
  if (entry.body->is_planar()) grip.point.z() = 0.0;
  offset = skin - sim.marker(grip).x;
  return grip;
}

[[noreturn]] void fail(std::string where, std::string what, std::string remedy) {
  throw InvalidInput({{std::move(where), std::move(what), std::move(remedy)}});
}

}  // namespace

void ViewPlayer::set_kinematic(bool on) {
  if (on == kinematic_) return;
  release();
  branch();
  kinematic_ = on;
  anchor();
}

void ViewPlayer::require_body(const char* what, int body) const {
  if (body < 0 || std::size_t(body) >= picture_.bodies.size())
    fail(what, fmt::format("there is no body number {}", body), "take the number from the structure");
}

void ViewPlayer::strike(int body, const Vec3& local, const Vec3& impulse) {
  require_body("strike", body);
  if (!local.allFinite() || !impulse.allFinite())
    fail("strike", "a number is not finite", "give metres and newton seconds");
  if (kinematic_) fail("strike", "without inertia a blow moves nothing", "leave kinematic mode");
  release();
  Blow blow{.body = body, .impulse = impulse, .time = sim_->time()};
  Vec3 offset;
  const Attachment grip = grip_of(*sim_, body, local, offset);
  const Marker before = sim_->marker(grip);
  const double work = sim_->ledger()[Account::impulses];
  const StepReport report = sim_->apply_impulse(grip.body, before.x, impulse);
  if (!report.ok()) fail("strike", report.message, "strike elsewhere, or at another moment");
  const InterruptScope whole(nullptr);  // it has been struck
  branch();
  blow.point = before.x;
  blow.change = sim_->marker(grip).v - before.v;
  const double along = impulse.dot(blow.change);
  blow.mass = along > 1e-12 * impulse.norm() * blow.change.norm() ? impulse.squaredNorm() / along : 0.0;
  blow.work = sim_->ledger()[Account::impulses] - work;
  blow_ = blow;
  past_.replace_last(sim_->state());
  anchor();
}

void ViewPlayer::strike_towards(int body, const Vec3& local, const Vec3& target) {
  constexpr double kBlowTime = 0.2;  // s
  require_body("strike", body);
  Vec3 offset;
  const Attachment grip = grip_of(*sim_, body, local, offset);
  strike(body, local, softest_mass(*sim_, grip) / kBlowTime * (target - offset - sim_->marker(grip).x));
}

void ViewPlayer::grab(int body, const Vec3& local, const Vec3& target) {
  require_body("grab", body);
  if (!local.allFinite() || !target.allFinite())
    fail("grab", "a number is not finite", "give points in metres");
  release();
  Hand hand;
  hand.body = body;
  hand.at = grip_of(*sim_, body, local, hand.offset);
  by_hand([&] { take_hold(std::move(hand), target); });
  branch();
}

// Moves by hand may take long in large mechanisms. Interrupted ones leave it where it was, and the hand lets go.
void ViewPlayer::by_hand(const std::function<void()>& move) {
  State before = sim_->state();
  try {
    move();
  } catch (const Interrupted&) {
    before.multipliers.resize(0);
    sim_->set_state(
        before);  // first: the hand books what it did before this move, and not what it was about to do
    release();
    throw;
  }
}

void ViewPlayer::take_hold(Hand hand, const Vec3& target) {
  hand.pull = std::make_shared<Pull>();
  hand.pull->target = target - hand.offset;
  hand.is_posing = would_pose();
  if (hand.is_posing) {
    hand.numerical = sim_->numerical_energy();
    hand.pull->target = sim_->marker(hand.at).x;
    hand_ = hand;
    set_nail(true);
    return drag_to(target);
  }
  double total = 0.0;
  for (const BodyEntry& entry : sim_->model().bodies()) total += entry.body->mass();
  tune(*hand.pull, softest_mass(*sim_, hand.at), total, picture_.size, scene_.dt);
  sim_->edit([&](Model& model) { model.add(kHandName, pull_force(hand.at, hand.pull)); });
  hand_ = hand;
}

// Time began to run, or stopped, while the hand held on: the same point is held in the other way.
void ViewPlayer::change_grip() {
  if (!hand_ || hand_->is_posing == would_pose()) return;
  Hand hand = *hand_;
  const Vec3 target = hand.pull->target + hand.offset;
  release();
  by_hand([&] { take_hold(std::move(hand), target); });
}

void ViewPlayer::drag(const Vec3& pointer) {
  if (!hand_ || !pointer.allFinite()) return;
  change_grip();
  by_hand([&] { drag_to(pointer); });
}

void ViewPlayer::drag_to(const Vec3& pointer) {
  const Vec3 target = pointer - hand_->offset;
  if (!hand_->is_posing) {
    hand_->pull->target = target;
    return;
  }
  State still = sim_->state();
  still.v.setZero();
  still.multipliers.resize(0);
  sim_->set_state(still);
  if (!pose_at(still, target)) approach(target);
  hand_->pull->orientation = Quat::Identity();
}

bool ViewPlayer::move_kinematically(double dt) {
  if (dt <= 0.0) return false;  // the hand has moved it already
  State state = sim_->state();
  const State before = state;
  state.time += dt;
  ++state.steps;
  state.v.setZero();
  state.multipliers.resize(0);
  AssemblyReport report;
  by_hand([&] {
    sim_->set_state(state);
    report = assemble(*sim_);
  });
  if (report.is_closed) return true;
  sim_->set_state(before);
  note_refusal(report.message);
  return false;
}

void ViewPlayer::release() {
  if (!hand_) return;
  const InterruptScope whole(nullptr);  // a force or nail that nobody holds must not stay
  const Hand hand = *std::exchange(hand_, std::nullopt);
  sim_->edit([](Model& model) {
    if (const auto force = model.find_force(kHandName)) model.remove(*force);
    if (const auto nail = model.find_constraint(kHandName)) model.remove(*nail);
  });
  num_constraints_ = sim_->model().constraints().size();
  if (!hand.is_posing) return;
  // what it lifted and stopped is its work, not an error of the integration
  State state = sim_->state();
  state.ledger[Account::impulses] += sim_->numerical_energy() - hand.numerical;
  sim_->set_state(state);
}

Vec3 ViewPlayer::hand_force() const {
  if (!hand_ || hand_->is_posing) return Vec3::Zero();
  return force_of(*hand_->pull, sim_->marker(hand_->at));
}

void ViewPlayer::set_target(const std::string& body, const std::optional<Placement>& pose) {
  const std::string name = ".target " + body;
  const auto id = sim_->model().find_body(body);
  if (!id || body.starts_with('.'))
    fail("targets", fmt::format("there is no body '{}'", body), "take the names from the structure");
  const auto known = targets_.find(body);
  if (!pose) {
    if (known == targets_.end()) return;
    sim_->edit([&](Model& model) {
      if (const auto force = model.find_force(name)) model.remove(*force);
    });
    targets_.erase(known);
    return;
  }
  if (!pose->position.allFinite() || !pose->orientation.coeffs().allFinite())
    fail("targets", fmt::format("the pose of '{}' is not finite", body),
         "give x, y, z and a quaternion x, y, z, w");
  const PullPtr pull = known != targets_.end() ? known->second : std::make_shared<Pull>();
  pull->target = pose->position;
  pull->orientation = pose->orientation.normalized();
  if (known != targets_.end()) return;
  branch();
  const Body& what = *sim_->model().bodies()[std::size_t(sim_->model().index_of(*id))].body;
  const Attachment at{*id, Vec3::Zero(), Mat3::Identity()};
  pull->turns = what.has_orientation() && what.type() != BodyType::other;
  tune(*pull, softest_mass(*sim_, at), what.mass(), picture_.size, scene_.dt);
  if (pull->turns) {  // as fast as it moves
    const double inertia = mean_inertia(*sim_, sim_->model().index_of(*id));
    pull->turn_stiffness = pull->stiffness * inertia / what.mass();
    pull->turn_damping = pull->damping * inertia / what.mass();
  }
  sim_->edit([&](Model& model) { model.add(name, pull_force(at, pull)); });
  targets_[body] = pull;
}

void ViewPlayer::apply_switches() {
  const InterruptScope whole(nullptr);  // all of them
  const auto forces = scene_.model.forces();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    *switches_[i] = !switched_off_.contains(forces[i].name);
    const auto id = sim_->model().find_force(forces[i].name);
    if (!id || !has_own_switch(*forces[i].force)) continue;
    const auto now = sim_->command(*id);
    std::vector<double> values(now.begin(), now.end());
    const double wanted = *switches_[i] ? 1.0 : 0.0;
    if (values.empty() || values[0] == wanted) continue;
    values[0] = wanted;
    sim_->set_command(*id, values);
  }
}

void ViewPlayer::switch_force(const std::string& name, bool on) {
  const auto forces = scene_.model.forces();
  const auto it =
      std::find_if(forces.begin(), forces.end(), [&](const ForceEntry& entry) { return entry.name == name; });
  if (it == forces.end())
    fail("switch", fmt::format("there is no force '{}'", name), "take the name from the structure");
  branch();
  const InterruptScope whole(nullptr);  // what is switched is booked
  if (on)
    switched_off_.erase(name);
  else
    switched_off_.insert(name);
  apply_switches();
  // what a spring stored goes with it: booked, so that it is not taken for an error of the integration
  State state = sim_->state();
  sim_->set_state(state);
  state.ledger[Account::impulses] += sim_->numerical_energy();
  sim_->set_state(state);
  for (PictureForce& force : picture_.forces)
    if (force.name == name) force.on = on;
}

void ViewPlayer::command(const std::string& force, const std::vector<double>& values) {
  const auto id = sim_->model().find_force(force);
  if (!id) fail("command", fmt::format("there is no force '{}'", force), "take the name from the structure");
  sim_->set_command(*id, values);
  branch();
}

}  // namespace catena::app
