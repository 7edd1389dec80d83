// catena run: simulate a scene, with progress, summary, rows, pictures and checkpoints.
#include "command.h"
#include "run/record.h"
#include "run/replay.h"
#include "shared/interrupt.h"
#include "shared/outputs.h"
#include "shared/progress.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace catena::app {
namespace {

constexpr long long kDefaultRows = 1000;
constexpr int kMaxBodiesInFile = 50;  // of --bodies auto

struct RunArguments {
  SceneArguments scene;
  std::optional<std::string> time, steps, dt, record_every;  // as written
  std::string out, svg, checkpoint, restore, bodies = "auto";
  ReplayArguments replay;
  bool json = false, quiet = false;
};

Schedule make_schedule(const RunArguments& arguments, const Scene& scene) {
  if (arguments.time && arguments.steps && arguments.dt)
    reject("options --time, --steps and --dt", "only two of them can be chosen",
           "leave one out; it follows from the others");
  Schedule schedule;
  schedule.dt = arguments.dt ? positive_number("--dt", *arguments.dt, kMaxStep) : scene.dt;
  const double duration =
      arguments.time ? positive_number("--time", *arguments.time, kMaxDuration) : scene.duration;
  if (arguments.steps) {
    schedule.steps = whole_number("--steps", *arguments.steps, 1, (long long)kMaxSteps);
    if (arguments.time) schedule.dt = duration / double(schedule.steps);
    schedule.last_dt = schedule.dt;
  } else {
    const double ratio = duration / schedule.dt;
    if (!(ratio <= kMaxSteps))
      reject("number of steps",
             fmt::format("{:g} s in steps of {:g} s are {:.4g} steps", duration, schedule.dt, ratio),
             fmt::format("at most {:g} are taken; choose a larger --dt or a shorter --time", kMaxSteps));
    // whole steps, and a shorter last one when the duration is no multiple of the step
    schedule.steps = std::max(1LL, (long long)std::ceil(ratio - 1e-6));
    const double rest = duration - double(schedule.steps - 1) * schedule.dt;
    schedule.last_dt = std::abs(rest - schedule.dt) < 1e-6 * schedule.dt ? schedule.dt : rest;
  }
  schedule.record_every = arguments.record_every ? whole_number("--record-every", *arguments.record_every, 1,
                                                                (long long)kMaxSteps)
                                                 : std::max(1LL, schedule.steps / kDefaultRows);
  return schedule;
}

bool wants_bodies(const RunArguments& arguments, const Model& model) {
  if (arguments.bodies == "all") return true;
  if (arguments.bodies == "none") return false;
  return model.bodies().size() <= kMaxBodiesInFile;
}

/// Passes on what a step announces, and keeps the largest of what it watches.
void take_note(const StepReport& report, const Simulation& sim, Progress& progress, RunResult& result) {
  if (!report.warning.empty()) {
    result.warnings.push_back(report.warning);
    progress.say("catena: warning: " + report.warning);
  }
  result.max_invented = std::max(result.max_invented, report.invented);
  if (report.omega_dt > result.max_omega_dt) {
    result.max_omega_dt = report.omega_dt;
    result.max_omega_dt_time = sim.time();
  }
}

/// Everything that is recorded at an instant.
struct Sinks {
  RunRecord record;
  FilmStrip film;
  std::unique_ptr<TrajectoryWriter> rows;
  std::optional<Recording> replay;
  bool pictures = false;

