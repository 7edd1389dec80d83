#include "catena/state.h"

#include "math/fnv.h"

#include <algorithm>
#include <bit>

namespace catena {
namespace {

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

bool same_bits(const VecX& a, const VecX& b) {
  return same_bits(std::span(a.data(), std::size_t(a.size())), std::span(b.data(), std::size_t(b.size())));
}

bool same_bits(const KeyedNumbers& a, const KeyedNumbers& b) {
  if (!std::ranges::equal(a.keys(), b.keys())) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits(a.numbers_at(i), b.numbers_at(i))) return false;
  return true;
}

/// Coordinates of a body begin at these places of q and v.
struct Offset {
  Eigen::Index q = 0, v = 0;
};

void skip(const Body& body, Offset& at) {
  at.q += body.num_q();
  at.v += body.num_v();
}

void require_sizes(const Model& model, const State& state) {
  Offset end;
  for (const BodyEntry& entry : model.bodies()) skip(*entry.body, end);
  if (end.q != state.q.size() || end.v != state.v.size())
    throw InvalidInput(
        {{"placement", "the state has other sizes than the model", "use a state of the same model"}});
}

}  // namespace

void History::forget(std::span<const int> bodies) {
  for (const int body : bodies) lengths[body] = 0.0;
}

void History::forget() {
  lengths.setZero();
  numbers.resize(0);
}

double History::common_step() const {
  if (lengths.size() == 0) return 0.0;
  return (lengths.array() == lengths[0]).all() ? lengths[0] : 0.0;
}

bool KeyedNumbers::contains(std::uint64_t key) const {
  return std::ranges::binary_search(keys_, key);
}

std::span<const double> KeyedNumbers::numbers_at(std::size_t position) const {
  const std::size_t begin = position == 0 ? 0 : ends_[position - 1];
  return std::span(numbers_).subspan(begin, ends_[position] - begin);
}

std::span<const double> KeyedNumbers::find(std::uint64_t key) const {
  const auto at = std::ranges::lower_bound(keys_, key);
  if (at == keys_.end() || *at != key) return {};
  return numbers_at(std::size_t(at - keys_.begin()));
}

std::span<double> KeyedNumbers::put(std::uint64_t key, std::size_t count) {
  const auto at = std::ranges::lower_bound(keys_, key);
  const auto position = std::size_t(at - keys_.begin());
  const bool is_there = at != keys_.end() && *at == key;
  if (is_there && numbers_at(position).size() != count) {
    erase(key);
    return put(key, count);
  }
  const std::size_t begin = position == 0 ? 0 : ends_[position - 1];
  if (!is_there) {
    keys_.insert(at, key);
    ends_.insert(ends_.begin() + std::ptrdiff_t(position), begin);
    numbers_.insert(numbers_.begin() + std::ptrdiff_t(begin), count, 0.0);
    for (std::size_t i = position; i < ends_.size(); ++i) ends_[i] += count;
  }
  return std::span(numbers_).subspan(begin, count);
}

void KeyedNumbers::erase(std::uint64_t key) {
  const auto at = std::ranges::lower_bound(keys_, key);
  if (at == keys_.end() || *at != key) return;
  const auto position = std::size_t(at - keys_.begin());
  const std::size_t begin = position == 0 ? 0 : ends_[position - 1], count = ends_[position] - begin;
  numbers_.erase(numbers_.begin() + std::ptrdiff_t(begin), numbers_.begin() + std::ptrdiff_t(begin + count));
  keys_.erase(at);
  ends_.erase(ends_.begin() + std::ptrdiff_t(position));
  for (std::size_t i = position; i < ends_.size(); ++i) ends_[i] -= count;
}

void KeyedNumbers::clear() {
  keys_.clear();
  ends_.clear();
  numbers_.clear();
}

void swap(State& a, State& b) noexcept {
  std::swap(a.time, b.time);
  std::swap(a.time_rest, b.time_rest);
  std::swap(a.substep, b.substep);
  std::swap(a.steps, b.steps);
  std::swap(a.coordinates, b.coordinates);
  for (VecX State::*part : {&State::q, &State::v, &State::memory, &State::multipliers})
    (a.*part).swap(b.*part);
  a.history.lengths.swap(b.history.lengths);
  a.history.numbers.swap(b.history.numbers);
  a.features.swap(b.features);
  std::swap(a.ledger, b.ledger);
}

bool identical(const State& a, const State& b) {
  return same_bits(std::array{a.time, a.time_rest, a.substep}, std::array{b.time, b.time_rest, b.substep}) &&
         a.steps == b.steps && a.coordinates == b.coordinates && same_bits(a.q, b.q) && same_bits(a.v, b.v) &&
         same_bits(a.memory, b.memory) && same_bits(a.history.lengths, b.history.lengths) &&
         same_bits(a.history.numbers, b.history.numbers) && same_bits(a.features, b.features) &&
         same_bits(a.multipliers, b.multipliers) && same_bits(a.ledger.values, b.ledger.values);
}

std::uint64_t hash(const State& state) {
  math::Fnv hash;
  hash.add(state.steps);
  hash.add(state.time);
  hash.add(state.time_rest);
  hash.add(state.substep);
  hash.add(state.coordinates);
  hash.add(state.ledger.values);
  for (const VecX* part : {&state.q, &state.v, &state.memory, &state.history.lengths, &state.history.numbers,
                           &state.multipliers})
    hash.add(part->data(), std::size_t(part->size()) * sizeof(double));
  for (std::size_t i = 0; i < state.features.size(); ++i) {
    const std::span<const double> numbers = state.features.numbers_at(i);
    hash.add(state.features.keys()[i]);
    hash.add(numbers.size());
    hash.add(numbers.data(), numbers.size_bytes());
  }
  return hash.value;
}

Placement placement(const Model& model, const State& state, BodyId body) {
  const int index = model.index_of(body);
  if (index < 0)
    throw InvalidInput({{"body id " + std::to_string(body.value), "is not in the model",
                         "take the id from Model::add or Model::find_body"}});
  if (state.coordinates == Coordinates::joints)
    return placement(model, in_body_coordinates(model, state), body);
  require_sizes(model, state);
  Offset at;
  for (int i = 0; i < index; ++i) skip(*model.bodies()[std::size_t(i)].body, at);
  return model.bodies()[std::size_t(index)].body->unpack(state.q.data() + at.q, state.v.data() + at.v);
}

std::vector<Placement> placements(const Model& model, const State& state) {
  if (state.coordinates == Coordinates::joints) return placements(model, in_body_coordinates(model, state));
  require_sizes(model, state);
  std::vector<Placement> out;
  Offset at;
  for (const BodyEntry& entry : model.bodies()) {
    out.push_back(entry.body->unpack(state.q.data() + at.q, state.v.data() + at.v));
    skip(*entry.body, at);
  }
  return out;
}

}  // namespace catena
