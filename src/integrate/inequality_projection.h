// Brings the end of a step with inequalities back onto the constraints and out of what it has entered, with the least change in the mass metric.
//
//   positions    M δ = Jᵀμ + Aᵀr,  J δ = -C,  gap + A δ ≥ 0 ⟂ r ≥ 0,  q ← q ⊕ δ,    repeated until |C| and what is entered are small    (1)
//   velocities   M v⁺ = M v + Jᵀμ + Aᵀr,  J v⁺ = -C_t;  what pushed in the step lets nothing through, what stuck in it sticks            (2)
//
// (2) only where there are constraints: without them the velocities of the step are what they should be.
#pragma once

#include "integrate/inequality_set.h"
#include "integrate/scheme.h"

namespace catena {

class InequalityProjection {
 public:
  /// Works on q and v of `state` at its time. @param step  what held in the step
  StepOutcome project(Equations& equations, const Options& options, const InequalitySet& step, State& state);

 private:
  StepOutcome project_positions(Equations& equations, const Options& options, State& state);
  StepOutcome project_velocities(Equations& equations, const InequalitySet& step, State& state);

  InequalitySet held_;
  VecX zero_, d_, x_, mu_, P_;
};

}  // namespace catena
