// The block products are the dense products, and the residual says how wrong a solution is.
#include "solve/problem.h"

#include "support/allocation_counter.h"
#include "support/random_problem.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace catena::solve {
namespace {

using Eigen::VectorXd;
using testing::AllocationCounter;
using testing::random_vector;
using testing::RandomProblem;
using testing::relative_difference;

TEST(Graph, OffsetsFollowFromTheSizesInOrder) {
  GraphBuilder builder;
  EXPECT_EQ(builder.add_body(6), 0);
  EXPECT_EQ(builder.add_body(2), 1);
  EXPECT_EQ(builder.add_constraint(5, {0}, {3, 2}), 0);
  EXPECT_EQ(builder.add_constraint(1, {1, 0}), 1);
  const Graph g = builder.finish();
  EXPECT_EQ(g.body_offset, (std::vector<int>{0, 6, 8}));
  EXPECT_EQ(g.mass_offset, (std::vector<int>{0, 36, 40}));
  EXPECT_EQ(g.row_offset, (std::vector<int>{0, 5, 6}));
  EXPECT_EQ(g.edge_begin, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(g.pair, (std::vector<int>{0, -1}));
  EXPECT_EQ(g.edges[2].offset, 30 + 2);
  EXPECT_EQ(g.J_size, 30 + 2 + 6);
  EXPECT_EQ(g.num_pairs, 1);
}

TEST(Graph, WithoutConstraintsOrBodiesIsValid) {
  const Graph g = GraphBuilder{}.finish();
  Problem p;
  p.resize(g);
  Residual residual;
  compute_residual(p, VectorXd(0), VectorXd(0), VectorXd(0), VectorXd(0), residual);
  EXPECT_EQ(residual.relative, 0.0);
}

TEST(Problem, BlockProductsAreTheDenseProducts) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem r(random, {.loops = 5});
    const VectorXd x = random_vector(random, r.graph.num_x()),
                   lambda = random_vector(random, r.graph.num_rows());
    VectorXd y1 = random_vector(random, r.graph.num_x()), y2 = random_vector(random, r.graph.num_rows()), y3;
    const VectorXd expected1 = y1 + testing::dense_J(r.problem).transpose() * lambda;
    const VectorXd expected2 = y2 + testing::dense_J(r.problem) * x;
    add_Jt_times(r.problem, lambda, y1);
    add_J_times(r.problem, x, y2);
    mass_times(r.problem, x, y3);
    EXPECT_LT(relative_difference(y1, expected1), 1e-14);
    EXPECT_LT(relative_difference(y2, expected2), 1e-14);
    EXPECT_LT(relative_difference(y3, testing::dense_M(r.problem) * x), 1e-14);
  }
}

TEST(Residual, IsWhatTheSolutionLeavesOfBothEquations) {
  std::mt19937 random(7);
  const RandomProblem r(random, {.compliance = 0.1});
  const VectorXd x = random_vector(random, r.graph.num_x()),
                 lambda = random_vector(random, r.graph.num_rows());
  Residual residual;
  compute_residual(r.problem, r.f, r.d, x, lambda, residual);
  const Eigen::MatrixXd J = testing::dense_J(r.problem);
  const VectorXd r1 = r.f + J.transpose() * lambda - testing::dense_M(r.problem) * x;
  const VectorXd r2 = r.d - J * x - r.problem.S.cwiseProduct(lambda);
  EXPECT_LT(relative_difference(residual.r1, r1), 1e-14);
  EXPECT_LT(relative_difference(residual.r2, r2), 1e-14);
  EXPECT_GT(residual.relative, 0.1);
}

TEST(Residual, OfTheExactSolutionIsRounding) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem r(random, {});
    VectorXd rhs(r.graph.num_x() + r.graph.num_rows());
    rhs << r.f, -r.d;
    const VectorXd z = testing::dense_kkt(r.problem).fullPivLu().solve(rhs);
    Residual residual;
    compute_residual(r.problem, r.f, r.d, z.head(r.f.size()), z.tail(r.d.size()), residual);
    EXPECT_LT(residual.relative, 1e-12);
    EXPECT_GT(residual.relative, 0.0);
  }
}

TEST(Residual, OfASystemAtRestIsZero) {
  std::mt19937 random(3);
  const RandomProblem r(random, {});
  const VectorXd zero_x = VectorXd::Zero(r.graph.num_x()), zero_rows = VectorXd::Zero(r.graph.num_rows());
  Residual residual;
  compute_residual(r.problem, zero_x, zero_rows, zero_x, zero_rows, residual);
  EXPECT_EQ(residual.relative, 0.0);
}

TEST(Residual, OfWhatIsNotANumberIsInfinite) {
  std::mt19937 random(4);
  const RandomProblem r(random, {});
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    VectorXd x = random_vector(random, r.graph.num_x()), lambda = random_vector(random, r.graph.num_rows());
    Residual residual;
    x[x.size() / 2] = bad;
    compute_residual(r.problem, r.f, r.d, x, lambda, residual);
    EXPECT_EQ(residual.relative, std::numeric_limits<double>::infinity());
    x[x.size() / 2] = 0.0;
    lambda[0] = bad;
    compute_residual(r.problem, r.f, r.d, x, lambda, residual);
    EXPECT_EQ(residual.relative, std::numeric_limits<double>::infinity());
  }
}

TEST(Residual, AllocatesOnlyTheFirstTime) {
  std::mt19937 random(5);
  const RandomProblem r(random, {});
  VectorXd x = random_vector(random, r.graph.num_x()), lambda = random_vector(random, r.graph.num_rows()), y;
  Residual residual;
  compute_residual(r.problem, r.f, r.d, x, lambda, residual);
  mass_times(r.problem, x, y);
  const AllocationCounter allocations;
  compute_residual(r.problem, r.f, r.d, x, lambda, residual);
  mass_times(r.problem, x, y);
  add_J_times(r.problem, x, lambda);
  add_Jt_times(r.problem, lambda, x);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(AllocationCounter, SeesNewAndMalloc) {
  const AllocationCounter allocations;
  volatile double* number = new double(1.0);
  EXPECT_EQ(allocations.count(), 1);
  delete number;
  const VectorXd by_eigen = VectorXd::Constant(10, *std::make_unique<double>(2.0));
  EXPECT_EQ(allocations.count(), 3) << by_eigen[9];
}

}  // namespace
}  // namespace catena::solve
