// Mechanisms with loops, and rows on top of them that change from step to step.
#pragma once

#include "solve/row_nodes.h"
#include "support/random_problem.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace catena::testing {

/// A problem with the graph it points to; therefore not copied.
struct OwnedProblem {
  solve::Graph graph;
  solve::Problem problem;
  OwnedProblem() = default;
  OwnedProblem(const OwnedProblem&) = delete;
  OwnedProblem& operator=(const OwnedProblem&) = delete;

  /// Masses between 1 and 2, rows with normal numbers.
  void draw_numbers(std::mt19937& random) {
    problem.resize(graph);
    for (int b = 0; b < graph.num_bodies(); ++b)
      for (int i = 0; i < graph.dims[b]; ++i)
        problem.M[graph.mass_offset[b] + i * (graph.dims[b] + 1)] =
            std::uniform_real_distribution<>(1, 2)(random);
    problem.J = random_vector(random, graph.J_size);
  }
};

/// Two rails of bodies with rungs between them, all joined by three rows; a loop per rung. Several ladders stand beside each other.
inline void make_ladders(int ladders, int rungs, OwnedProblem& out) {
  solve::GraphBuilder builder;
  for (int l = 0; l < ladders; ++l) {
    int left = -1, right = -1;
    for (int i = 0; i < rungs; ++i) {
      const int a = builder.add_body(6), b = builder.add_body(6), rung = builder.add_body(6);
      builder.add_constraint(3, left < 0 ? std::vector<int>{a} : std::vector<int>{a, left});
      builder.add_constraint(3, right < 0 ? std::vector<int>{b} : std::vector<int>{b, right});
      builder.add_constraint(3, {rung, a});
      builder.add_constraint(3, {rung, b});
      left = a;
      right = b;
    }
  }
  out.graph = builder.finish();
}

/// n × n particles with a row between neighbours; a loop per mesh.
inline void make_net(int n, OwnedProblem& out) {
  solve::GraphBuilder builder;
  for (int i = 0; i < n * n; ++i) builder.add_body(3);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      if (c + 1 < n) builder.add_constraint(1, {r * n + c, r * n + c + 1});
      if (r + 1 < n) builder.add_constraint(1, {r * n + c, (r + 1) * n + c});
    }
  builder.add_constraint(1, {0});
  out.graph = builder.finish();
}

/// Extra nodes of one step, some of them soft, each on one to three bodies.
struct RandomRows {
  std::vector<int> rows_of_node;
  std::vector<solve::NodePart> parts;
  std::vector<double> compliance;
  std::vector<std::array<double, 16>> numbers;  // what the parts point to
  std::vector<solve::NodeStiffness> stiffness;  // of springs k vᵀv on two bodies
  std::vector<Eigen::MatrixXd> blocks;          // what it points to

  /// @param first, last  bodies that rows may act on
  RandomRows(std::mt19937& random, const solve::Graph& g, int nodes, int first, int last) {
    const auto draw = [&](int below) { return int(random() % unsigned(below)); };
    int row = 0;
    for (int n = 0; n < nodes; ++n) {
      const int rows = 1 + draw(2), bodies = 1 + draw(3);
      const bool soft = draw(2) == 0;
      rows_of_node.push_back(rows);
      for (int r = 0; r < rows; ++r, ++row) {
        compliance.push_back(soft ? std::uniform_real_distribution<>(0.1, 1)(random) : 0.0);
        for (int k = 0; k < bodies; ++k) parts.push_back({row, first + draw(last - first), nullptr});
      }
    }
    std::shuffle(parts.begin(), parts.end(), random);  // rows need not come in order
    numbers.resize(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Eigen::VectorXd drawn = random_vector(random, g.dims[std::size_t(parts[p].body)]);
      std::copy(drawn.begin(), drawn.end(), numbers[p].begin());
      parts[p].numbers = numbers[p].data();
    }
  }
  /// Springs between random bodies, some of them between the same, in either order.
  void add_springs(std::mt19937& random, const solve::Graph& g, int springs) {
    blocks.reserve(std::size_t(3 * springs));
    const auto add = [&](int row, int column, const Eigen::MatrixXd& block) {
      blocks.push_back(block);
      stiffness.push_back({row, column, blocks.back().data()});
    };
    for (int s = 0; s < springs; ++s) {
      const int a = int(random() % unsigned(g.num_bodies())),
                b = (a + 1 + int(random() % 3u)) % g.num_bodies();
      if (a == b) continue;
      const Eigen::VectorXd v = random_vector(random, g.dims[std::size_t(a)]),
                            w = random_vector(random, g.dims[std::size_t(b)]);
      add(a, a, v * v.transpose());
      add(b, b, w * w.transpose());
      add(a, b, v * w.transpose());
    }
  }
  void set(solve::RowNodes& nodes) const { nodes.set(rows_of_node, parts, compliance, stiffness); }
};

}  // namespace catena::testing
