// What points of bodies answer to wrenches: by the factor of the solver, by the whole matrix, by impulses, and by recursion on joints.
#include "sim/impl.h"
#include "support/dense_solve.h"
#include "support/random_forest.h"
#include "support/random_tree.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::dense_solve;
using test::random_points;
using test::RandomNumbers;
using test::TreeCase;

constexpr double kClose = 1e-10;

/// M̂⁻¹ of sim/compliance.cpp from the whole matrix of the problem, unknown after unknown.
MatX projected_inverse(const solve::Problem& problem) {
  const int n = problem.graph->num_x(), m = problem.graph->num_rows();
  MatX whole = MatX::Zero(n + m, n + m), right = MatX::Zero(n + m, n);
  right.topRows(n).setIdentity();
  for (int i = 0; i < n; ++i) {
    VecX force(n), rates = VecX::Zero(m);
    mass_times(problem, VecX::Unit(n, i), force);
    add_J_times(problem, VecX::Unit(n, i), rates);
    whole.col(i) << force, rates;
  }
  for (int i = 0; i < m; ++i) {
    VecX force = VecX::Zero(n);
    add_Kt_times(problem, VecX::Unit(m, i), force);
    whole.col(n + i).head(n) = -force;
    whole(n + i, n + i) = problem.S[i];
  }
  return dense_solve(whole, right).topRows(n);
}

/// (velocity ; angular velocity) of a marker over the velocities of all bodies: markers are linear in them.
MatX marker_rates(Simulation& sim, const Attachment& at) {
  const State now = sim.state();
  State moved = now;
  MatX out(6, now.v.size());
  for (Eigen::Index i = 0; i < now.v.size(); ++i) {
    moved.v.setZero();
    moved.v[i] = 1.0;
    sim.set_state(moved);
    const Marker marker = sim.marker(at);
    out.col(i) << marker.v, marker.w;
  }
  sim.set_state(now);
  return out;
}

TEST(Compliance, IsThatOfTheWholeMatrixForBodiesOfEveryKind) {
  int soft = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const test::RandomForest forest(seed, {.bodies = 8, .second_world_probability = 0.0});
    Options options;
    options.solver = seed % 2 == 0 ? Solver::sparse : Solver::automatic;
    Simulation sim(forest.model, options);
    std::vector<Attachment> points;
    MatX T(6 * 8, sim.state().v.size());
    RandomNumbers random(seed);
    for (std::size_t b = 0; b < 8; ++b) {
      const BodyEntry& entry = forest.model.bodies()[b];
      const bool is_point = !entry.body->has_orientation();
      soft += entry.body->type() == BodyType::other && !is_point ? 1 : 0;
      points.push_back({entry.id, is_point ? Vec3(Vec3::Zero()) : random.vector(0.5)});
      if (entry.body->is_planar()) points.back().point.z() = 0.0;
      T.middleRows<6>(6 * Eigen::Index(b)) = marker_rates(sim, points.back());
    }
    const solve::Problem& problem = SimulationAccess::impl(sim).evaluated_bodies().problem();
    const MatX expected = T * projected_inverse(problem) * T.transpose();
    EXPECT_LT((sim.compliance(points) - expected).norm(), kClose * (1.0 + expected.norm()));
  }
  EXPECT_GT(soft, 50);  // bodies that stretch
}

/// What impulses at points change, in a way that shares nothing with the response by paths but the solver.
void expect_what_impulses_show(const Simulation& sim, std::span<const Attachment> points) {
  const MatX Lambda = sim.compliance(points);
  const Vec3 impulse(0.3, -0.2, 0.5);
  for (std::size_t on = 0; on < points.size(); ++on) {
    Simulation hit = sim.clone();
    ASSERT_TRUE(hit.apply_impulse(points[on].body, sim.marker(points[on]).x, impulse).ok());
    for (std::size_t at = 0; at < points.size(); ++at) {
      const Marker before = sim.marker(points[at]), after = hit.marker(points[at]);
      Vec6 jump;
      jump << after.v - before.v, after.w - before.w;
      const Vec6 expected = Lambda.block<6, 3>(6 * Eigen::Index(at), 6 * Eigen::Index(on)) * impulse;
      EXPECT_LT((jump - expected).norm(), 1e-12);
    }
  }
}

TEST(Compliance, OfBodiesThatStretchIsWhatImpulsesShow) {
  for (const char* kind : {"uniform", "along axes", "affine", "quadratic"}) {
    SCOPED_TRACE(kind);
    Model model;
    model.gravity.setZero();
    std::shared_ptr<const Body> body;
    const Vec3 moments(0.3, 0.4, 0.5);
    if (kind[0] == 'u') body = std::make_shared<ScaledRigid>(1.0, moments, ScaleAxes::uniform(), 10.0);
    if (kind[1] == 'l') body = std::make_shared<ScaledRigid>(1.0, moments, ScaleAxes::along_xyz(), 10.0);
    if (kind[1] == 'f')
      body = std::make_shared<Deformable>(Deformable::Order::linear, 1.0, Vec3(1, 1, 1), 10.0);
    if (kind[0] == 'q')
      body = std::make_shared<Deformable>(Deformable::Order::quadratic, 1.0, Vec3(1, 1, 1), 10.0);
    const BodyId soft = model.add("soft", body),
                 arm = model.add("arm", rod(2.0, 1.0), {.position = {1, 0, 0}});
    model.add("pin", ball(model.join(soft, world, {-0.5, 0, 0})));
    model.add("elbow", hinge(model.join(arm, soft, {0.5, 0, 0}, Vec3::UnitZ())));
    Simulation sim(model);
    const std::vector<Attachment> points{{soft, {0.2, 0.3, -0.1}}, {arm, {0.5, 0, 0}}};
    expect_what_impulses_show(sim, points);
  }
}

