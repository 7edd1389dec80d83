// Baraff's auxiliary constraints: a forest of primary constraints solved in linear time, k further rows on top of it.
//
// Legend
//   H = L D Lᵀ    factor of the primary problem
//   J_a, K        auxiliary rows (k × n) and the directions in which their forces act (n × k); K = J_aᵀ unless they do work
//   G             response matrix: what force s does to row r,  G = J_a M̂⁻¹ K,  M̂⁻¹ k = x-part of H⁻¹ (k ; 0)        (1)
//
//   path          G = Y_Jᵀ D⁻¹ Y_K,  Y = L⁻¹ (· ; 0): each column lives on the paths from its bodies to the roots        (2)
//   literal       k full solves, G column by column from (1), as printed
//   solves        the same, four columns at a time
//   rosenthal     (2) with full forward sweeps: the backward passes of the literal procedure are not needed
// Then  (G + S_a) μ = d_a - J_a x_0,  and one backward pass with the forces of μ added gives x and λ.                    (3)
//
// Rows implied by others make G singular: its factor is pivoted along the diagonal of the normalised matrix and stops at the
// threshold of solve/sparse.h, eq. (1).
// Reference: Baraff 1996, section 8, without the repeated solves (Rosenthal, acknowledged there).
#pragma once

#include "solve/pivoted_ldlt.h"
#include "solve/sparse.h"

namespace catena::solve {

/// Sparse columns over the bodies: entries of x with values.
struct SparseColumn {
  std::vector<int> index;
  std::vector<double> value;
};

enum class ResponseMethod : std::uint8_t { path, solves, rosenthal, literal };

/// The response matrix of k rows J_a to k forces K on a factored primary problem.
class ResponseMatrix {
 public:
  /// symmetric: K = J_aᵀ; K is then not read and each column is swept once.
  void compute(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
               const std::vector<SparseColumn>& K, bool symmetric, ResponseMethod method, Eigen::MatrixXd& G);

  /// The forward sweep of a column: touched panels, ascending, and its entries there.
  struct Path {
    std::vector<int> panels;
    std::vector<double> values;  // panel after panel
  };
  /// Σ over shared panels of aᵀ D⁻¹ b.
  static double product(const SparseSolver& primary, const Path& a, const Path& b);
  /// aᵀ D⁻¹ z for a full vector z = L⁻¹ (…).
  static double product(const SparseSolver& primary, const Path& a, const double* z);
  const std::vector<Path>& paths() const { return paths_J_; }
  void sweep(const SparseSolver& primary, const SparseColumn& column, Path& out);

 private:
  void by_paths(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                const std::vector<SparseColumn>& K, bool symmetric, Eigen::MatrixXd& G);
  void by_solves(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                 const std::vector<SparseColumn>& K, Eigen::MatrixXd& G);
  void by_full_sweeps(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                      const std::vector<SparseColumn>& K, bool symmetric, Eigen::MatrixXd& G);
  void literally(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                 const std::vector<SparseColumn>& K, Eigen::MatrixXd& G);

  std::vector<Path> paths_J_, paths_K_;
  std::vector<double> z_, lanes_;
  std::vector<char> touched_;
  std::vector<int> heap_;
};

class AuxiliarySolver final : public EqualitySolver {
 public:
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  const std::vector<int>& dropped_rows() const override { return dropped_rows_; }

  /// The response matrix of the last factor() once more, by a given method.
  const Eigen::MatrixXd& compute_response(ResponseMethod method);
  int num_auxiliary_rows() const { return int(rows_.size()); }

 private:
  void choose_primaries(const Problem& problem);
  void copy_primary_numbers(const Problem& problem);
  void solve_along_paths(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x);
  void solve_twice(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x);

  Graph graph_;  // of the primary problem: all bodies, some constraints
  Problem primary_problem_;
  SparseSolver primary_;
  std::vector<int> primary_constraints_, auxiliary_constraints_;
  std::vector<int> rows_;  // auxiliary rows of the whole problem
  std::vector<SparseColumn> columns_;
  ResponseMatrix response_;
  Eigen::MatrixXd G_;
  PivotedLdlt factor_;
  std::vector<int> dropped_rows_;
  Eigen::VectorXd d_primary_, lambda_primary_, mu_, force_, scale_, weights_;
  std::vector<double> z_;
};

}  // namespace catena::solve
