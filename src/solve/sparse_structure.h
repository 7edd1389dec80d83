// Where everything is in the block factor H = L D Lᵀ: panels, and the places of every update. Computed once per structure.
//
// Nodes that follow each other with nested neighbourhoods form one panel: a dense column block of height `width` + `below`,
// column-major. Eliminating it subtracts products of its lower part from later panels. The nodes below it that belong to the same
// later panel are one update: columns of that panel, in which everything further below has its row. These rows are looked up here,
// so that the numeric phase only follows addresses.
//
// Cost O(rows of panels + rows of updates): each target panel is laid out once, for all updates that it gets. No allocation when the
// storage of an earlier structure is large enough.
#pragma once

#include "solve/elimination_order.h"

#include <cstdint>

namespace catena::solve {

/// One node inside a panel.
struct PanelNode {
  int node = 0;  // body, or number of bodies + constraint
  int dim = 0;
  int column = 0;  // first column in its panel
  bool is_constraint = false;
  int entry = 0;  // first entry in the vectors of the solve (permuted order)
};

/// A node below a panel.
struct PanelRow {
  int position = 0;  // in the order
  int dim = 0;
  int row = 0;     // first row in the panel
  int entry = 0;   // first entry in the vectors of the solve
  int column = 0;  // first column of the node in its own panel
};

struct Panel {
  int first = 0, last = 0;  // positions [first, last)
  int width = 0, below = 0;
  int height() const { return width + below; }
  int entry = 0;                         // first entry in the vectors of the solve
  std::int64_t values = 0;               // offset of its numbers
  int row_begin = 0, row_end = 0;        // range of SparseStructure::rows
  int update_begin = 0, update_end = 0;  // range of SparseStructure::updates
};

/// What a panel subtracts from one later panel: the products of its rows [begin, end) with its rows [begin, last).
struct Update {
  int begin = 0, end = 0, last = 0;  // of SparseStructure::rows
  int stride = 0;                    // height of the later panel
  std::int64_t values = 0;           // offset of its numbers
  std::int64_t target_rows = 0;      // offset in SparseStructure::target_rows, of row `begin`
};

/// Place of a block.
struct Target {
  std::int64_t values = 0;  // offset of its first entry
  int stride = 0;           // height of its panel
};

struct SparseStructure {
  EliminationOrder order;
  std::vector<PanelNode> nodes;  // per position
  std::vector<int> panel_of;     // per position
  std::vector<Panel> panels;
  std::vector<PanelRow> rows;
  std::vector<Update> updates;
  std::vector<int> target_rows;  // per update, per row from its `begin` on: first row in the later panel
  int num_entries = 0;           // length of the vectors of the solve
  std::int64_t num_values = 0;
  int largest_front = 0;  // most scalar rows below a panel
  int largest_width = 0;

  void analyze(const Problem& problem, const OrderRequest& request);
  /// Entries of lists walked by the last analyze(): what its time is proportional to.
  std::int64_t operations() const { return operations_; }

  /// Offset of block (row, column) of the factor, column eliminated first; stride: height of the panel.
  Target block(int row_position, int column_position) const;

 private:
  void make_panels(const Graph& graph);
  void list_rows();
  void list_updates();
  void find_target_rows();

  OrderFinder finder_;
  std::vector<int> first_update_, next_update_;  // per panel: the updates that it gets, as a list
  std::vector<int> row_of_;                      // per position: row in the panel laid out
  std::int64_t operations_ = 0;
};

}  // namespace catena::solve
