// A solution with its residual: refined where that helps, and judged. What every step stands on.
#pragma once

#include "formulation/equations.h"
#include "solve/equality_solver.h"

namespace catena {

/// The motion that the rows of a problem belong to: it says by how much dependent ones may disagree.
struct RowMotion {
  const VecX& v;
  const VecX& C_t;
  double length;  // of the model: errors of rows are relative to it   m
};

class CheckedSolve {
 public:
  /// @param mass_ratio  of the heaviest body to the lightest: where it is large, the residual says little about light bodies
  void reset(double residual_tolerance, double mass_ratio) {
    tolerance_ = residual_tolerance;
    mass_ratio_ = mass_ratio;
  }

  /// Residual of x, λ, refinement with the factor they were found with, the verdict. `x` and `lambda` are improved in place.
  SolveResult check(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                    const VecX& d, const RowMotion& motion, VecX& x, VecX& lambda);

  /// What the last check left of J x = d.
  const VecX& row_residual() const { return residual_.r2; }

 private:
  SolveResult refine(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                     const VecX& d, VecX& x, VecX& lambda);
  void refine_extreme_masses(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                             const VecX& d, VecX& x, VecX& lambda);
  void excuse_rows(const solve::Problem& problem, const solve::EqualitySolver& solver,
                   const RowMotion& motion);
  void excuse_dropped_rows(const solve::Problem& problem, const std::vector<int>& dropped,
                           const RowMotion& motion);
  void blame(const solve::Problem& problem, SolveResult& result) const;
  static void blame_not_finite(const solve::Problem& problem, const VecX& x, SolveResult& result);
  double disagreement_here(const solve::Problem& problem, double scale, const RowMotion& motion);

  double tolerance_ = 1e-9;
  double mass_ratio_ = 1.0;
  int unsettled_body_ = -1;  // whose acceleration refinement goes on changing
  solve::Residual residual_;
  VecX correction_x_, correction_lambda_, rate_;
};

/// By how much rows may disagree that imply each other where joints are closed: off by `opening` of the model's size they disagree by a part
/// of it, parting at the rate `parting` (of that size) by a part of the speed.
/// @param scale, speed2  the largest acceleration in the rows, and |v|²
double largest_disagreement(double opening, double parting, double scale, double speed2);

/// Of the heaviest body to the lightest; 0 without any.
double mass_ratio(const std::vector<double>& masses);

/// What a factorisation says, in the words of the equations.
SolveResult from(const solve::FactorResult& result);

}  // namespace catena
