// Vocabulary types of the public interface: vectors, rotations, functions of time.
//
// Conventions (docs/notation.md has all of them): SI units, right-handed world frame W, world axes for
// velocities and forces, linear part before angular part, quaternions stored as (w, x, y, z).
//
// A program: examples/cpp/joints.cpp
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <functional>

// What the shared library shows: everything in the public headers, nothing else.
//
// All code is compiled with hidden visibility. Public headers open their namespace with CATENA_API, which makes what
// that block declares visible: functions, classes with their members, type information for exceptions and casts.
// One word per header instead of one per declaration, and nothing to forget when a function is added. The private
// headers in src/ open the same namespace without it. tools/check_package.sh counts what comes out.
//
// A static library does not care, so the macro is the same for those who build Catena and those who use it.
#if defined(__GNUC__)  // and clang, which wants a standard attribute in this place
#define CATENA_API [[gnu::visibility("default")]]
#else
#define CATENA_API
#endif

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

/// The shortest rotation that takes the direction of `from` to that of `to`; half a turn about some perpendicular axis where they are
/// opposite, none where one of them is zero.
Quat rotation_between(const Vec3& from, const Vec3& to);

}  // namespace catena
