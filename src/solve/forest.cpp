#include "solve/forest.h"

#include "math/small_matrix_kernel.h"
#include "solve/union_find.h"

#include <algorithm>

namespace catena::solve {
namespace {

// A block counts as rank deficient when a normalised pivot of its Gram matrix is below this: the square of the
// relative size (1e-5) at which a direction is too weak to pivot on.
constexpr double kWeakBlock = 1e-10;

using RowBlock = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Whether the blocks of these edges, all on one body, have full row rank together.
bool have_full_row_rank(const Problem& problem, const std::vector<int>& edges) {
  const Graph& g = *problem.graph;
  const int n = g.dims[g.edges[edges.front()].body];
  int m = 0;
  for (int e : edges) m += g.rows[g.edges[e].constraint];
  if (m > n) return false;
  Eigen::MatrixXd J(m, n);
  m = 0;
  for (int e : edges) {
    const int rows = g.rows[g.edges[e].constraint];
    J.middleRows(m, rows) = RowBlock(problem.J.data() + g.edges[e].offset, rows, n);
    m += rows;
  }
  Eigen::MatrixXd gram = J * J.transpose();
  return math::factor_ldlt(m, gram.data(), kWeakBlock) < 0;
}

// Everything needed while the roots are chosen.
struct RootSearch {
  const Problem& problem;
  const Graph& graph;
  std::vector<std::vector<int>> edges_of;  // per body: edges of constraints with two or more bodies
  std::vector<std::vector<int>> unary_of;  // per body: edges of one-body constraints
  // Per edge: whether the constraint can be eliminated with this body below it, that is, whether its rows are independent on
  // the body, also of the body's own constraints to the world, which are merged with it.
  std::vector<char> full_rank;

  explicit RootSearch(const Problem& p)
      : problem(p),
        graph(*p.graph),
        edges_of(p.graph->dims.size()),
        unary_of(p.graph->dims.size()),
        full_rank(p.graph->edges.size()) {
    for (int e = 0; e < int(graph.edges.size()); ++e) {
      const Edge& edge = graph.edges[e];
      (arity(edge.constraint) == 1 ? unary_of : edges_of)[edge.body].push_back(e);
    }
    std::vector<int> together;
    for (int body = 0; body < graph.num_bodies(); ++body) {
      together = unary_of[body];
      const bool unaries = together.empty() || have_full_row_rank(problem, together);
      for (int e : unary_of[body]) full_rank[e] = unaries;
      for (int e : edges_of[body]) {
        together.push_back(e);
        full_rank[e] = have_full_row_rank(problem, together);
        together.pop_back();
      }
    }
  }

  int arity(int c) const { return graph.edge_begin[c + 1] - graph.edge_begin[c]; }

  // A constraint can be eliminated when at least one body below it has a block of full row rank.
  bool works_below(int constraint, int parent_edge) const {
    for (int e = graph.edge_begin[constraint]; e < graph.edge_begin[constraint + 1]; ++e)
      if (e != parent_edge && full_rank[e]) return true;
    return false;
  }

  // Bodies of one tree in preorder with, for each, the edge to the constraint above it.
  void visit(int root, std::vector<int>& bodies, std::vector<int>& above, std::vector<int>& depth) const {
    bodies.assign(1, root);
    above[root] = -1;
    depth[root] = 0;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const int body = bodies[k];
      for (int e : edges_of[body]) {
        const int c = graph.edges[e].constraint;
        if (above[body] >= 0 && graph.edges[above[body]].constraint == c) continue;
        for (int other = graph.edge_begin[c]; other < graph.edge_begin[c + 1]; ++other) {
          if (other == e) continue;
          const int next = graph.edges[other].body;
          above[next] = other;
          depth[next] = depth[body] + 1;
          bodies.push_back(next);
        }
      }
    }
  }

  int edge_of(int constraint, int body) const {
    for (int e = graph.edge_begin[constraint]; e < graph.edge_begin[constraint + 1]; ++e)
      if (graph.edges[e].body == body) return e;
    return -1;
  }
};

struct Root {
  int body = -1;
  int unary_edge = -1;
  int refused_constraint = -1;
};

// Moving the root over a constraint changes only that constraint's orientation, so the number of constraints with a weak
// lower side is known for every possible root after two passes over the tree.
Root choose_root(const RootSearch& s, int start, std::vector<int>& above, std::vector<int>& depth,
                 std::vector<int>& parent_body) {
  std::vector<int> bodies;
  s.visit(start, bodies, above, depth);
  int total = 0, culprit = -1;
  for (int body : bodies)
    for (int e : s.edges_of[body]) {
      const int c = s.graph.edges[e].constraint;
      if (above[body] >= 0 && s.graph.edges[above[body]].constraint == c) continue;
      for (int other = s.graph.edge_begin[c]; other < s.graph.edge_begin[c + 1]; ++other)
        if (other != e) parent_body[s.graph.edges[other].body] = body;
      if (!s.works_below(c, e)) ++total, culprit = c;
    }
  // weak count per body as a root, by the difference along the path from `start`
  std::vector<int>& count = depth;  // depth is recomputed below; reuse its storage per body
  for (int body : bodies) {
    if (above[body] < 0) {
      count[body] = total;
      continue;
    }
    const int c = s.graph.edges[above[body]].constraint;
    const int p = parent_body[body];
    count[body] = count[p] - int(!s.works_below(c, s.edge_of(c, p))) + int(!s.works_below(c, above[body]));
  }
  std::vector<int> weak_count(bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) weak_count[k] = count[bodies[k]];

  // depth under any root: distance to the farther end of a longest path
  std::vector<int> order;
  auto farthest = [&](int from, std::vector<int>& distance) {
    s.visit(from, order, above, depth);
    distance.resize(bodies.size());
    for (std::size_t k = 0; k < bodies.size(); ++k) distance[k] = depth[bodies[k]];
    return order[std::size_t(
        std::max_element(order.begin(), order.end(), [&](int a, int b) { return depth[a] < depth[b]; }) -
        order.begin())];
  };
  std::vector<int> from_start, from_end1, from_end2;
  const int end1 = farthest(start, from_start);
  const int end2 = farthest(end1, from_end1);
  farthest(end2, from_end2);

  Root best;
  int best_rank = 3, best_depth = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (weak_count[k] > 0) continue;
    int unary = -1;
    for (int e : s.unary_of[bodies[k]])
      if (s.full_rank[e] && unary < 0) unary = e;
    const int rank = unary >= 0 ? 0 : 1;
    const int d = std::max(from_end1[k], from_end2[k]);
    if (rank < best_rank || (rank == best_rank && d < best_depth)) {
      best = {bodies[k], unary, -1};
      best_rank = rank;
      best_depth = d;
    }
  }
  if (best.body < 0) best.refused_constraint = culprit;
  return best;
}

