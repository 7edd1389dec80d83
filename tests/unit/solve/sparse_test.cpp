// The block-sparse solver and Baraff's auxiliary rows: against decompositions with complete pivoting, and against each other.
#include "solve/sparse.h"

#include "solve/auxiliary.h"
#include "solve/pivoted_ldlt.h"
#include "support/solver_checks.h"

#include <gtest/gtest.h>

namespace catena::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::RandomProblem;
using testing::RandomProblemOptions;

class Direct : public ::testing::TestWithParam<std::unique_ptr<EqualitySolver> (*)()> {
 protected:
  std::unique_ptr<EqualitySolver> solver = GetParam()();
};
INSTANTIATE_TEST_SUITE_P(Solvers, Direct, ::testing::Values(make_sparse_solver, make_auxiliary_solver),
                         [](const auto& instance) { return instance.index == 0 ? "sparse" : "auxiliary"; });

TEST_P(Direct, AgreesOnForests) {
  testing::expect_agrees_with_reference(*solver, {.bodies = 25}, 60, 1e-10);
}

TEST_P(Direct, AgreesOnLoops) {
  testing::expect_agrees_with_reference(*solver, {.bodies = 25, .nails = 2, .loops = 10}, 100, 1e-9);
}

TEST_P(Direct, AgreesAtLargeMassRatios) {
  testing::expect_agrees_with_reference(*solver, {.mass_ratio = 1e4, .loops = 5}, 30, 1e-9);
}

TEST_P(Direct, AgreesWithCompliance) {
  testing::expect_agrees_with_reference(*solver, {.loops = 6, .compliance = 0.1}, 40, 1e-9);
}

// Copies of constraints: what moves and what acts is unique, whatever is dropped.
TEST_P(Direct, DropsCopiesAndNothingElse) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.bodies = 20, .loops = 4, .copies = 3});
    const testing::Solution s = testing::solve_by(*solver, r);
    int copied = 0;
    for (const auto& [original, copy] : r.copies) copied += r.graph.rows[copy];
    const MatrixXd J = testing::dense_J(r.problem);
    EXPECT_EQ(int(solver->dropped_rows().size()), copied);
    EXPECT_EQ(int(J.rows()) - testing::rank_of_rows(J), copied);
    const testing::Solution expected = testing::solve_least_squares(r);
    EXPECT_LT(testing::relative_difference(s.x, expected.x), 1e-9);
    EXPECT_LT(testing::relative_difference(J.transpose() * s.lambda, J.transpose() * expected.lambda), 1e-9);
  }
}

TEST_P(Direct, SolvesBodiesWithoutConstraints) {
  std::mt19937 random(1);
  RandomProblem r(random, {.bodies = 5, .root_probability = 1.0, .free_probability = 1.0});
  ASSERT_EQ(r.graph.num_constraints(), 0);
  const testing::Solution s = testing::solve_by(*solver, r);
  EXPECT_LT(testing::relative_difference(testing::dense_M(r.problem) * s.x, r.f), 1e-14);
}

TEST_P(Direct, NamesABodyWithoutMass) {
  std::mt19937 random(3);
  RandomProblem r(random, {.loops = 3});
  ASSERT_FALSE(solver->analyze(r.problem).refused());
  const int body = 7, dim = r.graph.dims[body];
  for (const double bad : {-1e3, std::numeric_limits<double>::quiet_NaN()}) {
    r.problem.M[r.graph.mass_offset[body] + dim * dim - 1] = bad;
    EXPECT_EQ(solver->factor(r.problem).status, FactorStatus::not_positive);
  }
}

TEST(Sparse, DoesNotAllocateAfterTheFirstStep) {
  const auto solver = make_sparse_solver();
  std::mt19937 random(4);
  RandomProblem small(random, {.loops = 5}), large(random, {.bodies = 80, .loops = 20, .copies = 2});
  testing::expect_no_allocation(*solver, small);
  testing::expect_no_allocation(*solver, large);
}

