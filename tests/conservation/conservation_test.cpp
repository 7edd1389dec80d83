// Energy, momentum and constraint error over long runs.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::make_chain;
using test::run;

/// A floating chain with a spring, a torsion spring and a motor inside: nothing acts from outside.
Model floating_machine() {
  Model model = make_chain({.links = 4, .length = 0.5, .hinges = true, .bend = 0.5, .anchored = false});
  model.gravity.setZero();
  const auto body = [&](int i) { return *model.find_body("link" + std::to_string(i)); };
  model.add("spring", spring_damper({Attachment{body(0)}, Attachment{body(3)}}, 20.0, 0.5, 0.6));
  Attachment a{body(1), Vec3::Zero(), frame_from_axis(Vec3::UnitY())}, b{body(2), Vec3::Zero(), a.axes};
  model.add("torsion", torsion_spring({a, b}, 2.0, 0.1, 0.3));
  model.add("motor", motor({b, a}, [](double t) { return Jet{0.2 * std::sin(3 * t), 0, 0}; }));
  return model;
}

TEST(Momentum, LinearIsConservedByEveryIntegratorOverTenThousandSteps) {
  for (Integrator integrator : {Integrator::rattle, Integrator::rk4, Integrator::symplectic_euler}) {
    Simulation sim(floating_machine(), {.integrator = integrator});
    test::stir(sim, 3);
    const Vec3 start = sim.linear_momentum();
    run(sim, 10.0, 1e-3);
    EXPECT_LT((sim.linear_momentum() - start).norm(), 1e-12) << name(integrator);
  }
}

TEST(Momentum, AngularIsConservedByRattleOverTenThousandSteps) {
  Simulation sim(floating_machine());
  test::stir(sim, 3);
  const Vec3 start = sim.angular_momentum();
  run(sim, 10.0, 1e-3);
  EXPECT_LT((sim.angular_momentum() - start).norm(), 1e-11 * std::max(1.0, start.norm()));
}

TEST(Ledger, ExplainsTheEnergyOfAMachineWithEverySource) {
  Model model = make_chain({.links = 3, .length = 0.5, .hinges = true});
  const auto body = [&](int i) { return *model.find_body("link" + std::to_string(i)); };
  model.add("spring", spring_damper(model.join(body(2), world, {1.5, 0, 0}, Vec3::UnitZ(), {1.0, 0, 1.0}), 30,
                                    1.0, 1.0));
  model.add("air", drag(Attachment{body(1)}, 0.2, 0.1));
  model.add("push", load(Attachment{body(2)}, {.x = constant(1.0)}, {}));
  model.add("motor", motor(model.join(body(1), body(0), {0.5, 0, 0}, Vec3::UnitY()), constant(0.5)));
  const auto unexplained = [&](double dt) {
    Simulation sim(model);
    run(sim, 1.0, dt);
    EXPECT_LT(sim.ledger()[Account::dampers], 0.0);
    EXPECT_LT(sim.ledger()[Account::drag], 0.0);
    return std::abs(sim.numerical_energy());
  };
  const double coarse = unexplained(1e-3), fine = unexplained(5e-4);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.5);  // second order: integrator and quadrature alike
}

TEST(Ledger, DrivenConstraintsAreBookedWithTheWorkTheyDo) {
  Model model;
  const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
  model.add("drive", driven_hinge(model.join(arm, world, {0, 0, 0}, Vec3::UnitY()), [](double t) {
              return Jet{-t * t, -2 * t, -2.0};
            }));
  Simulation sim(model);
  run(sim, 1.0, 1e-3);
  const double exact = 0.5 * (1.0 / 3.0) * 4.0 + 9.81 * 0.5 * std::sin(1.0);  // ½ I ω² + m g h
  EXPECT_NEAR(sim.ledger()[Account::driven], exact, 1e-5);
  EXPECT_LT(std::abs(sim.numerical_energy()), 1e-5);
}

TEST(Crane, HoldsItsJointsAndItsEnergyForTwentySeconds) {
  Simulation sim(make_chain({.links = 100, .angle = 3.14159265358979323846 / 4, .payload = 1000.0}));
  const double scale = 1000.0 * 9.81 * 10.0;  // the payload's weight times the length of the cable
  double separation = 0.0, drift = 0.0;
  for (int k = 0; k < 40000; ++k) {
    const StepReport report = sim.step(5e-4);
    ASSERT_TRUE(report.ok()) << report.message;
    separation = std::max(separation, report.constraint_error);
    drift = std::max(drift, std::abs(sim.numerical_energy()));
  }
  EXPECT_LT(separation, 1e-8);
  EXPECT_LT(drift / scale, 1e-3);
}

TEST(Crane, ReleasedFromHorizontalEndsOrStopsWithAReport) {
  Simulation sim(make_chain({.links = 100, .payload = 1000.0}));
  bool announced = false;
  for (int k = 0; k < 6000; ++k) {
    const State before = sim.state();
    const StepReport report = sim.step(5e-4);
    announced = announced || report.omega_dt > sim.options().warn_omega_dt;
    ASSERT_TRUE(sim.state().q.allFinite() && sim.state().v.allFinite());
    if (!report.ok()) {
      EXPECT_NE(report.message.find("use"), std::string::npos) << report.message;
      EXPECT_EQ(sim.state().q, before.q);
      EXPECT_TRUE(announced) << "the step was refused without an announcement";
      return;
    }
    ASSERT_LT(report.constraint_error, 1e-8);
  }
}

TEST(Spin, MoserVeselovKeepsMomentumExactlyAndEnergyWithoutDrift) {
  Model model;
  model.gravity.setZero();
  model.add("nut", std::make_shared<Rigid>(1.0, Vec3(1, 2, 3)), {.angular_velocity = {0.1, 5, 0.1}});
  Simulation sim(model);
  const Vec3 start = sim.angular_momentum();
  double first = 0.0, second = 0.0;
  for (int k = 0; k < 20000; ++k) {
    ASSERT_TRUE(sim.step(5e-3).ok());
    (k < 10000 ? first : second) = std::max(k < 10000 ? first : second, std::abs(sim.numerical_energy()));
  }
  EXPECT_LT((sim.angular_momentum() - start).norm(), 1e-12 * 20000 * 5e-3);
  EXPECT_LT(second, 1.05 * first);
}

}  // namespace
}  // namespace catena
