#include "solve/pivoted_ldlt.h"

#include "catena/interrupt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena::solve {
namespace {

// Columns taken before the rest of the matrix is updated by one blocked product.
constexpr int kPivotedPanel = 32;
// Tiles of products that Eigen keeps on the stack: no allocation.
constexpr int kPivotedTile = 64;

using PivotedMatrix = Eigen::Map<Eigen::MatrixXd>;

}  // namespace

void PivotedLdlt::factor(const Eigen::Ref<const Eigen::MatrixXd>& A,
                         const Eigen::Ref<const Eigen::VectorXd>& scale, double drop) {
  const int n = int(A.rows());
  rank_ = 0;
  order_.resize(std::size_t(n));
  if (n == 0) return;
  std::iota(order_.begin(), order_.end(), 0);
  weight_.resize(std::size_t(n));
  for (int i = 0; i < n; ++i) weight_[std::size_t(i)] = 1.0 / std::sqrt(std::max(scale[i], 1e-300));
  L_.resize(std::size_t(n) * std::size_t(n));
  diagonal_.resize(std::size_t(n));
  LD_.resize(std::size_t(n) * kPivotedPanel);
  PivotedMatrix L(L_.data(), n, n), LD(LD_.data(), n, kPivotedPanel);
  Eigen::Map<Eigen::VectorXd> diagonal(diagonal_.data(), n);  // of what is left, kept up to date
  const Eigen::Map<const Eigen::VectorXd> weight(weight_.data(), n);
  L = weight.asDiagonal() * A * weight.asDiagonal();
  diagonal = L.diagonal();
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
        L.row(k).head(k).swap(L.row(p).head(k));
        if (k > begin) LD.row(k).head(k - begin).swap(LD.row(p).head(k - begin));
        for (int i = k + 1; i < p; ++i) std::swap(L(i, k), L(p, i));
        for (int i = p + 1; i < n; ++i) std::swap(L(i, k), L(i, p));
        std::swap(L(k, k), L(p, p));
      }
      const int below = n - k - 1, done = k - begin;
      auto column = L.col(k).tail(below);
      if (done > 0)
        column.noalias() -= LD.block(k + 1, 0, below, done) * L.row(k).segment(begin, done).transpose();
      LD.col(done).tail(below) = column;
      column /= pivot;
      L(k, k) = pivot;
      diagonal.tail(below).array() -= column.array() * LD.col(done).tail(below).array();
    }
    for (int c = end; c < n; c += kPivotedTile) {
      allow_interruption();
      const int columns = std::min(kPivotedTile, n - c);
      for (int r = c; r < n; r += kPivotedTile) {
        const int rows = std::min(kPivotedTile, n - r);
        L.block(r, c, rows, columns).noalias() -=
            LD.block(r, 0, rows, end - begin) * L.block(c, begin, columns, end - begin).transpose();
      }
    }
  }
}

void PivotedLdlt::solve(Eigen::Ref<Eigen::VectorXd> x) {
  const int n = int(x.size());
  if (n == 0) return;
  y_.assign(std::size_t(n), 0.0);
  Eigen::Map<Eigen::VectorXd> y(y_.data(), n);
  for (int i = 0; i < rank_; ++i)
    y[i] = x[order_[std::size_t(i)]] * weight_[std::size_t(order_[std::size_t(i)])];
  const PivotedMatrix L(L_.data(), n, n);
  const auto kept_L = L.topLeftCorner(rank_, rank_);
  auto kept = y.head(rank_);
  kept_L.triangularView<Eigen::UnitLower>().solveInPlace(kept);
  kept.array() /= kept_L.diagonal().array();
  kept_L.transpose().triangularView<Eigen::UnitUpper>().solveInPlace(kept);
  for (int i = 0; i < n; ++i) x[order_[std::size_t(i)]] = y[i] * weight_[std::size_t(order_[std::size_t(i)])];
}

}  // namespace catena::solve
