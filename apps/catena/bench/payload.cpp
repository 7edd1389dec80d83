// catena bench payload: chains that carry more than they weigh, and long ones, at a step of 1/60 s; beside other engines.
//
//   scale = max over all steps of  max(K, |V - V_start|)   in Catena's run, the same for all engines         (1)
//   rise  = max over all steps of  E - E_start, over (1);   loss: the same downwards                        (2)
//   separation = largest distance between the two sides of a joint over all steps and joints                (3)
//
// Kinetic energy K, potential V and E = K + V are those of the positions and velocities that the engine reports after a
// step. Where an engine's velocities belong to the middle of a step, as after semi-implicit Euler, E carries an error of
// first order in the step that does not grow; it is part of (2). Only the calls that take a step are timed, in processor
// time: none of the engines runs more than one thread here, and other programs on the machine do not matter.
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "bench/peers.h"
#include "bench/race.h"
#include "shared/progress.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

constexpr double kPayloadFrame = 1.0 / 60.0;  // s
constexpr double kDuration = 10.0;            // s
constexpr double kPatience = 5.0;             // s of stepping, for a peer
constexpr int kSeriesEvery = 3;               // steps
constexpr int kSmallestPart = 64;             // of a frame, when a step is looked for at which a peer holds

struct Target {
  double separation = 1e-8;  // m, below
  double rise = 1e-3;        // at most
  double loss = INFINITY;    // at most
  double speed = 0;          // × real time, at least; depends on the machine, so it is shown and not checked
};

struct Case {
  std::string key, name;
  PayloadChain chain;
  Target target;
};

struct CatenaRun {
  ChainFigures figures;
  double scale = 0;        // (1), J
  std::uint64_t hash = 0;  // of the last state
};

std::vector<AttachmentPair> joints_of(const Model& model) {
  std::vector<AttachmentPair> joints;
  for (const ConstraintEntry& entry : model.constraints()) {
    const auto at = entry.constraint->attachments();
    joints.push_back({at[0], at[1]});
  }
  return joints;
}

double separation_of(const Simulation& sim, const std::vector<AttachmentPair>& joints) {
  double largest = 0.0;
  for (const AttachmentPair& at : joints)
    largest = std::max(largest, (sim.marker(at.a).x - sim.marker(at.b).x).norm());
  return largest;
}

CatenaRun run_catena(const PayloadChain& chain) {
  Simulation sim(payload_chain(chain), Options{.integrator = Integrator::bdf2});
  const auto joints = joints_of(sim.model());
  const Energy start = sim.energy();
  CatenaRun run;
  ChainFigures& f = run.figures;
  double seconds = 0.0;
  const int steps = int(std::lround(kDuration / kPayloadFrame));
  int done = 0, halved = 0;
  const auto measure = [&] {
    const Energy now = sim.energy();
    const double separation = separation_of(sim, joints);
    f.end = now.total() - start.total();
    f.rise = std::max(f.rise, f.end);
    f.loss = std::max(f.loss, -f.end);
    f.separation = std::max(f.separation, separation);
    run.scale = std::max({run.scale, now.kinetic, std::abs(now.gravity - start.gravity)});
    if (done % kSeriesEvery != 0) return;
    f.time.push_back(sim.time());
    f.separations.push_back(separation);
    f.energies.push_back(f.end);
  };
  measure();
  while (done < steps) {
    const double begin = processor_seconds();
    const StepReport report = sim.step(kPayloadFrame);
    seconds += processor_seconds() - begin;
    if (!report.ok()) break;
    halved += report.halvings > 0 ? 1 : 0;
    ++done;
    measure();
  }
  for (double* value : {&f.rise, &f.loss, &f.end}) *value /= run.scale;
  for (double& energy : f.energies) energy /= run.scale;
  f.engine = "Catena";
  f.variant = "bdf2";
  f.complete = done == steps;
  f.outcome = f.complete ? fmt::format("{} steps, 0 refused, {} halved", done, halved)
                         : fmt::format("refused at t = {:.3g} s", sim.time());
  f.real_time_factor = sim.time() / seconds;
  run.hash = sim.hash();
  return run;
}

