// The recorded past of a simulation.
#include "view/past.h"

#include <algorithm>

namespace catena::app {
namespace {

std::size_t bytes_of(const State& state) {
  std::size_t numbers = state.features.numbers().size() + 2 * state.features.size();
  for (const VecX* part : {&state.q, &state.v, &state.memory, &state.history.lengths, &state.history.numbers,
                           &state.multipliers})
    numbers += std::size_t(part->size());
  return sizeof(State) + sizeof(double) * numbers;
}

}  // namespace

void Past::record(const State& state) {
  if (!states_.empty()) {
    if (state.time <= states_.back().time || state.time - states_.back().time < 0.999 * distance_) return;
  }
  used_ += bytes_of(state);
  states_.push_back(state);
  if (used_ <= budget_ || states_.size() < 16) return;
  // every second one goes; the first and the last stay
  std::vector<State> kept;
  kept.reserve(states_.capacity());
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (i % 2 == 0 || i + 1 == states_.size()) kept.push_back(std::move(states_[i]));
  states_ = std::move(kept);
  used_ = 0;
  for (const State& kept_state : states_) used_ += bytes_of(kept_state);
  distance_ = (to() - from()) / double(states_.size());
}

void Past::replace_last(const State& state) {
  if (!states_.empty() && states_.back().time == state.time) states_.back() = state;
}

void Past::clear() {
  states_.clear();
  used_ = 0;
  distance_ = 0.0;
}

void Past::forget_after(std::size_t index) {
  for (std::size_t i = index + 1; i < states_.size(); ++i) used_ -= bytes_of(states_[i]);
  if (index + 1 < states_.size()) states_.resize(index + 1);
}

std::size_t Past::nearest(double time) const {
  const auto after = std::lower_bound(states_.begin(), states_.end(), time,
                                      [](const State& state, double t) { return state.time < t; });
  if (after == states_.begin()) return 0;
  if (after == states_.end()) return states_.size() - 1;
  const auto index = std::size_t(after - states_.begin());
  return time - states_[index - 1].time <= states_[index].time - time ? index - 1 : index;
}

}  // namespace catena::app
