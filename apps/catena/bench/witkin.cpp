// catena bench witkin: A. Witkin, "Constrained dynamics", SIGGRAPH course notes 1997.
//
// The notes print no figures but make three claims, which are measured here: without feedback a bead on a
// circle spirals outwards (2.2); feedback constants "are not critical" (3), which holds inside the limits of
// the step; and penalty springs are accurate only where they are stiff, which constrains the step (1).
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

constexpr double kWitkinStep = 0.01;  // s, of the drift experiments

struct Length {
  Attachment a, b;
  double start;  // m
};

/// Everything between two points that should keep its length: bars and springs, and the radius of the wire.
std::vector<Length> lengths_of(const Simulation& sim) {
  std::vector<Length> lengths;
  const auto add = [&](std::span<const Attachment> at) {
    if (at.size() == 2) lengths.push_back({at[0], at[1], (sim.marker(at[0]).x - sim.marker(at[1]).x).norm()});
  };
  for (const ConstraintEntry& entry : sim.model().constraints()) add(entry.constraint->attachments());
  for (const ForceEntry& entry : sim.model().forces()) add(entry.force->attachments());
  return lengths;
}

double largest_stretch(const Simulation& sim, const std::vector<Length>& lengths) {
  double largest = 0.0;
  for (const Length& l : lengths)
    largest = std::max(largest, std::abs((sim.marker(l.a).x - sim.marker(l.b).x).norm() - l.start));
  return largest;
}

struct Run {
  bool stable = true;
  double error = 0.0;                 // largest change of a length   m
  std::vector<double> time, stretch;  // every instant
  std::vector<double> x, y;           // of the first body
};

/// @param energy_bound the run counts as unstable when it invents or loses more than this   J
Run simulate(const Model& model, const Options& options, double dt, double duration, double energy_bound,
             bool keep) {
  Run run;
  Simulation sim(model, options);
  const auto lengths = lengths_of(sim);
  const long long steps = std::llround(std::ceil(duration / dt));
  for (long long k = 0; k <= steps; ++k) {
    const double stretch = largest_stretch(sim, lengths);
    run.error = std::max(run.error, stretch);
    if (keep) {
      const Vec3 at = sim.placement(model.bodies()[0].id).position;
      run.time.push_back(sim.time());
      run.stretch.push_back(stretch);
      run.x.push_back(at.x());
      run.y.push_back(at.y());
    }
    if (k == steps) break;
    if (!sim.step(dt).ok() || !(std::abs(sim.numerical_energy()) < energy_bound)) {
      run.stable = false;
      break;
    }
  }
  return run;
}

Options euler(Drift drift) {
  Options options;
  options.integrator = Integrator::symplectic_euler;
  options.drift = drift;
  return options;
}

// ---- drift of the bead

