// Nothing explodes, hangs or invents energy in silence: what is announced before it goes wrong, and refused when it has.
#include "catena/scene.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

Simulation simulate(const std::string& scene, const std::string& integrator = "automatic") {
  Scene parsed = parse_scene(scene);
  if (const auto asked = integrator_from(integrator)) parsed.options.integrator = *asked;
  return Simulation(parsed.model, parsed.options);
}

/// The first warning of some steps, and why one was refused if any was.
struct Course {
  std::string warning, refusal;
  double invented = 0.0;
  int steps = 0;
};

Course follow(Simulation& sim, double dt, int steps) {
  Course course;
  for (; course.steps < steps; ++course.steps) {
    const StepReport report = sim.step(dt);
    if (course.warning.empty()) course.warning = report.warning;
    course.invented = std::max(course.invented, report.invented);
    course.refusal = report.message;
    if (!report.ok()) break;
  }
  return course;
}

using test::says;

const std::string kStiffSpring =
    "bodies: [{name: a, kind: particle, mass: 1, position: [1, 0, 0]}]\n"
    "forces: [{kind: spring, name: coil, a: a, point_b: [0, 0, 0], stiffness: 1e8, rest_length: 0.5}]\n";
const std::string kMotor =
    "bodies: [{name: a, kind: rigid, mass: 1, shape: {kind: sphere, radius: 0.1}}]\n"
    "joints: [{kind: hinge, a: a, axis: [0, 1, 0], point: [0, 0, 0]}]\n"
    "forces: [{kind: velocity-motor, name: drive, a: a, axis: [0, 1, 0], point: [0, 0, 0], speed: 2, gain: "
    "100}]\n";
const std::string kDamper =
    "bodies: [{name: a, kind: particle, mass: 1, position: [1, 0, 0], velocity: [1, 0, 0]}]\n"
    "forces: [{kind: spring, name: pot, a: a, point_b: [0, 0, 0], stiffness: 1, damping: 1e4, rest_length: "
    "1}]\n";
const std::string kCurve =
    "gravity: [0, 0, 0]\n"
    "bodies: [{name: p, kind: rigid, mass: 1, inertia: [0.004, 0.004, 0.004], angular_velocity: [0, 0, 5]}]\n"
    "forces: [{kind: motor-curve, name: curve, a: p, axis: [0, 0, 1], curve: [[-10, 1e4], [10, -1e4]]}]\n";
const std::string kDrag =
    "bodies: [{name: p, kind: particle, mass: 1, velocity: [100, 0, 0]}]\n"
    "forces: [{kind: drag, name: honey, a: p, quadratic: 50}]\n";
const std::string kSoft =
    "bodies: [{name: jelly, kind: quadratic, mass: 1, size: [0.1, 0.1, 0.1], stiffness: 1e7, damping: 1}]\n";

TEST(Guard, AnnouncesWhatIsTooFastBeforeTheFirstStepOfExplicitIntegrators) {
  const std::pair<std::string, std::string> cases[] = {{kStiffSpring, "force 'coil'"},
                                                       {kMotor, "force 'drive'"},
                                                       {kDamper, "force 'pot'"},
                                                       {kCurve, "force 'curve'"},
                                                       {kDrag, "force 'honey'"}};
  for (const auto& [scene, culprit] : cases)
    for (const char* integrator : {"rattle", "rk4", "symplectic-euler"}) {
      Simulation sim = simulate(scene, integrator);
      const StepReport report = sim.step(1e-3);
      EXPECT_TRUE(says(report.warning, culprit)) << integrator << ": " << report.warning;
      EXPECT_TRUE(says(report.warning, "use dt <=")) << report.warning;
    }
  Simulation soft = simulate(kSoft, "rk4");
  EXPECT_TRUE(says(soft.step(1e-3).warning, "the shape of body 'jelly'"));
}