// Blocks of M between bodies, as implicit springs make them: a stiffness K between two bodies adds K to both and -K between.
TEST(Sparse, TakesBlocksBetweenBodies) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.dims = {3, 6}, .loops = 4});
    GraphBuilder builder{r.graph};
    for (int k = 0; k < 8; ++k) {
      const int a = int(random() % unsigned(r.graph.num_bodies())),
                b = int(random() % unsigned(r.graph.num_bodies()));
      if (a == b || r.graph.dims[a] != r.graph.dims[b]) continue;
      bool there = false;
      for (const Link& link : builder.graph.links)
        there = there || (link.a == a && link.b == b) || (link.a == b && link.b == a);
      if (!there) builder.add_link(a, b);
    }
    r.graph.links = builder.graph.links;
    r.graph.links_size = builder.graph.links_size;
    r.problem.links.setZero(r.graph.links_size);
    for (const Link& link : r.graph.links) {
      const int dim = r.graph.dims[link.a];
      const MatrixXd root =
          MatrixXd::NullaryExpr(dim, dim, [&] { return testing::random_vector(random, 1)[0]; });
      const MatrixXd K = root * root.transpose();
      Eigen::Map<MatrixXd>(&r.problem.links[link.offset], dim, dim) = -K;
      for (const int body : {link.a, link.b})
        Eigen::Map<MatrixXd>(&r.problem.M[r.graph.mass_offset[body]], dim, dim) += K;
    }
    const auto sparse = make_sparse_solver(), dense = make_dense_kkt_solver();
    const testing::Solution s = testing::solve_by(*sparse, r), expected = testing::solve_by(*dense, r);
    EXPECT_LT(testing::relative_difference(s.x, expected.x), 1e-10);
    EXPECT_LT(testing::relative_difference(s.lambda, expected.lambda), 1e-10);
    Residual residual;
    compute_residual(r.problem, r.f, r.d, s.x, s.lambda, residual);
    EXPECT_LT(residual.relative, 1e-12);
    EXPECT_TRUE(make_tree_solver()->analyze(r.problem).refused());
    EXPECT_TRUE(make_auxiliary_solver()->analyze(r.problem).refused());
  }
}

// Right-hand sides that copies of a row contradict: there is no answer, and the rescue says so.
// Two constraints that say nearly the same: whose rows those are, a singular position is named by.
TEST(Sparse, KnowsTheWeakestRow) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.bodies = 20, .max_rows = 1, .loops = 4, .copies = 1});
    const auto [original, copy] = r.copies.front();
    const Edge& edge = r.graph.edges[std::size_t(r.graph.edge_begin[std::size_t(copy)])];
    const int size = r.graph.rows[std::size_t(copy)] * r.graph.dims[std::size_t(edge.body)];
    r.problem.J.segment(edge.offset, size) += 1e-5 * testing::random_vector(random, size);
    SparseSolver solver;
    ASSERT_FALSE(solver.analyze(r.problem).refused());
    ASSERT_TRUE(solver.factor(r.problem).ok());
    EXPECT_TRUE(solver.dropped_rows().empty());
    EXPECT_LT(solver.smallest_pivot(), 1e-6);
    const int weakest = find_block(r.graph.row_offset, solver.weakest_row());
    EXPECT_TRUE(weakest == original || weakest == copy) << weakest;
  }
}

TEST(Sparse, RescueReportsAConflict) {
  std::mt19937 random(5);
  RandomProblem r(random, {.bodies = 12, .copies = 1});
  r.d[r.graph.row_offset[r.copies[0].second]] += 1.0;
  SparseSolver solver;
  testing::Solution s = testing::solve_by(solver, r);
  EXPECT_FALSE(solver.rescue(r.problem, r.f, r.d, s.x, s.lambda));
  EXPECT_TRUE(s.x.allFinite() && s.lambda.allFinite());
}

// The rescue repairs an answer whatever went wrong with it, as long as the rows agree.
TEST(Sparse, RescueRepairsAWrongAnswer) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.bodies = 15, .loops = 4, .copies = 2});
    SparseSolver solver;
    testing::Solution s = testing::solve_by(solver, r);
    const VectorXd right = s.x;
    s.x.setRandom();
    s.lambda.setZero();
    EXPECT_TRUE(solver.rescue(r.problem, r.f, r.d, s.x, s.lambda));
    EXPECT_LT(testing::relative_difference(s.x, right), 1e-7);
  }
}

