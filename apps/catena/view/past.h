// The recorded past of a simulation: states one can go back to, within a memory budget.
//
// When the budget is reached every second state is dropped and the distance between new ones doubles: the past becomes coarser, never
// shorter.
#pragma once

#include "catena/simulation.h"

#include <vector>

namespace catena::app {

class Past {
 public:
  explicit Past(std::size_t budget) : budget_(budget) {}

  /// Notes a state that is later than all before; states nearer than the present distance to the last one are left out.
  void record(const State& state);
  /// The last state again, after a blow, which changes it without time going by.
  void replace_last(const State& state);
  void clear();
  /// Forgets what is later than this position.
  void forget_after(std::size_t index);

  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  const State& at(std::size_t index) const { return states_[index]; }
  double from() const { return states_.empty() ? 0.0 : states_.front().time; }
  double to() const { return states_.empty() ? 0.0 : states_.back().time; }
  /// Position of the state nearest in time. @pre not empty
  std::size_t nearest(double time) const;

 private:
  std::size_t budget_, used_ = 0;  // bytes
  double distance_ = 0.0;          // s between states
  std::vector<State> states_;
};

}  // namespace catena::app
