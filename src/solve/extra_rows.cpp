#include "solve/extra_rows.h"

#include "math/small_eigen.h"
#include "solve/sparse.h"

#include <algorithm>
#include <cmath>

namespace catena::solve {
namespace {

constexpr double kSingularStiffness = 1e-14;  // of C + G_vu, normalised

using MutableVector = Eigen::Map<Eigen::VectorXd>;
using MutableMatrix = Eigen::Map<Eigen::MatrixXd>;

constexpr double kNoStiffness = 1e-15;  // of the largest of a block

bool block_is_symmetric(const double* block, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i)
      if (block[i + j * n] != block[j + i * n]) return false;
  return true;
}

MutableVector as_vector(std::vector<double>& numbers, std::size_t size) {
  numbers.resize(size);
  return {numbers.data(), Eigen::Index(size)};
}

MutableMatrix as_matrix(std::vector<double>& numbers, std::size_t rows, std::size_t columns) {
  numbers.resize(rows * columns);
  return {numbers.data(), Eigen::Index(rows), Eigen::Index(columns)};
}

}  // namespace

void ExtraRows::begin(EqualitySolver& solver, const Problem& problem) {
  solver_ = &solver;
  problem_ = &problem;
  A_.clear();
  K_.clear();
  rows_.clear();
  stiff_.clear();
  right_side_.clear();
  compliance_.clear();
  dropped_.clear();
  is_up_to_date_ = has_directions_ = false;
  d_.setZero(problem.graph->num_rows());
}

int ExtraRows::add(double right_side, double compliance) {
  is_up_to_date_ = false;
  right_side_.push_back(right_side);
  compliance_.push_back(compliance);
  K_.add_row();
  return A_.add_row();
}

int ExtraRows::add_row(double right_side, double compliance) {
  rows_.push_back(add(right_side, compliance));
  return num_rows() - 1;
}

void ExtraRows::add_part(int body, const double* numbers) {
  is_up_to_date_ = false;
  A_.add_part(body, problem_->graph->dims[std::size_t(body)], numbers);
}

void ExtraRows::add_direction(int body, const double* numbers) {
  is_up_to_date_ = false;
  has_directions_ = true;
  K_.add_part(body, problem_->graph->dims[std::size_t(body)], numbers);
}

void ExtraRows::add_spring(double stiffness) {
  stiff_.push_back(add(0.0, 1.0 / stiffness));
}

void ExtraRows::add_springs_of(int body, const double* block) {
  const int n = problem_->graph->dims[std::size_t(body)];
  block_.assign(block, block + n * n);
  unit_.resize(std::size_t(n * n));
  math::find_eigenvectors(n, block_.data(), unit_.data());
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(block_[std::size_t(i * (n + 1))]));
  for (int i = 0; i < n; ++i) {
    const double stiffness = block_[std::size_t(i * (n + 1))];
    if (std::abs(stiffness) <= kNoStiffness * largest)
      continue;  // what is not finite stays, and is found in G
    add_spring(stiffness);
    add_part(body, unit_.data() + i * n);
  }
}

// One row per column of the block that is not zero: V picks an entry of x, U is the column.
void ExtraRows::add_stiffness(int row_body, int column_body, const double* block) {
  const int rows = problem_->graph->dims[std::size_t(row_body)],
            columns = problem_->graph->dims[std::size_t(column_body)];
  if (row_body == column_body && block_is_symmetric(block, rows)) return add_springs_of(row_body, block);
  unit_.assign(std::size_t(columns), 0.0);
  for (int j = 0; j < columns; ++j, block += rows) {
    if (std::all_of(block, block + rows, [](double entry) { return entry == 0.0; })) continue;
    stiff_.push_back(add(0.0, 1.0));
    unit_[std::size_t(j)] = 1.0;
    add_part(column_body, unit_.data());
    add_direction(row_body, block);
    unit_[std::size_t(j)] = 0.0;
  }
}

void ExtraRows::rates(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> y) const {
  for (int r = 0; r < num_rows(); ++r) y[r] = A_.times(int(at(r)), x.data(), problem_->graph->body_offset);
}