  void take(const Simulation& sim, bool row, bool photograph) {
    if (row) {
      record.add(sim);
      if (rows) rows->record(sim);
      if (pictures) film.trace(sim);
    }
    if (pictures && photograph) film.snapshot(sim);
  }
};

/// One step of the schedule. Events cut it short; unless one of them ends the run, what is left of it follows.
StepReport step_through_events(Simulation& sim, double dt, const std::vector<std::string>& stop_at,
                               Progress& progress, RunResult& result) {
  double left = dt;
  for (int events = 1;; ++events) {
    StepReport report = sim.step(left);
    result.internal_steps += report.internal_steps;
    result.rejected_steps += report.rejected_steps;
    result.iterations += report.iterations;
    result.halvings += report.halvings;
    take_note(report, sim, progress, result);
    if (!report.ok() || report.event.empty()) return report;
    result.events.push_back(fmt::format("t = {:.9g} s: {}", sim.time(), report.event));
    progress.say("catena: " + result.events.back());
    result.stopped_by_event = std::find(stop_at.begin(), stop_at.end(), report.event) != stop_at.end();
    left -= report.advanced;
    if (result.stopped_by_event || !(left > 1e-12 * dt)) return report;
    if (events == kMostEvents) {
      report.status = StepReport::Status::refused;
      report.message = too_many_events(report.event, dt);
      return report;
    }
  }
}

/// The same, unless a signal came before or comes while the step is taken: then the state is that of its start, or of an event on the way.
StepReport step_or_stop(Simulation& sim, double dt, const std::vector<std::string>& stop_at,
                        Progress& progress, RunResult& result) {
  try {
    const InterruptScope scope(was_interrupted);
    allow_interruption();
    return step_through_events(sim, dt, stop_at, progress, result);
  } catch (const Interrupted&) {
    result.status = RunStatus::interrupted;
    result.message = fmt::format("interrupted at t = {:.6g} s after {} steps", sim.time(), result.steps);
    return {};
  }
}

void advance(Simulation& sim, const std::vector<std::string>& stop_at, Sinks& sinks, bool quiet,
             RunResult& result) {
  const Schedule& schedule = result.schedule;
  const double end = result.start_time + double(schedule.steps - 1) * schedule.dt + schedule.last_dt;
  Progress progress(result.start_time, end, quiet);
  for (std::string& text : law_breaks(sim, end, schedule.dt)) {
    progress.say("catena: warning: " + text);
    result.warnings.push_back(std::move(text));
  }
  sinks.take(sim, true, true);
  result.max_constraint_error = sim.constraint_error();
  while (result.steps < schedule.steps) {
    const double dt = result.steps + 1 == schedule.steps ? schedule.last_dt : schedule.dt;
    const StepReport report = step_or_stop(sim, dt, stop_at, progress, result);
    if (result.status == RunStatus::interrupted) break;
    if (!report.ok()) {
      result.status = RunStatus::refused;
      result.message = refusal_text(result.steps + 1, sim.time(), report.message);
      break;
    }
    ++result.steps;
    result.max_constraint_error = std::max(result.max_constraint_error, report.constraint_error);
    result.max_residual = std::max(result.max_residual, report.residual);
    if (sinks.replay) sinks.replay->record_if_due(sim);
    if (result.stopped_by_event) break;
    sinks.take(sim, schedule.is_recorded(result.steps), schedule.is_photographed(result.steps));
    progress.update(sim.time());
  }
  if (sinks.replay) sinks.replay->record(sim);
  // a run that ends early still shows how it ended
  if (result.status != RunStatus::done || result.stopped_by_event)
    sinks.take(sim, !schedule.is_recorded(result.steps), !schedule.is_photographed(result.steps));
}

void conclude(const Simulation& sim, const Scene& scene, const Sinks& sinks, RunResult& result) {
  if (const double limit = sim.options().warn_growth;
      result.status == RunStatus::done && result.max_invented > limit) {
    result.status = RunStatus::worthless;
    result.message = fmt::format(
        "the numerical energy reached {:.3g} times the energy that the start and all sources explain (limit "
        "{:g}): the motion is not to be trusted; use a smaller --dt, or --integrator bdf2",
        result.max_invented, limit);
  }
  result.time = sim.time();
  result.choice = sim.choice();
  result.final = sim.energy();
  result.energy_scale = sinks.record.scale();
  result.max_numerical = sinks.record.max_numerical();
  result.most_lost = sinks.record.lowest_numerical();
  result.most_invented = sinks.record.highest_numerical();
  result.max_drift = result.max_numerical > 0 ? result.max_numerical / result.energy_scale : 0.0;
  result.final_constraint_error = sim.constraint_error();
  result.ledger = sim.ledger();
  result.numerical = sim.numerical_energy();
  result.hash = sim.hash();
  for (const Probe& probe : scene.probes) {
    std::vector<double> values(std::size_t(probe.size), 0.0);
    probe.read(sim, values.data());
    result.probes.emplace_back(probe, std::move(values));
  }
}

/// Before the run: a path that cannot be written should not cost a long simulation. A checkpoint may go where it came from.
void check_outputs(const RunArguments& arguments, const Scene& scene) {
  Outputs outputs;
  for (const std::filesystem::path& file : scene.files) outputs.reads(file);
  if (arguments.restore != arguments.checkpoint && !arguments.restore.empty())
    outputs.reads(arguments.restore);
  outputs.writes("--out", arguments.out);
  outputs.writes("--checkpoint", arguments.checkpoint);
  outputs.writes("--html", arguments.replay.html);
  outputs.writes("--gltf", arguments.replay.gltf);
  outputs.writes("--png", arguments.replay.png);
  outputs.writes("--mp4", arguments.replay.mp4);
  if (!arguments.svg.empty())
    for (const char* picture : kRunPictures)
      outputs.writes("--svg", std::filesystem::path(arguments.svg) / picture);
  outputs.check();
}

int run(const RunArguments& arguments) {
  const Scene scene = load(arguments.scene);
  RunResult result;
  result.schedule = make_schedule(arguments, scene);
  check_outputs(arguments, scene);
  Simulation sim = make_simulation(scene);
  if (!arguments.restore.empty()) sim.load(arguments.restore);
  result.start_time = sim.time();
  result.initial = sim.energy();

  Sinks sinks{RunRecord(sim), {}, nullptr, {}, !arguments.svg.empty()};
  CheckReport at_start;
  if (arguments.replay.any()) {
    check_replay(arguments.replay);
    at_start = check(sim, 0);
    sinks.replay.emplace(start_recording(arguments.replay, sim, scene, result.schedule));
  }
  if (!arguments.out.empty())
    sinks.rows =
        open_trajectory(arguments.out, sim, scene.probes, {.bodies = wants_bodies(arguments, scene.model)});
  {
    const Interruptible interruptible;
    const auto start = std::chrono::steady_clock::now();
    advance(sim, scene.stop_at, sinks, arguments.quiet, result);
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  conclude(sim, scene, sinks, result);

  if (sinks.rows) {
    sinks.rows->close();
    result.files.push_back(fmt::format("{} ({} rows)", arguments.out, sinks.rows->rows()));
  }
  const std::string title =
      scene.title.empty() ? std::filesystem::path(arguments.scene.file).stem().string() : scene.title;
  if (sinks.pictures)
    for (std::string& file : write_pictures(arguments.svg, title, result, sinks.record, sinks.film))
      result.files.push_back(std::move(file));
  if (sinks.replay)
    for (std::string& file : write_replay(arguments.replay, *sinks.replay, sim, scene,
                                          {.title = title,
                                          .file = arguments.scene.file,
                                          .summary = summary_json(title, sim, result),
                                          .check = at_start,
                                          .quiet = arguments.quiet}))
      result.files.push_back(std::move(file));
  if (!arguments.checkpoint.empty()) {
    sim.save(arguments.checkpoint);
    result.files.push_back(arguments.checkpoint);
  }

  if (arguments.json)
    fmt::print("{}\n", summary_json(title, sim, result));
  else if (!arguments.quiet && (result.steps > 0 || result.status == RunStatus::done))
    fmt::print("{}", summary_text(title, sim, result));
  else if (!arguments.quiet)  // of nothing there is no summary
    for (const std::string& file : result.files) fmt::print("written {}\n", file);
  if (result.status == RunStatus::done) return kDone;
  fmt::print(stderr, "catena: {}: {}\n", result.status == RunStatus::interrupted ? "note" : "error",
             result.message);
  if (result.status == RunStatus::worthless) return kWorthless;
  return result.status == RunStatus::refused ? kRefused : interruption_status();
}

}  // namespace

void add_run(CommandLine& line) {
  auto arguments = std::make_shared<RunArguments>();
  Subcommand command = line.subcommand("run", "simulate a scene");
  add_scene_arguments(command, arguments->scene);
  const auto option = [&](const char* flag, auto& value, const char* type, const char* help) {
    return command.option(flag, value, type, help);
  };
  option("--integrator", arguments->scene.integrator, "NAME",
         "automatic, rattle, rk4, dormand-prince, symplectic-euler, first-order, moreau-jean; implicit: "
         "bdf2, tr-bdf2, "
         "generalised-alpha, backward-euler, linearised-euler");
  option("--drift", arguments->scene.drift, "NAME",
         "what keeps constraints in rk4, dormand-prince and symplectic-euler: projection, feedback, "
         "feedback-after or none");
  option("--tolerance", arguments->scene.tolerance, "NUMBER", "dormand-prince: error of an internal step");
  option("--time", arguments->time, "SECONDS", "how long to simulate (default: as the scene says)");
  option("--steps", arguments->steps, "N", "how many steps to take; with --time, the step follows");
  option("--dt", arguments->dt, "SECONDS", "time step; expressions such as 1/240 are understood");
  option("--out", arguments->out, "FILE",
         "record time, energies, constraint error, probes and bodies: FILE.csv, or FILE.npz for NumPy");
  option("--bodies", arguments->bodies, "WHICH", "bodies in that file: all, none, or auto (up to 50 bodies)")
      .one_of({"all", "none", "auto"});
  option("--record-every", arguments->record_every, "N",
         "steps between recorded rows (default: about 1000 rows)");
  option("--svg", arguments->svg, "DIR", "write energy.svg, constraint-error.svg and film-strip.svg there");
  add_replay_options(command, arguments->replay);
  option("--checkpoint", arguments->checkpoint, "FILE", "save the state at the end");
  option("--restore", arguments->restore, "FILE",
         "continue from a saved state; --time then counts from there");
  command.flag("--json", arguments->json, "print one JSON object instead of the summary");
  command.flag("--quiet", arguments->quiet, "no progress and no summary; warnings and errors remain");
  command.footer(
      "Examples:\n"
      "  catena run examples/crane.yaml --out out/crane.csv --svg out\n"
      "  catena run examples/crane.yaml --html out/crane.html --png out/crane.png --at 2\n"
      "  catena run examples/chain.yaml --set links=1000 --set joint=hinge --time 1\n"
      "  catena run examples/double-pendulum.yaml --integrator rk4 --dt 1/2000 --json\n"
      "Exit status: 0 done, 2 bad input, 3 a step was refused (what had been computed is written), 4 done "
      "but "
      "worthless: more energy was invented than there was, 130 or 143 interrupted by SIGINT (Ctrl-C) or "
      "SIGTERM.");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace catena::app
