// catena bench speed, linear: what one evaluation, or one implicit step, costs per link.
//
// An evaluation goes from State to accelerations and multipliers: kinematics, forces, J, factor, solve.
#include "bench.h"
#include "mechanisms.h"
#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace catena::app {
namespace {

using Clock = std::chrono::steady_clock;

/// Shortest time of `repeats` evaluations, each from the numbers of a state to accelerations and multipliers.
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

/// Steps of a chain of stiff ball joints, each with the same work at any size: linearised-euler makes all its passes, and bdf2 one
/// Newton iteration in every step but the first. (It would with tolerances from 1e-7 to 1e-3.)
void count_steps(const BenchArguments& arguments, BenchReport& report) {
  constexpr double kStep = 0.5e-3;  // s; springs about the rods' axes would swing at 1.3e4 rad/s
  Options options{.integrator = *integrator_from(arguments.step)};
  options.newton_tolerance = options.integrator == Integrator::bdf2 ? 1e-5 : 1e-300;  // all passes
  Simulation sim(alike_stiff_chain(arguments.links), options);
  std::vector<std::vector<Cell>> rows;
  bool all_taken = true;
  for (int k = 1; k <= arguments.repeats; ++k) {
    const auto start = Clock::now();
    const StepReport step = sim.step(kStep);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    all_taken = all_taken && step.ok() && step.halvings == 0;
    rows.push_back({cell(k), cell(step.iterations), cell_seconds(seconds),
                    cell(1e9 * seconds / arguments.links, "{:.1f}")});
  }
  report.section("linear", fmt::format("{} links on stiff ball joints, {} steps of {} by {}", arguments.links,
                                       arguments.repeats, seconds_text(kStep), arguments.step));
  report.table("steps", {"step", "iterations", "time", "ns per link"}, rows);
  report.check(all_taken, "every step was taken at its full length");
}

}  // namespace

void bench_linear(const BenchArguments& arguments, BenchReport& report) {
  if (!arguments.step.empty()) return count_steps(arguments, report);
  const bool closed =
      arguments.joint == "ladder" || arguments.joint == "ring" || arguments.joint == "four-bars";
  Simulation sim(arguments.joint == "ladder"      ? ladder(arguments.links)
                 : arguments.joint == "ring"      ? ring(arguments.links)
                 : arguments.joint == "four-bars" ? four_bars(arguments.links)
                 : arguments.joint == "tree"      ? random_tree(arguments.links)
                 : arguments.joint == "centre"    ? held_centre(arguments.links)
                                                  : bent_chain(arguments.links, arguments.joint),
                 Options{.solver = closed ? Solver::sparse : Solver::tree});
  const double seconds = time_evaluation(sim, arguments.repeats);
  report.section(
      "linear", fmt::format("{} links (rungs, four-bars) of '{}', {} evaluations from state to accelerations",
                            arguments.links, arguments.joint, arguments.repeats));
  report.table("time", {"joint", "links", "shortest evaluation", "ns per link"},
               {{cell(arguments.joint), cell(arguments.links), cell_seconds(seconds),
                 cell(1e9 * seconds / arguments.links, "{:.1f}")}});
}

void bench_speed(const BenchArguments& arguments, BenchReport& report) {
  constexpr int kLinks = 1000;
  report.section(
      "speed",
      fmt::format("State to accelerations and multipliers, {} links; ns per link, shortest of {} runs",
                  kLinks, std::max(200, arguments.repeats)));
  const auto per_link = [](double seconds) { return cell(1e9 * seconds / kLinks, "{:.1f}"); };
  std::vector<std::vector<Cell>> rows;
  struct Case {
    const char* joint;
    double target;        // ns per link
    double measured = 0;  // ns per link
  };
  Case cases[] = {{"hinge", 200}, {"ball", 250}};
  for (Case& c : cases) {
    Simulation sim(bent_chain(kLinks, c.joint), Options{.solver = Solver::tree});
    const int repeats = std::max(200, arguments.repeats);
    const double checked = time_evaluation(sim, repeats);
    const SolverRun run = run_solver(sim, Solver::tree, repeats);
    const double together = run.evaluate_seconds + run.factor_and_solve_seconds;
    c.measured = 1e9 * together / kLinks;
    rows.push_back({cell(c.joint), per_link(run.evaluate_seconds), per_link(run.factor_and_solve_seconds),
                    per_link(together), cell(c.target, "{:.0f}"), per_link(run.factor_seconds),
                    per_link(run.solve_seconds), per_link(checked)});
  }
  report.table("chains",
               {"joint", "evaluate", "factor and solve", "together", "target", "factor alone", "solve alone",
                "with residual check and energies"},
               rows);
  for (const Case& c : cases)
    report.check(c.measured <= c.target,
                 fmt::format("{} chain: {:.1f} ns per link, at most {:.0f}", c.joint, c.measured, c.target));
}

}  // namespace catena::app
