#include "solve/elimination_order.h"

#include "catena/interrupt.h"
#include "solve/block_rank.h"

#include <algorithm>

namespace catena::solve {

template <class Visit>
void OrderFinder::visit_edges(const Graph& graph, Visit visit) const {
  int id = 0;
  for (const Edge& edge : graph.edges) {
    const int constraint = num_bodies_ + edge.constraint;
    if (takes_part_[constraint]) visit(constraint, edge.body, id);
    ++id;
  }
  for (const Link& link : graph.links) {
    if (takes_part_[link.a] && takes_part_[link.b]) visit(link.a, link.b, id);
    ++id;
  }
}

void OrderFinder::read_nodes(const Problem& problem, const OrderRequest& request) {
  const Graph& g = *problem.graph;
  graph_ = &g;
  num_bodies_ = g.num_bodies();
  num_nodes_ = num_bodies_ + g.num_constraints();
  num_taking_part_ = total_ = 0;
  dim_.resize(num_nodes_);
  takes_part_.resize(num_nodes_);
  is_late_.assign(num_nodes_, 0);
  is_compliant_.resize(g.rows.size());
  for (int b = 0; b < num_bodies_; ++b) {
    dim_[b] = g.dims[b];
    takes_part_[b] = request.bodies == nullptr ? 1 : (*request.bodies)[b];
  }
  for (int c = 0; c < g.num_constraints(); ++c) {
    dim_[num_bodies_ + c] = g.rows[c];
    is_late_[num_bodies_ + c] = request.late[c];
    takes_part_[num_bodies_ + c] = request.constraints == nullptr ? 1 : (*request.constraints)[c];
    is_compliant_[c] = problem.S.segment(g.row_offset[c], g.rows[c]).minCoeff() > 0.0;
  }
  for (int node = 0; node < num_nodes_; ++node)
    if (takes_part_[node]) {
      ++num_taking_part_;
      total_ += dim_[node];
    }
}

// Lists of neighbours; those reached by owned edges stand first.
void OrderFinder::read_neighbours(const Graph& g) {
  neighbour_begin_.assign(std::size_t(num_nodes_) + 1, 0);
  direct_.assign(num_nodes_, 0);
  visit_edges(g, [&](int a, int b, int) {
    ++neighbour_begin_[a + 1];
    ++neighbour_begin_[b + 1];
    direct_[a] += dim_[b];
    direct_[b] += dim_[a];
  });
  for (int node = 0; node < num_nodes_; ++node) neighbour_begin_[node + 1] += neighbour_begin_[node];
  neighbours_.resize(std::size_t(neighbour_begin_.back()));
  elements_.resize(neighbours_.size());
  owned_end_.assign(neighbour_begin_.begin(), neighbour_begin_.end() - 1);
  std::vector<int>& end = filled_;
  end.assign(neighbour_begin_.begin() + 1, neighbour_begin_.end());
  visit_edges(g, [&](int a, int b, int id) {
    const int of_a = neighbour_begin_[a + 1] - neighbour_begin_[a],
              of_b = neighbour_begin_[b + 1] - neighbour_begin_[b];
    const bool a_owns = of_a <= of_b;
    neighbours_[a_owns ? owned_end_[a]++ : --end[a]] = {b, id};
    neighbours_[a_owns ? --end[b] : owned_end_[b]++] = {a, id};
  });
  is_covered_.assign(g.edges.size() + g.links.size(), 0);
}

void OrderFinder::read_ranks(const Problem& problem) {
  const Graph& g = *problem.graph;
  has_rank_.assign(g.edges.size(), 0);
  next_private_.assign(g.edges.size(), -1);
  first_private_.assign(g.rows.size(), -1);
  bodies_left_.assign(g.rows.size(), 0);
  is_taken_.assign(num_bodies_, 0);
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    const Edge& edge = g.edges[e];
    const int rows = g.rows[edge.constraint], dim = g.dims[edge.body];
    ++bodies_left_[edge.constraint];
    if (!takes_part_[num_bodies_ + edge.constraint] || rows > dim) continue;
    const double* J = &problem.J[edge.offset];
    block_.assign(J, J + rows * dim);
    has_rank_[e] = has_full_row_rank(block_.data(), rows, dim);
  }
}

// A body that is gone, serves nobody and on which the constraint acts with full rank; -1 when there is none.
int OrderFinder::private_body(int constraint) {
  int& first = first_private_[constraint];
  while (first >= 0 && is_taken_[graph_->edges[first].body]) first = next_private_[first];
  return first < 0 ? -1 : graph_->edges[first].body;
}

bool OrderFinder::is_eligible(int node) {
  if (!is_constraint(node)) return true;
  const int c = node - num_bodies_;
  if (is_compliant_[c] || bodies_left_[c] == 0) return true;
  return !is_late_[node] && private_body(c) >= 0;
}

