// Stops of hinges, sliders and ball joints at steps far longer than their vibrations: how far they give way.
//
// A stop of stiffness k that is run into with the energy E under the load F gives way until ½k x² = E + F x, and comes
// to rest at x = F/k. Implicit schemes may take energy out of the impact, but may not add any: x may be less, and never
// more.
#include "catena/force.h"
#include "catena/joints.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace catena {
namespace {

/// Something that falls on a stop.
struct Faller {
  std::string name;
  Model model;
  std::function<double(const Simulation&)> coordinate;  // what the stop measures
  std::function<double(double)> load;                   // weight's force on the coordinate there, N or N·m
  std::function<double(double)> fallen;  // energy it has gained up to there, from rest at 0       J
  Vec3 push = Vec3::Zero();              // impulse at the free end at the start                 N·s
  double push_energy = 0.0;              // what that adds                                       J
};

Faller hinge_faller(const Law& stop) {
  Faller f{"hinge", {}, {}, {}, {}};
  const BodyId arm = test::add_rod(f.model, "arm", {0, 0, 0}, {1, 0, 0});
  const AttachmentPair at = f.model.join(arm, world, {0, 0, 0}, Vec3::UnitY());
  f.model.add("pivot", hinge(at));
  f.model.add("stop", elastic(hinge_coordinate(at), stop));
  f.coordinate = [arm](const Simulation& sim) {
    const Vec3 p = sim.placement(arm).position;
    return std::atan2(-p.z(), p.x());
  };
  f.load = [](double c) { return 0.5 * test::kGravity * std::cos(c); };
  f.fallen = [](double c) { return 0.5 * test::kGravity * std::sin(c); };
  return f;
}

Faller slider_faller(const Law& stop) {
  constexpr double kMass = 2.0;
  Faller f{"slider", {}, {}, {}, {}};
  const BodyId block = f.model.add("block", box(kMass, Vec3(0.1, 0.1, 0.1)));
  const AttachmentPair at = f.model.join(block, world, Vec3::Zero(), -Vec3::UnitZ());
  f.model.add("rail", slider(at));
  f.model.add("stop", elastic(slider_coordinate(at), stop));
  f.coordinate = [block](const Simulation& sim) { return -sim.placement(block).position.z(); };
  f.load = [](double) { return kMass * test::kGravity; };
  f.fallen = [](double c) { return kMass * test::kGravity * c; };
  return f;
}

/// A rod that stands on a ball joint, falls over obliquely and is held by a cone.
Faller swing_faller(const Law& stop) {
  Faller f{"swing", {}, {}, {}, {}};
  const BodyId arm = test::add_rod(f.model, "arm", {0, 0, 0}, {0, 0, 1});
  const AttachmentPair at = f.model.join(arm, world, {0, 0, 0}, Vec3::UnitZ());
  f.model.add("pivot", ball(at));
  f.model.add("stop", elastic(swing_coordinate(at), stop));
  f.coordinate = [arm](const Simulation& sim) {
    const Vec3 p = sim.placement(arm).position;
    return std::atan2(p.head<2>().norm(), p.z());
  };
  f.load = [](double c) { return 0.5 * test::kGravity * std::sin(c); };
  f.fallen = [](double c) { return 0.5 * test::kGravity * (1.0 - std::cos(c)); };
  f.push = {0.3, 0.2, 0.0};
  f.push_energy = 0.5 * f.push.squaredNorm() * 3.0;  // (J l)²/2I
  return f;
}

std::vector<Faller> fallers(const Law& stop) {
  return {hinge_faller(stop), slider_faller(stop), swing_faller(stop)};
}

/// Some seconds at 1/60 s.
struct Fall {
  double excess = 0.0;  // largest beyond the stop
  double end = 0.0;     // where it comes to rest
  double rise = 0.0;    // kinetic energy and weight above those of the start, over what the fall exchanges
};
Fall fall(const Faller& faller, const Law& stop, Integrator integrator, double seconds = 10.0) {
  Simulation sim(faller.model, {.integrator = integrator});
  if (!faller.push.isZero()) {
    EXPECT_TRUE(sim.apply_impulse(sim.model().bodies()[0].id, {0, 0, 1}, faller.push).ok());
  }
  Fall out;
  const double start = sim.energy().total(), scale = faller.fallen(stop.upper) + faller.push_energy;
  while (sim.time() < seconds) {
    const StepReport report = sim.step(1.0 / 60);
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    out.end = faller.coordinate(sim);
    out.excess = std::max(out.excess, out.end - stop.upper);
    out.rise = std::max(out.rise, (sim.energy().kinetic + sim.energy().gravity - start) / scale);
  }
  return out;
}

/// Solution x of ½k x² = E + F x, or F/k at least.
double explained_excess(const Faller& faller, const Law& stop) {
  const double rest = faller.load(stop.upper) / stop.stiffness;
  return rest +
         std::sqrt(rest * rest + 2.0 * (faller.fallen(stop.upper) + faller.push_energy) / stop.stiffness);
}

void expect_explained(const Law& stop, Integrator integrator) {
  for (const Faller& faller : fallers(stop)) {
    SCOPED_TRACE(::testing::Message() << faller.name << ", " << name(integrator) << ", k = " << stop.stiffness
                                      << ", b = " << stop.damping);
    const Fall out = fall(faller, stop, integrator);
    EXPECT_GT(out.excess, 0.0);
    EXPECT_LT(out.excess, explained_excess(faller, stop));
    // at rest on the stop, to the change of the load on the last bit of the way
    const double rest = faller.load(out.end) / stop.stiffness;
    EXPECT_NEAR(out.end - stop.upper, rest, 1e-3 * rest + 1e-12);
  }
}

TEST(Stops, OfHingesSlidersAndBallJointsGiveWayByTheirComplianceOnly) {
  for (const double k : {1e4, 1e6, 1e9})
    for (const Integrator integrator :
         {Integrator::bdf2, Integrator::backward_euler, Integrator::generalised_alpha})
      expect_explained({.stiffness = k, .upper = 0.7}, integrator);
}

TEST(Stops, WithDampersGiveWayByTheirComplianceOnly) {
  for (const double k : {1e4, 1e6, 1e9})
    for (const Integrator integrator : {Integrator::bdf2, Integrator::backward_euler})
      expect_explained({.stiffness = k, .damping = 1e3, .upper = 0.7}, integrator);
}

TEST(Stops, HoldFromBelowAsFromAbove) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::backward_euler}) {
    SCOPED_TRACE(std::string(name(integrator)));
    Model model;
    const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
    const AttachmentPair at = model.join(arm, world, {0, 0, 0}, -Vec3::UnitY());  // falls towards minus
    model.add("pivot", hinge(at));
    const double k = 1e6;
    model.add("stop", elastic(hinge_coordinate(at), {.stiffness = k, .lower = -0.7, .upper = 3.0}));
    Simulation sim(model, {.integrator = integrator});
    test::run(sim, 10.0, 1.0 / 60);
    const double angle = hinge_angle(sim.marker(at.a), sim.marker(at.b));
    EXPECT_NEAR(-0.7 - angle, 0.5 * test::kGravity * std::cos(angle) / k, 1e-9);
  }
}

