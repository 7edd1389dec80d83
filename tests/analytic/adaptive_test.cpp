// Dormand-Prince: accuracy follows the tolerance, the interpolant is of fourth order, events are where closed forms say.
#include "catena/catena.h"
#include "support/allocation_counter.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

/// IFToMM A01: a point mass of 1 kg on a massless rod of 1 m, released at (-1, 0).
Model pendulum() {
  Model model;
  model.gravity = {0, -9.81, 0};
  const BodyId bob = model.add("bob", std::make_shared<Particle2>(1.0), {.position = {-1, 0, 0}});
  model.add("rod", distance(model.join(bob, world, {-1, 0, 0}, Vec3::UnitZ(), Vec3::Zero()), 1.0));
  return model;
}

double error_at_ten_seconds(double tolerance) {
  Simulation sim =
      test::simulate(pendulum(), {.integrator = Integrator::dormand_prince, .tolerance = tolerance});
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(sim.step(1.0).ok());
  const Vec3 exact(-0.2750874625761169, -0.9614192050991251, 0);
  return (sim.placement(sim.model().bodies()[0].id).position - exact).norm();
}

TEST(DormandPrince, ErrorFollowsTheTolerance) {
  EXPECT_LT(error_at_ten_seconds(1e-6), 1e-4);
  EXPECT_LT(error_at_ten_seconds(1e-9), 1e-7);
  EXPECT_LT(error_at_ten_seconds(1e-12), 1e-10);
}

TEST(DormandPrince, EulerTopAtTenSeconds) {
  Model model;
  model.gravity.setZero();
  const BodyId top =
      model.add("top", std::make_shared<Rigid>(1.0, Vec3(1, 2, 3)), {.angular_velocity = {1, 2, 3}});
  Simulation sim = test::simulate(model, {.integrator = Integrator::dormand_prince, .tolerance = 1e-12});
  ASSERT_TRUE(sim.step(10.0).ok());
  const Placement at = sim.placement(top);
  const Vec3 body_rate = at.orientation.conjugate() * at.angular_velocity;
  EXPECT_LT((body_rate - Vec3(1.9955036376683322, 1.0089426307042702, 3.1613306675063033)).norm(), 1e-9);
}

TEST(DormandPrince, InterpolantIsOfFourthOrder) {
  // the error of the interpolant falls with the fifth power of the internal step, as that of a fourth-order curve does
  const auto error = [](double h) {
    Model model;
    model.gravity.setZero();
    const BodyId mass = model.add("mass", std::make_shared<Particle3>(1.0), {.position = {1, 0, 0}});
    model.add("spring", mouse_spring(model.mark(mass, {1, 0, 0}), Vec3::Zero(), 1.0, 0.0));
    Simulation sim = test::simulate(model, {.integrator = Integrator::dormand_prince, .tolerance = 1.0});
    State state = sim.state();
    state.substep = h;
    state.v[0] = 0.7;
    sim.set_state(state);
    EXPECT_TRUE(sim.step(h).ok());
    double worst = 0.0;
    for (const double fraction : {0.2, 0.4, 0.6, 0.8})
      worst = std::max(worst, std::abs(sim.interpolated(fraction * h).q[0] - std::cos(fraction * h) -
                                       0.7 * std::sin(fraction * h)));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(0.2) / error(0.1)), 5.0, 0.5);
}

TEST(DormandPrince, StepsDoNotAllocateAfterWarmUp) {
  Simulation sim = test::simulate(pendulum(), {.integrator = Integrator::dormand_prince});
  ASSERT_TRUE(sim.step(0.1).ok());
  ASSERT_TRUE(sim.step(0.1).ok());
  const testing::AllocationCounter allocations;
  const StepReport report = sim.step(0.1);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_TRUE(report.ok());
}

TEST(DormandPrince, ARestoredRunIsIdentical) {
  Simulation first = test::simulate(pendulum(), {.integrator = Integrator::dormand_prince});
  ASSERT_TRUE(first.step(0.37).ok());
  const State kept = first.state();
  ASSERT_TRUE(first.step(1.0).ok());
  Simulation second = test::simulate(pendulum(), {.integrator = Integrator::dormand_prince});
  second.set_state(kept);
  ASSERT_TRUE(second.step(1.0).ok());
  EXPECT_EQ(first.hash(), second.hash());
}

