// catena converge: the same scene with ever smaller steps; how fast the results converge, and to what.
//
// Every level halves the step of the one before, so that all levels meet the instants of the coarsest. An integrator
// that chooses its steps gets a tolerance that shrinks by a decade per level instead. Costs 2^levels - 1 times a run.
#include "study/converge.h"

#include "command.h"
#include "shared/interrupt.h"
#include "shared/progress.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace catena::app {
namespace {

constexpr long long kMaxInstants = 1000;
constexpr double kMaxNumbers = 1e7;  // that a level leaves for the comparison: 80 MB
constexpr double kFirstTolerance = 1e-4;
constexpr int kAdaptiveInstants = 20;

struct ConvergeArguments {
  SceneArguments scene;
  std::optional<std::string> time, dt;
  std::string levels = "5", svg;
  bool json = false, quiet = false;
};

/// What distinguishes a level from the scene: its step is passed to step(), its tolerance stands in the options.
void apply(const Level& level, Options& options) {
  if (level.tolerance) options.tolerance = *level.tolerance;
}

std::vector<Level> make_levels(const ConvergeArguments& arguments, const Scene& scene,
                               Integrator integrator) {
  const int count = int(whole_number("--levels", arguments.levels, 3, 20));
  const double duration =
      arguments.time ? positive_number("--time", *arguments.time, kMaxDuration) : scene.duration;
  const bool adaptive = is_adaptive(integrator);
  // an adaptive integrator must be free to take steps longer than those of the scene, or the tolerance decides nothing
  const double default_dt = adaptive ? duration / kAdaptiveInstants : scene.dt;
  const double dt = arguments.dt ? positive_number("--dt", *arguments.dt, kMaxStep) : default_dt;
  const double ratio = std::max(1.0, std::ceil(duration / dt - 1e-6));
  const double total = ratio * (adaptive ? count : std::pow(2.0, count) - 1.0);
  if (!(total <= kMaxSteps))
    reject(
        "number of steps",
        fmt::format("{} levels from {:g} s in steps of {:g} s are {:.4g} steps", count, duration, dt, total),
        fmt::format("at most {:g} are taken; choose a larger --dt, a shorter --time or fewer --levels",
                    kMaxSteps));
  std::vector<Level> levels;
  Level level{.dt = 0.0, .tolerance = {}, .steps = (long long)ratio};
  if (adaptive) level.tolerance = kFirstTolerance;
  for (int k = 0; k < count; ++k) {
    level.dt = duration / double(level.steps);  // whole steps: a shorter last one would spoil the order
    levels.push_back(level);
    if (adaptive)
      *level.tolerance /= 10.0;
    else
      level.steps *= 2;
  }
  return levels;
}

/// The probes of the scene, or the positions of all bodies.
std::vector<Probe> probes_of(const Scene& scene) {
  if (!scene.probes.empty()) return scene.probes;
  std::vector<Probe> probes;
  for (const BodyEntry& entry : scene.model.bodies())
    probes.push_back({.name = entry.name,
                      .quantity = "position",
                      .unit = "m",
                      .size = 3,
                      .components = {"x", "y", "z"},
                      .read = [id = entry.id](const Simulation& sim, double* out) {
                        const Vec3 x = sim.placement(id).position;
                        std::copy(x.data(), x.data() + 3, out);
                      }});
  return probes;
}

/// Takes samples at the common instants.
class Sampler {
 public:
  Sampler(const Simulation& sim, std::span<const Probe> probes) : probes_(probes), record_(sim) {
    for (const BodyEntry& entry : sim.model().bodies()) samples_.mass += entry.body->mass();
    note_sizes(sim);
  }
  void take(const Simulation& sim) {
    for (const Probe& probe : probes_) {
      samples_.values.resize(samples_.values.size() + std::size_t(probe.size), 0.0);
      probe.read(sim, samples_.values.data() + samples_.values.size() - std::size_t(probe.size));
    }
    note_sizes(sim);
  }
  LevelSamples finish() {
    samples_.energy = record_.scale();
    return std::move(samples_);
  }

 private:
  void note_sizes(const Simulation& sim) {
    record_.add(sim);
    for (const BodyEntry& entry : sim.model().bodies())
      samples_.length = std::max(samples_.length, sim.placement(entry.id).position.cwiseAbs().maxCoeff());
  }

