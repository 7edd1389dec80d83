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
void check_subcommand(const std::vector<std::string>& names, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string meant = catena::app::nearest_name(word, names);
  const bool is_scene = word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
  catena::app::reject(
      "subcommand", fmt::format("there is no '{}'", word),
      !meant.empty() ? fmt::format("did you mean 'catena {}'?", meant)
      : is_scene     ? fmt::format("to simulate a scene: catena run {0}; to see it: catena view {0}", word)
                     : fmt::format("one of: {}", catena::app::joined(names)));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace catena::app;
  try {
    CommandLine line(
        "Catena: constrained and articulated dynamics", std::string("catena ") + catena::kVersion,
        "Examples:\n"
        "  catena run examples/crane.yaml --out out/crane.csv --svg out\n"
        "  catena view examples/crane.yaml\n"
        "  catena check examples/truss-bridge.yaml\n"
        "  catena compare examples/tree-127.yaml\n"
        "  catena converge examples/pendulum-a01.yaml --dt 0.01\n"
        "  catena bench baraff\n"
        "`catena SUBCOMMAND --help` explains one subcommand.\n"
        "Exit status: 0 done, 1 disagreement or no convergence, 2 bad input, 3 a step was refused.");
    add_run(line);
    add_check(line);
    add_compare(line);
    add_converge(line);
    add_assemble(line);
    add_bench(line);
    add_view(line);
    add_schema(line);
    check_subcommand(line.subcommands(), argc, argv);
    return line.run(argc, argv);
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
