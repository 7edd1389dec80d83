// Conjugate gradients: the reference's answer at full rank, least-norm multipliers for redundant rows, least
// squares for conflicting ones.
#include "solve/block_schur.h"
#include "solve/equality_solver.h"
#include "solve/independent_rows.h"
#include "support/solver_checks.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace catena::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::RandomProblem;
using testing::RandomProblemOptions;
using testing::relative_difference;
using testing::Solution;

VectorXd least_squares(const MatrixXd& A, const VectorXd& b) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition(A.rows(), A.cols());
  decomposition.setThreshold(1e-9);
  return decomposition.compute(A).solve(b);
}

// L_c of every constraint on the diagonal: the metric in which conflicts are spread.
MatrixXd row_metric(const Problem& p, bool precondition) {
  const Graph& g = *p.graph;
  MatrixXd metric = MatrixXd::Identity(g.num_rows(), g.num_rows());
  if (!precondition) return metric;
  const MatrixXd J = testing::dense_J(p), A = J * testing::dense_M(p).llt().solve(J.transpose());
  for (int c = 0; c < g.num_constraints(); ++c) {
    const int at = g.row_offset[c], rows = g.rows[c];
    const MatrixXd S = VectorXd(p.S.segment(at, rows)).asDiagonal();
    metric.block(at, at, rows, rows) = MatrixXd(A.block(at, at, rows, rows) + S).llt().matrixL();
  }
  return metric;
}

// What the solver promises for any rows: constraint force by least squares in the row metric, λ of least norm
// for this force.
Solution least_squares_reference(const RandomProblem& r, bool precondition) {
  const MatrixXd J = testing::dense_J(r.problem), L = testing::dense_M(r.problem).llt().matrixL();
  const MatrixXd metric = row_metric(r.problem, precondition);
  const VectorXd free = testing::dense_M(r.problem).llt().solve(r.f);
  const MatrixXd W = L.triangularView<Eigen::Lower>().solve(J.transpose()).transpose();
  const VectorXd y = least_squares(metric.triangularView<Eigen::Lower>().solve(W),
                                   metric.triangularView<Eigen::Lower>().solve(r.d - J * free));
  const VectorXd force = L * y;
  return {free + VectorXd(L.transpose().triangularView<Eigen::Upper>().solve(y)),
          least_squares(J.transpose(), force)};
}

class Cg : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<EqualitySolver> solver = make_cg_solver({.precondition = GetParam()});
};
INSTANTIATE_TEST_SUITE_P(Preconditioner, Cg, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "with" : "without"; });

TEST_P(Cg, AgreesOnForests) {
  testing::expect_agrees_with_reference(*solver, {.bodies = 25}, 40, 1e-8);
}

TEST_P(Cg, AgreesOnLoops) {
  testing::expect_agrees_with_reference(*solver, {.loops = 10}, 40, 1e-8);
}

TEST_P(Cg, AgreesAtLargeMassRatios) {
  testing::expect_agrees_with_reference(*solver, {.mass_ratio = 1e4, .loops = 4}, 30, 1e-8);
}

TEST_P(Cg, AgreesWithCompliance) {
  testing::expect_agrees_with_reference(*solver, {.loops = 4, .compliance = 0.1}, 30, 1e-8);
}

TEST_P(Cg, AgreesWithTinyComplianceOfRedundantRows) {
  std::mt19937 random(21);
  RandomProblem r(random, {.loops = 4, .copies = 2});
  r.problem.S.setConstant(1e-6);
  const Solution found = testing::solve_by(*solver, r), expected = testing::solve_reference(r);
  EXPECT_LT(relative_difference(found.x, expected.x), 1e-8);
  EXPECT_LT(relative_difference(found.lambda, expected.lambda), 1e-8);
}

TEST_P(Cg, CopiesOfAConstraintCarryEqualLoads) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.loops = 5, .copies = 1});
    const Solution found = testing::solve_by(*solver, r), expected = least_squares_reference(r, GetParam());
    EXPECT_LT(relative_difference(found.x, expected.x), 1e-8);
    EXPECT_LT(relative_difference(found.lambda, expected.lambda), 1e-8);
    const auto [original, copy] = r.copies[0];
    for (int i = 0; i < r.graph.rows[copy]; ++i)
      EXPECT_NEAR(found.lambda[r.graph.row_offset[original] + i], found.lambda[r.graph.row_offset[copy] + i],
                  1e-8);
  }
}

