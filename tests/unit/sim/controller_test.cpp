// Commands and controllers: sampling, zero-order hold, refused steps, checkpoints.
#include "catena/catena.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace catena {
namespace {

struct Arm {
  Model model;
  ForceId motor;
  ConstraintId pivot;
};

/// A rod on a hinge, horizontal at the start; positive angles lift it.
Arm make_arm(const std::function<ForcePtr(const AttachmentPair&)>& make_motor) {
  Arm arm;
  const BodyId rod_id = arm.model.add("rod", rod(1.2, 0.9), {.position = {0.45, 0, 0}});
  const auto at = arm.model.join(rod_id, world, Vec3::Zero(), -Vec3::UnitY());
  arm.pivot = arm.model.add("pivot", hinge(at));
  arm.motor = arm.model.add("motor", make_motor(at));
  return arm;
}
Arm make_commanded_arm() {
  return make_arm([](const AttachmentPair& at) { return motor(at, Command{}); });
}

double angle_of(const Simulation& sim, ConstraintId joint) {
  const auto at =
      sim.model().constraints()[std::size_t(sim.model().index_of(joint))].constraint->attachments();
  return hinge_angle(sim.marker(at[0]), sim.marker(at[1]));
}

/// θ̈ of the arm, closed form.
double arm_acceleration(double angle, double torque) {
  const double m = 1.2, l = 0.9;
  return (torque - 0.5 * m * 9.81 * l * std::cos(angle)) / (m * l * l / 3.0);
}

TEST(Commands, ActAtOnceAndBelongToTheState) {
  const Arm arm = make_commanded_arm();
  Simulation sim(arm.model);
  const std::uint64_t before = sim.hash();
  sim.set_command(arm.motor, 2.5);
  EXPECT_EQ(sim.command(arm.motor)[0], 2.5);
  EXPECT_NE(sim.hash(), before);
  EXPECT_NEAR(-sim.accelerations()[4], arm_acceleration(0.0, 2.5), 1e-12);
  const State kept = sim.state();
  sim.set_command(arm.motor, 0.0);
  sim.set_state(kept);
  EXPECT_EQ(sim.command(arm.motor)[0], 2.5);
  ASSERT_TRUE(sim.step(1e-3).ok());
  EXPECT_EQ(sim.command(arm.motor)[0], 2.5);
  sim.edit([](Model& model) { model.add("free", sphere(1.0, 0.1), {.position = {5, 0, 0}}); });
  EXPECT_EQ(sim.command(arm.motor)[0], 2.5);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Commands, WrongOnesAreRefusedByName) {
  const Arm arm = make_arm([](const AttachmentPair& at) { return pd_motor(at, Command{}, 1.0, 1.0); });
  Simulation sim(arm.model);
  const std::string size = message_of([&] { sim.set_command(arm.motor, 1.0); });
  EXPECT_NE(size.find("force 'motor' (pd_motor): takes 3 numbers"), std::string::npos) << size;
  EXPECT_NE(size.find("angle, rate, torque"), std::string::npos) << size;
  const double bad[] = {0.0, std::numeric_limits<double>::quiet_NaN(), 0.0};
  const std::string value = message_of([&] { sim.set_command(arm.motor, bad); });
  EXPECT_NE(value.find("rate of the command is not finite"), std::string::npos) << value;
  EXPECT_THROW(sim.set_command(ForceId{99}, 1.0), InvalidInput);
  const Arm plain = make_arm([](const AttachmentPair& at) { return motor(at, constant(1.0)); });
  Simulation other(plain.model);
  EXPECT_NE(message_of([&] { other.set_command(plain.motor, 1.0); }).find("takes no command"),
            std::string::npos);
}

// The same loop twice: once with add_controller, once by hand on the closed form with small Runge-Kutta steps.
TEST(Controllers, SampledPdMatchesAnIndependentLoop) {
  const double kp = 30.0, kd = 4.0, target = 0.6, period = 0.02;
  const Arm arm = make_commanded_arm();
  Simulation sim(arm.model);
  int calls = 0;
  sim.add_controller("pd", period, [&](Simulation& s) {
    const double error = target - angle_of(s, arm.pivot);
    s.set_command(arm.motor, kp * error - kd * s.joint_rate(arm.pivot).angular);
    ++calls;
  });
  double angle = 0.0, rate = 0.0;
  for (int k = 0; k < 50; ++k) {
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(sim.step(period / 200).ok());
    const double torque = kp * (target - angle) - kd * rate;
    const double h = period / 20;
    for (int i = 0; i < 20; ++i) {
      const auto f = [&](double x) { return arm_acceleration(x, torque); };
      const double k1 = f(angle), k2 = f(angle + 0.5 * h * rate);
      const double k3 = f(angle + 0.5 * h * (rate + 0.5 * h * k1)), k4 = f(angle + h * (rate + 0.5 * h * k2));
      angle += h * (rate + h * (k1 + k2 + k3) / 6.0);
      rate += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
    }
    ASSERT_NEAR(angle_of(sim, arm.pivot), angle, 1e-7) << "sample " << k;
    ASSERT_NEAR(sim.joint_rate(arm.pivot).angular, rate, 1e-6) << "sample " << k;
  }
  EXPECT_EQ(calls, 50);
}

TEST(Controllers, EverySampleIsMetOnceWhateverTheSteps) {
  for (const double period : {0.01, 0.0033, 1.0 / 60.0}) {
    for (const double dt : {1e-3, 0.0033, 0.0007}) {
      SCOPED_TRACE(::testing::Message() << "period " << period << ", dt " << dt);
      Simulation sim(make_commanded_arm().model);
      std::vector<double> times;
      sim.add_controller("clock", period, [&](Simulation& s) { times.push_back(s.time()); });
      for (int i = 0; i < 300; ++i) ASSERT_TRUE(sim.step(i % 3 == 0 ? 0.5 * dt : dt).ok());
      for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_LE(times[k], double(k) * period + 1.001e-3 * period);
        EXPECT_GT(times[k], double(k) * period - dt);
      }
      EXPECT_GE(double(times.size()) * period, sim.time() - 2e-3 * period);
    }
  }
}

