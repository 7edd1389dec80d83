// Where everything is in the block factor H = L D Lᵀ: panels, and the targets of every update. Computed once per structure.
//
// Nodes that follow each other with nested neighbourhoods form one panel: a dense column block of height `width` + `below`,
// column-major. Eliminating it subtracts products of its lower part from blocks of later panels; the place of each such block is
// looked up here, so that the numeric phase only follows addresses.
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
  int row = 0;    // first row in the panel
  int entry = 0;  // first entry in the vectors of the solve
};

struct Panel {
  int first = 0, last = 0;  // positions [first, last)
  int width = 0, below = 0;
  int height() const { return width + below; }
  int entry = 0;                   // first entry in the vectors of the solve
  std::int64_t values = 0;         // offset of its numbers
  int row_begin = 0, row_end = 0;  // range of SparseStructure::rows
  std::int64_t target_begin = 0;   // range of SparseStructure::targets
};

/// Block to which the product of two nodes below a panel is subtracted.
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
  /// For rows i ≤ j below a panel, in the order (0,0) (1,0) … (p,0) (1,1) …: block (row j, column i).
  std::vector<Target> targets;
  int num_entries = 0;  // length of the vectors of the solve
  std::int64_t num_values = 0;
  int largest_front = 0;  // most scalar rows below a panel
  int largest_width = 0;

  void analyze(const Problem& problem, const std::vector<char>& late);

  /// Offset of block (row, column) of the factor, column eliminated first; stride: height of the panel.
  Target block(int row_position, int column_position) const;
};

}  // namespace catena::solve
