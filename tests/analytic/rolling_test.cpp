// Rolling, ropes and couplings against closed forms.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

using test::kGravity;

void advance(Simulation& sim, double seconds, double dt) {
  const double end = sim.time() + seconds;
  while (sim.time() < end - 0.5 * dt) {
    const StepReport report = sim.step(dt);
    ASSERT_TRUE(report.ok()) << report.message;
  }
}

Options accurate(double tolerance = 1e-11) {
  return {.integrator = Integrator::dormand_prince, .tolerance = tolerance};
}

// m1 = 2, m2 = 1 over a pulley with I/r² = 0.5: a = (m1 - m2) g/(m1 + m2 + I/r²)
TEST(Atwood, AcceleratesAsTheClosedFormSays) {
  const double r = 0.2;
  Model model;
  const double axial = 0.5 * r * r;
  const BodyId pulley = model.add("pulley", std::make_shared<Rigid>(1.0, Vec3(axial, axial, axial)));
  const BodyId heavy = model.add("heavy", std::make_shared<Particle3>(2.0), {.position = {r, 0, -1}});
  const BodyId light = model.add("light", std::make_shared<Particle3>(1.0), {.position = {-r, 0, -1}});
  model.add("axle", hinge(model.join(pulley, world, Vec3::Zero(), Vec3::UnitY())));
  const Attachment drum = model.mark(pulley, Vec3::Zero(), Vec3::UnitY());
  model.add("left", rope_on_drum(model.mark(heavy, {r, 0, -1}), drum, r, Winding::left));
  model.add("right", rope_on_drum(model.mark(light, {-r, 0, -1}), drum, r, Winding::right));
  Simulation sim = test::simulate_bodies(model, accurate());
  const double a = kGravity / 3.5;
  EXPECT_NEAR(a, 2.802857142857143, 1e-15);
  EXPECT_NEAR(sim.accelerations()[6 + 2], -a, 1e-12);
  EXPECT_NEAR(sim.accelerations()[6 + 3 + 2], a, 1e-12);
  advance(sim, 0.5, 1e-3);
  EXPECT_NEAR(sim.placement(heavy).position.z(), -1.0 - 0.5 * a * 0.25, 1e-9);
  EXPECT_NEAR(sim.placement(light).position.z(), -1.0 + 0.5 * a * 0.25, 1e-9);
  EXPECT_LT(sim.constraint_error(), 1e-11);
}

// A drum that turns by φ takes up r·φ of rope.
TEST(RopeOnDrum, TheWinchLiftsByItsRadiusTimesItsAngle) {
  const double r = 0.2;
  Model model;
  const BodyId drum = model.add("drum", std::make_shared<Rigid>(1.0, Vec3(0.1, 0.1, 0.1)));
  const BodyId load = model.add("load", std::make_shared<Particle3>(3.0), {.position = {r, 0, -2}});
  model.add("axle", driven_hinge(model.join(drum, world, Vec3::Zero(), Vec3::UnitY()), [](double t) {
              return Jet{-2.0 * t * t, -4.0 * t, -4.0};
            }));
  model.add("rope", rope_on_drum(model.mark(load, {r, 0, -2}), model.mark(drum, Vec3::Zero(), Vec3::UnitY()),
                                 r, Winding::left));
  Simulation sim = test::simulate(model, accurate());
  advance(sim, 2.0, 0.01);
  EXPECT_NEAR(sim.placement(load).position.z(), -2.0 + r * 8.0, 1e-8);  // more than one turn
  EXPECT_NEAR(sim.placement(load).position.x(), r, 1e-8);
}

TEST(Rope, TheBlockHalvesTheForce) {
  // both ends of the rope: one at the ceiling, round a block that carries the load, back to a counterweight over a ring
  Model model;
  const BodyId block = model.add("block", std::make_shared<Particle3>(4.0), {.position = {0, 0, -2}});
  const BodyId weight = model.add("weight", std::make_shared<Particle3>(2.0), {.position = {1, 0, -1}});
  const auto at = [&](BodyId body, const Vec3& x) { return model.mark(body, x); };
  const std::vector<Attachment> through{at(world, {-1e-9, 0, 0}), at(block, {0, 0, -2}),
                                        at(world, {1e-9, 0, 0}), at(world, {1, 0, 0}),
                                        at(weight, {1, 0, -1})};
  model.add("rope", rope(through, 2.0 + 2.0 + 1.0 - 1e-9 + 1.0));
  Simulation sim = test::simulate(model);
  EXPECT_LT(sim.accelerations().norm(), 1e-7);  // in balance: 2 kg hold 4 kg
}

