// Lemke's and Dantzig's methods: textbook problems, classes that are bad for them, friction as a pyramid, and how they end.
#include "solve/complementarity/dantzig.h"
#include "solve/complementarity/polyhedral.h"
#include "solve/complementarity/solver.h"
#include "support/complementarity_problems.h"

#include <gtest/gtest.h>

#include <numeric>

namespace catena::solve::complementarity {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct PivotAnswer {
  Lemke::End end;
  VectorXd z;
  int pivots;
};

PivotAnswer run_lemke(const MatrixXd& M, const VectorXd& q, int most_pivots = 1000, int num_free = 0) {
  Lemke lemke;
  const int n = int(q.size());
  lemke.reset(n);
  for (int i = 0; i < n; ++i) {
    lemke.q(i) = q[i];
    for (int j = 0; j < n; ++j) lemke.M(i, j) = M(i, j);
    if (i < num_free) lemke.set_free(i);
  }
  PivotAnswer out{lemke.solve(most_pivots), VectorXd(n), lemke.pivots()};
  for (int i = 0; i < n; ++i) out.z[i] = lemke.z(i);
  return out;
}

/// A problem in the form that methods take, all rows in one island.
struct NormalProblem {
  NormalForm form;
  Numbers x;
  explicit NormalProblem(const Rows& rows, const MatrixXd& W, const VectorXd& q) {
    std::vector<int> blocks(rows.blocks().size());
    std::iota(blocks.begin(), blocks.end(), 0);
    form.set(rows, blocks, W, q);
    x.zeros(form.size());
  }
  Vector point() { return x.vector(form.size()); }
};

// Murty's class: 1 on the diagonal, 2 below it, q = -1. Least-index pivots take 2ⁿ - 1 of it, and so does z₀ with a column of ones.
MatrixXd murty(int n) {
  MatrixXd M = MatrixXd::Identity(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) M(i, j) = 2.0;
  return M;
}

TEST(Lemke, SolvesTextbookProblems) {
  const PivotAnswer two = run_lemke(MatrixXd{{2, 1}, {1, 2}}, VectorXd{{-5, -6}});
  EXPECT_EQ(two.end, Lemke::End::solved);
  EXPECT_LT((two.z - VectorXd{{4.0 / 3.0, 7.0 / 3.0}}).norm(), 1e-14);
  const PivotAnswer ones = run_lemke(MatrixXd::Ones(6, 6), VectorXd::Constant(6, -1.0));
  EXPECT_EQ(ones.end, Lemke::End::solved);
  EXPECT_NEAR(ones.z.sum(), 1.0, 1e-14);
  EXPECT_EQ(run_lemke(MatrixXd::Identity(2, 2), VectorXd{{1.0, 0.0}}).pivots, 0);
}

TEST(Lemke, EndsInARayWhereThereIsNoSolution) {
  EXPECT_EQ(run_lemke(MatrixXd{{0.0}}, VectorXd{{-1.0}}).end, Lemke::End::ray);
  EXPECT_EQ(run_lemke(MatrixXd{{-1.0}}, VectorXd{{-1.0}}).end, Lemke::End::ray);
  EXPECT_EQ(run_lemke(MatrixXd{{1.0, -1.0}, {-1.0, 1.0}}, VectorXd{{-1.0, -1.0}}).end, Lemke::End::ray);
}

TEST(Lemke, EndsAtItsMostPivotsAndSaysSo) {
  const PivotAnswer six = run_lemke(murty(6), VectorXd::Constant(6, -1.0));
  EXPECT_EQ(six.end, Lemke::End::solved);
  EXPECT_LT((six.z - VectorXd::Unit(6, 0)).norm(), 1e-12);
  EXPECT_GE(six.pivots, 63);
  const PivotAnswer twelve = run_lemke(murty(12), VectorXd::Constant(12, -1.0), 1000);
  EXPECT_EQ(twelve.end, Lemke::End::most_pivots);
  EXPECT_EQ(twelve.pivots, 1000);
  EXPECT_EQ(run_lemke(murty(12), VectorXd::Constant(12, -1.0), 5000).end, Lemke::End::solved);
}

TEST(Lemke, FreeRowsAreEqualities) {
  // 2 z₀ + z₁ = 5, w₁ = z₀ + 2 z₁ - 1
  const PivotAnswer answer = run_lemke(MatrixXd{{2, 1}, {1, 2}}, VectorXd{{-5, -4}}, 100, 1);
  EXPECT_EQ(answer.end, Lemke::End::solved);
  EXPECT_LT((answer.z - VectorXd{{2.0, 1.0}}).norm(), 1e-14);
}

TEST(Polyhedral, HasTheSizeOfJainsProblem) {
  Rows rows;
  for (int k = 0; k < 3; ++k) rows.add_cone(0.5);
  for (int k = 0; k < 5; ++k) rows.add_equality();
  NormalProblem p(rows, MatrixXd::Identity(14, 14), VectorXd::Constant(14, -1.0));
  for (const int directions : {4, 8}) {
    Polyhedral polyhedral;
    (void)polyhedral.run(p.form, {.directions = directions}, p.point());
    EXPECT_EQ(polyhedral.end(), Lemke::End::solved);
    EXPECT_EQ(polyhedral.size(), 3 * (directions + 2) + 5);
    Numbers other;
    (void)polyhedral.run(p.form, {.directions = directions, .eliminates_equalities = true}, other.zeros(14));
    EXPECT_LT((other.vector(14) - p.point()).norm(), 1e-12);
  }
}

// Friction of a pyramid: in it, and of all its corners the force that opposes slip most.
TEST(Polyhedral, FrictionOpposesSlipAlongItsDirections) {
  std::mt19937 random(11);
  int slipping = 0;
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial) + " of seed 11");
    const auto scene = test::loose_problem(random, 5, 0.8);
    NormalProblem p(scene.rows, scene.W, scene.q);
    for (const int directions : {4, 8}) {
      Polyhedral polyhedral;
      (void)polyhedral.run(p.form, {.directions = directions}, p.point());
      if (polyhedral.end() != Lemke::End::solved) continue;
      VectorXd u = p.form.q();
      u += p.form.W() * p.point();
      for (const Block& b : p.form.blocks()) {
        if (b.kind != Kind::cone) continue;
        const Vector x = p.point();
        const double normal = x[b.row], mu = NormalForm::friction(b);
        double fastest = 0.0;  // against a direction
        for (int k = 0; k < directions; ++k) {
          const double turn = 2.0 * M_PI * k / directions;
          fastest = std::max(fastest, -(std::cos(turn) * u[b.row + 1] + std::sin(turn) * u[b.row + 2]));
        }
        EXPECT_GT(u[b.row], -1e-9);
        EXPECT_NEAR(u[b.row] * normal, 0.0, 1e-9);
        EXPECT_LT(std::hypot(x[b.row + 1], x[b.row + 2]), mu * normal + 1e-9);
        EXPECT_NEAR(x[b.row + 1] * u[b.row + 1] + x[b.row + 2] * u[b.row + 2], -mu * normal * fastest, 1e-9);
        slipping += normal * fastest > 1e-3 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(slipping, 50);
}

TEST(Polyhedral, AnswersOfPyramidsAreJudgedAsSuch) {
  std::mt19937 random(12);
  int solved = 0, rough = 0;
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial) + " of seed 12");
    const auto p = trial % 2 == 0 ? test::loose_problem(random, 5, 0.8) : test::robot_problem(random, 3);
    for (const int directions : {4, 6, 8}) {
      VectorXd kept = VectorXd::Zero(p.q.size()), eliminated = kept;
      Solver solver({.method = Method::lemke, .directions = directions});
      solver.analyze(p.rows);
      const Result result = solver.solve(p.W, p.q, kept);
      if (!result.ok()) continue;
      ++solved;
      rough += Judge().judge(p.rows, p.W, p.q, kept).eta > 1e-4 ? 1 : 0;
      Solver smaller({.method = Method::lemke, .directions = directions, .eliminates_equalities = true});
      smaller.analyze(p.rows);
      EXPECT_TRUE(smaller.solve(p.W, p.q, eliminated).ok());
      const VectorXd u = p.W * kept + p.q, v = p.W * eliminated + p.q;
      EXPECT_LT((u - v).norm(), 1e-8 * (1.0 + u.norm()));
      kept[int(random() % unsigned(kept.size()))] += 1e-3 * (1.0 + kept.cwiseAbs().maxCoeff());
      EXPECT_GT(Judge(directions).judge(p.rows, p.W, p.q, kept).eta, 1e-8);
    }
  }
  EXPECT_GT(solved, 110);
  EXPECT_GT(rough, 50) << "a pyramid is not a cone";
}

