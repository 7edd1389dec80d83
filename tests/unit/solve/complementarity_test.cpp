// Complementarity problems with known answers, one law at a time; what a result says where there is none; bits and allocations.
#include "solve/complementarity/solver.h"
#include "support/allocation_counter.h"
#include "support/complementarity_problems.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena::solve::complementarity {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Solved {
  Result result;
  VectorXd r;
};

Solved solve_from_zero(const Rows& rows, const MatrixXd& W, const VectorXd& q, Method method = Method::chain,
                       double tolerance = 1e-11) {
  Solver solver({.method = method, .tolerance = tolerance});
  solver.analyze(rows);
  Solved out{{}, VectorXd::Zero(q.size())};
  out.result = solver.solve(W, q, out.r);
  return out;
}

void expect_answer(const Rows& rows, const MatrixXd& W, const VectorXd& q, const VectorXd& expected,
                   double tolerance = 1e-10) {
  for (const Method method : kMethods) {
    const Solved solved = solve_from_zero(rows, W, q, method);
    SCOPED_TRACE(std::string(name(method)) + ": " + solved.result.message());
    EXPECT_TRUE(solved.result.ok());
    EXPECT_LT((solved.r - expected).cwiseAbs().maxCoeff(),
              tolerance * (1.0 + expected.cwiseAbs().maxCoeff()));
  }
}

Rows one_sided(int n) {
  Rows rows;
  for (int i = 0; i < n; ++i) rows.add_lower();
  return rows;
}

TEST(Complementarity, TwoOneSidedRowsHaveTheirTextbookAnswer) {
  expect_answer(one_sided(2), MatrixXd{{2, 1}, {1, 2}}, VectorXd{{-5, -6}}, VectorXd{{4.0 / 3.0, 7.0 / 3.0}});
}

TEST(Complementarity, BoundsOfAnIntervalHoldOnBothSides) {
  const MatrixXd W = MatrixXd::Identity(4, 4);
  Rows rows;
  rows.add_equality();
  for (int i = 0; i < 3; ++i) rows.add_box(-1.0, 2.0);
  expect_answer(rows, W, VectorXd{{7.0, -5.0, 5.0, 0.5}}, VectorXd{{-7.0, 2.0, -1.0, -0.5}});
}

TEST(Complementarity, AFixedRowIsALoadForTheOthers) {
  Rows rows;
  rows.add_box(3.0, 3.0);
  rows.add_lower();
  expect_answer(rows, MatrixXd{{2, -1}, {-1, 2}}, VectorXd{{0.0, 1.0}}, VectorXd{{3.0, 1.0}});
}

TEST(Complementarity, ASlidingContactHasFrictionAgainstItsSlip) {
  Rows rows;  // three contacts of W = 1, q = (-1, 1, 3), μ = 0.1: the first example of the Siconos collection
  for (int k = 0; k < 3; ++k) rows.add_cone(0.1);
  const Eigen::Vector3d q(-1.0, 1.0, 3.0), r(1.0, -0.1 / std::sqrt(10.0), -0.3 / std::sqrt(10.0));
  expect_answer(rows, MatrixXd::Identity(9, 9), q.replicate(3, 1), r.replicate(3, 1));
}

TEST(Complementarity, AContactSticksOpensOrSlipsInThePlane) {
  Rows rows;
  for (int k = 0; k < 3; ++k) rows.add_cone(0.5, 1);
  expect_answer(rows, MatrixXd::Identity(6, 6), VectorXd{{-2.0, 0.5, 1.0, -3.0, -2.0, -4.0}},
                VectorXd{{2.0, -0.5, 0.0, 0.0, 2.0, 1.0}});
}

TEST(Complementarity, EllipticConesTakeTheForceThatOpposesSlipMost) {
  const double mu_1 = 0.8, mu_2 = 0.2;
  Rows rows;
  rows.add_elliptic_cone(mu_1, mu_2);
  const MatrixXd W{{1.0, 0.1, 0.2}, {0.1, 1.5, 0.3}, {0.2, 0.3, 0.7}};
  const VectorXd q{{-1.0, 2.0, 3.0}};
  const Solved solved = solve_from_zero(rows, W, q);
  ASSERT_TRUE(solved.result.ok()) << solved.result.message();
  const VectorXd u = W * solved.r + q;
  EXPECT_NEAR(u[0], 0.0, 1e-10);
  EXPECT_NEAR(std::hypot(solved.r[1] / mu_1, solved.r[2] / mu_2), solved.r[0], 1e-10);
  double least = 0.0;  // of the power over the rim of the ellipse
  for (int k = 0; k < 100000; ++k) {
    const double turn = 2.0 * M_PI * k / 100000.0;
    least = std::min(least, solved.r[0] * (mu_1 * std::cos(turn) * u[1] + mu_2 * std::sin(turn) * u[2]));
  }
  EXPECT_NEAR(solved.r[1] * u[1] + solved.r[2] * u[2], least, 1e-8);
}

