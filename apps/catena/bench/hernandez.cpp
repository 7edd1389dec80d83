// catena bench hernandez: the figures of Hernández et al. (2011), linear-time dynamics with stiff joints.
//
// Times stand beside the printed ones, which are of 2011 and of whole frames: what is compared is their size and how they grow. The
// targets are Catena's own, for one step; they are shown, not asserted, because they depend on the machine. What must hold anywhere is
// asserted: linear growth, joints that stay closed, and forms of the stiff system that agree (bench_hernandez_forms.cpp).
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "shared/text.h"
#include "view/assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace catena::app {
namespace {

constexpr double kFrame = 1.0 / 60;  // s, the step of the scene chain-stiff

struct StepTime {
  // of a step. The processor's time: on a busy machine a long step is always interrupted, and its shortest time says nothing
  double seconds = 0.0;
  double iterations = 0.0;  // of a step: Newton iterations, or passes with the one factor of linearised-euler
  std::string refusal;      // why a step was not taken at its full length; empty when all were
};

/// Mean over `steps` consecutive steps after `before` others. All of the `repeats` runs do the same work, so that the shortest time of
/// every single step counts. Each begins anew: a state that linearised-euler left is not accepted as a start, its velocities are open.
StepTime time_steps(const Model& model, const Options& options, double dt, int before, int steps,
                    int repeats) {
  StepTime out;
  std::vector<double> shortest(std::size_t(steps), 1e300);
  for (int r = 0; r < repeats; ++r) {
    Simulation sim(model, options);
    int iterations = 0;
    for (int k = -before; k < steps; ++k) {
      const std::clock_t start = std::clock();
      const StepReport report = sim.step(dt);
      const double gone = double(std::clock() - start) / CLOCKS_PER_SEC;
      if (!report.ok() || report.halvings > 0) {
        out.refusal = report.ok() ? "halved" : report.message;
        return out;
      }
      if (k < 0) continue;
      iterations += report.iterations;
      double& least = shortest[std::size_t(k)];
      least = std::min(least, gone);
    }
    out.iterations = double(iterations) / steps;
  }
  for (const double seconds : shortest) out.seconds += seconds / steps;
  return out;
}

// ---- a chain of stiff ball joints

struct Printed {
  int links;
  double seconds;  // per frame
};
constexpr Printed kPrinted[] = {{1000, 0.022}, {10000, 0.285}};
constexpr double kTargetLinearised = 0.4, kTargetNewton = 0.8;  // µs per link, and per Newton iteration

struct ChainTimes {
  std::vector<double> links;
  std::vector<StepTime> linearised, bdf2;
};

ChainTimes time_chains(int repeats) {
  ChainTimes times;
  for (const int links : {10, 30, 100, 300, 1000, 3000, 10000}) {
    times.links.push_back(links);
    const Model model = stiff_chain(links);
    const int runs = std::max(3, repeats / (links < 1000 ? 1 : 5));
    const Options linearised{.integrator = Integrator::linearised_euler},
        bdf2{.integrator = Integrator::bdf2};
    times.linearised.push_back(time_steps(model, linearised, kFrame, 2, 5, runs));
    times.bdf2.push_back(time_steps(model, bdf2, kFrame, 2, 5, runs));
  }
  return times;
}

std::vector<double> seconds_of(const std::vector<StepTime>& times) {
  std::vector<double> out;
  for (const StepTime& t : times) out.push_back(t.seconds);
  return out;
}

Plot chain_plot(const ChainTimes& times) {
  Plot plot{
      .title = "Chain of stiff ball joints: time per step",
      .subtitle = "steps of 1/60 s; printed: Hernández et al. 2011, whole frames on the machine of then",
      .x_label = "links",
      .y_label = "time per step (s)",
      .log_x = true,
      .log_y = true};
  plot.series.push_back(
      {"linearised-euler", times.links, seconds_of(times.linearised), Series::Style::line_and_markers});
  plot.series.push_back({"bdf2", times.links, seconds_of(times.bdf2), Series::Style::line_and_markers});
  Series printed{"printed", {}, {}, Series::Style::markers};
  for (const Printed& p : kPrinted) {
    printed.x.push_back(p.links);
    printed.y.push_back(p.seconds);
  }
  plot.series.push_back(std::move(printed));
  Series target{
      "target of linearised-euler", {times.links.front(), times.links.back()}, {}, Series::Style::dashed};
  for (const double n : target.x) target.y.push_back(1e-6 * kTargetLinearised * n);
  plot.series.push_back(std::move(target));
  return plot;
}

void measure_chains(const BenchArguments& arguments, BenchReport& report) {
  report.section(
      "chain",
      "Chain of rods with stiff ball joints (examples/chain-stiff.yaml), steps of 1/60 s, processor time");
  const ChainTimes times = time_chains(arguments.repeats);
  std::vector<std::vector<Cell>> rows;
  bool all_taken = true, faster = true;
  for (std::size_t i = 0; i < times.links.size(); ++i) {
    const double links = times.links[i];
    const StepTime &linear = times.linearised[i], &newton = times.bdf2[i];
    all_taken = all_taken && linear.refusal.empty() && newton.refusal.empty();
    Cell printed = cell(""), printed_per_link = cell("");
    for (const Printed& p : kPrinted)
      if (p.links == int(links)) {
        printed = cell_seconds(p.seconds);
        printed_per_link = cell(1e6 * p.seconds / links, "{:.1f}");
        faster = faster && linear.seconds < p.seconds;
      }
    rows.push_back(
        {cell(int(links)), cell_seconds(linear.seconds), cell(1e6 * linear.seconds / links, "{:.2f}"),
         cell(linear.iterations, "{:.1f}"), cell_seconds(newton.seconds),
         cell(1e6 * newton.seconds / links, "{:.2f}"), cell(newton.iterations, "{:.1f}"),
         cell(1e6 * newton.seconds / links / newton.iterations, "{:.2f}"), printed, printed_per_link});
  }
  report.table("times",
               {"links", "linearised-euler", "µs per link", "passes", "bdf2", "µs per link (bdf2)",
                "iterations", "µs per link and iteration", "printed frame", "printed µs per link"},
               rows);
  const double at_end = times.links.back();
  const auto verdict = [](double measured, double target) {
    return cell(measured <= target ? "met" : "missed");
  };
  const double linear = 1e6 * times.linearised.back().seconds / at_end,
               newton = 1e6 * times.bdf2.back().seconds / at_end / times.bdf2.back().iterations;
  report.table("targets", {"at 10,000 links", "µs", "target", "verdict"},
               {{cell("linearised-euler, per link"), cell(linear, "{:.2f}"),
                 cell(kTargetLinearised, "{:.1f}"), verdict(linear, kTargetLinearised)},
                {cell("bdf2, per link and Newton iteration"), cell(newton, "{:.2f}"),
                 cell(kTargetNewton, "{:.1f}"), verdict(newton, kTargetNewton)}});
  report.check(all_taken, "every step was taken at its full length, at every size");
  report.check(faster, "a linearised step takes less time than the printed frame");
  // caches make long chains dearer per link than short ones, so that the power lies a little above 1
  const double power = std::log(times.linearised.back().seconds / times.linearised[2].seconds) /
                       std::log(at_end / times.links[2]);
  report.check(
      power < 1.2,
      fmt::format("time grows with the power {:.2f} of the length from 100 links on (linear: 1)", power));
  report.plot(arguments, "hernandez-chain.svg", chain_plot(times));
}

// ---- the hand

void measure_hand(const BenchArguments& arguments, BenchReport& report) {
  report.section("hand",
                 "Hand of 16 bones and 15 joints without its ball (examples/hand.yaml), steps of 1/120 s, "
                 "processor time");
  const Asset* text = find_asset(example_scenes(), "hand");
  if (text == nullptr) {
    report.note("not measured: examples/hand.yaml was not there when the command was built");
    return;
  }
  Scene scene = parse_scene(std::string(text->bytes), "hand.yaml", {{"ball", "0"}});
  // nothing touches the ball now, so that it would only add a seventeenth body of its own
  scene.model.remove(*scene.model.find_force("hold"));
  scene.model.remove(*scene.model.find_body("ball"));
  std::vector<std::vector<Cell>> rows;
  bool all_taken = true;
  for (const Integrator integrator : {Integrator::linearised_euler, Integrator::bdf2}) {
    Options options = scene.options;
    options.integrator = integrator;
    const StepTime t = time_steps(scene.model, options, scene.dt, 60, 20, arguments.repeats);
    all_taken = all_taken && t.refusal.empty();
    rows.push_back({cell(std::string(name(integrator))), cell_seconds(t.seconds),
                    cell(t.iterations, "{:.1f}"), cell_seconds(0.36e-3), cell_seconds(30e-6),
                    cell(t.seconds <= 30e-6 ? "met" : "missed")});
  }
  report.table("times", {"integrator", "time per step", "iterations", "printed", "target", "verdict"}, rows);
  report.check(all_taken, "the hand closes and takes every step");
}

// ---- joints that stay closed

struct Drifting {
  std::string name;
  Options options;
};

std::vector<Drifting> drifting_schemes() {
  Options one_solve{.integrator = Integrator::linearised_euler}, corrected = one_solve, euler, runge_kutta;
  one_solve.linear_corrections = 0;
  euler.integrator = Integrator::symplectic_euler;
  runge_kutta.integrator = Integrator::rk4;
  euler.drift = runge_kutta.drift = Drift::feedback;
  Options none = euler;
  none.drift = Drift::none;
  return {{"linearised-euler, one solve", one_solve},
          {"linearised-euler, three corrections", corrected},
          {"accelerations with feedback, symplectic Euler", euler},
          {"accelerations with feedback, rk4", runge_kutta},
          {"accelerations alone, symplectic Euler", none}};
}

void measure_drift(const BenchArguments& arguments, BenchReport& report) {
  constexpr int kLinks = 10;
  constexpr double kStiffness = 1.0, kDt = 5e-3, kEnd = 5.0;
  report.section(
      "drift",
      fmt::format("Joints of a chain of {} rods of 1 m, released from the horizontal: largest |C| in {:g} s, "
                  "dt = {}",
                  kLinks, kEnd, seconds_text(kDt)));
  Plot plot{.title = "Chain released from the horizontal: error of its joints",
            .subtitle = fmt::format("{} rods of 1 m, springs of {:g} N·m/rad, dt = {}", kLinks, kStiffness,
                                    seconds_text(kDt)),
            .x_label = "time (s)",
            .y_label = "largest | C | (m)",
            .log_y = true};
  std::vector<std::vector<Cell>> rows;
  std::vector<double> largest;
  for (const Drifting& scheme : drifting_schemes()) {
    Simulation sim(stiff_chain(kLinks, kStiffness), scheme.options);
    Series series{scheme.name, {}, {}};
    double error = 0.0;
    std::string end = "reached";
    while (sim.time() < kEnd - 0.5 * kDt) {
      if (!sim.step(kDt).ok()) {
        end = fmt::format("refused at {:.2f} s", sim.time());
        break;
      }
      error = std::max(error, sim.constraint_error());
      series.x.push_back(sim.time());
      series.y.push_back(sim.constraint_error());
    }
    largest.push_back(end == "reached" ? error : INFINITY);
    rows.push_back(
        {cell(scheme.name), cell(error, "{:.1e}"), cell(sim.constraint_error(), "{:.1e}"), cell(end)});
    plot.series.push_back(std::move(series));
  }
  report.table("drift", {"scheme", "largest |C| (m)", "at the end (m)", "end"}, rows);
  report.check(largest[0] < largest[2], "J v = -C/h holds the joints better than feedback at the same step");
  report.check(largest[1] < 1e-2 * largest[0],
               "corrections with the same factor take out what one solve leaves");
  report.plot(arguments, "hernandez-drift.svg", plot);
}

}  // namespace

void bench_hernandez(const BenchArguments& arguments, BenchReport& report) {
  measure_chains(arguments, report);
  measure_hand(arguments, report);
  measure_drift(arguments, report);
  compare_stiff_forms(arguments, report);
}

}  // namespace catena::app
