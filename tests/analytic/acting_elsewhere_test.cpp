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
  Simulation sim = test::simulate(model, precise());
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
    Simulation sim = test::simulate(model, precise());
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

// A puck on a spring, sliding one way: ẍ = -ω²x - μ g, so x = v₀/ω sin ωt - μ g/ω² (1 - cos ωt). What friction takes is booked.
struct SprungPuck {
  static constexpr double mu = 0.2, omega = 2.0, start = 3.0, end = 0.5;
  Model model;
  BodyId puck;
  SprungPuck() {
    puck = model.add("puck", std::make_shared<Particle3>(1.0), {.velocity = {start, 0, 0}});
    const Attachment on_puck{puck}, along_x{world, Vec3::Zero(), frame_from_axis(Vec3::UnitX())};
    model.add("table", sliding_point({on_puck, Attachment{world}}, Vec3::UnitZ(), Vec3::UnitX(), mu));
    model.add("spring", elastic(slider_coordinate({on_puck, along_x}), {.stiffness = omega * omega}));
  }
  static double exact(double t) {
    return start / omega * std::sin(omega * t) -
           mu * kGravity / (omega * omega) * (1.0 - std::cos(omega * t));
  }
};

struct PuckRun {
  double x, friction_work, numerical;
};

PuckRun run_puck(Integrator integrator, int steps) {
  const SprungPuck at;
  Simulation sim = test::simulate(at.model, {.integrator = integrator});
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.step(SprungPuck::end / steps);
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
  }
  return {sim.placement(at.puck).position.x(), sim.ledger()[Account::driven], sim.numerical_energy()};
}

TEST(SlidingPoint, ConvergesWithImplicitIntegratorsAtTheirOrder) {
  const double exact = SprungPuck::exact(SprungPuck::end);
  const double work = -SprungPuck::mu * kGravity * exact;  // the puck weighs 1 kg
  for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha,
                                      Integrator::backward_euler, Integrator::linearised_euler}) {
    SCOPED_TRACE(name(integrator));
    const int order = traits(integrator).order;
    const PuckRun coarse = run_puck(integrator, 50), fine = run_puck(integrator, 100);
    const double ratio = (coarse.x - exact) / (fine.x - exact);
    EXPECT_NEAR(std::log2(ratio), order, 0.2);
    EXPECT_LT(std::abs(fine.x - exact), order == 1 ? 1e-2 : 1e-4);
    EXPECT_NEAR(fine.friction_work, work, order == 1 ? 2e-2 : 2e-3);
  }
}

// A bead on a tilted face of a swinging body, with friction: bdf2 and rattle come to the same motion, and to that of small adaptive steps.
TEST(SlidingPoint, OnASwingingBodyConvergesToTheMotionOfAdaptiveSteps) {
  Model model;
  const BodyId plate = test::add_rod(model, "plate", {0, 0, 0}, {1, 0, 0}, 2.0);
  model.add("pivot", hinge(model.join(plate, world, {0, 0, 0}, Vec3::UnitY())));
  const BodyId bead = model.add("bead", std::make_shared<Particle3>(0.3), {.position = {0.3, 0.1, 0.05}});
  model.add("face",
            sliding_point(model.join(bead, plate, {0.3, 0.1, 0.05}), {0.1, 0.2, 1}, {1, 0.5, 0}, 0.25));
  const auto where = [&](const Options& options, int steps) {
    Simulation sim = test::simulate(model, options);
    for (int k = 0; k < steps; ++k) {
      const StepReport report = sim.step(kEnd / steps);
      EXPECT_TRUE(report.ok()) << report.message;
      if (!report.ok()) break;
    }
    return sim.placement(bead).position;
  };
  const Vec3 exact = where(precise(), 50);
  for (const Integrator integrator : {Integrator::rattle, Integrator::bdf2}) {
    SCOPED_TRACE(name(integrator));
    const double coarse = (where({.integrator = integrator}, 100) - exact).norm(),
                 fine = (where({.integrator = integrator}, 200) - exact).norm();
    EXPECT_GT(coarse, 1e-9);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2);
  }
}

}  // namespace
}  // namespace catena
