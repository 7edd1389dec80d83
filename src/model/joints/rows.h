// Row writers: the few kinds of row from which all joints are made.
//
// Legend: markers a and b with x, v, R, ω;  ρ = x_a - x_b;  G = (coefficients of v | of ω) per marker.
//
//   point   C = ρ      G_a = (1 | 0)       G_b = (-1 | 0)         γ = 0                               (1)
//   dot     C = s·e    G_a = (0 | s × e)   G_b = (0 | -(s × e))   γ = (ṡ × e + s × ė)·(ω_a - ω_b)     (2)
//   plane   C = n·ρ    G_a = (n | 0)       G_b = (-n | -(ρ × n))  γ = 2ṅ·ρ̇ + (ω_b × ṅ)·ρ              (3)
//
// s is fixed in a, e and n in b: ṡ = ω_a × s, ė = ω_b × e, ṅ = ω_b × n. Exact off the constraint as well.
//
// Their geometric stiffness K_kl = ∂(G_kᵀλ)/∂(x_l ; φ_l), from δs = φ_a × s, δe = φ_b × e, δn = φ_b × n, blocks by (x | φ):
//
//   dot     K_aa = λ(0 0 ; 0 D),  K_ab = -λ(0 0 ; 0 Dᵀ),  K_ba = -λ(0 0 ; 0 D),  K_bb = λ(0 0 ; 0 Dᵀ),   D = [e]×[s]×           (5)
//   plane   K_ab = λ(0 -[n]× ; 0 0),  K_ba = λ(0 0 ; [n]× 0),  K_bb = λ(0 [n]× ; -[n]× [ρ]×[n]×)                               (6)
//
// An angle atan2(S, K) of sums of dots, with H = Σ ±D of the pairs each consists of, N = S² + K², g = (K g_S - S g_K)/N:
//   ∂g/∂φ_a = P + Q,  ∂g/∂φ_b = -Pᵀ - Q,   P = (K H_S - S H_K)/N,  Q = (g_S g_Kᵀ - g_K g_Sᵀ - 2 g (S g_S + K g_K)ᵀ)/N          (7)
#pragma once

#include "catena/constraint.h"
#include "math/rotation.h"

#include <cmath>

