// A formulation as the conductor sees it: the equations of motion, and the linear problem and solver behind them.
#pragma once

#include "formulation/equations.h"
#include "formulation/system.h"
#include "solve/extra_rows.h"

#include <memory>

namespace catena {

class Formulation : public Equations {
 public:
  /// The same on another system of the same layout, without analysing anything again; to be evaluated and factored before it is used.
  virtual std::unique_ptr<Formulation> clone(System& system) const = 0;
  /// Takes a solver for this structure; a refusal leaves the previous one in place.
  virtual solve::Refusal use_solver(std::unique_ptr<solve::EqualitySolver> solver,
                                    double residual_tolerance) = 0;
  virtual solve::EqualitySolver& solver() const = 0;
  /// The problem at the evaluated instant.
  virtual const solve::Problem& problem() const = 0;
  /// What the last checked solve left of J x = d, per row.
  virtual const VecX& row_residual() const = 0;
  /// Compliance of every row relative to its own diagonal entry of J M⁻¹ Jᵀ (with the diagonal of M): damped least squares.
  virtual void set_damping(double relative) = 0;
  /// Largest estimated frequency of links swinging under the pull of their joints, and the body that has it.   rad/s
  virtual double tension_frequency(const VecX& lambda, int* body = nullptr) const = 0;
  /// Adds the three rows of the velocity of the material point of a body that is at `point` at the evaluated instant, over the unknowns
  /// of this formulation: what impulses and contacts act along.
  virtual void add_point_rows(int body, const Vec3& point, solve::ExtraRows& rows) const = 0;
};

/// The formulation whose coordinates those are; so far body velocities and multipliers (maximal/). The problem holds representative numbers,
/// those of `start`; `system` outlives the result.
std::unique_ptr<Formulation> make_formulation(Coordinates coordinates, System& system, const Instant& start);

}  // namespace catena
