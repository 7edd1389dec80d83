// The linear system of one Newton iteration of an implicit step, and its factorisation in linear time.
//
//   [ D  -Jᵀ ] [ x ]   [  f ]
//   [ -J  -S ] [ λ ] = [  g ]                                                                                     (1)
//
// As problem.h, but D, with one block per body and two per link, is not symmetric: it contains the derivatives of inertia and the
// geometric stiffness of constraints. Rows with S > 0 are springs.
//
// Elimination: leaves first. A body i with one constraint c left, whose only other body is p, goes together with c and changes nothing
// but the block of p (algorithm of Hernández et al. with the block between a body and the one behind its joint, as LDU):
//   D_i = L U,  X = D_i⁻¹J_iᵀ,  Y = D_i⁻¹D_ip,  Q = J_i X + S,  B₁ = J_p - J_i Y,  B₂ = J_pᵀ - D_pi X
//   D_p ← D_p - D_pi Y + B₂ Q⁻¹ B₁                                                                                 (2)
// Constraints on one body whose rows are all springs go first, into its block: D_i ← D_i + JᵀS⁻¹J.                      (3)
// What is left when there are no leaves (loops, constraints on three bodies) is eliminated block by block in an order of minimum degree.
#pragma once

#include "solve/equality_solver.h"

namespace catena::solve {

/// M holds D, which need not be symmetric, and links the blocks (a, b); both column-major.
struct LduProblem : Problem {
  Eigen::VectorXd lower;  // link blocks (b, a): dims[b] × dims[a], column-major, at Link::offset

  void resize(const Graph& g);
};

/// Left sides of (1) minus right sides, for checks.
void ldu_residual(const LduProblem& p, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                  const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& r1,
                  Eigen::VectorXd& r2);

class LduSolver {
 public:
  virtual ~LduSolver() = default;
  /// Structure; `problem` holds representative J and S, and says by S > 0 which rows are springs.
  virtual void analyze(const LduProblem& problem) = 0;
  /// Numbers; no allocation.
  virtual FactorResult factor(const LduProblem& problem) = 0;
  /// x, λ of (1) from f, g with the last factor. In place: x holds f and lambda holds g on entry.
  virtual void solve(const LduProblem& problem, Eigen::VectorXd& x, Eigen::VectorXd& lambda) = 0;
  /// Whether the signs of the pivots of the last factor are those of a minimum of the step's energy: as many negative ones in bodies
  /// as in constraints. Newton's method may fail where they are not.
  virtual bool has_right_signs() const { return true; }
};

std::unique_ptr<LduSolver> make_ldu_solver();
/// The same by a dense matrix, as a reference.
std::unique_ptr<LduSolver> make_dense_ldu_solver();

}  // namespace catena::solve
