// Maximal coordinates: the unknowns are the velocities of all bodies, constraints act through multipliers.
//
// Owns the workspace of one structure (Layout): kinematics, rows, forces, the problem at the seam and its solver.
// evaluate() costs O(bodies + constraints); what factor() and solve() cost is the solver's affair.
#pragma once

#include "formulation/equations.h"
#include "formulation/maximal/forces.h"
#include "formulation/maximal/rows.h"
#include "solve/equality_solver.h"

#include <memory>

namespace catena::maximal {

class MaximalEquations final : public Equations {
 public:
  /// Evaluates at the start state (q, v, t, memory), so that solvers can look at representative numbers.
  MaximalEquations(const Model& model, const VecX& q, const VecX& v, double t, VecX& memory);

  /// Takes a solver for this structure; a refusal leaves the previous one in place.
  solve::Refusal use_solver(std::unique_ptr<solve::EqualitySolver> solver, double residual_tolerance);

  // Equations
  int num_q() const override { return layout_.num_q; }
  int num_v() const override { return layout_.num_v; }
  int num_rows() const override { return layout_.graph.num_rows(); }
  const VecX& holonomic() const override { return layout_.holonomic; }
  bool has_nonholonomic_rows() const override { return layout_.has_nonholonomic_rows; }
  bool has_velocity_forces() const override { return layout_.has_velocity_forces; }
  double length_scale() const override { return layout_.length_scale; }
  void evaluate(const VecX& q, const VecX& v, double t, const VecX& memory) override;
  void set_step(double step) override { kinematics_.step = step; }
  SolveResult factor() override;
  SolveResult solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  SolveResult solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  SolveResult factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  const std::vector<int>& redundant_rows() const override { return solver_->dropped_rows(); }
  void evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) override;
  void evaluate_forces(const VecX& v, double t, bool with_gyroscopic, VecX& F) override;
  const VecX& C() const override { return rows_.C; }
  const VecX& C_t() const override { return rows_.C_t; }
  const VecX& bias() const override { return rows_.bias; }
  const VecX& force() const override { return force_; }
  void add_Jt(const VecX& lambda, VecX& f) const override { solve::add_Jt_times(problem_, lambda, f); }
  void apply_J(const VecX& v, VecX& y) const override;
  void apply_mass(const VecX& v, VecX& P) const override { solve::mass_times(problem_, v, P); }
  void apply_inverse_mass(VecX& f) const override;
  void retract(const VecX& d, VecX& q) const override;
  void chart_rate(const VecX& u, const VecX& v, VecX& u_dot) const override;
  void drift(double h, const VecX& P, VecX& q) const override;

  // Beyond what integrators need; all at the last evaluate().
  const Layout& layout() const { return layout_; }
  const solve::Problem& problem() const { return problem_; }
  const Kinematics& kinematics() const { return kinematics_; }
  solve::EqualitySolver* solver() const { return solver_.get(); }
  /// What the last checked solve left of J x = d, per row.
  const VecX& row_residual() const { return residual_.r2; }
  /// Compliance of every row relative to its own diagonal entry of J M⁻¹ Jᵀ (with the diagonal of M): damped least squares.
  void set_damping(double relative);
  Energy energy() const override;
  Powers powers() const override;
  /// Wrench of a constraint on the body of its first marker, about that marker, world axes.
  void constraint_wrench(int constraint, const VecX& lambda, Vec3& force, Vec3& torque);
  /// Largest estimated frequency of links swinging under the pull of their joints, rad/s, and the body that has it.
  double tension_frequency(const VecX& lambda, int* body = nullptr);

  void start_memory(const VecX& q, const VecX& v, double t, VecX& memory);
  void advance_memory(const VecX& q, const VecX& v, double t, VecX& memory);

 private:
  void update_motion(const VecX& q, const VecX& v);
  void update_drift();
  /// Residual of a solution, refinement where it helps, the verdict.
  /// A failed factorisation is explained by rows that are not finite, where there are any.
  SolveResult blame_rows(SolveResult result) const;
  SolveResult check(SolveResult result, const VecX& f, const VecX& d, VecX& x, VecX& lambda);
  void update_memory(const VecX& q, const VecX& v, double t, bool start, VecX& memory);

  Layout layout_;
  Kinematics kinematics_;
  RowArrays rows_;
  ForceArrays force_arrays_;
  solve::Problem problem_;
  std::unique_ptr<solve::EqualitySolver> solver_;
  std::vector<int> explicit_edge_;  // per constraint, what the solver asked for
  double residual_tolerance_ = 1e-9;
  bool wide_masses_ = false;
  VecX force_;
  VecX q_, v_, memory_;  // of the last evaluate()
  double t_ = 0.0;
  solve::Residual residual_;
  VecX correction_x_, correction_lambda_, frequency_;
  mutable std::vector<double> block_;  // scratch: one mass block
};

}  // namespace catena::maximal
