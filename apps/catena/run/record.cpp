// Records of a run: series, energy scale, pictures.
#include "run/record.h"

#include "command.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {

const char* name(RunStatus status) {
  switch (status) {
    case RunStatus::refused:
      return "refused";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::worthless:
      return "worthless";
    case RunStatus::done:
      break;
  }
  return "done";
}

bool Schedule::is_photographed(long long done) const {
  // panel k belongs to the step nearest to k·steps/(snapshots-1)
  const double panels = snapshots - 1;
  const double k = std::round(double(done) * panels / double(std::max(1LL, steps)));
  return done == std::llround(k * double(steps) / panels);
}

void RunRecord::add(const Simulation& sim) {
  const Energy now = sim.energy();
  const double change = now.gravity + now.springs - start_.gravity - start_.springs;
  time.push_back(sim.time());
  kinetic.push_back(now.kinetic);
  potential.push_back(change);
  total.push_back(now.kinetic + change);
  constraint_error.push_back(sim.constraint_error());
  exchanged_ = std::max({exchanged_, now.kinetic, std::abs(change)});
  magnitude_ = std::max(magnitude_, now.kinetic + std::abs(now.gravity) + std::abs(now.springs));
  lowest_ = std::min(lowest_, sim.numerical_energy());
  highest_ = std::max(highest_, sim.numerical_energy());
}

double RunRecord::scale() const {
  return std::max(exchanged_, 1e-9 * magnitude_);
}

std::string refusal_text(long long step, double time, const std::string& why) {
  const bool has_time = why.find("t = ") != std::string::npos;
  return fmt::format("step {} was refused{}: {}", step, has_time ? "" : fmt::format(" at t = {:.6g} s", time),
                     why);
}

std::string too_many_events(const std::string& last, double dt) {
  return fmt::format(
      "a step of {:g} s was cut short by {} events and is still not done, the last one was '{}': use a "
      "smaller --dt, or watch a number that "
      "crosses less often",
      dt, kMostEvents, last);
}

std::vector<std::string> write_pictures(const std::filesystem::path& folder, const std::string& title,
                                        const RunResult& result, const RunRecord& record,
                                        const FilmStrip& film) {
  Plot energy;
  energy.title = title + ": energy";
  energy.subtitle = fmt::format("largest numerical drift {:.2g} of {} ({}, dt = {})", result.max_drift,
                                energy_text(result.energy_scale), name(result.choice.integrator),
                                seconds_text(result.schedule.dt));
  energy.x_label = "time (s)";
  energy.y_label = "energy (J)";
  energy.series = {{"kinetic", record.time, record.kinetic},
                   {"potential, from the start", record.time, record.potential},
                   {"sum", record.time, record.total, Series::Style::dashed}};
  write_text(folder / kRunPictures[0], render_plot(energy));

  Plot error;
  error.title = title + ": constraint error";
  error.subtitle = fmt::format("largest {:.2g} over {} steps", result.max_constraint_error, result.steps);
  error.x_label = "time (s)";
  error.y_label = "largest |C| (m or rad)";
  error.log_y = result.max_constraint_error > 0;
  error.series = {{"", record.time, record.constraint_error}};
  write_text(folder / kRunPictures[1], render_plot(error));

  write_text(folder / kRunPictures[2], film.render({.title = title}));
  std::vector<std::string> files;
  for (const char* picture : kRunPictures) files.push_back((folder / picture).string());
  return files;
}

}  // namespace catena::app
