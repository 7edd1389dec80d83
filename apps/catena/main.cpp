// catena: simulate, check and compare mechanisms from the command line (docs/command.md).
//
// Every error ends here: messages on standard error, one per line, and an exit status that is not 0.
#include "catena/version.h"
#include "command.h"
#include "shared/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <new>

namespace {

void print_error(const std::string& text) {
  fmt::print(stderr, "catena: error: {}\n", text);
}

/// The parser takes a misspelt subcommand for one that is missing.
void check_subcommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string meant = catena::app::nearest_name(word, names);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  const bool is_scene = word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  catena::app::reject(
      "subcommand", fmt::format("there is no '{}'", word),
      !meant.empty() ? fmt::format("did you mean 'catena {}'?", meant)
      : is_scene     ? fmt::format("to simulate a scene: catena run {0}; to see it: catena view {0}", word)
                     : fmt::format("one of: {}", all));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace catena::app;
  int status = kDone;
  try {
    CLI::App app("Catena: constrained and articulated dynamics", "catena");
    app.set_version_flag("--version", std::string("catena ") + catena::kVersion, "print the version");
    app.set_help_all_flag("--help-all", "print the help of all subcommands");
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  catena run examples/crane.yaml --out out/crane.csv --svg out\n"
        "  catena view examples/crane.yaml\n"
        "  catena check examples/truss-bridge.yaml\n"
        "  catena compare examples/tree-127.yaml\n"
        "  catena converge examples/pendulum-a01.yaml --dt 0.01\n"
        "  catena bench baraff\n"
        "`catena SUBCOMMAND --help` explains one subcommand.\n"
        "Exit status: 0 done, 1 disagreement or no convergence, 2 bad input, 3 a step was refused.");
    add_run(app, status);
    add_check(app, status);
    add_compare(app, status);
    add_converge(app, status);
    add_assemble(app, status);
    add_bench(app, status);
    add_view(app, status);
    add_schema(app, status);
    check_subcommand(app, argc, argv);
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help and --version
      return app.exit(request);
    } catch (const CLI::ParseError& problem) {
      app.exit(problem);
      return kBadInput;
    }
    return status;
  } catch (const catena::InvalidInput& problem) {
    for (const catena::Issue& issue : problem.issues()) print_error(issue.text());
    if (problem.issues().empty()) print_error(problem.what());
  } catch (const std::bad_alloc&) {
    print_error("the model does not fit into memory; use fewer bodies, or the tree solver");
  } catch (const std::exception& problem) {
    print_error(problem.what());
  }
  return kBadInput;
}
