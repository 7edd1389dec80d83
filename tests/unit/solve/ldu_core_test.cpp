// The core of implicit steps: unsymmetric blocks and rows that change, against a dense solve, and without allocation.
#include "solve/ldu_core.h"

#include "support/allocation_counter.h"
#include "support/changing_rows.h"

#include <gtest/gtest.h>

namespace catena::solve {
namespace {

using Eigen::VectorXd;
using testing::OwnedProblem;
using testing::RandomRows;

struct CoreStep {
  LduCore core;
  std::vector<char> bodies, constraints;
  VectorXd x, lambda;

  /// Everything belongs to the core. f and d as in problem.h.
  bool run(const Problem& p, const VectorXd& f, const VectorXd& d) {
    bodies.assign(p.graph->dims.size(), 1);
    constraints.assign(p.graph->rows.size(), 1);
    core.analyze(p, bodies, constraints);
    if (!core.factor(p, p.M).ok()) return false;
    x = f;
    lambda = -d;
    core.panels().solve(x.data(), lambda.data());
    return true;
  }
};

/// A net or a ladder with rows on top, and blocks of bodies that are not symmetric.
struct Unsymmetric {
  OwnedProblem base;
  RowNodes nodes;
  Problem problem;
  VectorXd d;

  explicit Unsymmetric(std::mt19937& random, bool net) {
    net ? testing::make_net(6, base) : testing::make_ladders(2, 5, base);
    base.draw_numbers(random);
    base.problem.M += 0.1 * testing::random_vector(random, int(base.problem.M.size()));
    nodes.set_base(base.problem);
    problem.resize(base.graph, Problem::Symmetry::unsymmetric);
  }
  void set(const RandomRows& rows) {
    rows.set(nodes);
    problem.graph = &nodes.graph();
    problem.M = nodes.problem().M;
    problem.J = nodes.problem().J;
    problem.S = nodes.problem().S;
    if (d.size() != nodes.size_of_rows()) d.setLinSpaced(nodes.size_of_rows(), -1.0, 1.0);
  }
};

TEST(LduCore, FollowsRowsThatChange) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Unsymmetric u(random, seed % 2 == 0);
    const VectorXd f = testing::random_vector(random, u.base.graph.num_x());
    std::vector<RandomRows> sets;
    for (int k = 0; k < 5; ++k)
      sets.emplace_back(random, u.base.graph, int(random() % 10u), 0, u.base.graph.num_bodies());
    CoreStep step;
    for (const RandomRows& rows : sets) {
      u.set(rows);
      ASSERT_TRUE(step.run(u.problem, f, u.d));
      const testing::Solution expected = testing::solve_reference(u.problem, f, u.d);
      EXPECT_LT(testing::relative_difference(step.x, expected.x), 1e-9);
      EXPECT_LT(testing::relative_difference(step.lambda.head(expected.lambda.size()), expected.lambda),
                1e-9);
    }
    for (const RandomRows& rows : sets) {  // with J and S as long as they will get
      u.set(rows);
      ASSERT_TRUE(step.run(u.problem, f, u.d));
    }
    const testing::AllocationCounter allocations;
    bool ok = true;
    for (const RandomRows& rows : sets) {
      u.set(rows);
      ok = step.run(u.problem, f, u.d) && ok;
    }
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_TRUE(ok);
  }
}

// A pivot that vanishes sends one factor another way, and no other.
TEST(LduCore, FactorsAreFunctionsOfTheirNumbers) {
  int detours = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Unsymmetric u(random, seed % 2 == 0);
    u.set(RandomRows(random, u.base.graph, 0, 0, u.base.graph.num_bodies()));
    const VectorXd f = testing::random_vector(random, u.base.graph.num_x());
    const auto solve = [&](LduCore& core, const Problem& p, VectorXd& x, VectorXd& lambda) {
      ASSERT_TRUE(core.factor(p, p.M).ok());
      x = f;
      lambda = -u.d;
      core.panels().solve(x.data(), lambda.data());
    };
    const std::vector<char> bodies(u.problem.graph->dims.size(), 1),
        constraints(u.problem.graph->rows.size(), 1);
    LduCore straight, detoured;
    VectorXd x, lambda, x_after, lambda_after;
    for (LduCore* core : {&straight, &detoured}) {
      core->analyze(u.problem, bodies, constraints);
      solve(*core, u.problem, x, lambda);
    }
    const Graph& g = *u.problem.graph;
    for (int c = 0; c < g.num_constraints(); ++c) {
      const Edge& edge = g.edges[std::size_t(g.edge_begin[std::size_t(c)])];
      if (g.edge_begin[std::size_t(c) + 1] - g.edge_begin[std::size_t(c)] < 2) continue;
      Problem without = u.problem;  // one of its bodies
      without.J.segment(edge.offset, g.rows[std::size_t(c)] * g.dims[std::size_t(edge.body)]).setZero();
      const int before = detoured.num_orders();
      if (!detoured.factor(without, without.M).ok() || detoured.num_orders() == before) continue;
      ++detours;
      solve(detoured, without, x, lambda);
      const testing::Solution expected = testing::solve_reference(without, f, u.d);
      EXPECT_LT(testing::relative_difference(x, expected.x), 1e-8);
      solve(straight, u.problem, x, lambda);
      solve(detoured, u.problem, x_after, lambda_after);
      EXPECT_EQ(x, x_after);
      EXPECT_EQ(lambda, lambda_after);
    }
  }
  EXPECT_GT(detours, 0);
}

// A matrix without an inverse was tried in as many orders as it has constraints before it was refused.
TEST(LduCore, RefusesAfterAFewOrders) {
  std::mt19937 random(7);
  OwnedProblem ladders;
  testing::make_ladders(20, 2, ladders);
  ladders.draw_numbers(random);
  const Graph& g = ladders.graph;
  Problem& p = ladders.problem;
  const std::vector<char> bodies(g.dims.size(), 1), constraints(g.rows.size(), 1);
  LduCore core;
  core.analyze(p, bodies, constraints);
  ASSERT_TRUE(core.factor(p, p.M).ok());
  for (int c = 0; c < g.num_constraints();
       c += 2) {  // nine rows on the six velocities of each lower left rail
    const Edge& edge = g.edges[std::size_t(g.edge_begin[std::size_t(c)])];
    if (g.edge_begin[std::size_t(c) + 1] - g.edge_begin[std::size_t(c)] == 2)
      p.J.segment(edge.offset, g.rows[std::size_t(c)] * g.dims[std::size_t(edge.body)]).setZero();
  }
  const int before = core.num_orders();
  const FactorResult result = core.factor(p, p.M);
  EXPECT_EQ(result.status, FactorStatus::singular);
  EXPECT_GE(result.constraint, 0);
  EXPECT_LE(core.num_orders(), before + 9);  // 20
}

}  // namespace
}  // namespace catena::solve
