// Mechanisms in one line, for tests and benchmarks.
#pragma once

#include "catena/catena.h"

#include <cstdlib>
#include <random>

namespace catena::test {

/// How many times as long things may take under the sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kSlowness = 30.0;
#else
inline constexpr double kSlowness = 1.0;
#endif

inline constexpr double kGravity = 9.81;  // what models have unless told otherwise, m/s²

/// Closed forms hold in all coordinates: the tests of analytic/ run once more in those that CATENA_TEST_FORMULATION names (tests/CMakeLists.txt).
inline Simulation simulate(Model model, Options options = {}) {
  if (const char* asked = std::getenv("CATENA_TEST_FORMULATION");
      asked != nullptr && options.formulation == Formulation::automatic &&
      options.solver == Solver::automatic)
    options.formulation = formulation_from(asked).value();
  return Simulation(std::move(model), options);
}

/// For tests that read accelerations of bodies.
inline Simulation simulate_bodies(Model model, Options options = {}) {
  options.formulation = Formulation::maximal;
  return Simulation(std::move(model), options);
}

/// A rod of length l between two points, hanging on nothing yet.
inline BodyId add_rod(Model& model, const std::string& name, const Vec3& from, const Vec3& to,
                      double mass = 1.0) {
  const Vec3 axis = to - from;
  return model.add(name, rod(mass, axis.norm()),
                   {.position = 0.5 * (from + to), .orientation = rotation_between(Vec3::UnitX(), axis)});
}

struct ChainOptions {
  int links = 10;
  double length = 0.1;   // of a link, m
  double mass = 1.0;     // of a link, kg
  bool hinges = false;   // about y; else ball joints
  double angle = 0.0;    // below horizontal, rad
  double bend = 0.0;     // random bends up to this, rad (about y for hinges, about y and z for balls)
  double payload = 0.0;  // kg at the free end
  bool anchored = true;  // first link to the world
  unsigned seed = 1;
};

inline Model make_chain(const ChainOptions& o) {
  Model model;
  std::mt19937 random(o.seed);
  std::uniform_real_distribution<double> bend(-o.bend, o.bend);
  Vec3 end = Vec3::Zero();
  BodyId previous = world;
  double pitch = o.angle, yaw = 0.0;
  for (int i = 0; i < o.links; ++i) {
    if (o.bend > 0.0) {
      pitch = o.angle + bend(random);
      yaw = o.hinges ? 0.0 : bend(random);
    }
    const Quat q =
        Quat(Eigen::AngleAxisd(yaw, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(pitch, Vec3::UnitY()));
    const Vec3 axis = q * Vec3(o.length, 0, 0);
    const BodyId link = model.add("link" + std::to_string(i), rod(o.mass, o.length),
                                  {.position = end + 0.5 * axis, .orientation = q});
    if (i > 0 || o.anchored) {
      const AttachmentPair at = model.join(link, previous, end, Vec3::UnitY());
      model.add("joint" + std::to_string(i), o.hinges ? hinge(at) : ball(at));
    }
    end += axis;
    previous = link;
  }
  if (o.payload > 0.0) {
    const BodyId load = model.add("payload", sphere(o.payload, 0.3), {.position = end});
    model.add("hook", ball(model.join(load, previous, end)));
  }
  return model;
}

/// Random velocities made consistent with the constraints.
inline void stir(Simulation& sim, unsigned seed, double speed = 1.0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, speed);
  State state = sim.state();
  for (double& v : state.v) v = normal(random);
  sim.set_state(state);
  const StepReport report = sim.project();
  if (!report.ok()) throw std::runtime_error("stir: " + report.message);
}

/// Runs to `end` with equal steps that hit it exactly; throws with the message when a step is refused.
inline void run(Simulation& sim, double end, double dt) {
  const long steps = std::lround((end - sim.time()) / dt);
  for (long k = 0; k < steps; ++k) {
    const StepReport report = sim.step(dt);
    if (!report.ok()) throw std::runtime_error(report.message);
  }
}

/// Whether a message has these words.
inline bool says(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

/// The angular velocity in body axes.
inline Vec3 body_rate(const Simulation& sim, BodyId body) {
  const Placement at = sim.placement(body);
  return at.orientation.conjugate() * at.angular_velocity;
}

}  // namespace catena::test
