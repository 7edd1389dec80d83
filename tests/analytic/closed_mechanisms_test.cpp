// Closed and over-constrained mechanisms with known motions: the example scenes against published figures.
#include "catena/analysis.h"
#include "catena/catena.h"
#include "catena/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace catena {
namespace {

Scene example(const std::string& name, const std::map<std::string, std::string>& set = {}) {
  return load_scene(std::string(CATENA_SOURCE_DIR) + "/examples/" + name + ".yaml", set);
}

void run_to(Simulation& sim, double time, double dt) {
  const int steps = int(std::lround((time - sim.time()) / dt));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.step(dt);
    ASSERT_TRUE(report.ok()) << report.message;
  }
}

Vec3 point_of(const Simulation& sim, const std::string& body, const Vec3& local) {
  const Placement at = sim.placement(sim.model().find_body(body).value());
  return at.position + at.orientation * local;
}

double angle_of(const Simulation& sim, const std::string& body) {
  const Vec3 x = sim.placement(sim.model().find_body(body).value()).orientation * Vec3::UnitX();
  return std::atan2(x.y(), x.x()) * 180.0 / std::numbers::pi;
}

// IFToMM A02: bars of length 1, upright at the start, so the tip is half a bar from the centre.
Vec3 tip(const Simulation& sim, const std::string& crank) {
  return point_of(sim, crank, Vec3(0.5, 0, 0));
}

TEST(FourBars, FollowTheReferenceThroughSingularPositions) {
  const Scene scene = example("n-four-bar");
  Options options = scene.options;
  options.integrator = Integrator::rk4;
  Simulation sim = test::simulate(scene.model, options);
  run_to(sim, 1.0, 1e-3);
  EXPECT_LT((tip(sim, "crank0") - Vec3(-0.195020301949, -0.980799205662, 0)).norm(), 1e-6);
  run_to(sim, 10.0, 1e-3);
  EXPECT_LT((tip(sim, "crank0") - Vec3(0.328458111541, 0.944518538179, 0)).norm(), 1e-6);
}

TEST(FourBars, RattleIsSecondOrderOnTheWay) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Simulation sim = make_simulation(example("n-four-bar"));
    run_to(sim, 1.0, 1e-3 / (k + 1));
    error[k] = (tip(sim, "crank0") - Vec3(-0.195020301949, -0.980799205662, 0)).norm();
  }
  EXPECT_LT(error[1], 3e-6);
  EXPECT_NEAR(error[0] / error[1], 4.0, 0.4);
}

TEST(FourBars, FortyOfThemStayParallelThroughEveryPassage) {
  Simulation sim = make_simulation(example("n-four-bar", {{"N", "40"}}));
  int passages = 0;
  double before = tip(sim, "crank0").y();
  for (int k = 0; k < 10000; ++k) {
    const StepReport report = sim.step(1e-3);
    ASSERT_TRUE(report.ok()) << report.message;
    const Vec3 first = tip(sim, "crank0"), last = tip(sim, "crank40");
    // near a singular position an error ε of the joints allows √ε of the angles
    ASSERT_LT((last - first - Vec3(40, 0, 0)).norm(), 1e-5) << "at " << sim.time() << " s";
    passages += first.y() * before < 0.0 ? 1 : 0;
    before = first.y();
  }
  EXPECT_GT(passages, 5);
  EXPECT_LT(std::abs(sim.numerical_energy()), 1e-4 * 40 * 9.81);
}

TEST(FourBar, OpenBranchAt60Degrees) {
  const Simulation sim = make_simulation(example("four-bar"));
  EXPECT_NEAR(angle_of(sim, "crank"), 60.0, 1e-10);
  EXPECT_NEAR(angle_of(sim, "coupler"), 39.165923858566394, 1e-10);
  EXPECT_NEAR(angle_of(sim, "follower"), 113.03830364540565, 1e-10);
}

TEST(FourBar, OfParallelHingesHasThreeRedundantRows) {
  const CheckReport report = check(make_simulation(example("four-bar")));
  EXPECT_EQ(report.dof, 1);
  EXPECT_EQ(report.redundant_rows, 3);
  ASSERT_EQ(report.dependencies.size(), 3u);
  for (const Dependency& d : report.dependencies) {
    EXPECT_TRUE(d.is_consistent);
    EXPECT_GE(d.named_share, 0.95);
    EXPECT_GE(d.parts.size(), 2u);
    EXPECT_FALSE(d.remedy.empty());
  }
}

TEST(FourBar, KeepsItsRedundantRowsAndItsEnergyWhileItMoves) {
  Simulation sim = make_simulation(example("four-bar"));
  for (int k = 0; k < 5; ++k) {
    run_to(sim, sim.time() + 1.0, 1e-3);
    EXPECT_EQ(check(sim).redundant_rows, 3);
    EXPECT_EQ(check(sim).dof, 1);
  }
  EXPECT_LT(sim.constraint_error(), 1e-10);
}

TEST(SliderCrank, PositionAndVelocityAt60Degrees) {
  const Scene scene = example("slider-crank");
  Simulation sim = make_simulation(scene);
  const BodyId slider = sim.model().find_body("slider").value();
  EXPECT_NEAR(sim.placement(slider).position.x(), 0.3372281323269014, 1e-10);
  EXPECT_NEAR(sim.placement(slider).velocity.x(), -1.0167810760733205, 1e-10);
  run_to(sim, 2 * std::numbers::pi / 10.0, scene.dt);
  EXPECT_NEAR(sim.placement(slider).position.x(), 0.3372281323269014, 1e-10);
  EXPECT_NEAR(sim.placement(slider).velocity.x(), -1.0167810760733205, 1e-9);
}

