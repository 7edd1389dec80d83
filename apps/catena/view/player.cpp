// Time in the viewer's simulation: its pace, its recorded past, its refusals. What people do to it is in influence.cpp.
#include "view/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

constexpr double kFrame = 1.0 / 60.0;  // s

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void smooth(double& value, double sample) {
  value = value == 0.0 ? sample : 0.9 * value + 0.1 * sample;
}

/// The name after "body '" or "constraint '" in an explanation.
std::string name_in(const std::string& text, const std::string& what) {
  const std::size_t begin = text.find(what + " '");
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + what.size() + 2, to = text.find('\'', from);
  return to == std::string::npos ? std::string{} : text.substr(from, to - from);
}

}  // namespace

ViewPlayer::ViewPlayer(Scene scene, std::size_t past_bytes) : past_(past_bytes) {
  replace(std::move(scene));
}

// ------------------------------------------------------------------------------------------------------------- time

void ViewPlayer::anchor() {
  anchor_wall_ = factor_wall_ = Clock::now();
  anchor_time_ = factor_time_ = sim_->time();
}

double ViewPlayer::due_time(Clock::time_point now) const {
  return anchor_time_ + speed_ * seconds(now - anchor_wall_);
}

bool ViewPlayer::is_ahead(Clock::time_point now) const {
  return sim_->time() >= due_time(now);
}

double ViewPlayer::step_size() const {
  // slow motion with long steps would jerk: then a step is what a frame shows
  return std::min(scene_.dt, std::max(speed_ * kFrame, 1e-9));
}

void ViewPlayer::play() {
  const bool was_playing = std::exchange(playing_, true);
  try {
    change_grip();
  } catch (const Interrupted&) {
    playing_ = was_playing;
    throw;
  }
  anchor();
}

void ViewPlayer::pause() {
  playing_ = false;
}

void ViewPlayer::set_speed(double speed) {
  speed_ = std::clamp(speed, 0.01, 10.0);
  anchor();
}

void ViewPlayer::step(int count) {
  playing_ = false;
  if (hand_ && hand_->is_posing && !kinematic_) release();  // a step is motion: what was posed is let go
  try {
    for (int k = 0; k < count && step_once(); ++k) {
    }
  } catch (const Interrupted&) {  // those before it were taken
    record();
    throw;
  }
  record();
}

bool ViewPlayer::step_once() {
  if (is_live()) return kinematic_ ? move_kinematically(scene_.dt) : take_step(scene_.dt);
  if (shown_ + 1 < past_.size())
    show(shown_ + 1);
  else
    return_to_live();
  return true;
}

void ViewPlayer::reset() {
  release();
  // joints may have broken since
  if (sim_->model().constraints().size() != scene_.model.constraints().size()) return build_again();
  sim_->set_state(start_);
  shown_ = kLive;
  past_.clear();
  last_step_ = {};
  blow_.reset();
  refusal_.reset();
  anchor();
  record();
}

void ViewPlayer::build_again() {
  for (const auto& is_on : switches_) *is_on = true;  // inside of the new ones
  try {
    replace(scene_);
  } catch (...) {  // interrupted: as it was
    apply_switches();
    throw;
  }
}

void ViewPlayer::seek(double time) {
  if (past_.empty() || !std::isfinite(time)) return;
  release();
  playing_ = false;
  if (is_live()) live_ = sim_->state();
  if (time >= live_.time)
    return_to_live();
  else
    show(past_.nearest(time));
}

void ViewPlayer::show(std::size_t index) {
  shown_ = index;
  sim_->set_state(past_.at(index));
}

void ViewPlayer::return_to_live() {
  if (is_live()) return;
  shown_ = kLive;
  sim_->set_state(live_);
  anchor();
}

void ViewPlayer::branch() {
  if (is_live()) return;
  past_.forget_after(shown_);
  shown_ = kLive;
  refusal_.reset();
  anchor();
}

bool ViewPlayer::play_past(Clock::time_point now) {
  const double due = due_time(now);
  std::size_t next = shown_;
  while (next + 1 < past_.size() && past_.at(next + 1).time <= due) ++next;
  if (next == shown_ && next + 1 < past_.size()) return false;
  if (next == shown_)
    return_to_live();
  else
    show(next);
  return true;
}

bool ViewPlayer::run(Clock::time_point end, const std::function<bool()>& is_interrupted) {
  if (!playing_) return false;
  Clock::time_point now = Clock::now();
  if (!is_live()) return play_past(now);
  bool moved = false;
  while (playing_ && sim_->time() < due_time(now) && !is_interrupted()) {
    if (!(kinematic_ ? move_kinematically(step_size()) : take_step(step_size()))) break;
    moved = true;
    now = Clock::now();
    if (now >= end) break;
  }
  // what could not be computed in time is not owed
  if (due_time(now) - sim_->time() > speed_ * 2.0 * kFrame) {
    anchor_wall_ = now;
    anchor_time_ = sim_->time();
  }
  if (const double wall = seconds(now - factor_wall_); wall > 0.5) {
    factor_ = (sim_->time() - factor_time_) / wall;
    factor_wall_ = now;
    factor_time_ = sim_->time();
  }
  return moved;
}

bool ViewPlayer::take_step(double dt) {
  const auto begin = Clock::now();
  last_step_ = sim_->step(dt);
  smooth(timing.step, seconds(Clock::now() - begin));
  if (!last_step_.ok()) {
    note_refusal(last_step_.message);
    return false;
  }
  if (!last_step_.event.empty()) {
    events_.push_back(fmt::format("t = {:.6g} s: {}", sim_->time(), last_step_.event));
    if (std::find(scene_.stop_at.begin(), scene_.stop_at.end(), last_step_.event) != scene_.stop_at.end())
      playing_ = false;
  }
  if (!last_step_.warning.empty()) events_.push_back(last_step_.warning);
  if (sim_->model().constraints().size() != num_constraints_) follow_broken_joint();
  return true;
}

// An event took a joint away: recorded states belong to another structure, and hands let go.
void ViewPlayer::follow_broken_joint() {
  {
    const InterruptScope whole(nullptr);  // the step is taken
    release();
    while (!targets_.empty()) set_target(targets_.begin()->first, std::nullopt);
  }
  past_.clear();
  look_at_structure();
}

void ViewPlayer::note_refusal(const std::string& message) {
  playing_ = false;
  refusal_ = Refusal{message, name_in(message, "body"), name_in(message, "constraint"),
                     sim_->state().steps + 1, sim_->time()};
  if (!refusal_->body.empty() || refusal_->joint.empty()) return;
  const auto id = sim_->model().find_constraint(refusal_->joint);
  if (!id) return;
  for (const Attachment& at :
       sim_->model().constraints()[std::size_t(sim_->model().index_of(*id))].constraint->attachments())
    if (const int body = sim_->model().index_of(at.body); body >= 0 && refusal_->body.empty())
      refusal_->body = sim_->model().bodies()[std::size_t(body)].name;
}

void ViewPlayer::record() {
  if (!is_live()) return;
  const auto begin = Clock::now();
  past_.record(sim_->state());
  smooth(timing.record, seconds(Clock::now() - begin));
}

std::optional<Refusal> ViewPlayer::take_refusal() {
  return std::exchange(refusal_, std::nullopt);
}

std::vector<std::string> ViewPlayer::take_events() {
  return std::exchange(events_, {});
}

}  // namespace catena::app
