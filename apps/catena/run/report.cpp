// The summary of a run: a page for people, JSON for programs. docs/command.md explains every figure.
#include "run/record.h"
#include "shared/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

struct Sizes {
  std::size_t bodies, constraints;
  int rows = 0;
  Eigen::Index velocities;
};

Sizes sizes_of(const Simulation& sim) {
  Sizes sizes{sim.model().bodies().size(), sim.model().constraints().size(), 0, sim.state().v.size()};
  for (const ConstraintEntry& entry : sim.model().constraints())
    sizes.rows += entry.constraint->num_rows(entry.planar);
  return sizes;
}

/// Sources of work in the order of the ledger; the last is what they leave unexplained.
std::vector<std::pair<std::string, double>> work_by_source(const RunResult& result) {
  std::vector<std::pair<std::string, double>> out;
  for (const AccountTraits& traits : kAccounts) out.emplace_back(traits.name, result.ledger[traits.account]);
  out.emplace_back("numerical", result.numerical);
  return out;
}

double real_time_factor(const RunResult& result) {
  return result.wall_seconds > 0 ? (result.time - result.start_time) / result.wall_seconds : 0.0;
}

std::string hash_text(const RunResult& result) {
  return fmt::format("{:016x}", result.hash);
}

std::string probe_text(const Probe& probe, const std::vector<double>& values) {
  std::string text;
  for (double value : values) text += (text.empty() ? "" : ", ") + fmt::format("{:.10g}", value);
  if (values.size() > 1) text = "(" + text + ")";
  return probe.unit.empty() ? text : text + " " + probe.unit;
}

}  // namespace

std::string summary_text(const std::string& title, const Simulation& sim, const RunResult& result) {
  const Sizes sizes = sizes_of(sim);
  std::string out = title + "\n";
  const auto line = [&](const char* label, const std::string& text) {
    out += fmt::format("  {:<17}{}\n", label, text);
  };
  line("model", fmt::format("{} bodies, {} constraints with {} rows, {} velocities", sizes.bodies,
                            sizes.constraints, sizes.rows, sizes.velocities));
  line("formulation",
       fmt::format("{}: {}", name(result.choice.formulation), result.choice.formulation_reason));
  line("solver", fmt::format("{}: {}", name(result.choice.solver), result.choice.solver_reason));
  line("integrator", fmt::format("{}: {}", name(result.choice.integrator), result.choice.integrator_reason));
  line("steps", fmt::format("{} of {}, from t = {:g} s to {:g} s", result.steps,
                            seconds_text(result.schedule.dt), result.start_time, result.time));
  if (result.internal_steps > 0)
    line("internal steps",
         fmt::format("{} accepted, {} tried again", result.internal_steps, result.rejected_steps));
  if (is_implicit(result.choice.integrator) && result.steps > 0)
    line("Newton's method", fmt::format("{:.1f} iterations per step, {} halvings of steps",
                                        double(result.iterations) / double(result.steps), result.halvings));
  for (const std::string& event : result.events) line("event", event);
  line("wall time",
       fmt::format("{}, {:.3g} × real time", seconds_text(result.wall_seconds), real_time_factor(result)));
  line("energy", fmt::format("{:.9g} J at the start, {:.9g} J at the end", result.initial.total(),
                             result.final.total()));
  line("energy drift", fmt::format("{:.3g} J at most, {:.2g} of the energy scale {}", result.max_numerical,
                                   result.max_drift, energy_text(result.energy_scale)));
  line("constraint error", fmt::format("{:.3g} at most, {:.3g} at the end", result.max_constraint_error,
                                       result.final_constraint_error));
  line("residual", fmt::format("{:.2g} at most, of the linear systems", result.max_residual));
  if (result.max_omega_dt > 0 && !is_implicit(sim.choice().integrator))
    line("frequency", fmt::format("ω·dt = {:.3g} at most, at t = {:.4g} s (limit {:g})", result.max_omega_dt,
                                  result.max_omega_dt_time, sim.options().warn_omega_dt));
  const double change = result.final.kinetic - result.initial.kinetic;
  line("work", fmt::format("on the kinetic energy, which changed by {:.6g} J:", change));
  for (const auto& [source, work] : work_by_source(result))
    if (work != 0.0 || std::string_view(source) == "numerical")
      out += fmt::format("    {:<15}{:>14.6g} J\n", source, work);
  for (std::size_t i = 0; i < result.probes.size(); ++i)
    line(i == 0 ? "probes" : "", fmt::format("{} = {}", result.probes[i].first.name,
                                             probe_text(result.probes[i].first, result.probes[i].second)));
  line("hash", hash_text(result));
  for (std::size_t i = 0; i < result.warnings.size(); ++i) line(i == 0 ? "warnings" : "", result.warnings[i]);
  for (std::size_t i = 0; i < result.files.size(); ++i) line(i == 0 ? "written" : "", result.files[i]);
  if (result.status == RunStatus::worthless)
    line("worthless", result.message);
  else if (result.status != RunStatus::done)
    line("ended early", result.message);
  return out;
}

std::string summary_json(const std::string& title, const Simulation& sim, const RunResult& result) {
  const Sizes sizes = sizes_of(sim);
  Json json;
  json["scene"] = title;
  json["status"] = name(result.status);
  json["message"] = result.message;
  json["time"] = result.time;
  json["steps"] = result.steps;
  json["internal_steps"] = result.internal_steps;
  json["rejected_steps"] = result.rejected_steps;
  json["iterations"] = result.iterations;
  json["halvings"] = result.halvings;
  json["events"] = result.events;
  json["dt"] = result.schedule.dt;
  json["wall_seconds"] = result.wall_seconds;
  json["real_time_factor"] = real_time_factor(result);
  json["formulation"] = name(result.choice.formulation);
  json["formulation_reason"] = result.choice.formulation_reason;
  json["solver"] = name(result.choice.solver);
  json["solver_reason"] = result.choice.solver_reason;
  json["integrator"] = name(result.choice.integrator);
  json["integrator_reason"] = result.choice.integrator_reason;
  json["bodies"] = sizes.bodies;
  json["constraints"] = sizes.constraints;
  json["rows"] = sizes.rows;
  json["velocities"] = sizes.velocities;
  json["energy"] = {{"initial", result.initial.total()},     {"final", result.final.total()},
                    {"max_drift", result.max_drift},         {"scale", result.energy_scale},
                    {"max_numerical", result.max_numerical}, {"most_lost", result.most_lost},
                    {"most_invented", result.most_invented}, {"kinetic", result.final.kinetic},
                    {"gravity", result.final.gravity},       {"springs", result.final.springs}};
  json["constraint_error"] = {{"max", result.max_constraint_error}, {"final", result.final_constraint_error}};
  json["residual"] = {{"max", result.max_residual}};
  json["energy"]["invented"] = result.max_invented;
  json["omega_dt"] = {{"max", result.max_omega_dt}, {"time", result.max_omega_dt_time}};
  for (const auto& [source, work] : work_by_source(result)) json["ledger"][source] = work;
  json["probes"] = Json::object();
  for (const auto& [probe, values] : result.probes)
    json["probes"][probe.name] = values.size() == 1 ? Json(values[0]) : Json(values);
  json["warnings"] = result.warnings;
  json["hash"] = hash_text(result);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace catena::app
