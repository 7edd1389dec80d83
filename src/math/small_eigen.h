// Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi's rotations, in place and without allocation.
#pragma once

#include <cmath>

namespace catena::math {

/// A (n × n, column-major) becomes diagonal with the eigenvalues; the columns of Q their eigenvectors.
inline void find_eigenvectors(int n, double* A, double* Q) {
  constexpr int kMostSweeps = 30;  // six or so are enough
  for (int i = 0; i < n * n; ++i) Q[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0.0, size = 0.0;
    for (int i = 0; i < n * n; ++i) (i % (n + 1) == 0 ? size : off) += A[i] * A[i];
    if (off <= 1e-32 * size) return;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double a = A[p + q * n];
        if (a == 0.0) continue;
        const double theta = 0.5 * (A[q + q * n] - A[p + p * n]) / a;
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
        const auto rotate = [c, s](double& x, double& y) {
          const double old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (int i = 0; i < n; ++i) rotate(A[i + p * n], A[i + q * n]);
        for (int i = 0; i < n; ++i) rotate(A[p + i * n], A[q + i * n]);
        for (int i = 0; i < n; ++i) rotate(Q[i + p * n], Q[i + q * n]);
      }
  }
}

}  // namespace catena::math