TEST(DormandPrince, TheLedgerIsAsAccurateAsTheMotion) {
  Model model = pendulum();
  model.add("air", drag(model.mark(model.bodies()[0].id, {-1, 0, 0}), 0.3));
  Simulation sim = test::simulate(model, {.integrator = Integrator::dormand_prince, .tolerance = 1e-11});
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(sim.step(1.0).ok());
  EXPECT_LT(sim.ledger()[Account::drag], -1.0);
  EXPECT_LT(std::abs(sim.numerical_energy()), 1e-8);
}

TEST(DormandPrince, AnImpossibleToleranceIsRefusedAndChangesNothing) {
  Simulation sim = test::simulate(pendulum(), {.integrator = Integrator::dormand_prince, .tolerance = 1e-30});
  const std::uint64_t before = sim.hash();
  const StepReport report = sim.step(1.0);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("tolerance"), std::string::npos) << report.message;
  EXPECT_EQ(sim.hash(), before);
}

class Events : public ::testing::TestWithParam<Integrator> {};

TEST_P(Events, AFallingMassReachesTheFloorOnTime) {
  Model model;
  const BodyId mass = model.add("mass", std::make_shared<Particle3>(1.0), {.position = {0, 0, 1}});
  Simulation sim = test::simulate(model, {.integrator = GetParam()});
  sim.add_event({.name = "lands",
                 .value = [mass](const Simulation& s) { return s.placement(mass).position.z(); },
                 .crossing = Event::Crossing::falling,
                 .action = {}});
  std::string event;
  while (event.empty() && sim.time() < 1.0) {
    const StepReport report = sim.step(0.01);
    ASSERT_TRUE(report.ok());
    event = report.event;
  }
  EXPECT_EQ(event, "lands");
  EXPECT_NEAR(sim.time(), std::sqrt(2.0 / 9.81), 1e-12);
  EXPECT_NEAR(sim.placement(mass).position.z(), 0.0, 1e-12);
  const StepReport next = sim.step(0.01);  // it has landed: the event is behind
  EXPECT_TRUE(next.ok());
  EXPECT_EQ(next.event, "");
  EXPECT_EQ(next.advanced, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Events,
                         ::testing::Values(Integrator::rattle, Integrator::rk4, Integrator::dormand_prince),
                         [](const auto& test) {
                           return test.param == Integrator::rattle ? "rattle"
                                  : test.param == Integrator::rk4  ? "rk4"
                                                                   : "dormand_prince";
                         });

// The rod of a pendulum released from horizontal carries 3 m g sin φ, φ below the horizontal: a limit of 2 m g breaks it there.
TEST(BreakableJoint, BreaksWhereTheForceReachesItsLimit) {
  Model model = pendulum();
  Simulation sim = test::simulate(model, {.integrator = Integrator::dormand_prince, .tolerance = 1e-11});
  sim.break_at(*sim.model().find_constraint("rod"), 2.0 * 9.81);
  std::string event;
  while (event.empty() && sim.time() < 2.0) {
    const StepReport report = sim.step(0.01);
    ASSERT_TRUE(report.ok());
    event = report.event;
  }
  EXPECT_EQ(event, "rod breaks");
  EXPECT_TRUE(sim.model().constraints().empty());
  const Placement at = sim.placement(sim.model().bodies()[0].id);
  EXPECT_NEAR(at.position.y(), -2.0 / 3.0, 1e-9);
  // then it flies: the velocity is that of energy conservation, and the path a parabola
  EXPECT_NEAR(at.velocity.norm(), std::sqrt(2.0 * 9.81 * 2.0 / 3.0), 1e-8);
  ASSERT_TRUE(sim.step(0.1).ok());
  const Vec3 expected = at.position + 0.1 * at.velocity + Vec3(0, -0.5 * 9.81 * 0.01, 0);
  EXPECT_LT((sim.placement(sim.model().bodies()[0].id).position - expected).norm(), 1e-12);
}

TEST(BreakableJoint, BreaksAtOnceWhenItIsOverloadedAtTheStart) {
  Model model;
  const BodyId load = model.add("load", std::make_shared<Particle3>(1.0));
  const ConstraintId hook = model.add("hook", nail(model.mark(load, Vec3::Zero()), Vec3::Zero()));
  Simulation sim = test::simulate(model);
  sim.break_at(hook, 5.0);
  const StepReport first = sim.step(0.01);
  EXPECT_EQ(first.event, "hook breaks");
  EXPECT_EQ(first.advanced, 0.0);
  const StepReport second = sim.step(0.01);
  EXPECT_EQ(second.event, "");
  EXPECT_NEAR(sim.placement(load).velocity.z(), -0.0981, 1e-15);
}

}  // namespace
}  // namespace catena
