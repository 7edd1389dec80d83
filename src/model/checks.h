// Checks of user input, shared by bodies, joints, forces and the model.
//
// Every message reads "what is wrong, with the value; what to do about it": Model::validate splits it at the
// last "; " into Issue::what and Issue::remedy.
#pragma once

#include "catena/body.h"
#include "catena/math.h"

#include <string>
#include <vector>

namespace catena {

/// Limits of sane input. Beyond them round-off, not mechanics, decides the motion.
inline constexpr double kLargestLength = 1e12;     // m, also m/s and rad/s
inline constexpr double kLargestStiffness = 1e15;  // N/m, N·m/rad
inline constexpr double kSmallestMass = 1e-30;     // kg
inline constexpr double kLargestMass = 1e30;       // kg
inline constexpr double kLargestGravity = 1e6;     // m/s²

using Problems = std::vector<std::string>;

void check_mass(double mass, Problems& problems);
/// Finite and of magnitude ≤ limit.
void check_finite(const std::string& name, double value, double limit, Problems& problems);
void check_finite(const std::string& name, const Vec3& value, double limit, Problems& problems);
/// 0 < value ≤ limit.
void check_positive(const std::string& name, double value, double limit, const std::string& unit,
                    Problems& problems);
/// 0 ≤ value ≤ limit.
void check_not_negative(const std::string& name, double value, double limit, const std::string& unit,
                        Problems& problems);
/// The function exists and gives finite numbers at t = 0.
void check_function(const std::string& name, const TimeFunction& f, Problems& problems);
void check_function(const std::string& name, const PointFunction& f, Problems& problems);

/// The same of a length that changes in time, which is above zero at t = 0.
void check_length(const TimeFunction& length, Problems& problems);

/// Why the body cannot be at these finite coordinates, "has a quaternion of norm 2; divide it by 2"; empty when it can.
std::string coordinates_problem(const Body& body, const double* q, const double* v);

/// "(1, 2, 3)"
std::string to_text(const Vec3& v);

}  // namespace catena
