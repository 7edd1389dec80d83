// What points of links answer to wrenches: by recursion on joints, every way it may go, and by J M⁻¹Jᵀ as it is written.
#include "formulation/minimal/operational_space.h"

#include "formulation/minimal/dynamics.h"
#include "support/allocation_counter.h"
#include "support/dense_solve.h"
#include "support/random_tree.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using minimal::Climb;
using minimal::ClimbCount;
using test::dense_solve;
using test::random_points;
using test::RandomNumbers;
using test::TreeCase;

constexpr double kNear = 1e-10;

Vec3 world_place(const TreeCase& c, const LinkPoint& point) {
  const Placement at = placement(c.tree, c.data, point.link);
  return at.position + at.orientation * point.at;
}

/// J M⁻¹Jᵀ, from composite bodies and Jacobians of points.
MatX written_out(TreeCase& c, std::span<const LinkPoint> points) {
  MatX M;
  mass_matrix(c.tree, c.q, c.data, M);
  forward_kinematics(c.tree, c.q, c.v, c.data);
  MatX J(6 * points.size(), c.tree.num_v());
  for (std::size_t i = 0; i < points.size(); ++i) {
    MotionJacobian own;
    point_jacobian(c.tree, c.data, points[i].link, world_place(c, points[i]), own);
    J.middleRows<6>(6 * Eigen::Index(i)) = own;
  }
  return J * dense_solve(M, J.transpose());
}

/// By one way alone.
MatX compliance_by(Climb climb, TreeCase& c, std::span<const LinkPoint> points) {
  MatX out;
  minimal::Workspace& work = c.data.workspace();
  minimal::update_places(c.tree.structure(), c.q, work);
  EXPECT_EQ(minimal::factor_mass(c.tree.structure(), work), JointTree::kNone);
  minimal::find_compliance(c.tree.structure(), points, climb, work, c.data.operational(), out);
  return out;
}

TEST(OperationalSpace, IsThatOfTheMassMatrixByEveryWay) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = random.integer(1, 20), .chain = seed % 3 == 0});
    const std::vector<LinkPoint> points = random_points(random, c, random.integer(1, 12));
    const MatX expected = written_out(c, points);
    MatX Lambda;
    ASSERT_EQ(operational_compliance(c.tree, c.q, points, c.data, Lambda), JointTree::kNone);
    EXPECT_LT((Lambda - expected).norm(), kNear * (1.0 + expected.norm()));
    EXPECT_EQ((Lambda - Lambda.transpose()).norm(), 0.0);
    EXPECT_LT((compliance_by(Climb::joints, c, points) - expected).norm(), kNear * (1.0 + expected.norm()));
    EXPECT_LT((compliance_by(Climb::edges, c, points) - expected).norm(), kNear * (1.0 + expected.norm()));
  }
}

/// A trunk with branches at its end, all hinges.
Model trunk_and_branches(int trunk, int branches, int length) {
  Model model;
  BodyId last = world;
  int count = 0;
  const auto grow = [&](BodyId from, const Vec3& at) {
    const BodyId id =
        model.add("b" + std::to_string(count++), sphere(1.0, 0.1), {.position = at + Vec3(0.05, 0, 0)});
    model.add("j" + std::to_string(count), hinge(model.join(id, from, at, Vec3(0.6, 0, 0.8))));
    return id;
  };
  for (int i = 0; i < trunk; ++i) last = grow(last, {0.1 * i, 0, 0});
  const BodyId top = last;
  for (int b = 0; b < branches; ++b) {
    last = top;
    for (int i = 0; i < length; ++i) last = grow(last, {0.1 * (trunk + i), 0.2 * b, 0});
  }
  return model;
}

struct Costs {
  ClimbCount joints, edges, automatic;
};

/// What the three ways take from the tips of all branches, and of points in the trunk.
Costs costs_of(const Model& model, std::span<const int> bodies) {
  const JointTree tree(model);
  TreeData data(tree);
  VecX q, v;
  tree.start(q, v);
  std::vector<LinkPoint> points;
  for (const int body : bodies) points.push_back({tree.link_of(model.bodies()[std::size_t(body)].id), {}});
  minimal::Workspace& work = data.workspace();
  minimal::update_places(tree.structure(), q, work);
  EXPECT_EQ(minimal::factor_mass(tree.structure(), work), JointTree::kNone);
  const auto count = [&](Climb climb) {
    MatX Lambda;
    minimal::find_compliance(tree.structure(), points, climb, work, data.operational(), Lambda);
    return data.operational().count;
  };
  return {count(Climb::joints), count(Climb::edges), count(Climb::automatic)};
}

