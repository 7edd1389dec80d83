// What forces do to rows, on any factored problem: the small dense matrix G = A M̂⁻¹ K by paths.
//
// Legend
//   A      k sparse rows over x
//   K      k sparse columns, the directions of k forces; K = Aᵀ where nothing else is said
//   M̂⁻¹    x-part of the inverse of the problem's matrix: the motion that a force makes, constraints held
//
// One column after the other, or as many as the factor takes at a time: forward along the paths of their bodies, backward along the
// union of the paths of all rows' bodies, (1) of elimination_steps.h. No symmetry is used, so that every factor will do; a solver without steps of its own counts as one step.
// Cost O(k (path + union)) steps; no allocation after the largest set of rows was there.
// Reference: Baraff 1996, section 8, without the parts of its solves that no row reads.
#pragma once

#include "solve/elimination_steps.h"
#include "solve/equality_solver.h"
#include "solve/sparse_rows.h"

namespace catena::solve {

/// Any solver as one step: nothing on the way forward, a whole solve on the way back.
class OneStep final : public SteppedFactor {
 public:
  void bind(EqualitySolver& solver, const Graph& g);
  const EliminationSteps& steps() const override { return steps_; }
  void forward(const Problem& /*problem*/, int /*step*/, double* /*z*/) override {}
  void backward(const Problem& problem, int step, double* z) override;

 private:
  EqualitySolver* solver_ = nullptr;
  EliminationSteps steps_;
  Eigen::VectorXd f_, d_, x_, lambda_;
};

class ResponseMatrix {
 public:
  /// @param K  parallel to A; a row without parts in it acts along A
  /// @param G  k × k
  void compute(EqualitySolver& solver, const Problem& problem, const SparseRows& A, const SparseRows& K,
               Eigen::Ref<Eigen::MatrixXd> G);

 private:
  void find_union(const EliminationSteps& steps, const SparseRows& A);
  void find_path(const EliminationSteps& steps);

  OneStep whole_;
  std::vector<double> z_;      // zero between columns
  std::vector<char> is_seen_;  // per step
  std::vector<int> union_;     // steps on the paths of all rows, descending
  std::vector<int> path_;      // of the columns at hand, ascending
  std::vector<int> heads_;     // where the paths begin that path_ is merged from
};

}  // namespace catena::solve
