// The unsymmetric factorisation of implicit steps against a dense one: trees, loops, links, springs, any dimensions.
#include "solve/equality_solver.h"
#include "support/random_stage.h"

#include <gtest/gtest.h>

namespace catena::solve {
namespace {

using testing::RandomProblem;
using testing::RandomProblemOptions;
using testing::RandomStage;

void expect_agreement(unsigned seed, const RandomProblemOptions& options) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const RandomProblem base(random, options);
  const RandomStage stage(random, base, {});
  const auto solver = make_ldu_solver(), dense = make_dense_kkt_solver();
  ASSERT_FALSE(solver->analyze(stage.problem).refused());
  ASSERT_FALSE(dense->analyze(stage.problem).refused());
  ASSERT_TRUE(solver->factor(stage.problem).ok());
  ASSERT_TRUE(dense->factor(stage.problem).ok());
  const Eigen::VectorXd f = testing::random_vector(random, stage.graph.num_x());
  const Eigen::VectorXd d = testing::random_vector(random, stage.graph.num_rows());
  Eigen::VectorXd x, lambda, x_dense, lambda_dense;
  EXPECT_TRUE(solver->solve(stage.problem, f, d, x, lambda).ok());
  EXPECT_TRUE(dense->solve(stage.problem, f, d, x_dense, lambda_dense).ok());
  EXPECT_LT(testing::relative_difference(x, x_dense), 1e-9);
  EXPECT_LT(testing::relative_difference(lambda, lambda_dense), 1e-9);
  Residual residual;
  compute_residual(stage.problem, f, d, x, lambda, residual);
  EXPECT_LT(residual.relative, 1e-9);
  const PivotSigns expected{stage.graph.num_x(), stage.graph.num_rows(), 0};
  EXPECT_EQ(solver->pivot_signs(stage.problem), expected);
  EXPECT_EQ(dense->pivot_signs(stage.problem), expected);
}

TEST(Ldu, AgreesWithADenseFactorisationOnForestsOfAnyDimension) {
  for (unsigned seed = 1; seed <= 100; ++seed) expect_agreement(seed, {});
}

TEST(Ldu, AgreesOnSpatialTreesWithTwoBodiesPerConstraint) {
  for (unsigned seed = 1; seed <= 100; ++seed)
    expect_agreement(seed, {.bodies = 30, .dims = {6}, .max_arity = 2});
}

TEST(Ldu, AgreesWithSpringsAndLoops) {
  for (unsigned seed = 1; seed <= 100; ++seed)
    expect_agreement(
        seed, {.bodies = 15, .dims = {3, 6}, .max_arity = 2, .nails = 2, .loops = 3, .compliance = 0.5});
}

TEST(Ldu, SaysWhichBodyHasNoPivot) {
  std::mt19937 random(1);
  const RandomProblem base(random, {.bodies = 5, .dims = {6}, .max_arity = 2});
  RandomStage stage(random, base, {.skew = 0.0});
  const auto solver = make_ldu_solver();
  ASSERT_FALSE(solver->analyze(stage.problem).refused());
  stage.problem.M.setZero();
  stage.problem.links.setZero();
  stage.problem.lower.setZero();
  EXPECT_FALSE(solver->factor(stage.problem).ok());
}

}  // namespace
}  // namespace catena::solve
