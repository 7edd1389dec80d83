// Files of trajectories: the format by the name of the file, and what the formats have in common.
#include "io/table/trajectory.h"

#include "catena/output.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena {

double io::planar_angle(const Quat& turn) {
  // a quaternion and its negative are one angle
  return std::remainder(2.0 * std::atan2(turn.z(), turn.w()), 2.0 * std::numbers::pi);
}

std::unique_ptr<TrajectoryWriter> open_trajectory(const std::filesystem::path& file, const Simulation& sim,
                                                  std::vector<Probe> probes, TrajectoryOptions options) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  if (extension == ".npz") return std::make_unique<NpzWriter>(file, sim, std::move(probes), options);
  return std::make_unique<CsvWriter>(file, sim, std::move(probes), options);
}

}  // namespace catena