void measure_witkin_drift(const BenchArguments& arguments, BenchReport& report) {
  report.section("drift",
                 fmt::format("Bead of 5 kg on a unit circle at 2 m/s, symplectic Euler, dt = {}, 20 s",
                             seconds_text(kWitkinStep)));
  Plot error{.title = "Bead on a circle: distance from the wire",
             .subtitle = fmt::format("symplectic Euler, dt = {}; feedback with α = β = 0.2/dt",
                                     seconds_text(kWitkinStep)),
             .x_label = "time (s)",
             .y_label = "| r − 1 | (m)",
             .log_y = true};
  Plot path{.title = "Bead on a circle: the path",
            .subtitle = fmt::format("2 m/s for 20 s, symplectic Euler, dt = {}", seconds_text(kWitkinStep)),
            .x_label = "x (m)",
            .y_label = "y (m)",
            .equal_aspect = true};
  struct DriftCase {
    const char* name;
    Integrator integrator;
    Drift drift;
  };
  // explicit Euler, which the notes have in mind, spirals outwards; symplectic Euler spirals inwards
  const DriftCase cases[] = {
      {"none", Integrator::symplectic_euler, Drift::none},
      {"none, rk4", Integrator::rk4, Drift::none},
      {"feedback after the solve", Integrator::symplectic_euler, Drift::feedback_after},
      {"feedback inside the solve", Integrator::symplectic_euler, Drift::feedback},
      {"projection", Integrator::symplectic_euler, Drift::projection}};
  std::vector<std::vector<Cell>> rows;
  std::vector<double> largest;
  for (const DriftCase& c : cases) {
    Options options = euler(c.drift);
    options.integrator = c.integrator;
    const Run run = simulate(bead(), options, kWitkinStep, 20.0, 1e300, true);
    largest.push_back(run.error);
    error.series.push_back({c.name, run.time, run.stretch});
    if (largest.size() == 1 || c.drift == Drift::projection) path.series.push_back({c.name, run.x, run.y});
    rows.push_back({cell(c.name), cell(run.error, "{:.2e}"), cell(run.stretch.back(), "{:.2e}")});
  }
  report.table("drift", {"drift", "largest error (m)", "final error (m)"}, rows);
  report.check(largest[0] > 10 * largest[3], "without feedback the bead spirals away from the wire");
  report.check(largest[1] > 10 * largest[4], "a fourth-order integrator only makes the spiral slower");
  report.check(largest[2] > 1.1 * largest[3],
               "feedback after the solve acts through the mass: 5 kg overshoot");
  report.check(largest[4] < 1e-9, "projection keeps it within 1e-9 m");
  report.plot(arguments, "witkin-drift.svg", error);
  report.plot(arguments, "witkin-spiral.svg", path);
}

// ---- constants of the feedback

/// Symplectic Euler applied to C̈ + k_d Ċ + k_s C = 0 is stable inside these limits.
bool inside_limits(double ks, double kd) {
  return kWitkinStep * kd < 2 && kWitkinStep * kWitkinStep * ks + 2 * kWitkinStep * kd < 4;
}

void measure_constants(const BenchArguments& arguments, BenchReport& report) {
  report.section(
      "constants",
      fmt::format("Feedback constants over four decades, inside the solve, dt = {}, 10 s: largest error (m)",
                  seconds_text(kWitkinStep)));
  Plot plot{.title = "Feedback constants: distance of the bead from the wire",
            .subtitle = fmt::format("symplectic Euler, dt = {}, 10 s; missing points are unstable",
                                    seconds_text(kWitkinStep)),
            .x_label = "k_s (1/s²)",
            .y_label = "largest | r − 1 | (m)",
            .log_x = true,
            .log_y = true};
  std::vector<std::string> heading = {"k_s \\ k_d"};
  constexpr double kEnergyBound = 100.0;  // J, ten times the kinetic energy at the start
  std::vector<std::vector<Cell>> rows;
  const std::vector<double> spring = {1e0, 1e1, 1e2, 1e3, 1e4}, damper = {1e-1, 1e0, 1e1, 1e2, 1e3};
  for (double kd : damper) heading.push_back(fmt::format("{:g}", kd));
  for (double kd : damper)
    plot.series.push_back({fmt::format("k_d = {:g}", kd), {}, {}, Series::Style::line_and_markers});
  // Witkin's variant for comparison: a force after the solve, which a heavier bead feels less
  Series after{"after the solve, k_d = 10", {}, {}, Series::Style::dashed};
  bool as_predicted = true;
  for (double ks : spring) {
    Options variant = euler(Drift::feedback_after);
    variant.feedback_ks = ks;
    variant.feedback_kd = 10.0;
    after.x.push_back(ks);
    after.y.push_back(simulate(bead(), variant, kWitkinStep, 10.0, kEnergyBound, false).error);
    rows.push_back({cell(ks, "{:g}")});
    for (std::size_t i = 0; i < damper.size(); ++i) {
      Options options = euler(Drift::feedback);
      options.feedback_ks = ks;
      options.feedback_kd = damper[i];
      const Run run = simulate(bead(), options, kWitkinStep, 10.0, kEnergyBound, false);
      const bool stable = run.stable && run.error < 1.0;
      rows.back().push_back(stable ? cell(run.error, "{:.1e}") : cell("unstable"));
      plot.series[i].x.push_back(ks);
      plot.series[i].y.push_back(stable ? run.error : NAN);
      as_predicted = as_predicted && stable == inside_limits(ks, damper[i]);
    }
  }
  plot.series.push_back(std::move(after));
  for (Drift drift : {Drift::none, Drift::projection}) {
    const Run run = simulate(bead(), euler(drift), kWitkinStep, 10.0, kEnergyBound, false);
    plot.series.push_back({std::string(name(drift)),
                           {spring.front(), spring.back()},
                           {run.error, run.error},
                           Series::Style::dashed});
  }
  report.table("constants", heading, rows);
  report.check(as_predicted, "stable exactly where dt·k_d < 2 and dt²·k_s + 2·dt·k_d < 4");
  report.plot(arguments, "witkin-constants.svg", plot);
}

