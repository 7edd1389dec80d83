// Envelope Cholesky: right answers, and a bandwidth that says when it is the wrong tool.
#include "solve/banded.h"

#include "solve/rcm_order.h"
#include "support/solver_checks.h"

#include <gtest/gtest.h>

namespace catena::solve {
namespace {

using testing::RandomProblem;

int half_bandwidth_of(const Graph& graph) {
  Problem problem;
  problem.resize(graph);
  BandedSolver solver;
  EXPECT_FALSE(solver.analyze(problem).refused());
  return solver.half_bandwidth();
}

TEST(Banded, AgreesOnForests) {
  BandedSolver solver;
  testing::expect_agrees_with_reference(solver, {.bodies = 25}, 40, 1e-10);
}

TEST(Banded, AgreesOnLoops) {
  BandedSolver solver;
  testing::expect_agrees_with_reference(solver, {.mass_ratio = 1e4, .loops = 10}, 40, 1e-10);
}

TEST(Banded, AgreesWithCompliance) {
  BandedSolver solver;
  testing::expect_agrees_with_reference(solver, {.loops = 4, .compliance = 0.1}, 30, 1e-10);
}

TEST(Banded, NamesARedundantConstraintOrItsCopy) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.bodies = 25, .loops = 4, .copies = 1});
    BandedSolver solver;
    ASSERT_FALSE(solver.analyze(r.problem).refused());
    const FactorResult result = solver.factor(r.problem);
    EXPECT_EQ(result.status, FactorStatus::singular);
    EXPECT_TRUE(result.constraint == r.copies[0].first || result.constraint == r.copies[0].second);
  }
}

TEST(Banded, NamesABodyWithoutMass) {
  std::mt19937 random(3);
  RandomProblem r(random, {});
  r.problem.M[r.graph.mass_offset[7]] = 0.0;
  BandedSolver solver;
  ASSERT_FALSE(solver.analyze(r.problem).refused());
  const FactorResult result = solver.factor(r.problem);
  EXPECT_EQ(result.status, FactorStatus::not_positive);
  EXPECT_EQ(result.body, 7);
}

// Each joint of a chain meets one joint on either side: two blocks, whatever the length.
TEST(Banded, AChainHasTheBandwidthOfTwoJoints) {
  EXPECT_EQ(half_bandwidth_of(testing::make_chain(10, 6, 5)), 2 * 5 - 1);
  EXPECT_EQ(half_bandwidth_of(testing::make_chain(10000, 6, 3)), 2 * 3 - 1);
}

TEST(Banded, AChainNamedInAnyOrderIsBanded) {
  std::mt19937 random(11);
  const int links = 200;
  std::vector<int> joints(links);
  for (int i = 0; i < links; ++i) joints[i] = i;
  std::shuffle(joints.begin(), joints.end(), random);
  GraphBuilder builder;
  for (int i = 0; i < links; ++i) builder.add_body(6);
  for (const int i : joints)
    builder.add_constraint(5, i == 0 ? std::vector<int>{0} : std::vector<int>{i, i - 1});
  EXPECT_EQ(half_bandwidth_of(builder.finish()), 2 * 5 - 1);
}

// All arms share the hub, so that every joint meets every other.
TEST(Banded, AStarIsFull) {
  for (const int arms : {2, 10, 100})
    EXPECT_EQ(half_bandwidth_of(testing::make_star(arms, 6, 5)), arms * 5 - 1);
}

TEST(Banded, ARingHasTheBandwidthOfThreeJoints) {
  GraphBuilder builder;
  for (int i = 0; i < 50; ++i) builder.add_body(6);
  for (int i = 0; i < 50; ++i) builder.add_constraint(3, {i, (i + 1) % 50});
  EXPECT_EQ(half_bandwidth_of(builder.finish()), 3 * 3 - 1);
}

TEST(RcmOrder, IsAPermutationOfSeparateTrees) {
  std::mt19937 random(12);
  const RandomProblem r(random, {.bodies = 60, .root_probability = 0.4});
  std::vector<int> order = order_constraints(r.graph);
  std::sort(order.begin(), order.end());
  ASSERT_EQ(int(order.size()), r.graph.num_constraints());
  for (int i = 0; i < int(order.size()); ++i) EXPECT_EQ(order[i], i);
}

TEST(Banded, DoesNotAllocateAfterTheFirstStep) {
  std::mt19937 random(4);
  RandomProblem forest(random, {.bodies = 60}), tangle(random, {.bodies = 100, .loops = 100});
  BandedSolver solver;
  testing::expect_no_allocation(solver, forest);
  testing::expect_no_allocation(solver, tangle);
}

TEST(Banded, RefusesAnEnvelopeThatDoesNotFitInMemory) {
  const Graph star = testing::make_star(10000, 6, 5);
  Problem problem;
  problem.resize(star);
  BandedSolver solver;
  const Refusal refusal = solver.analyze(problem);
  EXPECT_NE(refusal.reason.find("GB"), std::string::npos) << refusal.reason;
}

}  // namespace
}  // namespace catena::solve