void add_random_row(std::mt19937& random, const Graph& g, SparseRows& rows) {
  rows.add_row();
  for (int k = 0; k < 2; ++k) {
    const int body = int(random() % unsigned(g.num_bodies()));
    rows.add_part(body, g.dims[body], testing::random_vector(random, g.dims[body]).data());
  }
}

MatrixXd dense_rows(const SparseRows& rows, const Graph& g) {
  MatrixXd out = MatrixXd::Zero(g.num_x(), rows.size());
  for (int r = 0; r < rows.size(); ++r) rows.add_transposed(r, 1.0, g.body_offset, out.col(r).data());
  return out.transpose();
}

// All ways to the response matrix, also for forces that do not act along their rows.
TEST(ResponseMatrix, IsTheSameByPathsBySolvesAndAsPrinted) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, {.bodies = 30, .nails = 2});
    SparseSolver primary;
    (void)testing::solve_by(primary, r);
    SparseRows rows, along_rows, forces;
    for (int k = 0; k < 9; ++k) {
      add_random_row(random, r.graph, rows);
      add_random_row(random, r.graph, forces);
      along_rows.add_row();
    }
    const MatrixXd inverse = testing::inverse_response(r.problem);
    const MatrixXd A = dense_rows(rows, r.graph);
    for (const bool symmetric : {true, false}) {
      const SparseRows& K = symmetric ? along_rows : forces;
      const MatrixXd expected = A * inverse * (symmetric ? A : dense_rows(forces, r.graph)).transpose();
      MatrixXd G(9, 9);
      ResponseMatrix response;
      response.compute(primary, r.problem, rows, K, G);
      EXPECT_LT((G - expected).norm(), 1e-11 * expected.norm());
      for (const ResponseMethod method :
           {ResponseMethod::solves, ResponseMethod::rosenthal, ResponseMethod::literal}) {
        compute_response_by_solves(primary, rows, K, method, G);
        EXPECT_LT((G - expected).norm(), 1e-11 * expected.norm()) << "method " << int(method);
      }
    }
  }
}

TEST(PivotedLdlt, FindsTheRankAndSolves) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const int n = 20 + int(random() % 80u), rank = n - int(random() % 12u);
    const MatrixXd B = MatrixXd::NullaryExpr(n, rank, [&] { return testing::random_vector(random, 1)[0]; });
    const MatrixXd A = B * B.transpose();
    PivotedLdlt ldlt;
    ldlt.factor(A, A.diagonal(), 1e-12);
    EXPECT_EQ(ldlt.rank(), rank);
    const VectorXd b = A * testing::random_vector(random, n);
    VectorXd x = b;
    ldlt.solve(x);
    EXPECT_LT((A * x - b).norm(), 1e-7 * b.norm());
  }
}

// Fill and front of structures whose best order is known.
TEST(EliminationOrder, KeepsLaddersNarrowAndStarsSparse) {
  for (const int rungs : {20, 80}) {
    GraphBuilder builder;
    int left = -1, right = -1;
    for (int i = 0; i < rungs; ++i) {
      const int l = builder.add_body(6), r = builder.add_body(6), rung = builder.add_body(6);
      builder.add_constraint(3, left < 0 ? std::vector<int>{l} : std::vector<int>{l, left});
      builder.add_constraint(3, right < 0 ? std::vector<int>{r} : std::vector<int>{r, right});
      builder.add_constraint(3, {rung, l});
      builder.add_constraint(3, {rung, r});
      left = l;
      right = r;
    }
    const Graph graph = builder.finish();
    Problem problem;
    problem.resize(graph);
    problem.M.setOnes();
    problem.J.setRandom();
    SparseStructure structure;
    structure.analyze(problem, {std::vector<char>(std::size_t(graph.num_constraints()), 0)});
    EXPECT_LE(structure.largest_front, 12);
  }
  const Graph star = testing::make_star(500, 6, 3);
  Problem problem;
  problem.resize(star);
  problem.M.setOnes();
  problem.J.setRandom();
  SparseStructure structure;
  structure.analyze(problem, {std::vector<char>(500, 0)});
  EXPECT_LE(structure.largest_front, 6);
}

}  // namespace
}  // namespace catena::solve
