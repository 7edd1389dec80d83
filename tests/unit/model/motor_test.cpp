// Motors: their laws, limits, gears and commands, and what they refuse.
#include "catena/force.h"
#include "math/rotation.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

const AttachmentPair kShaft{{BodyId{0}}, {BodyId{1}}};
const double kNan = std::numeric_limits<double>::quiet_NaN();

/// a turned about, moved along and moving about z of b.
std::vector<Marker> joint(double position, double speed, bool linear = false) {
  const Marker b{Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()};
  Marker a = b;
  if (linear) {
    a.x.z() = position;
    a.v.z() = speed;
  } else {
    a.R = exp_rotation({0, 0, position}).toRotationMatrix();
    a.w.z() = speed;
  }
  return {a, b};
}

/// What acts on a about or along z, at the state given; memory as at the start unless given.
double effort(const Force& force, const std::vector<Marker>& at, double time = 0.0,
              std::vector<double> memory = {}) {
  if (memory.empty()) {
    memory.resize(std::size_t(force.memory_size()));
    if (!memory.empty()) force.start_memory({at, time, false, memory}, memory);
  }
  std::vector<Eigen::Matrix<double, 6, 1>> w(2, Eigen::Matrix<double, 6, 1>::Zero());
  Wrenches out(w);
  force.apply({at, time, false, memory}, out);
  return w[0][2] + w[0][5];
}

TEST(Motors, TorqueOfTheShaftIsLimitedAndMultipliedByTheRatio) {
  EXPECT_EQ(effort(*motor(kShaft, ramp(0.0, 2.0)), joint(0, 0), 1.5), 3.0);
  EXPECT_EQ(effort(*motor(kShaft, constant(3.0), {.limit = 2.0, .ratio = 10.0}), joint(0, 0)), 20.0);
  EXPECT_EQ(effort(*motor(kShaft, constant(-3.0), {.limit = 2.0, .ratio = 10.0}), joint(0, 0)), -20.0);
  EXPECT_EQ(effort(*linear_motor(kShaft, constant(3.0), {.ratio = -2.0}), joint(0, 0, true)), -6.0);
}

TEST(Motors, CurveIsLinearBetweenItsPointsAndHeldOutside) {
  const std::vector<Vec2> points{{-1.0, 5.0}, {0.0, 4.0}, {2.0, 0.0}};
  const ForcePtr plain = motor_curve(kShaft, points);
  for (const auto& [speed, torque] : std::vector<std::pair<double, double>>{
           {-9, 5}, {-1, 5}, {-0.5, 4.5}, {0, 4}, {0.5, 3}, {2, 0}, {7, 0}})
    EXPECT_NEAR(effort(*plain, joint(0.3, speed)), torque, 1e-15) << speed;
  // the shaft turns 4 times as fast, half throttle
  const ForcePtr geared = motor_curve(kShaft, points, constant(0.5), {.ratio = 4.0});
  EXPECT_NEAR(effort(*geared, joint(0.3, 0.125)), 4.0 * 0.5 * 3.0, 1e-14);
  EXPECT_NEAR(effort(*linear_motor_curve(kShaft, points), joint(0.3, 0.5, true)), 3.0, 1e-15);
}

TEST(Motors, PositionControlIsThePdLawWithFeedForwardAndLimit) {
  const TimeFunction target = ramp(0.5, 0.3);
  const ForcePtr free = pd_motor(kShaft, target, 10.0, 2.0, {}, constant(0.7));
  const double expected = 10.0 * (0.8 - 0.2) + 2.0 * (0.3 - 0.9) + 0.7;
  EXPECT_NEAR(effort(*free, joint(0.2, 0.9), 1.0), expected, 1e-14);
  EXPECT_NEAR(
      effort(*linear_pd_motor(kShaft, target, 10.0, 2.0, {}, constant(0.7)), joint(0.2, 0.9, true), 1.0),
      expected, 1e-14);
  // gains are at the joint, the limit is at the shaft
  const ForcePtr geared = pd_motor(kShaft, target, 10.0, 2.0, {.limit = 0.1, .ratio = 50.0}, constant(0.7));
  EXPECT_NEAR(effort(*geared, joint(0.2, 0.9), 1.0), 5.0, 1e-14);
  const ForcePtr backwards =
      pd_motor(kShaft, target, 10.0, 2.0, {.limit = 1.0, .ratio = -50.0}, constant(0.7));
  EXPECT_NEAR(effort(*backwards, joint(0.2, 0.9), 1.0), expected, 1e-14);
}

