// Rotors: their maps, their gears against finite differences, and the inertia that a joint feels.
#include "catena/bodies.h"
#include "catena/catena.h"
#include "catena/joints.h"
#include "math/rotation.h"
#include "unit/model/moving_marker.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using testing::derivative;
using testing::MovingMarker;

TEST(Rotor, PointAndFrameMapsMatchFiniteDifferences) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const Vec3 axis = testing::random_vector(random).normalized(), local = testing::random_vector(random);
    const Rotor rotor(0.3, testing::random_vector(random), axis);
    const double q = 0.7, v = 1.9;
    const auto map_at = [&](double t) {
      const double angle = q + v * t;
      PointMap map;
      rotor.point(&angle, &v, local, map);
      return map;
    };
    const auto frame_at = [&](double t) {
      const double angle = q + v * t;
      FrameMap map;
      rotor.frame(&angle, &v, map);
      return map;
    };
    const Vec3 rate = derivative([&](double t) -> Vec3 { return map_at(t).x; }, 0.0);
    EXPECT_LT((rate - map_at(0).J.col(0) * v).norm(), 1e-10);
    const Vec3 second = derivative([&](double t) -> Vec3 { return map_at(t).J.col(0) * v; }, 0.0);
    EXPECT_LT((second - map_at(0).bias).norm(), 1e-10);
    const Mat3 turn = derivative([&](double t) -> Mat3 { return frame_at(t).R; }, 0.0);
    EXPECT_LT((turn - skew(frame_at(0).W.col(0) * v) * frame_at(0).R).norm(), 1e-10);
  }
}

TEST(Rotor, PlacementSurvivesAndWhatItCannotDoIsRefused) {
  const Rotor rotor(0.3, {1, 2, 3}, {0, 1, 1});
  double q = 0.4, v = -1.5;
  const Placement placement = rotor.unpack(&q, &v);
  double q_back = 0, v_back = 0;
  EXPECT_EQ(rotor.pack(placement, &q_back, &v_back), "");
  EXPECT_NEAR(q_back, q, 1e-15);
  EXPECT_NEAR(v_back, v, 1e-15);
  EXPECT_EQ(rotor.pack({}, &q_back, &v_back), "");
  EXPECT_EQ(q_back, 0.0);
  const Placement bad[] = {{.position = {1, 0, 0}},
                           {.orientation = exp_rotation({0.5, 0, 0})},
                           {.velocity = {0, 0, 1}},
                           {.angular_velocity = {1, 0, 0}}};
  for (const Placement& p : bad) EXPECT_NE(rotor.pack(p, &q_back, &v_back).find("rotor"), std::string::npos);
  EXPECT_FALSE(Rotor(-1.0).validate().empty());
  EXPECT_FALSE(Rotor(1.0, Vec3::Zero(), Vec3::Zero()).validate().empty());
  EXPECT_TRUE(Rotor(1.0).validate().empty());
  EXPECT_TRUE(Rotor(1.0).is_planar());
  EXPECT_FALSE(rotor.is_planar());
}

// d/dt of the row's speed is Σ G·(v̇ ; ω̇) + γ, for arbitrary motion of all three markers
TEST(RotorGear, GammaIsExact) {
  const AttachmentPair at{{BodyId{1}}, {BodyId{2}}};
  for (const ConstraintPtr& gear : {rotor_gear(BodyId{0}, at, -7.5), linear_rotor_gear(BodyId{0}, at, 3.5)}) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(::testing::Message() << gear->kind() << ", seed " << seed);
      std::mt19937 random(seed);
      const MovingMarker paths[] = {{random, false}, {random, false}, {random, false}};
      double C = 0, C_t = 0, gamma = 0;
      VecX G(18);
      const auto rate = [&](double t, bool second) {
        std::vector<Marker> markers;
        for (const MovingMarker& path : paths) markers.push_back(path.at(t));
        C = C_t = gamma = 0.0;
        G.setZero();
        Rows rows(1, 3, &C, &C_t, &gamma, G.data());
        gear->evaluate({markers, t, false, {}}, rows);
        double sum = second ? gamma : 0.0;
        for (int k = 0; k < 3; ++k) {
          Eigen::Matrix<double, 6, 1> x;
          x << markers[k].v, markers[k].w;
          sum += G.segment<6>(6 * k).dot(second ? paths[k].acceleration(t) : x);
        }
        return sum;
      };
      const double expected = derivative([&](double t) { return rate(t, false); }, 0.4);
      EXPECT_NEAR(rate(0.4, true), expected, 1e-8 * (1.0 + std::abs(expected)));
    }
  }
  EXPECT_FALSE(rotor_gear(BodyId{0}, at, 0.0)->validate(false).empty());
}

