// Rows that change every step, as nodes of the graph: against a dense solve, and without allocation.
#include "solve/row_nodes.h"

#include "solve/island_solver.h"
#include "support/allocation_counter.h"
#include "support/changing_rows.h"
#include "support/solver_checks.h"

#include <gtest/gtest.h>

#include <functional>

namespace catena::solve {
namespace {

using Eigen::VectorXd;
using testing::OwnedProblem;
using testing::RandomProblem;
using testing::RandomRows;

constexpr int kSteps = 6;  // different sets of rows per mechanism

struct Step {
  RowNodes& nodes;
  EqualitySolver& solver;
  VectorXd f, d, x, lambda;

  /// As one step of a simulation does it; true when nothing was refused and nothing failed.
  bool run(const RandomRows& rows) {
    rows.set(nodes);
    if (d.size() != nodes.size_of_rows()) d.setLinSpaced(nodes.size_of_rows(), -1.0, 1.0);
    const Problem& p = nodes.problem();
    return !solver.analyze(p).refused() && solver.factor(p).ok() && solver.solve(p, f, d, x, lambda).ok();
  }
};

/// Steps with other rows each give the dense answer, and none of them allocates when they are repeated.
void expect_follows_rows(const Problem& base, std::mt19937& random, int most_nodes, EqualitySolver& solver) {
  RowNodes nodes;
  nodes.set_base(base);
  std::vector<RandomRows> sets;
  for (int k = 0; k < kSteps; ++k) {
    sets.emplace_back(random, *base.graph, int(random() % unsigned(most_nodes + 1)), 0,
                      base.graph->num_bodies());
    if (k % 2 == 1) sets.back().add_springs(random, *base.graph, int(random() % 8u));
  }
  Step step{nodes, solver, testing::random_vector(random, base.graph->num_x()), {}, {}, {}};
  for (const RandomRows& rows : sets) {
    ASSERT_TRUE(step.run(rows));
    const testing::Solution expected = testing::solve_reference(nodes.problem(), step.f, step.d);
    EXPECT_LT(testing::relative_difference(step.x, expected.x), 1e-9);
    EXPECT_LT(testing::relative_difference(step.lambda.head(expected.lambda.size()), expected.lambda), 1e-9);
    EXPECT_EQ(step.lambda.tail(step.lambda.size() - expected.lambda.size()).norm(), 0.0);
  }
  for (int round = 0; round < 3; ++round)  // storage of islands settles
    for (const RandomRows& rows : sets) ASSERT_TRUE(step.run(rows));
  const testing::AllocationCounter allocations;
  bool ok = true;
  for (const RandomRows& rows : sets) ok = step.run(rows) && ok;
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_TRUE(ok);
}

class Following : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<EqualitySolver> make() const {
    return GetParam() ? std::unique_ptr<EqualitySolver>(std::make_unique<IslandSolver>())
                      : make_sparse_solver();
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, Following, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "islands" : "sparse"; });

TEST_P(Following, RowsOnForests) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem base(random, {.bodies = 25, .dims = {6, 12}, .max_rows = 3});
    expect_follows_rows(base.problem, random, 12, *make());
  }
}

TEST_P(Following, RowsOnLadders) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    OwnedProblem base;
    testing::make_ladders(3, 4, base);
    base.draw_numbers(random);
    expect_follows_rows(base.problem, random, 10, *make());
  }
}

TEST_P(Following, RowsOnNets) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    OwnedProblem base;
    testing::make_net(7, base);
    base.draw_numbers(random);
    expect_follows_rows(base.problem, random, 12, *make());
  }
}

// Parts of one row on one body add up, whatever their order.
TEST(RowNodes, AddUpPartsOfARow) {
  std::mt19937 random(1);
  OwnedProblem base;
  testing::make_ladders(1, 2, base);
  base.draw_numbers(random);
  const VectorXd g1 = testing::random_vector(random, 6), g2 = testing::random_vector(random, 6),
                 g3 = testing::random_vector(random, 6);
  RowNodes nodes;
  nodes.set_base(base.problem);
  nodes.set(
      std::vector{1, 2},
      std::vector<NodePart>{{2, 4, g3.data()}, {0, 1, g1.data()}, {1, 3, g2.data()}, {0, 1, g2.data()}});
  VectorXd x = testing::random_vector(random, base.graph.num_x()), y = VectorXd::Zero(nodes.size_of_rows());
  add_J_times(nodes.problem(), x, y);
  EXPECT_NEAR(y[nodes.row_of(0)], (g1 + g2).dot(x.segment(6, 6)), 1e-14);
  EXPECT_NEAR(y[nodes.row_of(1)], g2.dot(x.segment(18, 6)), 1e-14);
  EXPECT_NEAR(y[nodes.row_of(1) + 1], g3.dot(x.segment(24, 6)), 1e-14);
  EXPECT_EQ(nodes.graph().edges.size(), base.graph.edges.size() + 3);
}

