// Races.
#include "bench/race.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace catena::app {
namespace {

constexpr double kTurn =
    6e-3;  // s: long beside the clock's resolution, a cold cache and what steps do now and then
constexpr double kTooLong = 0.1;  // s
constexpr int kFewRounds = 3;

/// How often fits into a turn.
long count_for_a_turn(const Contestant& contestant) {
  long count = 1;
  for (;;) {
    const double seconds = contestant.run(count);
    if (seconds >= 0.3 * kTurn) return std::max(1L, std::lround(double(count) * kTurn / seconds));
    count *= 4;
  }
}

}  // namespace

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double Contestant::shortest() const {
  return *std::min_element(times.begin(), times.end());
}

double Contestant::median() const {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

void race(std::vector<Contestant>& contestants, int rounds) {
  std::vector<long> counts;
  counts.reserve(contestants.size());
  for (const Contestant& contestant : contestants) counts.push_back(count_for_a_turn(contestant));
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Contestant& contestant = contestants[i];
      if (round >= kFewRounds && contestant.shortest() > kTooLong) continue;
      contestant.times.push_back(contestant.run(counts[i]) / double(counts[i]));
    }
}

}  // namespace catena::app