namespace catena {

/// (1) along the world axes: three rows, two (x, y) in the plane.
inline void write_point_rows(Rows& rows, int first, int count, const Marker& a, const Marker& b) {
  auto G_a = rows.G(0), G_b = rows.G(1);
  for (int i = 0; i < count; ++i) {
    rows.C(first + i) = a.x[i] - b.x[i];
    G_a(first + i, i) = 1.0;
    G_b(first + i, i) = -1.0;
  }
}

/// γ of (2), the double cross products multiplied out.
inline double dot_gamma(const Vec3& w_a, const Vec3& s, const Vec3& w_b, const Vec3& e) {
  const Vec3 w = w_a - w_b;
  return e.dot(w_a) * s.dot(w) - s.dot(w_b) * e.dot(w) - s.dot(e) * w.squaredNorm();
}

/// Adds `weight` times (2) to what the row has.
inline void add_dot_row(Rows& rows, int row, double weight, const Marker& a, const Vec3& s, const Marker& b,
                        const Vec3& e) {
  const Vec3 g = weight * s.cross(e);
  rows.C(row) += weight * s.dot(e);
  rows.G(0).row(row).tail<3>() += g;
  rows.G(1).row(row).tail<3>() -= g;
  rows.gamma(row) += weight * dot_gamma(a.w, s, b.w, e);
}

/// The angle of a against b about z of b (hinge_angle) as a row: θ̇ = g·(ω_a - ω_b), θ̈ = g·(ω̇_a - ω̇_b) + γ.
///   θ = atan2(S, K),  S = x_a·y_b - y_a·x_b,  K = x_a·x_b + y_a·y_b,  θ̇ = (K Ṡ - S K̇)/(S² + K²)                    (4)
struct AngleRow {
  double angle;  // in (-π, π]
  Vec3 g;
  double gamma;
};
inline AngleRow angle_row(const Marker& a, const Marker& b, bool with_gamma = true) {
  const Vec3 xa = a.R.col(0), ya = a.R.col(1), xb = b.R.col(0), yb = b.R.col(1), w = a.w - b.w;
  const double S = xa.dot(yb) - ya.dot(xb), K = xa.dot(xb) + ya.dot(yb), D = S * S + K * K;
  const Vec3 g_S = xa.cross(yb) - ya.cross(xb), g_K = xa.cross(xb) + ya.cross(yb);
  if (!with_gamma) return {std::atan2(S + 0.0, K), (K * g_S - S * g_K) / D, 0.0};
  const double S_dot = g_S.dot(w), K_dot = g_K.dot(w);
  const double S_gamma = dot_gamma(a.w, xa, b.w, yb) - dot_gamma(a.w, ya, b.w, xb);
  const double K_gamma = dot_gamma(a.w, xa, b.w, xb) + dot_gamma(a.w, ya, b.w, yb);
  const double rate = (K * S_dot - S * K_dot) / D;
  return {std::atan2(S + 0.0, K), (K * g_S - S * g_K) / D,
          (K * S_gamma - S * K_gamma - 2.0 * rate * (S * S_dot + K * K_dot)) / D};
}

/// [p]×[q]× = q pᵀ - (p·q) 1
inline Mat3 double_cross(const Vec3& p, const Vec3& q) {
  Mat3 m = q * p.transpose();
  m.diagonal().array() -= p.dot(q);
  return m;
}

/// D of (5); K between bodies takes the same four blocks.
inline Mat3 dot_stiffness(const Vec3& s, const Vec3& e) {
  return double_cross(e, s);
}

/// (5)
inline void add_dot_stiffness(double lambda, const Vec3& s, const Vec3& e, MarkerStiffness& K) {
  const Mat3 D = lambda * dot_stiffness(s, e);
  K.block(0, 0).bottomRightCorner<3, 3>() += D;
  K.block(0, 1).bottomRightCorner<3, 3>() -= D.transpose();
  K.block(1, 0).bottomRightCorner<3, 3>() -= D;
  K.block(1, 1).bottomRightCorner<3, 3>() += D.transpose();
}

/// (6); n is the direction times its multiplier.
inline void add_plane_stiffness(const Marker& a, const Marker& b, const Vec3& n, MarkerStiffness& K) {
  const Mat3 turn = skew(n);
  K.block(0, 1).topRightCorner<3, 3>() -= turn;
  K.block(1, 1).topRightCorner<3, 3>() += turn;
  K.block(1, 0).bottomLeftCorner<3, 3>() += turn;
  K.block(1, 1).bottomLeftCorner<3, 3>() -= turn;
  K.block(1, 1).bottomRightCorner<3, 3>() += double_cross(a.x - b.x, n);
}

/// S or K of an angle: a sum of dots s·e, s fixed in a and e in b.
struct Dots {
  double value = 0.0;
  Vec3 g = Vec3::Zero();
  Mat3 H = Mat3::Zero();
  void add(double sign, const Vec3& s, const Vec3& e) {
    value += sign * s.dot(e);
    g += sign * s.cross(e);
    H += sign * dot_stiffness(s, e);
  }
};

/// (7)
struct AngleStiffness {
  Mat3 by_a, by_b;  // ∂g/∂φ_a,  ∂g/∂φ_b
};
inline AngleStiffness angle_stiffness(const Dots& S, const Dots& K) {
  const double inverse = 1.0 / (S.value * S.value + K.value * K.value);
  const Vec3 g = inverse * (K.value * S.g - S.value * K.g);
  const Mat3 P = inverse * (K.value * S.H - S.value * K.H);
  const Mat3 Q = inverse * (S.g * K.g.transpose() - K.g * S.g.transpose() -
                            2.0 * g * (S.value * S.g + K.value * K.g).transpose());
  return {P + Q, -P.transpose() - Q};
}
/// The same for the angle (4).
inline AngleStiffness hinge_angle_stiffness(const Marker& a, const Marker& b) {
  Dots S, K;
  S.add(1.0, a.R.col(0), b.R.col(1));
  S.add(-1.0, a.R.col(1), b.R.col(0));
  K.add(1.0, a.R.col(0), b.R.col(0));
  K.add(1.0, a.R.col(1), b.R.col(1));
  return angle_stiffness(S, K);
}
/// The torque λg on marker a and its reaction on b.
inline void add_angle_stiffness(const AngleStiffness& turn, double lambda, MarkerStiffness& K) {
  K.block(0, 0).bottomRightCorner<3, 3>() += lambda * turn.by_a;
  K.block(0, 1).bottomRightCorner<3, 3>() += lambda * turn.by_b;
  K.block(1, 0).bottomRightCorner<3, 3>() -= lambda * turn.by_a;
  K.block(1, 1).bottomRightCorner<3, 3>() -= lambda * turn.by_b;
}

/// Geometric stiffness of a distance with multiplier λ: a force that turns with the line, λ/|ρ|·(1 - n nᵀ) between the points.
inline void add_distance_stiffness(const Marker& a, const Marker& b, double lambda, MarkerStiffness& K) {
  const Vec3 rho = a.x - b.x;
  const double length = rho.norm();
  if (length == 0.0) return;
  const Vec3 n = rho / length;
  const Mat3 turn = (lambda / length) * (Mat3::Identity() - n * n.transpose());
  K.block(0, 0).topLeftCorner<3, 3>() += turn;
  K.block(1, 1).topLeftCorner<3, 3>() += turn;
  K.block(0, 1).topLeftCorner<3, 3>() -= turn;
  K.block(1, 0).topLeftCorner<3, 3>() -= turn;
}

/// (3)
inline void write_plane_row(Rows& rows, int row, const Marker& a, const Marker& b, const Vec3& n) {
  const Vec3 rho = a.x - b.x;
  const Vec3 n_dot = b.w.cross(n);
  rows.C(row) = n.dot(rho);
  rows.set_G(row, 0, n, Vec3::Zero());
  rows.set_G(row, 1, -n, n.cross(rho));
  // (3), with ω × (ω × n) = (ω·n)ω - |ω|²n
  rows.gamma(row) = 2.0 * n_dot.dot(a.v - b.v) + b.w.dot(n) * b.w.dot(rho) - b.w.squaredNorm() * rows.C(row);
}

/// z_world × e: the in-plane normal of a direction in the plane z = 0.
inline Vec3 perpendicular_in_plane(const Vec3& e) {
  return {-e.y(), e.x(), 0.0};
}

}  // namespace catena
