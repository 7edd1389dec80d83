#include "formulation/checked_solve.h"

#include "math/all_finite.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

// Direct solvers leave 1e-15 or so; above this one pass of refinement is worth its cost.
constexpr double kRefineAbove = 1e-12;
// Above this a solver that has a second way is asked to take it.
constexpr double kRescueAbove = 1e-10;
// Positions of a running simulation are better than this; a start that is far off says nothing about the error of its rows.
constexpr double kLargestRowError = 1e-9;
// Beyond this ratio of masses the residual, which is measured against the largest forces, says little about light bodies: then
// every solution is refined once. It brings 3e-10 back to 1e-10 at a ratio of 1e6 and a condition number of 1e6.
constexpr double kWideMasses = 1e3;

// In steady motion all accelerations cancel, and what is left of J̇v is the error of its parts, of the size of |v|² times rounding
// and times the error of the positions it is taken at. A residual of that size says nothing about the solution; to remove it
// would take forces without bound where rows are redundant.
bool is_rounding_of_rates(const solve::Problem& problem, double speed2, const solve::Residual& residual) {
  const double relative_error =
      64.0 * std::numeric_limits<double>::epsilon() + 8.0 * std::min(problem.row_error, kLargestRowError);
  return residual.relative2 > kRescueAbove && residual.relative1 <= kRescueAbove &&
         residual.r2.lpNorm<Eigen::Infinity>() <= relative_error * speed2;
}

}  // namespace

SolveResult from(const solve::FactorResult& result) {
  SolveResult out;
  out.constraint = result.constraint;
  out.body = result.body;
  switch (result.status) {
    case solve::FactorStatus::ok:
      break;
    case solve::FactorStatus::singular:
      out.status = SolveResult::Status::singular;
      break;
    case solve::FactorStatus::not_positive:
      out.status = SolveResult::Status::not_positive;
      break;
  }
  return out;
}

bool has_wide_masses(const std::vector<double>& masses) {
  double lightest = std::numeric_limits<double>::infinity(), heaviest = 0.0;
  for (const double mass : masses) {
    if (mass == 0.0) continue;  // only an inertia
    lightest = std::min(lightest, mass);
    heaviest = std::max(heaviest, mass);
  }
  return heaviest > kWideMasses * lightest;
}

SolveResult CheckedSolve::check(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                                const VecX& d, double speed2, VecX& x, VecX& lambda) {
  solve::compute_residual(problem, f, d, x, lambda, residual_);
  int passes = solver.refinements();
  if (residual_.relative > kRefineAbove || wide_masses_) passes = std::max(passes, 1);
  for (int pass = 0; pass < passes && solver.iterations() == 0; ++pass) {
    const SolveResult refined =
        from(solver.solve(problem, residual_.r1, residual_.r2, correction_x_, correction_lambda_));
    if (!refined.ok()) return refined;
    x += correction_x_;
    lambda += correction_lambda_;
    solve::compute_residual(problem, f, d, x, lambda, residual_);
  }
  if (is_rounding_of_rates(problem, speed2, residual_)) residual_.relative = residual_.relative1;
  if (residual_.relative > kRescueAbove && solver.rescue(problem, f, d, x, lambda))
    solve::compute_residual(problem, f, d, x, lambda, residual_);
  SolveResult result;
  result.residual = residual_.relative;
  if (!std::isfinite(residual_.relative) || !math::all_finite(x) || !math::all_finite(lambda)) {
    result.status = SolveResult::Status::not_finite;
  } else if (residual_.relative > tolerance_) {
    result.status = SolveResult::Status::residual;
    Eigen::Index row = 0;
    if (residual_.r2.size() > 0 && residual_.r2.cwiseAbs().maxCoeff(&row) > 0.0)
      result.constraint = solve::find_block(problem.graph->row_offset, int(row));
  }
  return result;
}

}  // namespace catena
