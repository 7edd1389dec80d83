// Closing mechanisms from rough starts, and the directions in which closed ones can move.
#include "catena/analysis.h"
#include "catena/catena.h"
#include "catena/scene.h"

#include <gtest/gtest.h>

#include <random>

namespace catena {
namespace {

Scene example(const std::string& name, const std::map<std::string, std::string>& set = {}) {
  return load_scene(std::string(CATENA_SOURCE_DIR) + "/examples/" + name + ".yaml", set);
}

// Every body displaced and turned at random, velocities too.
void disturb(Simulation& sim, unsigned seed, double size) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  State state = sim.state();
  int q = 0, v = 0;
  for (const BodyEntry& entry : sim.model().bodies()) {
    VecX d(entry.body->num_v());
    for (double& x : d) x = uniform(random);
    entry.body->retract(state.q.data() + q, d.data());
    for (int i = 0; i < entry.body->num_v(); ++i) state.v[v + i] += uniform(random);
    q += entry.body->num_q();
    v += entry.body->num_v();
  }
  sim.set_state(state);
}

TEST(Assembly, ClosesRoughStarts) {
  for (const char* name : {"four-bar", "bricard", "slider-crank-3d", "stewart-platform", "n-four-bar"}) {
    const Scene scene = example(name);
    for (unsigned seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Simulation sim(scene.model, scene.options);
      disturb(sim, seed, 0.05);
      const AssemblyReport report = assemble(sim);
      ASSERT_TRUE(report.is_closed) << report.message;
      EXPECT_GT(report.start_error, 1e-3);
      EXPECT_LT(sim.constraint_error(), 1e-10);
      EXPECT_LT(check(sim, 0).velocity_error, 1e-8);
      EXPECT_TRUE(sim.step(1e-5).ok());
    }
  }
}

TEST(Assembly, SaysWhatCannotBeClosedAndLeavesTheStateAlone) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  const BodyId a = model.add("short-bar", planar_rod(1.0, 1.0), {.position = Vec3(0.5, 0, 0)});
  model.add("left", hinge(model.join(a, world, Vec3(0, 0, 0))));
  // the far end is held 0.5 m beyond its reach
  model.add("right", hinge({Attachment{a, Vec3(0.5, 0, 0)}, Attachment{world, Vec3(1.5, 0, 0)}}));
  Simulation sim(model);
  const std::uint64_t before = sim.hash();
  const AssemblyReport report = assemble(sim);
  EXPECT_FALSE(report.is_closed);
  EXPECT_NE(report.message.find("'right'"), std::string::npos) << report.message;
  EXPECT_EQ(sim.hash(), before);
}

TEST(DofDirections, AreAsManyAsDegreesOfFreedomAndSatisfyTheConstraints) {
  for (const char* name : {"four-bar", "bricard", "jansen", "door-three-hinges", "tree-127", "track-60"}) {
    SCOPED_TRACE(name);
    Simulation sim = make_simulation(example(name));
    const std::vector<DofDirection> directions = dof_directions(sim);
    EXPECT_EQ(int(directions.size()), check(sim, 0).dof);
    for (const DofDirection& d : directions) {
      EXPECT_NEAR(d.velocity.lpNorm<Eigen::Infinity>(), 1.0, 20.0);
      State moving = sim.state();
      const double still = check(sim, 0).velocity_error;
      moving.v += d.velocity;
      Simulation other = make_simulation(example(name));
      other.set_state(moving);
      EXPECT_NEAR(check(other, 0).velocity_error, still, 1e-8 * d.velocity.norm());
      if (directions.size() > 3) break;
    }
  }
}

TEST(DofDirections, CanBeFollowed) {
  Simulation sim = make_simulation(example("four-bar"));
  const std::vector<DofDirection> directions = dof_directions(sim);
  ASSERT_EQ(directions.size(), 1u);
  const std::optional<State> there = move_along(sim, directions[0], 0.3);
  ASSERT_TRUE(there.has_value());
  Simulation moved = make_simulation(example("four-bar"));
  moved.set_state(*there);
  EXPECT_LT(moved.constraint_error(), 1e-9);
  EXPECT_GT((there->q - sim.state().q).norm(), 0.1);
}

}  // namespace
}  // namespace catena
