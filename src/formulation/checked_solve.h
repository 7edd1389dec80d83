// A solution with its residual: refined where that helps, and judged. What every step stands on.
#pragma once

#include "formulation/equations.h"
#include "solve/equality_solver.h"

namespace catena {

class CheckedSolve {
 public:
  /// @param wide_masses  the masses of the problem differ so much that the residual says little about light bodies
  void reset(double residual_tolerance, bool wide_masses) {
    tolerance_ = residual_tolerance;
    wide_masses_ = wide_masses;
  }

  /// Residual of x, λ, refinement with the factor they were found with, the verdict. `x` and `lambda` are improved in place.
  /// @param speed2  |v|² at the instant, for what rounding leaves of J̇v
  SolveResult check(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                    const VecX& d, double speed2, VecX& x, VecX& lambda);

  /// What the last check left of J x = d.
  const VecX& row_residual() const { return residual_.r2; }

 private:
  double tolerance_ = 1e-9;
  bool wide_masses_ = false;
  solve::Residual residual_;
  VecX correction_x_, correction_lambda_;
};

/// Whether masses differ so much that every solution is refined once.
bool has_wide_masses(const std::vector<double>& masses);

/// What a factorisation says, in the words of the equations.
SolveResult from(const solve::FactorResult& result);

}  // namespace catena
