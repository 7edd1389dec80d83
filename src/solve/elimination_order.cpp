#include "solve/elimination_order.h"

#include <Eigen/QR>

#include <algorithm>
#include <queue>
#include <tuple>

namespace catena::solve {
namespace {

constexpr double kFullRank = 1e-8;  // smallest to largest pivot of a block of J that counts as full rank

bool has_full_row_rank(const double* J, int rows, int dim) {
  if (rows > dim) return false;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd transposed = Eigen::Map<const RowMajor>(J, rows, dim).transpose();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(kFullRank);
  qr.compute(transposed);
  return qr.rank() == rows;
}

class MinimumDegree {
 public:
  MinimumDegree(const Problem& problem, const std::vector<char>& late);
  EliminationOrder run();

 private:
  bool is_constraint(int node) const { return node >= num_bodies_; }
  bool is_eligible(int node) const;
  int private_body(int constraint) const;
  void connect(int a, int b);
  void eliminate(int node);
  void join_neighbours(const std::vector<int>& neighbours);
  void push(int node) { queue_.emplace(late_of(node), degree_[node], node); }
  int late_of(int node) const {
    return is_constraint(node) && late_[std::size_t(node - num_bodies_)] != 0 ? 1 : 0;
  }

  const Graph& graph_;
  const std::vector<char>& late_;
  int num_bodies_, num_nodes_;
  std::vector<std::vector<int>> neighbours_;   // may contain nodes that are gone
  std::vector<int> dim_, degree_;              // degree: summed dimensions of the neighbours left
  std::vector<char> gone_, taken_;             // taken: the body serves a constraint already
  std::vector<char> is_compliant_, has_rank_;  // per constraint, per edge
  std::vector<int> mark_;
  int stamp_ = 0;
  std::priority_queue<std::tuple<int, int, int>, std::vector<std::tuple<int, int, int>>, std::greater<>>
      queue_;
  EliminationOrder order_;
};

MinimumDegree::MinimumDegree(const Problem& problem, const std::vector<char>& late)
    : graph_(*problem.graph),
      late_(late),
      num_bodies_(graph_.num_bodies()),
      num_nodes_(num_bodies_ + graph_.num_constraints()),
      neighbours_(num_nodes_),
      dim_(num_nodes_),
      degree_(num_nodes_, 0),
      gone_(num_nodes_, 0),
      taken_(num_bodies_, 0),
      is_compliant_(graph_.num_constraints()),
      has_rank_(graph_.edges.size()),
      mark_(num_nodes_, -1) {
  for (int b = 0; b < num_bodies_; ++b) dim_[b] = graph_.dims[b];
  for (int c = 0; c < graph_.num_constraints(); ++c) {
    dim_[num_bodies_ + c] = graph_.rows[c];
    is_compliant_[c] = problem.S.segment(graph_.row_offset[c], graph_.rows[c]).minCoeff() > 0.0;
  }
  for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
    const Edge& edge = graph_.edges[e];
    connect(num_bodies_ + edge.constraint, edge.body);
    has_rank_[e] =
        has_full_row_rank(&problem.J[edge.offset], graph_.rows[edge.constraint], graph_.dims[edge.body]);
  }
  for (const Link& link : graph_.links) connect(link.a, link.b);
}

void MinimumDegree::connect(int a, int b) {
  neighbours_[a].push_back(b);
  neighbours_[b].push_back(a);
  degree_[a] += dim_[b];
  degree_[b] += dim_[a];
}

// A body that is gone, serves nobody and on which the constraint acts with full rank; -1 when there is none.
int MinimumDegree::private_body(int constraint) const {
  for (int e = graph_.edge_begin[constraint]; e < graph_.edge_begin[constraint + 1]; ++e) {
    const int body = graph_.edges[e].body;
    if (gone_[body] && !taken_[body] && has_rank_[e]) return body;
  }
  return -1;
}

bool MinimumDegree::is_eligible(int node) const {
  if (!is_constraint(node)) return true;
  const int c = node - num_bodies_;
  if (is_compliant_[c]) return true;
  if (!late_[c] && private_body(c) >= 0) return true;
  for (int e = graph_.edge_begin[c]; e < graph_.edge_begin[c + 1]; ++e)
    if (!gone_[graph_.edges[e].body]) return false;
  return true;
}

// The neighbours of an eliminated node become neighbours of each other.
void MinimumDegree::join_neighbours(const std::vector<int>& neighbours) {
  if (neighbours.size() < 2) return;
  for (const int a : neighbours) {
    std::vector<int>& own = neighbours_[a];
    ++stamp_;
    std::size_t kept = 0;
    for (const int b : own)
      if (!gone_[b]) {
        mark_[b] = stamp_;
        own[kept++] = b;
      }
    own.resize(kept);
    for (const int b : neighbours)
      if (b != a && mark_[b] != stamp_) {
        own.push_back(b);
        degree_[a] += dim_[b];
      }
  }
}

void MinimumDegree::eliminate(int node) {
  gone_[node] = 1;
  if (is_constraint(node))
    if (const int body = private_body(node - num_bodies_); body >= 0) taken_[body] = 1;
  std::vector<int> left;
  for (const int b : neighbours_[node])
    if (!gone_[b]) left.push_back(b);
  for (const int b : left) degree_[b] -= dim_[node];
  join_neighbours(left);
  for (const int b : left) push(b);
  neighbours_[node] = left;
  order_.nodes.push_back(node);
}

EliminationOrder MinimumDegree::run() {
  for (int node = 0; node < num_nodes_; ++node) push(node);
  while (!queue_.empty()) {
    const auto [late, degree, node] = queue_.top();
    queue_.pop();
    if (gone_[node] || degree != degree_[node] || !is_eligible(node)) continue;
    eliminate(node);
  }
  order_.later.resize(num_nodes_);
  for (int node = 0; node < num_nodes_; ++node) order_.later[node] = std::move(neighbours_[node]);
  return std::move(order_);
}

// Renumbers so that every node comes right after the subtree below it: chains of nodes with nested structure then stand together.
EliminationOrder postorder(EliminationOrder raw) {
  const int n = int(raw.nodes.size());
  std::vector<int> at(n);  // node to raw position
  for (int k = 0; k < n; ++k) at[raw.nodes[k]] = k;
  std::vector<int> parent(n, -1), first_child(n, -1), next_sibling(n, -1);
  for (int k = n - 1; k >= 0; --k) {
    for (const int other : raw.later[raw.nodes[k]])
      if (parent[k] < 0 || at[other] < parent[k]) parent[k] = at[other];
    if (parent[k] < 0) continue;
    next_sibling[k] = first_child[parent[k]];
    first_child[parent[k]] = k;
  }
  EliminationOrder out;
  std::vector<int> stack, raw_of;
  for (int root = n - 1; root >= 0; --root) {
    if (parent[root] >= 0) continue;
    // reversed preorder of the tree, collected from the back
    stack.assign(1, root);
    while (!stack.empty()) {
      const int k = stack.back();
      stack.pop_back();
      raw_of.push_back(k);
      for (int c = first_child[k]; c >= 0; c = next_sibling[c]) stack.push_back(c);
    }
  }
  std::reverse(raw_of.begin(), raw_of.end());
  out.position.resize(n);
  for (int k = 0; k < n; ++k) {
    out.nodes.push_back(raw.nodes[raw_of[k]]);
    out.position[out.nodes.back()] = k;
  }
  out.later.resize(n);
  out.parent.assign(n, -1);
  for (int k = 0; k < n; ++k) {
    for (const int other : raw.later[out.nodes[k]]) out.later[k].push_back(out.position[other]);
    std::sort(out.later[k].begin(), out.later[k].end());
    if (!out.later[k].empty()) out.parent[k] = out.later[k].front();
  }
  return out;
}

}  // namespace

EliminationOrder find_elimination_order(const Problem& problem, const std::vector<char>& late) {
  return postorder(MinimumDegree(problem, late).run());
}

}  // namespace catena::solve
