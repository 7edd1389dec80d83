// Random sets of extra rows that change from step to step, on every kind of factor, against a dense solve of the whole.
#include "solve/extra_rows.h"

#include "solve/auxiliary.h"
#include "support/allocation_counter.h"
#include "support/random_stage.h"

#include <gtest/gtest.h>

#include <functional>

namespace catena::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::AllocationCounter;
using testing::random_vector;
using testing::RandomProblem;
using testing::RandomProblemOptions;
using testing::RandomStage;
using testing::RandomStageOptions;
using testing::relative_difference;

double between(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// A set of rows as dense matrices, drawn at random and added to an ExtraRows.
struct RowSet {
  MatrixXd A, K, B;  // K: one column per row
  VectorXd S, d;

  struct Options {
    int most_rows = 6;
    double rigid = 0.5;      // probability that a row has no compliance
    double direction = 0.3;  // that it acts in a direction of its own
    double stiffness = 0.3;  // that a block of stiffness comes with it
    bool symmetric = false;  // stiffness
    double stiffness_size = 0.3;
  };

  RowSet(std::mt19937& random, const Graph& g, const Options& options, ExtraRows& extra) {
    const int n = g.num_x(), k = int(random() % unsigned(options.most_rows + 1));
    A.setZero(k, n);
    K.setZero(n, k);
    B.setZero(n, n);
    S.setZero(k);
    d = random_vector(random, k);
    for (int r = 0; r < k; ++r) add_row(random, g, options, r, extra);
    for (int r = 0; r < k; ++r)
      if (between(random, 0, 1) < options.stiffness) add_stiffness(random, g, options, extra);
  }

 private:
  void add_row(std::mt19937& random, const Graph& g, const Options& options, int r, ExtraRows& extra) {
    S[r] = between(random, 0, 1) < options.rigid ? 0.0 : between(random, 0.1, 1.0);
    EXPECT_EQ(extra.add_row(d[r], S[r]), r);
    const bool own = between(random, 0, 1) < options.direction;
    for (int part = 0; part < 1 + int(random() % 2u); ++part) {
      const int body = int(random() % unsigned(g.num_bodies())), at = g.body_offset[std::size_t(body)];
      const VectorXd numbers = random_vector(random, g.dims[std::size_t(body)]);
      const VectorXd direction =
          own ? VectorXd(numbers + 0.3 * random_vector(random, int(numbers.size()))) : numbers;
      extra.add_part(body, numbers.data());
      if (own) extra.add_direction(body, direction.data());
      A.row(r).segment(at, numbers.size()) += numbers.transpose();
      K.col(r).segment(at, numbers.size()) += direction;
    }
    if (!own) return;  // and a reaction elsewhere
    const int body = int(random() % unsigned(g.num_bodies())), at = g.body_offset[std::size_t(body)];
    const VectorXd reaction = 0.3 * random_vector(random, g.dims[std::size_t(body)]);
    extra.add_direction(body, reaction.data());
    K.col(r).segment(at, reaction.size()) += reaction;
  }

  void add_stiffness(std::mt19937& random, const Graph& g, const Options& options, ExtraRows& extra) {
    const int a = int(random() % unsigned(g.num_bodies())),
              b = options.symmetric ? a : int(random() % unsigned(g.num_bodies()));
    const int rows = g.dims[std::size_t(a)], columns = g.dims[std::size_t(b)];
    MatrixXd block(rows, columns);
    for (int j = 0; j < columns; ++j) block.col(j) = options.stiffness_size * random_vector(random, rows);
    if (options.symmetric) block = (block + block.transpose()).eval();
    block.col(0).setZero();  // columns of zeros are no rows
    if (options.symmetric) block.row(0).setZero();
    extra.add_stiffness(a, b, block.data());
    B.block(g.body_offset[std::size_t(a)], g.body_offset[std::size_t(b)], rows, columns) += block;
  }
};

/// The matrix of (1) of extra_rows.h in full.
MatrixXd whole_matrix(const Problem& p, const RowSet& set) {
  const Eigen::Index n = p.graph->num_x(), m = p.graph->num_rows(), k = set.A.rows();
  MatrixXd H = MatrixXd::Zero(n + m + k, n + m + k);
  H.topLeftCorner(n + m, n + m) = testing::dense_kkt(p);
  H.topLeftCorner(n, n) += set.B;
  H.block(n + m, 0, k, n) = -set.A;
  H.block(0, n + m, n, k) = -set.K;
  H.bottomRightCorner(k, k).diagonal() = -set.S;
  return H;
}

void expect_agrees(std::mt19937& random, EqualitySolver& solver, const Problem& p, const RowSet& set,
                   ExtraRows& extra) {
  const int n = p.graph->num_x(), m = p.graph->num_rows(), k = int(set.A.rows());
  ASSERT_EQ(extra.num_rows(), k);
  const VectorXd f = random_vector(random, n), d = random_vector(random, m);
  const MatrixXd H = whole_matrix(p, set);
  VectorXd rhs(n + m + k);
  rhs << f, -d, -set.d;
  const VectorXd expected = testing::solve_dense(H, rhs);
  VectorXd x, lambda, mu(k), rates(k);
  ASSERT_TRUE(extra.factor().ok());
  EXPECT_TRUE(extra.dropped_rows().empty());
  ASSERT_TRUE(extra.solve_free(f, d, x, lambda).ok());
  const VectorXd free = testing::solve_dense(H.topLeftCorner(n + m, n + m), rhs.head(n + m));
  EXPECT_LT(relative_difference(x, free.head(n)), 1e-9);
  EXPECT_LT(relative_difference(lambda, free.tail(m)), 1e-9);
  extra.rates(x, rates);
  EXPECT_LT(relative_difference(rates, set.A * x), 1e-12);
  extra.solve(x, lambda, mu);
  EXPECT_LT(relative_difference(x, expected.head(n)), 1e-8);
  EXPECT_LT(relative_difference(lambda, expected.segment(n, m)), 1e-8);
  EXPECT_LT(relative_difference(mu, expected.tail(k)), 1e-8);
  for (int j = 0; j < k; ++j) {  // column j of the response: what a unit force does to the rows
    VectorXd unit = VectorXd::Zero(n + m);
    unit.head(n) = set.K.col(j);
    const VectorXd answer = testing::solve_dense(H.topLeftCorner(n + m, n + m), unit);
    EXPECT_LT(relative_difference(extra.response().col(j), set.A * answer.head(n)), 1e-9);
  }
  // the answer leaves no residual in the primary when the forces of the extra rows count as applied
  VectorXd total = f - set.B * x;
  extra.add_forces(mu, total);
  Residual residual;
  compute_residual(p, total, d, x, lambda, residual);
  EXPECT_LT(residual.relative, 1e-8);
  (void)solver;
}

using Make = std::function<std::unique_ptr<EqualitySolver>()>;

/// Several sets of rows, one after the other, on each of several factors of random problems.
void expect_agrees_on(const Make& make, const RandomProblemOptions& problems, const RowSet::Options& sets) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, problems);
    const auto solver = make();
    ASSERT_FALSE(solver->analyze(r.problem).refused());
    r.fill_pairs(*solver);
    ExtraRows extra;
    for (int step = 0; step < 4; ++step) {
      r.problem.M *= between(random, 0.9, 1.1);
      ASSERT_TRUE(solver->factor(r.problem).ok());
      extra.begin(*solver, r.problem);
      const RowSet set(random, r.graph, sets, extra);
      expect_agrees(random, *solver, r.problem, set, extra);
    }
  }
}

