// Forces: conservative parts against the gradient of their potential, power against force times velocity.
#include "catena/force.h"

#include "catena/joints.h"
#include "math/rotation.h"
#include "support/allocation_counter.h"
#include "unit/model/moving_marker.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

using testing::derivative;
using testing::MovingMarker;

using Wrench6 = Eigen::Matrix<double, 6, 1>;
const AttachmentPair kPair{{BodyId{0}}, {BodyId{1}}};
const PointFunction kNothing{};

std::vector<Wrench6> wrenches_of(const Force& force, const Motion& motion) {
  std::vector<Wrench6> wrenches(motion.at.size(), Wrench6::Zero());
  Wrenches out(wrenches);
  force.apply(motion, out);
  return wrenches;
}

double power_of(const Force& force, const Motion& motion) {
  double power = 0.0;
  const std::vector<Wrench6> wrenches = wrenches_of(force, motion);
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    power += wrenches[i].head<3>().dot(motion.at[i].v) + wrenches[i].tail<3>().dot(motion.at[i].w);
  }
  return power;
}

struct ForceCase {
  std::string name;
  ForcePtr force;
};

const std::vector<Vec2> kCurve{{-1.0, 2.0}, {0.0, 1.5}, {0.5, -0.5}};

void pull_together(const Motion& motion, Wrenches& wrenches) {
  const Vec3 force = 2.0 * (motion.at[1].x - motion.at[0].x);
  wrenches.add(0, force);
  wrenches.add(1, -force);
}
double pull_energy(const Motion& motion) {
  return (motion.at[1].x - motion.at[0].x).squaredNorm();
}

std::vector<ForceCase> all_force_cases() {
  const TimeFunction wave = [](double t) { return Jet{std::sin(t), std::cos(t), -std::sin(t)}; };
  const PointFunction pull{wave, constant(2.0), ramp(0.0, 1.0)};
  return {{"spring", spring_damper(kPair, 3.0, 0.0, 0.5)},
          {"spring_damper", spring_damper(kPair, 3.0, 0.7, 0.5)},
          {"torsion_spring", torsion_spring(kPair, 3.0, 0.0, 0.5)},
          {"torsion_spring_damper", torsion_spring(kPair, 3.0, 0.7, 0.5)},
          {"mouse_spring", mouse_spring({BodyId{0}}, {1, 2, 3}, 3.0, 0.7)},
          {"load", load({BodyId{0}}, pull, pull)},
          {"load_in_body_axes", load({BodyId{0}}, pull, pull, true)},
          {"motor", motor(kPair, wave)},
          {"linear_motor", linear_motor(kPair, wave)},
          {"commanded_motor", motor(kPair, Command{0.7})},
          {"limited_motor", motor(kPair, constant(5.0), {.limit = 0.3, .ratio = 4.0})},
          {"motor_curve", motor_curve(kPair, kCurve, wave, {.ratio = 2.0})},
          {"linear_motor_curve", linear_motor_curve(kPair, kCurve)},
          {"pd_motor", pd_motor(kPair, wave, 3.0, 0.7, {}, constant(0.2))},
          {"commanded_pd_motor", pd_motor(kPair, Command{1.0}, 3.0, 0.7)},
          {"linear_pd_motor", linear_pd_motor(kPair, wave, 3.0, 0.7)},
          {"velocity_motor", velocity_motor(kPair, wave, 3.0)},
          {"linear_velocity_motor", linear_velocity_motor(kPair, Command{1.0}, 3.0)},
          {"viscous_friction", viscous_friction(kPair, 0.3, 0.4)},
          {"bushing", bushing(kPair, {1, 2, 3}, {0.4, 0.5, 0.6}, Vec3::Zero(), Vec3::Zero())},
          {"damped_bushing", bushing(kPair, {1, 2, 3}, {0.4, 0.5, 0.6}, {0.1, 0.2, 0.3}, {0.3, 0.2, 0.1})},
          {"central_force", central_force(kPair, 1.5, 2.0, 0.1)},
          {"central_force_logarithmic", central_force(kPair, -1.5, 1.0)},
          {"user_force", user_force({kPair.a, kPair.b}, pull_together)},
          {"user_spring", user_force({kPair.a, kPair.b}, pull_together, {.potential = pull_energy})},
          {"drag", drag({BodyId{0}}, 0.3, 0.2, 0.1)}};
}

