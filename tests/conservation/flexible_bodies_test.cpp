// Free bodies of 7, 9, 12 and 30 velocities: energy and momenta over time.
#include "catena/catena.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

struct Conserved {
  double energy, linear, angular;  // largest relative changes
};

Conserved run(const std::shared_ptr<const Body>& body, Options options, double seconds, double dt) {
  Model model;
  model.gravity.setZero();
  const BodyId id = model.add(
      "body", body,
      {.position = {0.3, 0.1, -0.2}, .velocity = {0.4, -0.3, 0.2}, .angular_velocity = {1.0, 2.0, 3.0}});
  (void)id;
  Simulation sim(model, options);
  const double energy = sim.energy().total();
  const Vec3 p = sim.linear_momentum(), L = sim.angular_momentum();
  Conserved worst{0, 0, 0};
  while (sim.time() < seconds - 0.5 * dt) {
    const StepReport report = sim.step(dt);
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    worst.energy = std::max(worst.energy, std::abs(sim.energy().total() - energy) / energy);
    worst.linear = std::max(worst.linear, (sim.linear_momentum() - p).norm() / p.norm());
    worst.angular = std::max(worst.angular, (sim.angular_momentum() - L).norm() / L.norm());
  }
  return worst;
}

TEST(FreeBodies, ScaledOnesKeepEnergyAndMomenta) {
  const Vec3 moments(0.2, 0.3, 0.4);
  for (const ScaleAxes& axes : {ScaleAxes::uniform(), ScaleAxes::along_xyz()}) {
    const auto body = std::make_shared<ScaledRigid>(1.5, moments, axes, 30.0);
    const Conserved c = run(body, {.integrator = Integrator::dormand_prince, .tolerance = 1e-11}, 10.0, 0.1);
    EXPECT_LT(c.energy, 1e-8) << body->num_v();
    EXPECT_LT(c.linear, 1e-13) << body->num_v();
    EXPECT_LT(c.angular, 1e-8) << body->num_v();
  }
}

TEST(FreeBodies, DeformingOnesKeepEnergyAndMomenta) {
  for (const auto order : {Deformable::Order::linear, Deformable::Order::quadratic}) {
    const auto body = std::make_shared<Deformable>(order, 1.5, Vec3(0.8, 1.0, 1.2), 30.0);
    const Conserved adaptive =
        run(body, {.integrator = Integrator::dormand_prince, .tolerance = 1e-11}, 10.0, 0.1);
    EXPECT_LT(adaptive.energy, 1e-8) << body->kind();
    EXPECT_LT(adaptive.linear, 1e-13) << body->kind();
    EXPECT_LT(adaptive.angular, 1e-8) << body->kind();
    // variational: momenta to rounding, energy bounded at the step's order
    const Conserved variational = run(body, {.integrator = Integrator::rattle}, 10.0, 1e-3);
    EXPECT_LT(variational.energy, 1e-4) << body->kind();
    EXPECT_LT(variational.linear, 1e-12) << body->kind();
    EXPECT_LT(variational.angular, 1e-12) << body->kind();
  }
}

}  // namespace
}  // namespace catena
