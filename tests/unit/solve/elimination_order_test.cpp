// The order of elimination: its rule, its structure and what it costs.
#include "solve/elimination_order.h"

#include "solve/sparse_structure.h"
#include "support/changing_rows.h"
#include "support/solver_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace catena::solve {
namespace {

using testing::OwnedProblem;
using testing::RandomProblem;

/// Neighbours left at every elimination, by writing the fill down in a full table.
std::vector<std::vector<int>> eliminate_in_full(const Graph& g, const std::vector<int>& nodes) {
  const int n = int(nodes.size()), bodies = g.num_bodies();
  std::vector<std::vector<char>> joined(std::size_t(n), std::vector<char>(std::size_t(n), 0));
  const auto join = [&](int a, int b) { joined[a][b] = joined[b][a] = 1; };
  for (const Edge& e : g.edges) join(e.body, bodies + e.constraint);
  for (const Link& link : g.links) join(link.a, link.b);
  std::vector<char> gone(std::size_t(n), 0);
  std::vector<std::vector<int>> later;
  for (const int node : nodes) {
    gone[node] = 1;
    later.emplace_back();
    for (int other = 0; other < n; ++other)
      if (joined[node][other] && !gone[other]) later.back().push_back(other);
    for (const int a : later.back())
      for (const int b : later.back())
        if (a != b) join(a, b);
  }
  return later;
}

/// Finds for a constraint a body that no other needs, by exchanging along alternating paths.
bool assign_body(int c, const std::vector<std::vector<int>>& candidates, std::vector<int>& owner,
                 std::vector<char>& tried) {
  for (const int body : candidates[c]) {
    if (tried[body]) continue;
    tried[body] = 1;
    if (owner[body] >= 0 && !assign_body(owner[body], candidates, owner, tried)) continue;
    owner[body] = c;
    return true;
  }
  return false;
}

/// The rule of elimination_order.h: constraints that go before all their bodies have bodies of their own.
bool obeys_rule(const Problem& p, const std::vector<int>& position) {
  const Graph& g = *p.graph;
  const int bodies = g.num_bodies();
  std::vector<std::vector<int>> candidates(g.rows.size());
  std::vector<int> owner(g.dims.size(), -1);
  bool obeys = true;
  for (int c = 0; c < g.num_constraints(); ++c) {
    bool all_gone = true;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
      const int body = g.edges[e].body;
      const bool gone = position[body] < position[bodies + c];
      all_gone = all_gone && gone;
      const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> J(
          &p.J[g.edges[e].offset], g.rows[c], g.dims[body]);
      if (gone && g.rows[c] <= g.dims[body] && testing::rank_of_rows(J) == g.rows[c])
        candidates[c].push_back(body);
    }
    if (all_gone || p.S.segment(g.row_offset[c], g.rows[c]).minCoeff() > 0.0) continue;
    std::vector<char> tried(g.dims.size(), 0);
    obeys = assign_body(c, candidates, owner, tried) && obeys;
  }
  return obeys;
}

TEST(EliminationOrder, ListsTheFillAndObeysTheRule) {
  OrderFinder finder;
  EliminationOrder order;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const RandomProblem r(random, {.bodies = 5 + int(random() % 40u),
                                   .nails = 3,
                                   .loops = int(random() % 25u),
                                   .compliance = seed % 2 == 0 ? 0.1 : 0.0});
    finder.find(r.problem, {std::vector<char>(r.graph.rows.size(), 0)}, order);
    ASSERT_EQ(order.size(), r.graph.num_bodies() + r.graph.num_constraints());
    const std::vector<std::vector<int>> expected = eliminate_in_full(r.graph, order.nodes);
    for (int k = 0; k < order.size(); ++k) {
      EXPECT_EQ(order.position[order.nodes[k]], k);
      std::vector<int> later;
      for (const int node : expected[k]) later.push_back(order.position[node]);
      std::ranges::sort(later);
      EXPECT_TRUE(std::ranges::equal(order.later(k), later));
      EXPECT_EQ(order.parent[k], later.empty() ? -1 : later.front());
    }
    EXPECT_TRUE(obeys_rule(r.problem, order.position));
  }
}

TEST(EliminationOrder, TakesLateConstraintsLast) {
  std::mt19937 random(7);
  const RandomProblem r(random, {.bodies = 30, .loops = 10});
  std::vector<char> late(r.graph.rows.size(), 0);
  late[3] = late[8] = 1;
  OrderFinder finder;
  EliminationOrder order;
  finder.find(r.problem, {late}, order);
  for (const int c : {3, 8})  // the postorder may move what does not depend on it behind it
    for (int e = r.graph.edge_begin[c]; e < r.graph.edge_begin[c + 1]; ++e)
      EXPECT_LT(order.position[r.graph.edges[e].body], order.position[r.graph.num_bodies() + c]);
}

TEST(EliminationOrder, TakesAPartOfTheGraph) {
  OwnedProblem chain;
  chain.graph = testing::make_chain(10, 6, 3);
  std::mt19937 random(1);
  chain.draw_numbers(random);
  std::vector<char> bodies(10, 0), constraints(10, 0);
  for (int k = 4; k < 10; ++k) bodies[k] = 1;
  for (int k = 5; k < 10; ++k) constraints[k] = 1;
  OrderFinder finder;
  EliminationOrder order;
  finder.find(chain.problem, {std::vector<char>(10, 0), &bodies, &constraints}, order);
  EXPECT_EQ(order.size(), 11);
  EXPECT_EQ(order.position[3], -1);
  EXPECT_EQ(order.position[10 + 4], -1);
  EXPECT_GE(order.position[4], 0);
}

// Entries of lists walked. The fill of a net of n bodies grows like n log n at best, and so must the work. Edges of the fill, or a
// search among all pairs of blocks below a panel, would grow like n^1.5: 4.6 times as much here.
TEST(EliminationOrder, CostsLittleMoreThanTheFillOfNets) {
  double smallest = 0.0;
  for (const int n : {16, 32, 64, 128}) {
    OwnedProblem net;
    testing::make_net(n, net);
    std::mt19937 random(1);
    net.draw_numbers(random);
    SparseStructure structure;
    structure.analyze(net.problem, {std::vector<char>(net.graph.rows.size(), 0)});
    const double bodies = double(n) * n, cost = double(structure.operations()) / (bodies * std::log2(bodies));
    if (n == 16) smallest = cost;
    EXPECT_LT(cost, 1.4 * smallest) << "net of " << n << " × " << n;
  }
}

// A hub's list is not walked whenever one of its neighbours goes.
TEST(EliminationOrder, CostsTheSamePerArmOfAnyStar) {
  for (const int arms : {100, 10000}) {
    OwnedProblem star;
    star.graph = testing::make_star(arms, 6, 3);
    std::mt19937 random(1);
    star.draw_numbers(random);
    OrderFinder finder;
    EliminationOrder order;
    finder.find(star.problem, {std::vector<char>(std::size_t(arms), 0)}, order);
    EXPECT_LT(double(finder.operations()), 20.0 * arms);
  }
}

}  // namespace
}  // namespace catena::solve