// ---- penalty springs

struct Held {
  double step = 0.0;   // largest stable   s
  double error = 0.0;  // at half of it    m
};

/// Largest step that keeps the energy over `duration`, to within 5 %, found by halving and bisection.
Held largest_stable_step(const Model& model, const Options& options, double duration, double energy_bound) {
  const auto stable = [&](double dt) {
    return simulate(model, options, dt, duration, energy_bound, false).stable;
  };
  double high = 0.5, low = high;
  while (!stable(low) && low > 1e-6) high = low, low *= 0.5;
  while (high / low > 1.05) {
    const double middle = std::sqrt(high * low);
    (stable(middle) ? low : high) = middle;
  }
  return {low, simulate(model, options, 0.5 * low, duration, energy_bound, false).error};
}

void measure_penalty(const BenchArguments& arguments, BenchReport& report) {
  report.section("penalty",
                 "Constraints against penalty springs: largest stable step, and error at half of it");
  struct DriftCase {
    const char* name;
    Model (*make)(double stiffness);
    double duration, energy_bound;  // s, J
    double softest;                 // N/m
  };
  Plot plot{.title = "Penalty springs against constraints",
            .subtitle = "springs: symplectic Euler, one point per decade of stiffness; constraints: rattle",
            .x_label = "largest stable step (s)",
            .y_label = "largest change of a length (m)",
            .log_x = true,
            .log_y = true};
  std::vector<std::vector<Cell>> rows;
  bool better = true;
  for (const DriftCase& c :
       {DriftCase{"bead", bead, 5.0, 5.0, 1e2}, DriftCase{"truss", swinging_truss, 2.0, 50.0, 1e4}}) {
    Series springs{fmt::format("{}, springs", c.name), {}, {}, Series::Style::line_and_markers};
    for (int decade = 0; decade < 5; ++decade) {
      const double stiffness = c.softest * std::pow(10.0, decade);
      const Held held =
          largest_stable_step(c.make(stiffness), euler(Drift::none), c.duration, c.energy_bound);
      springs.x.push_back(held.step);
      springs.y.push_back(held.error);
      rows.push_back({cell(c.name), cell(fmt::format("springs of {:.0e} N/m", stiffness)),
                      cell_seconds(held.step), cell(held.error, "{:.1e}")});
    }
    Options rattle;
    rattle.integrator = Integrator::rattle;
    const Held held = largest_stable_step(c.make(0.0), rattle, c.duration, c.energy_bound);
    rows.push_back({cell(c.name), cell("constraints"), cell_seconds(held.step), cell(held.error, "{:.1e}")});
    better = better && held.step > springs.x.back() && held.error < springs.y.back();
    plot.series.push_back(std::move(springs));
    plot.series.push_back(
        {fmt::format("{}, constraints", c.name), {held.step}, {held.error}, Series::Style::markers});
  }
  report.table("penalty", {"mechanism", "held by", "largest stable step", "error (m)"}, rows);
  report.check(better, "constraints take a longer step with a smaller error than the stiffest springs");
  report.plot(arguments, "witkin-penalty.svg", plot);
}

}  // namespace

void bench_witkin(const BenchArguments& arguments, BenchReport& report) {
  measure_witkin_drift(arguments, report);
  measure_constants(arguments, report);
  measure_penalty(arguments, report);
}

}  // namespace catena::app
