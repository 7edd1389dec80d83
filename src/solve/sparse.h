// Block-sparse direct solver for any graph of bodies and constraints: loops, compliant rows, body-body blocks, redundant rows.
//
// One quasi-definite L D Lᵀ of the whole matrix [ M -Jᵀ ; -J -S ]. Linear time for structures of bounded width (ladders, tracks,
// rope bridges); about O(n^1.5) for nets of n bodies. Redundant rows are found in the factor and dropped: accelerations and Jᵀλ are
// unique, the multipliers are those of a basic solution.
//
// The analysis may be repeated, for graphs whose constraints come and go: it costs about as much as one factorisation and allocates
// nothing once its storage is large enough. J, S, d and λ may be longer than the graph asks for, so that they need not be resized
// either; λ is 0 there.
//
// Pivots of redundant rows grow with the square of the rows' relative error δ (Problem::row_error); solved exactly they would hold
// what the rows were meant to leave free. The threshold follows the error: τ = max(1e-13, 100 δ²).              (1)
// It is lowered where it drops more rows than can be redundant (known_redundancy.h).
#pragma once

#include "solve/elimination_steps.h"
#include "solve/equality_solver.h"
#include "solve/known_redundancy.h"
#include "solve/krylov.h"
#include "solve/sparse_factor.h"

namespace catena::solve {

class SparseSolver final : public EqualitySolver, private SteppedFactor {
 public:
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<SparseSolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;

  /// With the same matrix made regular by a little compliance as preconditioner: exact for consistent rows whatever the order
  /// of elimination, least squares in the limit for conflicting ones.
  bool rescue(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
              Eigen::VectorXd& lambda) override;

  const std::vector<int>& dropped_rows() const override { return dropped_rows_; }

  double smallest_pivot() const override { return factor_.smallest_kept_pivot(); }
  int weakest_row() const override {
    const int entry = factor_.smallest_kept_entry();
    return entry >= 0 ? row_of_entry_[std::size_t(entry)] : -1;
  }
  SteppedFactor* stepped() override { return this; }

  const SparseStructure& structure() const { return structure_; }
  const SparseFactor& factors() const { return factor_; }
  /// Of the first entry of each body in permuted order.
  const std::vector<int>& entry_of_body() const { return elimination_.entry_of_body; }
  static double drop_threshold(double row_error);  // (1)
  static double drop_threshold(const Problem& problem) { return drop_threshold(problem.row_error); }
  static constexpr double kLeastRowError = 1e-8;  // below, (1) does not follow it
  /// Copies (f, -d) to permuted order, and a solution back.
  void gather(const Eigen::VectorXd& f, const Eigen::VectorXd& d, double* z) const;
  void scatter(const double* z, Eigen::VectorXd& x, Eigen::VectorXd& lambda) const;

 private:
  static constexpr int kColumns = 4;  // right-hand sides at a time
  const EliminationSteps& steps() const override { return elimination_; }
  int lanes() const override { return kColumns; }
  void forward(const Problem& problem, int step, double* z) override;
  void backward(const Problem& problem, int step, double* z) override;
  void list_steps();

  /// Where one block of the problem goes.
  struct Source {
    int from = 0;  // offset in M, J, S or links
    int rows = 0, columns = 0;
    Target to;
    bool transposed = false;
  };

  void find_order(const Problem& problem);
  void plan_assembly(const Problem& problem);
  void assemble(const Problem& problem, double regularisation, SparseFactor& out);
  /// Returns a body whose mass block is not positive definite, or -1.
  int update_scale(const Problem& problem);
  bool correct_a_decision(const Problem& problem);
  bool find_a_missed_row(const Problem& problem);
  bool correct_decision(const Problem& problem, int entry, bool is_dropped);
  bool find_wrongly_dropped(const Problem& problem);
  FactorResult factor_in_order(const Problem& problem);
  FactorResult factor_with_error(const Problem& problem);
  void prove_independence(const Problem& problem);
  void apply_inverse(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                     Eigen::VectorXd& lambda);
  void clear_scratch(const Problem& problem);
  FactorResult failure(int position) const;

  SparseStructure structure_;
  EliminationSteps elimination_;   // one per panel
  SparseFactor factor_, regular_;  // regular_: of the matrix made regular, used by rescue()
  std::vector<Source> masses_, edges_, compliances_, links_;
  std::vector<double> scale_;      // per permuted entry: diagonal of J M⁻¹ Jᵀ + S, 0 for bodies
  std::vector<int> row_of_entry_;  // permuted entry to row, -1 for bodies
  std::vector<int> variable_;      // permuted entry to index in (x, λ)
  std::vector<int> entry_of_constraint_;
  std::vector<int> dropped_rows_;
  KnownRedundancy redundancy_;
  double error_ = 0.0;                       // δ of (1), as far as it was believed by the last factor
  std::vector<SparseFactor::Doubt> missed_;  // scratch
  std::vector<double> forced_;  // per permuted entry: decided after a closer look (SparseFactor::factor)
  std::vector<double> z_, largest_row_;  // scratch
  Eigen::VectorXd mass_factor_;          // of the blocks of M
  Krylov krylov_;
  Eigen::VectorXd rhs_, unknown_, unit_, x_, lambda_, force_, rate_;  // scratch
  int num_bodies_ = 0, num_x_ = 0;
  std::vector<char> late_;  // per constraint: 1 where an earlier order dropped independent rows
  bool is_order_proven_ = false, is_regular_sized_ = false;
  bool is_ordered_ = false;  // not after an interruption
};

}  // namespace catena::solve
