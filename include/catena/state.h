// The state of a model: everything needed to continue identically, nothing derived.
//
// Coordinates belong to a formulation. With Coordinates::bodies q and v are those of every body by itself (Body::num_q, Body::num_v), in
// the order of the model, and joints are constraints between them; a formulation in joint coordinates has those of its joints instead, in
// the order of its tree. v is not the derivative of q: rotations are quaternions, angular velocities are vectors. Poses and twists of
// bodies can be had from either: placement(model, state, body).
//
// A program: examples/cpp/rewind.cpp
#pragma once

#include "catena/ledger.h"
#include "catena/model.h"

#include <span>

namespace CATENA_API catena {

/// Whose coordinates q and v are.
enum class Coordinates : std::uint8_t { bodies, joints };

/// What a multi-step integrator remembers, body by body. Those of today begin anew together, when one body has nothing or another length.
struct History {
  VecX lengths;  // per body: of the step that is remembered; 0: none, the body begins anew               s
  VecX numbers;  // a few per velocity: the first for all velocities in the order of v, then the second, ...

  /// Of these bodies (positions in Model::bodies), or of all.
  void forget(std::span<const int> bodies);
  void forget();
  /// The length that all bodies remember; 0 when one has none, or they differ.
  double common_step() const;
  /// Number k of every velocity.
  auto part(Eigen::Index k, Eigen::Index num_v) { return numbers.segment(k * num_v, num_v); }
  auto part(Eigen::Index k, Eigen::Index num_v) const { return numbers.segment(k * num_v, num_v); }
};

/// Numbers by key: what features remember that come and go, such as the warm start of a contact or whether a limit was active. Keys
/// ascend. Nothing is allocated when sizes repeat; finding is O(log n), put and erase move what lies behind.
class KeyedNumbers {
 public:
  std::size_t size() const { return keys_.size(); }
  bool contains(std::uint64_t key) const;
  /// Empty when the key is not there.
  std::span<const double> find(std::uint64_t key) const;
  /// Room for `count` numbers, zero where they are new or their count has changed. Amortised O(1) when keys come in ascending order.
  std::span<double> put(std::uint64_t key, std::size_t count);
  void erase(std::uint64_t key);
  void clear();

  std::span<const std::uint64_t> keys() const { return keys_; }
  std::span<const double> numbers_at(std::size_t position) const;  // of keys()[position]
  std::span<const double> numbers() const { return numbers_; }     // of all, in the order of their keys

  void swap(KeyedNumbers& other) noexcept {
    keys_.swap(other.keys_);
    ends_.swap(other.ends_);
    numbers_.swap(other.numbers_);
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> ends_;  // of their numbers
  std::vector<double> numbers_;
};

/// The key under which a state has the multipliers of an inequality, one per row: mean forces over the last step. None while it did not act.
constexpr std::uint64_t feature_of(InequalityId id) {
  return (std::uint64_t(1) << 32) | id.value;
}

struct State {
  double time = 0.0;       // s
  double time_rest = 0.0;  // what rounding took off the sum of steps: the sum is time + time_rest      s
  double substep = 0.0;    // next internal step of an adaptive integrator; 0: not known yet            s
  std::uint64_t steps = 0;
  Coordinates coordinates = Coordinates::bodies;
  VecX q, v;
  VecX memory;  // turns, curve parameters, commands: constraints' numbers, then forces'
  History history;
  KeyedNumbers features;
  /// λ of all constraints as the last step found them, where q and v do not tell them; else empty. Who writes q or v empties it too.
  VecX multipliers;
  Ledger ledger;
};

/// Exchanges all of it, without copying numbers.
void swap(State& a, State& b) noexcept;

/// Whether two states have the same bits, and so continue identically.
bool identical(const State& a, const State& b);
/// FNV-1a over these bits.
std::uint64_t hash(const State& state);

/// Pose and twist of a body, O(bodies); of all of them in the order of the model. Throws InvalidInput when the body is not in the model or
/// the state belongs to another.
Placement placement(const Model& model, const State& state, BodyId body);
std::vector<Placement> placements(const Model& model, const State& state);
/// The same state in other coordinates. Exact to rounding where the joints of the tree (catena/algorithms.h) are closed; else joint
/// coordinates are the nearest. Throws InvalidInput as above.
State in_joint_coordinates(const Model& model, const State& state);
State in_body_coordinates(const Model& model, const State& state);

}  // namespace catena
