// Pendulums and beads against closed forms and converged references.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

using test::kGravity;
using test::run;

Options rk4() {
  return {.integrator = Integrator::rk4};
}

/// Point mass on a massless rod about the origin of the plane z = 0, gravity along -y; θ from the vertical.
struct SimplePendulum {
  Model model;
  BodyId bob;
  ConstraintId rod;
  explicit SimplePendulum(double theta, double length = 1.0) {
    model.gravity = {0, -kGravity, 0};
    const Vec3 at(length * std::sin(theta), -length * std::cos(theta), 0);
    bob = model.add("bob", std::make_shared<Particle2>(1.0), {.position = at});
    rod = model.add("rod", distance(model.join(bob, world, at, Vec3::UnitZ(), Vec3::Zero()), length));
  }
};

TEST(Pendulum, PeriodFollowsTheArithmeticGeometricMeanForEveryAmplitude) {
  const std::pair<double, double> cases[] = {
      {30, 1.0174087975959560}, {90, 1.1803405990160962}, {170, 2.4393627196738841}};
  for (const auto& [degrees, ratio] : cases) {
    SimplePendulum p(degrees * std::numbers::pi / 180);
    Simulation sim = test::simulate(p.model, rk4());
    const double quarter = ratio * 2 * std::numbers::pi * std::sqrt(1 / kGravity) / 4;
    run(sim, quarter, quarter / std::ceil(quarter / 1e-3));
    // at the bottom after a quarter of the period: what is missing, over the speed, is the error in time
    const Placement at = sim.placement(p.bob);
    EXPECT_NEAR(at.position.x() / at.velocity.x() / quarter, 0.0, 1e-9) << degrees << " degrees";
  }
}

TEST(Pendulum, IftommA01PositionsAfterOneFiveAndTenSeconds) {
  SimplePendulum p(-std::numbers::pi / 2);
  Simulation sim = test::simulate(p.model, rk4());
  const std::tuple<double, double, double> exact[] = {{1, 0.9862917511318753, -0.1650108531255412},
                                                      {5, -0.9423054350437573, -0.3347543384140006},
                                                      {10, -0.2750874625761169, -0.9614192050991251}};
  for (const auto& [t, x, y] : exact) {
    run(sim, t, 1e-3);
    EXPECT_NEAR(sim.placement(p.bob).position.x(), x, 1e-8) << "t = " << t;
    EXPECT_NEAR(sim.placement(p.bob).position.y(), y, 1e-8) << "t = " << t;
  }
}

TEST(Pendulum, RodTensionIsMgTimesThreeCosThetaMinusTwoCosStart) {
  const double start = std::numbers::pi / 2;
  SimplePendulum p(start);
  Simulation sim = test::simulate(p.model, rk4());
  double largest = 0.0;
  for (int k = 0; k < 20; ++k) {
    run(sim, sim.time() + 0.05, 1e-3);
    const double cosine = -sim.placement(p.bob).position.y();
    const double exact = kGravity * (3 * cosine - 2 * std::cos(start));
    const double tension = -sim.multipliers(p.rod)[0];  // λ pushes apart; a rod under tension pulls
    EXPECT_NEAR(tension, exact, 1e-10 * 3 * kGravity);
    largest = std::max(largest, tension);
  }
  EXPECT_NEAR(largest / kGravity, 3.0, 0.02);
}

TEST(Bead, PeriodOnACycloidIsTheSameForEveryAmplitude) {
  const double quarter = 4.012133361421295 / 4;
  for (double start : {0.3, 1.5, 2.5}) {
    Model model;
    model.gravity = {0, -kGravity, 0};
    const auto wire = cycloid(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), 1.0);
    const Vec3 at = wire->at(start).c;
    const BodyId bead = model.add("bead", std::make_shared<Particle2>(1.0), {.position = at});
    model.add("wire", point_on_curve(model.mark(bead, at), Attachment{}, wire));
    Simulation sim = test::simulate(model, rk4());
    run(sim, quarter, quarter / 1000);
    const Placement end = sim.placement(bead);
    EXPECT_NEAR(end.position.x() / end.velocity.x() / quarter, 0.0, 1e-8) << "u0 = " << start;
  }
}