// What the rule remembers of a node that goes.
void OrderFinder::note_gone(int node) {
  is_gone_[node] = 1;
  left_ -= dim_[node];
  if (is_constraint(node)) {
    if (const int body = private_body(node - num_bodies_); body >= 0) is_taken_[body] = 1;
    return;
  }
  for (int k = neighbour_begin_[node]; k < neighbour_begin_[node + 1]; ++k) {
    if (!is_constraint(neighbours_[k].node)) continue;
    const int c = neighbours_[k].node - num_bodies_, edge = neighbours_[k].edge;
    --bodies_left_[c];
    if (!has_rank_[edge]) continue;
    next_private_[edge] = first_private_[c];
    first_private_[c] = edge;
  }
}

void OrderFinder::enqueue(int node) {
  const int at = degree_[node] + (is_late_[node] ? total_ + 1 : 0);
  const int first = first_in_[at];
  next_[node] = first;
  previous_[node] = -2 - at;  // heads of lists say which list it is
  if (first >= 0) previous_[first] = node;
  first_in_[at] = node;
  lowest_ = std::min(lowest_, at);
}

void OrderFinder::dequeue(int node) {
  if (previous_[node] == -1) return;  // not in any list
  if (previous_[node] >= 0)
    next_[previous_[node]] = next_[node];
  else
    first_in_[-2 - previous_[node]] = next_[node];
  if (next_[node] >= 0) previous_[next_[node]] = previous_[node];
  previous_[node] = -1;
}

int OrderFinder::take_first() {
  while (first_in_[lowest_] < 0) ++lowest_;
  const int node = first_in_[lowest_];
  dequeue(node);
  return node;
}

// (1)
void OrderFinder::gather_members(int node) {
  Range& range = members_of_[node];
  range.begin = int(members_.size());
  mark_[node] = ++stamp_;
  const auto add = [&](int other) {
    if (mark_[other] == stamp_) return;
    mark_[other] = stamp_;
    members_.push_back(other);
  };
  for (int k = neighbour_begin_[node]; k < neighbour_begin_[node + 1]; ++k) {
    const Neighbour& other = neighbours_[k];
    if (is_covered_[other.edge]) continue;
    is_covered_[other.edge] = 1;
    direct_[other.node] -= dim_[node];
    add(other.node);
  }
  operations_ += neighbour_begin_[node + 1] - neighbour_begin_[node];
  for (int k = 0; k < element_count_[node]; ++k) {
    const int e = elements_[neighbour_begin_[node] + k];
    if (is_absorbed_[e]) continue;
    is_absorbed_[e] = 1;
    for (int m = members_of_[e].begin; m < members_of_[e].end; ++m) add(members_[m]);
    operations_ += members_of_[e].end - members_of_[e].begin;
  }
  range.end = int(members_.size());
}

// |L_e \ L_p| for the elements of all members of L_p.
void OrderFinder::count_outside(std::span<const int> members) {
  for (const int i : members) {
    for (int k = 0; k < element_count_[i]; ++k) {
      const int e = elements_[neighbour_begin_[i] + k];
      if (seen_[e] != stamp_) outside_[e] = weight_[e];
      seen_[e] = stamp_;
      outside_[e] -= dim_[i];
    }
    operations_ += 1 + element_count_[i];
  }
}

void OrderFinder::cover_direct_edges(std::span<const int> members) {
  for (const int i : members) {
    for (int k = neighbour_begin_[i]; k < owned_end_[i]; ++k) {
      const Neighbour& other = neighbours_[k];
      if (is_covered_[other.edge] || mark_[other.node] != stamp_) continue;
      is_covered_[other.edge] = 1;
      direct_[i] -= dim_[other.node];
      direct_[other.node] -= dim_[i];
    }
    operations_ += owned_end_[i] - neighbour_begin_[i];
  }
}

// (2), and the lists of elements
void OrderFinder::update_degrees(int node, std::span<const int> members, int weight) {
  for (const int i : members) {
    int* own = elements_.data() + neighbour_begin_[i];
    int kept = 0, sum = direct_[i] + weight - dim_[i];
    for (int k = 0; k < element_count_[i]; ++k) {
      const int e = own[k];
      if (outside_[e] == 0) is_absorbed_[e] = 1;
      if (is_absorbed_[e]) continue;
      own[kept++] = e;
      sum += outside_[e];
    }
    own[kept++] = node;
    element_count_[i] = kept;
    const int grown = degree_[i] - dim_[node] + weight - dim_[i];
    dequeue(i);
    degree_[i] = std::min({left_ - dim_[i], grown, sum});
    enqueue(i);
  }
}

