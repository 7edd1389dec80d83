// Tree algorithms against each other and against the same model in body coordinates: nothing is shared by the two but the description of
// the joints.
#include "catena/algorithms.h"
#include "catena/catena.h"
#include "support/allocation_counter.h"
#include "support/tree_laws.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::RandomNumbers;
using test::TreeCase;

double distance_of(const VecX& a, const VecX& b) {
  return (a - b).norm() / (1.0 + b.norm());
}

class TreeAlgorithms : public ::testing::TestWithParam<unsigned> {};

/// The short version of the campaign's `trees`.
TEST_P(TreeAlgorithms, AgreeWithEachOther) {
  for (unsigned seed = 100 * GetParam(); seed < 100 * GetParam() + 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(
        random,
        {.links = random.integer(1, 30), .mass_exponent = random.number(0.0, 3.0), .chain = seed % 4 == 0});
    const test::TreeErrors errors = test::tree_errors(c, random);
    EXPECT_LT(errors.round_trip, errors.tolerance()) << "condition " << errors.condition;
    EXPECT_LT(errors.inverse, errors.tolerance()) << "condition " << errors.condition;
    EXPECT_LT(errors.jacobians, errors.tolerance());
    EXPECT_LT(errors.energy, errors.tolerance());
    EXPECT_LT(errors.reactions, errors.tolerance()) << "condition " << errors.condition;
    MotionJacobian A;
    momentum_matrix(c.tree, c.data, A);
    EXPECT_LT(distance_of(A * c.v, momentum(c.tree, c.data)), 1e-12);
  }
}

/// The same state in body coordinates, where joints are constraints with multipliers.
TEST_P(TreeAlgorithms, AgreeWithBodyCoordinates) {
  for (unsigned seed = 100 * GetParam(); seed < 100 * GetParam() + 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = random.integer(1, 20)});
    Simulation sim(c.model);
    State state = sim.state();
    c.tree.to_bodies(c.q, c.v, state.q, state.v);
    sim.set_state(state);
    EXPECT_LT(sim.constraint_error(), 1e-12);
    VecX q = c.q, v;
    c.tree.to_joints(state.q, state.v, q, v);
    EXPECT_LT((q - c.q).norm(), 1e-12 * (1.0 + c.q.norm()));
    EXPECT_LT((v - c.v).norm(), 1e-12 * (1.0 + c.v.norm()));

    c.tau.setZero();
    ASSERT_EQ(forward_dynamics(c.tree, c.q, c.v, c.tau, c.data, c.a), JointTree::kNone);
    for (std::size_t i = 0; i < c.model.constraints().size(); ++i) {
      const ConstraintEntry& entry = c.model.constraints()[i];
      const int link = c.tree.link_of(entry.id);
      ASSERT_NE(link, JointTree::kNone);
      // force and torque on the body of marker a, in the axes of b, at a; the link's own wrench is at its marker of the joint
      const ConstraintForce force = sim.constraint_force(entry.id);
      const Marker a = sim.marker(entry.constraint->attachments()[0]),
                   b = sim.marker(entry.constraint->attachments()[1]);
      const bool carries_b =
          entry.constraint->attachments()[1].body == c.model.bodies()[std::size_t(c.tree.body(link))].id;
      const Vec6 wrench = joint_wrench(c.tree, c.data, link);
      const Vec3 f = b.R * force.force;
      Vec3 n = b.R * force.torque;
      if (carries_b) n += (a.x - b.x).cross(f);
      const double sign = carries_b ? -1.0 : 1.0, scale = 1.0 + wrench.norm();
      EXPECT_LT((sign * f - wrench.head<3>()).norm(), 1e-9 * scale) << entry.constraint->kind();
      EXPECT_LT((sign * n - wrench.tail<3>()).norm(), 1e-9 * scale) << entry.constraint->kind();
    }
    forward_kinematics(c.tree, c.q, c.v, c.data);
    MotionJacobian J;
    const VecX& expected = sim.accelerations();
    for (int k = 0; k < c.tree.num_links(); ++k) {
      body_jacobian(c.tree, c.data, k, J);
      const Vec6 acceleration = J * c.a + body_bias(c.tree, c.data, k),
                 in_bodies = expected.segment<6>(6 * c.tree.body(k));
      EXPECT_LT((acceleration - in_bodies).norm(), 1e-9 * (1.0 + in_bodies.norm()));
    }
    EXPECT_NEAR(kinetic_energy(c.tree, c.data), sim.energy().kinetic, 1e-11 * (1.0 + sim.energy().kinetic));
    EXPECT_NEAR(gravity_energy(c.tree, c.data), sim.energy().gravity,
                1e-11 * (1.0 + std::abs(sim.energy().gravity)));
    const Vec6 h = momentum(c.tree, c.data);
    const Vec3 centre = centre_of_mass(c.tree, c.data), L = h.tail<3>() + centre.cross(h.head<3>());
    EXPECT_LT((h.head<3>() - sim.linear_momentum()).norm(), 1e-11 * (1.0 + h.norm()));
    EXPECT_LT((L - sim.angular_momentum()).norm(), 1e-11 * (1.0 + L.norm() + h.norm()));
  }
}

