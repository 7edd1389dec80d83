// Posing: a held point goes where the hand is, without inertia and without time, and the mechanism comes along as its joints ask.
#include "view/player.h"

#include <algorithm>
#include <utility>

namespace catena::app {
namespace {

/// Moves one body in a state of body coordinates, whatever the joints say; false where it has no position to move.
bool shift_body(const Simulation& sim, int index, const Vec3& by, State& state) {
  const auto bodies = sim.model().bodies();
  Eigen::Index first = 0;  // of its coordinates
  for (const BodyEntry& before : bodies.first(std::size_t(index))) first += before.body->num_q();
  const BodyEntry& entry = bodies[std::size_t(index)];
  Placement placement = sim.placement(entry.id);
  placement.position += by;
  VecX v = VecX::Zero(entry.body->num_v());
  return entry.body->pack(placement, state.q.data() + first, v.data()).empty();
}

}  // namespace

// Whether the mechanism closes with the held point there; where not, it is as it was.
bool ViewPlayer::pose_at(const State& still, const Vec3& target) {
  const Vec3 from = std::exchange(hand_->pull->target, target);
  sim_->set_state(still);  // evaluates the nail at its new place
  if (assemble(*sim_).is_closed) return true;
  hand_->pull->target = from;
  sim_->set_state(still);
  return false;
}

// Out of reach: as near as the joints let it. The body alone is put there, the mechanism closed with the least change of all, and again
// while that brings the point nearer.
void ViewPlayer::approach(const Vec3& target) {
  constexpr int kMost = 60;
  constexpr double kLeastShare = 0.02;  // of the way that is left, below which no shift helps
  set_nail(false);
  double distance = (target - sim_->marker(hand_->at).x).norm(), share = 1.0;
  for (int k = 0; k < kMost && share > kLeastShare; ++k) {
    const State before = sim_->state();
    State moved = sim_->state_in(Coordinates::bodies);
    if (!shift_body(*sim_, hand_->body, share * (target - sim_->marker(hand_->at).x), moved)) break;
    const bool is_closed = assemble(*sim_, moved).is_closed;
    const double now = (target - sim_->marker(hand_->at).x).norm();
    if (is_closed && now < (1.0 - 1e-7) * distance) {
      distance = now;
      share = std::min(1.0, 2.0 * share);
    } else {  // joints turned it too far
      sim_->set_state(before);
      share *= 0.5;
    }
  }
  hand_->pull->target = sim_->marker(hand_->at).x;
  set_nail(true);
}

void ViewPlayer::set_nail(bool on) {
  sim_->edit([&](Model& model) {
    if (const auto nail = model.find_constraint(kHandName)) model.remove(*nail);
    if (on) model.add(kHandName, pull_nail(hand_->at, hand_->pull));
  });
  num_constraints_ = sim_->model().constraints().size();
}

}  // namespace catena::app