// Constraints that leave freedom enough for rigid rows.
const RandomProblemOptions kLoose{.bodies = 15, .dims = {3, 6, 7}, .max_rows = 2};

TEST(ExtraRows, AgreeWithADenseSolveOnATree) {
  expect_agrees_on(make_tree_solver, kLoose, {});
}

// Welds leave nothing to move, so that all rows are compliant here.
TEST(ExtraRows, AgreeOnATreeOfLowerPairsByAllItsKernels) {
  expect_agrees_on(make_tree_solver,
                   {.bodies = 20, .dims = {6}, .max_arity = 2, .pair_probability = 0.9, .nails = 1},
                   {.rigid = 0.0});
}

TEST(ExtraRows, AgreeOnASparseFactorOfLoops) {
  RandomProblemOptions loops = kLoose;
  loops.loops = 4;
  loops.compliance = 0.3;
  expect_agrees_on(make_sparse_solver, loops, {});
}

TEST(ExtraRows, AgreeOnSolversThatCountAsOneStep) {
  expect_agrees_on(make_dense_kkt_solver, kLoose, {});
  expect_agrees_on(make_dense_schur_solver, kLoose, {});
  expect_agrees_on(make_banded_solver, kLoose, {});
}

TEST(ExtraRows, AgreeOnTheUnsymmetricFactorOfImplicitSteps) {
  for (const int loops : {0, 3})
    for (unsigned seed = 1; seed <= 15; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", loops " + std::to_string(loops));
      std::mt19937 random(seed);
      RandomProblemOptions options = kLoose;
      options.max_arity = seed % 2 == 0 ? 2 : 3;
      options.nails = 2;
      options.loops = loops;
      options.compliance = 0.5;
      const RandomProblem base(random, options);
      RandomStage stage(random, base, {});
      const auto solver = make_ldu_solver();
      ASSERT_FALSE(solver->analyze(stage.problem).refused());
      ExtraRows extra;
      for (int step = 0; step < 4; ++step) {
        stage.problem.M *= between(random, 0.9, 1.1);
        ASSERT_TRUE(solver->factor(stage.problem).ok());
        extra.begin(*solver, stage.problem);
        const RowSet set(random, stage.graph, {}, extra);
        expect_agrees(random, *solver, stage.problem, set, extra);
      }
    }
}

