// The subcommands of `catena`, and what they share: exit statuses, numbers, scenes with overrides.
#pragma once

#include "catena/catena.h"
#include "command_line.h"

#include <map>
#include <string>
#include <vector>

namespace catena::app {

/// What a shell sees. 0 only when everything asked for was done.
enum ExitStatus {
  kDone = 0,
  kDisagree = 1,  // compare: solvers disagree; converge: not converged; bench: a figure is out of its bounds
  kBadInput = 2,  // file, value or option
  kRefused = 3,   // a step was refused; what had been computed was written
  kWorthless = 4  // run: to its end, but with more energy invented than there was; everything was written
  // 128 and the number of a signal: interrupted (shared/interrupt.h); what had been computed was written
};

/// Each adds its subcommand with its options.
void add_run(CommandLine& line);
void add_check(CommandLine& line);
void add_compare(CommandLine& line);
void add_converge(CommandLine& line);
void add_assemble(CommandLine& line);
void add_bench(CommandLine& line);
void add_view(CommandLine& line);
void add_schema(CommandLine& line);

/// Options that every subcommand with a model has.
struct SceneArguments {
  std::string file;
  std::vector<std::string> set;                                   // "name=value"
  std::string formulation, solver, integrator, drift, tolerance;  // empty: as the scene says
};
void add_scene_arguments(Subcommand& command, SceneArguments& arguments);
/// --set NAME=VALUE, as often as one likes.
void add_set_option(Subcommand& command, std::vector<std::string>& set);

/// NAME=VALUE of every --set; throws InvalidInput for what is not of that form.
std::map<std::string, std::string> parse_set(const std::vector<std::string>& items);
/// Loads the scene and applies the overrides. Throws InvalidInput.
Scene load(const SceneArguments& arguments);

/// What the options of run and converge may ask for at most.
inline constexpr double kMaxSteps = 1e9;      // of a run, or of all levels together
inline constexpr double kMaxStep = 1e6;       // s
inline constexpr int kMostEvents = 1000;      // within one step: beyond them it would not end
inline constexpr double kMaxDuration = 1e12;  // s

/// A positive, finite number from an option; expressions such as 1/240 are welcome. Throws InvalidInput that
/// names the option, the value and the remedy.
double positive_number(const std::string& option, const std::string& text, double largest);
/// A whole number of at least `smallest`.
long long whole_number(const std::string& option, const std::string& text, long long smallest,
                       long long largest);

/// Throws InvalidInput with one issue.
[[noreturn]] void reject(std::string where, std::string what, std::string remedy);

}  // namespace catena::app
