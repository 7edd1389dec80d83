#include "solve/response_matrix.h"

#include "catena/interrupt.h"

#include <algorithm>
#include <functional>

namespace catena::solve {

void OneStep::bind(EqualitySolver& solver, const Graph& g) {
  solver_ = &solver;
  steps_.reset(g);
  steps_.add_step();
  for (int b = 0; b < g.num_bodies(); ++b) steps_.add_body(g, b);
  f_.setZero(g.num_x());
  d_.setZero(g.num_rows());
}

void OneStep::backward(const Problem& problem, int /*step*/, double* z) {
  f_ = Eigen::Map<const Eigen::VectorXd>(z, f_.size());
  (void)solver_->solve(problem, f_, d_, x_, lambda_);
  Eigen::Map<Eigen::VectorXd>(z, f_.size()) = x_;
}

void ResponseMatrix::find_union(const EliminationSteps& steps, const SparseRows& A) {
  is_seen_.assign(std::size_t(steps.num_steps()), 0);
  union_.clear();
  union_.reserve(std::size_t(steps.num_steps()));
  for (int row = 0; row < A.size(); ++row)
    for (const SparseRows::Part& part : A.parts(row))
      for (int s = steps.step_of_body[std::size_t(part.body)]; s >= 0 && is_seen_[std::size_t(s)] == 0;
           s = steps.parent[std::size_t(s)]) {
        is_seen_[std::size_t(s)] = 1;
        union_.push_back(s);
      }
  std::sort(union_.begin(), union_.end(), std::greater<>());
}

// Paths merged: always the earliest of their heads goes next. Heads that have met go on as one.
void ResponseMatrix::find_path(const EliminationSteps& steps) {
  path_.clear();
  path_.reserve(std::size_t(steps.num_steps()));
  while (!heads_.empty()) {
    const int next = *std::min_element(heads_.begin(), heads_.end());
    path_.push_back(next);
    std::erase(heads_, next);
    if (const int parent = steps.parent[std::size_t(next)]; parent >= 0) heads_.push_back(parent);
  }
}

void ResponseMatrix::compute(EqualitySolver& solver, const Problem& problem, const SparseRows& A,
                             const SparseRows& K, Eigen::Ref<Eigen::MatrixXd> G) {
  SteppedFactor* factor = solver.stepped();
  if (factor == nullptr) {
    whole_.bind(solver, *problem.graph);
    factor = &whole_;
  }
  const EliminationSteps& steps = factor->steps();
  const int lanes = factor->lanes(), k = A.size();
  z_.assign(std::size_t(steps.num_entries * lanes), 0.0);
  double* z = z_.data();
  find_union(steps, A);
  for (int first = 0; first < k; first += lanes) {
    allow_interruption();
    const int last = std::min(k, first + lanes);
    heads_.clear();
    for (int column = first; column < last; ++column) {
      const SparseRows& direction = K.is_empty(column) ? A : K;
      for (const SparseRows::Part& part : direction.parts(column))
        heads_.push_back(steps.step_of_body[std::size_t(part.body)]);
      direction.add_transposed(column, 1.0, steps.entry_of_body, z + column - first, lanes);
    }
    find_path(steps);
    for (const int step : path_) factor->forward(problem, step, z);
    for (const int step : union_) factor->backward(problem, step, z);
    for (int column = first; column < last; ++column)
      for (int row = 0; row < k; ++row)
        G(row, column) = A.times(row, z + column - first, steps.entry_of_body, lanes);
    for (const int step : path_) steps.clear_entries(step, lanes, z);
    for (const int step : union_) steps.clear_entries(step, lanes, z);
  }
}

}  // namespace catena::solve
