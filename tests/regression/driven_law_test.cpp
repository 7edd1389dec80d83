// Driven laws that break: a position that jumps is refused with its time, a rate that jumps is an impulse whose work is driven.
#include "catena/analysis.h"
#include "catena/scene.h"
#include "support/mechanisms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace {

constexpr Integrator kMoving[] = {Integrator::rattle,
                                  Integrator::rk4,
                                  Integrator::dormand_prince,
                                  Integrator::symplectic_euler,
                                  Integrator::bdf2,
                                  Integrator::tr_bdf2,
                                  Integrator::generalised_alpha,
                                  Integrator::backward_euler,
                                  Integrator::linearised_euler};

/// A driven arm with a bob on a bar at its end.
Simulation driven_arm(const std::string& law, Integrator integrator) {
  Scene scene = parse_scene(fmt::format(R"yaml(
gravity: [0, -9.81]
bodies:
  - {{name: arm, kind: planar, mass: 1, from: [0, 0], to: [1, 0]}}
  - {{name: bob, kind: particle-2d, mass: 1, position: [2, 0]}}
joints:
  - {{name: h, kind: hinge, a: arm, point: [0, 0], angle: "{}"}}
  - {{name: s, kind: distance, a: bob, b: arm, point_b: [1, 0]}}
)yaml",
                                        law));
  scene.options.integrator = integrator;
  scene.options.tolerance = 1e-10;
  return Simulation(scene.model, scene.options);
}

StepReport take_steps(Simulation& sim, double dt, int count) {
  StepReport report;
  for (int k = 0; k < count && report.ok(); ++k) report = sim.step(dt);
  return report;
}

Vec3 bob_of(const Simulation& sim) {
  return sim.placement(*sim.model().find_body("bob")).position;
}

using test::says;

TEST(DrivenLaw, APositionThatJumpsIsRefusedWithItsTimeByEveryIntegrator) {
  for (const Integrator integrator : kMoving)
    for (const char* law :
         {"0.5*step(t-0.0503)", "2*step(t-0.0503)", "pi*step(t-0.0503)", "1e-3*floor(t/0.0503)"}) {
      Simulation sim = driven_arm(law, integrator);
      const StepReport report = take_steps(sim, 1e-3, 100);
      EXPECT_FALSE(report.ok()) << law;
      EXPECT_TRUE(says(report.message, "constraint 'h'") && says(report.message, "jumps at t = 0.0503 s"))
          << name(integrator) << ", " << law << ": " << report.message;
      EXPECT_NEAR(sim.time(), 0.05, 1e-12);  // the refused step left the state where it was
      EXPECT_LT(sim.constraint_error(), integrator == Integrator::linearised_euler ? 1e-5 : 1e-9);
    }
}

TEST(DrivenLaw, ARateThatJumpsGivesAnImpulseThatIsBookedAsDriven) {
  for (const Integrator integrator : kMoving) {
    Simulation sim = driven_arm("3*max(0, t-0.0503)", integrator);
    ASSERT_TRUE(take_steps(sim, 1e-3, 50).ok());
    const double numerical = sim.numerical_energy();
    const double driven = sim.ledger()[Account::driven];
    const StepReport report = sim.step(1e-3);
    ASSERT_TRUE(report.ok()) << name(integrator) << ": " << report.message;
    EXPECT_NEAR(report.advanced, 1e-3, 1e-15);
    const double rate = sim.placement(*sim.model().find_body("arm")).angular_velocity.z();
    EXPECT_NEAR(rate, 3.0, integrator == Integrator::linearised_euler ? 1e-4 : 1e-9) << name(integrator);
    // the arm's ½(1/3)3² alone is 1.5 J; the bob is taken along
    EXPECT_GT(sim.ledger()[Account::driven] - driven, 1.4) << name(integrator);
    const double left = std::abs(sim.numerical_energy() - numerical);
    EXPECT_LT(left, traits(integrator).order > 1 ? 2e-3 : 3e-2) << name(integrator);
  }
}

