// Values from the command line. A bad one is reported with its option, its value and a remedy.
#include "command.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace catena::app {
namespace {

/// The enumerator called `text`, or an error that lists all names.
template <class Value>
Value choice_from(const std::string& option, const std::string& text,
                  std::optional<Value> (*find)(std::string_view), const std::vector<Value>& all) {
  if (const auto value = find(text)) return *value;
  std::string names;
  for (const Value& value : all) names += (names.empty() ? "" : ", ") + std::string(name(value));
  reject(fmt::format("option {}", option), fmt::format("there is no '{}'", text),
         fmt::format("one of: {}", names));
}

std::vector<Integrator> all_integrators() {
  std::vector<Integrator> all;
  for (const IntegratorTraits& traits : kIntegrators) all.push_back(traits.integrator);
  return all;
}

}  // namespace

void reject(std::string where, std::string what, std::string remedy) {
  throw InvalidInput({Issue{std::move(where), std::move(what), std::move(remedy)}});
}

void add_scene_arguments(Subcommand& command, SceneArguments& arguments) {
  command.option("model", arguments.file, "MODEL", "scene file, YAML or JSON").required();
  add_set_option(command, arguments.set);
  command.option("--formulation", arguments.formulation, "NAME",
                 "automatic, maximal (body coordinates), minimal (joint coordinates) or middle (joint "
                 "coordinates, solved as bodies)");
  command.option("--solver", arguments.solver, "NAME",
                 "automatic, tree, sparse, auxiliary, banded, dense, dense-kkt or cg");
}

void add_set_option(Subcommand& command, std::vector<std::string>& set) {
  command.option("--set", set, "NAME=VALUE", "give a parameter of the scene another value (may be repeated)")
      .repeated();
}

std::map<std::string, std::string> parse_set(const std::vector<std::string>& items) {
  std::map<std::string, std::string> set;
  for (const std::string& item : items) {
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      reject("option --set", fmt::format("'{}' is not NAME=VALUE", item), "write for example --set links=50");
    set[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return set;
}

Scene load(const SceneArguments& arguments) {
  Scene scene = load_scene(arguments.file, parse_set(arguments.set));
  if (!arguments.formulation.empty())
    scene.options.formulation = choice_from(
        "--formulation", arguments.formulation, &formulation_from,
        {Formulation::automatic, Formulation::maximal, Formulation::minimal, Formulation::middle});
  if (!arguments.solver.empty())
    scene.options.solver = choice_from("--solver", arguments.solver, &solver_from,
                                       {Solver::automatic, Solver::tree, Solver::sparse, Solver::auxiliary,
                                        Solver::banded, Solver::dense, Solver::dense_kkt, Solver::cg});
  if (!arguments.integrator.empty())
    scene.options.integrator =
        choice_from("--integrator", arguments.integrator, &integrator_from, all_integrators());
  if (!arguments.tolerance.empty())
    scene.options.tolerance = positive_number("--tolerance", arguments.tolerance, 1.0);
  if (!arguments.drift.empty())
    scene.options.drift =
        choice_from("--drift", arguments.drift, &drift_from,
                    {Drift::projection, Drift::feedback, Drift::feedback_after, Drift::none});
  return scene;
}

double positive_number(const std::string& option, const std::string& text, double largest) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number) {
    try {
      value = evaluate_expression(text);
    } catch (const InvalidInput& problem) {
      const std::string why = problem.issues().empty() ? problem.what() : problem.issues().front().what;
      reject("option " + option, fmt::format("'{}' is not a number: {}", text, why),
             "give a number or an expression such as 1/240");
    }
  }
  if (!(value > 0) || !std::isfinite(value))
    reject("option " + option, fmt::format("must be positive and finite, got {}", text),
           "give a value above 0, in seconds");
  if (value > largest)
    reject("option " + option, fmt::format("{} is beyond what can be simulated", text),
           fmt::format("give a value of at most {:g} s", largest));
  return value;
}

long long whole_number(const std::string& option, const std::string& text, long long smallest,
                       long long largest) {
  double value = 0.0;  // "1e6" is a whole number too
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (!is_number || value != std::floor(value) || value < double(smallest) || value > double(largest))
    reject("option " + option,
           fmt::format("'{}' is not a whole number from {} to {}", text, smallest, largest),
           fmt::format("give for example {} {}", option, std::max(smallest, 1000LL)));
  return static_cast<long long>(value);
}

}  // namespace catena::app