TEST(Complementarity, DependentRowsAreBoundedByTheirLoad) {
  Rows rows;
  const int normal = rows.add_lower(), load = rows.add_equality();
  rows.add_equality();
  rows.add_dependent(0.3, normal);
  rows.add_dependent(0.3, normal);
  const VectorXd q{{-2.0, 3.0, -4.0, 5.0, -0.1, -9.0}}, r{{2.0, -3.0, 4.0, -0.6, 0.1, 2.5}};
  expect_answer(rows, MatrixXd::Identity(5, 5), q.head(5), r.head(5));
  rows.add_dependent(0.5, load, 2);  // two rows of any sign: not for pivots, Newton's method alone
  const MatrixXd W = MatrixXd::Identity(6, 6);
  for (const Method method : kMethods) {
    const Solved solved = solve_from_zero(rows, W, q, method);
    SCOPED_TRACE(std::string(name(method)) + ": " + solved.result.message());
    EXPECT_TRUE(solved.result.ok());
    EXPECT_LT((solved.r - r).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Complementarity, ComplianceIsPartOfTheResponse) {
  Rows rows = one_sided(2);
  rows.set_compliance(0, 1.0);
  rows.set_compliance(1, 3.0);
  expect_answer(rows, MatrixXd::Ones(2, 2), VectorXd{{-1.0, -1.0}}, VectorXd{{3.0 / 7.0, 1.0 / 7.0}});
}

TEST(Complementarity, RedundantRowsShareTheirLoadInSomeWay) {
  const int n = 8;
  for (const Method method : kMethods) {
    const Solved solved =
        solve_from_zero(one_sided(n), MatrixXd::Ones(n, n), VectorXd::Constant(n, -1.0), method);
    EXPECT_TRUE(solved.result.ok()) << name(method) << ": " << solved.result.message();
    EXPECT_NEAR(solved.r.sum(), 1.0, 1e-10);
    EXPECT_GE(solved.r.minCoeff(), 0.0);
  }
}

TEST(Complementarity, WithoutASolutionThereIsAProof) {
  const std::pair<MatrixXd, VectorXd> cases[] = {
      {MatrixXd{{0.0}}, VectorXd{{-1.0}}},
      {MatrixXd{{-1.0}}, VectorXd{{-1.0}}},
      {MatrixXd{{1.0, -1.0}, {-1.0, 1.0}}, VectorXd{{-1.0, -1.0}}},
      {MatrixXd{{1.0, -1.0, 0.5}, {-1.0, 1.0, -0.5}, {0.5, -0.5, 1.0}}, VectorXd{{-1.0, 0.5, -1.0}}}};
  for (const auto& [W, q] : cases) {
    const Rows rows = one_sided(int(q.size()));
    Solver solver;
    solver.analyze(rows);
    VectorXd r = VectorXd::Zero(q.size());
    const Result result = solver.solve(W, q, r);
    EXPECT_EQ(result.status, Status::infeasible) << result.message();
    EXPECT_GE(result.least_size, 1e8);
    const Eigen::Map<const VectorXd> d(solver.certificate().data(), q.size());
    EXPECT_GE(d.minCoeff(), 0.0);
    EXPECT_LT(d.dot(q), 0.0);
    EXPECT_LT((W.transpose() * d).maxCoeff(), 1e-8 * -d.dot(q));
  }
}

TEST(Complementarity, APinchedBodyIsReportedWithItsWalls) {
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    const auto p = test::pinch_problem(random);
    const Solved solved = solve_from_zero(p.rows, p.W, p.q, Method::chain, 1e-8);
    EXPECT_EQ(solved.result.status, Status::infeasible) << solved.result.message();
    EXPECT_NE(solved.result.message().find("contradict"), std::string::npos);
  }
}

TEST(Complementarity, WhatIsNotFiniteIsNeverSolved) {
  for (const Method method : kMethods) {
    const Solved solved =
        solve_from_zero(one_sided(2), MatrixXd{{2, 1}, {1, NAN}}, VectorXd{{-5, -6}}, method);
    EXPECT_FALSE(solved.result.ok());
    EXPECT_TRUE(solved.r.allFinite());
  }
}

TEST(Complementarity, TheResidualOfWhatIsNotFiniteIsInfinite) {
  Rows rows;
  rows.add_lower();
  rows.add_cone(0.5);
  rows.add_lower();
  const MatrixXd W = MatrixXd::Identity(5, 5);
  for (const double bad : {double(NAN), double(INFINITY)})
    for (int i = 0; i < 5; ++i) {
      VectorXd q = VectorXd::Ones(5), r = VectorXd::Zero(5);
      MatrixXd broken = W;
      Judge judge;
      EXPECT_EQ(judge.judge(rows, W, q, r).eta, 0.0);
      q[i] = bad;
      EXPECT_EQ(judge.judge(rows, W, q, r).eta, kInfinity) << "q " << i;
      q[i] = 1.0;
      r[i] = bad;
      EXPECT_EQ(judge.judge(rows, W, q, r).eta, kInfinity) << "r " << i;
      r[i] = 0.0;
      broken(i, i) = bad;
      EXPECT_EQ(judge.judge(rows, broken, q, r).eta, kInfinity) << "W " << i;
    }
}

TEST(Complementarity, NoRowsAreSolved) {
  const Solved solved = solve_from_zero(Rows(), MatrixXd(0, 0), VectorXd(0));
  EXPECT_TRUE(solved.result.ok());
  EXPECT_EQ(solved.result.islands, 0);
}

// Everything that a solution must satisfy, said once more and directly; the largest violation.
double violation(const Rows& rows, const MatrixXd& W, const VectorXd& q, const VectorXd& r) {
  VectorXd u = W * r + q;
  for (int i = 0; i < rows.size(); ++i) u[i] += rows.compliance(i) * r[i];
  double worst = 0.0;
  const auto require = [&worst](double defect) { worst = std::max(worst, defect); };
  for (const Block& b : rows.blocks()) {
    double lower = b.lower, upper = b.upper;
    if (b.kind == Kind::cone) {
      const double mu_1 = b.friction[0], mu_2 = b.size > 2 ? b.friction[1] : 1.0;
      const double u_2 = b.size > 2 ? u[b.row + 2] : 0.0, r_2 = b.size > 2 ? r[b.row + 2] : 0.0;
      const double slip = std::hypot(mu_1 * u[b.row + 1], mu_2 * u_2);
      require(-r[b.row]);
      require(-u[b.row]);
      require(std::abs(r[b.row] * u[b.row]));
      require(std::abs(r[b.row + 1] * u[b.row + 1] + r_2 * u_2 + r[b.row] * slip));
      if (mu_1 > 0.0 && mu_2 > 0.0) require(std::hypot(r[b.row + 1] / mu_1, r_2 / mu_2) - r[b.row]);
      continue;
    }
    if (b.kind == Kind::dependent) {
      upper = b.load_weight[0] * r.segment(b.load_row, b.load_size).norm();
      lower = -upper;
    }
    require(lower - r[b.row]);
    require(r[b.row] - upper);
    if (u[b.row] > 0.0) require(std::min(u[b.row], r[b.row] - lower));
    if (u[b.row] < 0.0) require(std::min(-u[b.row], upper - r[b.row]));
  }
  return worst;
}

TEST(Complementarity, TheResidualSeesWhatTheLawsSay) {
  int solved = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto p = test::random_problem(seed);
    Solved answer = solve_from_zero(p.rows, p.W, p.q, Method::chain, 1e-10);
    if (!answer.result.ok()) continue;
    ++solved;
    const double size = (1.0 + answer.r.cwiseAbs().maxCoeff()) * (1.0 + p.q.cwiseAbs().maxCoeff());
    EXPECT_LT(violation(p.rows, p.W, p.q, answer.r), 1e-6 * size);
    Judge judge;  // and a wrong answer is seen by both
    const int row = int(seed) % p.rows.size();
    const double before = judge.judge(p.rows, p.W, p.q, answer.r).eta;
    EXPECT_LT(before, 1e-9);
    answer.r[row] += 1e-2 * (1.0 + answer.r.cwiseAbs().maxCoeff());
    EXPECT_GT(judge.judge(p.rows, p.W, p.q, answer.r).eta, 1e-7);
  }
  EXPECT_GT(solved, 70);
}

