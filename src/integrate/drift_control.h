// What acceleration-level schemes do about drift: feedback inside the solve, feedback after it, projection, nothing.
//
//   inside   J v̇ = -b - k_d Ċ - k_s C                       prescribes the decay of C, whatever the masses           (1)
//   after    J v̇ = -b, then v̇ += M⁻¹ Jᵀ (-k_s C - k_d Ċ)    a spring force; its effect depends on the masses          (2)
// Constants are tied to the step: α = η/h, k_d = 2α, k_s = α² (critical damping), because the stability limit of discrete
// feedback is on α·h, never on α.
#pragma once

#include "integrate/projection.h"

namespace catena {

class DriftControl {
 public:
  /// Accelerations at the start of a step, with the feedback asked for.
  SolveResult start_accelerations(Equations& equations, const Options& options, const StepStart& start,
                                  double h, VecX& acceleration, VecX& lambda);
  /// The same at the last evaluated point, which is not factored yet.
  SolveResult accelerations_at(Equations& equations, const Options& options, const VecX& v, double h,
                               VecX& acceleration, VecX& lambda);
  /// The same at the last evaluated and factored point.
  SolveResult solve_accelerations(Equations& equations, const Options& options, const VecX& v, double h,
                                  VecX& acceleration, VecX& lambda);
  /// Projection after the step, if asked for; otherwise only reads the error that was left. `last` is the last solve of the step.
  StepOutcome finish(Equations& equations, const Options& options, const SolveResult& last, State& next);

 private:
  Projection projection_;
  VecX rate_, d_, feedback_;
};

}  // namespace catena
