// catena assemble: closes a mechanism from a rough start, and shows how it can move.
#include "catena/analysis.h"
#include "catena/output.h"
#include "command.h"
#include "shared/outputs.h"
#include "shared/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

struct AssembleArguments {
  SceneArguments scene;
  std::string out, svg;
  bool json = false, dof = false;
  int animate = 0;
  double amount = 0.5;
};

// The section `initial` of a scene, so that the file can be included in it.
std::string initial_section(const Simulation& sim) {
  std::string out =
      "# Start values that satisfy all constraints; include this file, or paste it into the "
      "scene.\ninitial:\n  bodies:\n";
  for (const BodyEntry& entry : sim.model().bodies()) {
    const Placement p = sim.placement(entry.id);
    out += fmt::format(
        "    - {{body: {}, position: [{:.17g}, {:.17g}, {:.17g}], velocity: [{:.17g}, {:.17g}, {:.17g}]",
        entry.name, p.position.x(), p.position.y(), p.position.z(), p.velocity.x(), p.velocity.y(),
        p.velocity.z());
    if (entry.body->has_orientation()) {
      const Quat& r = p.orientation;
      out += fmt::format(
          ", quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}], angular_velocity: [{:.17g}, {:.17g}, {:.17g}]",
          r.w(), r.x(), r.y(), r.z(), p.angular_velocity.x(), p.angular_velocity.y(), p.angular_velocity.z());
    }
    out += "}\n";
  }
  return out;
}

// Film strip of the mechanism moving to and fro along one direction.
std::string animate(const Simulation& sim, const Scene& scene, const DofDirection& direction, double amount) {
  FilmStrip film;
  constexpr int kFrames = 7;
  Simulation copy(scene.model, scene.options);
  for (int k = 0; k < kFrames; ++k) {
    const double way = amount * (2.0 * k / (kFrames - 1) - 1.0);
    const std::optional<State> state = move_along(sim, direction, way);
    if (!state) continue;
    State timed = *state;
    timed.time = k;
    copy.set_state(timed);
    film.snapshot(copy);
  }
  return film.render({.title = direction.summary});
}

int run_assemble(const AssembleArguments& arguments) {
  const Scene scene = load(arguments.scene);
  Simulation sim(scene.model, scene.options);
  const AssemblyReport report = assemble(sim);
  std::vector<DofDirection> directions;
  if (report.is_closed && (arguments.dof || arguments.animate > 0)) directions = dof_directions(sim);
  if (arguments.json) {
    Json json = {{"closed", report.is_closed},
                 {"iterations", report.iterations},
                 {"start_error", report.start_error},
                 {"error", report.error},
                 {"velocity_change", report.velocity_change},
                 {"message", report.message}};
    if (arguments.dof) {
      json["dof"] = Json::array();
      for (const DofDirection& d : directions)
        json["dof"].push_back({{"summary", d.summary},
                               {"velocity", std::vector<double>(d.velocity.begin(), d.velocity.end())}});
    }
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", scene.title.empty() ? arguments.scene.file : scene.title);
    fmt::print("  start        off by {:.3g}\n", report.start_error);
    if (report.is_closed)
      fmt::print("  closed       to {:.2g} in {} iterations; velocities changed by at most {:.3g}\n",
                 report.error, report.iterations, report.velocity_change);
    else
      fmt::print("  not closed   {}\n", report.message);
    for (std::size_t k = 0; k < directions.size(); ++k)
      fmt::print("  {:<13}{}. {}\n", k == 0 ? "can move" : "", k + 1, directions[k].summary);
    if (arguments.dof && report.is_closed && directions.empty()) fmt::print("  can move     not at all\n");
  }
  if (!report.is_closed) return kRefused;
  if (!arguments.out.empty()) {
    Outputs outputs;
    for (const std::filesystem::path& file : scene.files) outputs.reads(file);
    outputs.writes("--out", arguments.out);
    outputs.check();
    write_text(arguments.out, initial_section(sim));
  }
  if (arguments.animate > 0) {
    if (arguments.animate > int(directions.size()))
      reject("option --animate", fmt::format("there is no direction {}", arguments.animate),
             fmt::format("the mechanism has {} of them", directions.size()));
    const std::filesystem::path folder = arguments.svg.empty() ? "out" : arguments.svg;
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / fmt::format("direction-{}.svg", arguments.animate);
    write_text(file, animate(sim, scene, directions[std::size_t(arguments.animate - 1)], arguments.amount));
    if (!arguments.json) fmt::print("  written      {}\n", file.string());
  }
  return kDone;
}

}  // namespace

void add_assemble(CommandLine& line) {
  auto arguments = std::make_shared<AssembleArguments>();
  Subcommand command =
      line.subcommand("assemble", "close all joints from a rough start; list how the mechanism can move");
  add_scene_arguments(command, arguments->scene);
  command.option("--out", arguments->out, "FILE", "write the start values as a scene section");
  command.flag("--dof", arguments->dof, "list the degrees of freedom");
  command.option("--animate", arguments->animate, "K", "draw the motion along the K-th of them");
  command.option("--amount", arguments->amount, "X", "how far, in m or rad of the leading coordinate")
      .with_default_in_help();
  command.option("--svg", arguments->svg, "DIR", "where the drawing goes; default out");
  command.flag("--json", arguments->json, "print one JSON object");
  command.footer(
      "Examples:\n"
      "  catena assemble examples/four-bar.yaml --dof\n"
      "  catena assemble examples/bricard.yaml --animate 1 --amount 0.8 --svg out\n"
      "Exit status: 0 closed, 2 bad input, 3 it could not be closed.");
  command.runs([arguments] { return run_assemble(*arguments); });
}

}  // namespace catena::app
