#include "model/joints/shaped_joint.h"

#include "model/checks.h"
#include "model/joints/rows.h"

namespace catena {
namespace {

/// Passes every row that turns with its markers to plane(row, n), dot(row, weight, s, e); a twist is two dots on one row.
template <class Plane, class Dot>
void for_turning_rows(const JointShape& shape, const Motion& motion, int in_plane_axis, const Plane& plane,
                      const Dot& dot) {
  const Mat3 &A = motion.at[0].R, &B = motion.at[1].R;
  if (motion.planar) {
    int row = shape.num_planar_linear_rows();
    if (shape.in_plane == InPlane::rail) {
      plane(0, perpendicular_in_plane(B.col(2)));
      if (row > 1) plane(1, B.col(2));
    }
    if (row < shape.num_planar_rows())
      dot(row, 1.0, A.col(in_plane_axis), perpendicular_in_plane(B.col(in_plane_axis)));
    return;
  }
  int row = shape.point_rows;
  for (int i = 0; i < shape.planes.count; ++i) plane(row++, B.col(shape.planes[i]));
  for (int i = 0; i < shape.dots.count; ++i, ++row)
    dot(row, 1.0, A.col(shape.dots[i].a), B.col(shape.dots[i].b));
  if (shape.twist_rows == 0) return;
  dot(row, 0.5, A.col(0), B.col(1));
  dot(row, -0.5, A.col(1), B.col(0));
}

}  // namespace

void write_shape_rows(const JointShape& shape, const Motion& motion, int in_plane_axis, Rows& rows) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  if (shape.point_rows > 0)
    write_point_rows(rows, 0, motion.planar ? shape.num_planar_linear_rows() : shape.point_rows, a, b);
  for_turning_rows(
      shape, motion, in_plane_axis, [&](int row, const Vec3& n) { write_plane_row(rows, row, a, b, n); },
      [&](int row, double weight, const Vec3& s, const Vec3& e) {
        add_dot_row(rows, row, weight, a, s, b, e);
      });
}

void add_shape_stiffness(const JointShape& shape, const Motion& motion, int in_plane_axis,
                         std::span<const double> lambda, MarkerStiffness& K) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  for_turning_rows(
      shape, motion, in_plane_axis,
      [&](int row, const Vec3& n) { add_plane_stiffness(a, b, lambda[std::size_t(row)] * n, K); },
      [&](int row, double weight, const Vec3& s, const Vec3& e) {
        add_dot_stiffness(weight * lambda[std::size_t(row)], s, e, K);
      });
}

ShapedJoint::ShapedJoint(const JointShape& shape, const AttachmentPair& at)
    : PairConstraint(at), shape_(shape) {
  // a clamp measures its angle on the marker axis that lies in the plane best: fixed here, so that it never switches
  if (shape.in_plane == InPlane::clamp)
    at.a.axes.topRows<2>().colwise().squaredNorm().maxCoeff(&in_plane_axis_);
}

std::vector<std::string> ShapedJoint::validate(bool planar) const {
  Problems problems;
  if (!planar) return problems;
  switch (shape_.in_plane) {
    case InPlane::absent:
      check_in_space(shape_.title, planar, problems);
      break;
    case InPlane::point:
      break;
    case InPlane::pivot:
      check_axes_normal_to_plane(*this, problems);
      break;
    case InPlane::clamp:
      check_equal_tilt(*this, problems);
      break;
    case InPlane::rail:
      check_axes_in_plane(*this, problems);
      break;
  }
  return problems;
}

}  // namespace catena