/// (velocity of the centre of mass ; angular velocity) of all links.
VecX twists(TreeCase& c, const VecX& q, const VecX& v) {
  VecX out(6 * c.tree.num_links());
  forward_kinematics(c.tree, q, v, c.data);
  for (int k = 0; k < c.tree.num_links(); ++k) {
    const Placement at = placement(c.tree, c.data, k);
    out.segment<6>(6 * k) << at.velocity, at.angular_velocity;
  }
  return out;
}

/// v̇ belongs to the coordinates: a bias that is wrong along free directions would be made up for by accelerations that nobody else reads.
TEST_P(TreeAlgorithms, AccelerateAsTheirCoordinatesDo) {
  constexpr double h = 1e-5;
  for (unsigned seed = 100 * GetParam(); seed < 100 * GetParam() + 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = random.integer(1, 12)});
    const VecX a = random.numbers(c.tree.num_v(), 1.0);
    VecX before = c.q, after = c.q;
    c.tree.retract(-h * c.v, before);
    c.tree.retract(h * c.v, after);
    const VecX difference = (twists(c, after, c.v + h * a) - twists(c, before, c.v - h * a)) / (2.0 * h);
    forward_kinematics(c.tree, c.q, c.v, c.data);
    MotionJacobian J;
    for (int k = 0; k < c.tree.num_links(); ++k) {
      body_jacobian(c.tree, c.data, k, J);
      const Vec6 expected = J * a + body_bias(c.tree, c.data, k);
      EXPECT_LT((difference.segment<6>(6 * k) - expected).norm(), 1e-7 * (1.0 + expected.norm()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TreeAlgorithms, ::testing::Range(0u, 4u));

TEST(TreeAlgorithms, HoldAtADepthOfAThousand) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = 1000, .mass_exponent = seed == 1 ? 1.0 : 3.0, .chain = true});
    const test::TreeErrors errors = test::tree_errors(c, random);
    EXPECT_LT(errors.round_trip, 1e-9) << "condition " << errors.condition;
    EXPECT_LT(errors.jacobians, 1e-9);
    EXPECT_LT(errors.energy, 1e-9);
    EXPECT_LT(errors.reactions, 1e-9) << "condition " << errors.condition;
    EXPECT_LT(errors.inverse, 1e-9) << "condition " << errors.condition;
  }
}

TEST(TreeAlgorithms, AllocateNothing) {
  RandomNumbers random(7);
  TreeCase c(random, {.links = 30});
  VecX tau;
  MatX M;
  MotionJacobian J;
  const auto run = [&] {
    const int stuck = forward_dynamics(c.tree, c.q, c.v, c.tau, c.data, c.a);
    inverse_dynamics(c.tree, c.q, c.v, c.a, c.data, tau);
    mass_matrix(c.tree, c.q, c.data, M);
    forward_kinematics(c.tree, c.q, c.v, c.data);
    body_jacobian(c.tree, c.data, 29, J);
    momentum_matrix(c.tree, c.data, J);
    return stuck;
  };
  ASSERT_EQ(run(), JointTree::kNone);
  const testing::AllocationCounter counter;
  ASSERT_EQ(run(), JointTree::kNone);
  EXPECT_EQ(counter.count(), 0);
}