// The energy balance that the ledger relies on:  Σ F·v + τ·ω = -dV/dt + nonconservative power.
TEST(Forces, PowerIsTheLossOfPotentialAndTheNonconservativePart) {
  for (const ForceCase& c : all_force_cases()) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(::testing::Message() << c.name << ", seed " << seed);
      std::mt19937 random(seed);
      std::vector<MovingMarker> paths;
      for (std::size_t i = 0; i < c.force->attachments().size(); ++i) paths.emplace_back(random, false);
      std::vector<Marker> markers;
      std::vector<double> memory(std::size_t(c.force->memory_size()));
      const auto motion = [&](double t) {
        markers.clear();
        for (const MovingMarker& path : paths) markers.push_back(path.at(t));
        return Motion{markers, t, false, memory};
      };
      const double t = 0.4;
      if (!memory.empty()) c.force->start_memory(motion(t), memory);
      const double potential_rate = derivative([&](double s) { return c.force->potential(motion(s)); }, t);
      const double expected = -potential_rate + c.force->nonconservative_power(motion(t));
      EXPECT_NEAR(power_of(*c.force, motion(t)), expected, 1e-8 * (1.0 + std::abs(expected)));
    }
  }
}

TEST(Forces, InternalForcesAreInEquilibriumAboutAnyPoint) {
  for (const ForceCase& c : all_force_cases()) {
    if (c.force->attachments().size() != 2) continue;
    SCOPED_TRACE(c.name);
    std::mt19937 random(4);
    const MovingMarker a(random, false), b(random, false);
    const std::vector<Marker> markers{a.at(0.3), b.at(0.3)};
    std::vector<double> memory(std::size_t(c.force->memory_size()));
    if (!memory.empty()) c.force->start_memory({markers, 0.3, false, memory}, memory);
    const auto w = wrenches_of(*c.force, {markers, 0.3, false, memory});
    const Vec3 force = w[0].head<3>() + w[1].head<3>();
    const Vec3 moment = w[0].tail<3>() + w[1].tail<3>() + markers[0].x.cross(Vec3(w[0].head<3>())) +
                        markers[1].x.cross(Vec3(w[1].head<3>()));
    EXPECT_LT(force.norm(), 1e-14);
    EXPECT_LT(moment.norm(), 2e-14);
  }
}

// F and τ at both markers against the change of V under small displacements and rotations (from the left) of each.
TEST(Forces, ConservativeOnesAreTheGradientOfTheirPotential) {
  const Vec3 none = Vec3::Zero();
  const ForceCase cases[] = {
      {"bushing", bushing(kPair, {1, 2, 3}, {0.4, 5.0, 2.6}, none, none)},
      {"stiff_bushing", bushing(kPair, {10, 0, 3}, {4.0, 0.0, 0.1}, none, none)},
      {"spring", spring_damper(kPair, 3.0, 0.0, 0.5)},
      {"central_force", central_force(kPair, 1.5, 2.0)},
      {"central_force_repelling", central_force(kPair, -0.7, 4.0, 0.3)},
      {"central_force_logarithmic", central_force(kPair, 0.7, 1.0, 0.2)},
      {"central_force_growing", central_force(kPair, 0.7, -1.5, 0.2)},
  };
  for (const ForceCase& c : cases) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(::testing::Message() << c.name << ", seed " << seed);
      std::mt19937 random(seed);
      std::vector<Marker> at;
      for (int k = 0; k < 2; ++k) {
        const Vec3 axis = testing::random_vector(random).normalized();
        const double angle = testing::uniform(random, 0.0, 3.0);
        at.push_back({testing::random_vector(random), Vec3::Zero(),
                      exp_rotation(angle * axis).toRotationMatrix(), Vec3::Zero()});
      }
      const Vec3 phi = log_rotation(Quat(Mat3(at[1].R.transpose() * at[0].R)));
      if (phi.norm() > 3.1) continue;  // φ jumps at π
      const auto wrenches = wrenches_of(*c.force, {at, 0.0, false, {}});
      for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 6; ++i) {
          const double slope = derivative(
              [&](double h) {
                std::vector<Marker> moved = at;
                if (i < 3)
                  moved[k].x[i] += h;
                else
                  moved[k].R = exp_rotation(h * Vec3::Unit(i - 3)).toRotationMatrix() * at[k].R;
                return c.force->potential({moved, 0.0, false, {}});
              },
              0.0);
          EXPECT_NEAR(wrenches[k][i], -slope, 1e-8 * (1.0 + std::abs(slope))) << "marker " << k << ", " << i;
        }
      }
    }
  }
}

