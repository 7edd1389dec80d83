// The structure of the viewer's simulation: built from a scene, or rebuilt from a changed one with its motion kept.
#include "view/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

constexpr std::size_t kLargestChecked = 20'000;  // bodies: beyond them the rank is not worth the wait

double tolerance_of(const Picture& picture) {
  return 1e-8 * (1.0 + picture.size);
}

/// Numbers of the memory that things of the same name had before.
void carry_memory(const Simulation& from, const Simulation& to, VecX& memory) {
  const auto carry = [&](const auto& entries, const auto& find) {
    for (const auto& entry : entries) {
      const auto before = find(entry.name);
      if (!before) continue;
      const auto source = from.memory(*before), target = to.memory(entry.id);
      if (source.empty() || source.size() != target.size()) continue;
      const auto at = target.data() - to.state().memory.data();
      for (std::size_t k = 0; k < source.size(); ++k) memory[at + std::ptrdiff_t(k)] = source[k];
    }
  };
  carry(to.model().constraints(),
        [&](const std::string& name) { return from.model().find_constraint(name); });
  carry(to.model().forces(), [&](const std::string& name) { return from.model().find_force(name); });
}

}  // namespace

void carry_motion(const Simulation& from, Model& to, const Shifts& shifts) {
  const State now = from.state_in(Coordinates::bodies);
  std::map<std::string_view, std::pair<Eigen::Index, Eigen::Index>> places;  // name to first q and v
  Eigen::Index q = 0, v = 0;
  for (const BodyEntry& entry : from.model().bodies()) {
    places[entry.name] = {q, v};
    q += entry.body->num_q();
    v += entry.body->num_v();
  }
  for (std::size_t i = 0; i < to.bodies().size(); ++i) {
    const BodyEntry& entry = to.bodies()[i];
    VecX q_new = entry.q, v_new = entry.v;
    const auto before = from.model().find_body(entry.name);
    if (before) {
      const BodyEntry& old = from.model().bodies()[std::size_t(from.model().index_of(*before))];
      if (old.body->kind() == entry.body->kind() && old.q.size() == entry.q.size()) {
        q_new = now.q.segment(places[entry.name].first, entry.q.size());
        v_new = now.v.segment(places[entry.name].second, entry.v.size());
      }
    }
    if (const auto shift = shifts.find(entry.name); shift != shifts.end()) {
      Placement placement = entry.body->unpack(q_new.data(), v_new.data());
      placement.position += shift->second;
      VecX q_shifted = q_new, v_shifted = v_new;
      if (entry.body->pack(placement, q_shifted.data(), v_shifted.data()).empty()) {
        q_new = q_shifted;
        v_new = v_shifted;
      }
    }
    to.set_start(int(i), q_new, v_new);
  }
}

void ViewPlayer::look_at_structure() {
  {
    const InterruptScope whole(nullptr);  // it has been changed: who sees it must see that
    picture_ = make_picture(*sim_);
  }
  report_ = {};
  if (sim_->model().bodies().size() <= kLargestChecked) {
    try {
      report_ = check(*sim_);
      mark_dependencies(report_, sim_->model(), picture_);
    } catch (const Interrupted&) {  // it can be seen without
    }
  }
  for (PictureForce& force : picture_.forces) force.on = !switched_off_.contains(force.name);
  num_constraints_ = sim_->model().constraints().size();
  ++revision_;
}

void ViewPlayer::install(Scene scene, Simulation sim, std::vector<std::shared_ptr<bool>> switches) {
  scene_ = std::move(scene);
  switches_ = std::move(switches);
  sim_.emplace(std::move(sim));
  apply_switches();
  hand_.reset();
  targets_.clear();
  past_.clear();
  shown_ = kLive;
  last_step_ = {};
  refusal_.reset();
  blow_.reset();
  events_.clear();
}

void ViewPlayer::replace(Scene scene) {
  std::vector<std::shared_ptr<bool>> switches;
  make_switchable(scene, switches);
  Simulation sim = make_simulation(scene);
  switched_off_.clear();
  install(std::move(scene), std::move(sim), std::move(switches));
  start_ = sim_->state();
  look_at_structure();
  anchor();
  record();
}

void ViewPlayer::change(Scene scene, const Shifts& shifts) {
  std::vector<std::shared_ptr<bool>> switches;
  make_switchable(scene, switches);
  scene.project_start = false;
  Scene moved = scene;
  carry_motion(*sim_, moved.model, shifts);
  Simulation sim = make_simulation(moved);
  State state = sim.state();
  const bool is_start = sim_->state().steps == 0;
  state.time = sim_->time();
  state.time_rest = sim_->state().time_rest;
  state.steps = sim_->state().steps;
  carry_memory(*sim_, sim, state.memory);
  sim.set_state(state);
  // velocities are made consistent with it, also when all is closed
  const bool closes_itself = !traits(sim.choice().integrator).has_inertia;
  if (!closes_itself) {
    const AssemblyReport assembled = assemble(sim);
    if (!assembled.is_closed)
      throw InvalidInput(
          {{"edit", assembled.message.empty() ? "the joints cannot all be closed" : assembled.message,
            "bring the parts nearer to each other, or leave a joint out"}});
  }
  state = sim.state();
  state.ledger[Account::impulses] += sim.numerical_energy();
  sim.set_state(state);

  // where a reset leads: the scene's own start if that closes, else what is there now
  State start = sim.state();
  if (!is_start && scene.model.bodies().size() <= 300) {
    try {
      Simulation fresh = make_simulation(scene);
      if (fresh.constraint_error() < tolerance_of(picture_) || assemble(fresh).is_closed)
        start = fresh.state();
    } catch (const std::exception&) {  // then a reset leads to the present state
    }
  }
  const bool playing = playing_;
  install(std::move(scene), std::move(sim), std::move(switches));
  playing_ = playing;
  start_ = std::move(start);
  look_at_structure();
  anchor();
  record();
}

}  // namespace catena::app