// ---- tables

const std::vector<std::string> kHeading = {"engine",    "variant",    "separation (m)", "rise",
                                           "most loss", "at the end", "× real time",    "outcome"};

Cell percent(double fraction) {
  return {std::isfinite(fraction) ? fmt::format("{:.2g} %", 100 * fraction) : "", fraction};
}

Cell figure(double value, const char* format) {
  return std::isfinite(value) ? cell(value, format) : cell("");
}

std::vector<Cell> row_of(const ChainFigures& f) {
  return {cell(f.engine),  cell(f.variant), figure(f.separation, "{:.1e}"),       percent(f.rise),
          percent(f.loss), percent(f.end),  figure(f.real_time_factor, "{:.3g}"), cell(f.outcome)};
}

std::vector<Cell> row_of(const Target& t) {
  return {cell("target"),
          cell(""),
          cell(fmt::format("< {:.0e}", t.separation)),
          cell(fmt::format("≤ {:g} %", 100 * t.rise)),
          cell(std::isfinite(t.loss) ? fmt::format("≤ {:g} %", 100 * t.loss) : ""),
          cell(""),
          cell(t.speed > 0 ? fmt::format("≥ {:g}", t.speed) : ""),
          cell("0 refused")};
}

void check(const Case& c, const CatenaRun& run, BenchReport& report) {
  const ChainFigures& f = run.figures;
  report.check(f.complete, fmt::format("{}: {}", c.name, f.outcome));
  report.check(f.separation < c.target.separation,
               fmt::format("{}: joints separate by {:.1e} m, below {:.0e}", c.name, f.separation,
                           c.target.separation));
  report.check(f.rise <= c.target.rise, fmt::format("{}: the energy rises by {:.2g} %, at most {:g}", c.name,
                                                    100 * f.rise, 100 * c.target.rise));
  if (std::isfinite(c.target.loss))
    report.check(f.loss <= c.target.loss, fmt::format("{}: the energy falls by {:.2g} %, at most {:g}",
                                                      c.name, 100 * f.loss, 100 * c.target.loss));
  if (c.target.speed > 0)
    report.note(fmt::format("{}: {:.0f} × real time; {} the target of {:g}, which depends on the machine",
                            c.name, f.real_time_factor,
                            f.real_time_factor >= c.target.speed ? "reaches" : "misses", c.target.speed));
}

void draw(const BenchArguments& arguments, const Case& c, const std::vector<ChainFigures>& all,
          BenchReport& report) {
  Plot separation{.title = c.name + ": separation of the joints",
                  .subtitle = "dt = 1/60 s",
                  .x_label = "time (s)",
                  .y_label = "largest separation (m)",
                  .log_y = true};
  Plot energy{.title = c.name + ": change of the energy",
              .subtitle = "dt = 1/60 s; over the energy exchanged",
              .x_label = "time (s)",
              .y_label = "| E - E(0) | / scale",
              .log_y = true};
  for (const ChainFigures& f : all) {
    if (f.time.empty()) continue;
    const std::string label = fmt::format("{}: {}", f.engine, f.variant);
    std::vector<double> change = f.energies;
    for (double& value : change) value = std::abs(value);
    separation.series.push_back({label, f.time, f.separations});
    energy.series.push_back({label, f.time, std::move(change)});
  }
  report.plot(arguments, fmt::format("payload-{}-separation.svg", c.key), separation);
  report.plot(arguments, fmt::format("payload-{}-energy.svg", c.key), energy);
}

// ---- what runs

std::vector<Case> payload_cases() {
  return {{"ball", "50 links, ball joints, 1000 kg", {}, {.loss = 0.02, .speed = 150}},
          {"hinge", "50 links, hinges, 1000 kg", {.joint = "hinge"}, {.loss = 0.08, .speed = 100}},
          {"light",
           "50 links of 0.1 kg, ball joints, 1000 kg",
           {.link_mass = 0.1},
           {.loss = 0.02, .speed = 150}}};
}