TEST(Guard, SaysNothingWhereTheStepResolvesEverything) {
  Simulation sim = simulate(
      "bodies: [{name: a, kind: particle, mass: 1, position: [0.6, 0, 0]}]\n"
      "forces: [{kind: spring, a: a, point_b: [0, 0, 0], stiffness: 1e8, rest_length: 0.5}]\n",
      "rattle");
  const Course course = follow(sim, 2e-5, 1000);  // ω·dt = 0.2
  EXPECT_EQ(course.warning + course.refusal, "");
  EXPECT_LT(course.invented, 1e-2);
}

TEST(Guard, AutomaticTakesAnImplicitIntegratorForTorqueCurvesAndSoftBodies) {
  for (const std::string& scene : {kCurve, kDrag, kSoft}) {
    Simulation sim = simulate(scene);
    const Course course = follow(sim, 1e-3, 20);
    EXPECT_EQ(course.refusal, "");
    EXPECT_EQ(name(sim.choice().integrator), "bdf2") << sim.choice().integrator_reason;
  }
}

TEST(Guard, RefusesEnergyThatExplodesAndLeavesTheStateFinite) {
  for (const std::string& scene : {kStiffSpring, kMotor, kCurve})
    for (const char* integrator : {"rattle", "rk4", "symplectic-euler"}) {
      Simulation sim = simulate(scene, integrator);
      const Course course = follow(sim, 1e-3, 50);
      // rattle does not even begin where its passes over the velocities run away
      EXPECT_TRUE(says(course.refusal, "invented") || says(course.refusal, "velocities at the end"))
          << integrator << ": " << course.refusal;
      EXPECT_TRUE(says(course.refusal, "'a'") || says(course.refusal, "'p'")) << course.refusal;
      EXPECT_LE(sim.numerical_energy(), 10.0 * sim.energy_scale());
    }
}

TEST(Guard, RefusesAStopThatKicksAnArmWithMoreThanItHad) {
  const std::pair<const char*, const char*> cases[] = {{"0", "invented"}, {"100", "velocities at the end"}};
  for (const auto& [damping, why] : cases) {
    Simulation sim = simulate(
        "bodies: [{name: arm, kind: rigid, mass: 2, from: [0, 0, 0], to: [1, 0, 0]}]\n"
        "joints: [{name: h, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, -1, 0]}]\n"
        "forces: [{kind: joint-limit, name: stop, a: arm, point: [0, 0, 0], axis: [0, -1, 0], lower: -0.5, "
        "upper: 1, stiffness: 1e4, damping: " +
            std::string(damping) + "}]\n",
        "rattle");
    const Course course = follow(sim, 1.0 / 60, 300);
    EXPECT_TRUE(says(course.warning, "force 'stop'")) << course.warning;
    EXPECT_TRUE(says(course.refusal, why)) << course.refusal;
    EXPECT_LT(sim.energy_scale(), 100.0);  // 35 kJ were invented before
  }
}

TEST(Guard, RefusesASoftBodyThatBlowsUpInTwoSteps) {
  Simulation sim = simulate(
      "bodies: [{name: b0, kind: quadratic, mass: 24.83, size: [0.1386, 0.6108, 1.196], stiffness: 2513, "
      "damping: "
      "94.5}]\n"
      "joints:\n"
      "  - {kind: point-on-surface, a: b0, surface: {kind: plane, point: [0, 0, 0], normal: [-0.33, -0.53, "
      "-0.78]}}\n"
      "options: {integrator: rk4}\n",
      "rk4");
  const Course course = follow(sim, 0.002894, 20);
  EXPECT_TRUE(says(course.warning, "the shape of body 'b0'")) << course.warning;
  EXPECT_NE(course.refusal, "");
  EXPECT_LT(sim.energy().total(), 1e4);
}

