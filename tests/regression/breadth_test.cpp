// Every kind of body and constraint in one model: steps that allocate nothing, and states that cannot be.
#include "catena/catena.h"
#include "support/allocation_counter.h"
#include "support/random_forest.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(EveryKind, StepsDoNotAllocateAfterWarmUp) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince}) {
    int compared = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      test::RandomForest forest(seed, {.bodies = 6, .mass_exponent = 0.0});
      Simulation sim(forest.model, {.integrator = integrator});
      // a random start is on none of its constraints, and not every one finds a way there
      if (!sim.project().ok() || !sim.step(1e-4).ok() || !sim.step(1e-4).ok()) continue;
      const testing::AllocationCounter allocations;
      const StepReport report = sim.step(1e-4);
      EXPECT_EQ(allocations.count(), 0) << name(integrator);
      EXPECT_TRUE(report.ok()) << report.message;
      ++compared;
    }
    EXPECT_GT(compared, 20) << "too few of the random models could be simulated to say anything";
  }
}

TEST(ScaledBody, ShrinkingToNothingIsRefusedByName) {
  Model model;
  model.gravity.setZero();
  const auto body = std::make_shared<ScaledRigid>(1.0, Vec3(0.1, 0.1, 0.1));
  VecX q(8), v(7);
  ASSERT_EQ(body->pack({}, q.data(), v.data()), "");
  v[6] = -1.0;  // s = 1 - t
  model.add_at("shrinking", body, q, v);
  Simulation sim(model);
  ASSERT_TRUE(sim.step(0.9).ok());
  const std::uint64_t before = sim.hash();
  const StepReport report = sim.step(0.2);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("'shrinking'"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("stiffness"), std::string::npos) << report.message;
  EXPECT_EQ(sim.hash(), before);
}

TEST(Drum, ALoadPulledIntoItIsRefusedAndChangesNothing) {
  Model model;
  const BodyId drum =
      model.add("drum", std::make_shared<Rigid>(1.0, Vec3(0.1, 0.1, 0.1)), {.angular_velocity = {0, -1, 0}});
  const BodyId load = model.add("load", std::make_shared<Particle3>(1.0),
                                {.position = {0.2, 0, -0.1}, .velocity = {0, 0, 0.2}});
  model.add("drive", driven_hinge(model.join(drum, world, Vec3::Zero(), Vec3::UnitY()), ramp(0.0, -1.0)));
  model.add("rope", rope_on_drum(model.mark(load, {0.2, 0, -0.1}),
                                 model.mark(drum, Vec3::Zero(), Vec3::UnitY()), 0.2, Winding::left));
  Simulation sim(model);
  StepReport report = sim.step(0.01);
  ASSERT_TRUE(report.ok()) << report.message;
  while (report.ok() && sim.time() < 2.0) report = sim.step(0.01);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("'rope'"), std::string::npos) << report.message;
  EXPECT_GT(sim.time(), 0.4);
  EXPECT_LT(sim.time(), 0.6);
  EXPECT_TRUE(sim.state().q.allFinite() && sim.state().v.allFinite());
}

TEST(Commands, EventsMayRemoveWhatIsWatched) {
  Model model;
  const BodyId mass = model.add("mass", std::make_shared<Particle3>(1.0), {.position = {0, 0, 1}});
  const ForceId spring = model.add("spring", mouse_spring(model.mark(mass, {0, 0, 1}), {0, 0, 2}, 5.0, 0.0));
  Simulation sim(model);
  sim.add_event({.name = "low",
                 .value = [mass](const Simulation& s) { return s.placement(mass).position.z() - 0.5; },
                 .crossing = Event::Crossing::falling,
                 .action = [spring](Simulation& s) { s.edit([spring](Model& m) { m.remove(spring); }); }});
  bool happened = false;
  for (int k = 0; k < 100; ++k) {
    const StepReport report = sim.step(0.01);
    ASSERT_TRUE(report.ok()) << report.message;
    happened = happened || report.event == "low";
  }
  EXPECT_TRUE(happened);
  EXPECT_TRUE(sim.model().forces().empty());
}

TEST(SceneEvents, AProbeStopsTheRunAndRemovesAJoint) {
  const Scene scene = parse_scene(R"(
bodies:
  - {name: bob, kind: particle, mass: 1, position: [1, 0, 0]}
joints:
  - {name: rod, kind: distance, a: bob, point_b: [0, 0, 0], breaks_at: {force: 1000}}
forces:
  - {name: pull, kind: load, a: bob, force: [0, 1, 0]}
probes:
  - {name: height, quantity: position, body: bob, component: z}
events:
  - {name: half way, probe: height, falls_below: -0.5, remove: [pull]}
  - {name: low, probe: height, falls_below: -0.9, stop: true, remove: rod}
)");
  ASSERT_EQ(scene.events.size(), 2u);
  EXPECT_EQ(scene.stop_at, std::vector<std::string>{"low"});
  ASSERT_EQ(scene.breakable.size(), 1u);
  Simulation sim = make_simulation(scene);
  std::vector<std::string> seen;
  while (sim.time() < 2.0 && seen.size() < 2) {
    const StepReport report = sim.step(0.01);
    ASSERT_TRUE(report.ok()) << report.message;
    if (!report.event.empty()) seen.push_back(report.event);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"half way", "low"}));
  EXPECT_TRUE(sim.model().forces().empty() && sim.model().constraints().empty());
  EXPECT_NEAR(sim.placement(*sim.model().find_body("bob")).position.z(), -0.9, 1e-10);
}

TEST(SceneEvents, MistakesAreNamed) {
  const auto message = [](const std::string& event) {
    try {
      parse_scene(
          "bodies: [{name: bob, kind: particle, mass: 1}]\nprobes: [{name: where, quantity: position, body: "
          "bob}, "
          "{name: x, quantity: position, body: bob, component: x}]\nevents: [" +
          event + "]\n");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(message("{name: a, probe: nowhere, crosses: 0}").find("no probe 'nowhere'"), std::string::npos);
  EXPECT_NE(message("{name: a, probe: where, crosses: 0}").find("3 numbers"), std::string::npos);
  EXPECT_NE(message("{name: a, probe: x}").find("no value to wait for"), std::string::npos);
  EXPECT_NE(message("{name: a, probe: x, crosses: 0, remove: gone}").find("'gone'"), std::string::npos);
  EXPECT_NE(message("{name: a, probe: x, crosses: 0, rises_above: 1}").find("rises_above"),
            std::string::npos);
  EXPECT_EQ(message("{name: a, probe: x, crosses: 0}"), "nothing");
}

}  // namespace
}  // namespace catena