/// A loop in the plane, three of whose rows the others imply.
Model four_bar() {
  Model model;
  const BodyId crank = model.add("crank", rod(1.0, 1.0), {.position = {0.5, 0, 0}}),
               coupler = model.add(
                   "coupler", rod(1.0, 1.0),
                   {.position = {1, 0.5, 0},
                    .orientation = Quat(Eigen::AngleAxisd(0.5 * 3.14159265358979323846, Vec3::UnitZ()))}),
               rocker = model.add("rocker", rod(1.0, 1.0), {.position = {0.5, 1, 0}});
  model.add("a", hinge(model.join(crank, world, {0, 0, 0})));
  model.add("b", hinge(model.join(coupler, crank, {1, 0, 0})));
  model.add("c", hinge(model.join(rocker, coupler, {1, 1, 0})));
  model.add("d", hinge(model.join(rocker, world, {0, 1, 0})));
  return model;
}

TEST(Compliance, OfLoopsIsWhatImpulsesShow) {
  const Model model = four_bar();
  const std::vector<Attachment> points{{*model.find_body("coupler"), {0.1, 0, 0}},
                                       {*model.find_body("rocker"), Vec3::Zero()}};
  for (const Formulation formulation : {Formulation::maximal, Formulation::minimal, Formulation::middle}) {
    SCOPED_TRACE(name(formulation));
    Options options;
    options.formulation = formulation;
    Simulation sim(model, options);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(sim.step(1e-2).ok());
    expect_what_impulses_show(sim, points);
  }
}

TEST(Compliance, IsTheSameInEveryFormulation) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = random.integer(1, 12)});
    const std::vector<LinkPoint> points = random_points(random, c, 4);
    std::vector<Attachment> attachments;
    for (const LinkPoint& point : points)
      attachments.push_back({c.model.bodies()[std::size_t(c.tree.body(point.link))].id, point.at});
    MatX expected;
    ASSERT_EQ(operational_compliance(c.tree, c.q, points, c.data, expected), JointTree::kNone);
    for (const Formulation formulation : {Formulation::maximal, Formulation::minimal, Formulation::middle}) {
      Options options;
      options.formulation = formulation;
      Simulation sim(c.model, options);
      State state = sim.state_in(Coordinates::bodies);
      c.tree.to_bodies(c.q, c.v, state.q, state.v);
      sim.set_state(state);
      if (seed % 2 == 0) (void)sim.accelerations();  // whether all is solved already or not
      EXPECT_LT((sim.compliance(attachments) - expected).norm(), kClose * (1.0 + expected.norm()))
          << name(formulation);
    }
  }
}

/// All that is read is read behind the back of the motion.
TEST(Compliance, ChangesNoBitOfTheMotion) {
  const Model model = four_bar();
  const std::vector<Attachment> points{{*model.find_body("coupler"), {0.1, 0, 0}},
                                       {world, Vec3::Zero()},
                                       {*model.find_body("rocker"), Vec3::Zero()}};
  for (const Formulation formulation : {Formulation::maximal, Formulation::minimal, Formulation::middle})
    for (const Integrator integrator : {Integrator::rattle, Integrator::rk4, Integrator::bdf2}) {
      Options options;
      options.formulation = formulation;
      options.integrator = integrator;
      Simulation read(model, options), left(model, options);
      for (int i = 0; i < 5; ++i) {
        const MatX Lambda = read.compliance(points);
        EXPECT_EQ((Lambda.middleRows<6>(6).norm()), 0.0);  // the world does not move
        EXPECT_NEAR(Lambda.topLeftCorner(3, 3).row(2).norm(), 0.0, 1e-12) << "out of the plane";
        ASSERT_TRUE(read.step(1e-3).ok());
        ASSERT_TRUE(left.step(1e-3).ok());
      }
      EXPECT_EQ(read.hash(), left.hash()) << name(formulation) << " " << name(integrator);
    }
}

TEST(Compliance, RefusesBodiesThatAreNotThere) {
  Model model;
  model.add("body", rod(1.0, 1.0));
  const Simulation sim(model);
  const std::vector<Attachment> points{{BodyId{77}, {}}};
  EXPECT_THROW((void)sim.compliance(points), InvalidInput);
}

TEST(Compliance, SaysWhyThereIsNone) {
  Model model;
  const BodyId body = model.add("body", rod(1.0, 1.0));
  model.add("pin", hinge(model.join(body, world, {0, 0, 0})));
  model.add("twin", hinge(model.join(body, world, {0, 0, 0})));
  Options options;
  options.solver = Solver::dense;  // wants rows that are independent
  const Simulation sim(model, options);
  const std::vector<Attachment> points{{body, {}}};
  try {
    (void)sim.compliance(points);
    FAIL() << "answered";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("redundan"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace catena
