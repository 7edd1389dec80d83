// frame_from_axis and rotation_between: the parts of the rotation helpers that are public.
#include "math/rotation.h"

#include <cmath>
#include <limits>

namespace catena {

Mat3 frame_from_axis(const Vec3& axis) {
  // scaled first: the squared norm of a tiny or huge axis would leave the range of doubles
  const double scale = axis.cwiseAbs().maxCoeff();
  if (!(scale > 0.0) || !axis.allFinite()) {
    // a frame of NaN is what Model::validate recognises and reports with the name of the joint
    return Mat3::Constant(std::numeric_limits<double>::quiet_NaN());
  }
  Mat3 frame;
  frame.col(2) = (axis / scale).normalized();
  frame.col(0) = any_perpendicular(frame.col(2));
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

Quat rotation_between(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.normalized(), b = to.normalized();
  if (a.isZero(0.0) || b.isZero(0.0)) return Quat::Identity();
  const double cosine = a.dot(b);
  if (cosine <
      -0.9) {  // 1 + cosine and a × b have few digits left: half a turn to -a, and the small rest from there
    const Vec3 across = a.cross(b);
    const Vec3 side = across.norm() > 1e-12 ? across : any_perpendicular(a);
    const Vec3 axis = (side - a.dot(side) * a).normalized();
    return rotation_between(-a, b) * Quat(0.0, axis.x(), axis.y(), axis.z());
  }
  const double s = std::sqrt(2.0 * (1.0 + cosine));  // 2 cos of half the angle
  const Vec3 axis = a.cross(b) / s;
  return Quat(0.5 * s, axis.x(), axis.y(), axis.z());
}

}  // namespace catena
