#include "integrate/newton.h"

#include "math/all_finite.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace catena {
namespace {

// Forces are balanced to this many times newton_tolerance, or, where the guess was nearer than that to the solution because the step is
// short, to this part of what it was off by: what is left must stay below the error of the scheme.
constexpr double kForces = 100.0, kOfGuess = 1e-3;
constexpr int kPatience = 3;          // matrices with wrong signs, in a row
constexpr double kFarAway = 1e6;      // a correction of this many metres or radians leads nowhere
constexpr double kDiverging = 900.0;  // error over the best so far, after a few iterations
// The next correction may use the old factor when it is going to be the last: it shrinks the error as the one before did.
constexpr double kReuseBelow = 0.1, kReuseReserve = 0.3;

}  // namespace

NewtonResult Newton::solve(StageEquations& stage, const Options& options, VecX& u, VecX& lambda) {
  assert(u.size() == stage.num_v() && lambda.size() == stage.num_lambda());
  NewtonResult out;
  const double tolerance = options.newton_tolerance;
  double force_tolerance = kForces * tolerance;
  double best = std::numeric_limits<double>::infinity(), previous = best;
  int wrong_in_a_row = 0;
  for (;;) {
    out.error = stage.evaluate(u, lambda);
    const double error = out.error.largest();
    if (out.iterations == 0)
      force_tolerance = std::clamp(kOfGuess * out.error.forces, tolerance, force_tolerance);
    // never the guess itself: at small steps it is within any tolerance, and its errors would add up
    if (out.iterations > 0 && out.error.constraints < tolerance && out.error.forces < force_tolerance) {
      out.converged = true;
      return out;
    }
    if (out.iterations == options.max_newton_iterations || !std::isfinite(error)) return out;
    best = std::min(best, error);
    if (out.iterations >= 4 && error > kDiverging * best) return out;
    const double ratio = error / previous;
    const bool reuse = out.iterations > 0 && ratio < kReuseBelow && error * ratio < kReuseReserve * tolerance;
    previous = error;
    if (!reuse) {
      out.solve = stage.factor();
      if (!out.solve.ok()) return out;
      const bool is_right = stage.has_right_signs();
      wrong_in_a_row = is_right ? 0 : wrong_in_a_row + 1;
      out.wrong_signs += is_right ? 0 : 1;
      if (wrong_in_a_row == kPatience) return out;
    }
    stage.solve(du_, dlambda_);
    ++out.iterations;
    if (!math::all_finite(du_) || !(du_.lpNorm<Eigen::Infinity>() < kFarAway)) return out;
    stage.advance(du_, u);
    lambda += dlambda_;
  }
}

}  // namespace catena
