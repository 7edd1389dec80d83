// catena check: what is in a scene, what may go wrong with it, and how it would be eliminated.
#include "command.h"
#include "shared/text.h"
#include "study/elimination_picture.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  SceneArguments scene;
  bool json = false, graph = false;
  int dependencies = 20;
};

Json dependencies_json(const CheckReport& report) {
  Json out = Json::array();
  for (const Dependency& d : report.dependencies) {
    Json parts = Json::array();
    for (const DependencyPart& part : d.parts)
      parts.push_back({{"constraint", part.name},
                       {"kind", part.kind},
                       {"share", part.share},
                       {"force", {part.force.x(), part.force.y(), part.force.z()}},
                       {"torque", {part.torque.x(), part.torque.y(), part.torque.z()}},
                       {"directions", part.directions}});
    out.push_back({{"summary", d.summary},
                   {"row", d.row},
                   {"consistent", d.is_consistent},
                   {"conflict", d.conflict},
                   {"named_share", d.named_share},
                   {"remedy", d.remedy},
                   {"parts", parts}});
  }
  return out;
}

std::string check_json(const CheckReport& report, const EliminationGraph* graph) {
  Json json = {{"bodies", report.bodies},
               {"constraints", report.constraints},
               {"rows", report.rows},
               {"velocities", report.velocities},
               {"dof", report.dof},
               {"redundant_rows", report.redundant_rows},
               {"loops", report.loops},
               {"trees", report.trees},
               {"depth", report.depth},
               {"mass_ratio", report.mass_ratio},
               {"tension_frequency", report.tension_frequency},
               {"fastest_frequency", report.fastest_frequency},
               {"fastest", report.fastest},
               {"advised_dt", report.advised_dt},
               {"constraint_error", report.constraint_error},
               {"velocity_error", report.velocity_error},
               {"formulation", name(report.choice.formulation)},
               {"solver", name(report.choice.solver)},
               {"integrator", name(report.choice.integrator)},
               {"dependencies", dependencies_json(report)},
               {"warnings", report.warnings}};
  if (graph) {
    Json nodes = Json::array();
    for (const EliminationNode& node : graph->nodes)
      nodes.push_back({{"name", node.name},
                       {"kind", node.is_constraint ? "constraint" : "body"},
                       {"dim", node.dim},
                       {"parent", node.parent},
                       {"kernel", node.kernel}});
    json["graph"] = {{"nodes", nodes}, {"fill_blocks", graph->fill_blocks}, {"refusal", graph->refusal}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// Dependencies among the same constraints, of the same implied one: rows of one cause.
bool have_same_cause(const Dependency& a, const Dependency& b) {
  const auto names = [](const Dependency& d) {
    std::set<std::string> out;
    for (const DependencyPart& part : d.parts) out.insert(part.name);
    return out;
  };
  return a.implied == b.implied && a.is_consistent == b.is_consistent && names(a) == names(b);
}

struct Cause {
  std::string summary, remedy;
};

/// One line for each cause: its directions together, behind what the first of them says.
std::vector<Cause> causes_of(const std::vector<Dependency>& dependencies) {
  std::vector<Cause> causes;
  std::vector<char> told(dependencies.size(), 0);
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    if (told[i]) continue;
    const Dependency& first = dependencies[i];
    std::vector<std::string> directions;
    std::size_t rows = 0;
    for (std::size_t k = i; k < dependencies.size(); ++k) {
      if (told[k] || !have_same_cause(first, dependencies[k])) continue;
      told[k] = 1;
      ++rows;
      for (const DependencyPart& part : dependencies[k].parts)
        if (part.id == first.implied && !part.directions.empty() &&
            std::find(directions.begin(), directions.end(), part.directions) == directions.end())
          directions.push_back(part.directions);
    }
    std::string summary = first.summary;
    const std::size_t bracket = summary.find(directions.empty() ? " (" : " (" + directions.front() + ")");
    if (rows > 1 && !directions.empty() && bracket != std::string::npos) {
      std::string all;
      for (const std::string& direction : directions) all += (all.empty() ? "" : "; ") + direction;
      summary.replace(bracket, directions.front().size() + 3, fmt::format(" ({} rows: {})", rows, all));
    }
    causes.push_back({std::move(summary), first.remedy});
  }
  return causes;
}

std::string structure_text(const CheckReport& report) {
  const auto count = [](int n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  return (report.loops == 0 ? count(report.trees, "tree") + ", no loops"
                            : count(report.trees, "part") + ", " + count(report.loops, "loop")) +
         (report.depth > 0 ? fmt::format(", depth {}", report.depth) : "");
}

std::string check_text(const std::string& title, const CheckReport& report, double dt) {
  std::string out = title + "\n";
  const auto line = [&](const char* label, const std::string& text) {
    out += fmt::format("  {:<21}{}\n", label, text);
  };
  line("bodies", fmt::format("{} with {} velocities, mass ratio {:.4g}", report.bodies, report.velocities,
                             report.mass_ratio));
  line("constraints", fmt::format("{} with {} rows, {} of them redundant", report.constraints, report.rows,
                                  report.redundant_rows));
  line("degrees of freedom", fmt::format("{}", report.dof));
  line("structure", structure_text(report));
  line("formulation",
       fmt::format("{}: {}", name(report.choice.formulation), report.choice.formulation_reason));
  line("solver", fmt::format("{}: {}", name(report.choice.solver), report.choice.solver_reason));
  line("integrator", fmt::format("{}: {}", name(report.choice.integrator), report.choice.integrator_reason));
  line("start", fmt::format("constraint error {:.3g}, velocity error {:.3g}", report.constraint_error,
                            report.velocity_error));
  line("fastest", report.fastest_frequency > 0
                      ? fmt::format("{} at {:.4g} rad/s: an explicit step of {} is advised, the scene has {}",
                                    report.fastest, report.fastest_frequency, seconds_text(report.advised_dt),
                                    seconds_text(dt))
                      : "nothing swings");
  const std::vector<Cause> causes = causes_of(report.dependencies);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    line(i == 0 ? "redundant" : "", causes[i].summary);
    if (i == 0 || causes[i].remedy != causes[i - 1].remedy) line("", "  " + causes[i].remedy);
  }
  if (const int more = report.redundant_rows - int(report.dependencies.size()); more > 0)
    line("", fmt::format("and {} more (--dependencies N shows N of them)", more));
  for (std::size_t i = 0; i < report.warnings.size(); ++i) line(i == 0 ? "warnings" : "", report.warnings[i]);
  if (report.warnings.empty()) line("warnings", "none");
  return out;
}

int run_check(const CheckArguments& arguments) {
  const Scene scene = load(arguments.scene);
  const Simulation sim = make_simulation(scene);
  CheckReport report = check(sim, arguments.dependencies, scene.dt);
  for (std::string& text : law_breaks(sim, scene.duration, scene.dt))
    report.warnings.push_back(std::move(text));
  const EliminationGraph graph = arguments.graph ? elimination_graph(sim) : EliminationGraph{};
  if (arguments.json) {
    fmt::print("{}\n", check_json(report, arguments.graph ? &graph : nullptr));
    return kDone;
  }
  fmt::print("{}", check_text(scene.title.empty() ? arguments.scene.file : scene.title, report, scene.dt));
  if (arguments.graph) fmt::print("\n{}", elimination_picture(graph));
  return kDone;
}

}  // namespace

void add_check(CommandLine& line) {
  auto arguments = std::make_shared<CheckArguments>();
  Subcommand command =
      line.subcommand("check", "say what is in a scene: degrees of freedom, loops, redundancy, advice");
  add_scene_arguments(command, arguments->scene);
  command.flag("--json", arguments->json, "print one JSON object");
  command.flag("--graph", arguments->graph, "draw the elimination order and the blocks of the factor");
  command.option("--dependencies", arguments->dependencies, "N", "explain at most so many redundant rows")
      .not_negative()
      .with_default_in_help();
  command.footer(
      "Examples:\n"
      "  catena check examples/truss-bridge.yaml\n"
      "  catena check examples/six-body.yaml --graph\n"
      "Exit status: 0 the scene can be simulated, 2 it cannot.");
  command.runs([arguments] { return run_check(*arguments); });
}

}  // namespace catena::app
