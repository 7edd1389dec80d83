// Rows for plots.
#include "view/samples.h"

#include <algorithm>

namespace catena::app {

void Samples::begin(const Scene& scene) {
  columns_ = {"t",
              "energy.kinetic",
              "energy.gravity",
              "energy.springs",
              "energy.total",
              "energy.numerical",
              "constraint_error"};
  for (const Probe& probe : scene.probes) {
    std::vector<std::string> names;
    for (const std::string& component : probe.components) names.push_back(probe.name + "." + component);
    if (names.empty()) names.push_back(probe.name);
    columns_.insert(columns_.end(), names.begin(), names.end());
    if (!probe.analytic.empty())
      for (const std::string& name : names) columns_.push_back(name + "~");
  }
  kept_.clear();
  new_.clear();
}

void Samples::add(const Scene& scene, const Simulation& sim) {
  const Energy energy = sim.energy();
  std::vector<double> row{sim.time(),     energy.kinetic,         energy.gravity,        energy.springs,
                          energy.total(), sim.numerical_energy(), sim.constraint_error()};
  row.reserve(columns_.size());
  for (const Probe& probe : scene.probes) {
    values_.assign(std::size_t(probe.size), 0.0);
    probe.read(sim, values_.data());
    row.insert(row.end(), values_.begin(), values_.end());
    for (const auto& analytic : probe.analytic) row.push_back(analytic(sim.time()));
  }
  while (!kept_.empty() && kept_.back().front() >= sim.time()) kept_.pop_back();
  kept_.push_back(row);
  if (new_.size() < kMostKept) new_.push_back(std::move(row));  // nobody takes them while nothing is sent
  if (kept_.size() > kMostKept) thin();
}

// Every second row would thin the oldest again and again, until nothing is left of them. A row of the older half goes where its neighbours
// are near: no gap becomes wider than the distance, and since two gaps together are wider, at most half of the rows stay.
void Samples::thin() {
  const std::size_t half = kept_.size() / 2;
  const double distance = 4.0 * (kept_[half].front() - kept_.front().front()) / double(half);
  std::deque<std::vector<double>> thinned;
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (i == 0 || i >= half || kept_[i + 1].front() - thinned.back().front() > distance)
      thinned.push_back(std::move(kept_[i]));
  kept_ = std::move(thinned);
}

}  // namespace catena::app
