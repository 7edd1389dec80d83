// The cone L = {x₀ ≥ |x_t|} and the scaling of Nesterov and Todd, for interior_point.h. Vectors of three; in the plane the last is 0.
//
// Legend
//   a ∘ b    (a·b, a₀ b_t + b₀ a_t)
//   det a    a₀² - |a_t|²,    J = diag(1, -1, -1)
//
//   x̄ = x/√det x,  z̄ = z/√det z,  γ = √((1 + x̄·z̄)/2),  w = (z̄ + J x̄)/(2γ),  v = (w + e)/√(2(w₀ + 1)),  η² = √(det z/det x)          (1)
//   R² = η² (2 w wᵀ - J),   R = η (2 v vᵀ - J):   R² x = z,   λ = R x = R⁻¹ z                                                     (2)
#pragma once

#include <Eigen/Core>

#include <cmath>
#include <limits>

namespace catena::solve::complementarity {

using Eigen::Matrix3d;
using Eigen::Vector3d;

inline double lorentz_tangent(const Vector3d& a) {
  return std::hypot(a[1], a[2]);
}

inline double lorentz_det(const Vector3d& a) {
  const double t = lorentz_tangent(a);
  return (a[0] - t) * (a[0] + t);
}

inline Vector3d lorentz_product(const Vector3d& a, const Vector3d& b) {
  return {a.dot(b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
}

/// x with a ∘ x = b.
inline Vector3d lorentz_quotient(const Vector3d& a, const Vector3d& b) {
  const double det = lorentz_det(a), tangents = a[1] * b[1] + a[2] * b[2];
  Vector3d x;
  x[0] = (a[0] * b[0] - tangents) / det;
  for (int i = 1; i < 3; ++i) x[i] = (-b[0] * a[i] + (det / a[0]) * b[i] + (tangents / a[0]) * a[i]) / det;
  return x;
}

/// Largest α ≥ 0 with x + α d in L, for x inside of it.
inline double step_in_lorentz(const Vector3d& x, const Vector3d& d) {
  const double a = lorentz_det(d), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = lorentz_det(x);
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return std::numeric_limits<double>::infinity();
  const double below = -b + std::sqrt(discriminant);
  return below > 0.0 ? c / below : std::numeric_limits<double>::infinity();
}

struct LorentzScaling {
  Matrix3d square, root, inverse;  // R², R, R⁻¹
  Vector3d lambda;

  /// Both inside of L.
  LorentzScaling(const Vector3d& x, const Vector3d& z) {
    const Vector3d signs(1.0, -1.0, -1.0);
    const double det_x = lorentz_det(x), det_z = lorentz_det(z);
    const Vector3d unit_x = x / std::sqrt(det_x), unit_z = z / std::sqrt(det_z);
    const double gamma = std::sqrt(0.5 * (1.0 + unit_x.dot(unit_z)));
    const Vector3d w = (unit_z + signs.cwiseProduct(unit_x)) / (2.0 * gamma);
    const Vector3d v = (w + Vector3d::UnitX()) / std::sqrt(2.0 * (w[0] + 1.0));
    const double eta2 = std::sqrt(det_z / det_x), eta = std::sqrt(eta2);
    const Matrix3d J = signs.asDiagonal();
    square = eta2 * (2.0 * w * w.transpose() - J);
    root = eta * (2.0 * v * v.transpose() - J);
    const Vector3d reflected = signs.cwiseProduct(v);
    inverse = (2.0 * reflected * reflected.transpose() - J) / eta;
    lambda.noalias() = root * x;
  }
};

}  // namespace catena::solve::complementarity