// Steps of one tree, root first (reversed by the caller).
void append_tree(const RootSearch& s, const Root& root, std::vector<int>& above, std::vector<int>& depth,
                 Forest& forest) {
  auto add_step = [&](int constraint, int parent, int parent_edge) {
    forest.steps.push_back({constraint, parent, parent_edge, int(forest.children.size()), 0});
    if (constraint < 0) {
      forest.children.push_back({root.body, -1});
    } else {
      for (int e = s.graph.edge_begin[constraint]; e < s.graph.edge_begin[constraint + 1]; ++e)
        if (e != parent_edge) forest.children.push_back({s.graph.edges[e].body, e});
    }
    forest.steps.back().child_end = int(forest.children.size());
  };
  add_step(root.unary_edge >= 0 ? s.graph.edges[root.unary_edge].constraint : -1, -1, -1);
  // depth first, so that neighbours in the tree are neighbours in memory
  std::vector<int> stack{root.body};
  above[root.body] = -1;
  depth[root.body] = 1;
  while (!stack.empty()) {
    const int body = stack.back();
    stack.pop_back();
    forest.depth = std::max(forest.depth, depth[body]);
    for (int e : s.edges_of[body]) {
      const int c = s.graph.edges[e].constraint;
      if (above[body] >= 0 && s.graph.edges[above[body]].constraint == c) continue;
      add_step(c, body, e);
      for (int k = forest.steps.back().child_begin; k < forest.steps.back().child_end; ++k) {
        const Child& child = forest.children[k];
        above[child.body] = child.edge;
        depth[child.body] = depth[body] + 1;
        stack.push_back(child.body);
      }
    }
  }
}

}  // namespace

Cycles count_cycles(const Graph& graph) {
  Cycles cycles;
  UnionFind sets(graph.num_bodies() + graph.num_constraints());
  cycles.components = graph.num_bodies();
  for (int c = 0; c < graph.num_constraints(); ++c) {
    bool closes = false;
    for (int e = graph.edge_begin[c]; e < graph.edge_begin[c + 1]; ++e)
      if (!sets.join(graph.edges[e].body, graph.num_bodies() + c)) {
        ++cycles.count;
        closes = true;
      }
    if (closes && cycles.constraint < 0) cycles.constraint = c;
  }
  std::vector<char> seen(sets.parent.size(), 0);
  cycles.components = 0;
  for (int b = 0; b < graph.num_bodies(); ++b) {
    const int root = sets.find(b);
    cycles.components += seen[root] ? 0 : 1;
    seen[root] = 1;
  }
  return cycles;
}

Refusal find_forest(const Problem& problem, Forest& forest) {
  const Graph& graph = *problem.graph;
  forest = {};
  const Cycles cycles = count_cycles(graph);
  if (cycles.count > 0)
    return {"closes a loop, and the tree solver takes only acyclic structures", cycles.constraint};

  const RootSearch search(problem);
  const std::size_t n = std::size_t(graph.num_bodies());
  std::vector<int> above(n, -1), depth(n, -1), parent_body(n, -1);
  std::vector<char> done(n, 0);
  std::vector<int> root_unary(n, -1);
  for (int body = 0; body < graph.num_bodies(); ++body) {
    if (done[body]) continue;
    const Root root = choose_root(search, body, above, depth, parent_body);
    if (root.body < 0)
      return {
          "closes a loop through the world: for every choice of root it acts too weakly on the bodies below "
          "it",
          root.refused_constraint};
    const std::size_t first = forest.steps.size();
    append_tree(search, root, above, depth, forest);
    root_unary[root.body] = root.unary_edge;
    for (std::size_t k = first; k < forest.steps.size(); ++k)
      for (int i = forest.steps[k].child_begin; i < forest.steps[k].child_end; ++i)
        done[forest.children[i].body] = 1;
    ++forest.num_trees;
  }
  std::reverse(forest.steps.begin(), forest.steps.end());

  forest.merged_begin.assign(1, 0);
  for (int body = 0; body < graph.num_bodies(); ++body) {
    for (int e : search.unary_of[body])
      if (e != root_unary[body]) forest.merged.push_back(e);
    forest.merged_begin.push_back(int(forest.merged.size()));
  }
  return {};
}

}  // namespace catena::solve
