// What the solvers on the multipliers share: with M = L Lᵀ per body,
//
//   W = J L⁻ᵀ                         one block per edge, the same graph as J                             (1)
//   A = J M⁻¹ Jᵀ + S = W Wᵀ + S       the matrix of the multipliers, never formed here                    (2)
//   A λ = d - W u,     u = L⁻¹ f                                                                          (3)
//   x   = L⁻ᵀ (u + Wᵀ λ)                                                                                  (4)
//
// Working with W halves the triangular solves and makes A symmetric to the last bit.
#pragma once

#include "solve/equality_solver.h"
#include "solve/problem.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace catena::solve {

/// Pivots of A below this fraction of their diagonal entry are rounding: the row depends on earlier ones.
inline constexpr double kSingularPivot = 1e-13;

/// A mass block whose pivots fall this far below their diagonal entry has a direction without inertia.
inline constexpr double kMasslessPivot = 1e-14;

/// A solver that stores a matrix refuses a graph that would need more numbers than this (2 GiB).
inline constexpr std::ptrdiff_t kMaxMatrixEntries = std::ptrdiff_t(1) << 28;
Refusal refuse_large_matrix(const char* matrix, std::ptrdiff_t rows, std::ptrdiff_t entries);

class BlockSchur {
 public:
  void analyze(const Graph& graph);

  /// Factors the mass blocks and computes (1).
  FactorResult factor(const Problem& problem);

  /// (3): leaves u and the right-hand side of A.
  void reduce(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& u,
              Eigen::VectorXd& rhs) const;

  /// (4): x holds u on entry.
  void expand(const Eigen::VectorXd& lambda, Eigen::VectorXd& x) const;

  /// x ← L⁻ᵀ x; the last part of (4). Entries of x beyond the bodies' are left alone.
  void solve_upper(Eigen::VectorXd& x) const;

  /// W as the J of a problem on the same graph; no masses.
  const Problem& W() const { return W_; }

  /// Edges of each body, as indices into Graph::edges.
  const std::vector<int>& edges_of(int body) const { return edges_of_[body]; }

  /// block += W_a W_bᵀ for two edges of one body; block is row-major with `stride`.
  void add_product(const Edge& a, const Edge& b, double* block, std::ptrdiff_t stride) const;

 private:
  Problem W_;
  Eigen::VectorXd L_;  // mass factors, laid out as Problem::M, row-major
  std::vector<std::vector<int>> edges_of_;
};

}  // namespace catena::solve
