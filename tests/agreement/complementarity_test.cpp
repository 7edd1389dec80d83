// Complementarity solvers against enumeration, against each other and against what is known of random problems.
#include "solve/complementarity/solver.h"
#include "support/complementarity_problems.h"
#include "support/dense_solve.h"

#include <gtest/gtest.h>

#include <map>

namespace catena::solve::complementarity {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::ComplementarityProblem;
using test::Known;

Result solve_cold(const ComplementarityProblem& p, Method method, VectorXd& r, double tolerance = 1e-8) {
  Solver solver({.method = method, .tolerance = tolerance});
  solver.analyze(p.rows);
  r.setZero(p.q.size());
  return solver.solve(p.W, p.q, r);
}

/// A state of one block and the equations it brings: open, sticking, slipping one way or the other; lower bound, free.
struct Mode {
  enum State { open, free, slips_forward, slips_backward };
};

/// Least residual over all states of one-sided rows and of contacts in the plane, each a linear problem.
double enumerate(const ComplementarityProblem& p) {
  const int n = p.rows.size();
  int states = 1;
  for (const Block& b : p.rows.blocks()) states *= b.kind == Kind::cone ? 4 : 2;
  Judge judge;
  double best = kInfinity;
  for (int state = 0; state < states; ++state) {
    MatrixXd A = MatrixXd::Identity(n, n);
    VectorXd b = VectorXd::Zero(n);
    int rest = state;
    for (const Block& block : p.rows.blocks()) {
      const int choices = block.kind == Kind::cone ? 4 : 2, mode = rest % choices, row = block.row;
      rest /= choices;
      if (mode == Mode::open) continue;
      A.row(row) = p.W.row(row);  // u = 0
      b[row] = -p.q[row];
      if (block.kind != Kind::cone) continue;
      if (mode == Mode::free) {
        A.row(row + 1) = p.W.row(row + 1);
        b[row + 1] = -p.q[row + 1];
      } else {
        A(row + 1, row) = (mode == Mode::slips_forward ? 1.0 : -1.0) * block.friction[0];
      }
    }
    const VectorXd r = test::dense_solve(A, b);
    if (r.allFinite()) best = std::min(best, judge.judge(p.rows, p.W, p.q, r).eta);
  }
  return best;
}

/// n ≤ 10 one-sided rows, or contacts in the plane with at most five rows' worth of states.
ComplementarityProblem small_problem(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ComplementarityProblem p;
  const bool slips = seed % 2 == 0;
  const int target = 1 + int(random() % (slips ? 8u : 10u));
  while (p.rows.size() < target) {
    if (slips && p.rows.size() + 2 <= target)
      p.rows.add_cone(0.1 + double(random() % 20u) / 10.0, 1);
    else
      p.rows.add_lower();
  }
  MatrixXd J(target, target + int(seed % 3));
  for (Eigen::Index i = 0; i < J.size(); ++i) J.data()[i] = normal(random);
  p.W = J * J.transpose();
  p.q.resize(target);
  for (int i = 0; i < target; ++i) p.q[i] = normal(random);
  return p;
}

TEST(ComplementarityAgreement, EnumerationFindsAnAnswerWhereTheChainDoes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ComplementarityProblem p = small_problem(seed);
    VectorXd r;
    const Result result = solve_cold(p, Method::chain, r);
    EXPECT_LT(enumerate(p), 1e-8) << "W is positive definite: there is an answer";
    EXPECT_TRUE(result.ok()) << result.message();
  }
}

// Unsymmetric problems may have no answer: then enumeration finds none either.
TEST(ComplementarityAgreement, WhatIsSolvedHasAnAnswerAmongAllStates) {
  int solved = 0, without = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ComplementarityProblem p = small_problem(seed);
    std::mt19937 random(seed + 1000);
    std::normal_distribution<double> normal;
    for (Eigen::Index i = 0; i < p.W.size(); ++i) p.W.data()[i] = normal(random);
    VectorXd r;
    const Result result = solve_cold(p, Method::chain, r);
    const double least = enumerate(p);
    if (result.ok()) {
      EXPECT_LT(least, 1e-6);
    }
    if (result.status == Status::infeasible) {
      EXPECT_GT(least, 1e-6);
    }
    solved += result.ok() ? 1 : 0;
    without += least > 1e-6 ? 1 : 0;
  }
  EXPECT_GT(solved, 10);
  EXPECT_GT(without, 5);
}

TEST(ComplementarityAgreement, SolversFindTheSameMotionWhereItIsUnique) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    ComplementarityProblem p = test::random_problem(random, test::RandomKind::regular);
    Rows monotone;  // the same without friction of cones: unique u
    for (const Block& b : p.rows.blocks())
      for (int i = 0; i < b.size; ++i)
        b.kind == Kind::interval        ? monotone.add_box(b.lower, b.upper)
        : b.kind == Kind::cone&& i == 0 ? monotone.add_lower()
                                        : monotone.add_box(-0.1, 0.1);
    p.rows = monotone;
    VectorXd reference, r;
    ASSERT_TRUE(solve_cold(p, Method::chain, reference, 1e-11).ok());
    for (const Method method : {Method::newton, Method::nncg, Method::interior_point, Method::admm}) {
      if (!solve_cold(p, method, r, 1e-11).ok()) continue;
      const VectorXd u = p.W * reference + p.q, v = p.W * r + p.q;
      EXPECT_LT((u - v).norm(), 1e-7 * (1.0 + u.norm())) << "method " << int(method);
      ++compared;
    }
  }
  EXPECT_GT(compared, 250);
}

TEST(ComplementarityAgreement, RandomProblemsAreSolvedOrFlagged) {
  std::map<std::string, std::map<std::string, int>> counts;
  Judge judge;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ComplementarityProblem p = test::random_problem(seed);
    VectorXd r;
    const Result result = solve_cold(p, Method::chain, r);
    ++counts[p.group][name(result.status)];
    ASSERT_TRUE(r.allFinite());
    if (result.ok()) {
      EXPECT_NE(p.known, Known::unsolvable);
      EXPECT_TRUE(result.islands > 1 || judge.judge(p.rows, p.W, p.q, r).accepts(1e-8));
    }
    if (result.status == Status::infeasible) {
      EXPECT_NE(p.known, Known::solvable) << result.message();
    }
  }
  for (const auto& [group, by_status] : counts)
    for (const auto& [status, count] : by_status)
      std::printf("%-12s %-10s %4d\n", group.c_str(), status.c_str(), count);
  EXPECT_GE(counts["regular"]["solved"], 398);
  EXPECT_GE(counts["degenerate"]["solved"], 398);
  EXPECT_GE(counts["hyperstatic"]["solved"], 396);
  EXPECT_GE(counts["infeasible"]["infeasible"], 398);
}

}  // namespace
}  // namespace catena::solve::complementarity