// (I + m l²/4 + n² J) α = n T - m g l/2 cos(angle)
TEST(RotorGear, JointFeelsTheReflectedInertia) {
  const double m = 2.0, l = 0.8, n = 30.0, J = 4e-4, T = 0.05;
  for (const Solver solver : {Solver::automatic, Solver::dense, Solver::dense_kkt, Solver::sparse}) {
    SCOPED_TRACE(std::string(name(solver)));
    Model model;
    const BodyId arm = model.add("arm", rod(m, l), {.position = {0.5 * l, 0, 0}});
    const auto at = model.join(arm, world, Vec3::Zero(), -Vec3::UnitY());  // positive turns upwards
    model.add("pivot", hinge(at));
    model.add("motor", motor(at, constant(T), {.ratio = n}));
    const BodyId rotor = model.add("rotor", std::make_shared<Rotor>(J));
    model.add("gear", rotor_gear(rotor, at, n));
    const Simulation sim(model, {.solver = solver});
    const double alpha = (n * T - 0.5 * m * 9.81 * l) / (m * l * l / 3.0 + n * n * J);
    EXPECT_NEAR(-sim.accelerations()[4], alpha, 1e-12);
    EXPECT_NEAR(sim.accelerations()[6], n * alpha, 1e-11);
  }
}

TEST(RotorGear, SpindleFeelsTheReflectedMass) {
  const double m = 3.0, n = 400.0, J = 2e-5, T = 0.1;  // n in rad/m
  Model model;
  model.gravity.setZero();
  const BodyId cart = model.add("cart", box(m, {0.2, 0.2, 0.2}));
  const auto at = model.join(cart, world, Vec3::Zero(), Vec3::UnitX());
  model.add("rail", slider(at));
  model.add("spindle", linear_motor(at, constant(T), {.ratio = n}));
  const BodyId rotor = model.add("rotor", std::make_shared<Rotor>(J));
  model.add("nut", linear_rotor_gear(rotor, at, n));
  const Simulation sim(model);
  EXPECT_NEAR(sim.accelerations()[0], n * T / (m + n * n * J), 1e-12);
}

TEST(RotorGear, EnergyAndMotorWorkBalanceOverARun) {
  Model model;
  const BodyId upper = model.add("upper", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  const BodyId lower = model.add("lower", rod(1.0, 1.0), {.position = {1.5, 0, 0}});
  model.add("shoulder", hinge(model.join(upper, world, Vec3::Zero(), Vec3::UnitY())));
  const auto at = model.join(lower, upper, {1, 0, 0}, Vec3::UnitY());
  model.add("elbow", hinge(at));
  model.add("motor", motor(at, [](double t) { return Jet{0.1 * std::sin(3.0 * t), 0, 0}; }, {.ratio = 20.0}));
  const BodyId rotor = model.add("rotor", std::make_shared<Rotor>(1e-4));
  model.add("gear", rotor_gear(rotor, at, 20.0));
  Simulation sim(model);
  EXPECT_EQ(sim.choice().integrator, Integrator::rattle);
  while (sim.time() < 1.0) ASSERT_TRUE(sim.step(1e-3).ok());
  const double joint = sim.joint_rate(*sim.model().find_constraint("elbow")).angular;
  EXPECT_NEAR(sim.placement(rotor).angular_velocity.z(), 20.0 * joint, 1e-9);
  EXPECT_GT(std::abs(sim.ledger()[Account::motors]), 0.1);
  EXPECT_LT(std::abs(sim.numerical_energy()), 1e-3);
  EXPECT_LT(check(sim).mass_ratio, 1.0 + 1e-12);
}

}  // namespace
}  // namespace catena
