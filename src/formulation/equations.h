// The equations of motion of a model, as integrators see them; `maximal/` implements them with body velocities and
// multipliers.
//
//   M(q) v̇ = F(q, v, t) + J(q, t)ᵀ λ                                                                         (1)
//   C(q, t) = 0            holonomic rows only                                                               (2)
//   Ċ = J v + C_t = 0                                                                                        (3)
//   C̈ = J v̇ + b = 0        b: J̇ v and everything else without an acceleration                                (4)
#pragma once

#include "catena/options.h"
#include "catena/state.h"
#include "formulation/inequalities.h"

#include <vector>

namespace catena {

/// Outcome of a numerical operation; the indices let the conductor name the culprit.
struct [[nodiscard]] SolveResult {
  enum class Status { ok, singular, not_positive, residual, not_finite };
  Status status = Status::ok;
  int constraint = -1;
  int body = -1;
  double residual = 0.0;      // relative KKT residual of the last solve
  bool is_of_forces = false;  // of status `residual`: of M x = f + Jᵀλ, not of the rows
  bool ok() const { return status == Status::ok; }
};

class Equations {
 public:
  virtual ~Equations() = default;

  virtual int num_q() const = 0;
  virtual int num_v() const = 0;
  virtual int num_rows() const = 0;
  /// Per row: 1 where C exists, 0 for nonholonomic rows.
  virtual const VecX& holonomic() const = 0;
  virtual bool has_nonholonomic_rows() const = 0;
  /// Whether there are rows at all that coordinates do not hold by themselves.
  virtual bool is_constrained() const = 0;
  virtual bool has_velocity_forces() const = 0;  // beyond the gyroscopic ones
  /// Typical length of the model, for tolerances on C.  m
  virtual double length_scale() const = 0;

  /// Evaluates M, J, C, C_t, b and F. Nothing else changes what the accessors below return.
  virtual void evaluate(const Instant& at) = 0;
  /// Factors M and J of the last evaluate().
  virtual SolveResult factor() = 0;
  /// M x = f + Jᵀλ, J x = d with the last factor.
  virtual SolveResult solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) = 0;
  /// The same, refined once where it helps, with the residual checked against the tolerance.
  virtual SolveResult solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) = 0;

  /// v̇ and λ of (1) and (4) at the evaluated instant: factor() and solve_checked() of its forces, faster where a formulation has a way.
  virtual SolveResult solve_accelerations(VecX& a, VecX& lambda) = 0;
  /// factor() and solve_checked() in one.
  virtual SolveResult factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) = 0;

  /// What the last checked solve left of J x = d, per row.
  virtual const VecX& row_residual() const = 0;
  /// Of the last factor, relative to what its row is worth: small where rows nearly depend on each other; 1 where nothing is known.
  virtual double smallest_pivot() const = 0;
  /// The constraint that has it, in the order of the model; -1 where that is not known.
  virtual int weakest_constraint() const { return -1; }

  /// Rows that are implied by others at the instant of the last factor().
  virtual const std::vector<int>& redundant_rows() = 0;

  /// Only C, at another position; M, J and the factor stay as they are.
  virtual void evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) = 0;
  /// Only F, at other velocities of the evaluated position; without the gyroscopic part when asked.
  virtual void evaluate_forces(const VecX& v, double t, bool with_gyroscopic, VecX& F) = 0;

  /// What everything without a potential does at the evaluated instant, driven constraints with the multipliers λ. Where none is driven
  /// (is_driven) λ is not read.
  virtual Powers powers(const VecX& lambda) const = 0;
  virtual bool is_driven() const = 0;
  virtual Energy energy() const = 0;

  virtual const VecX& C() const = 0;
  virtual const VecX& C_t() const = 0;
  virtual const VecX& bias() const = 0;  // b of (4)
  virtual const VecX& force() = 0;  // F of (1), gyroscopic part included; found when it is first asked for
  /// f += Jᵀλ, or Kᵀλ where constraints act elsewhere than along their rows.
  virtual void add_row_forces(const VecX& lambda, VecX& f) const = 0;
  virtual void apply_J(const VecX& v, VecX& y) const = 0;  // y = J v
  virtual void apply_mass(const VecX& v, VecX& P) = 0;     // P = M v
  virtual void apply_inverse_mass(VecX& f) = 0;            // f ← M⁻¹ f, constraints ignored
  /// f += what a force does at the material point of a body that is at `point` at the evaluated instant; world axes.
  virtual void add_point_force(int body, const Vec3& point, const Vec3& force, VecX& f) = 0;

  virtual std::span<const InequalitySlot> inequality_slots() const = 0;
  /// Brings the rows of inequalities to the evaluated instant; and what that found.
  virtual void evaluate_inequalities() = 0;
  virtual const InequalityValues& inequality_values() const = 0;
  /// Those rows that hold for a moment, on the last factor; begin() empties the set.
  virtual HeldRows& held_rows() = 0;
  /// Adds a row of an inequality to them, after evaluate_inequalities(). @param sign  -1: its negative
  virtual void hold(const InequalitySlot& slot, int row, double sign) = 0;

  /// q ← q ⊕ d
  virtual void retract(const VecX& d, VecX& q) const = 0;
  /// Rate of the chart u ↦ q ⊕ u at velocity v (Body::chart_rate).
  virtual void chart_rate(const VecX& u, const VecX& v, VecX& u_dot) const = 0;
  /// Free flight over h with momentum P fixed in world axes.
  virtual void drift(double h, const VecX& P, VecX& q) const = 0;
};

}  // namespace catena