TEST(Turntable, ABallCirclesAtTwoSevenths) {
  const double r = 0.1, Omega = 2.0;
  Model model;
  const BodyId table = model.add("table", std::make_shared<Rigid>(100.0, Vec3(50, 50, 100)),
                                 {.angular_velocity = {0, 0, Omega}});
  const double rate = 2.0 / 7.0 * Omega;
  const Vec3 x(0.5, 0, r), v(0, rate * 0.5, 0);
  // rolling on the turning table: ω × (-r z) + v = Ω × x
  const Vec3 surface(0, Omega * 0.5, 0), slip = surface - v;  // = ω × (-r z)
  const Vec3 w(slip.y() / r, -slip.x() / r, 0);
  const BodyId ball =
      model.add("ball", sphere(1.0, r), {.position = x, .velocity = v, .angular_velocity = w});
  model.add("axle", driven_hinge(model.join(table, world, Vec3::Zero()), ramp(0.0, Omega)));
  model.add("rolls", rolling(model.mark(ball, x), sphere_shape(r), model.mark(table, Vec3::Zero())));
  Simulation sim = test::simulate(model, accurate());
  const double period = 2.0 * std::numbers::pi / rate;
  advance(sim, 0.25 * period, 0.25 * period / 100);
  EXPECT_NEAR((sim.placement(ball).position - Vec3(0, 0.5, r)).norm(), 0.0, 1e-8);
  advance(sim, 0.75 * period, 0.25 * period / 100);
  EXPECT_NEAR((sim.placement(ball).position - x).norm(), 0.0, 1e-7);
}

TEST(Pipe, ABallBobsAtTheRootOfTwoSevenths) {
  // a ball that runs round the inside of a vertical pipe falls and climbs again with √(2/7) of its rate of circling
  const double R = 1.0, r = 0.1, rate = 5.0, rho = R - r;
  Model model;
  const Vec3 x(rho, 0, 0), v(0, rate * rho, 0);
  // contact at (R, 0, 0): v + ω × (r, 0, 0) = 0 with ω along z: ω_z r = -v_y
  const BodyId ball = model.add("ball", sphere(1.0, r),
                                {.position = x, .velocity = v, .angular_velocity = {0, 0, -v.y() / r}});
  model.add("rolls", rolling_on_surface(model.mark(ball, x), sphere_shape(r), model.mark(world, Vec3::Zero()),
                                        cylinder_surface(Vec3::Zero(), Vec3::UnitZ(), R, true)));
  Simulation sim = test::simulate(model, accurate());
  const double bobbing = std::sqrt(2.0 / 7.0) * rate;
  const double depth = kGravity * 5.0 / 7.0 / (bobbing * bobbing);
  for (const double phase : {0.25, 0.5, 0.75, 1.0}) {
    const double end = 2.0 * std::numbers::pi * phase / bobbing;
    advance(sim, end - sim.time(), (end - sim.time()) / 50);
    EXPECT_NEAR(sim.placement(ball).position.z(), -depth * (1.0 - std::cos(2.0 * std::numbers::pi * phase)),
                1e-7)
        << phase;
  }
}

/// A body that touches the inside of something near its lowest point; how fast it swings along x and y, from its accelerations there.
Vec2 swing_rates(const std::function<ConstraintPtr(const Attachment&, const Attachment&)>& touch,
                 double bottom) {
  Vec2 rates;
  for (int axis = 0; axis < 2; ++axis) {
    Model model;
    Vec3 x(0, 0, bottom);
    x[axis] = 1e-4;
    const BodyId ball = model.add("ball", sphere(1.0, 0.1), {.position = x});
    model.add("touch", touch(model.mark(ball, x), model.mark(world, Vec3::Zero())));
    Simulation sim = test::simulate(model, accurate());
    EXPECT_TRUE(sim.project().ok());
    rates[axis] = std::sqrt(-sim.accelerations()[axis] / sim.placement(ball).position[axis]);
  }
  return rates;
}

TEST(Bowl, ASphereSwingsWithTheRadiusOfCurvatureLessItsOwn) {
  // the bottom of an ellipsoid bends with a²/c; the centre's path is nearer by the radius
  const Vec3 a(2, 1.5, 1);
  const double r = 0.1;
  const auto slide = [&](const Attachment& ball, const Attachment& bowl) {
    return tangency(ball, sphere_shape(r), bowl, cavity(ellipsoid_shape(a)));
  };
  const auto roll = [&](const Attachment& ball, const Attachment& bowl) {
    return rolling(ball, sphere_shape(r), bowl, cavity(ellipsoid_shape(a)));
  };
  const Vec2 sliding = swing_rates(slide, r - a.z()), rolling_rates = swing_rates(roll, r - a.z());
  for (int axis = 0; axis < 2; ++axis) {
    const double length = a[axis] * a[axis] / a.z() - r;
    EXPECT_NEAR(sliding[axis], std::sqrt(kGravity / length), 1e-6);
    EXPECT_NEAR(rolling_rates[axis], std::sqrt(5.0 / 7.0 * kGravity / length), 1e-6);
  }
}