TEST(Dantzig, SolvesLimitsAndBounds) {
  Rows rows;
  rows.add_equality();
  rows.add_lower();
  rows.add_box(-1.0, 0.5);
  rows.add_lower();
  const MatrixXd J{{1, 0, 0.5, 0.1}, {0.2, 1, 0, 0.3}, {-0.4, 0, 1, 0}, {0.3, 0.1, -0.2, 1}};
  NormalProblem p(rows, J * J.transpose(), VectorXd{{1.0, -2.0, -3.0, 0.5}});
  Dantzig dantzig;
  EXPECT_LT(dantzig.run(p.form, 100, p.point()).eta, 1e-13);
  EXPECT_EQ(dantzig.end(), Dantzig::End::solved);
}

TEST(Dantzig, FrictionFollowsItsNormal) {
  Rows rows;  // two contacts in the plane that slip, the second pushes on the first
  rows.add_cone(0.5, 1);
  rows.add_cone(0.2, 1);
  const MatrixXd W{{2, 0.3, 0.5, 0}, {0.3, 1, 0, 0.2}, {0.5, 0, 2, 0.4}, {0, 0.2, 0.4, 1}};
  NormalProblem p(rows, W, VectorXd{{-1.0, 4.0, -1.0, -4.0}});
  Dantzig dantzig;
  EXPECT_LT(dantzig.run(p.form, 100, p.point()).eta, 1e-13);
}

TEST(Dantzig, SaysWhereItDoesNotEnd) {
  Rows rows;
  rows.add_lower();
  NormalProblem impossible(rows, MatrixXd{{0.0}}, VectorXd{{-1.0}});
  Dantzig dantzig;
  (void)dantzig.run(impossible.form, 100, impossible.point());
  EXPECT_EQ(dantzig.end(), Dantzig::End::stuck);
  rows.add_lower();
  rows.add_lower();
  NormalProblem long_one(rows, murty(3) + murty(3).transpose(), VectorXd{{-1.0, -2.0, -3.0}});
  (void)dantzig.run(long_one.form, 1, long_one.point());
  EXPECT_EQ(dantzig.end(), Dantzig::End::most_steps);
}

}  // namespace
}  // namespace catena::solve::complementarity
