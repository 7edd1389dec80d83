// Constraints whose forces act elsewhere than along their rows, against closed forms.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::kGravity;

constexpr double kEnd = 0.5;

void run_to_end(Simulation& sim) {
  while (sim.time() < kEnd - 0.5e-3) {
    const StepReport report = sim.step(1e-3);
    ASSERT_TRUE(report.ok()) << report.message;
  }
}

Options precise() {
  return {.integrator = Integrator::dormand_prince, .tolerance = 1e-11};
}

// A puck on a table: λ = m g, ẍ = -μ g.
TEST(SlidingPoint, SlowsDownByFrictionTimesGravity) {
  const double mu = 0.3, mass = 0.2, start = 2.0;
  Model model;
  const BodyId puck = model.add("puck", std::make_shared<Particle3>(mass), {.velocity = {start, 0, 0}});
  const AttachmentPair at{Attachment{puck}, Attachment{world}};
  const ConstraintId table = model.add("table", sliding_point(at, Vec3::UnitZ(), Vec3::UnitX(), mu));
  Simulation sim(model, precise());
  EXPECT_NEAR(sim.accelerations()[0], -mu * kGravity, 1e-12);
  EXPECT_NEAR(sim.multipliers(table)[0], mass * kGravity, 1e-12);
  run_to_end(sim);
  EXPECT_NEAR(sim.placement(puck).position.x(), start * kEnd - 0.5 * mu * kGravity * kEnd * kEnd, 1e-9);
  EXPECT_LT(sim.constraint_error(), 1e-11);
}

// A wheel with its centre on the tip of an arm, driven by a belt from the base: the arm feels no torque and stays at rest, the
// wheel turns by φ(t) = t², λ = I φ̈ = 2I. A drive between wheel and arm would turn the arm back.
TEST(RemoteDrive, TheBodyBetweenDoesNotFeelTheTorque) {
  const double inertia = 0.05;
  const TimeFunction angle = [](double t) { return Jet{t * t, 2.0 * t, 2.0}; };
  for (const bool is_remote : {true, false}) {
    SCOPED_TRACE(is_remote ? "reaction on the base" : "reaction on the arm");
    Model model;
    model.gravity = Vec3::Zero();
    const BodyId arm = model.add("arm", planar_rod(1.0, 0.4), {.position = {0.2, 0, 0}});
    const BodyId wheel =
        model.add("wheel", std::make_shared<PlanarRigid>(2.0, inertia), {.position = {0.4, 0, 0}});
    model.add("shoulder", hinge(model.join(arm, world, {0, 0, 0})));
    const AttachmentPair axle = model.join(wheel, arm, {0.4, 0, 0});
    if (is_remote) model.add("axle", hinge(axle));
    const ConstraintId drive = model.add(
        "drive", is_remote ? remote_drive(axle, Attachment{world}, angle) : driven_hinge(axle, angle));
    Simulation sim(model, precise());
    if (is_remote) {
      EXPECT_NEAR(sim.multipliers(drive)[0], 2.0 * inertia, 1e-12);
    }
    run_to_end(sim);
    const double arm_height = sim.placement(arm).position.y();
    if (is_remote) {
      EXPECT_NEAR(arm_height, 0.0, 1e-10);
    } else {
      EXPECT_LT(arm_height, -1e-3);
    }
    EXPECT_LT(sim.constraint_error(), 1e-10);
  }
}

}  // namespace
}  // namespace catena