TEST(Bowl, AnEggRollsAlikeInACavityAndOnASurface) {
  // contact by two supports, and by a support and a distance: two derivations, one motion
  const Vec3 egg(0.3, 0.2, 0.1);
  const auto motion = [&](bool by_distance, bool rolls) {
    Model model;
    const Vec3 x(0.1, 0.05, -0.88);
    const BodyId body = model.add("egg", std::make_shared<Rigid>(1.0, Vec3(0.01, 0.02, 0.026)),
                                  {.position = x, .velocity = {0.3, 0, 0}, .angular_velocity = {0, -1, 1}});
    const Attachment a = model.mark(body, x), b = model.mark(world, Vec3::Zero());
    const SurfacePtr surface = sphere_surface(Vec3::Zero(), 1.0, true);
    const ConvexShapePtr shape = ellipsoid_shape(egg), bowl = cavity(sphere_shape(1.0));
    model.add("touch", by_distance ? (rolls ? rolling_on_surface(a, shape, b, surface)
                                            : tangency_on_surface(a, shape, b, surface))
                                   : (rolls ? rolling(a, shape, b, bowl) : tangency(a, shape, b, bowl)));
    Simulation sim = test::simulate(model, accurate());
    EXPECT_TRUE(sim.project().ok());
    const double start = sim.energy().total();
    advance(sim, 1.0, 0.01);
    EXPECT_NEAR(sim.energy().total(), start, 1e-7);
    return VecX(sim.state().q);
  };
  for (const bool rolls : {false, true})
    EXPECT_LT((motion(true, rolls) - motion(false, rolls)).norm(), 1e-7) << rolls;
}

TEST(Bowl, WhatIsFlatterThanItsHollowIsRefusedWithTheReason) {
  Model model;
  const Vec3 x(0, 0, -0.4);
  const BodyId lens =
      model.add("lens", std::make_shared<Rigid>(1.0, Vec3(0.01, 0.02, 0.026)), {.position = x});
  model.add("touch", tangency(model.mark(lens, x), ellipsoid_shape({0.6, 0.5, 0.1}),
                              model.mark(world, Vec3::Zero()), cavity(sphere_shape(0.5))));
  Simulation sim = test::simulate(model, accurate());
  const StepReport report = sim.step(1e-3);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("nothing flatter than the hollow"), std::string::npos) << report.message;
}

