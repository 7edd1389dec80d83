// The balance of forces on bodies in an implicit stage, r₁ = inertia - F - Kᵀλ, and how far it is from zero: relative to the forces that
// act on a body, torques divided by a lever.   O(bodies + rows)
#pragma once

#include "formulation/stage_equations.h"
#include "formulation/system.h"

namespace catena {

class ForceBalance {
 public:
  explicit ForceBalance(const Layout& layout);

  VecX r;  // r₁ of stage_equations.h

  /// r -= F. @param s  of the stage: a force counts where it would move a body visibly within it
  void subtract_applied(const VecX& F, double s);
  /// r -= Kᵀλ, with λ laid out as in the problem.
  void subtract_rows(const solve::Problem& problem, const VecX& lambda);
  /// The largest imbalance of a body and which it is.
  void measure(StageError& error) const;

 private:
  const Layout& layout_;
  std::vector<double> inverse_lever_;  // per body: of its longest lever, to compare torques with forces   1/m
  VecX weight_;                        // per body: size of the terms of r
};

}  // namespace catena
