// The unsymmetric factorisation of implicit steps against a dense one: trees, loops, links, springs, any dimensions.
#include "solve/ldu.h"

#include "support/random_problem.h"

#include <gtest/gtest.h>

#include <set>

namespace catena::solve {
namespace {

using testing::RandomProblem;
using testing::RandomProblemOptions;

/// A random problem with unsymmetric blocks between the bodies that share a constraint.
struct RandomStage {
  Graph graph;
  LduProblem problem;

  RandomStage(std::mt19937& random, const RandomProblem& base, double skew) {
    GraphBuilder builder;
    const Graph& g = base.graph;
    for (const int dim : g.dims) builder.add_body(dim);
    std::set<std::pair<int, int>> pairs;
    for (int c = 0; c < g.num_constraints(); ++c) {
      std::vector<int> bodies;
      for (int e = g.edge_begin[std::size_t(c)]; e < g.edge_begin[std::size_t(c) + 1]; ++e)
        bodies.push_back(g.edges[std::size_t(e)].body);
      builder.add_constraint(g.rows[std::size_t(c)], bodies);
      if (bodies.size() == 2 && c % 3 != 0) pairs.emplace(std::minmax(bodies[0], bodies[1]));
    }
    for (const auto& [a, b] : pairs) builder.add_link(a, b);
    graph = builder.finish();
    problem.resize(graph);
    problem.M = base.problem.M;
    problem.J = base.problem.J;
    problem.S = base.problem.S;
    std::uniform_real_distribution<double> number(-skew, skew);
    for (double& value : problem.M) value *= 1.0 + number(random);
    for (double& value : problem.links) value = number(random);
    for (double& value : problem.lower) value = number(random);
  }
};

void expect_agreement(unsigned seed, const RandomProblemOptions& options) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const RandomProblem base(random, options);
  const RandomStage stage(random, base, 0.02);
  const auto solver = make_ldu_solver(), dense = make_dense_ldu_solver();
  solver->analyze(stage.problem);
  ASSERT_TRUE(solver->factor(stage.problem).ok());
  ASSERT_TRUE(dense->factor(stage.problem).ok());
  Eigen::VectorXd x = testing::random_vector(random, stage.graph.num_x());
  Eigen::VectorXd lambda = testing::random_vector(random, stage.graph.num_rows());
  const Eigen::VectorXd f = x, g = lambda;
  Eigen::VectorXd x_dense = x, lambda_dense = lambda, r1, r2;
  solver->solve(stage.problem, x, lambda);
  dense->solve(stage.problem, x_dense, lambda_dense);
  EXPECT_LT(testing::relative_difference(x, x_dense), 1e-9);
  EXPECT_LT(testing::relative_difference(lambda, lambda_dense), 1e-9);
  ldu_residual(stage.problem, x, lambda, f, g, r1, r2);
  EXPECT_LT(r1.lpNorm<Eigen::Infinity>(), 1e-9 * (1.0 + lambda.lpNorm<Eigen::Infinity>()));
  EXPECT_LT(r2.lpNorm<Eigen::Infinity>(), 1e-9 * (1.0 + x.lpNorm<Eigen::Infinity>()));
  EXPECT_TRUE(solver->has_right_signs());
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
  RandomStage stage(random, base, 0.0);
  const auto solver = make_ldu_solver();
  solver->analyze(stage.problem);
  stage.problem.M.setZero();
  stage.problem.links.setZero();
  stage.problem.lower.setZero();
  EXPECT_FALSE(solver->factor(stage.problem).ok());
}

}  // namespace
}  // namespace catena::solve
