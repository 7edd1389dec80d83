#include "solve/response_variants.h"

#include <algorithm>

namespace catena::solve {
namespace {

constexpr int kLanes = 4;  // columns solved at a time

const SparseRows& direction_of(const SparseRows& A, const SparseRows& K, int row) {
  return K.is_empty(row) ? A : K;
}

void respond_by_lanes(const SparseSolver& primary, const SparseRows& A, const SparseRows& K,
                      Eigen::MatrixXd& G) {
  const SparseStructure& s = primary.structure();
  const int k = A.size();
  std::vector<double> lanes(std::size_t(s.num_entries) * kLanes);
  for (int first = 0; first < k; first += kLanes) {
    const int count = std::min(kLanes, k - first);
    std::fill(lanes.begin(), lanes.end(), 0.0);
    for (int lane = 0; lane < count; ++lane)
      direction_of(A, K, first + lane)
          .add_transposed(first + lane, 1.0, primary.entry_of_body(), lanes.data() + lane, kLanes);
    primary.factors().solve<kLanes>(s, lanes.data());
    for (int lane = 0; lane < count; ++lane)
      for (int row = 0; row < k; ++row)
        G(row, first + lane) = A.times(row, lanes.data() + lane, primary.entry_of_body(), kLanes);
  }
}

void respond_by_sweeps(const SparseSolver& primary, const SparseRows& A, const SparseRows& K,
                       Eigen::MatrixXd& G) {
  const SparseStructure& s = primary.structure();
  Eigen::MatrixXd Y_A = Eigen::MatrixXd::Zero(s.num_entries, A.size()), Y_K = Y_A;
  bool is_symmetric = true;
  for (int row = 0; row < A.size(); ++row) {
    A.add_transposed(row, 1.0, primary.entry_of_body(), Y_A.col(row).data());
    primary.factors().forward(s, Y_A.col(row).data());
    is_symmetric = is_symmetric && K.is_empty(row);
  }
  for (int row = 0; row < A.size() && !is_symmetric; ++row) {
    direction_of(A, K, row).add_transposed(row, 1.0, primary.entry_of_body(), Y_K.col(row).data());
    primary.factors().forward(s, Y_K.col(row).data());
  }
  if (is_symmetric) Y_K = Y_A;
  for (int i = 0; i < s.num_entries; ++i) Y_K.row(i) *= primary.factors().inverse_pivot(i);
  G.noalias() = Y_A.transpose() * Y_K;
}

// As printed: every column is solved completely.
void respond_as_printed(const SparseSolver& primary, const SparseRows& A, const SparseRows& K,
                        Eigen::MatrixXd& G) {
  std::vector<double> z(std::size_t(primary.structure().num_entries));
  for (int column = 0; column < A.size(); ++column) {
    std::fill(z.begin(), z.end(), 0.0);
    direction_of(A, K, column).add_transposed(column, 1.0, primary.entry_of_body(), z.data());
    primary.factors().solve(primary.structure(), z.data());
    for (int row = 0; row < A.size(); ++row) G(row, column) = A.times(row, z.data(), primary.entry_of_body());
  }
}

}  // namespace

void compute_response_by_solves(const SparseSolver& primary, const SparseRows& A, const SparseRows& K,
                                ResponseMethod method, Eigen::MatrixXd& G) {
  G.resize(A.size(), A.size());
  if (method == ResponseMethod::solves)
    respond_by_lanes(primary, A, K, G);
  else if (method == ResponseMethod::rosenthal)
    respond_by_sweeps(primary, A, K, G);
  else
    respond_as_printed(primary, A, K, G);
}

}  // namespace catena::solve
