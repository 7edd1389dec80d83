#include "solve/pivoted_lu.h"

#include "catena/interrupt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena::solve {
namespace {

void write_weights(const Eigen::Ref<const Eigen::VectorXd>& scale, std::vector<double>& weight) {
  weight.resize(std::size_t(scale.size()));
  for (std::size_t i = 0; i < weight.size(); ++i)
    weight[i] = 1.0 / std::sqrt(std::max(scale[Eigen::Index(i)], 1e-300));
}

// What is left below and right of pivot k, after the column of L is written.
template <class Matrix>
void eliminate_column(Matrix& LU, int k) {
  allow_interruption();
  const Eigen::Index below = LU.rows() - k - 1;
  LU.col(k).tail(below) /= LU(k, k);
  for (Eigen::Index j = k + 1; j < LU.cols(); ++j) LU.col(j).tail(below) -= LU(k, j) * LU.col(k).tail(below);
}

}  // namespace

void PivotedLu::bring_pivot_to(Eigen::Map<Eigen::MatrixXd>& LU, int k, int row, int column) {
  std::swap(row_order_[std::size_t(k)], row_order_[std::size_t(row)]);
  std::swap(column_order_[std::size_t(k)], column_order_[std::size_t(column)]);
  if (row != k) LU.row(k).swap(LU.row(row));
  if (column != k) LU.col(k).swap(LU.col(column));
}

void PivotedLu::factor(const Eigen::Ref<const Eigen::MatrixXd>& A,
                       const Eigen::Ref<const Eigen::VectorXd>& row_scale,
                       const Eigen::Ref<const Eigen::VectorXd>& column_scale, double drop) {
  const int n = int(A.rows());
  rank_ = 0;
  LU_.resize(std::size_t(n) * std::size_t(n));
  row_order_.resize(std::size_t(n));
  column_order_.resize(std::size_t(n));
  std::iota(row_order_.begin(), row_order_.end(), 0);
  std::iota(column_order_.begin(), column_order_.end(), 0);
  write_weights(row_scale, row_weight_);
  write_weights(column_scale, column_weight_);
  Eigen::Map<Eigen::MatrixXd> LU(LU_.data(), n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      LU(i, j) = A(i, j) * row_weight_[std::size_t(i)] * column_weight_[std::size_t(j)];
  for (int k = 0; k < n; ++k) {
    Eigen::Index row = 0, column = 0;
    const double pivot = LU.bottomRightCorner(n - k, n - k).cwiseAbs().maxCoeff(&row, &column);
    if (!(pivot > drop)) return;
    bring_pivot_to(LU, k, k + int(row), k + int(column));
    eliminate_column(LU, k);
    ++rank_;
  }
}

void PivotedLu::solve(Eigen::Ref<Eigen::VectorXd> x) {
  const int n = int(row_order_.size());
  y_.assign(std::size_t(n), 0.0);
  Eigen::Map<Eigen::VectorXd> y(y_.data(), n);
  for (int i = 0; i < rank_; ++i) {
    const int row = row_order_[std::size_t(i)];
    y[i] = x[row] * row_weight_[std::size_t(row)];
  }
  const Eigen::Map<const Eigen::MatrixXd> LU(LU_.data(), n, n);
  const auto kept_LU = LU.topLeftCorner(rank_, rank_);
  auto kept = y.head(rank_);
  kept_LU.triangularView<Eigen::UnitLower>().solveInPlace(kept);
  kept_LU.triangularView<Eigen::Upper>().solveInPlace(kept);
  for (int i = 0; i < n; ++i) {
    const int column = column_order_[std::size_t(i)];
    x[column] = y[i] * column_weight_[std::size_t(column)];
  }
}

PivotSigns count_diagonal_pivots(Eigen::Ref<Eigen::MatrixXd> A,
                                 const Eigen::Ref<const Eigen::VectorXd>& scale, double drop) {
  const int n = int(A.rows());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) A(i, j) /= std::sqrt(std::max(scale[i], 1e-300) * std::max(scale[j], 1e-300));
  PivotSigns signs;
  for (int k = 0; k < n; ++k) {
    Eigen::Index best = 0;
    if (!(A.diagonal().tail(n - k).cwiseAbs().maxCoeff(&best) > drop)) {
      signs.zero = n - k;
      break;
    }
    if (best > 0) {
      A.row(k).swap(A.row(k + best));
      A.col(k).swap(A.col(k + best));
    }
    (A(k, k) > 0.0 ? signs.positive : signs.negative) += 1;
    eliminate_column(A, k);
  }
  return signs;
}

}  // namespace catena::solve
