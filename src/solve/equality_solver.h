// What every equality solver can do: analyse a graph once, factor numbers once per evaluation, solve many times.
#pragma once

#include "solve/problem.h"

#include <memory>
#include <string>

namespace catena::solve {

enum class FactorStatus {
  ok,
  singular,      // a pivot vanished: redundant rows, or a massless direction
  not_positive,  // a mass block is not positive definite
};

struct [[nodiscard]] FactorResult {
  FactorStatus status = FactorStatus::ok;
  int constraint = -1;  // where it happened, when known
  int body = -1;
  bool ok() const { return status == FactorStatus::ok; }
};

/// Why a solver cannot take a graph; empty `reason` when it can.
struct Refusal {
  std::string reason;   // "the constraint closes a loop"
  int constraint = -1;  // the one to name
  bool refused() const { return !reason.empty(); }
};

class EqualitySolver {
 public:
  virtual ~EqualitySolver() = default;

  /// Structure only; may allocate. `problem` holds representative numbers (for ranks of blocks; which rows are compliant, S > 0,
  /// belongs to the structure) and outlives the solver.
  virtual Refusal analyze(const Problem& problem) = 0;

  /// Numbers. No allocation after the first call.
  virtual FactorResult factor(const Problem& problem) = 0;

  /// Solves (1), (2) with the last factor. No allocation after the first call. f, d, x, lambda must be distinct.
  virtual FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                             Eigen::VectorXd& x, Eigen::VectorXd& lambda) = 0;

  /// factor() and solve() in one, for solvers that can share a pass between them.
  virtual FactorResult factor_and_solve(const Problem& problem, const Eigen::VectorXd& f,
                                        const Eigen::VectorXd& d, Eigen::VectorXd& x,
                                        Eigen::VectorXd& lambda) {
    const FactorResult result = factor(problem);
    return result.ok() ? solve(problem, f, d, x, lambda) : result;
  }

  /// The edge whose body the solver wants expressed by the explicit form of this constraint (Problem::pairs); -1: none.
  /// Asked after analyze(); the formulation fills Problem::pairs accordingly before every factor().
  virtual int explicit_edge(int /*constraint*/) const { return -1; }

  /// A second way to an answer whose residual is too large; x and lambda hold that answer. False: there is none, or it failed.
  virtual bool rescue(const Problem& /*problem*/, const Eigen::VectorXd& /*f*/, const Eigen::VectorXd& /*d*/,
                      Eigen::VectorXd& /*x*/, Eigen::VectorXd& /*lambda*/) {
    return false;
  }

  /// Rows that the last factor() found to be implied by others; only solvers that accept such rows have any.
  virtual const std::vector<int>& dropped_rows() const {
    static const std::vector<int> none;
    return none;
  }

  /// Passes of refinement that the last factor asks for because small pivots make large multipliers, against whose size a residual
  /// says little.
  virtual int refinements() const { return 0; }

  virtual int iterations() const { return 0; }  // of the last solve, for iterative solvers
};

struct IterativeOptions {
  double tolerance = 1e-11;
  int max_iterations = 0;    // 0: 10 × rows + 100
  bool precondition = true;  // block Jacobi
  bool minimum_norm = true;  // λ of least Euclidean norm among those with the same Jᵀλ
};

std::unique_ptr<EqualitySolver> make_tree_solver();
std::unique_ptr<EqualitySolver> make_dense_schur_solver();
std::unique_ptr<EqualitySolver> make_dense_kkt_solver();
std::unique_ptr<EqualitySolver> make_banded_solver();
std::unique_ptr<EqualitySolver> make_sparse_solver();
std::unique_ptr<EqualitySolver> make_auxiliary_solver();
std::unique_ptr<EqualitySolver> make_cg_solver(const IterativeOptions& options);

}  // namespace catena::solve
