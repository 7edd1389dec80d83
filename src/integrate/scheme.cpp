#include "integrate/scheme.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace catena {

double position_tolerance(const Equations& equations, const Options& options, const VecX& q) {
  assert(equations.length_scale() > 0.0 && q.size() == equations.num_q());
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * q.lpNorm<Eigen::Infinity>();
  return options.position_tolerance * equations.length_scale() + rounding;
}

double largest_error(const VecX& C, int& row) {
  double largest = 0.0;
  row = -1;
  for (Eigen::Index i = 0; i < C.size(); ++i) {
    // a NaN must win, or a diverged iteration would look converged
    if (!(std::abs(C[i]) <= largest)) {
      largest = std::abs(C[i]);
      row = int(i);
      if (std::isnan(largest)) break;
    }
  }
  return largest;
}

}  // namespace catena
