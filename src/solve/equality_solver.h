// What every equality solver can do: analyse a graph once, factor numbers once per evaluation, solve many times.
#pragma once

#include "solve/problem.h"

#include <cstdint>
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

/// What stands in the way of a solver.
enum class Obstacle : std::uint8_t { structure, links, unsymmetric, own_direction };

/// Why a solver cannot take a problem; empty `reason` when it can.
struct Refusal {
  std::string reason;   // of the constraint, or of the whole: "closes a loop"
  int constraint = -1;  // the one to name
  Obstacle obstacle = Obstacle::structure;
  bool refused() const { return !reason.empty(); }
};

/// What a solver takes beyond a block-diagonal symmetric M and K = J.
struct Takes {
  bool links = false, unsymmetric = false, own_directions = false;
};
Refusal refuse_unless(const Problem& problem, Takes takes);

/// Signs of the pivots of the matrix of problem.h. A symmetric positive definite M and independent rows give as many positive ones
/// as there are entries of x and as many negative ones as there are rows, in any order of elimination.
struct PivotSigns {
  int positive = 0, negative = 0, zero = 0;
  bool are_those_of_a_minimum(const Graph& g) const {
    return positive == g.num_x() && negative == g.num_rows();
  }
  bool operator==(const PivotSigns&) const = default;
};

class SteppedFactor;

class EqualitySolver {
 public:
  virtual ~EqualitySolver() = default;
  /// Another one for problems on the same graph, which goes on from the analysis of this one; it factors before it solves.
  virtual std::unique_ptr<EqualitySolver> clone() const = 0;

  /// Structure only; may allocate. `problem` holds representative numbers (for ranks of blocks; which rows are compliant, S > 0,
  /// belongs to the structure) and outlives the solver.
  virtual Refusal analyze(const Problem& problem) = 0;

  /// Numbers. No allocation after the first call. That one may still change the order of elimination that analyze() found; all others are
  /// functions of their numbers, whatever was factored before.
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

  /// The factor as steps that can be taken one by one (elimination_steps.h); nullptr when it cannot.
  virtual SteppedFactor* stepped() { return nullptr; }

  /// Of the last factor(). Solvers for positive definite M fail where they are not the right ones, and need not count.
  virtual PivotSigns pivot_signs(const Problem& problem) {
    const int rows = problem.graph->num_rows(), zero = int(dropped_rows().size());
    return {problem.graph->num_x(), rows - zero, zero};
  }

  /// Passes of refinement that the last factor asks for because small pivots make large multipliers, against whose size a residual
  /// says little: by the smallest of them.
  virtual int refinements() const;

  /// Smallest pivot of a row that the last factor() kept, relative to what it would be if its bodies were free: near 0 where rows nearly
  /// depend on each other, as in singular positions. 1 where the solver does not know.
  virtual double smallest_pivot() const { return 1.0; }
  /// The row that has it; -1 where the solver does not know.
  virtual int weakest_row() const { return -1; }

  virtual int iterations() const { return 0; }  // of the last solve, for iterative solvers

  /// Whether the last solve() ended with the least error there can be in rows that contradict each other.
  virtual bool is_least_squares() const { return false; }

  /// Whether redundant rows are accepted without dropped_rows() telling which.
  virtual bool hides_redundant_rows() const { return false; }
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
std::unique_ptr<EqualitySolver> make_ldu_solver();
/// The same for a graph: with auxiliary rows around it where forces do not act along their rows.
std::unique_ptr<EqualitySolver> make_ldu_solver_for(const Graph& g);

}  // namespace catena::solve
