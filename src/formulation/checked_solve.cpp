#include "formulation/checked_solve.h"

#include "math/all_finite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
// Beyond this the factor itself may be off by a large part.
constexpr double kExtremeMasses = 1e7;
// Passes of refinement there, what each must leave at most of the change of the one before, where they end, and the change beyond which
// an end without gain is a refusal.
constexpr int kExtremePasses = 60;
constexpr double kExtremeGain = 0.8, kExtremeTarget = 1e-14, kLargestChange = 1e-7;
// Beside bodies that move, one at rest has the rounding of its neighbours: this part of the largest acceleration counts as its own.
constexpr double kPartAtRest = 1e-4;

// Rows that imply each other where joints are closed disagree where they are open by a part δ of the model's size and part at a rate ε:
// by this many times δ (|J v̇| + |v|²) + ε |v|.
constexpr double kDisagreement = 10.0;
// Joints that are further open than this part of the model's size excuse no more: then constraints contradict each other.
constexpr double kLargestOpening = 1e-2;

// In steady motion all accelerations cancel, and what is left of J̇v is the error of its parts, of the size of |v|² times rounding
// and times the error of the positions it is taken at. A residual of that size says nothing about the solution; to remove it
// would take forces without bound where rows are redundant.
bool is_rounding_of_rates(const solve::Problem& problem, double speed2, const solve::Residual& residual) {
  const double relative_error =
      64.0 * std::numeric_limits<double>::epsilon() + 8.0 * std::min(problem.row_error, kLargestRowError);
  return residual.relative2 > kRescueAbove && residual.relative1 <= kRescueAbove &&
         residual.r2.lpNorm<Eigen::Infinity>() <= relative_error * speed2;
}

// The largest acceleration in the rows: |J x|, d, and what the applied forces alone would give, with the diagonal of M. Unlike the scale
// of compute_residual it knows nothing of what multipliers do to light bodies: 1e6 N on 1e-6 kg would hide every error.
double acceleration_scale(const solve::Problem& p, const VecX& f, const VecX& d, const VecX& x) {
  const solve::Graph& g = *p.graph;
  double scale = d.size() > 0 ? d.lpNorm<Eigen::Infinity>() : 0.0;
  for (const solve::Edge& e : g.edges) {
    const int dim = g.dims[e.body], at = g.body_offset[e.body];
    for (int i = 0; i < g.rows[e.constraint]; ++i) {
      double sum = 0.0;
      for (int j = 0; j < dim; ++j) {
        const double J = p.J[e.offset + i * dim + j];
        sum += J * x[at + j];
        scale = std::max(scale, std::abs(J * f[at + j] / p.M[g.mass_offset[e.body] + j * (dim + 1)]));
      }
      scale = std::max(scale, std::abs(sum));
    }
  }
  return scale;
}

// The acceleration of a body: entries with the weights of the diagonal of M, so that rotations count as what they do at the radius of gyration.
double acceleration_of(const solve::Problem& p, int body, const VecX& x) {
  const solve::Graph& g = *p.graph;
  const int dim = g.dims[body];
  double sum = 0.0, largest = 0.0;
  for (int j = 0; j < dim; ++j) {
    const double M = p.M[g.mass_offset[body] + j * (dim + 1)], entry = x[g.body_offset[body] + j];
    sum += M * entry * entry;
    largest = std::max(largest, M);
  }
  return std::sqrt(sum / largest);
}

/// The largest change of a body's acceleration, relative to it, and whose it is.
struct Change {
  double size = std::numeric_limits<double>::infinity();
  int body = -1;
};