TEST_P(Cg, SpreadsConflictsByLeastSquares) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.loops = 5, .copies = 3});
    r.d = testing::random_vector(random, r.graph.num_rows());  // the copies now want something else
    const Solution found = testing::solve_by(*solver, r), expected = least_squares_reference(r, GetParam());
    EXPECT_LT(relative_difference(found.x, expected.x), 1e-8);
    EXPECT_LT(relative_difference(found.lambda, expected.lambda), 1e-8);
  }
}

// As drift feedback makes them: redundant rows that disagree by little must not be taken for noise, nor spoil
// the rest.
TEST_P(Cg, SpreadsSmallConflictsToo) {
  for (const double size : {1e-4, 1e-8, 1e-12}) {
    SCOPED_TRACE("size " + std::to_string(size));
    std::mt19937 random(23);
    RandomProblem r(random, {.loops = 5, .copies = 3});
    r.d += size * testing::random_vector(random, r.graph.num_rows());
    const Solution found = testing::solve_by(*solver, r), expected = least_squares_reference(r, GetParam());
    EXPECT_LT(relative_difference(found.x, expected.x), 1e-9);
    EXPECT_LT(relative_difference(found.lambda, expected.lambda), 1e-8);
  }
}

// A constraint of three rows on a planar particle, say: its own block of A has no inverse.
TEST_P(Cg, TakesAConstraintWithDependentRowsOfItsOwn) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.dims = {6}, .max_rows = 5});
    int edited = 0;
    for (const Edge& e : r.graph.edges) {
      const int rows = r.graph.rows[e.constraint];
      if (rows < 2 || e.constraint % 3 != 0) continue;
      // last row: the sum of the others; on every edge, or it would not be dependent
      auto last = r.problem.J.segment(e.offset + (rows - 1) * 6, 6);
      last.setZero();
      for (int i = 0; i + 1 < rows; ++i) last += r.problem.J.segment(e.offset + i * 6, 6);
      ++edited;
    }
    ASSERT_GT(edited, 0);
    r.d = testing::dense_J(r.problem) * testing::random_vector(random, r.graph.num_x());  // consistent
    const Solution found = testing::solve_by(*solver, r), expected = least_squares_reference(r, false);
    EXPECT_LT(relative_difference(found.x, expected.x), 1e-8);
    EXPECT_LT(relative_difference(found.lambda, expected.lambda), 1e-8);
  }
}

TEST_P(Cg, TakesARowOfZeros) {
  std::mt19937 random(24);
  RandomProblem r(random, {});
  const int c = r.graph.num_constraints() / 2;
  for (const Edge& e : r.graph.edges)
    if (e.constraint == c) r.problem.J.segment(e.offset, r.graph.dims[e.body]).setZero();
  const int row = r.graph.row_offset[c];
  const Solution found = testing::solve_by(*solver, r);
  EXPECT_TRUE(found.x.allFinite());
  EXPECT_NEAR(found.lambda[row], 0.0, 1e-9);
}

