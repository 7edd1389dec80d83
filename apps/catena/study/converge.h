// The study that `catena converge` makes, and its report.
#pragma once

#include "run/record.h"
#include "study/convergence.h"

namespace catena::app {

struct ConvergeResult {
  struct Run {
    Level level;
    double wall_seconds = 0.0;
  };
  RunStatus status = RunStatus::done;
  std::string message;  // why it ended early; empty when done
  Choice choice;
  Expectation expected;
  double time = 0.0;  // s, end of every level
  long long instants = 0;
  std::vector<Run> runs;  // to the end
  std::vector<ProbeStudy> studies;
  Verdict verdict;
  std::vector<std::string> files;  // written
};

std::string converge_text(const std::string& title, const ConvergeResult& result);
std::string converge_json(const std::string& title, const ConvergeResult& result);
/// Differences over the size of the level, with a line of the expected slope.
Plot converge_plot(const std::string& title, const ConvergeResult& result);

}  // namespace catena::app
