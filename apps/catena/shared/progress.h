// How far a run has come: a bar on a terminal, a plain line every few seconds elsewhere, nothing when quiet.
#pragma once

#include <chrono>
#include <string>

namespace catena::app {

class Progress {
 public:
  /// @param label what runs, when there are several; empty otherwise
  /// @param things what is counted when it is not simulated time: "pictures"
  Progress(double begin, double end, bool quiet, std::string label = "", std::string things = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap: looks at the clock and draws at most ten times a second.
  void update(double time);
  /// A line that stays, above the bar. Not silenced by `quiet`.
  void say(const std::string& line);
  /// Takes the bar away.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double time, double wall);

  double begin_, end_;
  bool quiet_, terminal_;
  std::string label_, things_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now(), next_;
};

}  // namespace catena::app
