// A cheap proof that the rows of J are independent, for the structures where there is one.
//
// If the constraints at a body have, on that body alone, independent rows, then no combination of rows of J
// that vanishes can contain them: they may be left out, and the search goes on with the rest. When nothing is
// left, J has full rank. Chains, trees and simple trusses are decided in this way in O(edges); structures
// with more closed loops mostly are not.
//
// Masses have no say: weighed with them, rows of a light body between heavy ones are nearly parallel, and are
// independent all the same.
#pragma once

#include "solve/problem.h"

#include <vector>

namespace catena::solve {

class IndependentRows {
 public:
  void analyze(const Graph& graph);

  /// Of the rows as they are here. True: proved. False: unknown. Rows with compliance are independent by themselves. No allocation.
  bool prove(const Problem& problem) { return prove(problem, 0.0); }

  /// And where joints are closed, seen from where rows are off by Problem::row_error.
  bool prove_where_closed(const Problem& problem) { return prove(problem, problem.row_error); }

 private:
  bool prove(const Problem& problem, double row_error);
  bool holds_at(int body, const Problem& problem, double clear);
  void add_products(const Problem& problem, const Edge& a, const Edge& b, double* block, int stride) const;
  void leave_out(int constraint, const Graph& graph);

  std::vector<int> edge_begin_, edges_;  // per body: its edges
  std::vector<double> size2_;            // per row: |J_r|² over all bodies
  std::vector<int> rows_left_;           // per body: rows of the constraints still there
  std::vector<char> is_left_;            // per constraint
  std::vector<int> candidates_;          // bodies to look at
  std::vector<double> gram_;             // of the rows at a body        (max dim)²
  int num_left_ = 0;
};

}  // namespace catena::solve