TEST(DrivenLaw, StepsKeepTheirOrderAcrossAKink) {
  // the same motion with the kink between steps
  const auto end_of = [](Integrator integrator, double dt, int count) {
    Simulation sim = driven_arm("2*max(0, t-0.1/3) + sin(t)^3", integrator);
    EXPECT_TRUE(take_steps(sim, dt, count).ok());
    return bob_of(sim);
  };
  const Vec3 exact = end_of(Integrator::dormand_prince, 0.1, 1);
  for (const auto& [integrator, order] :
       {std::pair{Integrator::rk4, 4}, {Integrator::rattle, 2}, {Integrator::tr_bdf2, 2}}) {
    const double coarse = (end_of(integrator, 0.01, 10) - exact).norm(),
                 fine = (end_of(integrator, 0.005, 20) - exact).norm();
    EXPECT_GT(std::log2(coarse / fine), order - 0.4) << name(integrator) << " " << coarse << " " << fine;
  }
  EXPECT_LT((end_of(Integrator::rk4, 0.005, 20) - exact).norm(), 1e-8);
}

TEST(DrivenLaw, SeveralBreaksInOneStepAreFollowedOneAfterTheOther) {
  const char* const law = "3*max(0, t-0.0103) - 5*max(0, t-0.0207) + 2*max(0, t-0.0402)";
  // the same with every break between two steps
  const auto stretches = [&](Integrator integrator) {
    Simulation sim = driven_arm(law, integrator);
    for (const double end : {0.0103, 0.0207, 0.0402, 0.05}) EXPECT_TRUE(sim.step(end - sim.time()).ok());
    return sim;
  };
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::dormand_prince, Integrator::rattle, Integrator::bdf2}) {
    Simulation sim = driven_arm(law, integrator);
    const StepReport report = sim.step(0.05);
    ASSERT_TRUE(report.ok()) << name(integrator) << ": " << report.message;
    EXPECT_NEAR(report.advanced, 0.05, 1e-15);
    const Simulation same = stretches(integrator);
    EXPECT_LT((bob_of(sim) - bob_of(same)).norm(), 1e-9) << name(integrator);
    const Placement arm = sim.placement(*sim.model().find_body("arm"));
    EXPECT_NEAR(arm.angular_velocity.z(), 0.0, 1e-9) << name(integrator);
    EXPECT_NEAR(std::atan2(arm.position.y(), arm.position.x()), 3 * 0.0397 - 5 * 0.0293 + 2 * 0.0098, 1e-9);
    EXPECT_NEAR(sim.ledger()[Account::driven], same.ledger()[Account::driven], 1e-7) << name(integrator);
  }
}

TEST(DrivenLaw, MoreBreaksInOneStepThanCanBeMeantAreRefused) {
  Simulation sim = driven_arm("1e-6*abs(sin(1e4*t))", Integrator::rattle);
  ASSERT_TRUE(sim.project().ok());
  const State before = sim.state();
  const StepReport report = sim.step(0.5);  // 1,591 breaks
  EXPECT_TRUE(says(report.message, "break more than 1000 times in a step of 0.5 s")) << report.message;
  EXPECT_TRUE(identical(sim.state(), before));
}

TEST(DrivenLaw, SmoothLawsAreLeftAlone) {
  for (const char* law : {"40*t", "sin(300*t)", "3*t^2 + 1e-3*sin(2000*t)", "smoothstep((t-0.05)/0.02)"}) {
    Simulation sim = driven_arm(law, Integrator::rk4);
    EXPECT_TRUE(law_breaks(sim, 0.2, 1.0 / 60.0).empty()) << law;
  }
}

TEST(DrivenLaw, BreaksAreToldBeforeTheRun) {
  const Simulation kink = driven_arm("3*max(0, t-0.0503)", Integrator::rattle);
  const auto told = law_breaks(kink, 1.0, 1e-3);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(says(told[0], "rate of the law of constraint 'h'") && says(told[0], "by 3 at t = 0.0503 s"))
      << told[0];
  const Simulation jump = driven_arm("pi*step(t-0.7)", Integrator::rattle);
  const auto warned = law_breaks(jump, 1.0, 1e-3);
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_TRUE(says(warned[0], "jumps at t = 0.7 s") && says(warned[0], "smoothstep")) << warned[0];
}

}  // namespace
}  // namespace catena
