// Block LDU by panels of a matrix that is symmetric in structure only, in an order of minimum degree.
//
// The same panels as the symmetric factor has (sparse_structure.h):
//   lower   diagonal blocks of nodes, and below them L, what is left of the matrix when the columns to the left are gone
//   upper   at the same places Wᵀ, with W = D⁻¹U of the rows to the right of a node's diagonal block D
// Eliminating a node subtracts L W from what comes later. Cost as the symmetric factor, about twice the multiplications.
#pragma once

#include "solve/sparse_structure.h"

namespace catena::solve {

class LduPanels {
 public:
  /// May be repeated; nothing is allocated when the storage of an earlier analysis is large enough.
  void analyze(const Problem& problem, const OrderRequest& request);
  const SparseStructure& structure() const { return structure_; }

  /// The numbers. Returns the position of a node without a pivot, or -1.
  /// @param D  body blocks as the leaves left them
  int factor(const Problem& problem, const Eigen::VectorXd& D);
  void solve(double* x, double* lambda);

  // Its nodes as steps, in the order of elimination.
  int num_nodes() const { return structure_.order.size(); }
  bool is_constraint(int node) const { return structure_.nodes[std::size_t(node)].is_constraint; }
  /// Body or constraint of the problem.
  int index_of(int node) const {
    return structure_.nodes[std::size_t(node)].node - (is_constraint(node) ? num_bodies_ : 0);
  }
  /// First of the later nodes that a node changes, -1 when there is none.
  int parent(int node) const;
  void forward(int node, double* x, double* lambda);
  void backward(int node, double* x, double* lambda);
  int negative_bodies() const { return negative_bodies_; }
  int negative_constraints() const { return negative_constraints_; }

 private:
  /// Where a block of the problem goes: rows × columns, column-major there, row by row here when it is turned.
  struct Source {
    enum class Kind : std::uint8_t { body, compliance, edge, upper, lower } kind;
    bool below = true;  // its columns are eliminated first: it belongs to `lower`
    int from = 0, rows = 0, columns = 0;
    Target to;
  };

  void plan(const Graph& graph);
  void assemble(const Problem& problem, const Eigen::VectorXd& D);
  int eliminate_panel(const Panel& panel);
  bool factor_diagonal(const PanelNode& node, const double* block, int stride);
  void divide_upper(const PanelNode& node, double* upper, int begin, int stride) const;
  void note_cancellation(const Panel& panel, const PanelNode& node, int begin);
  void update_panel(const Panel& panel, int position);
  void multiply(const Panel& panel);
  void subtract_products(const Panel& panel);
  template <class Visit>
  void visit_below(int node, Visit&& visit) const;
  template <class Visit>
  void visit_later(int node, Visit&& visit) const;
  void forward_in_place(int node);
  void backward_in_place(int node);
  void load(int node, const double* x, const double* lambda);
  void store(int node, double* x, double* lambda) const;

  SparseStructure structure_;
  std::vector<Source> sources_;
  std::vector<double> lower_, upper_;
  std::vector<double> diagonal_;      // LU of the diagonal blocks, inverse pivots on the diagonal
  std::vector<int> diagonal_offset_;  // per position
  std::vector<int> entry_of_node_;    // per position: first entry in x or λ
  std::vector<double> scale_;         // per permuted entry: what cancelled in its diagonal entry
  std::vector<double> product_, z_;   // scratch
  int num_bodies_ = 0;
  int negative_bodies_ = 0, negative_constraints_ = 0;
};

}  // namespace catena::solve
