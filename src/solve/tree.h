// Baraff's linear-time factorisation of the KKT matrix of an acyclic structure, corrected.
//
// analyze() finds the forest and gives every step a kernel: null-space pivots for lower pairs of four to six rows,
// range-space pivots with compile-time sizes for the common pairs, a general path for the rest. Steps of one kernel
// stand together in runs, so that the hot loops contain no dispatch.   Cost O(n); no allocation in factor and solve.
#pragma once

#include "solve/elimination_steps.h"
#include "solve/forest.h"
#include "solve/tree_general.h"
#include "solve/tree_step.h"

namespace catena::solve {

/// The compiled loops of one kernel.
struct KernelLoops {
  const char* name;
  int factor_size;
  /// Index of the first step that failed in [begin, end), or end.
  int (*factor)(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays,
                KernelFailure& failure);
  /// factor and up in one pass: each hides the other's latency.
  int (*factor_up)(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays, double* x,
                   double* lambda, KernelFailure& failure);
  void (*up)(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays, double* x,
             double* lambda);
  void (*down)(const TreeStep* steps, int begin, int end, const TreeArrays<double>& arrays, double* x,
               double* lambda);
};

/// The fixed-size kernel for these sizes, or nullptr. parent_dim 0: none.
const KernelLoops* find_range_kernel(int child_dim, int rows, int parent_dim);
/// The same for a constraint with an explicit form on a 6-dimensional body.
const KernelLoops* find_pair_kernel(PairShape shape, int parent_dim);

class TreeSolver final : public EqualitySolver, private SteppedFactor {
 public:
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<TreeSolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  FactorResult factor_and_solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                                Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;

  int explicit_edge(int constraint) const override { return explicit_edge_[std::size_t(constraint)]; }

  SteppedFactor* stepped() override { return this; }

  /// Of the general steps, where several constraints meet at a body: a single one is independent by the choice of the roots.
  double smallest_pivot() const override { return weakest_.pivot; }
  int weakest_row() const override { return weakest_.row; }

  const Forest& forest() const { return forest_; }
  /// Kernel of a step of the forest, for reports.
  std::string kernel_name(int step) const;

 private:
  struct Run {
    const KernelLoops* loops;  // nullptr: general steps
    int begin, end;
  };

  const EliminationSteps& steps() const override { return elimination_; }
  void forward(const Problem& problem, int step, double* z) override;
  void backward(const Problem& problem, int step, double* z) override;

  void list_steps(const Graph& graph);
  TreeArrays<double> arrays(const Problem& problem);
  FactorResult failure_at(int step, KernelFailure failure) const;
  void solve_down(const Problem& problem, Eigen::VectorXd& x, Eigen::VectorXd& lambda);

  Forest forest_;
  std::vector<TreeStep> steps_;  // one per forest step
  std::vector<Run> runs_;
  std::vector<GeneralStep> general_;       // those of the general runs, in order
  std::vector<int> general_index_;         // forest step to general_, or -1
  std::vector<const KernelLoops*> loops_;  // per forest step, as in runs_
  EliminationSteps elimination_;
  std::vector<int> explicit_edge_;  // per constraint
  Eigen::VectorXd P_, factor_;
  WeakestPivot weakest_;
};

}  // namespace catena::solve
