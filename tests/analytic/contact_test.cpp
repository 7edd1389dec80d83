// Limits, contacts and dry friction in time, against closed forms; in body and in joint coordinates.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace {

using test::kGravity;

class Contact : public ::testing::TestWithParam<Formulation> {
 protected:
  Options options() const { return {.formulation = GetParam(), .integrator = Integrator::moreau}; }
};

INSTANTIATE_TEST_SUITE_P(Coordinates, Contact, ::testing::Values(Formulation::maximal, Formulation::minimal),
                         [](const auto& param) { return std::string(name(param.param)); });

void step_until(Simulation& sim, double end, double dt) {
  while (sim.time() < end - 0.5 * dt) {
    const StepReport report = sim.step(dt);
    ASSERT_TRUE(report.ok()) << report.message;
  }
}

/// The floor z = 0, under everything.
const Attachment kFloor{};

// A particle falls from 1 m: it comes back to e² m, one way there and back by half a step.
TEST_P(Contact, ABallComesBackToRestitutionSquared) {
  const double e = 0.8;
  Model model;
  const BodyId ball = model.add("ball", std::make_shared<Particle3>(0.3), {.position = {0, 0, 1}});
  model.add("floor", contact(Attachment{ball}, point_shape(), kFloor, nullptr, {.restitution = e}));
  const double dt = 1e-4, fall = std::sqrt(2.0 / kGravity);
  Simulation sim(model, options());
  step_until(sim, fall * (1.0 + e), dt);
  EXPECT_NEAR(sim.placement(ball).position.z(), e * e, 20.0 * dt);
  EXPECT_GE(sim.placement(ball).position.z(), 0.0);
}