TEST(OperationalSpace, ChoosesTheWayByItsCount) {
  // A trunk of 100 links that 8 tips and a point at its foot share: each tip goes down its own branch joint by joint, and the trunk is made
  // one matrix, instead of 8 climbs of 99 joints.
  const Model tree = trunk_and_branches(100, 8, 10);
  const std::vector<int> tips{0, 109, 119, 129, 139, 149, 159, 169, 179};
  const Costs many = costs_of(tree, tips);
  EXPECT_EQ(many.joints.passes, 8 * (10 + 99));
  EXPECT_EQ(many.joints.products, 0);
  EXPECT_EQ(many.edges.passes, 8 * 10 + 99);
  EXPECT_EQ(many.edges.products, 8 * 2);
  EXPECT_EQ(many.automatic.passes, 8 * 10 + 99);
  EXPECT_EQ(many.automatic.products, 8);
  // One tip and the foot: nothing is shared, and nothing is multiplied.
  const std::vector<int> two{0, 109};
  const Costs few = costs_of(tree, two);
  EXPECT_EQ(few.automatic.passes, 10 + 99);
  EXPECT_EQ(few.automatic.products, 0);
  // Every link of a short tree: single joints pay too, where several points go over them.
  const Model small = trunk_and_branches(3, 2, 2);
  const Costs all = costs_of(small, std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(all.joints.passes, 1 + 2 + 2 * (3 + 4));
  EXPECT_EQ(all.automatic.passes, 6);
  EXPECT_EQ(all.automatic.products, 1 + 2 + 4 * 3);
}

/// In products, of which a pass is worth three: never more than either way by itself.
TEST(OperationalSpace, ChoosesTheCheaperWay) {
  const auto cost = [](const ClimbCount& count) { return 3 * count.passes + count.products; };
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    const Model model = test::random_tree(random, {.links = 40, .chain = seed % 2 == 0});
    std::vector<int> bodies;
    for (int i = 0; i < 10; ++i) bodies.push_back(random.integer(0, 39));
    const Costs costs = costs_of(model, bodies);
    EXPECT_LE(cost(costs.automatic), cost(costs.joints));
    EXPECT_LE(cost(costs.automatic), cost(costs.edges));
  }
}

TEST(OperationalSpace, MeetsWhereWaysToTheWorldDo) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    const TreeCase c(random, {.links = random.integer(1, 60)});
    const std::vector<LinkPoint> points = random_points(random, c, random.integer(1, 20));
    minimal::VirtualTree seen;
    seen.build(c.tree.structure(), points);
    EXPECT_LE(seen.nodes().size(), 2 * points.size() - 1);
    const auto carries = [&](int below, int above) {
      for (int k = above; k >= 0; k = c.tree.parent(k))
        if (k == below) return true;
      return false;
    };
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t j = 0; j < points.size(); ++j) {
        int expected = points[i].link;
        while (expected >= 0 && !carries(expected, points[j].link)) expected = c.tree.parent(expected);
        const int node = seen.meeting(seen.node_of(i), seen.node_of(j));
        EXPECT_EQ(node < 0 ? -1 : seen.nodes()[std::size_t(node)].link, expected);
      }
  }
}

TEST(OperationalSpace, AllocatesNothing) {
  RandomNumbers random(3);
  TreeCase c(random, {.links = 30});
  const std::vector<LinkPoint> points = random_points(random, c, 12);
  MatX Lambda;
  ASSERT_EQ(operational_compliance(c.tree, c.q, points, c.data, Lambda), JointTree::kNone);
  const testing::AllocationCounter counter;
  ASSERT_EQ(operational_compliance(c.tree, c.q, points, c.data, Lambda), JointTree::kNone);
  EXPECT_EQ(counter.count(), 0);
}

