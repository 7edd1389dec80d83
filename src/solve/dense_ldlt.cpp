#include "solve/dense_ldlt.h"

#include "catena/interrupt.h"
#include "solve/small_cholesky.h"

#include <algorithm>

namespace catena::solve {

namespace {

constexpr int kDensePanel = 48;  // columns eliminated before the rest of the matrix is touched
constexpr int kDenseTile =
    128;  // rows and columns of one product; 2 × kDenseTile × kDensePanel numbers stay below Eigen's stack limit

}  // namespace

void DenseLdlt::reset(int n) {
  A_.setZero(n, n);
  LD_.resize(n, kDensePanel);
  diagonal_.resize(n);
  multipliers_.resize(kDensePanel);
}

int DenseLdlt::factor(int begin, int end, double sign, double tolerance) {
  for (int k = begin; k < end; ++k) diagonal_[k] = A_(k, k);
  for (int k = begin; k < end; k += kDensePanel) {
    const int next = std::min(k + kDensePanel, end);
    if (const int failed = factor_panel(k, next, sign, tolerance); failed >= 0) return failed;
    update_rest(k, next);
  }
  return -1;
}

// Column j of the panel:  l_j d_j = a_j - Σ_{k<j} l_k d_k l_jk.
int DenseLdlt::factor_panel(int begin, int end, double sign, double tolerance) {
  const int n = int(A_.rows());
  for (int j = begin; j < end; ++j) {
    const int done = j - begin, below = n - j;
    multipliers_.head(done) = LD_.row(j).head(done);
    A_.col(j).tail(below).noalias() -= A_.block(j, begin, below, done) * multipliers_.head(done);
    const double pivot = A_(j, j);
    if (!is_sound_pivot(sign * pivot, diagonal_[j], tolerance)) return j;
    LD_.col(done).tail(below) = A_.col(j).tail(below);
    A_.col(j).tail(below - 1) /= pivot;
  }
  return -1;
}

// A ← A - L D Lᵀ right of the panel, tiles on and below the diagonal.
void DenseLdlt::update_rest(int begin, int end) {
  const int n = int(A_.rows()), width = end - begin;
  for (int j = end; j < n; j += kDenseTile) {
    allow_interruption();
    const int columns = std::min(kDenseTile, n - j);
    for (int i = j; i < n; i += kDenseTile) {
      const int rows = std::min(kDenseTile, n - i);
      A_.block(i, j, rows, columns).noalias() -=
          A_.block(i, begin, rows, width) * LD_.block(j, 0, columns, width).transpose();
    }
  }
}

void DenseLdlt::solve(Eigen::VectorXd& b) const {
  A_.triangularView<Eigen::UnitLower>().solveInPlace(b);
  for (int k = 0; k < int(b.size()); ++k) b[k] /= A_(k, k);
  A_.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(b);
}

}  // namespace catena::solve