TEST(SliderCrank3d, FollowsTheReference) {
  const Scene scene = example("slider-crank-3d");
  Options options = scene.options;
  options.integrator = Integrator::rk4;
  Simulation sim = test::simulate(scene.model, options);
  const BodyId slider = sim.model().find_body("slider").value();
  run_to(sim, 0.1, 5e-4);
  EXPECT_NEAR(sim.placement(slider).position.x(), 0.226787188553, 1e-6);
  run_to(sim, 1.0, 5e-4);
  EXPECT_NEAR(sim.placement(slider).position.x(), 0.211721661393, 1e-6);
}

TEST(Bricard, HasOneRedundantRowAndFollowsTheReference) {
  Simulation sim = make_simulation(example("bricard"));
  const CheckReport report = check(sim);
  EXPECT_EQ(report.dof, 1);
  EXPECT_EQ(report.redundant_rows, 1);
  ASSERT_EQ(report.dependencies.size(), 1u);
  EXPECT_GE(report.dependencies[0].parts.size(), 4u);
  const BodyId bar = sim.model().constraints()[std::size_t(2)].constraint->attachments()[0].body;
  const Vec3 local = sim.model().constraints()[std::size_t(2)].constraint->attachments()[0].point;
  const auto p3 = [&] {
    const Placement at = sim.placement(bar);
    return Vec3(at.position + at.orientation * local);
  };
  EXPECT_LT((p3() - Vec3(1, -1, 0)).norm(), 1e-12);
  run_to(sim, 1.0, 1e-3);
  EXPECT_LT((p3() - Vec3(0.2744813193, -0.8867079387, -0.4623300027)).norm(), 1e-5);
  run_to(sim, 5.0, 1e-3);
  EXPECT_LT((p3() - Vec3(0.9999327423, -0.9999999977, -0.0000672554)).norm(), 1e-5);
}

// Andrews' squeezing mechanism: published angles at 0.03 s (test set for initial value problem solvers).
TEST(Andrews, EndsAtThePublishedAngles) {
  const Scene scene = example("andrews");
  Options options = scene.options;
  options.integrator = Integrator::rk4;
  Simulation sim = test::simulate(scene.model, options);
  run_to(sim, 0.03, 1e-5);
  const auto error = [&](const char* body, double angle) {
    return std::remainder(angle_of(sim, body) * std::numbers::pi / 180.0 - angle, 2.0 * std::numbers::pi);
  };
  EXPECT_NEAR(error("K1", 15.81077119), 0.0, 1e-6);
  EXPECT_NEAR(error("K3", 0.0408222401), 0.0, 1e-8);
  EXPECT_NEAR(error("K5", 0.5244099658), 0.0, 1e-8);
  EXPECT_NEAR(error("K7", 1.0480807410), 0.0, 1e-8);
}

TEST(Door, OnThreeHingesMovesAsOnOne) {
  const Scene scene = example("door-three-hinges");
  Simulation three = test::simulate(scene.model, scene.options);
  const CheckReport report = check(three);
  EXPECT_EQ(report.dof, 1);
  EXPECT_EQ(report.redundant_rows, 10);
  Model model = scene.model;
  const std::vector<ConstraintId> ids{model.constraints()[1].id, model.constraints()[2].id};
  for (const ConstraintId id : ids) model.remove(id);
  Simulation one = test::simulate(model, scene.options);
  EXPECT_EQ(check(one).redundant_rows, 0);
  run_to(three, 2.0, 1e-3);
  run_to(one, 2.0, 1e-3);
  EXPECT_LT((three.state_in(Coordinates::bodies).q - one.state_in(Coordinates::bodies).q).norm(), 1e-9);
}

// A horizontal straight chain nailed at both ends: one row is implied; the rods fall freely at first, as if nothing held the middle.
TEST(StraightChain, IsSingularAndNamed) {
  const Simulation sim = make_simulation(example("straight-chain-both-ends", {{"bend", "0"}}));
  const CheckReport report = check(sim);
  EXPECT_EQ(report.redundant_rows, 1);
  ASSERT_EQ(report.dependencies.size(), 1u);
  EXPECT_EQ(report.dependencies[0].parts.size(), sim.model().constraints().size());
  // the singular row cannot act on anything: the accelerations are those of the limit from bent chains
  const SolverRun cg = run_solver(sim, Solver::cg);
  EXPECT_LT((sim.accelerations() - cg.accelerations).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(StraightChain, AnswersContinuouslyWhenBent) {
  for (const char* bend : {"1e-6", "1e-3", "0.1"}) {
    SCOPED_TRACE(bend);
    const Simulation sim = make_simulation(example("straight-chain-both-ends", {{"bend", bend}}));
    EXPECT_EQ(check(sim).redundant_rows, 0);
    const SolverRun dense = run_solver(sim, Solver::dense_kkt), sparse = run_solver(sim, Solver::sparse);
    ASSERT_TRUE(sparse.applies && dense.applies);
    EXPECT_LT(sparse.residual, 1e-9);
    // the condition number is about 1/bend²
    const double angle = std::stod(bend), tolerance = std::max(1e-9, 1e-16 / (angle * angle));
    EXPECT_LT((sparse.accelerations - dense.accelerations).lpNorm<Eigen::Infinity>(), 9.81 * tolerance);
    // however little it is bent, the chain holds: it hardly moves at first
    EXPECT_LT(sparse.accelerations.lpNorm<Eigen::Infinity>(), 9.81 * std::max(angle, tolerance));
  }
}

}  // namespace
}  // namespace catena
