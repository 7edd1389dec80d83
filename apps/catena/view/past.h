// The recorded past of a simulation: states one can go back to, within a budget of states and of bytes.
//
// The newest are all kept. Those before them stand at a distance, and whenever they fill their share every second one is dropped and
// the distance doubles: what is long past becomes coarser, never shorter, and memory does not grow with the hours.
#pragma once

#include "catena/simulation.h"

#include <deque>
#include <vector>

namespace catena::app {

class Past {
 public:
  static constexpr std::size_t kMostRecent = 3600;  // states: a minute at 60 a second
  static constexpr std::size_t kMostOld = 8192;
  static constexpr std::size_t kLeast = 8;  // of each, however large they are

  /// @param bytes that recent and old ones may take together
  explicit Past(std::size_t bytes) : budget_(bytes) {}

  /// Notes a state that is later than all before.
  void record(const State& state);
  /// The last state again, after a blow, which changes it without time going by.
  void replace_last(const State& state);
  void clear();
  /// Forgets what is later than this position.
  void forget_after(std::size_t index);

  bool empty() const { return size() == 0; }
  std::size_t size() const { return old_.size() + recent_.size(); }
  std::size_t bytes() const { return old_bytes_ + recent_bytes_; }
  const State& at(std::size_t index) const {
    return index < old_.size() ? old_[index] : recent_[index - old_.size()];
  }
  double from() const { return empty() ? 0.0 : at(0).time; }
  double to() const { return empty() ? 0.0 : at(size() - 1).time; }
  /// Position of the state nearest in time. @pre not empty
  std::size_t nearest(double time) const;

 private:
  void age(State state);
  void thin();

  std::size_t budget_, old_bytes_ = 0, recent_bytes_ = 0;
  double distance_ = 0.0;  // s between old ones
  std::vector<State> old_;
  std::deque<State> recent_;
};

}  // namespace catena::app
