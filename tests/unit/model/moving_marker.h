// A marker on a smooth random path with known velocities and accelerations: what joint and body tests
// differentiate.
#pragma once

#include "catena/constraint.h"

#include <cmath>
#include <random>

namespace catena::testing {

/// f(t) = c + a·sin(w·t + p), with derivatives.
struct Wave {
  double c, a, w, p;
  Jet at(double t) const {
    const double s = a * std::sin(w * t + p);
    return {c + s, a * w * std::cos(w * t + p), -w * w * s};
  }
};

inline double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Vec3 random_vector(std::mt19937& random, double size = 1.0) {
  return {uniform(random, -size, size), uniform(random, -size, size), uniform(random, -size, size)};
}

/// x(t) of three waves, R(t) = Rz(α) Ry(β) Rx(γ) R₀ of three more; in the plane only x, y and α move.
class MovingMarker {
 public:
  MovingMarker(std::mt19937& random, bool planar, const Mat3& axes = Mat3::Identity()) : axes_(axes) {
    for (Wave& wave : x_) wave = random_wave(random);
    for (Wave& wave : angle_) wave = random_wave(random);
    if (planar) x_[2] = angle_[1] = angle_[2] = {0.0, 0.0, 1.0, 0.0};
  }

  Marker at(double t) const {
    const Turn turn = turn_at(t);
    return {{x_[0].at(t).value, x_[1].at(t).value, x_[2].at(t).value},
            {x_[0].at(t).rate, x_[1].at(t).rate, x_[2].at(t).rate},
            turn.R * axes_,
            turn.w};
  }
  /// (v̇ ; ω̇)
  Eigen::Matrix<double, 6, 1> acceleration(double t) const {
    Eigen::Matrix<double, 6, 1> a;
    a << x_[0].at(t).acceleration, x_[1].at(t).acceleration, x_[2].at(t).acceleration, turn_at(t).w_dot;
    return a;
  }

 private:
  struct Turn {
    Mat3 R;
    Vec3 w, w_dot;
  };

  static Wave random_wave(std::mt19937& random) {
    return {uniform(random, -1, 1), uniform(random, 0.2, 1), uniform(random, 0.5, 2), uniform(random, 0, 6)};
  }

  Turn turn_at(double t) const {
    const Jet a = angle_[0].at(t), b = angle_[1].at(t), c = angle_[2].at(t);
    const Eigen::AngleAxisd Rz(a.value, Vec3::UnitZ()), Ry(b.value, Vec3::UnitY()),
        Rx(c.value, Vec3::UnitX());
    const Vec3 e1 = Vec3::UnitZ();
    const Vec3 e2 = Rz * Vec3::UnitY();
    const Vec3 e3 = Rz * (Ry * Vec3::UnitX());
    Turn turn;
    turn.R = (Rz * Ry * Rx).toRotationMatrix();
    turn.w = a.rate * e1 + b.rate * e2 + c.rate * e3;
    turn.w_dot = a.acceleration * e1 + b.acceleration * e2 + c.acceleration * e3 +
                 b.rate * a.rate * e1.cross(e2) + c.rate * (a.rate * e1 + b.rate * e2).cross(e3);
    return turn;
  }

  Mat3 axes_;
  Wave x_[3], angle_[3];
};

/// f'(t) of a vector function by the five-point rule: error h⁴/30·f⁽⁵⁾, about 1e-11 for functions of order
/// one.
template <typename Function>
auto derivative(const Function& f, double t, double h = 1e-3) -> decltype(f(t)) {
  return (8.0 * (f(t + h) - f(t - h)) - (f(t + 2.0 * h) - f(t - 2.0 * h))) / (12.0 * h);
}

}  // namespace catena::testing