TEST(Complementarity, TheResidualHasNoUnits) {
  Rows rows = one_sided(2);
  rows.add_cone(0.4);
  const MatrixXd W =
      MatrixXd{{2, 1, 0, 0, 1}, {1, 3, 1, 0, 0}, {0, 1, 2, 0, 0}, {0, 0, 0, 1, 0}, {1, 0, 0, 0, 2}};
  const VectorXd q{{-1, 2, -3, 1, 0.5}}, r{{0.3, 0.1, 0.7, -0.2, 0.1}};
  const VectorXd unit{{1e3, 1e-2, 50, 50, 50}};  // of rates; multipliers have its inverse
  Judge judge;
  const double eta = judge.judge(rows, W, q, r).eta;
  const MatrixXd scaled = unit.asDiagonal() * W * unit.asDiagonal();
  EXPECT_GT(eta, 1e-3);
  EXPECT_NEAR(judge.judge(rows, scaled, unit.cwiseProduct(q), r.cwiseQuotient(unit)).eta, eta, 1e-12 * eta);
  EXPECT_NEAR(judge.judge(rows, 1e6 * W, q, 1e-6 * r).eta, eta, 1e-12 * eta);  // masses in mg
}

TEST(Complementarity, IslandsKnowNothingOfEachOther) {
  const auto a = test::random_problem(5), b = test::random_problem(15);
  Rows rows = a.rows;
  const int n = a.rows.size(), m = b.rows.size();
  for (const Block& block : b.rows.blocks()) {
    if (block.kind == Kind::interval) rows.add_box(block.lower, block.upper);
    if (block.kind == Kind::cone && block.size == 2) rows.add_cone(block.friction[0], 1);
    if (block.kind == Kind::cone && block.size == 3)
      rows.add_elliptic_cone(block.friction[0], block.friction[1]);
    if (block.kind == Kind::dependent)
      rows.add_dependent(block.load_weight[0], n + block.load_row, block.load_size);
  }
  for (int i = 0; i < m; ++i) rows.set_compliance(n + i, b.rows.compliance(i));
  MatrixXd W = MatrixXd::Zero(n + m, n + m);
  W.topLeftCorner(n, n) = a.W;
  W.bottomRightCorner(m, m) = b.W;
  VectorXd q(n + m);
  q << a.q, b.q;
  const Solved together = solve_from_zero(rows, W, q), first = solve_from_zero(a.rows, a.W, a.q),
               second = solve_from_zero(b.rows, b.W, b.q);
  EXPECT_EQ(together.result.islands, first.result.islands + second.result.islands);
  EXPECT_EQ((together.r.head(n) - first.r).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ((together.r.tail(m) - second.r).cwiseAbs().maxCoeff(), 0.0);
}

// What threads will need: no number of an earlier problem is left in the workspace.
TEST(Complementarity, AnswersDoNotDependOnWhatWasSolvedBefore) {
  Solver used;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const auto p = test::random_problem(seed);
    VectorXd r = VectorXd::Zero(p.q.size()), s = r;
    used.analyze(p.rows);
    (void)used.solve(p.W, p.q, r);
    Solver fresh;
    fresh.analyze(p.rows);
    (void)fresh.solve(p.W, p.q, s);
    EXPECT_EQ((r - s).cwiseAbs().maxCoeff(), 0.0) << "seed " << seed;
  }
}

