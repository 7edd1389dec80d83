// The two dense solvers against a decomposition with complete pivoting.
#include "solve/dense_ldlt.h"
#include "solve/equality_solver.h"
#include "support/solver_checks.h"

#include <gtest/gtest.h>

namespace catena::solve {
namespace {

using testing::RandomProblem;
using testing::RandomProblemOptions;

class Dense : public ::testing::TestWithParam<std::unique_ptr<EqualitySolver> (*)()> {
 protected:
  std::unique_ptr<EqualitySolver> solver = GetParam()();
};
INSTANTIATE_TEST_SUITE_P(Solvers, Dense, ::testing::Values(make_dense_schur_solver, make_dense_kkt_solver),
                         [](const auto& instance) { return instance.index == 0 ? "schur" : "kkt"; });

TEST_P(Dense, AgreesOnForests) {
  testing::expect_agrees_with_reference(*solver, {.bodies = 25}, 40, 1e-10);
}

TEST_P(Dense, AgreesOnLoops) {
  testing::expect_agrees_with_reference(*solver, {.loops = 10}, 40, 1e-10);
}

TEST_P(Dense, AgreesAtLargeMassRatios) {
  testing::expect_agrees_with_reference(*solver, {.mass_ratio = 1e4}, 30, 1e-10);
}

TEST_P(Dense, AgreesWithCompliance) {
  testing::expect_agrees_with_reference(*solver, {.loops = 4, .compliance = 0.1}, 30, 1e-10);
}

// More rows than one panel and one tile of the factor, so that every kind of block is passed through.
TEST_P(Dense, AgreesOnMatricesOfManyTiles) {
  testing::expect_agrees_with_reference(*solver, {.bodies = 60, .loops = 20}, 1, 1e-10);
}

TEST_P(Dense, SolvesBodiesWithoutConstraints) {
  std::mt19937 random(1);
  RandomProblem r(random, {.bodies = 5, .root_probability = 1.0, .free_probability = 1.0});
  ASSERT_EQ(r.graph.num_constraints(), 0);
  const testing::Solution s = testing::solve_by(*solver, r);
  EXPECT_LT(testing::relative_difference(testing::dense_M(r.problem) * s.x, r.f), 1e-14);
}

TEST_P(Dense, NamesARedundantConstraint) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.bodies = 25, .loops = 4, .copies = 1});
    ASSERT_FALSE(solver->analyze(r.problem).refused());
    const FactorResult result = solver->factor(r.problem);
    EXPECT_EQ(result.status, FactorStatus::singular);
    EXPECT_EQ(result.constraint, r.copies[0].second);
  }
}

TEST_P(Dense, CopiesWithComplianceShareTheLoad) {
  std::mt19937 random(2);
  RandomProblem r(random, {.copies = 1});
  r.problem.S.setConstant(0.1);
  const testing::Solution s = testing::solve_by(*solver, r);
  const auto [original, copy] = r.copies[0];
  for (int i = 0; i < r.graph.rows[copy]; ++i)
    EXPECT_NEAR(s.lambda[r.graph.row_offset[original] + i], s.lambda[r.graph.row_offset[copy] + i], 1e-11);
}

TEST_P(Dense, NamesABodyWithoutMass) {
  std::mt19937 random(3);
  RandomProblem r(random, {});
  const int body = 7, dim = r.graph.dims[body];
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    r.problem.M[r.graph.mass_offset[body] + dim * dim - 1] = bad;
    ASSERT_FALSE(solver->analyze(r.problem).refused());
    const FactorResult result = solver->factor(r.problem);
    EXPECT_EQ(result.status, FactorStatus::not_positive);
    EXPECT_EQ(result.body, body);
  }
}

TEST_P(Dense, DoesNotAllocateAfterTheFirstStep) {
  std::mt19937 random(4);
  RandomProblem small(random, {.loops = 5}), large(random, {.bodies = 80, .loops = 5});
  testing::expect_no_allocation(*solver, small);
  testing::expect_no_allocation(*solver, large);
}

TEST_P(Dense, RefusesAMatrixThatDoesNotFitInMemory) {
  const Graph chain = testing::make_chain(5000, 6, 5);
  Problem problem;
  problem.resize(chain);
  const Refusal refusal = solver->analyze(problem);
  EXPECT_NE(refusal.reason.find("GB"), std::string::npos) << refusal.reason;
}

TEST(DenseLdlt, StopsAtTheFirstPivotOfTheWrongSign) {
  DenseLdlt ldlt;
  ldlt.reset(3);
  ldlt.matrix().diagonal() << 1.0, -2.0, 3.0;
  EXPECT_EQ(ldlt.factor(0, 3, +1.0, 1e-13), 1);
}

}  // namespace
}  // namespace catena::solve
