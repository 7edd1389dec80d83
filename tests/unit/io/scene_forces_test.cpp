// Forces, motors and sensors of scenes: what the keys mean, and what is refused.
#include "catena/catena.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

constexpr const char* kArm = R"(
bodies:
  - {name: arm, kind: rigid, mass: 2, from: [0, 0, 0], to: [1, 0, 0], angular_velocity: [0, -3, 0], velocity: [0, 0, 1.5]}
  - {name: cart, kind: rigid, mass: 3, shape: {kind: box, size: [1, 1, 1]}, position: [0, 5, 0]}
joints:
  - {name: pivot, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, -1, 0]}
  - {name: rail, kind: slider, a: cart, axis: [1, 0, 0]}
)";

Scene with(const std::string& more) {
  return parse_scene(kArm + more, "scene.yaml");
}

std::string load_message(const std::string& more) {
  try {
    with(more);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(SceneForces, EveryMotorKindActsOnItsJoint) {
  const std::string rotary = "a: arm, point: [0, 0, 0], axis: [0, -1, 0]";
  const std::string linear = "a: cart, axis: [1, 0, 0]";
  const std::pair<std::string, double> cases[] = {
      // effort at the joint, at angle 0, rate 3 and travel 0, speed 0
      {"kind: motor, " + rotary + ", torque: 2, gear_ratio: 10, limit: 1.5", 15.0},
      {"kind: motor-curve, " + rotary + ", curve: [[0, 8], [6, 2]], throttle: 0.5", 2.5},
      {"kind: pd-motor, " + rotary + ", target: 0.5, stiffness: 20, damping: 2, feed_forward: 1", 5.0},
      {"kind: velocity-motor, " + rotary + ", speed: 5, gain: 4", 8.0},
      {"kind: linear-motor, " + linear + ", force: 6", 6.0},
      {"kind: linear-motor-curve, " + linear + ", curve: [[-1, 8], [1, 2]]", 5.0},
      {"kind: linear-pd-motor, " + linear + ", target: 0.5, stiffness: 20", 10.0},
      {"kind: linear-velocity-motor, " + linear + ", speed: 5, gain: 4", 20.0},
      {"kind: motor, " + rotary + ", command: 1.25", 1.25},
      {"kind: linear-motor, " + linear + ", command: 1.25", 1.25}};
  for (const auto& [text, expected] : cases) {
    SCOPED_TRACE(text);
    const Scene scene = with("gravity: [0, 0, 0]\nforces: [{name: m, " + text + "}]\n");
    const Simulation sim = make_simulation(scene);
    const bool along = text.find("kind: linear") == 0;
    // M v̇ along the freedom: inertia of the rod about its end, mass of the cart
    const double rod_inertia = 2.0 * 1.0 / 3.0;
    const double effort = along ? 3.0 * sim.accelerations()[6] : -rod_inertia * sim.accelerations()[4];
    EXPECT_NEAR(effort, expected, 1e-11);
    EXPECT_EQ(sim.command(*scene.model.find_force("m")).empty(), text.find("command") == std::string::npos);
  }
}

TEST(SceneForces, RotorInertiaMakesABodyAndAGear) {
  const Scene scene = with(
      "gravity: [0, 0, 0]\nforces: [{name: m, kind: motor, a: arm, point: [0, 0, 0], axis: [0, -1, 0], "
      "torque: 2, "
      "gear_ratio: 10, rotor_inertia: 0.01}, {name: s, kind: linear-motor, a: cart, axis: [1, 0, 0], force: "
      "1, "
      "gear_ratio: 20, rotor_inertia: 0.02}]\n");
  Simulation sim = make_simulation(scene);
  ASSERT_TRUE(scene.model.find_body("m.rotor").has_value());
  ASSERT_TRUE(scene.model.find_constraint("m.gear").has_value());
  EXPECT_NEAR(sim.placement(*scene.model.find_body("m.rotor")).angular_velocity.norm(), 30.0, 1e-13);
  EXPECT_NEAR(-sim.accelerations()[4], 20.0 / (2.0 / 3.0 + 100.0 * 0.01), 1e-11);
  EXPECT_NEAR(sim.accelerations()[6], 20.0 / (3.0 + 400.0 * 0.02), 1e-11);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(sim.step(1e-3).ok());
}

TEST(SceneForces, CompliancesAndFrictionAreRead) {
  const Scene scene = with(
      "gravity: [0, 0, 0]\nforces:\n"
      "  - {name: b, kind: bushing, a: arm, point: [0, 0, 0], angular_stiffness: [1, 1, 1], angular_damping: "
      "[0, 2, 0]}\n"
      "  - {name: f, kind: viscous-friction, a: arm, point: [0, 0, 0], axis: [0, -1, 0], angular: 0.5}\n"
      "  - {name: c, kind: central-force, a: cart, point_b: [2, 5, 0], strength: 12, exponent: 2}\n");
  const Simulation sim = make_simulation(scene);
  EXPECT_NEAR(-sim.accelerations()[4], -(2.0 + 0.5) * 3.0 / (2.0 / 3.0), 1e-11);
  EXPECT_NEAR(sim.accelerations()[6], 12.0 / 4.0 / 3.0, 1e-12);
  EXPECT_NEAR(sim.energy().springs, -12.0 / 2.0, 1e-12);
}

TEST(SceneForces, SensorsAreProbes) {
  const Scene scene = with(
      "probes:\n"
      "  - {name: imu, quantity: imu, body: arm, point: [1, 0, 0]}\n"
      "  - {name: turned, quantity: imu, body: cart, orientation: [0.7071067811865476, 0.7071067811865476, "
      "0, 0]}\n"
      "  - {name: rate, quantity: joint-rate, joint: pivot}\n");
  const Simulation sim = make_simulation(scene);
  double imu[6], turned[6], rate[2];
  scene.probes[0].read(sim, imu);
  scene.probes[1].read(sim, turned);
  scene.probes[2].read(sim, rate);
  EXPECT_NEAR(imu[0], -9.0, 1e-12);         // centripetal
  EXPECT_NEAR(imu[2], -0.5 * 9.81, 1e-11);  // the end of a falling rod falls faster than a stone
  EXPECT_NEAR(imu[4], -3.0, 1e-14);
  EXPECT_NEAR(turned[1], 9.81, 1e-12);  // its y axis points upwards
  EXPECT_NEAR(turned[2], 0.0, 1e-12);
  EXPECT_NEAR(rate[0], 3.0, 1e-14);
  EXPECT_EQ(scene.probes[0].components[3], "wx");
}

TEST(SceneForces, MistakesAreReportedWithARemedy) {
  const std::string on = "a: arm, point: [0, 0, 0], axis: [0, -1, 0]";
  const std::pair<std::string, std::string> cases[] = {
      {"kind: motor, " + on, "neither 'torque' nor 'command' is given"},
      {"kind: motor, " + on + ", torque: 1, command: 0", "say the same thing"},
      {"kind: pd-motor, " + on + ", stiffness: 1", "neither 'target' nor 'command'"},
      {"kind: motor, " + on + ", torque: 1, limit: -1", "limit must be positive"},
      {"kind: motor, " + on + ", torque: 1, gear_ratio: 0", "ratio must not be 0"},
      {"kind: motor, " + on + ", torque: 1, rotor_inertia: 0", "rotor_inertia must be positive"},
      {"kind: motor-curve, " + on + ", curve: [[1, 2], [0, 1]]", "speeds of the curve must increase"},
      {"kind: motor-curve, " + on + ", curve: [1, 2]", "list of 2 numbers"},
      {"kind: motor-curve, " + on + ", curve: 3", "must be a list of pairs"},
      {"kind: bushing, a: arm, linear_stiffness: [1, -1, 1]", "linear stiffness along y"},
      {"kind: central-force, a: arm, strength: 1", "'point_b' is missing"},
      {"kind: linear-motor, a: cart, force: 1", "'axis' is missing"}};
  for (const auto& [text, expected] : cases) {
    const std::string got = load_message("forces: [{" + text + "}]\n");
    EXPECT_NE(got.find(expected), std::string::npos) << text << "\n" << got;
  }
}

}  // namespace
}  // namespace catena