/// A hoop of radius 1 that is driven about the vertical z, and a bead on it at angle θ from the bottom.
struct SpinningHoop {
  Model model;
  BodyId hoop, bead;
  SpinningHoop(double theta, double omega) {
    hoop =
        model.add("hoop", std::make_shared<Rigid>(1.0, Vec3(1, 1, 1)), {.angular_velocity = {0, 0, omega}});
    const Vec3 at(std::sin(theta), 0, -std::cos(theta));
    bead = model.add("bead", std::make_shared<Particle3>(1.0),
                     {.position = at, .velocity = Vec3(0, 0, omega).cross(at)});
    model.add("drive", driven_hinge(model.join(hoop, world, Vec3::Zero()), ramp(0.0, omega)));
    model.add("wire", point_on_curve(model.mark(bead, at), Attachment{hoop},
                                     circle(Vec3::Zero(), Vec3::UnitY(), 1.0)));
  }
};

TEST(Bead, RestsOnASpinningHoopWhereTheFormulaSays) {
  const double theta = 66.8960829293908 * std::numbers::pi / 180;
  SpinningHoop s(theta, 5.0);
  Simulation sim = test::simulate(s.model, rk4());
  run(sim, 1.0, 1e-3);
  EXPECT_NEAR(std::acos(-sim.placement(s.bead).position.z()), theta, 1e-8);
}

TEST(Bead, OscillatesOnASpinningHoopAtTheFrequencyOfTheFormula) {
  const double theta = 66.8960829293908 * std::numbers::pi / 180;
  const auto theta_acceleration = [&](double t) {
    SpinningHoop s(t, 5.0);
    Simulation sim = test::simulate(s.model, rk4());
    const Vec3 along(std::cos(t), 0, std::sin(t));  // ∂x/∂θ
    const int bead = 6;                             // after the hoop's six velocities
    return along.dot(sim.accelerations().segment<3>(bead)) +
           25.0 * std::sin(t) * std::cos(t);  // centripetal part out
  };
  const double d = 1e-4;
  const double omega2 = -(theta_acceleration(theta + d) - theta_acceleration(theta - d)) / (2 * d);
  EXPECT_NEAR(std::sqrt(omega2), 4.598973363697597, 1e-7);
}

TEST(DoublePendulum, AnglesAfterOneThreeAndFiveSeconds) {
  Model model;
  model.gravity = {0, -kGravity, 0};
  const BodyId first = model.add("first", std::make_shared<Particle2>(1.0), {.position = {1, 0, 0}});
  const BodyId second = model.add("second", std::make_shared<Particle2>(1.0), {.position = {2, 0, 0}});
  model.add("upper", distance(model.join(first, world, {1, 0, 0}, Vec3::UnitZ(), Vec3::Zero()), 1.0));
  model.add("lower", distance(model.join(second, first, {2, 0, 0}, Vec3::UnitZ(), {1, 0, 0}), 1.0));
  Simulation sim = test::simulate(model, rk4());
  const std::tuple<double, double, double> exact[] = {{1, -0.62508769980639063, -1.0345850856800123},
                                                      {3, 1.7857955220774167, 1.1181074612051554},
                                                      {5, -0.62718670506653073, -1.3013155502098117}};
  for (const auto& [t, theta1, theta2] : exact) {
    run(sim, t, 1e-3);
    const Vec3 a = sim.placement(first).position;
    const Vec3 b = sim.placement(second).position - a;
    EXPECT_NEAR(std::remainder(std::atan2(a.x(), -a.y()) - theta1, 2 * std::numbers::pi), 0.0, 1e-9)
        << "t = " << t;
    EXPECT_NEAR(std::remainder(std::atan2(b.x(), -b.y()) - theta2, 2 * std::numbers::pi), 0.0, 1e-9)
        << "t = " << t;
  }
}

}  // namespace
}  // namespace catena
