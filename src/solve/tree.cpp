#include "solve/tree.h"

namespace catena::solve {

Refusal TreeSolver::analyze(const Problem& problem) {
  const Graph& graph = *problem.graph;
  if (Refusal refusal = refuse_unless(problem, {}); refusal.refused()) return refusal;
  if (Refusal refusal = find_forest(problem, forest_); refusal.refused()) return refusal;

  steps_.assign(forest_.steps.size(), {});
  general_index_.assign(forest_.steps.size(), -1);
  explicit_edge_.assign(graph.rows.size(), -1);
  general_.clear();
  runs_.clear();
  loops_.clear();
  int factor_size = 0;
  for (int k = 0; k < int(forest_.steps.size()); ++k) {
    const ForestStep& step = forest_.steps[k];
    const Child& child = forest_.children[step.child_begin];
    const bool simple = step.constraint >= 0 && step.child_end == step.child_begin + 1 &&
                        forest_.merged_begin[child.body] == forest_.merged_begin[child.body + 1];
    const KernelLoops* loops = nullptr;
    if (simple) {
      TreeStep& s = steps_[k];
      s.x_child = graph.body_offset[child.body];
      s.P_child = graph.mass_offset[child.body];
      s.J_child = graph.edges[child.edge].offset;
      s.row = graph.row_offset[step.constraint];
      s.factor = factor_size;
      if (step.parent >= 0) {
        s.x_parent = graph.body_offset[step.parent];
        s.P_parent = graph.mass_offset[step.parent];
        s.J_parent = graph.edges[step.parent_edge].offset;
      }
      s.pair = graph.pair[step.constraint];
      const int parent_dim = step.parent >= 0 ? graph.dims[step.parent] : 0;
      // the explicit form describes rigid rows only; a compliant constraint is eliminated by its rows
      const bool rigid = problem.S.segment(s.row, graph.rows[step.constraint]).isZero(0.0);
      if (s.pair >= 0 && rigid) loops = find_pair_kernel(graph.pair_shape[step.constraint], parent_dim);
      if (loops == nullptr) {
        s.pair = -1;
        loops = find_range_kernel(graph.dims[child.body], graph.rows[step.constraint], parent_dim);
      }
      if (loops != nullptr) factor_size += loops->factor_size;
      if (loops != nullptr && s.pair >= 0) explicit_edge_[step.constraint] = child.edge;
    }
    if (loops == nullptr) {
      general_index_[k] = int(general_.size());
      general_.emplace_back(graph, forest_, step);
    }
    loops_.push_back(loops);
    if (runs_.empty() || runs_.back().loops != loops) runs_.push_back({loops, k, k});
    runs_.back().end = k + 1;
  }
  P_.resize(graph.mass_offset.back());
  factor_.resize(factor_size);
  list_steps(graph);
  return {};
}

void TreeSolver::list_steps(const Graph& graph) {
  elimination_.reset(graph);
  for (const ForestStep& step : forest_.steps) {
    elimination_.add_step();
    if (step.constraint >= 0) elimination_.add_constraint(graph, step.constraint);
    for (int k = step.child_begin; k < step.child_end; ++k) {
      const int body = forest_.children[k].body;
      elimination_.add_body(graph, body);
      for (int i = forest_.merged_begin[body]; i < forest_.merged_begin[body + 1]; ++i)
        elimination_.add_constraint(graph, graph.edges[forest_.merged[i]].constraint);
    }
  }
  for (std::size_t k = 0; k < forest_.steps.size(); ++k)
    if (const int parent = forest_.steps[k].parent; parent >= 0)
      elimination_.parent[k] = elimination_.step_of_body[std::size_t(parent)];
}

void TreeSolver::forward(const Problem& problem, int step, double* z) {
  double* lambda = z + problem.graph->num_x();
  if (const KernelLoops* loops = loops_[std::size_t(step)])
    loops->up(steps_.data(), step, step + 1, arrays(problem), z, lambda);
  else
    general_[general_index_[step]].up(problem, z, lambda);
}

void TreeSolver::backward(const Problem& problem, int step, double* z) {
  double* lambda = z + problem.graph->num_x();
  if (const KernelLoops* loops = loops_[std::size_t(step)])
    loops->down(steps_.data(), step, step + 1, arrays(problem), z, lambda);
  else
    general_[general_index_[step]].down(z, lambda);
}

TreeArrays<double> TreeSolver::arrays(const Problem& problem) {
  return {P_.data(), problem.J.data(), problem.S.data(), problem.pairs.data(), factor_.data()};
}

FactorResult TreeSolver::failure_at(int step, KernelFailure failure) const {
  const ForestStep& failed = forest_.steps[step];
  const int body = forest_.children[failed.child_begin].body;
  return failure == KernelFailure::body ? FactorResult{FactorStatus::not_positive, -1, body}
                                        : FactorResult{FactorStatus::singular, failed.constraint, -1};
}

FactorResult TreeSolver::factor(const Problem& problem) {
  P_ = problem.M;
  weakest_ = {};
  const TreeArrays<double> data = arrays(problem);
  for (const Run& run : runs_) {
    if (run.loops == nullptr) {
      for (int k = run.begin; k < run.end; ++k) {
        GeneralStep& step = general_[general_index_[k]];
        const FactorResult result = step.factor(problem, P_.data());
        if (!result.ok()) return result;
        weakest_.note(step.weakest());
      }
      continue;
    }
    KernelFailure failure = KernelFailure::none;
    const int end = run.loops->factor(steps_.data(), run.begin, run.end, data, failure);
    if (end < run.end) return failure_at(end, failure);
  }
  return {};
}

FactorResult TreeSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                               Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  x = f;
  lambda = d;
  const TreeArrays<double> data = arrays(problem);
  for (const Run& run : runs_) {
    if (run.loops != nullptr)
      run.loops->up(steps_.data(), run.begin, run.end, data, x.data(), lambda.data());
    else
      for (int k = run.begin; k < run.end; ++k)
        general_[general_index_[k]].up(problem, x.data(), lambda.data());
  }
  solve_down(problem, x, lambda);
  return {};
}

