#include "solve/complementarity/dense_lu.h"

#include "catena/interrupt.h"

#include <cmath>

namespace catena::solve::complementarity {

void DenseLu::factor() {
  allow_interruption();
  Matrix A = A_.matrix(n_, n_);
  swaps_.resize(std::size_t(n_));
  const double smallest = n_ > 0 ? 1e-16 * A.cwiseAbs().maxCoeff() + 1e-300 : 0.0;
  for (int k = 0; k < n_; ++k) {
    const int below = n_ - k - 1;
    Eigen::Index best = 0;
    A.col(k).tail(below + 1).cwiseAbs().maxCoeff(&best);
    swaps_[std::size_t(k)] = k + int(best);
    if (best > 0) A.row(k).swap(A.row(k + best));
    if (!(std::abs(A(k, k)) > smallest)) A(k, k) = std::copysign(smallest, A(k, k));
    A.col(k).tail(below) /= A(k, k);
    for (int j = k + 1; j < n_; ++j)
      if (A(k, j) != 0.0) A.col(j).tail(below) -= A(k, j) * A.col(k).tail(below);
  }
}

void DenseLu::solve(Vector b) {
  const Matrix A = A_.matrix(n_, n_);
  for (int k = 0; k < n_; ++k) std::swap(b[k], b[swaps_[std::size_t(k)]]);
  A.triangularView<Eigen::UnitLower>().solveInPlace(b);
  A.triangularView<Eigen::Upper>().solveInPlace(b);
}

}  // namespace catena::solve::complementarity
