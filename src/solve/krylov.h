// GMRES with a preconditioner on the right: the residual it minimises is the true one.
#pragma once

#include "catena/interrupt.h"

#include <Eigen/Core>

#include <cmath>

namespace catena::solve {

class Krylov {
 public:
  struct Outcome {
    int iterations = 0;
    double residual = 0.0;  // |b - A x| / |b|
  };

  /// x += (what reduces b - A x), at most `max_iterations` products. apply(v, out): out = A v; precondition(v): v ← P⁻¹ v.
  /// Stops below `tolerance` · |b|, or when rounding allows no more.
  template <class Apply, class Precondition>
  Outcome improve(const Eigen::VectorXd& b, int max_iterations, double tolerance, Apply apply,
                  Precondition precondition, Eigen::VectorXd& x) {
    const Eigen::Index n = b.size();
    Outcome out;
    basis_.resize(n, max_iterations + 1);
    H_.setZero(max_iterations + 1, max_iterations);
    rotations_.resize(2, max_iterations);
    g_.setZero(max_iterations + 1);
    apply(x, work_);
    basis_.col(0) = b - work_;
    const double size = b.norm(), start = basis_.col(0).norm();
    out.residual = size > 0.0 ? start / size : 0.0;
    if (!(start > tolerance * size)) return out;
    basis_.col(0) /= start;
    g_[0] = start;
    int k = 0;
    while (k < max_iterations && std::abs(g_[k]) > tolerance * size) {
      allow_interruption();
      direction_ = basis_.col(k);
      precondition(direction_);
      apply(direction_, work_);
      for (int pass = 0; pass < 2; ++pass)  // twice is enough: orthogonal to rounding
        for (int i = 0; i <= k; ++i) {
          const double h = basis_.col(i).dot(work_);
          H_(i, k) += h;
          work_ -= h * basis_.col(i);
        }
      const double next = work_.norm();
      rotate(k, next);
      ++k;
      if (!(next > 1e-14 * H_.col(k - 1).head(k).norm())) break;  // the space is exhausted
      basis_.col(k) = work_ / next;
    }
    out.iterations = k;
    if (k == 0) return out;
    y_ = H_.topLeftCorner(k, k).triangularView<Eigen::Upper>().solve(g_.head(k));
    if (!y_.allFinite()) return out;
    direction_.noalias() = basis_.leftCols(k) * y_;
    precondition(direction_);
    x += direction_;
    apply(x, work_);
    out.residual = size > 0.0 ? (b - work_).norm() / size : 0.0;
    return out;
  }

 private:
  // Keeps H triangular by plane rotations; `below` is the entry under its diagonal.
  void rotate(int k, double below) {
    for (int i = 0; i < k; ++i) {
      const double c = rotations_(0, i), s = rotations_(1, i), a = H_(i, k), b = H_(i + 1, k);
      H_(i, k) = c * a + s * b;
      H_(i + 1, k) = -s * a + c * b;
    }
    const double length = std::hypot(H_(k, k), below);
    const double c = length > 0.0 ? H_(k, k) / length : 1.0, s = length > 0.0 ? below / length : 0.0;
    rotations_(0, k) = c;
    rotations_(1, k) = s;
    H_(k, k) = length;
    g_[k + 1] = -s * g_[k];
    g_[k] *= c;
  }

  Eigen::MatrixXd basis_, H_, rotations_;
  Eigen::VectorXd g_, y_, work_, direction_;
};

}  // namespace catena::solve
