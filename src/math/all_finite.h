// Whether a vector holds numbers only, at the speed of reading it.
#pragma once

#include <Eigen/Core>

namespace catena::math {

/// 0·x is 0 for every finite x and NaN for the others; the sum of them tells in one vectorised pass.
inline bool all_finite(const Eigen::VectorXd& x) {
  return x.size() == 0 || (0.0 * x.array()).sum() == 0.0;
}

}  // namespace catena::math