TEST(OperationalInertia, OfAFreeBodyIsItsOwn) {
  Model model;
  const Vec3 moments(0.3, 0.4, 0.5);
  model.add("body", std::make_shared<Rigid>(2.0, moments));
  const JointTree tree(model);
  TreeData data(tree);
  VecX q, v;
  tree.start(q, v);
  const Vec3 r(0.1, -0.2, 0.7);
  MatX inertia;
  const std::vector<LinkPoint> point{{0, r}};
  const OperationalReport report = operational_inertia(tree, q, point, data, inertia);
  ASSERT_TRUE(report.ok()) << report.refusal;
  EXPECT_EQ(report.rank, 6);
  // about a point: M = (m 1, m [r]× ; -m [r]×, I - m [r]×²)
  Mat3 cross;
  cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  MatX expected(6, 6);
  expected << Mat3(2.0 * Mat3::Identity()), Mat3(2.0 * cross), Mat3(-2.0 * cross),
      Mat3(Mat3(moments.asDiagonal()) - 2.0 * cross * cross);
  EXPECT_LT((inertia - expected).norm(), 1e-13);
}

TEST(OperationalInertia, IsTheInverseOfTheCompliance) {
  int found = 0, refused = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = random.integer(1, 12), .mass_exponent = 2.0});
    const std::vector<LinkPoint> points = random_points(random, c, random.integer(1, 3));
    const MatX Lambda = written_out(c, points);
    MatX inertia;
    const OperationalReport report = operational_inertia(c.tree, c.q, points, c.data, inertia);
    const Eigen::Index rows = Lambda.rows();
    EXPECT_EQ(report.rank + report.missing.cols(), rows);
    EXPECT_LE((Lambda * report.missing).norm(), 1e-9 * Lambda.norm() * (1.0 + report.missing.norm()));
    if (report.ok()) {
      ++found;
      EXPECT_LT((inertia * Lambda - MatX::Identity(rows, rows)).norm(),
                1e-8 * inertia.norm() * Lambda.norm());
    } else {
      ++refused;
      EXPECT_NE(report.refusal.find("on body 'b"), std::string::npos) << report.refusal;
    }
  }
  EXPECT_GT(found, 20);
  EXPECT_GT(refused, 20);
}

TEST(OperationalInertia, IsRefusedWithTheDirectionsThatAreMissing) {
  Model model;
  const BodyId arm = model.add("arm", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  model.add("pin", hinge(model.join(arm, world, {0, 0, 0}, Vec3::UnitZ())));
  const JointTree tree(model);
  TreeData data(tree);
  VecX q, v;
  tree.start(q, v);
  MatX inertia = MatX::Constant(1, 1, 7.0);
  const std::vector<LinkPoint> tip{{0, {0.5, 0, 0}}};
  const OperationalReport one = operational_inertia(tree, q, tip, data, inertia);
  EXPECT_FALSE(one.ok());
  EXPECT_EQ(one.rank, 1);  // the pin leaves one way to move
  EXPECT_EQ(one.missing.cols(), 5);
  EXPECT_EQ(inertia(0, 0), 7.0);
  for (const char* words :
       {"rank 1 of 6", "'arm'", "force along x", "force along z", "torque about x", "torque about y"})
    EXPECT_NE(one.refusal.find(words), std::string::npos) << one.refusal;
  // a point on the axis itself does not move at all
  const std::vector<LinkPoint> foot{{0, {-0.5, 0, 0}}};
  EXPECT_NE(operational_inertia(tree, q, foot, data, inertia).refusal.find("force along y"),
            std::string::npos);
  // two points of a free body hold each other
  Model pair;
  pair.add("plank", rod(1.0, 1.0));
  const JointTree alone(pair);
  TreeData own(alone);
  alone.start(q, v);
  const std::vector<LinkPoint> ends{{0, {0.5, 0, 0}}, {0, {-0.5, 0, 0}}};
  const OperationalReport two = operational_inertia(alone, q, ends, own, inertia);
  EXPECT_EQ(two.rank, 6);
  EXPECT_NE(two.refusal.find("point 0 on body 'plank'"), std::string::npos) << two.refusal;
  EXPECT_NE(two.refusal.find("point 1 on body 'plank'"), std::string::npos) << two.refusal;
}

}  // namespace
}  // namespace catena
