// Rows over x with few nonzero entries, given by parts: the numbers of a row on one body.
//
// They may be set anew at every step of time; nothing is allocated while there are no more of them than ever before.
#pragma once

#include "solve/block_matrix.h"

#include <span>
#include <vector>

namespace catena::solve {

class SparseRows {
 public:
  struct Part {
    int body = 0;
    int dim = 0;     // of the body
    int offset = 0;  // of its numbers
  };

  void clear();
  void reserve(int rows, int parts, int numbers);
  /// Begins a row and returns its index.
  int add_row();
  /// Adds numbers to the last row; several parts on one body add up.
  void add_part(int body, int dim, const double* numbers);

  int size() const { return int(end_.size()); }
  std::span<const Part> parts(int row) const;
  bool is_empty(int row) const { return parts(row).empty(); }

  /// (row) x, with the first entry of each body in x; entries are `stride` apart.
  double times(int row, const double* x, const std::vector<int>& entry_of_body, int stride = 1) const;
  /// x += factor · (row)ᵀ
  void add_transposed(int row, double factor, const std::vector<int>& entry_of_body, double* x,
                      int stride = 1) const;
  /// (row) W (row)ᵀ with W the inverse of the diagonal of a matrix: what the row is worth, to compare rows with.
  double weight(int row, const BlockPattern& pattern, const BlockMatrix& matrix) const;

 private:
  std::vector<Part> parts_;  // row after row
  std::vector<int> end_;     // per row: behind its last part
  std::vector<double> numbers_;
};

}  // namespace catena::solve
