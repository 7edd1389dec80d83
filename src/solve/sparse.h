// Block-sparse direct solver for any graph of bodies and constraints: loops, compliant rows, body-body blocks, redundant rows.
//
// One quasi-definite L D Lᵀ of the whole matrix [ M -Jᵀ ; -J -S ]. Linear time for structures of bounded width (ladders, tracks,
// rope bridges); about O(n^1.5) for nets of n bodies. Redundant rows are found in the factor and dropped: accelerations and Jᵀλ are
// unique, the multipliers are those of a basic solution.
//
// Pivots of redundant rows grow with the square of the constraint error δ; solved exactly they would lock the mechanism. The
// threshold follows the error: τ = max(1e-13, 100 δ²).                                                          (1)
#pragma once

#include "solve/equality_solver.h"
#include "solve/krylov.h"
#include "solve/sparse_factor.h"

namespace catena::solve {

class SparseSolver final : public EqualitySolver {
 public:
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;

  /// With the same matrix made regular by a little compliance as preconditioner: exact for consistent rows whatever the order
  /// of elimination, least squares in the limit for conflicting ones.
  bool rescue(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
              Eigen::VectorXd& lambda) override;

  const std::vector<int>& dropped_rows() const override { return dropped_rows_; }

  int refinements() const override;

  const SparseStructure& structure() const { return structure_; }
  const SparseFactor& factors() const { return factor_; }
  /// Where an entry of x is in permuted order, and in which panel.
  int entry_of(int variable) const { return entry_of_[std::size_t(variable)]; }
  int panel_of_variable(int variable) const { return panel_of_variable_[std::size_t(variable)]; }
  static double drop_threshold(const Problem& problem);  // (1)
  /// Copies (f, -d) to permuted order, and a solution back.
  void gather(const Eigen::VectorXd& f, const Eigen::VectorXd& d, double* z) const;
  void scatter(const double* z, Eigen::VectorXd& x, Eigen::VectorXd& lambda) const;

 private:
  /// Where one block of the problem goes.
  struct Source {
    int from = 0;  // offset in M, J, S or links
    int rows = 0, columns = 0;
    Target to;
    bool transposed = false;
  };

  void plan_assembly(const Problem& problem);
  void assemble(const Problem& problem, double regularisation, SparseFactor& out);
  /// Returns a body whose mass block is not positive definite, or -1.
  int update_scale(const Problem& problem);
  bool correct_a_decision(const Problem& problem);
  bool find_wrongly_dropped(const Problem& problem, std::vector<char>& late);
  FactorResult failure(int position) const;

  SparseStructure structure_;
  SparseFactor factor_, regular_;  // regular_: of the matrix made regular, used by rescue()
  std::vector<Source> masses_, edges_, compliances_, links_;
  std::vector<double> scale_;      // per permuted entry: diagonal of J M⁻¹ Jᵀ + S, 0 for bodies
  std::vector<int> row_of_entry_;  // permuted entry to row, -1 for bodies
  std::vector<int> variable_;      // permuted entry to index in (x, λ)
  std::vector<int> entry_of_, panel_of_variable_;  // the inverse; panel of each
  std::vector<int> entry_of_constraint_;
  std::vector<int> dropped_rows_;
  std::vector<double> forced_;  // per permuted entry: decided after a closer look (SparseFactor::factor)
  std::vector<double> z_;
  Eigen::VectorXd mass_factor_;  // of the blocks of M
  Krylov krylov_;
  Eigen::VectorXd rhs_, unknown_, unit_, x_, lambda_, force_, rate_;  // scratch
  int num_bodies_ = 0;
};

}  // namespace catena::solve