// What stiffness adds to M, by definition, with several blocks on the same bodies and a base that changes its numbers.
TEST(RowNodes, AddStiffnessToTheBase) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    OwnedProblem base;
    testing::make_net(3, base);
    base.draw_numbers(random);
    RandomRows rows(random, base.graph, 2, 0, base.graph.num_bodies());
    rows.add_springs(random, base.graph, 12);
    RowNodes nodes;
    nodes.set_base(base.problem);
    rows.set(nodes);
    for (int round = 0; round < 2; ++round) {
      const VectorXd x = testing::random_vector(random, base.graph.num_x());
      VectorXd expected(x.size()), y(x.size());
      mass_times(base.problem, x, expected);
      for (const NodeStiffness& s : rows.stiffness) {
        const Eigen::Map<const Eigen::MatrixXd> block(s.block, 3, 3);
        expected.segment(3 * s.row_body, 3) += block * x.segment(3 * s.column_body, 3);
        if (s.row_body != s.column_body)
          expected.segment(3 * s.column_body, 3) += block.transpose() * x.segment(3 * s.row_body, 3);
      }
      mass_times(nodes.problem(), x, y);
      EXPECT_LT((y - expected).norm(), 1e-13 * expected.norm());
      base.problem.M *= 1.5;
      nodes.refresh_base();
    }
  }
}

// Components by painting, one body after the other.
std::vector<int> paint(const Graph& g) {
  std::vector<int> island(g.dims.size(), -1);
  int count = 0;
  for (int start = 0; start < g.num_bodies(); ++start) {
    if (island[start] >= 0) continue;
    island[start] = count;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Edge& e : g.edges)
        for (int k = g.edge_begin[e.constraint]; k < g.edge_begin[e.constraint + 1]; ++k)
          if (island[e.body] == count && island[g.edges[k].body] < 0) {
            island[g.edges[k].body] = count;
            grows = true;
          }
    }
    ++count;
  }
  return island;
}

TEST(Islands, AreTheConnectedParts) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem r(random, {.bodies = 30, .root_probability = 0.3, .loops = 4});
    const std::vector<int> expected = paint(r.graph);
    Islands islands;
    islands.find(r.graph);
    ASSERT_EQ(islands.count(), *std::ranges::max_element(expected) + 1);
    for (int b = 0; b < r.graph.num_bodies(); ++b) EXPECT_EQ(islands.of_body(b), expected[b]);
    int bodies = 0, constraints = 0;
    for (int i = 0; i < islands.count(); ++i) {
      bodies += int(islands.bodies(i).size());
      constraints += int(islands.constraints(i).size());
      for (const int c : islands.constraints(i))
        EXPECT_EQ(expected[r.graph.edges[r.graph.edge_begin[c]].body], i);
    }
    EXPECT_EQ(bodies, r.graph.num_bodies());
    EXPECT_EQ(constraints, r.graph.num_constraints());
  }
}

TEST(IslandSolver, LeavesOtherIslandsAlone) {
  constexpr int kLadders = 5, kRungs = 4, kBodies = 3 * kRungs;
  std::mt19937 random(1);
  OwnedProblem base;
  testing::make_ladders(kLadders, kRungs, base);
  base.draw_numbers(random);
  RowNodes nodes;
  nodes.set_base(base.problem);
  IslandSolver solver;
  Step step{nodes, solver, testing::random_vector(random, base.graph.num_x()), {}, {}, {}};
  const RandomRows second(random, base.graph, 3, kBodies, 2 * kBodies),
      other(random, base.graph, 4, kBodies, 2 * kBodies);
  ASSERT_TRUE(step.run(second));
  EXPECT_EQ(solver.islands().count(), kLadders);
  EXPECT_EQ(solver.num_ordered(), kLadders);
  EXPECT_EQ(solver.num_factored(), kLadders);
  ASSERT_TRUE(step.run(second));  // nothing changed
  EXPECT_EQ(solver.num_ordered(), 0);
  EXPECT_EQ(solver.num_factored(), 0);
  ASSERT_TRUE(step.run(other));  // other rows on the second ladder
  EXPECT_EQ(solver.num_ordered(), 1);
  EXPECT_EQ(solver.num_factored(), 1);
  base.problem.M[base.graph.mass_offset[4 * kBodies]] += 0.5;  // another mass in the last one
  ASSERT_TRUE(step.run(other));
  EXPECT_EQ(solver.num_ordered(), 0);
  EXPECT_EQ(solver.num_factored(), 1);
  const testing::Solution expected = testing::solve_reference(nodes.problem(), step.f, step.d);
  EXPECT_LT(testing::relative_difference(step.x, expected.x), 1e-10);
}

TEST(IslandSolver, NamesABodyWithoutMass) {
  std::mt19937 random(2);
  OwnedProblem base;
  testing::make_ladders(3, 2, base);
  base.draw_numbers(random);
  IslandSolver solver;
  ASSERT_FALSE(solver.analyze(base.problem).refused());
  ASSERT_TRUE(solver.factor(base.problem).ok());
  base.problem.M[base.graph.mass_offset[8]] = -1.0;
  const FactorResult result = solver.factor(base.problem);
  EXPECT_EQ(result.status, FactorStatus::not_positive);
  EXPECT_EQ(result.body, 8);
}

}  // namespace
}  // namespace catena::solve
