// Whether the rows of one block are independent: Gram-Schmidt with exchange of rows, without allocation, O(rows² · dim).
#pragma once

#include <algorithm>
#include <numeric>

namespace catena::solve {

constexpr double kFullRank = 1e-8;  // smallest to largest pivot of a block that counts as full rank

/// @param rows  `count` rows of length `dim`, one after the other; overwritten
inline bool has_full_row_rank(double* rows, int count, int dim) {
  if (count > dim) return false;
  const auto square = [&](int i) {
    const double* v = rows + i * dim;
    return std::inner_product(v, v + dim, v, 0.0);
  };
  double largest = 0.0;
  for (int k = 0; k < count; ++k) {
    int best = k;
    double size = square(k);
    for (int i = k + 1; i < count; ++i)
      if (const double other = square(i); other > size) {
        best = i;
        size = other;
      }
    if (k == 0) largest = size;
    if (!(size > kFullRank * kFullRank * largest)) return false;
    double* pivot = rows + k * dim;
    if (best != k) std::swap_ranges(pivot, pivot + dim, rows + best * dim);
    for (int i = k + 1; i < count; ++i) {
      double* v = rows + i * dim;
      const double part = std::inner_product(v, v + dim, pivot, 0.0) / size;
      for (int j = 0; j < dim; ++j) v[j] -= part * pivot[j];
    }
  }
  return true;
}

}  // namespace catena::solve
