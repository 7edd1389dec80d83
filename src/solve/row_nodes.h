// Rows that come and go as nodes of the graph: a base problem, and constraints on top of it that are set anew every step.
//
// Stiffness that exists as long as the rows do becomes blocks of M, between bodies as links. (On a factor that is there already it has to be
// of low rank: extra_rows.h.)
//
// Near O(base + parts) per step, by counting and marks; nothing is allocated once the storage is large enough. To that end J, S and links
// are longer than the graph asks for (and so are d and λ of a solve with them: size_of_rows()). What is beyond is 0 and not read.
#pragma once

#include "solve/grouping.h"
#include "solve/problem.h"

#include <span>
#include <vector>

namespace catena::solve {

/// Part of one extra row: rate += numbers · x of the body.
struct NodePart {
  int row = 0;  // among the extra rows
  int body = 0;
  const double* numbers = nullptr;  // as many as the body has dimensions
};

/// A block added to M: what x of `column_body` does to the equation of `row_body`. In a symmetric problem the transposed block of two
/// different bodies is meant with it, and the block of one body is symmetric.
struct NodeStiffness {
  int row_body = 0, column_body = 0;
  const double* block = nullptr;  // dims × dims, column-major; read again by refresh_base()
};

class RowNodes {
 public:
  /// The problem to which rows are added; it is read by every set() and outlives this.
  void set_base(const Problem& base) { base_ = &base; }

  /// @param rows_of_node  numbers of rows of the extra nodes; rows are numbered through them
  /// @param parts         in any order; parts of the same row and body add up. Every node has at least one
  /// @param compliance    per extra row, ≥ 0; empty for rigid rows
  /// @param stiffness     several on the same bodies add up
  void set(std::span<const int> rows_of_node, std::span<const NodePart> parts,
           std::span<const double> compliance = {}, std::span<const NodeStiffness> stiffness = {});
  /// Refills the numbers of the base, which has changed them; those of the extra rows and of their stiffness stay.
  void refresh_base();

  const Problem& problem() const { return problem_; }
  const Graph& graph() const { return builder_.graph; }
  /// Constraint of the problem that an extra node is, and its first row.
  int constraint_of(int node) const { return base_->graph->num_constraints() + node; }
  int row_of(int node) const { return graph().row_offset[std::size_t(constraint_of(node))]; }
  /// Length of d and λ: at least as many as there are rows.
  Eigen::Index size_of_rows() const { return problem_.S.size(); }

 private:
  void sort_parts(std::span<const int> rows_of_node, std::span<const NodePart> parts);
  void add_nodes(std::span<const int> rows_of_node, std::span<const NodePart> parts);
  void write_parts(std::span<const NodePart> parts);
  void add_links(std::span<const NodeStiffness> stiffness);
  void add_stiffness();

  const Problem* base_ = nullptr;
  GraphBuilder builder_;
  Problem problem_;
  std::vector<int> node_of_row_, row_in_node_;  // per extra row
  Grouping parts_of_;                           // indices of parts, by node
  std::vector<int> bodies_;                     // of one node
  std::vector<int> edge_of_body_;               // while the numbers of a node are written
  std::vector<int> marked_by_;                  // per body: node that has it
  std::vector<NodeStiffness> stiffness_;        // of the last set()
  std::vector<int> link_of_;                    // per stiffness, -1: within one body
  Grouping links_of_body_, stiffness_of_body_;  // of each body to bodies after it
};

}  // namespace catena::solve