// A block with friction μ stops after v²/(2 μ g), to the second order, and then stays: not a bit of creep.
TEST_P(Contact, ABlockStopsWhereFrictionStopsIt) {
  const double mu = 0.3, start = 3.0, stop = start * start / (2.0 * mu * kGravity);
  double error[2] = {};
  for (const int refined : {0, 1}) {
    Model model;
    const BodyId block = model.add("block", std::make_shared<Particle3>(2.0), {.velocity = {start, 0, 0}});
    model.add("floor", contact(Attachment{block}, point_shape(), kFloor, nullptr, {.friction = mu}));
    Simulation sim(model, options());
    step_until(sim, 1.2, refined == 0 ? 1.0 / 60 : 1.0 / 240);
    const double x = sim.placement(block).position.x();
    error[refined] = std::abs(x - stop);
    step_until(sim, 3.0, 1.0 / 60);
    EXPECT_EQ(sim.placement(block).position.x(), x) << "it creeps";
    EXPECT_EQ(sim.placement(block).velocity.norm(), 0.0);
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_LT(error[1], error[0] / 8.0) << error[0];
}

// On a slope of 30° a block with μ = 0.6 > tan 30° = 0.577 stays for ever; with 0.55 it slides by g (sin - μ cos).
TEST_P(Contact, ASlopeHoldsUpToTheAngleOfFriction) {
  const double angle = std::numbers::pi / 6;
  const Vec3 normal(std::sin(angle), 0, std::cos(angle)), down(std::cos(angle), 0, -std::sin(angle));
  for (const double mu : {0.6, 0.55}) {
    SCOPED_TRACE(mu);
    Model model;
    const BodyId block = model.add("block", std::make_shared<Particle3>(0.7));
    model.add("slope", contact_on_surface(Attachment{block}, point_shape(), kFloor,
                                          plane_surface(Vec3::Zero(), normal), {.friction = mu}));
    Simulation sim(model, options());
    step_until(sim, 2.0, 1.0 / 60);
    const double travel = sim.placement(block).position.dot(down);
    const double expected =
        mu > std::tan(angle) ? 0.0 : 2.0 * kGravity * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR(travel, expected, 1e-12 + 0.01 * expected);
    EXPECT_NEAR(sim.placement(block).position.dot(normal), 0.0, 1e-12);
  }
}

// A sphere that is set down sliding rolls with 5/7 of its speed, whatever the friction.
TEST_P(Contact, ASlidingSphereEndsRollingWithFiveSevenths) {
  const double radius = 0.1, start = 2.0;
  Model model;
  const BodyId ball =
      model.add("ball", sphere(1.0, radius), {.position = {0, 0, radius}, .velocity = {start, 0, 0}});
  model.add("floor", contact(Attachment{ball}, sphere_shape(radius), kFloor, nullptr, {.friction = 0.2}));
  Simulation sim(model, options());
  step_until(sim, 1.0, 1.0 / 240);
  EXPECT_NEAR(sim.placement(ball).velocity.x(), 5.0 / 7.0 * start, 1e-10);
  EXPECT_NEAR(sim.placement(ball).angular_velocity.y(), 5.0 / 7.0 * start / radius, 1e-9);
}

// A rod falls about a hinge onto its stop at -0.5 rad, and rests there.
TEST_P(Contact, ALimitHoldsWhatFallsOnIt) {
  Model model;
  const BodyId rod = model.add("rod", catena::rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  const AttachmentPair at = model.join(rod, world, Vec3::Zero(), Vec3::UnitY());
  const ConstraintId joint = model.add("hinge", hinge(at));
  model.add("stop", limits(hinge_coordinate(at), -0.2, 0.5));  // it falls by turning about +y
  Simulation sim(model, options());
  step_until(sim, 2.0, 1.0 / 120);
  EXPECT_NEAR(sim.joint_angle(joint), 0.5, 1e-9);
  EXPECT_NEAR(sim.placement(rod).angular_velocity.norm(), 0.0, 1e-10);
}

// A weight on a rope falls freely until the rope is taut, and hangs then.
TEST_P(Contact, ASlackRopeHoldsWhenItIsTaut) {
  Model model;
  const BodyId weight = model.add("weight", std::make_shared<Particle3>(2.0), {.position = {0, 0, -0.5}});
  model.add("rope", slack(rope({Attachment{weight}, Attachment{}}, 1.0)));
  Simulation sim(model, options());
  step_until(sim, 0.25, 1e-3);  // √(2·0.5/g) = 0.319 s
  EXPECT_NEAR(sim.placement(weight).position.z(), -0.5 - 0.5 * kGravity * 0.0625, 1e-12);
  step_until(sim, 2.0, 1e-3);
  EXPECT_NEAR(sim.placement(weight).position.z(), -1.0, 1e-10);
  EXPECT_NEAR(sim.placement(weight).velocity.norm(), 0.0, 1e-12);
}

// A disc on an axle with a dry bearing slows down evenly and stops after I ω/τ.
TEST_P(Contact, DryFrictionStopsAWheelAtItsTime) {
  const double inertia = 0.5 * 1.0 * 0.01, torque = 0.02, start = 8.0;
  Model model;
  const BodyId wheel = model.add("wheel", std::make_shared<Rigid>(1.0, Vec3(0.004, 0.004, inertia)),
                                 {.angular_velocity = {0, 0, start}});
  const AttachmentPair at = model.join(wheel, world, Vec3::Zero(), Vec3::UnitZ());
  model.add("axle", hinge(at));
  model.add("bearing", dry_friction(hinge_coordinate(at), torque));
  Simulation sim(model, options());
  step_until(sim, 1.0, 1e-3);
  EXPECT_NEAR(sim.placement(wheel).angular_velocity.z(), start - torque / inertia, 1e-10);
  step_until(sim, 3.0, 1e-3);
  EXPECT_NEAR(sim.placement(wheel).angular_velocity.z(), 0.0, 1e-13);
}

TEST_P(Contact, AStartThatPenetratesIsRefusedByName) {
  Model model;
  const BodyId ball = model.add("ball", std::make_shared<Particle3>(0.3), {.position = {0, 0, -0.01}});
  model.add("floor", contact(Attachment{ball}, point_shape(), kFloor, nullptr, {}));
  Simulation sim(model, options());
  const StepReport report = sim.step(1e-3);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("'floor'"), std::string::npos) << report.message;
}

// Out of the floor along the shortest way, with the joints held; velocities stay, they are those of an impact to come.
TEST_P(Contact, ProjectingLeavesWhatWasEntered) {
  Model model;
  const BodyId rod = model.add("rod", catena::rod(1.0, 1.0), {.position = {0.5, 0, 0.2}});
  model.add("hinge", hinge(model.join(rod, world, {0, 0, 0.2}, Vec3::UnitY())));
  const Attachment tip = model.mark(rod, {1, 0, 0.2});
  model.add("step",
            contact_on_surface(tip, point_shape(), kFloor, plane_surface({0, 0, 0.3}, Vec3::UnitZ()), {}));
  Simulation sim(model, options());
  EXPECT_FALSE(sim.step(1e-3).ok());
  const StepReport report = sim.project();
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_NEAR(sim.marker(tip).x.z(), 0.3, 1e-10);
  EXPECT_NEAR(sim.marker(tip).x.x(), std::sqrt(1.0 - 0.01), 1e-10);
  step_until(sim, 0.5, 1e-2);
  EXPECT_NEAR(sim.marker(tip).x.z(), 0.3, 1e-9);
}

TEST(ContactChoice, IntegratorsWithoutInequalitiesSayWhichHasThem) {
  Model model;
  const BodyId ball = model.add("ball", std::make_shared<Particle3>(0.3));
  model.add("floor", contact(Attachment{ball}, point_shape(), kFloor, nullptr, {}));
  try {
    const Simulation sim(model, {.integrator = Integrator::rk4});
    FAIL() << "it was taken";
  } catch (const InvalidInput& refused) {
    EXPECT_NE(std::string(refused.what()).find("moreau-jean"), std::string::npos) << refused.what();
  }
  EXPECT_EQ(Simulation(model).choice().integrator, Integrator::moreau);
}

}  // namespace
}  // namespace catena
