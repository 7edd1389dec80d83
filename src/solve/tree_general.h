// Elimination of a constraint and the bodies below it for any sizes and any number of bodies.
//
// Serves what the fixed-size kernels do not: unusual dimensions, constraints on three or more bodies, root bodies, and
// bodies that carry further constraints to the world. The latter are merged with their body into one pivot,
//
//   [ P  -J_uᵀ ]           X  = P⁻¹ - P⁻¹ J_uᵀ S_u⁻¹ J_u P⁻¹,   S_u = J_u P⁻¹ J_uᵀ                             (1)
//   [ -J_u  0  ]           i.e. the body's response with its own constraints held
//
// and a constraint with children k and parent p is eliminated by
//   Z_k = X_k J_kᵀ,   S = Σ_k J_k Z_k + compliance,   V = S⁻¹ J_p,   P_p += J_pᵀ V                              (2)
//   up     x_k = X_k f_k + (particular solution of the merged rows),  r = S⁻¹ (d - Σ J_k x_k),  f_p += J_pᵀ r     (3)
//   down   λ = r - V x_p,   x_k += Z_k λ,   μ_k -= Y_k λ,   Y_k = S_u⁻¹ J_u P⁻¹ J_kᵀ                            (4)
#pragma once

#include "solve/forest.h"
#include "solve/tree_step.h"
#include "solve/weakest_pivot.h"

#include <vector>

namespace catena::solve {

class GeneralStep {
 public:
  GeneralStep(const Graph& graph, const Forest& forest, const ForestStep& step);

  /// `body` or `constraint` of the result say where a pivot vanished.
  FactorResult factor(const Problem& problem, double* P);
  /// Of the last factor().
  const WeakestPivot& weakest() const { return weakest_; }
  void up(const Problem& problem, double* x, double* lambda);
  void down(double* x, double* lambda);

 private:
  struct Block {
    int edge_offset;  // in J
    int rows;
    int row;  // in λ
    int constraint;
  };
  struct ChildBody {
    int body, dim, x, P;  // offsets in x and P
    int J = -1;           // offset of the block of the constraint above, -1 at a root body
    int merged_rows = 0;
    std::vector<Block> merged;
    Eigen::MatrixXd factor, merged_J, T, merged_factor, Z, Y;
  };

  FactorResult factor_child(const Problem& problem, const double* P, ChildBody& child);

  int constraint_, rows_ = 0, row_ = 0;
  int parent_dim_ = 0, parent_x_ = 0, parent_P_ = 0, parent_J_ = 0;
  std::vector<ChildBody> children_;
  Eigen::MatrixXd S_, V_;
  Eigen::VectorXd scratch_, whole_;  // whole: what pivots are relative to
  WeakestPivot weakest_;
};

}  // namespace catena::solve