void ExtraRows::add_forces(const Eigen::Ref<const Eigen::VectorXd>& mu, Eigen::VectorXd& f) const {
  for (int r = 0; r < num_rows(); ++r) {
    const int row = int(at(r));
    (K_.is_empty(row) ? A_ : K_).add_transposed(row, mu[r], problem_->graph->body_offset, f.data());
  }
}

// What a row and a direction are worth: √(row column) is the size of the diagonal entry of G + S_e with nothing held.
void ExtraRows::update_scales() {
  row_scale_.clear();
  column_scale_.clear();
  for (int r = 0; r < A_.size(); ++r) {
    const double row = A_.weight(r, *problem_->graph, *problem_);
    const double column = K_.is_empty(r) ? row : K_.weight(r, *problem_->graph, *problem_);
    const double free = std::sqrt(row * column), compliance = std::abs(compliance_[std::size_t(r)]);
    if (free > 0.0) {
      row_scale_.push_back(row * (1.0 + compliance / free));
      column_scale_.push_back(column * (1.0 + compliance / free));
    } else {
      row_scale_.push_back(std::max(row, compliance));
      column_scale_.push_back(std::max(column, compliance));
    }
  }
}

void ExtraRows::update() {
  if (is_up_to_date_) return;
  const auto size = std::size_t(A_.size());
  auto G = as_matrix(all_, size, size);
  paths_.compute(*solver_, *problem_, A_, K_, G);
  update_scales();
  stiffness_result_ = factor_stiffness();
  is_up_to_date_ = true;
}

// (5)
FactorResult ExtraRows::factor_stiffness() {
  const auto k = rows_.size(), s = stiff_.size();
  auto G = as_matrix(G_, k, k);
  const auto whole = all();
  for (std::size_t j = 0; j < k; ++j)
    for (std::size_t i = 0; i < k; ++i) G(Eigen::Index(i), Eigen::Index(j)) = whole(rows_[i], rows_[j]);
  if (s == 0) return {};
  auto inner = as_matrix(copy_, s, s);
  auto row_scale = as_vector(scale_, s), column_scale = as_vector(column_worth_, s);
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t i = 0; i < s; ++i)
      inner(Eigen::Index(i), Eigen::Index(j)) =
          whole(stiff_[i], stiff_[j]) + (i == j ? compliance_[std::size_t(stiff_[j])] : 0.0);
    row_scale[Eigen::Index(j)] = row_scale_[std::size_t(stiff_[j])];
    column_scale[Eigen::Index(j)] = column_scale_[std::size_t(stiff_[j])];
  }
  stiff_factor_.factor(inner, row_scale, column_scale, kSingularStiffness);
  if (stiff_factor_.rank() < int(s)) return {FactorStatus::singular, -1, -1};
  auto answer = as_vector(sigma_, s);
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < s; ++i) answer[Eigen::Index(i)] = whole(stiff_[i], rows_[j]);
    stiff_factor_.solve(answer);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t l = 0; l < s; ++l)
        G(Eigen::Index(i), Eigen::Index(j)) -= whole(rows_[i], stiff_[l]) * answer[Eigen::Index(l)];
  }
  return {};
}

ExtraRows::Matrix ExtraRows::response() {
  update();
  return {G_.data(), num_rows(), num_rows()};
}

// force += U σ,  (C + G_vu) σ = -(rates of V, in sigma_)
void ExtraRows::add_stiff_answer(Eigen::VectorXd& force) {
  auto answer = as_vector(sigma_, stiff_.size());
  stiff_factor_.solve(answer);
  for (std::size_t i = 0; i < stiff_.size(); ++i)
    (K_.is_empty(stiff_[i]) ? A_ : K_)
        .add_transposed(stiff_[i], -answer[Eigen::Index(i)], problem_->graph->body_offset, force.data());
}

FactorResult ExtraRows::solve_free(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                                   Eigen::VectorXd& lambda) {
  const FactorResult result = solver_->solve(*problem_, f, d, x, lambda);
  if (!result.ok() || stiff_.empty()) return result;
  update();
  if (!stiffness_result_.ok()) return stiffness_result_;
  auto answer = as_vector(sigma_, stiff_.size());
  for (std::size_t i = 0; i < stiff_.size(); ++i)
    answer[Eigen::Index(i)] = A_.times(stiff_[i], x.data(), problem_->graph->body_offset);
  f_.setZero(problem_->graph->num_x());
  add_stiff_answer(f_);
  const FactorResult second = solver_->solve(*problem_, f_, d_, x_, lambda_);
  x += x_;
  lambda += lambda_;
  return second;
}

