// frame_from_axis: the only part of the rotation helpers that is public.
#include "math/rotation.h"

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

}  // namespace catena
