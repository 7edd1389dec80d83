// Races: several programs or methods timed in turns, so that what else the machine does meets all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::app {

/// Processor time of this program: what the clock would show if no other program ran.   s
double processor_seconds();

struct Contestant {
  std::string engine, variant;
  /// Processor seconds of so many repetitions, all from the same start.
  std::function<double(long count)> run;
  std::vector<double> times{};  // of one repetition, per round                            s

  double shortest() const;
  double median() const;
};

/// Some milliseconds of each, in turns, so many rounds; who needs more than a tenth of a second for once takes part in three.
void race(std::vector<Contestant>& contestants, int rounds);

}  // namespace catena::app
