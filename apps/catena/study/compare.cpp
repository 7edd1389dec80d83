// catena compare: all formulations and solvers on the same system; do they agree, and what does each cost.
#include "command.h"
#include "shared/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  SceneArguments scene;
  std::optional<std::string> time;
  std::string repeats = "5";
  bool json = false;
};

const Comparison::Row* row_of(const Comparison& comparison, std::size_t run) {
  const auto found = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                  [&](const Comparison::Row& row) { return row.run == int(run); });
  return found == comparison.rows.end() ? nullptr : &*found;
}

/// "maximal tree"; articulated bodies are the only way in minimal coordinates.
std::string way_of(const SolverRun& run) {
  return fmt::format("{} {}", name(run.formulation),
                     run.formulation == Formulation::minimal ? "articulated" : name(run.solver));
}

std::string compare_json(const Comparison& comparison, double time) {
  Json json = {{"time", time},
               {"reference", name(comparison.reference)},
               {"full_rank", comparison.full_rank},
               {"agree", comparison.agree}};
  json["solvers"] = Json::array();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const SolverRun& run = comparison.runs[i];
    Json item = {
        {"formulation", name(run.formulation)}, {"solver", name(run.solver)}, {"applies", run.applies}};
    if (run.formulation == Formulation::minimal) item["solver"] = "articulated";
    if (!run.applies) item["why_not"] = run.why_not;
    if (const Comparison::Row* row = row_of(comparison, i)) {
      item["acceleration_difference"] = row->acceleration_difference;
      item["force_difference"] = row->force_difference;
      item["multiplier_difference"] = comparison.full_rank ? Json(row->multiplier_difference) : Json(nullptr);
      item["energy_difference"] = row->energy_difference;
      item["tolerance"] = row->tolerance;
      item["agrees"] = row->agrees;
    }
    if (run.applies) {
      item["residual"] = run.residual;
      item["iterations"] = run.iterations;
      item["evaluate_seconds"] = run.evaluate_seconds;
      item["factor_seconds"] = run.factor_seconds;
      item["solve_seconds"] = run.solve_seconds;
    }
    json["solvers"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string compare_text(const std::string& title, const Comparison& comparison, double time) {
  std::string out = fmt::format(
      "{} at t = {:g} s; differences relative to {}, largest component{}\n", title, time,
      name(comparison.reference),
      comparison.full_rank ? "" : "; rows are redundant, so that λ is not unique and not compared");
  Table table({"way", "acceleration", "Jᵀλ", "λ", "energy", "tolerance", "residual", "iterations", "factor",
               "solve", ""});
  std::string left_out;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const SolverRun& run = comparison.runs[i];
    const Comparison::Row* row = row_of(comparison, i);
    if (!run.applies || !row) {
      left_out += fmt::format("  {} does not apply: {}\n", way_of(run), run.why_not);
      continue;
    }
    table.add({way_of(run), fmt::format("{:.1e}", row->acceleration_difference),
               fmt::format("{:.1e}", row->force_difference),
               comparison.full_rank ? fmt::format("{:.1e}", row->multiplier_difference) : "",
               run.formulation == Formulation::maximal ? "" : fmt::format("{:.1e}", row->energy_difference),
               fmt::format("{:.1e}", row->tolerance), fmt::format("{:.1e}", run.residual),
               run.iterations > 0 ? std::to_string(run.iterations) : "", seconds_text(run.factor_seconds),
               seconds_text(run.solve_seconds), row->agrees ? "agrees" : "DISAGREES"});
  }
  out += table.text() + left_out;
  if (!comparison.runs.empty())
    out += fmt::format("  evaluating kinematics, forces and J takes {}\n",
                       seconds_text(comparison.runs.front().evaluate_seconds));
  return out + (comparison.agree ? "All formulations and solvers that apply agree.\n"
                                 : "Formulations or solvers disagree.\n");
}

int run_compare(const CompareArguments& arguments) {
  const Scene scene = load(arguments.scene);
  const int repeats = int(whole_number("--repeats", arguments.repeats, 1, 1000000));
  Simulation sim = make_simulation(scene);
  if (arguments.time) {
    const double end = positive_number("--time", *arguments.time, 1e9);
    const double steps = std::ceil(end / scene.dt - 1e-6);
    if (steps > 1e9)
      reject("option --time", fmt::format("{:.4g} steps of {:g} s", steps, scene.dt), "give a shorter time");
    for (long long k = 0; k < (long long)steps; ++k) {
      const StepReport report = sim.step(scene.dt);
      if (report.ok()) continue;
      fmt::print(stderr, "catena: error: step {} at t = {:.6g} s was refused: {}\n", k + 1, sim.time(),
                 report.message);
      return kRefused;
    }
  }
  const Comparison comparison = compare(sim, repeats);
  if (arguments.json)
    fmt::print("{}\n", compare_json(comparison, sim.time()));
  else
    fmt::print(
        "{}", compare_text(scene.title.empty() ? arguments.scene.file : scene.title, comparison, sim.time()));
  return comparison.agree ? kDone : kDisagree;
}

}  // namespace

void add_compare(CommandLine& line) {
  auto arguments = std::make_shared<CompareArguments>();
  Subcommand command = line.subcommand(
      "compare", "run all formulations and solvers on a scene; say whether they agree and what they cost");
  add_scene_arguments(command, arguments->scene);
  command.option("--time", arguments->time, "SECONDS", "simulate so long first");
  command.option("--repeats", arguments->repeats, "N", "keep the shortest of so many times");
  command.flag("--json", arguments->json, "print one JSON object");
  command.footer(
      "Examples:\n"
      "  catena compare examples/tree-127.yaml\n"
      "  catena compare examples/truss-bridge.yaml --json\n"
      "Exit status: 0 all agree, 1 they disagree, 2 bad input, 3 a step was refused.");
  command.runs([arguments] { return run_compare(*arguments); });
}

}  // namespace catena::app
