// Orders of convergence: halving the step divides the error by 2^p.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::run;

/// Distance of the final states of two runs.
VecX final_state(const Model& model, Integrator integrator, double end, double dt) {
  Simulation sim(model, {.integrator = integrator});
  run(sim, end, dt);
  VecX out(sim.state().q.size() + sim.state().v.size());
  out << sim.state().q, sim.state().v;
  return out;
}

/// Error ratio e(h)/e(h/2), from differences of three runs: |x(h) - x(h/2)| / |x(h/2) - x(h/4)|.
double ratio(const Model& model, Integrator integrator, double end, double h) {
  const VecX a = final_state(model, integrator, end, h), b = final_state(model, integrator, end, h / 2),
             c = final_state(model, integrator, end, h / 4);
  return (a - b).norm() / (b - c).norm();
}

/// Two rods in space on ball joints, with some spin: a regular swing.
Model two_rods() {
  Model model;
  const BodyId upper = test::add_rod(model, "upper", {0, 0, 0}, {0.3, 0, -0.95});
  const BodyId lower = test::add_rod(model, "lower", {0.3, 0, -0.95}, {0.4, 0.1, -1.94});
  model.add("pivot", ball(model.join(upper, world, {0, 0, 0})));
  model.add("elbow", ball(model.join(lower, upper, {0.3, 0, -0.95})));
  return model;
}

TEST(Order, SymplecticEulerIsFirstRattleSecondRungeKuttaFourth) {
  EXPECT_NEAR(ratio(two_rods(), Integrator::symplectic_euler, 0.5, 1.0 / 2048), 2.0, 0.2);
  EXPECT_NEAR(ratio(two_rods(), Integrator::rattle, 0.5, 1.0 / 256), 4.0, 0.4);
  EXPECT_NEAR(ratio(two_rods(), Integrator::rk4, 0.5, 1.0 / 64), 16.0, 1.6);
}

TEST(Order, FreeRotationIsSecondOrderWithRattleAndFourthWithRungeKutta) {
  Model model;
  model.add("body", std::make_shared<Rigid>(1.0, Vec3(1, 2, 3)), {.angular_velocity = {1, 2, 3}});
  EXPECT_NEAR(ratio(model, Integrator::rattle, 1.0, 1.0 / 64), 4.0, 0.4);
  EXPECT_NEAR(ratio(model, Integrator::rk4, 1.0, 1.0 / 64), 16.0, 1.6);
}

TEST(Order, RattleStaysSecondOrderWithVelocityDependentForces) {
  Model model = two_rods();
  model.add("air", drag(Attachment{*model.find_body("lower")}, 0.5, 0.3, 0.05));
  EXPECT_NEAR(ratio(model, Integrator::rattle, 0.5, 1.0 / 256), 4.0, 0.4);
}

TEST(Order, RattleStaysSecondOrderWithDrivenRows) {
  Model model;
  const BodyId crank = test::add_rod(model, "crank", {0, 0, 0}, {0.5, 0, 0});
  const BodyId arm = test::add_rod(model, "arm", {0.5, 0, 0}, {0.5, 0, -0.5});
  model.add("drive", driven_hinge(model.join(crank, world, {0, 0, 0}, Vec3::UnitY()), [](double t) {
              return Jet{0.3 * (1 - std::cos(4 * t)), 1.2 * std::sin(4 * t), 4.8 * std::cos(4 * t)};
            }));
  model.add("elbow", ball(model.join(arm, crank, {0.5, 0, 0})));
  EXPECT_NEAR(ratio(model, Integrator::rattle, 0.5, 1.0 / 256), 4.0, 0.4);
}

TEST(Order, RattleStaysSecondOrderWithNonholonomicRows) {
  // two pendulums in space whose spins about their own rods are geared: not integrable, coupled to the swing
  Model model = two_rods();
  const BodyId upper = *model.find_body("upper"), lower = *model.find_body("lower");
  Attachment a{lower}, b{upper};
  a.axes = b.axes = frame_from_axis(Vec3::UnitX());
  model.add("gear", gear({a, b}, -2.0));
  model.add("wind",
            load(Attachment{upper}, {}, {.x = constant(0.02), .y = constant(0.0), .z = constant(0.05)}));
  EXPECT_NEAR(ratio(model, Integrator::rattle, 0.5, 1.0 / 256), 4.0, 0.4);
  EXPECT_NEAR(ratio(model, Integrator::rk4, 0.5, 1.0 / 64), 16.0, 2.4);
}

TEST(Order, EnergyErrorOfRattleFallsFourfoldPerHalving) {
  const auto largest = [](double dt) {
    Simulation sim(two_rods());
    double error = 0.0;
    while (sim.time() < 2.0) {
      if (!sim.step(dt).ok()) throw std::runtime_error("refused");
      error = std::max(error, std::abs(sim.numerical_energy()));
    }
    return error;
  };
  EXPECT_NEAR(largest(1.0 / 256) / largest(1.0 / 512), 4.0, 0.4);
}

}  // namespace
}  // namespace catena
