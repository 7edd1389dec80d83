// A⁻¹B by Gauss's elimination with row pivots: a reference that shares nothing with the solvers, and compiles in no time.
#pragma once

#include "catena/math.h"

namespace catena::test {

/// @pre A is square and has an inverse
inline MatX dense_solve(MatX A, MatX B) {
  const Eigen::Index n = A.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index best = 0;
    A.col(k).tail(n - k).cwiseAbs().maxCoeff(&best);
    A.row(k).swap(A.row(k + best));
    B.row(k).swap(B.row(k + best));
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const double factor = A(i, k) / A(k, k);
      A.row(i).tail(n - k) -= factor * A.row(k).tail(n - k);
      B.row(i) -= factor * B.row(k);
    }
  }
  for (Eigen::Index k = n; k-- > 0;) {
    for (Eigen::Index i = k + 1; i < n; ++i) B.row(k) -= A(k, i) * B.row(i);
    B.row(k) /= A(k, k);
  }
  return B;
}

}  // namespace catena::test
