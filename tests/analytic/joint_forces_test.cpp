// Joint forces that implicit integrators report at large steps: hanging loads, swinging pendulums and chains.
//
// After every step the accelerations and multipliers are computed anew, from the positions and the projected velocities at its end.
// They are therefore those of the state exactly, as accurate as the state, and without memory of the step before.
#include "catena/force.h"
#include "catena/joints.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace catena {
namespace {

constexpr Integrator kNewtonSchemes[] = {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha,
                                         Integrator::backward_euler};

TEST(JointForces, OfAHangingChainAreTheWeightBelow) {
  constexpr int kLinks = 20;
  constexpr double kPayload = 1000.0;
  for (const bool hinges : {false, true})
    for (const Integrator integrator : kNewtonSchemes) {
      SCOPED_TRACE(::testing::Message() << name(integrator) << (hinges ? ", hinges" : ", balls"));
      Simulation sim = test::simulate(
          test::make_chain(
              {.links = kLinks, .hinges = hinges, .angle = std::numbers::pi / 2, .payload = kPayload}),
          {.integrator = integrator});
      double worst = 0.0;
      for (int k = 0; k < 120; ++k) {
        ASSERT_TRUE(sim.step(1.0 / 60).ok());
        for (int i = 0; i < kLinks; ++i) {
          const ConstraintId joint = *sim.model().find_constraint("joint" + std::to_string(i));
          const double exact = test::kGravity * (kPayload + kLinks - i);
          worst = std::max(worst, std::abs(sim.constraint_force(joint).force.norm() / exact - 1.0));
        }
      }
      EXPECT_LT(worst, 1e-9);
    }
}

/// A pendulum of one particle or of one rod, released from the horizontal, and the exact force in its joint.
struct Pendulum {
  explicit Pendulum(bool is_rod) : rigid(is_rod) {
    if (rigid) {
      body = test::add_rod(model, "rod", {0, 0, 0}, {1, 0, 0}, kMass);
      joint = model.add("pivot", hinge(model.join(body, world, {0, 0, 0}, Vec3::UnitY())));
    } else {
      body = model.add("bob", std::make_shared<Particle3>(kMass), {.position = {1, 0, 0}});
      joint = model.add("string", distance({Attachment{body}, Attachment{}}, 1.0));
    }
  }
  /// m(g cos θ + l θ̇²) along the string; a rod also has m g sin θ/4 across, from its inertia about the end.
  double exact(const Simulation& sim) const {
    const Placement at = sim.placement(body);
    const double l = rigid ? 0.5 : 1.0, cosine = -at.position.z() / l,
                 rate = rigid ? at.angular_velocity.norm() : at.velocity.norm();
    const double along = kMass * (test::kGravity * cosine + l * rate * rate);
    const double across = rigid ? kMass * test::kGravity * std::sqrt(1.0 - cosine * cosine) / 4.0 : 0.0;
    return std::hypot(along, across);
  }
  static constexpr double kMass = 2.0;
  bool rigid;
  Model model;
  BodyId body;
  ConstraintId joint;
};

TEST(JointForces, OfAPendulumAreThoseOfItsState) {
  for (const bool rigid : {false, true})
    for (const Integrator integrator : kNewtonSchemes) {
      SCOPED_TRACE(::testing::Message() << name(integrator) << (rigid ? ", rod" : ", bob"));
      const Pendulum pendulum(rigid);
      Simulation sim = test::simulate(pendulum.model, {.integrator = integrator});
      double worst = 0.0, most = 0.0;
      for (int k = 0; k < 120; ++k) {
        ASSERT_TRUE(sim.step(1.0 / 60).ok());
        const double exact = pendulum.exact(sim);
        worst = std::max(worst, std::abs(sim.constraint_force(pendulum.joint).force.norm() - exact));
        most = std::max(most, exact);
      }
      EXPECT_LT(worst, 1e-9 * most);
      EXPECT_GT(most, 1.5 * Pendulum::kMass * test::kGravity);  // it has swung: 2.5 and 3 times the weight
    }
}

/// How the force of a joint differs from that of the exact motion over a second.
struct ForceError {
  double largest = 0.0;  // N
  double rippling =
      0.0;  // largest second difference of the error from step to step: large when it zigzags     N
};
ForceError force_error(const Model& model, ConstraintId joint, Integrator integrator, double dt) {
  Simulation sim = test::simulate(model, {.integrator = integrator}),
             reference = test::simulate(model, {.integrator = Integrator::rk4});
  ForceError out;
  double before = 0.0, last = 0.0;
  const long steps = std::lround(1.0 / dt);
  for (long k = 0; k < steps; ++k) {
    if (!sim.step(dt).ok()) throw std::runtime_error("refused");
    test::run(reference, sim.time(), dt / std::max(1.0, std::round(dt * 1920)));
    const double error =
        sim.constraint_force(joint).force.norm() - reference.constraint_force(joint).force.norm();
    out.largest = std::max(out.largest, std::abs(error));
    if (k >= 2) out.rippling = std::max(out.rippling, std::abs(error - 2.0 * last + before));
    before = last;
    last = error;
  }
  return out;
}

// A smooth error has second differences that fall with two powers of the step more than itself; a zigzag has not.
void expect_force_order(const Model& model, ConstraintId joint, double dt) {
  for (const Integrator integrator : kNewtonSchemes) {
    const double order = integrator == Integrator::backward_euler ? 1.0 : 2.0, ratio = std::pow(2.0, order);
    const ForceError coarse = force_error(model, joint, integrator, dt),
                     fine = force_error(model, joint, integrator, dt / 2);
    // forces of chains have steep peaks, on which the asymptotic ratio is reached late
    EXPECT_NEAR(coarse.largest / fine.largest, ratio, 0.15 * ratio)
        << name(integrator) << ": " << coarse.largest << " N, " << fine.largest << " N";
    EXPECT_GT(coarse.rippling / fine.rippling, 3.0 * ratio)
        << name(integrator) << ": " << coarse.rippling << " N, " << fine.rippling << " N";
  }
}

TEST(JointForces, OfASwingingPendulumConvergeAtTheOrderOfTheSchemeWithoutZigzag) {
  for (const bool rigid : {false, true}) {
    SCOPED_TRACE(rigid ? "rod" : "bob");
    const Pendulum pendulum(rigid);
    expect_force_order(pendulum.model, pendulum.joint, 1.0 / 240);
  }
}

TEST(JointForces, OfASwingingChainConvergeAtTheOrderOfTheSchemeWithoutZigzag) {
  const Model model = test::make_chain({.links = 3, .length = 0.5, .angle = 1.0, .bend = 0.3});
  expect_force_order(model, *model.find_constraint("joint1"), 1.0 / 960);
}

TEST(JointForces, OfRodsHeldByStiffSpringsAreTheWeight) {
  for (const Integrator integrator : kNewtonSchemes)
    for (const double k : {1e6, 1e9}) {
      SCOPED_TRACE(::testing::Message() << name(integrator) << ", k = " << k);
      Model model;
      const BodyId upper = test::add_rod(model, "upper", {0, 0, 0}, {0.5, 0, 0}),
                   lower = test::add_rod(model, "lower", {0.5, 0, 0}, {1, 0, 0});
      const AttachmentPair pivot = model.join(upper, world, {0, 0, 0}),
                           elbow = model.join(lower, upper, {0.5, 0, 0});
      const ConstraintId held = model.add("pivot", ball(pivot));
      model.add("elbow", ball(elbow));
      model.add("pivot spring", elastic(ball_coordinates(pivot), {.stiffness = k}));
      model.add("elbow spring", elastic(ball_coordinates(elbow), {.stiffness = k}));
      Simulation sim = test::simulate(model, {.integrator = integrator});
      test::run(sim, 4.0, 1.0 / 60);
      // at rest by now: what is reported is the weight, step by step
      double worst = 0.0;
      for (int step = 0; step < 60; ++step) {
        ASSERT_TRUE(sim.step(1.0 / 60).ok());
        worst =
            std::max(worst, std::abs(sim.constraint_force(held).force.norm() / (2.0 * test::kGravity) - 1.0));
      }
      EXPECT_LT(worst, 1e-4);
    }
}

TEST(DrivenWork, OfImplicitIntegratorsConvergesToTheChangeOfEnergy) {
  // a crank at constant speed drives a rod to and fro: what the energy changes by is the work of the drive
  for (const Integrator integrator : kNewtonSchemes) {
    const auto unexplained = [integrator](double dt) {
      Model model;
      const BodyId crank = test::add_rod(model, "crank", {0, 0, 0}, {0.1, 0, 0});
      const BodyId arm = test::add_rod(model, "arm", {0.1, 0, 0}, {0.1, 0, -0.3});
      model.add("drive", driven_hinge(model.join(crank, world, {0, 0, 0}, Vec3::UnitY()), ramp(0.0, 10.0)));
      model.add("elbow", hinge(model.join(arm, crank, {0.1, 0, 0}, Vec3::UnitY())));
      Simulation sim = test::simulate(model, {.integrator = integrator});
      if (!sim.project().ok()) throw std::runtime_error("no start");
      test::run(sim, 0.5, dt);
      return std::abs(sim.numerical_energy());
    };
    const double coarse = unexplained(1.0 / 1024), fine = unexplained(1.0 / 2048);
    const double ratio = integrator == Integrator::backward_euler ? 2.0 : 4.0;
    EXPECT_NEAR(coarse / fine, ratio, 0.15 * ratio)
        << name(integrator) << ": " << coarse << " J, " << fine << " J";
  }
}

}  // namespace
}  // namespace catena