std::vector<Case> long_cases() {
  std::vector<Case> cases;
  for (const int links : {128, 512, 2048})
    cases.push_back({fmt::format("{}", links),
                     fmt::format("{} links, ball joints, no payload", links),
                     {.links = links, .payload = 0.0},
                     {}});
  return cases;
}

/// Of each engine its default, and what it has for hard chains.
const std::vector<PeerVariant>& payload_variants() {
  static const std::vector<PeerVariant> variants = {
      {.program = "bullet_chain", .options = {}},
      {.program = "bullet_chain_float64", .options = {}, .plotted = true},
      {.program = "bullet_chain_float64", .options = {"--iterations", "100"}},
      {.program = "bullet_chain_float64", .options = {"--solver", "dantzig"}},
      {.program = "bullet_chain_float64", .options = {"--solver", "multibody-default"}},
      {.program = "bullet_chain_float64", .options = {"--solver", "multibody"}, .plotted = true},
      {.program = "ode_chain", .options = {}, .plotted = true},
      {.program = "ode_chain", .options = {"--erp", "0.8"}},
      {.program = "ode_chain", .options = {"--solver", "quick"}},
      {.program = "ode_chain", .options = {"--solver", "quick", "--iterations", "100", "--erp", "0.8"}},
      {.program = "mujoco_chain.py", .options = {}, .plotted = true},
      {.program = "mujoco_chain.py", .options = {"--integrator", "implicit"}},
      {.program = "mujoco_chain.py", .options = {"--integrator", "RK4"}},
      {.program = "mujoco_chain.py", .options = {"--solver", "connect"}, .plotted = true},
      {.program = "mujoco_chain.py", .options = {"--solver", "stiff"}},
      {.program = "mujoco_chain.py", .options = {"--solver", "stiff", "--integrator", "RK4"}}};
  return variants;
}

/// Where one step costs the cube of the number of links, the longest chains are not tried.
const std::vector<PeerVariant>& long_variants() {
  static const std::vector<PeerVariant> variants = {
      {.program = "bullet_chain_float64", .options = {}},
      {.program = "bullet_chain_float64", .options = {"--iterations", "100"}},
      {.program = "bullet_chain_float64", .options = {"--solver", "multibody"}},
      {.program = "ode_chain", .options = {"--erp", "0.8"}, .max_links = 512},
      {.program = "ode_chain", .options = {"--solver", "quick"}},
      {.program = "mujoco_chain.py", .options = {}, .max_links = 512},
      {.program = "mujoco_chain.py", .options = {"--solver", "connect"}}};
  return variants;
}

/// The ways that hold at some step, for the question which one.
const std::vector<PeerVariant>& step_variants() {
  static const std::vector<PeerVariant> variants = {
      {.program = "bullet_chain_float64", .options = {"--solver", "multibody"}},
      {.program = "ode_chain", .options = {"--erp", "0.8"}},
      {.program = "mujoco_chain.py", .options = {}},
      {.program = "mujoco_chain.py", .options = {"--solver", "stiff"}},
      {.program = "mujoco_chain.py", .options = {"--solver", "stiff", "--integrator", "RK4"}}};
  return variants;
}

class PayloadBench {
 public:
  PayloadBench(const BenchArguments& arguments, BenchReport& report)
      : arguments_(arguments), report_(report), peers_(arguments.peers, arguments.python) {}

  void run() {
    const std::string what =
        "dt = 1/60 s, 10 s, from the horizontal with 0.5 rad/s about the vertical; energies over the largest "
        "kinetic or exchanged potential energy of Catena's run; × real time by processor time";
    run_all("payload", "Chains with a payload: " + what, payload_cases(), payload_variants());
    run_all("long", "Long chains of 1 kg links: " + what, long_cases(), long_variants());
    if (scale_ > 0 && std::any_of(step_variants().begin(), step_variants().end(),
                                  [&](const PeerVariant& variant) { return peers_.has(variant); }))
      find_steps();
    if (peers_.missing().empty() && peers_.versions().empty()) return;
    report_.section("peers", "Peers, programs in bench/peers");
    if (!peers_.versions().empty()) report_.note(peers_.versions());
    for (const std::string& line : peers_.missing()) report_.note(line);
  }

