// The rotation vector of a against b as three rows, and how its torques change with rotation.
//
// φ = log(R_bᵀR_a), A = J_l⁻¹(φ) = 1 - ½[φ]× + κ[φ]×²: C, G and γ are (3), (4) of coordinates.cpp. The torque of multipliers λ on a is
// τ = R_b Aᵀλ, and -τ on b. It turns with b, and Aᵀλ changes with φ:
//   δτ = -[τ]×δθ_b + Q(δθ_a - δθ_b),   Q = R_b N A R_bᵀ,   N = ∂(Aᵀλ)/∂φ                                          (1)
//   N = -½[λ]× - κ([φ × λ]× + [φ]×[λ]×) + 2κ'·(φ × (φ × λ))φᵀ,   κ' = dκ/d|φ|²                                     (2)
// An angle θ = atan2(S, K) of dot rows, with H = Σ ±[e]×[s]× of the pairs s·e that each consists of, D = S² + K², g = (K g_S - S g_K)/D:
//   δτ = λ(P + Q)δθ_a - λ(Pᵀ + Q)δθ_b,   P = (K H_S - S H_K)/D,   Q = (g_S g_Kᵀ - g_K g_Sᵀ - 2 g (S g_S + K g_K)ᵀ)/D      (4)
// Plane row of direction n (fixed in b, times λ), ρ = x_a - x_b: force n on a, -n at b with the moment -ρ × n:
//   δn = -[n]×δθ_b,   δ(ρ × n) = -[n]×δρ - [ρ]×[n]×δθ_b                                                           (3)
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

/// S or K of an angle: a sum of dots s·e, s fixed in a and e in b.
struct Dots {
  double value = 0.0;
  Vec3 g = Vec3::Zero();
  Mat3 H = Mat3::Zero();
  void add(double sign, const Vec3& s, const Vec3& e) {
    value += sign * s.dot(e);
    g += sign * s.cross(e);
    H += sign * (s * e.transpose());  // [e]×[s]× = s eᵀ - (s·e)1
    H.diagonal().array() -= sign * s.dot(e);
  }
};

inline void add_torque_stiffness(const Mat3& by_a, const Mat3& by_b, MarkerStiffness& K) {
  K.block(0, 0).bottomRightCorner<3, 3>() += by_a;
  K.block(0, 1).bottomRightCorner<3, 3>() += by_b;
  K.block(1, 0).bottomRightCorner<3, 3>() -= by_a;
  K.block(1, 1).bottomRightCorner<3, 3>() -= by_b;
}

/// (4)
inline void add_angle_stiffness(const Dots& S, const Dots& K, double lambda, MarkerStiffness& out) {
  const double inverse = 1.0 / (S.value * S.value + K.value * K.value), scale = lambda * inverse;
  const Vec3 g = inverse * (K.value * S.g - S.value * K.g);
  const Mat3 P = scale * (K.value * S.H - S.value * K.H);
  const Mat3 Q = scale * (S.g * K.g.transpose() - K.g * S.g.transpose() -
                          2.0 * g * (S.value * S.g + K.value * K.g).transpose());
  add_torque_stiffness(P + Q, -P.transpose() - Q, out);
}
/// The same for the angle about z of b, (4) of joints/rows.h.
inline void add_hinge_angle_stiffness(const Marker& a, const Marker& b, double lambda, MarkerStiffness& out) {
  Dots S, K;
  S.add(1.0, a.R.col(0), b.R.col(1));
  S.add(-1.0, a.R.col(1), b.R.col(0));
  K.add(1.0, a.R.col(0), b.R.col(0));
  K.add(1.0, a.R.col(1), b.R.col(1));
  add_angle_stiffness(S, K, lambda, out);
}

/// (3); n is the direction times its multiplier.
inline void add_plane_stiffness(const Marker& a, const Marker& b, const Vec3& n, MarkerStiffness& K) {
  const Mat3 turn = skew(n);
  const Vec3 rho = a.x - b.x;
  K.block(0, 1).topRightCorner<3, 3>() -= turn;
  K.block(1, 1).topRightCorner<3, 3>() += turn;
  K.block(1, 0).bottomLeftCorner<3, 3>() += turn;
  K.block(1, 1).bottomLeftCorner<3, 3>() -= turn;
  K.block(1, 1).bottomRightCorner<3, 3>() += skew(rho) * turn;
}

}  // namespace catena
