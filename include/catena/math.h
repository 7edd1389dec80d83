// Vocabulary types of the public interface: vectors, rotations, functions of time.
//
// Conventions (docs/notation.md has all of them): SI units, right-handed world frame W, world axes for
// velocities and forces, linear part before angular part, quaternions stored as (w, x, y, z).
#pragma once

#include "catena/export.h"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <functional>

namespace CATENA_API catena {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

/// A value with its first and second derivative with respect to time.
struct Jet {
  double value = 0.0;
  double rate = 0.0;
  double acceleration = 0.0;
};

/// A scalar function of time with its derivatives: what a driven constraint follows.
/// Example: `TimeFunction f = [](double t) { return Jet{0.5 * t * t, t, 1.0}; };`
using TimeFunction = std::function<Jet(double time)>;

/// A function that never changes: f(t) = value.
inline TimeFunction constant(double value) {
  return [value](double) { return Jet{value, 0.0, 0.0}; };
}

/// f(t) = start + rate·t.
inline TimeFunction ramp(double start, double rate) {
  return [=](double t) { return Jet{start + rate * t, rate, 0.0}; };
}

/// Three scalar functions as one point in motion.
struct PointFunction {
  TimeFunction x = constant(0.0), y = constant(0.0), z = constant(0.0);
};

/// A right-handed frame whose z axis is `axis` (normalised here); x and y are chosen perpendicular to it.
/// @pre axis is finite and not zero; Model::add reports it otherwise.
Mat3 frame_from_axis(const Vec3& axis);

}  // namespace catena
