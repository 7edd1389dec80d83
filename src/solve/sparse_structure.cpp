#include "solve/sparse_structure.h"

#include "catena/interrupt.h"

#include <algorithm>

namespace catena::solve {
namespace {

// Wide panels are cut: the products between the pieces then run through the dense kernels.
constexpr int kWidestPanel = 48;

// Whether the node after `k` continues its panel: everything below k is that node and what is below that node.
bool is_nested(const EliminationOrder& order, int k) {
  return order.parent[k] == k + 1 && order.later(k).size() == order.later(k + 1).size() + 1;
}

}  // namespace

void SparseStructure::make_panels(const Graph& g) {
  const int n = order.size();
  nodes.assign(n, {});
  panel_of.assign(n, 0);
  panels.clear();
  num_entries = 0;
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
}

void SparseStructure::list_rows() {
  rows.clear();
  num_values = 0;
  largest_front = largest_width = 0;
  for (Panel& panel : panels) {
    panel.row_begin = int(rows.size());
    for (const int below : order.later(panel.last - 1)) {
      const PanelNode& node = nodes[below];
      rows.push_back({below, node.dim, panel.width + panel.below, node.entry, node.column});
      panel.below += node.dim;
    }
    panel.row_end = int(rows.size());
    panel.values = num_values;
    num_values += std::int64_t(panel.height()) * panel.width;
    largest_front = std::max(largest_front, panel.below);
    largest_width = std::max(largest_width, panel.width);
  }
}

void SparseStructure::list_updates() {
  updates.clear();
  next_update_.clear();
  first_update_.assign(panels.size(), -1);
  std::int64_t size = 0;
  for (Panel& panel : panels) {
    panel.update_begin = int(updates.size());
    for (int i = panel.row_begin; i < panel.row_end;) {
      const int later = panel_of[rows[i].position];
      int end = i + 1;
      while (end < panel.row_end && rows[end].position < panels[later].last) ++end;
      next_update_.push_back(first_update_[later]);
      first_update_[later] = int(updates.size());
      updates.push_back({i, end, panel.row_end, panels[later].height(), panels[later].values, size});
      size += panel.row_end - i;
      i = end;
    }
    panel.update_end = int(updates.size());
  }
  target_rows.resize(std::size_t(size));
}

// Panel by panel, for all updates that it gets. Every node below the updating panel is in the later one or below it.
void SparseStructure::find_target_rows() {
  row_of_.resize(nodes.size());
  for (std::size_t p = 0; p < panels.size(); ++p) {
    allow_interruption();
    const Panel& panel = panels[p];
    for (int k = panel.first; k < panel.last; ++k) row_of_[k] = nodes[k].column;
    for (int i = panel.row_begin; i < panel.row_end; ++i) row_of_[rows[i].position] = rows[i].row;
    for (int u = first_update_[p]; u >= 0; u = next_update_[u]) {
      const Update& update = updates[u];
      int* target = target_rows.data() + update.target_rows;
      for (int i = update.begin; i < update.last; ++i) *target++ = row_of_[rows[i].position];
    }
  }
}

void SparseStructure::analyze(const Problem& problem, const OrderRequest& request) {
  finder_.find(problem, request, order);
  make_panels(*problem.graph);
  list_rows();
  list_updates();
  find_target_rows();
  operations_ = finder_.operations() + std::int64_t(rows.size() + updates.size() + target_rows.size());
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
