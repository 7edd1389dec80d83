// The equations of motion in body coordinates as the conductor sees them, with the linear problem and the solver behind them.
#pragma once

#include "formulation/equations.h"
#include "formulation/system.h"
#include "solve/equality_solver.h"

#include <memory>

namespace catena {

class BodyEquations : public Equations {
 public:
  /// The same on another system of the same layout, without analysing anything again; to be evaluated and factored before it is used.
  virtual std::unique_ptr<BodyEquations> clone(System& system) const = 0;
  /// Takes a solver for this structure; a refusal leaves the previous one in place.
  virtual solve::Refusal use_solver(std::unique_ptr<solve::EqualitySolver> solver,
                                    double residual_tolerance) = 0;
  virtual solve::EqualitySolver& solver() const = 0;
  /// The problem at the evaluated instant.
  virtual const solve::Problem& problem() const = 0;
  /// Compliance of every row relative to its own diagonal entry of J M⁻¹ Jᵀ (with the diagonal of M): damped least squares.
  virtual void set_damping(double relative) = 0;
  /// Largest estimated frequency of links swinging under the pull of their joints, and the body that has it.   rad/s
  virtual double tension_frequency(const VecX& lambda, int* body = nullptr) const = 0;
};

/// Body velocities and multipliers (maximal/). The problem holds representative numbers, those of `start`; `system` outlives the result.
std::unique_ptr<BodyEquations> make_body_equations(System& system, const Instant& start);

}  // namespace catena
