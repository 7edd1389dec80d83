#include "solve/sparse_rows.h"

#include <cassert>
#include <cmath>

namespace catena::solve {

void SparseRows::clear() {
  parts_.clear();
  end_.clear();
  numbers_.clear();
}

void SparseRows::reserve(int rows, int parts, int numbers) {
  end_.reserve(std::size_t(rows));
  parts_.reserve(std::size_t(parts));
  numbers_.reserve(std::size_t(numbers));
}

int SparseRows::add_row() {
  end_.push_back(int(parts_.size()));
  return size() - 1;
}

void SparseRows::add_part(int body, int dim, const double* numbers) {
  assert(size() > 0);
  for (const Part& part : parts(size() - 1))
    if (part.body == body) {
      for (int i = 0; i < dim; ++i) numbers_[std::size_t(part.offset + i)] += numbers[i];
      return;
    }
  parts_.push_back({body, dim, int(numbers_.size())});
  numbers_.insert(numbers_.end(), numbers, numbers + dim);
  end_.back() = int(parts_.size());
}

std::span<const SparseRows::Part> SparseRows::parts(int row) const {
  const auto r = std::size_t(row), begin = std::size_t(row == 0 ? 0 : end_[r - 1]);
  return std::span<const Part>(parts_).subspan(begin, std::size_t(end_[r]) - begin);
}

double SparseRows::times(int row, const double* x, const std::vector<int>& entry_of_body, int stride) const {
  double sum = 0.0;
  for (const Part& part : parts(row)) {
    const double* own = x + entry_of_body[std::size_t(part.body)] * stride;
    const double* numbers = numbers_.data() + part.offset;
    for (int i = 0; i < part.dim; ++i) sum += numbers[i] * own[i * stride];
  }
  return sum;
}

void SparseRows::add_transposed(int row, double factor, const std::vector<int>& entry_of_body, double* x,
                                int stride) const {
  for (const Part& part : parts(row)) {
    double* own = x + entry_of_body[std::size_t(part.body)] * stride;
    const double* numbers = numbers_.data() + part.offset;
    for (int i = 0; i < part.dim; ++i) own[i * stride] += factor * numbers[i];
  }
}

double SparseRows::weight(int row, const BlockPattern& pattern, const BlockMatrix& matrix) const {
  double sum = 0.0;
  for (const Part& part : parts(row)) {
    const double* M = matrix.M.data() + pattern.mass_offset[std::size_t(part.body)];
    const double* numbers = numbers_.data() + part.offset;
    for (int i = 0; i < part.dim; ++i) sum += numbers[i] * numbers[i] / std::abs(M[i * (part.dim + 1)]);
  }
  return sum;
}

}  // namespace catena::solve
