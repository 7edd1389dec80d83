// Tops, gears and free bodies against closed forms.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::body_rate;
using test::run;

struct FreeBody {
  Model model;
  BodyId body;
  explicit FreeBody(const Vec3& rate) {
    model.gravity.setZero();
    body = model.add("body", std::make_shared<Rigid>(1.0, Vec3(1, 2, 3)), {.angular_velocity = rate});
  }
};

TEST(EulerTop, BodyRatesAfterTenSeconds) {
  FreeBody top({1, 2, 3});
  Simulation sim = test::simulate(top.model, {.integrator = Integrator::rk4});
  run(sim, 10, 1e-3);
  const Vec3 exact(1.9955036376683322, 1.0089426307042702, 3.1613306675063033);
  EXPECT_LT((body_rate(sim, top.body) - exact).norm(), 1e-9);
}

TEST(EulerTop, BodyRatesReturnAfterOnePeriod) {
  FreeBody top({1, 2, 3});
  Simulation sim = test::simulate(top.model, {.integrator = Integrator::rk4});
  const double period = 2.041488040537339701;
  run(sim, period, period / 2048);
  EXPECT_LT((body_rate(sim, top.body) - Vec3(1, 2, 3)).norm(), 1e-9);
}

TEST(Dzhanibekov, FlipsOnSchedule) {
  FreeBody nut({0.1, 5, 0.1});
  Simulation sim = test::simulate(nut.model, {.integrator = Integrator::rk4});
  run(sim, 2, 1e-3);
  EXPECT_LT((body_rate(sim, nut.body) - Vec3(-4.933647727461, -0.817997616938, 2.849612833274)).norm(), 1e-6);
}

// Steady precession of a heavy top about its fixed tip: I₁ about the tip, ω₃ the total spin about the axis.
TEST(LagrangeTop, PrecessesSteadilyAtBothRatesOfTheFormula) {
  const double I1 = 0.05, I3 = 0.02, m = 1, l = 0.1, spin = 200, theta = 3.14159265358979323846 / 6;
  for (double precession : {0.24590459689290908, 92.1301384734472}) {
    Model model;
    const Quat tilt(Eigen::AngleAxisd(theta, Vec3::UnitY()));
    const Vec3 axis = tilt * Vec3::UnitZ();
    // ω = Ω z + (ω₃ - Ω cos θ) axis: its component along the axis is ω₃
    const Vec3 w = precession * Vec3::UnitZ() + (spin - precession * std::cos(theta)) * axis;
    const BodyId top = model.add(
        "top", std::make_shared<Rigid>(m, Vec3(I1 - m * l * l, I1 - m * l * l, I3)),
        {.position = l * axis, .orientation = tilt, .velocity = w.cross(l * axis), .angular_velocity = w});
    model.add("tip", ball(model.join(top, world, Vec3::Zero())));
    Simulation sim = test::simulate(model, {.integrator = Integrator::rk4});
    const double end = 0.25;
    run(sim, end, 1e-5);
    const Vec3 exact = Quat(Eigen::AngleAxisd(precession * end, Vec3::UnitZ())) * axis;
    EXPECT_LT((sim.placement(top).orientation * Vec3::UnitZ() - exact).norm(), 1e-8)
        << precession << " rad/s";
  }
}

TEST(GearPair, AcceleratesWithTheReflectedInertia) {
  Model model;
  model.gravity.setZero();
  const BodyId one = model.add("one", std::make_shared<Rigid>(1.0, Vec3(1, 1, 1)));
  const BodyId two = model.add("two", std::make_shared<Rigid>(1.0, Vec3(2, 2, 2)), {.position = {3, 0, 0}});
  model.add("axle one", hinge(model.join(one, world, Vec3::Zero())));
  model.add("axle two", hinge(model.join(two, world, {3, 0, 0})));
  model.add("mesh", gear(model.join(two, one, Vec3::Zero()), -0.5));  // ω₂ = -½ ω₁
  model.add("torque", motor(model.join(one, world, Vec3::Zero()), constant(1.0)));
  Simulation sim = test::simulate_bodies(model);
  EXPECT_EQ(sim.choice().solver, Solver::tree);
  EXPECT_NEAR(sim.accelerations()[5], 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(sim.accelerations()[11], -1.0 / 3.0, 1e-12);
  run(sim, 1.0, 1e-2);
  EXPECT_NEAR(sim.placement(two).angular_velocity.z(), -0.5 * sim.placement(one).angular_velocity.z(), 1e-12);
  EXPECT_NEAR(sim.placement(one).angular_velocity.z(), 2.0 / 3.0, 1e-12);
}

TEST(SymplecticEuler, KeepsItsModifiedEnergyOnALinearSpring) {
  Model model;
  model.gravity.setZero();
  const BodyId mass = model.add("mass", std::make_shared<Particle3>(1.0), {.position = {1, 0, 0}});
  model.add("spring", mouse_spring(Attachment{mass}, Vec3::Zero(), 100.0, 0.0));
  Simulation sim = test::simulate(model, {.integrator = Integrator::symplectic_euler});
  const double h = 0.01, w2 = 100.0;
  const auto invariant = [&] {
    const double x = sim.placement(mass).position.x(), v = sim.placement(mass).velocity.x();
    return v * v + w2 * x * x - h * w2 * x * v;
  };
  const double start = invariant();
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(sim.step(h).ok());
    ASSERT_NEAR(invariant() / start, 1.0, 1e-13 * (k + 1));
  }
}

}  // namespace
}  // namespace catena