TEST(Guard, AnnouncesEnergyThatStepsDampAway) {
  Simulation coarse = simulate(kStiffSpring, "bdf2");  // ω·dt = 10
  Course course = follow(coarse, 1e-3, 50);
  EXPECT_TRUE(says(course.warning, "the integration has lost") && says(course.warning, "bdf2 damps"))
      << course.warning;
  EXPECT_TRUE(coarse.step(1e-3).warning.empty()) << "once";
  EXPECT_LT(coarse.numerical_energy(), -0.1 * coarse.energy_scale());
  Simulation fine = simulate(kStiffSpring, "bdf2");
  course = follow(fine, 1e-6, 50);
  EXPECT_TRUE(course.warning.empty()) << course.warning;
  EXPECT_GT(fine.numerical_energy(), -0.01 * fine.energy_scale());
}

// An iteration that cannot converge but in the shortest parts, all the way: a step that takes as long as it likes.
TEST(Guard, ImplicitStepsGiveUpAfterPartsThatFail) {
  Scene scene = parse_scene(
      "bodies: [{name: arm, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}]\n"
      "joints: [{name: pivot, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, 1, 0]}]\n"
      "options: {integrator: backward-euler, max_newton_iterations: 1}\n");
  Simulation sim(scene.model, scene.options);
  const std::uint64_t before = sim.hash();
  const StepReport report = sim.step(1.0);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(says(report.message, "constraint 'pivot'") || says(report.message, "body 'arm'"))
      << report.message;
  EXPECT_EQ(report.halvings, 192);
  EXPECT_EQ(sim.hash(), before);
  EXPECT_TRUE(sim.step(0.1).ok());
}

TEST(Guard, GrowthIsAnnouncedInsteadOfRefusedWhereAskedFor) {
  Scene scene = parse_scene(kStiffSpring);
  scene.options.integrator = Integrator::rattle;
  scene.options.refuse_growth = std::numeric_limits<double>::infinity();
  Simulation sim(scene.model, scene.options);
  const StepReport report = sim.step(1e-3);
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(says(report.warning, "force 'coil'") && says(report.warning, "invented")) << report.warning;
  EXPECT_TRUE(sim.step(1e-3).warning.empty()) << "told twice";
}

TEST(Guard, AdaptiveStepsAreBoundedAndNameWhatIsStiff) {
  Scene scene = parse_scene(
      "bodies: [{name: a, kind: rigid, mass: 0.03, shape: {kind: sphere, radius: 0.1}}]\n"
      "forces: [{kind: velocity-motor, name: drive, a: a, axis: [0, 0, 1], speed: 2, gain: 8e7}]\n");
  scene.options.integrator = Integrator::dormand_prince;
  scene.options.max_internal_steps = 500;
  Simulation sim(scene.model, scene.options);
  const StepReport report = sim.step(5e-3);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(says(report.message, "500 internal")) << report.message;
  EXPECT_TRUE(says(report.message, "force 'drive'") && says(report.message, "implicit")) << report.message;
  EXPECT_TRUE(says(report.warning, "force 'drive'")) << report.warning;
  EXPECT_EQ(sim.time(), 0.0);
}

TEST(Guard, AutomaticTakesAnImplicitIntegratorForStiffModelsWithBodiesThatRattleDoesNotTake) {
  Simulation sim = simulate(
      "bodies:\n"
      "  - {name: a, kind: rigid, mass: 1e-6, shape: {kind: sphere, radius: 0.005}}\n"
      "  - {name: s, kind: bead, mass: 1, curve: {kind: circle, centre: [0, 0, 0], radius: 1}}\n"
      "forces: [{kind: velocity-motor, a: a, axis: [0, 0, 1], speed: 2, gain: 1}]\n");
  const Course course = follow(sim, 5e-3, 20);
  EXPECT_EQ(course.refusal, "");
  EXPECT_EQ(name(sim.choice().integrator), "bdf2") << sim.choice().integrator_reason;
  EXPECT_NEAR(sim.state().v[5], 2.0, 1e-6);
}

