// Numbers of a workspace as vectors and matrices of changing size. Eigen's own free their storage whenever their size changes; these keep it.
#pragma once

#include <Eigen/Core>

#include <cassert>
#include <vector>

namespace catena::solve::complementarity {

using Vector = Eigen::Map<Eigen::VectorXd>;
using Matrix = Eigen::Map<Eigen::MatrixXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

class Numbers {
 public:
  /// The first n numbers, whatever they are.
  Vector vector(int n) {
    if (data_.size() < std::size_t(n)) data_.resize(std::size_t(n));
    return {data_.data(), n};
  }
  ConstVector vector(int n) const {
    assert(data_.size() >= std::size_t(n));
    return {data_.data(), n};
  }
  Vector zeros(int n) {
    Vector v = vector(n);
    v.setZero();
    return v;
  }
  Matrix matrix(int rows, int columns) { return {vector(rows * columns).data(), rows, columns}; }

 private:
  std::vector<double> data_;
};

}  // namespace catena::solve::complementarity
