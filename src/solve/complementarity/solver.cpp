#include "solve/complementarity/solver.h"

#include <fmt/core.h>

#include <cassert>

namespace catena::solve::complementarity {

const char* name(Status status) {
  constexpr const char* kNames[] = {"solved", "flagged", "jammed", "infeasible"};
  return kNames[std::size_t(status)];
}

std::string Result::message() const {
  constexpr const char* kWhat[] = {
      "solved", "not solved to the tolerance; the best point met is kept",
      "jammed: multipliers kept growing, and perhaps there is no solution; allow some compliance",
      "no multipliers solve it: rows contradict each other"};
  std::string text =
      fmt::format("{} (residual {:.1e}, worst at row {}", kWhat[std::size_t(status)], eta, worst_row);
  if (status == Status::infeasible)
    text += fmt::format(", multipliers would have to exceed {:.0e}", least_size);
  return text + ")";
}

void Solver::analyze(const Rows& rows) {
  rows_ = &rows;
  block_of_row_.resize(std::size_t(rows.size()));
  for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
    const Block& b = rows.blocks()[k];
    for (int i = 0; i < b.size; ++i) block_of_row_[std::size_t(b.row + i)] = int(k);
  }
}

void Solver::find_islands(const Eigen::Ref<const Eigen::MatrixXd>& W) {
  const int n = rows_->size(), blocks = int(rows_->blocks().size());
  sets_.reset(blocks);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (W(i, j) != 0.0) sets_.join(block_of_row_[std::size_t(i)], block_of_row_[std::size_t(j)]);
  for (int k = 0; k < blocks; ++k) {
    const Block& b = rows_->blocks()[std::size_t(k)];
    for (int i = 0; i < b.load_size; ++i) sets_.join(k, block_of_row_[std::size_t(b.load_row + i)]);
  }
  island_of_.resize(std::size_t(blocks));
  int count = 0;
  for (int k = 0; k < blocks; ++k) {  // the first block of a set is its root
    const int root = sets_.find(k);
    island_of_[std::size_t(k)] = root == k ? count++ : island_of_[std::size_t(root)];
  }
  islands_.build(count, [&](auto add) {
    for (int k = 0; k < blocks; ++k) add(island_of_[std::size_t(k)], k);
  });
}

// d of the island's proof in the rows of the whole problem.
void Solver::keep_certificate() {
  certificate_.assign(std::size_t(rows_->size()), 0.0);
  const Vector d = chain_.certificate().direction(normal_.size());
  for (int i = 0; i < normal_.size(); ++i)
    certificate_[std::size_t(normal_.row(i))] = d[i] * normal_.scale(i);
}

void Solver::solve_island(std::span<const int> blocks, const Eigen::Ref<const Eigen::MatrixXd>& W,
                          const Eigen::Ref<const Eigen::VectorXd>& q, Eigen::Ref<Eigen::VectorXd> r,
                          Result& result) {
  normal_.set(*rows_, blocks, W, q);
  Vector x = x_.vector(normal_.size());
  normal_.to_x(r, x);
  if (!x.allFinite()) x.setZero();
  const Chain::Options options{.tolerance = 0.5 * options_.tolerance,
                               .budget = options_.budget,
                               .directions = options_.directions,
                               .eliminates_equalities = options_.eliminates_equalities};
  const ChainResult found = chain_.run_method(normal_, options_.method, options, x);
  if (!x.allFinite()) x.setZero();
  normal_.to_r(x, r);
  const Judgement judgement = judge_.judge(*rows_, blocks, W, q, r);
  Status status = Status::solved;
  if (!judgement.accepts(options_.tolerance)) {
    status = found.is_infeasible ? Status::infeasible : found.is_jammed ? Status::jammed : Status::flagged;
    if (status == Status::infeasible && result.status != Status::infeasible) {
      keep_certificate();
      result.least_size = chain_.certificate().least_size();
    }
  }
  if (judgement.eta >= result.eta || result.worst_row < 0) {
    result.eta = judgement.eta;
    result.worst_row = judgement.worst_row;
  }
  result.status = std::max(result.status, status);
  result.route = std::max(result.route, found.route);
  result.factorisations += found.factorisations;
  result.sweeps += found.sweeps;
  result.unknowns += found.unknowns;
}

Result Solver::solve(const Eigen::Ref<const Eigen::MatrixXd>& W, const Eigen::Ref<const Eigen::VectorXd>& q,
                     Eigen::Ref<Eigen::VectorXd> r) {
  assert(options_.directions == 0 || options_.method == Method::lemke);
  assert(rows_ != nullptr && int(block_of_row_.size()) == rows_->size());
  assert(W.rows() == rows_->size() && W.cols() == W.rows() && q.size() == W.rows() && r.size() == W.rows());
  find_islands(W);
  Result result;
  result.islands = islands_.num_groups();
  certificate_.clear();
  for (int i = 0; i < result.islands; ++i) solve_island(islands_[i], W, q, r, result);
  return result;
}

}  // namespace catena::solve::complementarity