TEST(Complementarity, TheLastMultipliersAreAGoodStart) {
  std::mt19937 random(5);
  int factorisations = 0;
  for (int trial = 0; trial < 20; ++trial) {
    auto p = test::stack_problem(random, 6, 10.0, false, false);
    Solver solver;
    solver.analyze(p.rows);
    VectorXd r = VectorXd::Zero(p.q.size());
    ASSERT_TRUE(solver.solve(p.W, p.q, r).ok());
    EXPECT_EQ(solver.solve(p.W, p.q, r).factorisations, 0);
    p.q *= 1.01;
    const Result result = solver.solve(p.W, p.q, r);
    EXPECT_TRUE(result.ok());
    EXPECT_LE(result.route, Route::warm);
    factorisations += result.factorisations;
  }
  EXPECT_LE(factorisations, 60);
}

TEST(Complementarity, TheBudgetIsKeptAndWhatItCostsIsFlagged) {
  std::mt19937 random(6);
  int flagged = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const auto p = test::stack_problem(random, 10, 1000.0, true, false);
    Solver solver({.budget = 10});
    solver.analyze(p.rows);
    VectorXd r = VectorXd::Zero(p.q.size());
    const Result result = solver.solve(p.W, p.q, r);
    EXPECT_LE(result.factorisations, 10 + 4) << "a polish may end";
    flagged += result.ok() ? 0 : 1;
    if (!result.ok()) {
      EXPECT_GT(result.eta, 1e-8);
    }
  }
  EXPECT_GT(flagged, 0);
}

TEST(Complementarity, NothingIsAllocatedOnceItIsWarm) {
  Solver solver;
  std::vector<test::ComplementarityProblem> problems;
  for (unsigned seed = 1; seed <= 40; ++seed) problems.push_back(test::random_problem(seed));
  const auto solve_all = [&] {
    long allocations = 0;
    for (const auto& p : problems) {
      VectorXd r = VectorXd::Zero(p.q.size());
      const testing::AllocationCounter counter;
      solver.analyze(p.rows);
      (void)solver.solve(p.W, p.q, r);
      allocations += counter.count();
    }
    return allocations;
  };
  EXPECT_GT(solve_all(), 0);
  EXPECT_EQ(solve_all(), 0);
}

}  // namespace
}  // namespace catena::solve::complementarity