FactorResult TreeSolver::factor_and_solve(const Problem& problem, const Eigen::VectorXd& f,
                                          const Eigen::VectorXd& d, Eigen::VectorXd& x,
                                          Eigen::VectorXd& lambda) {
  P_ = problem.M;
  weakest_ = {};
  x = f;
  lambda = d;
  const TreeArrays<double> data = arrays(problem);
  for (const Run& run : runs_) {
    if (run.loops == nullptr) {
      for (int k = run.begin; k < run.end; ++k) {
        GeneralStep& step = general_[general_index_[k]];
        const FactorResult result = step.factor(problem, P_.data());
        if (!result.ok()) return result;
        weakest_.note(step.weakest());
        step.up(problem, x.data(), lambda.data());
      }
      continue;
    }
    KernelFailure failure = KernelFailure::none;
    const int end =
        run.loops->factor_up(steps_.data(), run.begin, run.end, data, x.data(), lambda.data(), failure);
    if (end < run.end) return failure_at(end, failure);
  }
  solve_down(problem, x, lambda);
  return {};
}

void TreeSolver::solve_down(const Problem& problem, Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const TreeArrays<double> data = arrays(problem);
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (run->loops != nullptr)
      run->loops->down(steps_.data(), run->begin, run->end, data, x.data(), lambda.data());
    else
      for (int k = run->end - 1; k >= run->begin; --k)
        general_[general_index_[k]].down(x.data(), lambda.data());
  }
}

std::string TreeSolver::kernel_name(int step) const {
  for (const Run& run : runs_)
    if (step >= run.begin && step < run.end) return run.loops != nullptr ? run.loops->name : "general";
  return {};
}

std::unique_ptr<EqualitySolver> make_tree_solver() {
  return std::make_unique<TreeSolver>();
}

}  // namespace catena::solve
