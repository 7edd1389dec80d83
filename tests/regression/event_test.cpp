// Events of scenes: blows, at a time or where a probe passes a value.
#include "catena/scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace catena {
namespace {

/// A rod of 1 kg and 1 m, hinged at the origin, without gravity: I = 1/3 kg·m².
std::string rod(const std::string& events) {
  return "gravity: [0, 0, 0]\n"
         "bodies: [{name: rod, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}]\n"
         "joints: [{name: pivot, kind: hinge, a: rod, point: [0, 0, 0], axis: [0, 0, 1]}]\n"
         "probes:\n"
         "  - {name: angle, quantity: angle, body: rod}\n"
         "  - {name: spin, quantity: angular-velocity, body: rod, component: z}\n" +
         events;
}

double read(const Scene& scene, const Simulation& sim, std::size_t probe) {
  double value = 0.0;
  scene.probes[probe].read(sim, &value);
  return value;
}

/// Steps of dt until `end`; names of the events on the way.
std::vector<std::string> run_until(Simulation& sim, double end, double dt) {
  std::vector<std::string> names;
  while (sim.time() < end - 1e-9) {
    const StepReport report = sim.step(std::min(dt, end - sim.time()));
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    if (!report.event.empty()) names.push_back(report.event);
  }
  return names;
}

TEST(Events, ABlowAtATimePassesThroughTheJointsAndIsBooked) {
  const Scene scene = parse_scene(rod(
      "events: [{name: blow, time: 0.1003, impulse: {body: rod, point: [1, 0, 0], impulse: [5, 2, 7]}}]\n"));
  for (const Integrator integrator :
       {Integrator::rattle, Integrator::rk4, Integrator::bdf2, Integrator::dormand_prince}) {
    Scene chosen = scene;
    chosen.options.integrator = integrator;
    Simulation sim = make_simulation(chosen);
    const auto names = run_until(sim, 0.2, 0.01);
    EXPECT_EQ(names, std::vector<std::string>{"blow"});
    // ω = p L / I = 6 rad/s, from the moment of the blow on; the hinge takes the rest
    const double error = traits(integrator).order == 2 ? 1e-3 : 1e-7;  // of the steps after it
    EXPECT_NEAR(read(scene, sim, 1), 6.0, error) << name(integrator);
    EXPECT_NEAR(read(scene, sim, 0), 6.0 * (0.2 - 0.1003), error) << name(integrator);
    EXPECT_NEAR(sim.ledger()[Account::impulses], 6.0, 1e-9);
    EXPECT_NEAR(sim.numerical_energy(), 0.0, error);
  }
}

TEST(Events, ABlowWhereAProbePassesAValueIsGivenInTheAxesOfTheBody) {
  const Scene scene = parse_scene(
      rod("events:\n"
          "  - {name: start, time: 0, impulse: {body: rod, point: [1, 0, 0], impulse: [0, 1, 0]}}\n"
          "  - {name: stop, probe: angle, rises_above: 0.75,\n"
          "     impulse: {body: rod, point: [0.5, 0, 0], impulse: [0, -2, 0], axes: body}}\n"));
  Simulation sim = make_simulation(scene);
  EXPECT_EQ(run_until(sim, 0.6, 0.01), (std::vector<std::string>{"start", "stop"}));
  EXPECT_NEAR(read(scene, sim, 1), 0.0, 1e-9);
  EXPECT_NEAR(read(scene, sim, 0), 0.75, 1e-9);
  EXPECT_NEAR(sim.ledger()[Account::impulses], 0.0, 1e-9);
}

TEST(Events, RunsWithBlowsContinueBitForBit) {
  const Scene scene = parse_scene(
      rod("forces: [{kind: spring, a: rod, point_a: [1, 0, 0], point_b: [1, 1, 0], stiffness: 30}]\n"
          "events:\n"
          "  - {name: first, time: 0, impulse: {body: rod, point: [1, 0, 0], impulse: [0, 1, 0]}}\n"
          "  - {name: second, time: 0.045, impulse: {body: rod, point: [1, 0, 0], impulse: [0, -3, 0]}}\n"));
  const auto file = std::filesystem::temp_directory_path() / fmt::format("catena-blow-{}", ::getpid());
  for (const Integrator integrator : {Integrator::rattle, Integrator::bdf2}) {
    Scene chosen = scene;
    chosen.options.integrator = integrator;
    Simulation whole = make_simulation(chosen);
    run_until(whole, 0.1, 0.01);
    for (const double saved_at : {0.02, 0.045, 0.07}) {
      Simulation first = make_simulation(chosen);
      while (first.time() < saved_at - 1e-9)
        ASSERT_TRUE(
            first.step(std::min(0.01, std::ceil(100.0 * first.time() + 1e-6) / 100.0 - first.time())).ok());
      first.save(file);
      Simulation second = make_simulation(chosen);
      second.load(file);
      EXPECT_EQ(second.hash(), first.hash());
      run_until(first, 0.1, 0.01);
      const auto names = run_until(second, 0.1, 0.01);
      EXPECT_EQ(names.size(), saved_at < 0.045 ? 1U : 0U);  // what has happened does not happen again
      EXPECT_EQ(second.hash(), first.hash()) << saved_at;
      EXPECT_NEAR(read(scene, second, 0), read(scene, whole, 0), 1e-2);
    }
  }
  std::filesystem::remove(file);
}

TEST(Events, MistakesAreNamedWithTheirPlace) {
  const auto complaint = [](const std::string& event) -> std::string {
    try {
      (void)parse_scene(rod("events: [" + event + "]\n"));
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(complaint("{name: a}").find("waits for nothing"), std::string::npos) << complaint("{name: a}");
  EXPECT_NE(complaint("{name: a, time: 1, probe: angle}").find("time"), std::string::npos);
  EXPECT_NE(complaint("{name: a, time: 1, crosses: 2}").find("no probe to compare"), std::string::npos);
  EXPECT_NE(complaint("{name: a, time: 1, impulse: {body: nobody, impulse: [1, 0, 0]}}").find("nobody"),
            std::string::npos);
  EXPECT_NE(complaint("{name: a, time: 1, impulse: {body: world, impulse: [1, 0, 0]}}").find("does not move"),
            std::string::npos);
  EXPECT_NE(complaint("{name: a, time: 1, impulse: {body: rod}}").find("impulse"), std::string::npos);
}

}  // namespace
}  // namespace catena
