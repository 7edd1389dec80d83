// Principal directions of a cloud of points, turned into a view that a reader expects. O(points)
#include "io/picture/film_strip_view.h"

#include "math/principal_axes.h"

#include <cmath>

namespace catena {
namespace {

/// A direction within 15° of a coordinate axis becomes that axis; the largest component is made positive.
Vec3 snapped(Vec3 direction) {
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  if (direction[largest] < 0) direction = -direction;
  if (direction[largest] > 0.966) return Vec3::Unit(largest);
  return direction.normalized();
}

std::string axis_name(const Vec3& direction) {
  for (int i = 0; i < 3; ++i)
    if (std::abs(std::abs(direction[i]) - 1.0) < 1e-9)
      return (direction[i] < 0 ? "−" : "") + std::string(1, "xyz"[i]);
  return {};
}

View make_view(const Vec3& right, const Vec3& up) {
  View view;
  view.right = right;
  view.up = (up - up.dot(right) * right).normalized();
  view.right_name = axis_name(view.right);
  view.up_name = axis_name(view.up);
  return view;
}

/// Directions of spread, largest first, within the plane normal to `normal` (or in space when that is zero).
Mat3 principal_directions(std::span<const Vec3> points, const Vec3& normal, Vec3& variances) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / double(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - mean) * (p - mean).transpose() / double(points.size());
  const Mat3 onto_plane = Mat3::Identity() - normal * normal.transpose();
  spread = onto_plane * spread * onto_plane;
  const math::PrincipalAxes principal = math::principal_axes(spread);
  variances = principal.values.reverse();
  return principal.axes.rowwise().reverse();
}

Vec3 axis_across(const Vec3& direction) {
  const Vec3 candidate = std::abs(direction.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  return (candidate - candidate.dot(direction) * direction).normalized();
}

}  // namespace

View choose_view(std::span<const Vec3> points, const Vec3& gravity, bool planar,
                 const std::optional<Vec3>& along) {
  const bool falls = gravity.norm() > 0;
  const Vec3 up = falls ? Vec3(-gravity.normalized()) : Vec3(Vec3::UnitZ());
  if (along && along->norm() > 0) {
    const Vec3 towards_viewer = -along->normalized();
    Vec3 right = up.cross(towards_viewer);
    if (right.norm() < 1e-6) right = axis_across(towards_viewer);
    return make_view(right.normalized(), towards_viewer.cross(right));
  }
  if (planar || points.empty()) return make_view(Vec3::UnitX(), Vec3::UnitY());

  Vec3 variances;
  if (!falls) {
    const Mat3 directions = principal_directions(points, Vec3::Zero(), variances);
    const Vec3 right = snapped(directions.col(0));
    Vec3 vertical = snapped(directions.col(1));
    if (std::abs(vertical.dot(right)) > 0.9 || variances[1] <= 0) vertical = axis_across(right);
    return make_view(right, vertical);
  }
  const Mat3 directions = principal_directions(points, up, variances);
  Vec3 right = variances[0] > 0 ? snapped(directions.col(0)) : axis_across(up);
  if (std::abs(right.dot(up)) > 0.9) right = axis_across(up);
  right = (right - right.dot(up) * up).normalized();

  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const Vec3& p : points) lowest = std::min(lowest, up.dot(p)), highest = std::max(highest, up.dot(p));
  const double height = highest - lowest;
  const bool flat = height * height < 0.01 * variances[1];  // 0.1 standard deviations of the second direction
  return flat ? make_view(right, up.cross(right)) : make_view(right, up);
}

}  // namespace catena
