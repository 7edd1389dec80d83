#include "solve/row_nodes.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace catena::solve {
namespace {

// Grows by half, so that a slowly growing number of rows allocates rarely.
void grow_vector(Eigen::VectorXd& numbers, Eigen::Index size) {
  if (numbers.size() < size) numbers.resize(size + size / 2);
}

}  // namespace

void RowNodes::sort_parts(std::span<const int> rows_of_node, std::span<const NodePart> parts) {
  node_of_row_.clear();
  row_in_node_.clear();
  for (std::size_t n = 0; n < rows_of_node.size(); ++n)
    for (int r = 0; r < rows_of_node[n]; ++r) {
      node_of_row_.push_back(int(n));
      row_in_node_.push_back(r);
    }
  parts_of_.build(int(rows_of_node.size()), [&](auto add) {
    for (std::size_t p = 0; p < parts.size(); ++p) add(node_of_row_[std::size_t(parts[p].row)], int(p));
  });
}

void RowNodes::add_nodes(std::span<const int> rows_of_node, std::span<const NodePart> parts) {
  Graph& g = builder_.graph;
  g = *base_->graph;  // copies keep the capacity
  g.edge_begin.pop_back();
  marked_by_.assign(g.dims.size(), -1);
  for (std::size_t n = 0; n < rows_of_node.size(); ++n) {
    bodies_.clear();
    for (const int p : parts_of_[int(n)]) {
      const int body = parts[std::size_t(p)].body;
      if (marked_by_[std::size_t(body)] == int(n)) continue;
      marked_by_[std::size_t(body)] = int(n);
      bodies_.push_back(body);
    }
    assert(!bodies_.empty());
    builder_.add_constraint(rows_of_node[n], bodies_);
  }
}

void RowNodes::write_parts(std::span<const NodePart> parts) {
  const Graph& g = graph();
  edge_of_body_.resize(g.dims.size());
  for (int n = 0; n < parts_of_.num_groups(); ++n) {
    const auto c = std::size_t(constraint_of(n));
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e)
      edge_of_body_[std::size_t(g.edges[std::size_t(e)].body)] = e;
    for (const int p : parts_of_[n]) {
      const NodePart& part = parts[std::size_t(p)];
      const int dim = g.dims[std::size_t(part.body)];
      const Edge& edge = g.edges[std::size_t(edge_of_body_[std::size_t(part.body)])];
      double* row = &problem_.J[edge.offset + row_in_node_[std::size_t(part.row)] * dim];
      for (int i = 0; i < dim; ++i) row[i] += part.numbers[i];
    }
  }
}

// Before the graph is finished: a link for every two bodies that share stiffness and have none yet.
void RowNodes::add_links(std::span<const NodeStiffness> stiffness) {
  Graph& g = builder_.graph;
  stiffness_.assign(stiffness.begin(), stiffness.end());
  link_of_.assign(stiffness.size(), -1);
  const int bodies = stiffness.empty() ? 0 : g.num_bodies();
  const auto group_by_lower = [](Grouping& groups, int count, const auto& pairs, auto ends) {
    groups.build(count, [&](auto add) {
      for (std::size_t i = 0; i < pairs.size(); ++i)
        if (const auto [a, b] = ends(pairs[i]); a != b && count > 0) add(std::min(a, b), int(i));
    });
  };
  group_by_lower(links_of_body_, bodies, g.links, [](const Link& l) { return std::pair(l.a, l.b); });
  group_by_lower(stiffness_of_body_, bodies, stiffness_,
                 [](const NodeStiffness& s) { return std::pair(s.row_body, s.column_body); });
  marked_by_.assign(g.dims.size(), -1);
  for (int body = 0; body < bodies; ++body) {
    if (stiffness_of_body_[body].empty()) continue;
    for (const int l : links_of_body_[body])
      marked_by_[std::size_t(std::max(g.links[std::size_t(l)].a, g.links[std::size_t(l)].b))] = l;
    for (const int s : stiffness_of_body_[body]) {
      const NodeStiffness& part = stiffness_[std::size_t(s)];
      int& link = marked_by_[std::size_t(std::max(part.row_body, part.column_body))];
      const bool is_of_body =
          link >= 0 && std::min(g.links[std::size_t(link)].a, g.links[std::size_t(link)].b) == body;
      if (!is_of_body) {
        link = int(g.links.size());
        builder_.add_link(part.row_body, part.column_body);
      }
      link_of_[std::size_t(s)] = link;
    }
  }
}

void RowNodes::add_stiffness() {
  using Block = Eigen::Map<const Eigen::MatrixXd>;
  using MutableBlock = Eigen::Map<Eigen::MatrixXd>;
  for (std::size_t s = 0; s < stiffness_.size(); ++s) {
    const NodeStiffness& part = stiffness_[s];
    const int rows = graph().dims[std::size_t(part.row_body)],
              columns = graph().dims[std::size_t(part.column_body)];
    const Block block(part.block, rows, columns);
    if (link_of_[s] < 0) {
      MutableBlock(&problem_.M[graph().mass_offset[std::size_t(part.row_body)]], rows, columns) += block;
      continue;
    }
    const Link& link = graph().links[std::size_t(link_of_[s])];
    if (link.a == part.row_body)
      MutableBlock(&problem_.links[link.offset], rows, columns) += block;
    else if (problem_.is_symmetric)
      MutableBlock(&problem_.links[link.offset], columns, rows) += block.transpose();
    else
      MutableBlock(&problem_.lower[link.offset], rows, columns) += block;
  }
}

void RowNodes::refresh_base() {
  problem_.M = base_->M;
  problem_.links.setZero();
  problem_.lower.setZero();
  problem_.links.head(base_->graph->links_size) = base_->links.head(base_->graph->links_size);
  if (!base_->is_symmetric)
    problem_.lower.head(base_->graph->links_size) = base_->lower.head(base_->graph->links_size);
  problem_.is_symmetric = base_->is_symmetric;
  problem_.row_error = base_->row_error;
  problem_.K.head(base_->K.size()) = base_->K;
  problem_.J.head(base_->graph->J_size) = base_->J.head(base_->graph->J_size);
  problem_.S.head(base_->graph->num_rows()) = base_->S.head(base_->graph->num_rows());
  add_stiffness();
}

void RowNodes::set(std::span<const int> rows_of_node, std::span<const NodePart> parts,
                   std::span<const double> compliance, std::span<const NodeStiffness> stiffness) {
  sort_parts(rows_of_node, parts);
  add_nodes(rows_of_node, parts);
  add_links(stiffness);
  builder_.finish_in_place();
  problem_.graph = &builder_.graph;
  problem_.pairs = base_->pairs;
  grow_vector(problem_.J, graph().J_size);
  grow_vector(problem_.S, graph().num_rows());
  grow_vector(problem_.K, base_->K.size());
  grow_vector(problem_.links, graph().links_size);
  if (!base_->is_symmetric) grow_vector(problem_.lower, graph().links_size);
  problem_.J.setZero();
  problem_.S.setZero();
  refresh_base();
  write_parts(parts);
  for (std::size_t r = 0; r < compliance.size(); ++r)
    problem_.S[base_->graph->num_rows() + Eigen::Index(r)] = compliance[r];
}

}  // namespace catena::solve
