// Implicit steps allocate nothing once they are warm.
#include "catena/force.h"
#include "catena/joints.h"
#include "catena/scene.h"
#include "support/allocation_counter.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

constexpr double kFrame = 1.0 / 60;  // s

/// Allocations in 20 steps after 30.
long allocations_of(Simulation& sim, double dt) {
  for (int k = 0; k < 30; ++k) {
    const StepReport report = sim.step(dt);
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) return 0;
  }
  bool ok = true;
  const testing::AllocationCounter counter;
  for (int k = 0; k < 20; ++k) ok = sim.step(dt).ok() && ok;
  const long count = counter.count();
  EXPECT_TRUE(ok);
  return count;
}

Model chain_with_springs(bool hinges) {
  constexpr int kLinks = 10;
  Model model = test::make_chain({.links = kLinks, .hinges = hinges});
  for (int k = 1; k < kLinks; ++k) {
    const auto link = [&](int i) { return *model.find_body("link" + std::to_string(i)); };
    const AttachmentPair at = model.join(link(k), link(k - 1), {0.1 * k, 0, 0}, Vec3::UnitY());
    model.add("spring" + std::to_string(k),
              hinges ? torsion_spring(at, 50.0, 1.0, 0.0)
                     : elastic(ball_coordinates(at), {.stiffness = 50.0, .damping = 1.0}));
  }
  return model;
}

TEST(ImplicitStep, AllocatesNothingAfterWarmUp) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::backward_euler}) {
    const Options options{.integrator = integrator};
    Simulation balls(test::make_chain({.links = 20}), options),
        hinges(test::make_chain({.links = 20, .hinges = true}), options),
        springs(chain_with_springs(false), options),
        payload(test::make_chain({.links = 20, .payload = 1000.0}), options);
    EXPECT_EQ(allocations_of(balls, kFrame), 0) << name(integrator) << ", ball chain";
    EXPECT_EQ(allocations_of(hinges, kFrame), 0) << name(integrator) << ", hinge chain";
    EXPECT_EQ(allocations_of(springs, kFrame), 0) << name(integrator) << ", chain with springs";
    EXPECT_EQ(allocations_of(payload, kFrame), 0) << name(integrator) << ", payload chain";
  }
}

TEST(ImplicitStep, OfLinearisedEulerAllocatesNothingAfterWarmUp) {
  const Options options{.integrator = Integrator::linearised_euler};
  // loaded and slack chains are not for this scheme at large steps
  Simulation springs(chain_with_springs(false), options),
      payload(test::make_chain({.links = 20, .payload = 1000.0}), options);
  EXPECT_EQ(allocations_of(springs, kFrame), 0);
  EXPECT_EQ(allocations_of(payload, 1e-3), 0);
}

TEST(ImplicitStep, WithSpringsOnHingesAllocatesNothingAfterWarmUp) {
  Simulation springs(chain_with_springs(true), {.integrator = Integrator::bdf2});
  EXPECT_EQ(allocations_of(springs, kFrame), 0);
}

TEST(ImplicitStep, OfAHandAllocatesNothingAfterWarmUp) {
  Simulation hand = make_simulation(load_scene(std::string(CATENA_SOURCE_DIR) + "/examples/hand.yaml"));
  EXPECT_EQ(allocations_of(hand, 1.0 / 120), 0);
}

TEST(ImplicitStep, OfGeneralisedAlphaAllocatesNothingAfterWarmUp) {
  Simulation balls(test::make_chain({.links = 20}), {.integrator = Integrator::generalised_alpha});
  EXPECT_EQ(allocations_of(balls, kFrame), 0);
}

TEST(ImplicitStep, OfGeneralisedAlphaIsOfSecondOrderWhereTheLengthChanges) {
  // lengths of 1, 1/2, 1, 1/2, ...: its filter belongs to one length and was of first order
  const auto end_of = [](Integrator integrator, double rho, double dt) {
    Simulation sim(test::make_chain({.links = 2, .length = 0.5}),
                   {.integrator = integrator, .alpha_rho = rho});
    for (int k = 0; sim.time() < 0.6 - 1e-9; ++k) EXPECT_TRUE(sim.step(k % 2 == 0 ? dt : 0.5 * dt).ok());
    return VecX(sim.state_in(Coordinates::bodies).q);
  };
  const VecX exact = end_of(Integrator::rk4, 0.0, 1e-3);
  for (const double rho : {0.0, 0.5}) {
    const double coarse = (end_of(Integrator::generalised_alpha, rho, 4e-3) - exact).norm(),
                 fine = (end_of(Integrator::generalised_alpha, rho, 2e-3) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.25) << rho << ": " << coarse << ", " << fine;
  }
}

TEST(ImplicitStep, BalancesForcesBelowTheErrorOfItsSchemeAtShortSteps) {
  // a chain that is turned as a whole moves alike: what Newton's method leaves must not show
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const auto end_of = [&](const Quat& by, double dt) {
    Model model;
    model.gravity = by * Vec3(0, 0, -9.81);
    BodyId before = world;
    for (int k = 0; k < 3; ++k) {
      const BodyId link =
          test::add_rod(model, "link" + std::to_string(k), by * Vec3(k, 0, 0), by * Vec3(k + 1, 0, 0.2));
      model.add("joint" + std::to_string(k),
                ball(model.join(link, before, by * Vec3(k, 0, k == 0 ? 0 : 0.2))));
      before = link;
    }
    Simulation sim(model, {.integrator = Integrator::tr_bdf2});
    EXPECT_TRUE(sim.project().ok());
    test::run(sim, 0.5, dt);
    return Vec3(by.conjugate() * sim.placement(before).position);
  };
  for (const double dt : {4e-3, 1e-3}) {
    const Vec3 end = end_of(Quat::Identity(), dt);
    const double of_scheme = (end - end_of(Quat::Identity(), 0.5 * dt)).norm();
    EXPECT_LT((end_of(turn, dt) - end).norm(), 1e-2 * of_scheme) << dt << ": " << of_scheme;
  }
}

TEST(ImplicitStep, ContinuesFromItsOwnState) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha,
                                      Integrator::backward_euler, Integrator::linearised_euler}) {
    Simulation sim(test::make_chain({.links = 3, .length = 0.5}), {.integrator = integrator});
    test::run(sim, 10 * kFrame, kFrame);
    Simulation again(sim.model(), {.integrator = integrator});
    again.set_state(sim.state());
    const StepReport report = again.step(kFrame);
    EXPECT_TRUE(report.ok()) << name(integrator) << ": " << report.message;
    ASSERT_TRUE(sim.step(kFrame).ok());
    EXPECT_EQ(sim.hash(), again.hash()) << name(integrator);
  }
}

}  // namespace
}  // namespace catena