TEST(Stops, BackwardEulerNeverReboundsWithMoreThanItCameWith) {
  for (const double k : {1e2, 1e3, 1e4, 1e5, 1e6, 1e9})
    for (const double b : {0.0, 10.0, 1e3})
      for (const double upper : {0.5, 0.6, 0.7, 0.8}) {
        const Law stop{.stiffness = k, .damping = b, .upper = upper};
        for (const Faller& faller : {hinge_faller(stop), slider_faller(stop)})
          EXPECT_LT(fall(faller, stop, Integrator::backward_euler, 2.0).rise, 1e-9)
              << faller.name << ", k = " << k << ", b = " << b << ", stop at " << upper;
      }
}

/// Stops of many stiffnesses throw back no more than came, with one scheme. `own`: what the scheme adds to a fall that meets no stop.
void expect_no_invention(Integrator integrator, double damping, double own) {
  double worst = 0.0;
  std::string where;
  for (const double k : {1e3, 1e4, 1e5, 1e6, 1e9})
    for (const double upper : {0.5, 0.6, 0.7, 0.8}) {
      const Law stop{.stiffness = k, .damping = damping, .upper = upper};
      for (const Faller& faller : fallers(stop)) {
        const double rise = fall(faller, stop, integrator, 2.0).rise;
        if (rise <= worst) continue;
        worst = rise;
        where = faller.name + ", k = " + std::to_string(k) + ", stop at " + std::to_string(upper);
      }
    }
  EXPECT_LT(worst, own) << "of the energy of the fall: " << where;
}

// The rod on a ball joint gains 7e-6 of its energy with bdf2 while it falls, and 9e-4 with generalised-alpha.
constexpr double kOwnOfBdf2 = 1e-5, kOwnOfTrBdf2 = 1e-13, kOwnOfGeneralisedAlpha = 1e-3;

TEST(Stops, ThrowBackNoMoreThanCameWithBdf2) {
  expect_no_invention(Integrator::bdf2, 0.0, kOwnOfBdf2);
  expect_no_invention(Integrator::bdf2, 1e3, kOwnOfBdf2);
}

TEST(Stops, ThrowBackNoMoreThanCameWithTrBdf2) {
  expect_no_invention(Integrator::tr_bdf2, 0.0, kOwnOfTrBdf2);
  expect_no_invention(Integrator::tr_bdf2, 1e3, kOwnOfTrBdf2);
}

TEST(Stops, ThrowBackNoMoreThanCameWithGeneralisedAlpha) {
  expect_no_invention(Integrator::generalised_alpha, 0.0, kOwnOfGeneralisedAlpha);
  expect_no_invention(Integrator::generalised_alpha, 1e3, kOwnOfGeneralisedAlpha);
}

TEST(Stops, GiveWayByTheirComplianceOnlyWithLinearisedEuler) {
  for (const double k : {1e4, 1e6, 1e9}) {
    const Law stop{.stiffness = k, .upper = 0.7};
    for (const Faller& faller : fallers(stop))
      EXPECT_LT(fall(faller, stop, Integrator::linearised_euler).excess, explained_excess(faller, stop))
          << faller.name << ", k = " << k;
  }
}

}  // namespace
}  // namespace catena
