// Texts of the checks declared in placement_checks.h.
#include "model/bodies/placement_checks.h"

#include "math/rotation.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <cmath>

namespace catena {
namespace {

// Written-out quaternions such as (0.707, 0, 0.707, 0) are meant to be unit; this much is normalised away.
constexpr double kQuaternionSlack = 1e-2;
// Out-of-plane parts below this are round-off of a conversion, not a wish.
constexpr double kPlaneSlack = 1e-12;

}  // namespace

std::string check_placement(const Placement& p) {
  Problems problems;
  check_finite("position", p.position, kLargestLength, problems);
  check_finite("velocity", p.velocity, kLargestLength, problems);
  check_finite("angular velocity", p.angular_velocity, kLargestLength, problems);
  const double norm = p.orientation.norm();
  if (!(std::abs(norm - 1.0) <= kQuaternionSlack)) {
    problems.push_back(
        fmt::format("orientation must be a unit quaternion, got (w, x, y, z) = ({:g}, {:g}, {:g}, "
                    "{:g}) of norm {:g}; divide it by its norm",
                    p.orientation.w(), p.orientation.x(), p.orientation.y(), p.orientation.z(), norm));
  }
  return problems.empty() ? std::string() : problems.front();
}

std::string check_in_plane(const Placement& p) {
  const double z = p.position.z();
  if (std::abs(z) > kPlaneSlack * (1.0 + p.position.norm())) {
    return fmt::format(
        "a planar body lives in the plane z = 0, got z = {:g} m; set z to 0 or use a spatial body", z);
  }
  if (std::abs(p.velocity.z()) > kPlaneSlack * (1.0 + p.velocity.norm())) {
    return fmt::format(
        "a planar body cannot leave the plane z = 0, got a velocity of {:g} m/s along z; set it to 0 "
        "or use a spatial body",
        p.velocity.z());
  }
  if (p.orientation.vec().head<2>().norm() > 1e-9) {
    return "a planar body turns about z only, got an orientation that tilts it out of the plane; use a "
           "rotation "
           "about z or a spatial body";
  }
  if (p.angular_velocity.head<2>().norm() > kPlaneSlack * (1.0 + p.angular_velocity.norm())) {
    return fmt::format(
        "a planar body turns about z only, got the angular velocity {} rad/s; set its x and y to 0 or "
        "use a spatial body",
        to_text(p.angular_velocity));
  }
  return {};
}

std::string check_no_rotation(const Placement& p) {
  if (log_rotation(normalised(p.orientation)).norm() > 1e-9) {
    return "a particle has no orientation, got one other than the identity; leave it out or use a rigid body";
  }
  if (p.angular_velocity != Vec3::Zero()) {
    return fmt::format(
        "a particle cannot turn, got the angular velocity {} rad/s; leave it out or use a rigid body",
        to_text(p.angular_velocity));
  }
  return {};
}

}  // namespace catena