// Comparisons with an energy that is no number said nothing.
TEST(Guard, RefusesVelocitiesWhoseEnergyIsNotFinite) {
  Scene scene = parse_scene("bodies: [{name: bob, kind: particle, mass: 1, velocity: [1, 0, 0]}]");
  scene.model.add("kick", user_force({{*scene.model.find_body("bob"), Vec3::Zero(), Mat3::Identity()}},
                                     [](const Motion&, Wrenches& wrenches) {
                                       wrenches.add(0, {1e203, 0, 0}, Vec3::Zero());
                                     }));
  for (const Integrator integrator : {Integrator::rattle, Integrator::symplectic_euler}) {
    Options options = scene.options;
    options.integrator = integrator;
    Simulation sim(scene.model, options);
    const std::uint64_t before = sim.hash();
    const StepReport report = sim.step(1e-3);
    EXPECT_FALSE(report.ok()) << name(integrator);
    EXPECT_TRUE(says(report.message, "'bob'")) << report.message;
    EXPECT_EQ(sim.hash(), before);
  }
}

TEST(Guard, NamesTheFunctionOfAMotorThatIsNotFinite) {
  Simulation sim = simulate(
      "bodies: [{name: a, kind: rigid, mass: 1, position: [1, 0, 0], shape: {kind: sphere, radius: 0.1}}]\n"
      "forces: [{kind: velocity-motor, name: drive, a: a, axis: [0, 1, 0], speed: \"sqrt(0.01-t)\", gain: "
      "1}]\n",
      "rattle");
  const Course course = follow(sim, 1e-3, 50);
  EXPECT_TRUE(says(course.refusal, "force 'drive' (velocity_motor) is not finite")) << course.refusal;
}

TEST(Guard, AnnouncesASpringWithoutADirection) {
  Simulation sim = simulate(
      "bodies: [{name: a, kind: particle, mass: 1}]\n"
      "forces: [{kind: spring, name: coil, a: a, point_b: [0, 0, 0], stiffness: 10, rest_length: 0.5}]\n");
  EXPECT_TRUE(says(sim.step(1e-3).warning, "force 'coil' (spring) has no direction"));
}

TEST(Guard, LinearisedStepsRefuseAStartThatViolatesItsConstraints) {
  const std::string scene =
      "bodies: [{name: p, kind: particle, mass: 1, position: [1, 0, 0], velocity: [5, 0, 0]}]\n"
      "constraints: [{name: s, kind: distance, a: p, point_b: [0, 0, 0]}]\n";
  Simulation sim = simulate(scene, "linearised-euler");
  const StepReport report = sim.step(1e-3);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(says(report.message, "velocities violate constraint 's'")) << report.message;
}

TEST(Guard, LinearisedStepsAreLinearAboutTheVelocityAtTheirStart) {
  const std::string scene =
      "gravity: [0, 0, 0]\n"
      "bodies: [{name: p, kind: particle, mass: 1, velocity: [10, 0, 0]}]\n"
      "forces: [{kind: drag, a: p, quadratic: 0.5}]\n";
  const double exact = 2.0 * std::log(6.0);  // m/c ln(1 + c v t/m)
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Simulation sim = simulate(scene, "linearised-euler");
    test::run(sim, 1.0, k == 0 ? 1e-2 : 5e-3);
    error[k] = std::abs(sim.state().q[0] - exact);
  }
  EXPECT_LT(error[0], 0.05);
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.2);
}

TEST(Guard, LinearisedStepsTakeTheVelocityForcesOfBodiesOfOtherKinds) {
  // a bead without friction on a wavy wire: they were left out, and no step was short enough
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Simulation sim = simulate(
        "bodies:\n"
        "  - {name: bead, kind: bead, mass: 1, at: 0, speed: 1,\n"
        "     curve: {kind: expression, at: [\"cos(u)\", \"sin(u)\", \"0.3*cos(3*u)\"], range: [-pi, pi]}}\n",
        "linearised-euler");
    test::run(sim, 0.5, k == 0 ? 1e-3 : 5e-4);
    error[k] = std::abs(sim.numerical_energy());
  }
  EXPECT_LT(error[0], 0.05);
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.2);
}

