#include "solve/complementarity/lemke.h"

#include "catena/interrupt.h"

#include <cmath>

namespace catena::solve::complementarity {
namespace {

constexpr double kLeastPivot = 1e-11;  // of the largest entry of its column
// Ratios that are as good as equal, in units of the normal form. Redundant contacts tie again and again, and rounding keeps them apart by far more
// than 1e-12: with that, one in seven sliding stacks ended in a ray although it has a solution.
constexpr double kTie = 1e-8;

}  // namespace

void Lemke::reset(int N) {
  N_ = N;
  M_.zeros(N * N);
  q_.zeros(N);
  is_free_.assign(std::size_t(N), 0);
}

// w - M z - 1 z₀ = q; free rows have no part of z₀.
void Lemke::fill() {
  Matrix T = tableau();
  T.leftCols(N_).setIdentity();
  T.middleCols(N_, N_) = -M_.matrix(N_, N_);
  T.col(column_of_rhs()) = q_.vector(N_);
  basis_.resize(std::size_t(N_));
  for (int i = 0; i < N_; ++i) {
    T(i, column_of_artificial()) = is_free_[std::size_t(i)] != 0 ? 0.0 : -1.0;
    basis_[std::size_t(i)] = i;
  }
}

void Lemke::pivot(int row, int column) {
  allow_interruption();
  Matrix T = tableau();
  Vector entering = column_.vector(N_);
  const double inverse = 1.0 / T(row, column);
  entering = T.col(column);
  entering[row] = 0.0;
  T.row(row) *= inverse;
  for (int j = 0; j < T.cols(); ++j)
    if (T(row, j) != 0.0) T.col(j) -= T(row, j) * entering;
  T.col(column).setZero();
  T(row, column) = 1.0;
  basis_[std::size_t(row)] = column;
  ++pivots_;
}

// Free variables into free rows, largest pivots first; what finds none is redundant and stays 0.
void Lemke::bring_in_free() {
  for (int k = 0; k < N_; ++k) {
    Matrix T = tableau();
    int row = -1, column = -1;
    double largest = 1e-10;  // of W with a diagonal of 1
    for (int j = 0; j < N_; ++j)
      for (int i = 0; i < N_; ++i) {
        const bool is_open =
            is_free_[std::size_t(i)] != 0 && is_free_[std::size_t(j)] != 0 && basis_[std::size_t(i)] < N_;
        if (!is_open || !(std::abs(T(i, N_ + j)) > largest)) continue;
        largest = std::abs(T(i, N_ + j));
        row = i;
        column = N_ + j;
      }
    if (row < 0) return;
    pivot(row, column);
  }
}

bool Lemke::is_lexicographically_less(int a, double scale_a, int b, double scale_b) {
  const Matrix T = tableau();
  for (int j = 0; j < N_; ++j) {
    const double left = T(a, j) / scale_a, right = T(b, j) / scale_b;
    if (std::abs(left - right) > kTie * (std::abs(left) + std::abs(right))) return left < right;
  }
  return a < b;
}

// Where z₀ enters: the least right side; -1 when none is negative.
int Lemke::first_row() {
  const Matrix T = tableau();
  int best = -1;
  for (int i = 0; i < N_; ++i) {
    if (is_free_[std::size_t(i)] != 0 || !(T(i, column_of_rhs()) < 0.0)) continue;
    const double value = T(i, column_of_rhs()), least = best < 0 ? 0.0 : T(best, column_of_rhs());
    const bool ties = best >= 0 && std::abs(value - least) <= kTie * std::abs(least);
    if (best < 0 || (ties ? is_lexicographically_less(i, 1.0, best, 1.0) : value < least)) best = i;
  }
  return best;
}

int Lemke::leaving_row(int column) {
  const Matrix T = tableau();
  const double smallest = kLeastPivot * T.col(column).cwiseAbs().maxCoeff();
  int best = -1;
  double least = 0.0;
  for (int i = 0; i < N_; ++i) {
    const double t = T(i, column);
    if (is_free_[std::size_t(i)] != 0 || !(t > smallest)) continue;
    const double ratio = T(i, column_of_rhs()) / t;
    const bool ties = best >= 0 && std::abs(ratio - least) <= kTie * (1.0 + std::abs(least));
    if (best >= 0 && !ties && ratio > least) continue;
    if (ties && basis_[std::size_t(best)] == column_of_artificial()) continue;
    const bool is_artificial = basis_[std::size_t(i)] == column_of_artificial();
    if (ties && !is_artificial && !is_lexicographically_less(i, t, best, T(best, column))) continue;
    best = i;
    least = ratio;
  }
  return best;
}

Lemke::End Lemke::run(int most_pivots) {
  int row = first_row();
  if (row < 0) return End::solved;
  int entering = column_of_artificial();
  while (pivots_ < most_pivots) {
    const int leaving = basis_[std::size_t(row)];
    pivot(row, entering);
    if (leaving == column_of_artificial()) return End::solved;
    entering = complement(leaving);
    row = leaving_row(entering);
    if (row < 0) return End::ray;
  }
  return End::most_pivots;
}

void Lemke::read_answer() {
  answer_.assign(std::size_t(N_), 0.0);
  const Matrix T = tableau();
  for (int i = 0; i < N_; ++i) {
    const int variable = basis_[std::size_t(i)];
    if (variable >= N_ && variable < 2 * N_) answer_[std::size_t(variable - N_)] = T(i, column_of_rhs());
  }
}

Lemke::End Lemke::solve(int most_pivots) {
  pivots_ = 0;
  fill();
  bring_in_free();
  const End end = run(most_pivots);
  read_answer();
  return end;
}

// Rows and columns that are not free, after the free ones have been pivoted.
void Lemke::reduce(Lemke& reduced) {
  kept_.clear();
  for (int i = 0; i < N_; ++i)
    if (is_free_[std::size_t(i)] == 0) kept_.push_back(i);
  const Matrix T = tableau();
  reduced.reset(int(kept_.size()));
  for (int i = 0; i < reduced.size(); ++i) {
    const int row = kept_[std::size_t(i)];
    reduced.q(i) = T(row, column_of_rhs());
    for (int j = 0; j < reduced.size(); ++j) reduced.M(i, j) = -T(row, N_ + kept_[std::size_t(j)]);
  }
}

Lemke::End Lemke::solve_without_free(int most_pivots, Lemke& reduced) {
  pivots_ = 0;
  fill();
  bring_in_free();
  reduce(reduced);
  const End end = reduced.solve(most_pivots - pivots_);
  pivots_ += reduced.pivots();
  const Matrix T = tableau();
  answer_.assign(std::size_t(N_), 0.0);
  for (int j = 0; j < reduced.size(); ++j) answer_[std::size_t(kept_[std::size_t(j)])] = reduced.z(j);
  for (int i = 0; i < N_; ++i) {
    const int variable = basis_[std::size_t(i)];
    if (is_free_[std::size_t(i)] == 0 || variable < N_) continue;
    double value = T(i, column_of_rhs());
    for (int j = 0; j < reduced.size(); ++j) value -= T(i, N_ + kept_[std::size_t(j)]) * reduced.z(j);
    answer_[std::size_t(variable - N_)] = value;
  }
  return end;
}

}  // namespace catena::solve::complementarity
