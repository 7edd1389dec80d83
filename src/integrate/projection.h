// Brings a state back onto the constraints with the least change in the mass metric.
//
//   positions    M δ = Jᵀμ,  J δ = -C,  q ← q ⊕ δ,     repeated with fresh M, J until |C| and δ are small        (1)
//   velocities   M v⁺ = M v + Jᵀμ,  J v⁺ = -C_t                                                              (2)
// It removes energy when it has much to do (algorithms keep constraints inside the step for that reason); it is used to
// repair user edits, for consistent starts and to take the rounding-size drift out of accurate explicit schemes.
#pragma once

#include "integrate/scheme.h"

namespace catena {

struct Projection {
  /// Works on q and v of `state` at its time; leaves the equations evaluated and factored at the result.
  StepOutcome project(Equations& equations, const Options& options, State& state);
  StepOutcome project_positions(Equations& equations, const Options& options, State& state);
  StepOutcome project_velocities(Equations& equations, State& state);

 private:
  VecX zero_, d_, x_, mu_, P_;
};

}  // namespace catena