TEST(Guard, FirstOrderKinematicsStopsAtStopsAtAnyStep) {
  for (const double dt : {1e-3, 1e-2, 0.1}) {
    Simulation sim = simulate(
        "bodies: [{name: arm, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}]\n"
        "gravity: [0, 0, 0]\n"
        "joints: [{name: h, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, -1, 0]}]\n"
        "forces:\n"
        "  - {kind: joint-limit, a: arm, point: [0, 0, 0], axis: [0, -1, 0], upper: 0.5, stiffness: 1e4}\n"
        "  - {kind: mouse-spring, a: arm, point: [1, 0, 0], target: [0, 0, 1], stiffness: 5}\n",
        "first-order");
    const Course course = follow(sim, dt, int(std::lround(5.0 / dt)));
    EXPECT_EQ(course.refusal, "");
    const Vec3 tip = sim.marker({*sim.model().find_body("arm"), {0.5, 0, 0}}).x;
    // the hand pulls with 5 N/m over the rest of the way, the stop gives way by torque over stiffness
    EXPECT_NEAR(std::atan2(tip.z(), tip.x()), 0.5, 2e-3) << dt;
    EXPECT_LT(sim.constraint_error(), 1e-2);
  }
}

// A damper of rate c on a mass m is followed in passes that leave ρ = h c / 2m of their error. Eight were taken, and the last one was
// committed whatever it had become: 5⁸ times too fast, until the watch on the energy ended the run.
TEST(Guard, RattleRefusesVelocitiesThatItsPassesDoNotFind) {
  const auto slowed_down = [](double linear) {
    Model model;
    model.gravity.setZero();
    const BodyId ball = model.add("ball", std::make_shared<Particle3>(1.0), {.velocity = {1, 0, 0}});
    model.add("honey", drag(model.mark(ball, {0, 0, 0}), linear));
    return Simulation(model, {.integrator = Integrator::rattle});
  };
  Simulation fast = slowed_down(1e4);
  const std::uint64_t before = fast.hash();
  const StepReport report = fast.step(1e-3);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(says(report.message, "velocities at the end of the step could not be found")) << report.message;
  EXPECT_TRUE(says(report.message, "'ball'")) << report.message;
  EXPECT_EQ(fast.hash(), before);
  // passes that converge slowly are taken: v₁ (1 + ρ) = v₀ (1 - ρ), with the guess v₀ (1 - 2ρ) off by 2ρ²/(1 + ρ)
  for (const double rho : {0.1, 0.5, 0.9}) {
    Simulation slow = slowed_down(2e3 * rho);
    ASSERT_TRUE(slow.step(1e-3).ok()) << rho;
    EXPECT_NEAR(slow.state().v[0], (1 - rho) / (1 + rho), 1e-3 * 2 * rho * rho / (1 + rho)) << rho;
  }
}

// Found by random mechanisms: refusals of steps that turn a body too far named nothing.
TEST(Guard, NamesTheBodyThatWouldTurnTooFar) {
  Model model;
  const BodyId wheel = model.add("wheel", sphere(1.0, 0.1));
  const AttachmentPair at = model.join(wheel, world, {0, 0, 0}, Vec3::UnitZ());
  model.add("axle", hinge(at));
  model.add("spring", elastic(hinge_coordinate(at), {.stiffness = 1e-6}));
  model.add("push", load(model.mark(wheel, {0, 0, 0}), {}, {constant(0), constant(0), constant(10.0)}));
  Simulation sim(model, {.integrator = Integrator::first_order});
  const StepReport report = sim.step(0.1);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("'wheel' would turn by half a turn or more"), std::string::npos)
      << report.message;
}

}  // namespace
}  // namespace catena