/// Largest lean of a disc that rolls upright with the given speed and a small disturbance.
double largest_lean(double speed, const Vec3& moments) {
  const double r = 0.5;
  Model model;
  const Mat3 upright = (Mat3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();  // body z along -y: rolls along x
  const Vec3 x(0, 0, r);
  const BodyId disc = model.add("disc", std::make_shared<Rigid>(1.0, moments),
                                {.position = x,
                                 .orientation = Quat(upright),
                                 .velocity = {speed, 0, 0},
                                 .angular_velocity = {0, speed / r, 0}});
  model.add("rolls",
            rolling(model.mark_axes(disc, x, upright), disc_shape(r), model.mark(world, Vec3::Zero())));
  Simulation sim = test::simulate(model, accurate(1e-10));
  EXPECT_TRUE(sim.apply_impulse(disc, x + Vec3(0, 0, r), {0, 1e-5, 0}).ok());
  double lean = 0.0;
  for (int k = 0; k < 400; ++k) {
    EXPECT_TRUE(sim.step(0.01).ok());
    lean = std::max(lean, std::abs((sim.placement(disc).orientation * Vec3::UnitZ()).z()));
  }
  return lean;
}

TEST(RollingDisc, IsStableAboveItsCriticalSpeed) {
  const double r = 0.5;
  const Vec3 disc(0.25 * r * r, 0.25 * r * r, 0.5 * r * r), hoop = 2.0 * disc;
  const double critical_disc = std::sqrt(kGravity * r / 3.0), critical_hoop = std::sqrt(kGravity * r / 4.0);
  EXPECT_LT(largest_lean(1.1 * critical_disc, disc), 1e-3);
  EXPECT_GT(largest_lean(0.8 * critical_disc, disc), 1e-2);
  EXPECT_LT(largest_lean(1.1 * critical_hoop, hoop), 1e-3);
  EXPECT_GT(largest_lean(0.8 * critical_hoop, hoop), 1e-2);
}

/// Angular velocity about the vertical over time of a rattleback that starts with the given spin.
std::vector<double> spin_of_rattleback(double spin) {
  // ellipsoid with its axes of inertia turned against those of its shape by 5°
  const Vec3 semi_axes(0.2, 0.03, 0.02);
  const Mat3 turn = Eigen::AngleAxisd(5.0 * std::numbers::pi / 180.0, Vec3::UnitZ()).toRotationMatrix();
  const Vec3 moments = Vec3(2.0e-4, 1.6e-3, 1.7e-3);
  Model model;
  const Vec3 x(0, 0, semi_axes.z());
  const BodyId stone = model.add("stone", std::make_shared<Rigid>(1.0, moments),
                                 {.position = x, .angular_velocity = {0.01, 0, spin}});
  model.add("rolls", rolling(model.mark_axes(stone, x, turn), ellipsoid_shape(semi_axes),
                             model.mark(world, Vec3::Zero())));
  Simulation sim = test::simulate(model, accurate(1e-9));
  EXPECT_TRUE(sim.project().ok());
  const double energy = sim.energy().total();
  std::vector<double> history;
  for (int k = 0; k < 800; ++k) {
    const StepReport report = sim.step(0.01);
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    history.push_back(sim.placement(stone).angular_velocity.z());
  }
  EXPECT_NEAR(sim.energy().total(), energy, 1e-6 * std::abs(energy));
  return history;
}

TEST(Rattleback, ReversesOneSenseOfSpinAndNotTheOther) {
  const std::vector<double> left = spin_of_rattleback(5.0), right = spin_of_rattleback(-5.0);
  const double left_end = *std::min_element(left.begin(), left.end());
  const double right_end = *std::max_element(right.begin(), right.end());
  // exactly one of them changes its sign
  EXPECT_NE(left_end<-0.5, right_end> 0.5) << left_end << " " << right_end;
}

TEST(ChaplyginSleigh, ComesToRunStraightAtTheSpeedOfItsEnergy) {
  // blade behind the centre of mass: spin dies away and all energy becomes forward motion
  Model model;
  model.gravity.setZero();
  const double a = 0.3, m = 2.0, I = 0.1, spin = 3.0;
  const BodyId sleigh = model.add("sleigh", std::make_shared<PlanarRigid>(m, I),
                                  {.velocity = {0, a * spin, 0}, .angular_velocity = {0, 0, spin}});
  model.add("blade", knife_edge(model.mark(sleigh, {-a, 0, 0}), model.mark(world, {-a, 0, 0})));
  Simulation sim = test::simulate(model, accurate());
  const double energy = sim.energy().total();
  EXPECT_NEAR(energy, 0.5 * (m * a * a + I) * spin * spin, 1e-12);
  advance(sim, 20.0, 0.05);
  const Placement end = sim.placement(sleigh);
  EXPECT_LT(std::abs(end.angular_velocity.z()), 1e-6);
  EXPECT_NEAR(end.velocity.norm(), std::sqrt(2.0 * energy / m), 1e-7);
}

TEST(Screw, FallsAlongItsThreadAsTheClosedFormSays) {
  // m ẍ + (2π/p)² J ẍ = m g
  Model model;
  const double m = 2.0, J = 0.01, pitch = 0.2;
  const BodyId nut = model.add("nut", std::make_shared<Rigid>(m, Vec3(0.01, 0.01, J)));
  model.add("thread", screw(model.join(nut, world, Vec3::Zero()), pitch));
  Options options = accurate();
  options.formulation = Formulation::maximal;  // accelerations are those of the body
  Simulation sim = test::simulate(model, options);
  const double turns = 2.0 * std::numbers::pi / pitch, a = kGravity * m / (m + turns * turns * J);
  EXPECT_NEAR(sim.accelerations()[2], -a, 1e-12);
  advance(sim, 3.0, 1e-2);
  EXPECT_NEAR(sim.placement(nut).position.z(), -0.5 * a * 9.0, 1e-6);  // many turns
}

// Four radians per step: the turn is found from where the angle was heading.
TEST(Screw, CountsTurnsFasterThanItsSteps) {
  Model model;
  model.gravity.setZero();
  const double pitch = 0.1, rate = 400.0, speed = pitch * rate / (2.0 * std::numbers::pi);
  const BodyId nut = model.add("nut", std::make_shared<Rigid>(1.0, Vec3(0.01, 0.01, 0.01)),
                               {.velocity = {0, 0, speed}, .angular_velocity = {0, 0, rate}});
  model.add("thread", screw(model.join(nut, world, Vec3::Zero()), pitch));
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince}) {
    Simulation sim = test::simulate(model, {.integrator = integrator});
    advance(sim, 1.0, 0.01);
    EXPECT_NEAR(sim.placement(nut).position.z(), speed, 1e-8) << name(integrator);
    EXPECT_NEAR(sim.placement(nut).angular_velocity.z(), rate, 1e-8) << name(integrator);
  }
}

