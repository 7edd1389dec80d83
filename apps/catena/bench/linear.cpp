// catena bench linear: exactly so many evaluations or steps, to count their instructions (tools/check_linear.py).
//
// An evaluation goes from State to accelerations and multipliers: kinematics, forces, J, factor, solve.
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace catena::app {
namespace {

using Clock = std::chrono::steady_clock;

/// What --joint names, at its start.
Model mechanism(const std::string& joint, int links) {
  if (joint == "stiff") return alike_stiff_chain(links);
  if (joint == "ladder") return ladder(links);
  if (joint == "ring") return ring(links);
  if (joint == "four-bars") return four_bars(links);
  if (joint == "tree") return random_tree(links);
  if (joint == "centre") return held_centre(links);
  return bent_chain(links, joint);
}

/// The length of a step that is the same work at any size: rattle and the projection of symplectic-euler need one iteration.   s
double alike_step_length(const std::string& joint) {
  if (joint == "hinge") return 3e-5;      // the far end of the chain spins fast
  if (joint == "four-bars") return 1e-3;  // and these hardly move at first
  if (joint == "stiff") return 0.5e-3;    // springs about the rods' axes would swing at 1.3e4 rad/s
  return 3e-4;
}

/// linearised-euler makes all its passes, and bdf2 one Newton iteration in every step but the first. (It would with tolerances from
/// 1e-7 to 1e-3.)
Options alike_steps(const BenchArguments& arguments) {
  const Integrator integrator = *integrator_from(arguments.step);
  Options options{.formulation = *formulation_from(arguments.formulation), .integrator = integrator};
  options.newton_tolerance = integrator == Integrator::bdf2 ? 1e-5 : 1e-300;
  return options;
}

/// Steps of one mechanism, with the iterations each took: steps with different numbers of them cannot be compared.
void count_steps(const BenchArguments& arguments, const std::string& joint, BenchReport& report) {
  const double length = alike_step_length(joint);
  Simulation sim(mechanism(joint, arguments.links), alike_steps(arguments));
  std::vector<std::vector<Cell>> rows;
  bool all_taken = true;
  for (int k = 1; k <= arguments.repeats; ++k) {
    const auto start = Clock::now();
    const StepReport step = sim.step(length);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    all_taken = all_taken && step.ok() && step.halvings == 0;
    rows.push_back({cell(k), cell(step.iterations), cell_seconds(seconds),
                    cell(1e9 * seconds / arguments.links, "{:.1f}")});
  }
  report.section("linear",
                 fmt::format("{} links (rungs, four-bars) of '{}', {} steps of {} by {}", arguments.links,
                             joint, arguments.repeats, seconds_text(length), arguments.step));
  report.table("steps", {"step", "iterations", "time", "ns per link"}, rows);
  report.check(all_taken, "every step was taken at its full length");
}

/// Evaluations of one mechanism, from state to accelerations.
void count_evaluations(const BenchArguments& arguments, const std::string& joint, BenchReport& report) {
  const bool closed = joint == "ladder" || joint == "ring" || joint == "four-bars";
  Simulation sim(mechanism(joint, arguments.links),
                 Options{.formulation = *formulation_from(arguments.formulation),
                         .solver = closed ? Solver::sparse : Solver::tree});
  const double seconds = time_evaluation(sim, arguments.repeats);
  report.section(
      "linear", fmt::format("{} links (rungs, four-bars) of '{}', {} evaluations from state to accelerations",
                            arguments.links, joint, arguments.repeats));
  report.table("time", {"joint", "links", "shortest evaluation", "ns per link"},
               {{cell(joint), cell(arguments.links), cell_seconds(seconds),
                 cell(1e9 * seconds / arguments.links, "{:.1f}")}});
}

}  // namespace

double time_evaluation(Simulation& sim, int repeats) {
  const State state = sim.state();
  double shortest = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const auto start = Clock::now();
    sim.set_state(state);
    static_cast<void>(sim.accelerations());
    shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return shortest;
}

void bench_linear(const BenchArguments& arguments, BenchReport& report) {
  if (arguments.step.empty())
    count_evaluations(arguments, arguments.joint.empty() ? "hinge" : arguments.joint, report);
  else
    count_steps(arguments, arguments.joint.empty() ? "stiff" : arguments.joint, report);
}

}  // namespace catena::app
