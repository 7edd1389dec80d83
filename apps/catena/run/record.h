// What a run leaves behind: figures for the summary, series for the plots, rows for a file.
#pragma once

#include "catena/catena.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace catena::app {

enum class RunStatus { done, worthless, refused, interrupted };
/// "done", "worthless", "refused", "interrupted"
const char* name(RunStatus status);

/// When steps are taken, recorded and photographed.
struct Schedule {
  double dt = 0.0;       // s
  double last_dt = 0.0;  // of the last step, which may be shorter
  long long steps = 0;
  long long record_every = 1;
  int snapshots = 8;  // of the film strip
  bool is_recorded(long long done) const { return done % record_every == 0 || done == steps; }
  /// The strip is spread evenly over the run, first and last instant included.
  bool is_photographed(long long done) const;
};

struct RunResult {
  RunStatus status = RunStatus::done;
  std::string message;  // why it ended early; empty when done
  Schedule schedule;
  long long steps = 0;                               // taken
  long long internal_steps = 0, rejected_steps = 0;  // of an adaptive integrator
  long long iterations = 0;                          // of positions, of Newton's method or of cg
  long long halvings = 0;                            // of implicit steps that did not converge at once
  std::vector<std::string> events;                   // "t = 1.5 s: lands"
  bool stopped_by_event = false;
  double start_time = 0, time = 0, wall_seconds = 0;
  Choice choice;
  Energy initial, final;
  double energy_scale = 0;                  // J, see RunRecord
  double max_numerical = 0;                 // largest |numerical energy|   J
  double most_lost = 0, most_invented = 0;  // numerical energy: lowest and highest   J
  double max_drift = 0;                     // max_numerical / energy_scale
  double max_constraint_error = 0, final_constraint_error = 0;
  double max_residual = 0;  // of the linear systems, relative
  Ledger ledger;
  double numerical = 0;
  double max_omega_dt = 0, max_omega_dt_time = 0;
  double max_invented = 0;  // largest StepReport::invented
  std::vector<std::string> warnings;
  std::vector<std::pair<Probe, std::vector<double>>> probes;  // final values
  std::uint64_t hash = 0;
  std::vector<std::string> files;  // written
};

/// Collects while the run goes on. The energy scale is
///
///   scale = max over recorded instants of  max(K, |V - V_start|)                                        (1)
///
/// with kinetic energy K and potential V: it measures the energy that is being exchanged and does not depend
/// on where heights are counted from. A system at rest exchanges nothing; the scale is then at least 1e-9 of
/// the largest |K| + |V|, so that rounding is not divided by rounding.
class RunRecord {
 public:
  explicit RunRecord(const Simulation& sim) : start_(sim.energy()) {}
  void add(const Simulation& sim);
  double scale() const;
  double max_numerical() const { return std::max(-lowest_, highest_); }
  double lowest_numerical() const { return lowest_; }    // ≤ 0
  double highest_numerical() const { return highest_; }  // ≥ 0

  std::vector<double> time, kinetic, potential, total, constraint_error;  // potential from the start; J, m

 private:
  Energy start_;
  double exchanged_ = 0, magnitude_ = 0, lowest_ = 0, highest_ = 0;
};

/// Why a step was refused. The reports name the time themselves; others get it here.
std::string refusal_text(long long step, double time, const std::string& why);
/// The same for a step that kMostEvents have cut short. @param last the name of the last of them
std::string too_many_events(const std::string& last, double dt);

inline constexpr std::array kRunPictures{"energy.svg", "constraint-error.svg", "film-strip.svg"};
/// The plots of a run, as files in `folder`; returns their names.
std::vector<std::string> write_pictures(const std::filesystem::path& folder, const std::string& title,
                                        const RunResult& result, const RunRecord& record,
                                        const FilmStrip& film);

/// The summary for people, and one JSON object for programs.
std::string summary_text(const std::string& title, const Simulation& sim, const RunResult& result);
std::string summary_json(const std::string& title, const Simulation& sim, const RunResult& result);

}  // namespace catena::app
