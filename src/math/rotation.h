// Rotations: cross matrices, exponential, logarithm and Cayley map, on quaternions stored as (w, x, y, z).
//
// Legend
//   φ      rotation vector, world axes: increments multiply from the left, R⁺ = exp([φ]×)·R
//   [a]×   cross matrix, [a]×·b = a × b
//
// Everything here is inline and free of allocation.
#pragma once

#include "catena/math.h"
#include "math/small_matrix_kernel.h"

#include <cmath>

namespace catena {

/// [a]×
inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

/// A B. By hand: Eigen's product of 3 × 3 matrices costs twice as much.
inline Mat3 times(const Mat3& A, const Mat3& B) {
  Mat3 out;
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) CATENA_UNROLL
  for (int i = 0; i < 3; ++i) out(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return out;
}

/// Quaternion from and to its place in q.
inline Quat load_quat(const double* wxyz) {
  return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
}
inline void store_quat(const Quat& q, double* wxyz) {
  wxyz[0] = q.w();
  wxyz[1] = q.x();
  wxyz[2] = q.y();
  wxyz[3] = q.z();
}

/// The unit quaternion nearest to q. A zero or non-finite one gives NaN: a blown-up rotation must be seen by the step's
/// check, not turned into a harmless one here.
inline Quat normalised(const Quat& q) {
  const double n = q.norm();
  return Quat(q.w() / n, q.x() / n, q.y() / n, q.z() / n);
}

/// exp: the rotation by the angle |φ| about φ.   (cos ½|φ|, sin(½|φ|)/|φ|·φ)
inline Quat exp_rotation(const Vec3& phi) {
  const double angle2 = phi.squaredNorm();
  double w, s;  // s = sin(½|φ|)/|φ|
  if (angle2 < 0.25) {
    // series in x = (½|φ|)², below 1/16: the next terms are below 1e-19; several times as fast as the library's functions
    const double x = 0.25 * angle2;
    constexpr double c[] = {1.0 / 2, 1.0 / 12, 1.0 / 30, 1.0 / 56, 1.0 / 90, 1.0 / 132};
    constexpr double d[] = {1.0 / 6, 1.0 / 20, 1.0 / 42, 1.0 / 72, 1.0 / 110, 1.0 / 156};
    w = s = 1.0;
    CATENA_UNROLL
    for (int n = 5; n >= 0; --n) {
      w = 1.0 - c[n] * x * w;
      s = 1.0 - d[n] * x * s;
    }
    s *= 0.5;
  } else {
    const double angle = std::sqrt(angle2);
    w = std::cos(0.5 * angle);
    s = std::sin(0.5 * angle) / angle;
  }
  return {w, s * phi.x(), s * phi.y(), s * phi.z()};
}

/// log: the rotation vector of a unit quaternion, |φ| ≤ π.
inline Vec3 log_rotation(const Quat& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;  // q and -q are the same rotation; take the short way
  const Vec3 v = sign * q.vec();
  const double n = v.norm();
  if (n < 1e-4) {
    const double w = sign * q.w();
    return v * (2.0 / w) * (1.0 - n * n / (3.0 * w * w));  // atan(x)/x ≈ 1 - x²/3; next term below 1e-16
  }
  return v * (2.0 * std::atan2(n, sign * q.w()) / n);
}

/// The same of a rotation matrix; a quarter of the time where the angle is small.
inline Vec3 log_rotation(const Mat3& R) {
  const Vec3 s(0.5 * (R(2, 1) - R(1, 2)), 0.5 * (R(0, 2) - R(2, 0)), 0.5 * (R(1, 0) - R(0, 1)));  // n sin|φ|
  const double x = s.squaredNorm();
  if (x > 0.0625 || R.trace() < 1.0) return log_rotation(Quat(R));
  // asin(s)/s = Σ (2k)!/(4ᵏ k!² (2k + 1)) xᵏ; the next term is below 1e-17
  constexpr double c[] = {1.0,
                          1.0 / 6,
                          3.0 / 40,
                          5.0 / 112,
                          35.0 / 1152,
                          63.0 / 2816,
                          231.0 / 13312,
                          143.0 / 10240,
                          6435.0 / 557056,
                          12155.0 / 1245184,
                          46189.0 / 5505024,
                          88179.0 / 12058624};
  double sum = c[11];
  _Pragma("GCC unroll 12") for (int k = 10; k >= 0; --k) sum = c[k] + x * sum;
  return sum * s;
}

/// κ of J_l⁻¹(φ) = 1 - ½[φ]× + κ[φ]×², from |φ|²:   κ = (1 - (φ/2) cot(φ/2))/φ²
inline double log_coefficient(double angle2) {
  if (angle2 < 0.25) {  // Σ |B₂ₙ|/(2n)! φ²ⁿ⁻²; the next term is below 1e-17
    constexpr double c[] = {1.0 / 12,          1.0 / 720,
                            1.0 / 30240,       1.0 / 1209600,
                            1.0 / 47900160,    691.0 / 1307674368000,
                            1.0 / 74724249600, 3617.0 / 10670622842880000};
    double sum = c[7];
    CATENA_UNROLL
    for (int n = 6; n >= 0; --n) sum = c[n] + angle2 * sum;
    return sum;
  }
  const double half = 0.5 * std::sqrt(angle2);
  return (1.0 - half / std::tan(half)) / angle2;
}
/// Its derivative with respect to |φ|²:   ((h²/sin²h + h cot h)/2 - 1)/φ⁴,  h = φ/2
inline double log_coefficient_rate(double angle2) {
  if (angle2 < 5e-2)
    return 1.0 / 720.0 + angle2 * (1.0 / 15120.0 + angle2 * (1.0 / 403200.0 +
                                                             angle2 * (1.0 / 11975040.0 + angle2 * 2.64e-9)));
  const double half = 0.5 * std::sqrt(angle2), sine = std::sin(half);
  return (0.5 * (half * half / (sine * sine) + half / std::tan(half)) - 1.0) / (angle2 * angle2);
}
/// J_l⁻¹(φ): how the rotation vector changes when exp([φ]×) is turned from the left.
inline Mat3 log_jacobian(const Vec3& phi) {
  const double kappa = log_coefficient(phi.squaredNorm());
  Mat3 J = kappa * (phi * phi.transpose());
  J.diagonal().array() += 1.0 - kappa * phi.squaredNorm();
  J -= 0.5 * skew(phi);
  return J;
}

/// Rate of the rotation vector φ in R = exp([φ]×)·R₀ when R turns with ω, from ω = J_l(φ)·φ̇:
/// φ̇ = J_l⁻¹(φ)·ω = ω - ½ φ × ω + κ φ × (φ × ω)
inline Vec3 rotation_chart_rate(const Vec3& phi, const Vec3& w) {
  const Vec3 cross = phi.cross(w);
  return w - 0.5 * cross + log_coefficient(phi.squaredNorm()) * phi.cross(cross);
}

/// Left (world) increment: exp([φ]×)·q, normalised.
inline Quat rotate_world(const Quat& q, const Vec3& phi) {
  return normalised(exp_rotation(phi) * q);
}

/// Right Cayley map: q·cay(a), cay(a) = (1 - ½[a]×)⁻¹(1 + ½[a]×), which is the quaternion (1, ½a),
/// normalised.
inline Quat cayley_right(const Quat& q, const Vec3& a) {
  return normalised(q * Quat(1.0, 0.5 * a.x(), 0.5 * a.y(), 0.5 * a.z()));
}

/// Angle of the rotation about world z of a frame that turns in the plane z = 0.
inline double planar_angle(const Quat& q) {
  return 2.0 * std::atan2(q.z(), q.w());
}

/// A unit vector perpendicular to `a`: the coordinate axis least aligned with it, made perpendicular.
/// @pre a is not zero.
inline Vec3 any_perpendicular(const Vec3& a) {
  Eigen::Index k = 0;
  a.cwiseAbs().minCoeff(&k);
  const Vec3 axis = Vec3::Unit(k);
  return (axis - a * (a.dot(axis) / a.squaredNorm())).normalized();
}

}  // namespace catena