/// A double pendulum in the plane against Lagrange's equations.
TEST(TreeAlgorithms, MoveADoublePendulumInThePlane) {
  Model model;
  model.gravity = {0, -9.81, 0};
  const double m = 1.3, l = 0.7, I = m * l * l / 12.0, theta1 = 0.4, theta2 = -0.9, w1 = 1.1, w2 = -0.7;
  const auto add = [&](const char* name) { return model.add(name, std::make_shared<PlanarRigid>(m, I)); };
  const BodyId one = add("one"), two = add("two");
  model.add("first", hinge({{one, {0, l / 2, 0}}, {world, Vec3::Zero()}}));
  model.add("second", ball({{two, {0, l / 2, 0}}, {one, {0, -l / 2, 0}}}));
  const JointTree tree(model);
  TreeData data(tree);
  ASSERT_EQ(tree.num_v(), 2);
  const VecX q = Vec2(theta1, theta2 - theta1), v = Vec2(w1, w2 - w1), tau = VecX::Zero(2);
  VecX a;
  ASSERT_EQ(forward_dynamics(tree, q, v, tau, data, a), JointTree::kNone);
  // absolute angles: A θ̈ = b
  const double c12 = std::cos(theta1 - theta2), s12 = std::sin(theta1 - theta2), g = 9.81;
  Eigen::Matrix2d A;
  A << I + m * l * l * 1.25, m * l * l * 0.5 * c12, m * l * l * 0.5 * c12, I + m * l * l * 0.25;
  const Vec2 b(-m * l * l * 0.5 * s12 * w2 * w2 - 1.5 * m * g * l * std::sin(theta1),
               m * l * l * 0.5 * s12 * w1 * w1 - 0.5 * m * g * l * std::sin(theta2));
  const double determinant = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
  const Vec2 expected((A(1, 1) * b[0] - A(0, 1) * b[1]) / determinant,
                      (A(0, 0) * b[1] - A(1, 0) * b[0]) / determinant);
  EXPECT_NEAR(a[0], expected[0], 1e-12);
  EXPECT_NEAR(a[0] + a[1], expected[1], 1e-12);
}

TEST(JointTree, TakesOppositeAxesAsACut) {
  Model model;
  const BodyId body = model.add("body", sphere(1.0, 0.1));
  AttachmentPair at = model.join(body, world, {0, 0, 0}, Vec3::UnitZ());
  at.b.axes = Mat3(Eigen::AngleAxisd(3.14159265358979323846, Vec3::UnitX()).toRotationMatrix());
  model.add("pin", hinge(at));  // its rows hold for opposite axes as well
  const JointTree tree(model);
  EXPECT_EQ(tree.joint(0), JointTree::kNone);
  EXPECT_EQ(tree.cuts(), std::vector<int>{0});
  const TreeData data(tree);
  EXPECT_THROW((void)placement(tree, data, tree.link_of(model.constraints()[0].id)), InvalidInput);
}

TEST(JointTree, CutsLoopsAndKeepsTreesShort) {
  Model model;
  std::vector<BodyId> links;
  for (int i = 0; i < 5; ++i) links.push_back(model.add("l" + std::to_string(i), rod(1, 1)));
  model.add("j0", hinge(model.join(links[0], world, {0, 0, 0})));
  for (std::size_t i = 1; i < 5; ++i)
    model.add("j" + std::to_string(i), hinge(model.join(links[i], links[i - 1], {double(i), 0, 0})));
  model.add("closure", hinge(model.join(links[4], world, {5, 0, 0})));
  const JointTree tree(model);
  EXPECT_EQ(tree.cuts().size(), 1u);
  for (int k = 0; k < 5; ++k) {
    int depth = 1;
    for (int p = tree.parent(k); p >= 0; p = tree.parent(p)) ++depth;
    EXPECT_LE(depth, 3);
    EXPECT_LT(tree.parent(k), k);
  }
}

TEST(JointTree, RefusesBodiesWithoutFramesByName) {
  Model model;
  model.add("jelly", std::make_shared<Deformable>(Deformable::Order::linear, 1.0, Vec3(0.2, 0.2, 0.2), 40.0));
  try {
    const JointTree tree(model);
    FAIL() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("jelly"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace catena
