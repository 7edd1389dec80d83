// One stage of an implicit integrator, as a nonlinear system for the displacement u from a reference q₀ and the multipliers λ:
//
//   q = q₀ ⊕ u,   v = (u - u_b)/τ                                                                                (1)
//   r₁ = (π(q, v) - π*)/τ - F(q, v, t) - J(q, t)ᵀλ = 0        π = M v, in world axes; the gyroscopic term is inside        (2)
//   r₁ = M(q)·a + (gyroscopic) - F - Jᵀλ = 0,  a = (u - u_a)/s      instead of (2), where a scheme works with accelerations  (3)
//   r₂ = C(q, t) = 0,   for springs  r₂ = (λ - law(c, ċ))/(k + b/τ)                                                (4)
//
// λ has entries for constraints and for elastic forces. Newton's method in displacement units, s = τ² with (2):
//   [ D  -Jᵀ ] [ du  ]   [ -s r₁ ]
//   [ -J  -S ] [ s dλ ] = [   r₂  ],      u ← u + (rate of the chart at u)·du                                       (5)
#pragma once

#include "formulation/equations.h"

#include <memory>

namespace catena {

struct Stage {
  const VecX* q0 = nullptr;
  const VecX* memory = nullptr;
  double time = 0.0;
  const VecX* velocity_base = nullptr;  // u_b
  double tau = 0.0;
  const VecX* momentum = nullptr;  // π*; of bodies of other kinds v*.  nullptr: acceleration form (3)
  const VecX* acceleration_base = nullptr;  // u_a
  double s = 0.0;                           // τ² in the momentum form
  /// One linear solve from u = 0, λ = 0: stops act where the velocity at the start would bring their coordinate, not where it is.
  bool is_linearised = false;
  const VecX* start_velocity = nullptr;  // of linearised steps
};

/// How far u, λ are from a solution, without units.
struct StageError {
  double constraints = 0.0;  // |C| over the model's size
  double joints = 0.0;       // the same without springs
  double forces = 0.0;       // |r₁| of a body over the forces that act on it
  int worst_row = -1;        // constraint row with the largest error, -1 for springs
  int worst_force = -1;      // the spring, stop or motor that has it then, in model order
  int worst_body = -1;
  double largest() const { return constraints > forces ? constraints : forces; }
};

/// Whether an error is the worst so far; a NaN is, and stays it.
inline bool is_worse(double size, double worst) {
  return !(size <= worst) && worst == worst;
}

/// In which form a stage takes stiffness into its matrix; chosen once per structure.
struct StageForm {
  StiffForm stiffness = StiffForm::compliant;
  NewtonMatrix matrix = NewtonMatrix::exact;
  bool is_linearised =
      false;  // steps begin without multipliers and leave the directions of forces as they are

  /// Forces along coordinates are rows; else their laws are in D.
  bool has_coordinate_rows() const { return stiffness != StiffForm::grandparent; }
  /// The geometric stiffness of forces along coordinates, and of constraints, is in D.
  bool has_coordinate_geometry() const { return matrix == NewtonMatrix::exact && !is_linearised; }
  bool has_constraint_geometry() const { return !is_linearised; }
};

/// Where rows are in λ of a stage: those of constraints, in model order, and those of forces along coordinates.
struct StageRows {
  std::vector<int> constraint, coordinate;
};

struct System;

class StageEquations {
 public:
  virtual ~StageEquations() = default;
  /// The same on another system of the same layout, without analysing anything again; to begin a stage.
  virtual std::unique_ptr<StageEquations> clone(System& system) const = 0;
  virtual int num_v() const = 0;
  virtual int num_lambda() const = 0;

  /// π of (2) at a state.
  virtual void momentum(const VecX& q, const VecX& v, VecX& pi) = 0;
  /// The same at q ⊕ u.
  virtual void displaced_momentum(const VecX& q, const VecX& u, const VecX& v, VecX& pi) = 0;
  /// dπ/dt at accelerations a.
  virtual void momentum_rate(const VecX& q, const VecX& v, const VecX& a, VecX& rate) = 0;
  /// At a state where a step of this length begins: multipliers, those of the constraints as given and those of springs by their laws there;
  /// and efforts and rates (efforts.h) with these. The equations of motion are evaluated at that state.
  /// @param constraint_lambda  in model order
  virtual void start(const State& at, double step, const VecX& constraint_lambda, VecX& lambda, VecX& effort,
                     VecX& rate) = 0;
  /// Multipliers of the constraints in the order of the model. Returns whether there are springs too.
  virtual bool constraint_lambda(const VecX& lambda, VecX& out) const = 0;
  /// Rows that the equations of motion found redundant take no part.
  virtual void set_redundant_rows(const std::vector<int>& rows) = 0;

  virtual void begin(const Stage& stage) = 0;
  /// r₁, r₂ at u, λ. Multipliers that a law alone decides (springs at rest or at their limit) are set to what it says.
  virtual StageError evaluate(const VecX& u, VecX& lambda) = 0;
  /// The matrix of (5) at the last evaluate().
  virtual SolveResult factor() = 0;
  virtual bool has_right_signs() = 0;
  /// du, dλ of (5) for the residuals of the last evaluate().
  virtual void solve(VecX& du, VecX& dlambda) = 0;
  /// The errors of constraints alone, at u; nothing else is brought there.
  virtual StageError evaluate_errors(const VecX& u) = 0;
  /// du, dλ of (5) that take these errors out with the factor there is: r₁ and what springs leave count as zero.
  virtual void correct_errors(VecX& du, VecX& dlambda) = 0;
  virtual void advance(const VecX& du, VecX& u) const = 0;
  virtual void velocity(const VecX& u, VecX& v) const = 0;  // (1)
  /// How far the fastest body turns. Half a turn and more is not one rotation vector any more.   rad
  virtual double largest_turn(const VecX& u, int* body = nullptr) const = 0;
  virtual bool has_stops() const = 0;
  /// Whether a stop was hit or left, or a spring switched, since the last call (or start): the motion is not smooth there, and
  /// what a multi-step scheme remembers does not hold any more.
  virtual bool take_stop_changes() = 0;
  /// Of a linearised step that would end with u, λ: stops that would pull take no part until the next begin(), and those that would be
  /// passed do. Returns whether there are any; each changes once, so that asking again ends.
  virtual bool adjust_stops(const VecX& u, const VecX& lambda) = 0;

  /// What does work without a potential, driven constraints too, as efforts and the rates they act along (efforts.h); the account of each.
  virtual const std::vector<Account>& effort_accounts() const = 0;
  /// At the last evaluate().
  virtual void read_efforts(VecX& effort, VecX& rate) = 0;
  /// Adds impulses μ along rows, in model order, to those of the efforts of driven constraints: what a projection of velocities gives.
  virtual void add_row_impulses(const VecX& mu, VecX& impulse) const = 0;
  /// Of a linearised step that ends with u, λ: efforts at its end; the mean of the rates at both ends.
  virtual void read_linear_efforts(const VecX& u, const VecX& lambda, VecX& effort, VecX& rate) = 0;
};

/// An implicit stage on body velocities and multipliers (implicit/). Holds representative numbers, those of a step of unit length from
/// `start`; `system` outlives the result.
std::unique_ptr<StageEquations> make_implicit_stage(System& system, const StageForm& form,
                                                    const State& start);

}  // namespace catena