TEST(Bushing, TorqueStaysExactNearHalfATurn) {
  const ForcePtr force = bushing(kPair, Vec3::Zero(), {0.4, 5.0, 2.6}, Vec3::Zero(), Vec3::Zero());
  const Vec3 axis = Vec3(1, -2, 0.5).normalized();
  const auto at = [&](const Vec3& turn) {
    const Mat3 R = (exp_rotation(turn) * exp_rotation(3.13 * axis)).toRotationMatrix();
    return std::vector<Marker>{{Vec3::Zero(), Vec3::Zero(), R, Vec3::Zero()},
                               {Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()}};
  };
  const auto start = at(Vec3::Zero());
  const Wrench6 w = wrenches_of(*force, {start, 0.0, false, {}})[0];
  for (int i = 0; i < 3; ++i) {
    const auto energy = [&](double h) {
      const auto moved = at(h * Vec3::Unit(i));
      return force->potential({moved, 0.0, false, {}});
    };
    EXPECT_NEAR(w[3 + i], -derivative(energy, 0.0), 1e-7);
  }
}

TEST(CentralForce, IsThePowerLawWithoutSofteningAndFiniteWithIt) {
  const std::vector<Marker> apart{{Vec3(0.5, 0, 0), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()},
                                  {Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()}};
  EXPECT_NEAR(wrenches_of(*central_force(kPair, 3.0, 2.0), {apart, 0, false, {}})[0][0], -12.0, 1e-13);
  EXPECT_NEAR(wrenches_of(*central_force(kPair, -3.0, 4.0), {apart, 0, false, {}})[0][0], 48.0, 1e-12);
  const std::vector<Marker> together{apart[1], apart[1]};
  EXPECT_EQ(wrenches_of(*central_force(kPair, 3.0, 2.0), {together, 0, false, {}})[0].norm(), 0.0);
}

TEST(Forces, ApplyAllocatesNothing) {
  for (const ForceCase& c : all_force_cases()) {
    SCOPED_TRACE(c.name);
    std::mt19937 random(3);
    const MovingMarker a(random, false), b(random, false);
    std::vector<Marker> markers{a.at(0.3), b.at(0.3)};
    markers.resize(c.force->attachments().size());
    std::vector<double> memory(std::size_t(c.force->memory_size()));
    const Motion motion{markers, 0.3, false, memory};
    if (!memory.empty()) c.force->start_memory(motion, memory);
    std::vector<Wrench6> values(markers.size(), Wrench6::Zero());
    Wrenches out(values);
    const testing::AllocationCounter allocations;
    c.force->apply(motion, out);
    (void)c.force->nonconservative_power(motion);
    (void)c.force->potential(motion);
    EXPECT_EQ(allocations.count(), 0);
  }
}

Marker turned(double angle, double rate = 0.0) {
  return {Vec3::Zero(), Vec3::Zero(), exp_rotation({0, 0, angle}).toRotationMatrix(), Vec3(0, 0, rate)};
}

TEST(TorsionSpring, UnwrapsOverManyTurnsBothWays) {
  const ForcePtr spring = torsion_spring(kPair, 2.0, 0.0, 0.25);
  double memory[4];  // on, angle, rate, time
  std::vector<Marker> at{turned(0.1), turned(0.0)};
  spring->start_memory({at, 0.0, false, {}}, memory);
  double angle = 0.1;
  for (const double step : {0.9, -1.1}) {
    for (int i = 0; i < 200; ++i) {
      angle += step;
      at[0] = turned(angle);
      const Motion motion{at, 0.0, false, memory};
      EXPECT_NEAR(wrenches_of(*spring, motion)[0][5], -2.0 * (angle - 0.25), 1e-11);
      spring->advance_memory(motion, memory);
    }
  }
  EXPECT_NEAR(memory[1], 0.1 + 200 * 0.9 - 200 * 1.1, 1e-11);
}

TEST(SpringDamper, CoincidentPointsGiveAFiniteForce) {
  const std::vector<Marker> at{turned(0.0), turned(0.0)};
  const auto w = wrenches_of(*spring_damper(kPair, 10.0, 1.0, 0.5), {at, 0.0, false, {}});
  EXPECT_TRUE(w[0].allFinite());
}

