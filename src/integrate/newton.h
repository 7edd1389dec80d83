// Newton's method for one implicit stage: full steps, a criterion without units, and a watch on the signs of the pivots.
//
// Every failure with full steps seen so far was announced by pivots of the wrong sign: the matrix then belongs to a saddle of the step's
// energy, not to a minimum. Three such matrices in a row, or no convergence after Options::max_newton_iterations, end the attempt; the
// caller takes a shorter step. There is no line search: it postpones what a shorter step cures.
#pragma once

#include "formulation/stage_equations.h"
#include "integrate/scheme.h"

namespace catena {

struct NewtonResult {
  bool converged = false;
  int iterations = 0;
  int wrong_signs = 0;  // matrices with them
  StageError error;
  SolveResult solve;
};

class Newton {
 public:
  /// Solves the stage from the guess in u, λ.
  NewtonResult solve(StageEquations& stage, const Options& options, VecX& u, VecX& lambda);

 private:
  VecX du_, dlambda_;
};

}  // namespace catena
