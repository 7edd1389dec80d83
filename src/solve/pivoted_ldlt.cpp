#include "solve/pivoted_ldlt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena::solve {
namespace {

// Columns taken before the rest of the matrix is updated by one blocked product.
constexpr int kPivotedPanel = 32;
constexpr int kPivotedTile = 64;

}  // namespace

void PivotedLdlt::factor(Eigen::MatrixXd& A, const Eigen::VectorXd& scale, double drop) {
  const int n = int(A.rows());
  rank_ = 0;
  order_.clear();
  if (n == 0) return;
  weight_ = scale.cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  L_ = weight_.asDiagonal() * A * weight_.asDiagonal();
  order_.resize(std::size_t(n));
  std::iota(order_.begin(), order_.end(), 0);
  Eigen::VectorXd diagonal = L_.diagonal();  // of what is left, kept up to date
  Eigen::MatrixXd LD(n, kPivotedPanel);
  rank_ = n;
  for (int begin = 0; begin < n; begin += kPivotedPanel) {
    const int end = std::min(n, begin + kPivotedPanel);
    for (int k = begin; k < end; ++k) {
      Eigen::Index best = 0;
      const double pivot = diagonal.tail(n - k).maxCoeff(&best);
      if (!(pivot > drop)) {
        rank_ = k;
        return;
      }
      if (const int p = k + int(best); p != k) {  // exchange rows and columns k and p of the lower triangle
        std::swap(order_[std::size_t(k)], order_[std::size_t(p)]);
        std::swap(diagonal[k], diagonal[p]);
        L_.row(k).head(k).swap(L_.row(p).head(k));
        if (k > begin) LD.row(k).head(k - begin).swap(LD.row(p).head(k - begin));
        for (int i = k + 1; i < p; ++i) std::swap(L_(i, k), L_(p, i));
        for (int i = p + 1; i < n; ++i) std::swap(L_(i, k), L_(i, p));
        std::swap(L_(k, k), L_(p, p));
      }
      const int below = n - k - 1, done = k - begin;
      auto column = L_.col(k).tail(below);
      if (done > 0)
        column.noalias() -= LD.block(k + 1, 0, below, done) * L_.row(k).segment(begin, done).transpose();
      LD.col(done).tail(below) = column;
      column /= pivot;
      L_(k, k) = pivot;
      diagonal.tail(below).array() -= column.array() * LD.col(done).tail(below).array();
    }
    for (int c = end; c < n; c += kPivotedTile) {
      const int columns = std::min(kPivotedTile, n - c);
      L_.block(c, c, n - c, columns).noalias() -=
          LD.block(c, 0, n - c, end - begin) * L_.block(c, begin, columns, end - begin).transpose();
    }
  }
}

void PivotedLdlt::solve(Eigen::VectorXd& x) const {
  const int n = int(x.size());
  if (n == 0) return;
  Eigen::VectorXd y(n);
  for (int i = 0; i < n; ++i) y[i] = x[order_[std::size_t(i)]] * weight_[order_[std::size_t(i)]];
  const auto L = L_.topLeftCorner(rank_, rank_);
  auto kept = y.head(rank_);
  L.triangularView<Eigen::UnitLower>().solveInPlace(kept);
  kept.array() /= L_.diagonal().head(rank_).array();
  L.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(kept);
  y.tail(n - rank_).setZero();
  for (int i = 0; i < n; ++i) x[order_[std::size_t(i)]] = y[i] * weight_[order_[std::size_t(i)]];
}

}  // namespace catena::solve