  std::span<const Probe> probes_;
  RunRecord record_;
  LevelSamples samples_;
};

/// One step; an event ends it early, and the rest follows.
StepReport step_to(Simulation& sim, double time, double dt) {
  StepReport report = sim.step(dt);
  for (int events = 1; report.ok() && time - sim.time() > 1e-6 * dt; ++events) {
    if (events == kMostEvents) {
      report.status = StepReport::Status::refused;
      report.message = too_many_events(report.event, dt);
      return report;
    }
    report = sim.step(time - sim.time());
  }
  return report;
}

/// Runs one level to its end; false, with the reason in the result, when it was refused.
bool run_level(const Level& level, const std::string& label, long long stride, Simulation& sim,
               Sampler& sampler, bool quiet, ConvergeResult& result) {
  const double start = sim.time();
  Progress progress(start, result.time, quiet, label);
  for (long long done = 1; done <= level.steps; ++done) {
    const StepReport report = step_to(sim, start + double(done) * level.dt, level.dt);
    if (!report.ok()) {
      result.status = RunStatus::refused;
      result.message = fmt::format("{}: {}; a study needs every level to the end: start from a smaller --dt",
                                   label, refusal_text(done, sim.time(), report.message));
      return false;
    }
    if (done % stride == 0 || done == level.steps) sampler.take(sim);
    progress.update(sim.time());
    allow_interruption();
  }
  return true;
}

/// All levels, from the coarsest on, until one is refused. @param stride between samples, in steps of the coarsest
void run_levels(const std::vector<Level>& levels, long long stride, std::span<const Probe> probes, bool quiet,
                Scene& scene, Convergence& convergence, ConvergeResult& result) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Level& level = levels[k];
    const std::string label = fmt::format("level {} of {} ({})", k + 1, levels.size(),
                                          level.tolerance ? fmt::format("tolerance {:.0e}", *level.tolerance)
                                                          : "dt = " + seconds_text(level.dt));
    apply(level, scene.options);
    const auto start = std::chrono::steady_clock::now();
    Simulation sim = make_simulation(scene);
    Sampler sampler(sim, probes);
    if (!run_level(level, label, stride * (level.steps / levels.front().steps), sim, sampler, quiet, result))
      break;
    convergence.add(sampler.finish());
    result.runs.push_back(
        {level, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  }
}

ConvergeResult study(const ConvergeArguments& arguments, Scene scene) {
  ConvergeResult result;
  {
    const Simulation first = make_simulation(scene);
    result.choice = first.choice();
    result.time = first.time();
  }
  result.expected = expectation(result.choice.integrator);
  const std::vector<Level> levels = make_levels(arguments, scene, result.choice.integrator);
  result.expected.asked = levels[levels.size() - 2].tolerance.value_or(0.0);
  const std::vector<Probe> probes = probes_of(scene);
  if (probes.empty())
    reject("scene", "it has neither probes nor bodies, so that nothing can be compared", "add a body");
  result.time += levels.front().dt * double(levels.front().steps);
  Convergence convergence(probes, result.expected);
  const long long coarse = levels.front().steps;
  const long long most = std::clamp((long long)(kMaxNumbers / convergence.width()), 1LL, kMaxInstants);
  const long long stride = (coarse + most - 1) / most;  // in steps of the coarsest level
  result.instants = (coarse + stride - 1) / stride;

  const Interruptible interruptible;
  try {
    const InterruptScope scope(was_interrupted);
    run_levels(levels, stride, probes, arguments.quiet, scene, convergence, result);
  } catch (const Interrupted&) {
    result.status = RunStatus::interrupted;
    result.message = fmt::format("interrupted in level {} of {}", result.runs.size() + 1, levels.size());
  }
  result.studies = convergence.conclude();
  result.verdict = verdict(result.studies, result.expected);
  return result;
}

int run_converge(const ConvergeArguments& arguments) {
  const Scene scene = load(arguments.scene);
  const std::string title =
      scene.title.empty() ? std::filesystem::path(arguments.scene.file).stem().string() : scene.title;
  ConvergeResult result = study(arguments, scene);
  if (!arguments.svg.empty() && result.runs.size() > 1) {
    const auto file = std::filesystem::path(arguments.svg) / "convergence.svg";
    write_text(file, render_plot(converge_plot(title, result)));
    result.files.push_back(file.string());
  }
  if (arguments.json)
    fmt::print("{}\n", converge_json(title, result));
  else if (result.runs.size() > 1)
    fmt::print("{}", converge_text(title, result));
  if (result.status == RunStatus::done) return result.verdict.converged ? kDone : kDisagree;
  fmt::print(stderr, "catena: {}: {}\n", result.status == RunStatus::refused ? "error" : "note",
             result.message);
  return result.status == RunStatus::refused ? kRefused : interruption_status();
}

}  // namespace

void add_converge(CommandLine& line) {
  auto arguments = std::make_shared<ConvergeArguments>();
  Subcommand command =
      line.subcommand("converge", "run a scene with ever smaller steps; order, extrapolated results, errors");
  add_scene_arguments(command, arguments->scene);
  const auto option = [&](const char* flag, auto& value, const char* type, const char* help) {
    return command.option(flag, value, type, help);
  };
  option("--integrator", arguments->scene.integrator, "NAME",
         "automatic, rattle, rk4, dormand-prince, symplectic-euler, first-order, moreau-jean; implicit: "
         "bdf2, tr-bdf2, "
         "generalised-alpha, backward-euler, linearised-euler");
  option("--drift", arguments->scene.drift, "NAME",
         "what keeps constraints in rk4 and symplectic-euler: projection, feedback, feedback-after or none");
  option("--levels", arguments->levels, "N",
         "how many steps to try, each half of the one before, or tolerances, a tenth (default 5)");
  option("--time", arguments->time, "SECONDS", "how long to simulate (default: as the scene says)");
  option("--dt", arguments->dt, "SECONDS",
         "largest step; made a little smaller where it does not divide the time");
  option("--svg", arguments->svg, "DIR", "write convergence.svg there: difference over step");
  command.flag("--json", arguments->json, "print one JSON object");
  command.flag("--quiet", arguments->quiet, "no progress");
  command.footer(
      "Compares all probes of the scene, or the positions of all bodies when it has none.\n"
      "Examples:\n"
      "  catena converge examples/pendulum-a01.yaml --dt 0.01\n"
      "  catena converge examples/slider-crank.yaml --integrator rattle --time 0.5 --levels 6 --svg out\n"
      "Exit status: 0 converged, 1 not converged, 2 bad input, 3 a step was refused, 130 or 143 interrupted "
      "by SIGINT (Ctrl-C) or SIGTERM.");
  command.runs([arguments] { return run_converge(*arguments); });
}

}  // namespace catena::app