TEST(Planetary, TheCarrierTurnsAsWillisSays) {
  // sun driven at 1 rad/s, ring held: ω_carrier = ω_sun/(1 + z_ring/z_sun)
  Model model;
  model.gravity.setZero();
  const double sun_teeth = 20, planet_teeth = 15, ring_teeth = 50,
               ratio = 1.0 / (1.0 + ring_teeth / sun_teeth);
  const auto wheel = [] { return std::make_shared<Rigid>(1.0, Vec3(0.1, 0.1, 0.2)); };
  const Vec3 spin(0, 0, 1), carried = ratio * spin;
  const double distance_between = 0.35;
  const Vec3 at_planet(distance_between, 0, 0);
  const double planet_spin = ratio + (1.0 - ratio) * (-sun_teeth / planet_teeth);
  const BodyId sun = model.add("sun", wheel(), {.angular_velocity = spin});
  const BodyId carrier = model.add("carrier", wheel(), {.angular_velocity = carried});
  const BodyId planet = model.add(
      "planet", wheel(),
      {.position = at_planet, .velocity = carried.cross(at_planet), .angular_velocity = {0, 0, planet_spin}});
  model.add("drive", driven_hinge(model.join(sun, world, Vec3::Zero()), ramp(0.0, 1.0)));
  model.add("cage", hinge(model.join(carrier, world, Vec3::Zero())));
  model.add("pin", hinge(model.join(planet, carrier, at_planet)));
  model.add("inner", gear_on_carrier(model.mark(planet, at_planet), model.mark(sun, Vec3::Zero()),
                                     model.mark(carrier, Vec3::Zero()), -sun_teeth / planet_teeth));
  model.add("outer", gear_on_carrier(model.mark(planet, at_planet), model.mark(world, Vec3::Zero()),
                                     model.mark(carrier, Vec3::Zero()), ring_teeth / planet_teeth));
  Simulation sim = test::simulate(model);
  advance(sim, 2.0, 1e-3);
  EXPECT_NEAR(sim.placement(carrier).angular_velocity.z(), ratio, 1e-12);
  EXPECT_NEAR(sim.placement(planet).angular_velocity.z(), planet_spin, 1e-12);
}

TEST(ConstantVelocityJoint, PassesRotationOnEvenly) {
  // two shafts at 40°: through a universal joint the speed would vary by 1/cos 40°
  const double bend = 40.0 * std::numbers::pi / 180.0;
  const Vec3 out(std::cos(bend), 0, std::sin(bend));
  Model model;
  model.gravity.setZero();
  const auto shaft = [] { return std::make_shared<Rigid>(1.0, Vec3(0.1, 0.2, 0.2)); };
  const BodyId first = model.add("first", shaft(), {.position = {-0.5, 0, 0}, .angular_velocity = {2, 0, 0}});
  const BodyId second = model.add("second", shaft(),
                                  {.position = 0.5 * out,
                                   .orientation = Quat(Eigen::AngleAxisd(-bend, Vec3::UnitY())),
                                   .angular_velocity = 2.0 * out});
  model.add("drive", driven_hinge(model.join(first, world, {-0.5, 0, 0}, Vec3::UnitX()), ramp(0.0, 2.0)));
  model.add("bearing", hinge(model.join(second, world, 0.5 * out, out)));
  AttachmentPair joint{model.mark_axes(second, Vec3::Zero(), frame_from_axis(Vec3::UnitX())),
                       model.mark(first, Vec3::Zero(), Vec3::UnitX())};
  // frames aligned when the joint is straight: those of the second shaft before it was bent
  joint.a.axes = joint.b.axes;
  model.add("joint", constant_velocity(joint));
  Simulation sim = test::simulate(model);
  for (int k = 0; k < 300; ++k) {
    const StepReport report = sim.step(0.01);
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_NEAR(sim.placement(second).angular_velocity.dot(out), 2.0, 1e-9);
  }
}

}  // namespace
}  // namespace catena