TEST(Motors, PositionControlCountsTurns) {
  const ForcePtr motor = pd_motor(kShaft, Command{0.0}, 2.0, 0.0);
  std::vector<double> memory(std::size_t(motor->memory_size()));
  ASSERT_EQ(memory.size(), 6u);  // command; angle, rate and time
  motor->start_memory({joint(0, 0), 0.0, false, memory}, memory);
  memory[0] = 30.0;
  for (double angle = 0.0; angle < 25.0; angle += 0.9) {
    const auto at = joint(angle, 0);
    EXPECT_NEAR(effort(*motor, at, 0.0, memory), 2.0 * (30.0 - angle), 1e-12);
    motor->advance_memory({at, 0.0, false, memory}, memory);
    EXPECT_EQ(memory[0], 30.0);
  }
}

TEST(Motors, SpeedControlIsProportionalToTheDifference) {
  EXPECT_NEAR(effort(*velocity_motor(kShaft, constant(2.0), 5.0), joint(0, 0.5)), 7.5, 1e-15);
  EXPECT_NEAR(effort(*velocity_motor(kShaft, constant(2.0), 5.0, {.limit = 3.0}), joint(0, 0.5)), 3.0, 1e-15);
  EXPECT_NEAR(effort(*linear_velocity_motor(kShaft, Command{2.0}, 5.0), joint(0, 0.5, true)), 7.5, 1e-15);
}

TEST(Motors, CommandsAreTheFirstNumbersOfTheMemory) {
  const ForcePtr pd = pd_motor(kShaft, Command{0.4}, 10.0, 2.0);
  const auto names = pd->command_names();
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], "angle");
  EXPECT_EQ(names[2], "torque");
  EXPECT_NEAR(effort(*pd, joint(0.1, 0.0), 0.0, {0.4, 0.2, 3.0, 0.1}), 10.0 * 0.3 + 2.0 * 0.2 + 3.0, 1e-14);
  EXPECT_TRUE(pd_motor(kShaft, constant(0.0), 1.0, 1.0)->command_names().empty());
  EXPECT_EQ(effort(*motor(kShaft, Command{1.25}), joint(0, 0)), 1.25);
  EXPECT_EQ(effort(*linear_motor(kShaft, Command{1.25}), joint(0, 0, true)), 1.25);
  EXPECT_EQ(linear_motor(kShaft, Command{})->command_names()[0], "force");
}

TEST(Motors, RefuseNonsenseWithARemedy) {
  const std::vector<Vec2> falling{{0, 1}, {2, 1}, {1, 1}};
  const std::pair<ForcePtr, std::string> bad[] = {
      {motor(kShaft, constant(kNan)), "torque"},
      {motor(kShaft, Command{kNan}), "command"},
      {motor(kShaft, constant(1.0), {.limit = 0.0}), "limit"},
      {motor(kShaft, constant(1.0), {.limit = kNan}), "limit"},
      {motor(kShaft, constant(1.0), {.ratio = 0.0}), "ratio"},
      {linear_motor(kShaft, TimeFunction()), "force"},
      {motor_curve(kShaft, {{0, 1}}), "2 points"},
      {motor_curve(kShaft, falling), "got 1 after 2"},
      {motor_curve(kShaft, {{0, 1}, {0, 2}}), "increase"},
      {motor_curve(kShaft, {{0, 1}, {kNan, 2}}), "point 1"},
      {pd_motor(kShaft, constant(0.0), -1.0, 0.0), "stiffness"},
      {pd_motor(kShaft, constant(0.0), 1.0, -1.0), "damping"},
      {pd_motor(kShaft, constant(0.0), 1.0, 0.0, {}, constant(kNan)), "feed-forward"},
      {linear_pd_motor(kShaft, constant(kNan), 1.0, 0.0), "target travel"},
      {velocity_motor(kShaft, constant(0.0), -1.0), "gain"}};
  for (const auto& [force, word] : bad) {
    SCOPED_TRACE(std::string(force->kind()) + " " + word);
    const auto problems = force->validate();
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].find(word), std::string::npos) << problems[0];
    EXPECT_NE(problems[0].find("; "), std::string::npos) << problems[0];
  }
}

}  // namespace
}  // namespace catena