Change largest_change(const solve::Problem& p, const VecX& change, const VecX& x) {
  const int bodies = p.graph->num_bodies();
  double fastest = 0.0;
  for (int b = 0; b < bodies; ++b) fastest = std::max(fastest, acceleration_of(p, b, x));
  Change worst{0.0, -1};
  for (int b = 0; b < bodies; ++b) {
    const double size = acceleration_of(p, b, change);
    const double relative = size / std::max(acceleration_of(p, b, x), kPartAtRest * fastest);
    if (size > 0.0 && !(relative <= worst.size)) worst = {relative, b};
  }
  return worst;
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

double mass_ratio(const std::vector<double>& masses) {
  double lightest = std::numeric_limits<double>::infinity(), heaviest = 0.0;
  for (const double mass : masses) {
    if (mass == 0.0) continue;  // only an inertia
    lightest = std::min(lightest, mass);
    heaviest = std::max(heaviest, mass);
  }
  return heaviest / lightest;
}

double largest_disagreement(double opening, double parting, double scale, double speed2) {
  return kDisagreement *
         (std::min(opening, kLargestOpening) * (scale + speed2) + parting * std::sqrt(speed2));
}

// `scale`: largest term of the rows.
double CheckedSolve::disagreement_here(const solve::Problem& problem, double scale, const RowMotion& motion) {
  rate_ = motion.C_t;
  solve::add_J_times(problem, motion.v, rate_);
  return largest_disagreement(problem.row_error, rate_.lpNorm<Eigen::Infinity>() / motion.length, scale,
                              motion.v.squaredNorm());
}

// Where those that the solver dropped are met as far as joints that are a little open allow, the rows that it kept decide.
void CheckedSolve::excuse_dropped_rows(const solve::Problem& problem, const std::vector<int>& dropped,
                                       const RowMotion& motion) {
  const double scale = residual_.r2.lpNorm<Eigen::Infinity>() / residual_.relative2;
  rate_ = residual_.r2;
  double left = 0.0;
  for (const int row : dropped) {
    left = std::max(left, std::abs(rate_[row]));
    rate_[row] = 0.0;
  }
  const double kept = rate_.lpNorm<Eigen::Infinity>() / scale;
  if (kept > tolerance_ || !(left <= disagreement_here(problem, scale, motion))) return;
  residual_.relative = std::max(residual_.relative1, kept);
}

// What is left of rows and cannot be less says nothing against the solution.
void CheckedSolve::excuse_rows(const solve::Problem& problem, const solve::EqualitySolver& solver,
                               const RowMotion& motion) {
  if (!(residual_.relative > kRescueAbove) || residual_.relative1 > kRescueAbove) return;
  if (solver.is_least_squares() || is_rounding_of_rates(problem, motion.v.squaredNorm(), residual_))
    residual_.relative = residual_.relative1;
  else if (!solver.dropped_rows().empty())
    excuse_dropped_rows(problem, solver.dropped_rows(), motion);
}

// Names the equation with the largest residual.
void CheckedSolve::blame(const solve::Problem& problem, SolveResult& result) const {
  result.status = SolveResult::Status::residual;
  result.is_of_forces = residual_.relative1 >= residual_.relative2 || mass_ratio_ > kExtremeMasses;
  Eigen::Index at = 0;
  if (unsettled_body_ >= 0) {
    result.body = unsettled_body_;
  } else if (result.is_of_forces) {
    residual_.r1.cwiseAbs().maxCoeff(&at);
    result.body = solve::find_block(problem.graph->body_offset, int(at));
  } else {
    residual_.r2.cwiseAbs().maxCoeff(&at);
    result.constraint = solve::find_block(problem.graph->row_offset, int(at));
  }
}

// Names the first body whose solution is not finite.
void CheckedSolve::blame_not_finite(const solve::Problem& problem, const VecX& x, SolveResult& result) {
  result.status = SolveResult::Status::not_finite;
  for (Eigen::Index i = 0; i < x.size() && result.body < 0; ++i)
    if (!std::isfinite(x[i])) result.body = solve::find_block(problem.graph->body_offset, int(i));
}

// One pass of refinement, with the factor that x and λ were found with.
SolveResult CheckedSolve::refine(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                                 const VecX& d, VecX& x, VecX& lambda) {
  const SolveResult result =
      from(solver.solve(problem, residual_.r1, residual_.r2, correction_x_, correction_lambda_));
  if (!result.ok()) return result;
  x += correction_x_;
  lambda += correction_lambda_;
  solve::compute_residual(problem, f, d, x, lambda, residual_);
  return result;
}

// Where masses differ by many orders the factor may be off by a large part of itself, and refinement gains a power of that part a pass. It goes
// on while what it changes at single bodies becomes less: that is what is left of their error, which no residual tells, since the rounding of
// large forces hides light bodies. Where it does not become less the solution is refused. Rows are judged by accelerations.
void CheckedSolve::refine_extreme_masses(const solve::Problem& problem, solve::EqualitySolver& solver,
                                         const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  Change change;
  for (int pass = 0; pass < kExtremePasses && change.size > kExtremeTarget; ++pass) {
    if (!refine(problem, solver, f, d, x, lambda).ok()) break;
    const Change before = std::exchange(change, largest_change(problem, correction_x_, x));
    if (!(change.size < kExtremeGain * before.size)) break;
  }
  const double left = residual_.r2.size() > 0 ? residual_.r2.lpNorm<Eigen::Infinity>() : 0.0;
  const double rows = left > 0.0 ? left / acceleration_scale(problem, f, d, x) : 0.0;
  residual_.relative2 = std::max(residual_.relative2, rows);
  residual_.relative = std::max(residual_.relative, rows);
  if (change.size <= kLargestChange) return;
  residual_.relative = residual_.relative1 = std::max(residual_.relative1, change.size);
  unsettled_body_ = change.body;
}

SolveResult CheckedSolve::check(const solve::Problem& problem, solve::EqualitySolver& solver, const VecX& f,
                                const VecX& d, const RowMotion& motion, VecX& x, VecX& lambda) {
  solve::compute_residual(problem, f, d, x, lambda, residual_);
  unsettled_body_ = -1;
  int passes = solver.refinements();
  if (residual_.relative > kRefineAbove || mass_ratio_ > kWideMasses) passes = std::max(passes, 1);
  for (int pass = 0; pass < passes && solver.iterations() == 0; ++pass) {
    const SolveResult refined = refine(problem, solver, f, d, x, lambda);
    if (!refined.ok()) return refined;
  }
  if (mass_ratio_ > kExtremeMasses) refine_extreme_masses(problem, solver, f, d, x, lambda);
  excuse_rows(problem, solver, motion);
  // a second way to rows, not to light bodies
  const bool has_rows_left = residual_.relative > kRescueAbove && unsettled_body_ < 0;
  if (has_rows_left && solver.rescue(problem, f, d, x, lambda)) {
    solve::compute_residual(problem, f, d, x, lambda, residual_);
    excuse_rows(problem, solver, motion);
  }
  SolveResult result;
  result.residual = residual_.relative;
  if (!std::isfinite(residual_.relative) || !math::all_finite(x) || !math::all_finite(lambda)) {
    blame_not_finite(problem, x, result);
  } else if (residual_.relative > tolerance_) {
    blame(problem, result);
  }
  return result;
}

}  // namespace catena