TEST(ExtraRows, ImpliedByOthersAreDroppedAndTheRestIsMet) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem r(random, kLoose);
    const auto solver = make_tree_solver();
    ASSERT_FALSE(solver->analyze(r.problem).refused());
    ASSERT_TRUE(solver->factor(r.problem).ok());
    ExtraRows extra;
    extra.begin(*solver, r.problem);
    const VectorXd first = random_vector(random, r.graph.dims[0]),
                   second = random_vector(random, r.graph.dims[1]);
    for (const double factor : {1.0, -2.0}) {  // the same row twice
      extra.add_row(0.5 * factor);
      const VectorXd a = factor * first, b = factor * second;
      extra.add_part(0, a.data());
      extra.add_part(1, b.data());
      if (seed % 2 == 0) {
        extra.add_direction(0, a.data());
        extra.add_direction(1, b.data());
      }
    }
    ASSERT_TRUE(extra.factor().ok());
    EXPECT_EQ(extra.dropped_rows().size(), 1u);
    VectorXd x, lambda, mu(2), y(2);
    ASSERT_TRUE(extra.solve_free(r.f, r.d, x, lambda).ok());
    extra.solve(x, lambda, mu);
    extra.rates(x, y);
    EXPECT_NEAR(y[0], 0.5, 1e-10);
    EXPECT_NEAR(y[1], -1.0, 1e-10);
  }
}

// Signs of pivots are signs of eigenvalues where the whole is symmetric, also with stiffness that makes it indefinite.
TEST(ExtraRows, CountThePivotSignsOfTheWhole) {
  int indefinite = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem r(random, kLoose);
    for (const Make& make : {Make(make_tree_solver), Make(make_sparse_solver), Make(make_ldu_solver),
                             Make(make_dense_kkt_solver)}) {
      const auto solver = make();
      ASSERT_FALSE(solver->analyze(r.problem).refused());
      ASSERT_TRUE(solver->factor(r.problem).ok());
      ExtraRows extra;
      extra.begin(*solver, r.problem);
      const RowSet set(random, r.graph, {.direction = 0.0, .symmetric = true, .stiffness_size = 3.0}, extra);
      const MatrixXd H = whole_matrix(r.problem, set);
      const PivotSigns signs = extra.pivot_signs();
      const int negative = testing::count_negative_eigenvalues(H);
      EXPECT_EQ(signs.negative, negative);
      EXPECT_EQ(signs.positive, int(H.rows()) - negative);
      EXPECT_EQ(signs.zero, 0);
      indefinite += signs.positive != r.graph.num_x() ? 1 : 0;
    }
  }
  EXPECT_GT(indefinite, 10);
}

TEST(ExtraRows, AllocateNothingOnceTheLargestSetWasThere) {
  std::mt19937 random(1);
  RandomProblem r(random, kLoose);
  const RandomStage stage(random, r, {});
  for (const Make& make : {Make(make_tree_solver), Make(make_sparse_solver), Make(make_ldu_solver)}) {
    const auto solver = make();
    const Problem& p = solver->analyze(stage.problem).refused() ? r.problem : stage.problem;
    ASSERT_FALSE(solver->analyze(p).refused());
    const Graph& g = *p.graph;
    const VectorXd numbers = random_vector(random, 49), f = random_vector(random, g.num_x()),
                   d = random_vector(random, g.num_rows());
    const VectorXd symmetric = VectorXd::Ones(49);
    VectorXd x, lambda, mu(12);
    ExtraRows extra;
    const auto run = [&](int rows) {
      (void)solver->factor(p);
      extra.begin(*solver, p);
      for (int i = 0; i < rows; ++i) {
        extra.add_row(1.0, 0.1);
        extra.add_part(i, numbers.data());
        extra.add_part(i + 1, numbers.data());
        if (i % 3 == 0) extra.add_direction(i + 1, numbers.data());
      }
      if (rows % 2 == 0) extra.add_stiffness(rows, rows, numbers.data());
      if (rows % 3 == 0) extra.add_stiffness(rows, rows, symmetric.data());
      const bool ok = extra.factor().ok() && extra.solve_free(f, d, x, lambda).ok();
      extra.solve(x, lambda, mu.head(rows));
      return ok;
    };
    bool ok = true;
    for (int rows = 0; rows <= 12; ++rows) ok = run(rows) && ok;
    const AllocationCounter allocations;
    for (int rows : {3, 12, 1, 7, 0, 11, 6}) ok = run(rows) && ok;
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_TRUE(ok);
  }
}

