// Joints that are named instead of described: the angle of one, and motors that drive one.
#include "catena/catena.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

Simulation simulation_of(const std::string& text) {
  return make_simulation(parse_scene(text));
}

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_scene(text);
  } catch (const InvalidInput& problem) {
    return problem.what();
  }
  return "nothing";
}

void run_for(Simulation& sim, double time) {
  const double end = sim.time() + time;
  while (sim.time() < end - 1e-9) ASSERT_TRUE(sim.step(1e-3).ok());
}

std::string wheel_with(const std::string& forces) {
  return R"(
gravity: [0, 0, 0]
bodies:
  - {name: wheel, kind: rigid, mass: 1, shape: {kind: disc, radius: 0.5, thickness: 0.1}, angular_velocity: [0, 0, 7]}
joints:
  - {name: axle, kind: hinge, a: wheel, point: [0, 0, 0], axis: [0, 0, 1]}
forces: [)" +
         forces + "]\noptions: {integrator: rk4}\n";
}

TEST(JointAngle, IsKnownUpToWholeTurnsWhereNothingCountsThem) {
  Simulation sim = simulation_of(wheel_with(""));
  const ConstraintId axle = *sim.model().find_constraint("axle");
  run_for(sim, 2.0);  // 14 rad
  EXPECT_NEAR(sim.joint_angle(axle), 14.0 - 2.0 * kTurn, 1e-6);
  EXPECT_THROW((void)sim.joint_angle(ConstraintId{9}), InvalidInput);
}

TEST(JointAngle, CountsTurnsWhereSomethingOnTheSameAxisDoes) {
  // whichever way round the bodies and the axis are given
  for (const char* counter :
       {"{kind: torsion-spring, a: wheel, axis: [0, 0, 1], stiffness: 1e-9}",
        "{kind: torsion-spring, a: wheel, axis: [0, 0, -1], stiffness: 1e-9}",
        "{kind: pd-motor, a: wheel, axis: [0, 0, 1], target: 0, stiffness: 1e-9}",
        "{kind: joint-limit, a: wheel, axis: [0, 0, 1], lower: -1000, upper: 1000, stiffness: 1}"}) {
    Simulation sim = simulation_of(wheel_with(counter));
    run_for(sim, 2.0);
    EXPECT_NEAR(sim.joint_angle(*sim.model().find_constraint("axle")), 14.0, 1e-6) << counter;
  }
  // about another axis nothing is known of these turns
  Simulation other =
      simulation_of(wheel_with("{kind: torsion-spring, a: wheel, axis: [1, 0, 0], stiffness: 0}"));
  run_for(other, 2.0);
  EXPECT_NEAR(other.joint_angle(*other.model().find_constraint("axle")), 14.0 - 2.0 * kTurn, 1e-6);
}

TEST(JointAngle, OfAScrewCountsItsOwnTurns) {
  Simulation sim = simulation_of(R"(
gravity: [0, 0, 0]
bodies:
  - {name: nut, kind: rigid, mass: 1, shape: {kind: disc, radius: 0.5, thickness: 0.1}, angular_velocity: [0, 0, 7], velocity: [0, 0, 0.7]}
joints:
  - {name: thread, kind: screw, a: nut, axis: [0, 0, 1], pitch: "0.2*pi"}
options: {integrator: rk4}
)");
  run_for(sim, 2.0);
  EXPECT_NEAR(sim.joint_angle(*sim.model().find_constraint("thread")), 14.0, 1e-6);
  EXPECT_NEAR(sim.placement(*sim.model().find_body("nut")).position.z(), 1.4, 1e-6);
}

TEST(MotorOfAJoint, IsTheMotorOfItsBodiesPointAndAxis) {
  for (const char* law : {"kind: motor, torque: 3", "kind: velocity-motor, speed: 2, gain: 4",
                          "kind: pd-motor, target: 1, stiffness: 30, damping: 3",
                          "kind: motor, torque: 3, gear_ratio: 5, rotor_inertia: 0.01"}) {
    const auto scene = [&](const std::string& place) {
      return R"(
bodies:
  - {name: base, kind: rigid, mass: 5, position: [0, 0.3, 0], shape: {kind: box, size: [0.2, 0.2, 0.2]}}
  - {name: arm, kind: rigid, mass: 1, position: [0.6, 0.3, 0], shape: {kind: rod, length: 1, radius: 0.02}}
joints:
  - {name: foot, kind: weld, a: base}
  - {name: elbow, kind: hinge, a: arm, b: base, point: [0.1, 0.3, 0], axis: [0, 1, 0]}
forces:
  - {name: drive, )" +
             std::string(law) + ", " + place + "}\n";
    };
    Simulation by_joint = simulation_of(scene("joint: elbow"));
    Simulation by_bodies = simulation_of(scene("a: arm, b: base, point: [0.1, 0.3, 0], axis: [0, 1, 0]"));
    run_for(by_joint, 0.5);
    run_for(by_bodies, 0.5);
    const auto tip = [](const Simulation& sim) {
      return sim.placement(*sim.model().find_body("arm")).position;
    };
    EXPECT_LT((tip(by_joint) - tip(by_bodies)).norm(), 1e-9) << law;
    EXPECT_GT((tip(by_joint) - Vec3(0.6, 0.3, 0)).norm(), 0.05) << law;
  }
}

TEST(MotorOfAJoint, SlidesASlider) {
  Simulation sim = simulation_of(R"(
gravity: [0, 0, 0]
bodies: [{name: cart, kind: rigid, mass: 2, shape: {kind: box, size: [1, 1, 1]}}]
joints: [{name: rail, kind: slider, a: cart, axis: [1, 0, 0]}]
forces: [{kind: linear-motor, joint: rail, force: 4}]
)");
  run_for(sim, 1.0);
  EXPECT_NEAR(sim.placement(*sim.model().find_body("cart")).position.x(), 1.0, 1e-9);  // F t²/2m
}

TEST(MotorOfAJoint, SaysWhichJointsAndKeysItTakes) {
  const auto scene = [](const std::string& motor) {
    return "bodies: [{name: arm, kind: rigid, mass: 1, shape: {kind: sphere, radius: 1}}]\n"
           "joints: [{name: pin, kind: ball, a: arm, point: [0, 0, 0]}, {name: axle, kind: hinge, a: arm, "
           "point: "
           "[0, 0, 0], axis: [0, 0, 1]}]\n"
           "forces: [{kind: motor, torque: 1, " +
           motor + "}]\n";
  };
  EXPECT_EQ(refusal_of(scene("joint: axle")), "nothing");
  EXPECT_NE(refusal_of(scene("joint: pin")).find("'pin' is a ball, which does not turn about one axis"),
            std::string::npos)
      << refusal_of(scene("joint: pin"));
  EXPECT_NE(refusal_of(scene("joint: axel")).find("did you mean 'axle'"), std::string::npos);
  EXPECT_NE(refusal_of(scene("joint: axle, a: arm")).find("joint"), std::string::npos);
  EXPECT_NE(refusal_of(scene("limit: 3")).find("neither 'a' nor 'joint' is given"), std::string::npos);
}

}  // namespace
}  // namespace catena
