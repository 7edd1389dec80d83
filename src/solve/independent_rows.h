// A cheap proof that the rows of J are independent, for the structures where there is one.
//
// If the constraints at a body have, on that body alone, independent rows, then no combination of rows of J
// that vanishes can contain them: they may be left out, and the search goes on with the rest. When nothing is
// left, J has full rank. Chains, trees and simple trusses are decided in this way in O(edges); structures
// with more closed loops mostly are not.
#pragma once

#include "solve/block_schur.h"
#include "solve/problem.h"

#include <vector>

namespace catena::solve {

class IndependentRows {
 public:
  void analyze(const Graph& graph);

  /// True: proved. False: unknown. Rows with compliance are independent by themselves. No allocation.
  /// @param schur     the blocks W = J L⁻ᵀ, which have the rank of J and no units
  /// @param diagonal  of W Wᵀ + S: what a row is worth in total
  bool prove(const Problem& problem, const BlockSchur& schur, const Eigen::VectorXd& diagonal);

 private:
  bool holds_at(int body, const Graph& graph, const BlockSchur& schur, const Eigen::VectorXd& diagonal);
  void leave_out(int constraint, const Graph& graph);

  std::vector<int> rows_left_;   // per body: rows of the constraints still there
  std::vector<char> is_left_;    // per constraint
  std::vector<int> candidates_;  // bodies to look at
  std::vector<double> gram_;     // of the rows at a body        (max dim)²
  int num_left_ = 0;
};

}  // namespace catena::solve
