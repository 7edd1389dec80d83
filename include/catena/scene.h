// Scenes: models in YAML or JSON files, with parameters, generators, options and probes (docs/scene-format.md).
//
//   Scene scene = load_scene("examples/crane.yaml", {{"links", "50"}});
//   Simulation sim = make_simulation(scene);
//
// A program: examples/cpp/scene_to_files.cpp
#pragma once

#include "catena/simulation.h"

#include <map>

namespace CATENA_API catena {

/// A named quantity to record: one number, or several with a name each.
struct Probe {
  std::string name;
  std::string quantity;  // the `quantity` key, for headings
  std::string unit;
  int size = 1;
  std::vector<std::string> components;  // their names, "x", "y", "z" for vectors; empty when size is 1
  std::function<void(const Simulation&, double* out)> read;
  std::vector<std::function<double(double time)>> analytic =
      {};                                       // what it should be, one per component; or none
  std::vector<std::string> analytic_text = {};  // the same as it was written
};

/// A joint that is removed when it carries more than it can.
struct Breakable {
  ConstraintId joint;
  double force = 0.0;   // N
  double torque = 0.0;  // N·m
};

/// What is sampled while the scene runs (Simulation::add_controller).
struct SceneController {
  std::string name;
  double period = 0.0;                                     // s
  std::function<std::function<void(Simulation&)>()> make;  // a fresh one for every simulation
};

struct Scene {
  std::string title, description;
  Model model;
  Options options;
  double dt = 1e-3;            // s
  double duration = 10.0;      // s
  bool project_start = false;  // bring the start onto the constraints before the first step
  std::vector<Probe> probes;
  std::vector<SceneController> controllers;
  std::vector<Event> events;
  std::vector<std::string> stop_at;  // names of the events that end a run
  std::vector<Breakable> breakable;
  std::map<std::string, std::string> parameters;  // final values, after --set
  std::vector<std::filesystem::path> files;       // that it was read from, with all it includes
};

/// Reads a scene. Throws InvalidInput with file, line, column, path, value and remedy for every error.
Scene load_scene(const std::filesystem::path& file, const std::map<std::string, std::string>& set = {});
/// The same from text; `name` stands for the file in messages, includes are not allowed.
Scene parse_scene(const std::string& text, const std::string& name = "scene",
                  const std::map<std::string, std::string>& set = {});
/// A scene as one JSON object that can be edited and read again: included files are merged into it, comments are gone, expressions
/// stay as they are. What it says is not checked. Throws InvalidInput when it cannot be read at all.
std::string scene_as_json(const std::filesystem::path& file);
std::string scene_text_as_json(const std::string& text, const std::string& name = "scene");
/// A simulation at the scene's start, projected onto the constraints when it asks for that. Throws InvalidInput.
Simulation make_simulation(const Scene& scene);
/// JSON Schema of the format, as published in docs/.
std::string scene_schema();

/// A number from an arithmetic expression ("2*pi*sqrt(l/g)"); throws InvalidInput.
double evaluate_expression(const std::string& text, const std::map<std::string, double>& variables = {});

}  // namespace catena