TEST(Load, BodyAxesAreThoseOfTheBodyWhateverTheMarkerAxes) {
  const Mat3 axes = frame_from_axis({1, 2, 3});
  const Mat3 R = exp_rotation({0.3, 0.4, 0.5}).toRotationMatrix();
  const std::vector<Marker> at{{Vec3::Zero(), Vec3::Zero(), R * axes, Vec3::Zero()}};
  const PointFunction along_x{constant(2.0), constant(0.0), constant(0.0)};
  const ForcePtr force = load({BodyId{0}, Vec3::Zero(), axes}, along_x, kNothing, true);
  EXPECT_LT((wrenches_of(*force, {at, 0.0, false, {}})[0].head<3>() - 2.0 * R.col(0)).norm(), 1e-15);
}

TEST(ForceTraits, OrientationIsNeededOnlyWhereATorqueActs) {
  const PointFunction twist{constant(0.0), constant(0.0), ramp(0.0, 1.0)};  // zero at t = 0 only
  EXPECT_FALSE(load({}, twist, kNothing)->needs_orientation());
  EXPECT_TRUE(load({}, kNothing, twist)->needs_orientation());
  EXPECT_TRUE(load({}, twist, kNothing, true)->needs_orientation());
  EXPECT_FALSE(drag({}, 1.0)->needs_orientation());
  EXPECT_TRUE(drag({}, 1.0, 0.0, 0.5)->needs_orientation());
  EXPECT_TRUE(torsion_spring(kPair, 1, 0, 0)->needs_orientation());
  EXPECT_FALSE(spring_damper(kPair, 1, 0, 0)->needs_orientation());
}

TEST(ForceTraits, DampedForcesDependOnVelocity) {
  EXPECT_FALSE(spring_damper(kPair, 1, 0, 0)->depends_on_velocity());
  EXPECT_TRUE(spring_damper(kPair, 1, 0.1, 0)->depends_on_velocity());
  EXPECT_FALSE(torsion_spring(kPair, 1, 0, 0)->depends_on_velocity());
  EXPECT_TRUE(torsion_spring(kPair, 1, 0.1, 0)->depends_on_velocity());
  EXPECT_TRUE(mouse_spring({}, Vec3::Zero(), 1, 0.1)->depends_on_velocity());
  EXPECT_TRUE(drag({}, 1.0)->depends_on_velocity());
}

TEST(ForceValidation, RefusesNonsenseWithARemedy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ForcePtr bad[] = {spring_damper(kPair, -1, 0, 1),
                          spring_damper(kPair, 1e300, 0, 1),
                          spring_damper(kPair, nan, 0, 1),
                          spring_damper(kPair, 1, -1, 1),
                          spring_damper(kPair, 1, 0, -1),
                          torsion_spring(kPair, 1, 0, nan),
                          mouse_spring({}, {nan, 0, 0}, 1, 1),
                          drag({}, -1),
                          motor(kPair, nullptr),
                          linear_motor(kPair, constant(nan)),
                          load({}, {nullptr, nullptr, nullptr}, kNothing),
                          bushing(kPair, {1, -1, 1}, Vec3::Ones(), Vec3::Ones(), Vec3::Ones()),
                          bushing(kPair, Vec3::Ones(), {nan, 1, 1}, Vec3::Ones(), Vec3::Ones()),
                          bushing(kPair, Vec3::Ones(), Vec3::Ones(), {0, 0, -1}, Vec3::Ones()),
                          bushing(kPair, Vec3::Ones(), Vec3::Ones(), Vec3::Ones(), {0, 1e300, 0}),
                          central_force(kPair, nan, 2.0),
                          central_force(kPair, 1.0, 1e3),
                          central_force(kPair, 1.0, 2.0, -1.0),
                          viscous_friction(kPair, -1.0),
                          viscous_friction(kPair, 1.0, nan),
                          user_force({kPair.a}, nullptr),
                          user_force({}, pull_together)};
  for (const ForcePtr& force : bad) {
    SCOPED_TRACE(std::string(force->kind()));
    const auto problems = force->validate();
    ASSERT_FALSE(problems.empty());
    for (const std::string& problem : problems) EXPECT_NE(problem.find("; "), std::string::npos) << problem;
  }
  for (const ForceCase& c : all_force_cases()) EXPECT_TRUE(c.force->validate().empty()) << c.name;
}

}  // namespace
}  // namespace catena