 private:
  bool is_wanted(const Case& c) const { return arguments_.chain.empty() || arguments_.chain == c.key; }

  void run_all(const char* key, const std::string& title, const std::vector<Case>& cases,
               const std::vector<PeerVariant>& variants) {
    if (std::none_of(cases.begin(), cases.end(), [&](const Case& c) { return is_wanted(c); })) return;
    report_.section(key, title);
    for (const Case& c : cases)
      if (is_wanted(c)) compare(c, variants);
  }

  void compare(const Case& c, const std::vector<PeerVariant>& variants) {
    const CatenaRun ours = run_catena(c.chain);
    if (c.key == "ball") scale_ = ours.scale;
    std::vector<ChainFigures> all = {ours.figures};
    Progress progress(0, double(variants.size()), false, c.name, "variants of peers");
    for (PeerVariant variant : variants) {
      variant.plotted = variant.plotted && !arguments_.svg.empty();
      const auto figures = peers_.run(variant, {c.chain, kPayloadFrame, kDuration, ours.scale, kPatience});
      if (!figures) continue;
      all.push_back(*figures);
      progress.update(double(all.size() - 1));
    }
    progress.finish();
    report_.note(fmt::format("{}; energy scale {}; hash of Catena's last state {:016x}", c.name,
                             energy_text(ours.scale), ours.hash));
    std::vector<std::vector<Cell>> rows = {row_of(ours.figures), row_of(c.target)};
    for (std::size_t i = 1; i < all.size(); ++i) rows.push_back(row_of(all[i]));
    report_.table(c.key, kHeading, rows);
    check(c, ours, report_);
    if (c.chain.payload > 0) draw(arguments_, c, all, report_);
  }

  /// The longest step, 1/60 s divided by powers of two, at which a peer holds the chain with ball joints.
  void find_steps() {
    constexpr double kSeparation = 1e-3, kEnergy = 0.02;  // m, of the scale
    report_.section(
        "steps",
        "Longest steps at which the others hold 1000 kg on ball joints for 10 s: joints within 1 mm, "
        "energy within 2 %");
    std::vector<std::vector<Cell>> rows;
    Progress progress(0, double(step_variants().size()), false, "steps", "variants of peers");
    for (const PeerVariant& variant : step_variants()) {
      progress.update(double(rows.size()));
      for (int parts = 8; parts <= kSmallestPart; parts *= 2) {
        const auto f = peers_.run(variant, {{}, kPayloadFrame / parts, kDuration, scale_, 4 * kPatience});
        if (!f) break;
        const bool within = f->separation <= kSeparation && f->rise <= kEnergy && f->loss <= kEnergy;
        const bool apart = f->outcome.starts_with("came apart");
        if ((!within || apart) && parts < kSmallestPart) continue;
        rows.push_back({cell(f->engine), cell(f->variant),
                        cell(within && !apart ? fmt::format("1/{}", 60 * parts) : "none of them"),
                        figure(f->separation, "{:.1e}"), percent(f->rise), percent(f->loss),
                        figure(f->real_time_factor, "{:.3g}"), cell(f->outcome)});
        break;
      }
    }
    report_.table(
        "steps",
        {"engine", "variant", "step (s)", "separation (m)", "rise", "most loss", "× real time", "outcome"},
        rows);
  }

  const BenchArguments& arguments_;
  BenchReport& report_;
  Peers peers_;
  double scale_ = 0;  // of the chain with ball joints, J
};

}  // namespace

void bench_payload(const BenchArguments& arguments, BenchReport& report) {
  PayloadBench(arguments, report).run();
}

}  // namespace catena::app