TEST_P(Cg, NeedsNoIterationForAFreeFall) {
  std::mt19937 random(25);
  RandomProblem r(random,
                  {.dims = {6}, .root_probability = 0.0, .free_probability = 1.0, .pair_probability = 1.0});
  // every body accelerates alike, and no pair holds against it: J x = 0
  const Eigen::Matrix<double, 6, 1> gravity{0.0, 0.0, -9.81, 0.0, 0.0, 0.0};
  VectorXd fall(r.graph.num_x());
  for (int b = 0; b < r.graph.num_bodies(); ++b) fall.segment<6>(6 * b) = gravity;
  for (const Edge& e : r.graph.edges) {  // those that are not pairs become welds of the linear velocity
    if (r.graph.pair[e.constraint] >= 0) continue;
    for (int i = 0; i < r.graph.rows[e.constraint]; ++i) r.problem.J.segment<3>(e.offset + 6 * i).setZero();
  }
  mass_times(r.problem, fall, r.f);
  r.d.setZero();
  const Solution found = testing::solve_by(*solver, r);
  EXPECT_LT(relative_difference(found.x, fall), 1e-12);
  EXPECT_LT(found.lambda.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE(solver->iterations(), 1);
}

TEST_P(Cg, SolvesBodiesWithoutConstraints) {
  std::mt19937 random(26);
  RandomProblem r(random, {.bodies = 5, .root_probability = 1.0, .free_probability = 1.0});
  ASSERT_EQ(r.graph.num_constraints(), 0);
  const Solution s = testing::solve_by(*solver, r);
  EXPECT_LT(relative_difference(testing::dense_M(r.problem) * s.x, r.f), 1e-13);
}

TEST_P(Cg, FollowsARigidConstraintThatBecomesSoft) {
  std::mt19937 random(27);
  RandomProblem r(random, {});
  ASSERT_FALSE(solver->analyze(r.problem).refused());
  ASSERT_TRUE(solver->factor(r.problem).ok());
  r.problem.S.head(4).setConstant(0.5);
  Solution found;
  ASSERT_TRUE(solver->factor(r.problem).ok());
  ASSERT_TRUE(solver->solve(r.problem, r.f, r.d, found.x, found.lambda).ok());
  const Solution expected = testing::solve_reference(r);
  EXPECT_LT(relative_difference(found.x, expected.x), 1e-8);
  EXPECT_LT(relative_difference(found.lambda, expected.lambda), 1e-8);
}

TEST_P(Cg, ReportsWhatIsNotANumber) {
  std::mt19937 random(28);
  RandomProblem r(random, {});
  Solution s = testing::solve_by(*solver, r);
  r.f[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->solve(r.problem, r.f, r.d, s.x, s.lambda).ok());
  r.problem.J[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solver->factor(r.problem).ok());
}

TEST_P(Cg, DoesNotAllocateAfterTheFirstStep) {
  std::mt19937 random(29);
  RandomProblem forest(random, {}), loops(random, {.loops = 10, .copies = 3, .compliance = 0.1});
  testing::expect_no_allocation(*solver, forest);
  testing::expect_no_allocation(*solver, loops);
}

TEST(CgOptions, ALooserToleranceTakesFewerIterations) {
  std::mt19937 random(30);
  RandomProblem r(random, {.bodies = 100, .loops = 30});
  int previous = 0;
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    const auto solver = make_cg_solver({.tolerance = tolerance, .minimum_norm = false});
    const Solution found = testing::solve_by(*solver, r);
    Residual residual;
    compute_residual(r.problem, r.f, r.d, found.x, found.lambda, residual);
    EXPECT_LT(residual.relative, 10 * tolerance);
    EXPECT_GT(solver->iterations(), previous);
    previous = solver->iterations();
  }
}

TEST(CgOptions, TheLimitOfIterationsHolds) {
  std::mt19937 random(31);
  RandomProblem r(random, {.bodies = 50});
  const auto solver = make_cg_solver({.max_iterations = 3, .minimum_norm = false});
  testing::solve_by(*solver, r);
  EXPECT_EQ(solver->iterations(), 3);
}

// The preconditioner pays where rows differ in scale.
TEST(CgOptions, ThePreconditionerSavesIterationsForUnevenRows) {
  std::mt19937 random(32);
  RandomProblem r(random, {.bodies = 60, .mass_ratio = 1e4});
  const auto with = make_cg_solver({.precondition = true, .minimum_norm = false});
  const auto without = make_cg_solver({.precondition = false, .minimum_norm = false});
  testing::solve_by(*with, r);
  testing::solve_by(*without, r);
  EXPECT_LT(2 * with->iterations(), without->iterations());
}

bool proves_independence(const RandomProblem& r) {
  IndependentRows rows;
  rows.analyze(r.graph);
  return rows.prove(r.problem);
}

TEST(IndependentRows, AreProvedForForestsAndNeverForCopies) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    EXPECT_TRUE(proves_independence(RandomProblem(random, {})));
    EXPECT_FALSE(proves_independence(RandomProblem(random, {.copies = 1})));
  }
}

// Weighed with masses, rows of a light body look alike.
TEST(IndependentRows, AreProvedWhateverTheMasses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {});
    for (int b = 0; b < r.graph.num_bodies(); ++b)
      r.problem.M.segment(r.graph.mass_offset[b], r.graph.dims[b] * r.graph.dims[b]) *=
          std::pow(10.0, double(random() % 13) - 6.0);
    EXPECT_TRUE(proves_independence(r));
  }
}

}  // namespace
}  // namespace catena::solve
