#include "solve/sparse_structure.h"

#include <algorithm>

namespace catena::solve {
namespace {

// Wide panels are cut: the products between the pieces then run through the dense kernels.
constexpr int kWidestPanel = 48;

// Whether the node after `k` continues its panel: everything below k is that node and what is below that node.
bool is_nested(const EliminationOrder& order, int k) {
  return order.parent[k] == k + 1 && order.later[k].size() == order.later[k + 1].size() + 1;
}

}  // namespace

void SparseStructure::analyze(const Problem& problem, const std::vector<char>& late) {
  const Graph& g = *problem.graph;
  order = find_elimination_order(problem, late);
  const int n = int(order.nodes.size());
  nodes.assign(n, {});
  panel_of.assign(n, 0);
  panels.clear();
  rows.clear();
  targets.clear();
  num_entries = 0;
  num_values = 0;
  largest_front = largest_width = 0;
  for (int k = 0; k < n; ++k) {
    PanelNode& node = nodes[k];
    node.node = order.nodes[k];
    node.is_constraint = node.node >= g.num_bodies();
    node.dim = node.is_constraint ? g.rows[node.node - g.num_bodies()] : g.dims[node.node];
    node.entry = num_entries;
    num_entries += node.dim;
    const bool continues = k > 0 && is_nested(order, k - 1) && panels.back().width + node.dim <= kWidestPanel;
    if (!continues) {
      panels.emplace_back();
      panels.back().first = k;
      panels.back().entry = node.entry;
    }
    Panel& panel = panels.back();
    node.column = panel.width;
    panel.width += node.dim;
    panel.last = k + 1;
    panel_of[k] = int(panels.size()) - 1;
  }
  for (Panel& panel : panels) {
    panel.row_begin = int(rows.size());
    for (const int below : order.later[panel.last - 1]) {
      rows.push_back({below, nodes[below].dim, panel.width + panel.below, nodes[below].entry});
      panel.below += nodes[below].dim;
    }
    panel.row_end = int(rows.size());
    panel.values = num_values;
    num_values += std::int64_t(panel.height()) * panel.width;
    largest_front = std::max(largest_front, panel.below);
    largest_width = std::max(largest_width, panel.width);
  }
  for (Panel& panel : panels) {
    panel.target_begin = std::int64_t(targets.size());
    for (int i = panel.row_begin; i < panel.row_end; ++i)
      for (int j = i; j < panel.row_end; ++j) targets.push_back(block(rows[j].position, rows[i].position));
  }
}

Target SparseStructure::block(int row_position, int column_position) const {
  const Panel& panel = panels[panel_of[column_position]];
  int row = 0;
  if (row_position < panel.last) {
    row = nodes[row_position].column;
  } else {
    const auto begin = rows.begin() + panel.row_begin, end = rows.begin() + panel.row_end;
    row = std::lower_bound(begin, end, row_position, [](const PanelRow& r, int at) {
            return r.position < at;
          })->row;
  }
  return {panel.values + row + std::int64_t(nodes[column_position].column) * panel.height(), panel.height()};
}

}  // namespace catena::solve
