// What the viewer plots: energies, constraint error, probes and what they should be, as rows over time.
#pragma once

#include "catena/catena.h"

#include <deque>
#include <utility>

namespace catena::app {

class Samples {
 public:
  static constexpr std::size_t kMostKept = 6000;  // rows; beyond, the older half is halved

  /// Names of the columns for a scene: "t", "energy.total", "probe.x", "probe.x~" (what it should be).
  void begin(const Scene& scene);
  /// A row of the present state; rows at or after its time are forgotten first (a branch, a reset).
  void add(const Scene& scene, const Simulation& sim);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::deque<std::vector<double>>& kept() const { return kept_; }
  /// Rows added since the last call.
  std::vector<std::vector<double>> take_new() { return std::exchange(new_, {}); }

 private:
  void thin();

  std::vector<std::string> columns_;
  std::deque<std::vector<double>> kept_;
  std::vector<std::vector<double>> new_;
  std::vector<double> values_;  // of a probe, reused
};

}  // namespace catena::app