void OrderFinder::eliminate(int node) {
  allow_interruption();
  note_gone(node);
  gather_members(node);
  raw_.push_back(node);
  const Range range = members_of_[node];
  const std::span<const int> members(members_.data() + range.begin, members_.data() + range.end);
  if (members.size() == 1) {  // an element of one node says nothing: long lists stay unread
    const int only = members.front();
    is_absorbed_[node] = 1;
    dequeue(only);
    degree_[only] = std::min(left_ - dim_[only], degree_[only] - dim_[node]);
    enqueue(only);
    return;
  }
  int weight = 0;
  for (const int i : members) weight += dim_[i];
  weight_[node] = weight;
  count_outside(members);
  cover_direct_edges(members);
  update_degrees(node, members, weight);
}

// Renumbers so that every node comes right after the subtree below it: chains of nodes with nested structure then stand together.
void OrderFinder::postorder(EliminationOrder& order) {
  const int n = int(raw_.size());
  raw_position_.assign(num_nodes_, -1);
  for (int k = 0; k < n; ++k) raw_position_[raw_[k]] = k;
  raw_parent_.assign(n, -1);
  first_child_.assign(n, -1);
  next_sibling_.assign(n, -1);
  for (int k = n - 1; k >= 0; --k) {
    const Range range = members_of_[raw_[k]];
    int parent = n;
    for (int m = range.begin; m < range.end; ++m) parent = std::min(parent, raw_position_[members_[m]]);
    if (parent == n) continue;
    raw_parent_[k] = parent;
    next_sibling_[k] = first_child_[parent];
    first_child_[parent] = k;
  }
  sequence_.clear();
  for (int root = n - 1; root >= 0; --root) {
    if (raw_parent_[root] >= 0) continue;
    // reversed preorder of the tree, collected from the back
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const int k = stack_.back();
      stack_.pop_back();
      sequence_.push_back(k);
      for (int c = first_child_[k]; c >= 0; c = next_sibling_[c]) stack_.push_back(c);
    }
  }
  std::reverse(sequence_.begin(), sequence_.end());
  order.nodes.resize(n);
  order.position.assign(num_nodes_, -1);
  for (int k = 0; k < n; ++k) {
    order.nodes[k] = raw_[sequence_[k]];
    order.position[order.nodes[k]] = k;
  }
}

// Positions of the neighbours left, ascending without sorting: by columns first, then column by column to the rows.
void OrderFinder::write_later(EliminationOrder& order) {
  const int n = order.size();
  order.later_begin.assign(std::size_t(n) + 1, 0);
  column_begin_.assign(std::size_t(n) + 1, 0);
  for (int k = 0; k < n; ++k) {
    const Range range = members_of_[order.nodes[k]];
    order.later_begin[k + 1] = order.later_begin[k] + range.end - range.begin;
    for (int m = range.begin; m < range.end; ++m) ++column_begin_[order.position[members_[m]] + 1];
  }
  for (int k = 0; k < n; ++k) column_begin_[k + 1] += column_begin_[k];
  columns_.resize(members_.size());
  order.later_positions.resize(members_.size());
  filled_.assign(column_begin_.begin(), column_begin_.end() - 1);
  for (int k = 0; k < n; ++k) {
    const Range range = members_of_[order.nodes[k]];
    for (int m = range.begin; m < range.end; ++m) columns_[filled_[order.position[members_[m]]]++] = k;
  }
  filled_.assign(order.later_begin.begin(), order.later_begin.end() - 1);
  for (int column = 0; column < n; ++column)
    for (int m = column_begin_[column]; m < column_begin_[column + 1]; ++m)
      order.later_positions[filled_[columns_[m]]++] = column;
  order.parent.resize(n);
  for (int k = 0; k < n; ++k) order.parent[k] = order.later(k).empty() ? -1 : order.later(k).front();
  operations_ += 2 * std::int64_t(members_.size()) + n;
}

void OrderFinder::find(const Problem& problem, const OrderRequest& request, EliminationOrder& order) {
  operations_ = 0;
  read_nodes(problem, request);
  read_neighbours(*problem.graph);
  read_ranks(problem);
  degree_.resize(num_nodes_);
  for (int node = 0; node < num_nodes_; ++node) degree_[node] = std::min(direct_[node], total_ - dim_[node]);
  is_gone_.assign(num_nodes_, 0);
  mark_.assign(num_nodes_, 0);
  seen_.assign(num_nodes_, 0);
  stamp_ = 0;
  element_count_.assign(num_nodes_, 0);
  members_of_.assign(num_nodes_, {});
  members_.clear();
  weight_.assign(num_nodes_, 0);
  outside_.assign(num_nodes_, 0);
  is_absorbed_.assign(num_nodes_, 0);
  raw_.clear();
  first_in_.assign(2 * std::size_t(total_) + 2, -1);
  next_.assign(num_nodes_, -1);
  previous_.assign(num_nodes_, -1);
  left_ = total_;
  lowest_ = 0;
  for (int node = num_nodes_ - 1; node >= 0; --node)
    if (takes_part_[node]) enqueue(node);
  while (int(raw_.size()) < num_taking_part_)
    if (const int node = take_first(); is_eligible(node)) eliminate(node);
  postorder(order);
  write_later(order);
}

}  // namespace catena::solve
