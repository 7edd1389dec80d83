// The rotation vector of a against b as three rows, and how its torques change with rotation.
//
// φ = log(R_bᵀR_a), A = J_l⁻¹(φ) = 1 - ½[φ]× + κ[φ]×²: C, G and γ are (3), (4) of coordinates.cpp. The torque of multipliers λ on a is
// τ = R_b Aᵀλ, and -τ on b. It turns with b, and Aᵀλ changes with φ:
//   δτ = -[τ]×δθ_b + Q(δθ_a - δθ_b),   Q = R_b N A R_bᵀ,   N = ∂(Aᵀλ)/∂φ                                          (1)
//   N = -½[λ]× - κ([φ × λ]× + [φ]×[λ]×) + 2κ'·(φ × (φ × λ))φᵀ,   κ' = dκ/d|φ|²                                     (2)
#pragma once

#include "math/rotation.h"
#include "model/joints/rows.h"

namespace catena {

inline void write_rotation_rows(Rows& rows, int first, const Marker& a, const Marker& b) {
  const Mat3 R_bt = b.R.transpose();
  const Vec3 phi = log_rotation(times(R_bt, a.R));
  const Mat3 A = log_jacobian(phi), G = times(A, R_bt);
  for (int i = 0; i < 3; ++i) {
    rows.C(first + i) = phi[i];
    rows.set_G(first + i, 0, Vec3::Zero(), G.row(i));
    rows.set_G(first + i, 1, Vec3::Zero(), -G.row(i));
  }
  if (!rows.wants_gamma()) return;
  const Vec3 w = b.R.transpose() * (a.w - b.w), phi_dot = A * w, cross = phi.cross(w);
  const double kappa = log_coefficient(phi.squaredNorm()),
               kappa_rate = log_coefficient_rate(phi.squaredNorm());
  const Vec3 A_dot_w = -0.5 * phi_dot.cross(w) +
                       kappa * (phi_dot.cross(cross) + phi.cross(phi_dot.cross(w))) +
                       2.0 * kappa_rate * phi.dot(phi_dot) * phi.cross(cross);
  const Vec3 gamma = A_dot_w - G * b.w.cross(a.w);
  for (int i = 0; i < 3; ++i) rows.gamma(first + i) = gamma[i];
}

/// τ and Q of (1).
struct RotationStiffness {
  Vec3 torque;
  Mat3 Q;
};
inline RotationStiffness rotation_stiffness(const Vec3& phi, const Mat3& R_b, const Vec3& lambda) {
  const Mat3 A = log_jacobian(phi);
  const double kappa = log_coefficient(phi.squaredNorm()),
               kappa_rate = log_coefficient_rate(phi.squaredNorm());
  const Vec3 cross = phi.cross(lambda);
  Mat3 N =
      (2.0 * kappa_rate * phi.cross(cross)) * phi.transpose() - kappa * (lambda * phi.transpose());  // (2)
  N.diagonal().array() += kappa * phi.dot(lambda);
  N -= skew(0.5 * lambda + kappa * cross);
  return {R_b * (A.transpose() * lambda), times(times(R_b, times(N, A)), R_b.transpose())};
}

inline void add_rotation_stiffness(const Marker& a, const Marker& b, const Vec3& lambda, MarkerStiffness& K) {
  const RotationStiffness s = rotation_stiffness(log_rotation(times(b.R.transpose(), a.R)), b.R, lambda);
  const Mat3 turn = skew(s.torque);
  K.block(0, 0).bottomRightCorner<3, 3>() += s.Q;  // (1)
  K.block(0, 1).bottomRightCorner<3, 3>() -= s.Q + turn;
  K.block(1, 0).bottomRightCorner<3, 3>() -= s.Q;
  K.block(1, 1).bottomRightCorner<3, 3>() += s.Q + turn;
}

}  // namespace catena