void ExtraRows::respond(const Eigen::Ref<const Eigen::VectorXd>& mu, Eigen::VectorXd& x,
                        Eigen::VectorXd& lambda) {
  f_.setZero(problem_->graph->num_x());
  add_forces(mu, f_);
  if (!stiff_.empty()) {
    update();
    const auto whole = all();
    auto answer = as_vector(sigma_, stiff_.size());
    for (std::size_t i = 0; i < stiff_.size(); ++i) {
      answer[Eigen::Index(i)] = 0.0;
      for (std::size_t j = 0; j < rows_.size(); ++j)
        answer[Eigen::Index(i)] += whole(stiff_[i], rows_[j]) * mu[Eigen::Index(j)];
    }
    add_stiff_answer(f_);
  }
  (void)solver_->solve(*problem_, f_, d_, x_, lambda_);
  x += x_;
  lambda += lambda_;
}

double ExtraRows::default_drop() const {
  return SparseSolver::drop_threshold(*problem_);
}

// Whether G is symmetric positive semidefinite: nothing acts but along its row on a positive definite matrix.
bool ExtraRows::is_positive() const {
  const auto adds_stiffness = [&](int row) { return compliance_[std::size_t(row)] > 0.0; };
  return problem_->is_symmetric && !has_directions_ &&
         std::all_of(stiff_.begin(), stiff_.end(), adds_stiffness) &&
         solver_->pivot_signs(*problem_).positive == problem_->graph->num_x();
}

FactorResult ExtraRows::factor(double drop) {
  update();
  if (!stiffness_result_.ok()) return stiffness_result_;
  const auto k = rows_.size();
  auto G = as_matrix(copy_, k, k);
  G = response();
  if (!G.allFinite()) return {FactorStatus::singular, -1, -1};  // it would drop them as implied by others
  auto row_scale = as_vector(scale_, k), column_scale = as_vector(column_worth_, k);
  for (std::size_t r = 0; r < k; ++r) {
    const auto i = Eigen::Index(r);
    G(i, i) += compliance_[at(int(r))];
    row_scale[i] = row_scale_[at(int(r))];
    column_scale[i] = column_scale_[at(int(r))];
  }
  is_positive_ = is_positive();
  if (is_positive_)
    positive_.factor(G, row_scale, drop);
  else
    general_.factor(G, row_scale, column_scale, drop);
  const std::vector<int>& order = is_positive_ ? positive_.order() : general_.row_order();
  dropped_.assign(order.begin() + (is_positive_ ? positive_.rank() : general_.rank()), order.end());
  std::sort(dropped_.begin(), dropped_.end());
  return {};
}

void ExtraRows::solve(Eigen::VectorXd& x, Eigen::VectorXd& lambda, Eigen::Ref<Eigen::VectorXd> mu) {
  rates(x, mu);
  for (int r = 0; r < num_rows(); ++r) mu[r] = right_side(r) - mu[r];
  if (is_positive_)
    positive_.solve(mu);
  else
    general_.solve(mu);
  respond(mu, x, lambda);
}

PivotSigns ExtraRows::pivot_signs() {
  update();
  const auto size = std::size_t(A_.size());
  auto G = as_matrix(copy_, size, size);
  G = all();
  auto scale = as_vector(scale_, size);
  for (std::size_t r = 0; r < size; ++r) {
    G(Eigen::Index(r), Eigen::Index(r)) += compliance_[r];
    scale[Eigen::Index(r)] = std::sqrt(row_scale_[r] * column_scale_[r]);
  }
  const PivotSigns own = count_diagonal_pivots(G, scale, default_drop());
  PivotSigns signs = solver_->pivot_signs(*problem_);
  signs.positive += own.negative;
  signs.negative += own.positive;
  signs.zero += own.zero;
  for (const int row : stiff_)
    --(compliance_[std::size_t(row)] > 0.0 ? signs.negative : signs.positive);  // B has no rows
  return signs;
}

}  // namespace catena::solve