TEST(Controllers, SampleTimesDoNotSlipInALongRun) {
  Model model;
  model.gravity.setZero();
  model.add("ball", std::make_shared<Particle3>(1.0));
  Simulation sim(model);
  std::uint64_t last = 0, calls = 0;
  sim.add_controller("clock", 0.01, [&](Simulation& s) {
    if (calls > 0) {
      ASSERT_EQ(s.state().steps - last, 10u) << s.time();
    }
    last = s.state().steps;
    ++calls;
  });
  for (int i = 0; i < 200000; ++i) ASSERT_TRUE(sim.step(1e-3).ok());
  EXPECT_EQ(calls, 20000u);
}

TEST(Controllers, StepsLongerThanThePeriodAreRefusedByName) {
  Simulation sim(make_commanded_arm().model);
  sim.add_controller("fast", 1e-3, [](Simulation&) {});
  const std::uint64_t before = sim.hash();
  const StepReport report = sim.step(2e-3);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("controller 'fast'"), std::string::npos) << report.message;
  EXPECT_EQ(sim.hash(), before);
  EXPECT_TRUE(sim.step(1e-3).ok());
  sim.remove_controller("fast");
  EXPECT_TRUE(sim.step(2e-3).ok());
}

TEST(Controllers, RefusedStepsAndExceptionsTakeCommandsBack) {
  const Arm arm = make_commanded_arm();
  Simulation sim(arm.model);
  double torque = 1e300;  // nothing can be solved with it
  sim.add_controller("wild", 0.1, [&](Simulation& s) { s.set_command(arm.motor, torque); });
  const std::uint64_t before = sim.hash();
  EXPECT_FALSE(sim.step(1e-3).ok());
  EXPECT_EQ(sim.hash(), before);
  EXPECT_EQ(sim.command(arm.motor)[0], 0.0);
  torque = 1.0;
  ASSERT_TRUE(sim.step(1e-3).ok());
  EXPECT_EQ(sim.command(arm.motor)[0], 1.0);

  Simulation other(arm.model);
  other.add_controller("broken", 0.1, [&](Simulation& s) {
    s.set_command(arm.motor, 5.0);
    throw std::runtime_error("sensor lost");
  });
  EXPECT_THROW((void)other.step(1e-3), std::runtime_error);
  EXPECT_EQ(other.command(arm.motor)[0], 0.0);
  other.remove_controller("broken");
  EXPECT_TRUE(other.step(1e-3).ok());
}

TEST(Controllers, MayNotChangeTheMotionThemselves) {
  const Arm arm = make_commanded_arm();
  Simulation sim(arm.model);
  int refused = 0;
  sim.add_controller("meddler", 0.1, [&](Simulation& s) {
    if (!s.step(1e-3).ok()) ++refused;
    const std::function<void()> forbidden[] = {
        [&] { s.edit([](Model&) {}); }, [&] { s.set_state(s.state()); }, [&] { (void)s.project(); },
        [&] { (void)s.apply_impulse(BodyId{0}, Vec3::Zero(), Vec3::Zero()); },
        [&] { s.add_controller("another", 1.0, [](Simulation&) {}); }};
    for (const auto& call : forbidden)
      if (message_of(call).find("inside of a controller") != std::string::npos) ++refused;
  });
  EXPECT_TRUE(sim.step(1e-3).ok());
  EXPECT_EQ(refused, 6);
}

TEST(Controllers, BadOnesAreRefused) {
  Simulation sim(make_commanded_arm().model);
  const auto nothing = [](Simulation&) {};
  EXPECT_THROW(sim.add_controller("", 0.1, nothing), InvalidInput);
  EXPECT_THROW(sim.add_controller("a", 0.0, nothing), InvalidInput);
  EXPECT_THROW(sim.add_controller("a", 0.1, nullptr), InvalidInput);
  sim.add_controller("a", 0.1, nothing);
  EXPECT_THROW(sim.add_controller("a", 0.1, nothing), InvalidInput);
  EXPECT_THROW(sim.remove_controller("b"), InvalidInput);
}

TEST(Controllers, RestoredRunsContinueBitForBit) {
  const Arm arm = make_arm([](const AttachmentPair& at) { return pd_motor(at, Command{}, 40.0, 5.0); });
  const auto with_controller = [&] {
    Simulation sim(arm.model);
    sim.add_controller("wave", 0.007, [motor = arm.motor](Simulation& s) {
      const double command[] = {0.5 * std::sin(4.0 * s.time()), 0.0, 0.1};
      s.set_command(motor, command);
    });
    return sim;
  };
  const auto advance = [](Simulation& sim, int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(sim.step(1e-3).ok());
  };
  const auto file =
      std::filesystem::temp_directory_path() / ("catena-controller-" + std::to_string(::getpid()));
  Simulation one = with_controller(), two = with_controller();
  advance(one, 123);  // in the middle of a period
  one.save(file);
  two.load(file);
  std::filesystem::remove(file);
  EXPECT_EQ(one.hash(), two.hash());
  advance(one, 400);
  advance(two, 400);
  EXPECT_EQ(one.hash(), two.hash());
}

}  // namespace
}  // namespace catena
