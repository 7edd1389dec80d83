// What random mechanisms brought to light (`make campaign`).
#include "catena/analysis.h"
#include "catena/catena.h"
#include "support/moved_model.h"
#include "support/oracles.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

// Its weight acted at the material point in its middle, which is not its centre of mass once it bends: it bent as it fell.
TEST(QuadraticBody, FallsWithoutBending) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::rattle, Integrator::bdf2}) {
    Model model;
    const auto body =
        std::make_shared<Deformable>(Deformable::Order::quadratic, 2.0, Vec3(1.0, 0.5, 0.2), 50.0);
    const BodyId id = model.add("box", body);
    Simulation sim(model, {.integrator = integrator});
    const VecX shape = sim.state().q.tail(27);
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim.step(0.01).ok());
    EXPECT_LT((sim.state().q.tail(27) - shape).lpNorm<Eigen::Infinity>(), 1e-12) << name(integrator);
    EXPECT_NEAR(sim.placement(id).velocity.z(), -9.81 * 0.2, 1e-12) << name(integrator);
    EXPECT_NEAR(sim.linear_momentum().z(), 2.0 * sim.placement(id).velocity.z(), 1e-12) << name(integrator);
  }
}

// The weight of a body that is bent already acts at its centre of mass too.
TEST(QuadraticBody, HasThePotentialOfItsCentreOfMass) {
  const Deformable body(Deformable::Order::quadratic, 2.0, Vec3(1.0, 0.5, 0.2), 50.0);
  VecX q = VecX::Random(30), force = VecX::Zero(30);
  const Vec3 g(1.0, -2.0, -9.81);
  EXPECT_NEAR(body.gravity_potential(q.data(), g), -2.0 * g.dot(q.head<3>()), 1e-12);
  body.add_gravity(q.data(), g, force.data());
  EXPECT_EQ(Vec3(force.head<3>()), Vec3(2.0 * g));
  EXPECT_EQ(force.tail(27).norm(), 0.0);
}

// The work of a constraint that acts elsewhere was booked with the directions of the last iteration, which a clone does not have.
TEST(SlidingPoint, BooksTheSameWorkAfterAClone) {
  Model model;
  const BodyId table =
      model.add("table", std::make_shared<Rigid>(5.0, Vec3(1, 1, 1)), {.angular_velocity = {0.3, 0, 0.5}});
  const BodyId block = model.add("block", std::make_shared<Rigid>(1.0, Vec3(0.1, 0.1, 0.1)),
                                 {.position = {0.2, 0, 0.1}, .velocity = {1, 0.2, 0}});
  model.add("foot", sliding_point(model.join(block, table, {0.2, 0, 0}), Vec3::UnitZ(), Vec3::UnitX(), 0.3));
  Simulation sim(model, {.integrator = Integrator::tr_bdf2});
  ASSERT_TRUE(sim.project().ok());
  for (int k = 0; k < 5; ++k) {
    Simulation twin = sim.clone();
    ASSERT_TRUE(sim.step(5e-3).ok());
    ASSERT_TRUE(twin.step(5e-3).ok());
    EXPECT_EQ(twin.hash(), sim.hash()) << "step " << k + 1;
  }
}

// Of many doubtful pivots only the first few were looked at: off the axes, where nothing cancels exactly, redundant rows were kept.
TEST(RopeBridge, HasItsRedundantRowsHoweverItIsTurned) {
  const Scene scene = load_scene(CATENA_SOURCE_DIR "/examples/rope-bridge.yaml", {{"planks", "20"}});
  test::Change turned;
  turned.P = Eigen::AngleAxisd(1.1, Vec3(0.3, -0.5, 0.8).normalized()).toRotationMatrix();
  const Simulation straight(scene.model, scene.options);
  Simulation sim(test::moved(scene.model, turned, test::same_order(scene.model)), scene.options);
  EXPECT_EQ(check(straight, 0).redundant_rows, 24);
  EXPECT_EQ(check(sim, 0).redundant_rows, 24);
  const StepReport report = sim.step(scene.dt);
  EXPECT_TRUE(report.ok()) << report.message;
}

// Seeds of mechanisms that failed once, and what they showed.
struct Seed {
  std::uint64_t seed;
  const char* what;
};
constexpr Seed kSeeds[] = {
    {1594, "the sparse solver settled its order at the first factorisation: a clone took another one"},
    {1095, "the same, and the clone refused to go on"},
    {1959, "a stop that could not be met was refused as 'a constraint'"},
    {2509, "a state that blew up was refused without a name"},
    {9175, "a projection turned an affine body inside out, and a step from there took a minute"},
};

TEST(RandomMechanism, SeedsThatFailedOnce) {
  for (const Seed& seed : kSeeds) {
    const test::Verdict verdict = test::judge(test::random_mechanism(seed.seed), {.steps = 10});
    EXPECT_NE(verdict.outcome, test::Outcome::silent)
        << "seed " << seed.seed << " (" << seed.what << "): " << verdict.what;
    EXPECT_NE(verdict.outcome, test::Outcome::hung) << "seed " << seed.seed << ": " << verdict.what;
  }
}

}  // namespace
}  // namespace catena