// Forces that do not act along their rows, inside a problem.
void expect_directions_are_taken(EqualitySolver& solver, std::mt19937& random, const Problem& p) {
  ASSERT_FALSE(solver.analyze(p).refused());
  ASSERT_TRUE(solver.factor(p).ok());
  const int n = p.graph->num_x(), m = p.graph->num_rows();
  const VectorXd f = random_vector(random, n), d = random_vector(random, m);
  VectorXd x, lambda, rhs(n + m);
  rhs << f, -d;
  ASSERT_TRUE(solver.solve(p, f, d, x, lambda).ok());
  const VectorXd expected = testing::solve_dense(testing::dense_kkt(p), rhs);
  EXPECT_LT(relative_difference(x, expected.head(n)), 1e-8);
  EXPECT_LT(relative_difference(lambda, expected.tail(m)), 1e-8);
  Residual residual;
  compute_residual(p, f, d, x, lambda, residual);
  EXPECT_LT(residual.relative, 1e-9);
  VectorXd force = VectorXd::Zero(n);
  add_Kt_times(p, lambda, force);
  EXPECT_LT(relative_difference(force, testing::dense_K(p).transpose() * lambda), 1e-12);
}

TEST(OwnDirections, AreTakenByTheSolversThatCanAndAgreeWithDense) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblemOptions options = kLoose;
    options.loops = 2;
    const RandomProblem base(random, options);
    const RandomStage plain(random, base, {.symmetric = true, .links = false, .direction_every = 4});
    const RandomStage implicit(random, base, {.direction_every = 4});
    for (const auto& solver : {make_auxiliary_solver(), make_dense_kkt_solver()})
      expect_directions_are_taken(*solver, random, plain.problem);
    for (const auto& solver : {make_ldu_solver_for(implicit.graph), make_dense_kkt_solver()})
      expect_directions_are_taken(*solver, random, implicit.problem);
  }
}

TEST(OwnDirections, AreRefusedByAllOthersWithTheConstraint) {
  std::mt19937 random(1);
  const RandomProblem base(random, {});
  const RandomStage stage(random, base, {.symmetric = true, .links = false, .direction_every = 4});
  for (const auto& solver : {make_tree_solver(), make_sparse_solver(), make_banded_solver(),
                             make_dense_schur_solver(), make_cg_solver({}), make_ldu_solver()}) {
    const Refusal refusal = solver->analyze(stage.problem);
    EXPECT_TRUE(refusal.refused());
    EXPECT_EQ(refusal.obstacle, Obstacle::own_direction);
    EXPECT_EQ(refusal.constraint, 0);
  }
}

TEST(Unsymmetric, ProblemsAreRefusedByTheSolversForSymmetricOnes) {
  std::mt19937 random(1);
  const RandomProblem base(random, {});
  const RandomStage stage(random, base, {.links = false});
  for (const auto& solver : {make_tree_solver(), make_sparse_solver(), make_banded_solver(),
                             make_dense_schur_solver(), make_cg_solver({}), make_auxiliary_solver()}) {
    EXPECT_EQ(solver->analyze(stage.problem).obstacle, Obstacle::unsymmetric);
  }
}

TEST(Residual, KnowsTheZerosThatItLeavesOut) {
  double J[30] = {1, 0,  0, 0, 2, -3, 0, 1, 0, -2, 0, 4, 0, 0, 1,
                  3, -4, 0, 0, 0, 0,  5, 6, 7, 0,  0, 0, 7, 8, 9};
  EXPECT_TRUE(has_point_form(J, 5));
  for (const int zero : {1, 2, 3, 10, 17, 18, 24}) {
    J[zero] = 1e-9;
    EXPECT_FALSE(has_point_form(J, 5)) << zero;
    J[zero] = 0.0;
  }
  J[0] = 0.5;
  EXPECT_FALSE(has_point_form(J, 5));
}

}  // namespace
}  // namespace catena::solve
