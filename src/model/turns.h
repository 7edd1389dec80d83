// Angles that count turns.
//
// The angle between two frames is known up to whole turns only. Memory of three numbers, written at every accepted step, says which
// turn it is: the angle with its turns, its rate, and the time. Until the next step the angle is the one nearest to where it was
// heading, θ + θ̇·(t - t_last), so that many turns within a step are counted too as long as the speed changes slowly.
#pragma once

#include <cmath>
#include <numbers>
#include <span>

namespace catena {

inline constexpr int kTurnMemory = 3;  // angle, rate, time

/// The angle with its turns. Without memory it is the angle itself.
inline double count_turns(double angle, double time, std::span<const double> memory) {
  if (memory.size() < std::size_t(kTurnMemory)) return angle;
  const double expected = memory[0] + memory[1] * (time - memory[2]);
  return expected + std::remainder(angle - expected, 2.0 * std::numbers::pi);
}

inline void start_turns(double angle, double rate, double time, std::span<double> memory) {
  memory[0] = angle;
  memory[1] = rate;
  memory[2] = time;
}

inline void advance_turns(double angle, double rate, double time, std::span<double> memory) {
  start_turns(count_turns(angle, time, memory), rate, time, memory);
}

}  // namespace catena
