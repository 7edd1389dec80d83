// The recorded past of a simulation.
#include "view/past.h"

#include <algorithm>

namespace catena::app {
namespace {

constexpr std::size_t kBytesPerBlock = 16;  // that the heap keeps beside each of its blocks, about

std::size_t bytes_of(const State& state) {
  std::size_t numbers = state.features.numbers().size() + 2 * state.features.size(), blocks = 3;
  for (const VecX* part : {&state.q, &state.v, &state.memory, &state.history.lengths, &state.history.numbers,
                           &state.multipliers}) {
    numbers += std::size_t(part->size());
    ++blocks;
  }
  return sizeof(State) + sizeof(double) * numbers + kBytesPerBlock * blocks;
}

/// Whether there are too many, or too large ones for half of the budget.
bool is_full(std::size_t count, std::size_t most, std::size_t bytes, std::size_t budget) {
  return count > most || (bytes > budget / 2 && count > Past::kLeast);
}

}  // namespace

void Past::record(const State& state) {
  if (!empty() && state.time <= to()) return;
  recent_.push_back(state);
  recent_bytes_ += bytes_of(state);
  while (is_full(recent_.size(), kMostRecent, recent_bytes_, budget_)) {
    recent_bytes_ -= bytes_of(recent_.front());
    age(std::move(recent_.front()));
    recent_.pop_front();
  }
}

void Past::age(State state) {
  if (!old_.empty() && state.time - old_.back().time < 0.999 * distance_) return;
  old_bytes_ += bytes_of(state);
  old_.push_back(std::move(state));
  if (is_full(old_.size(), kMostOld, old_bytes_, budget_)) thin();
}

void Past::thin() {
  std::size_t kept = 0;
  old_bytes_ = 0;
  for (std::size_t i = 0; i < old_.size(); i += 2) {
    if (i != kept) old_[kept] = std::move(old_[i]);
    old_bytes_ += bytes_of(old_[kept++]);
  }
  old_.resize(kept);
  distance_ = (old_.back().time - old_.front().time) / double(kept - 1);
}

void Past::replace_last(const State& state) {
  if (empty() || to() != state.time) return;
  const bool is_recent = !recent_.empty();
  State& last = is_recent ? recent_.back() : old_.back();
  std::size_t& bytes = is_recent ? recent_bytes_ : old_bytes_;
  bytes -= bytes_of(last);
  last = state;
  bytes += bytes_of(last);
}

void Past::clear() {
  old_.clear();
  recent_.clear();
  old_bytes_ = recent_bytes_ = 0;
  distance_ = 0.0;
}

void Past::forget_after(std::size_t index) {
  for (; size() > index + 1 && !recent_.empty(); recent_.pop_back())
    recent_bytes_ -= bytes_of(recent_.back());
  for (; size() > index + 1; old_.pop_back()) old_bytes_ -= bytes_of(old_.back());
}

std::size_t Past::nearest(double time) const {
  std::size_t index = 0;  // of the first that is not earlier
  for (std::size_t end = size(); index < end;) {
    const std::size_t middle = index + (end - index) / 2;
    if (at(middle).time < time)
      index = middle + 1;
    else
      end = middle;
  }
  if (index == 0) return 0;
  if (index == size()) return size() - 1;
  return time - at(index - 1).time <= at(index).time - time ? index - 1 : index;
}

}  // namespace catena::app
