#include "formulation/stiffness.h"

#include "formulation/forces.h"
#include "formulation/joint_rows.h"

#include <algorithm>

namespace catena {
namespace {

using Block6 = Eigen::Map<Eigen::Matrix<double, 6, 6>>;

constexpr double kStep =
    1e-6;  // of differences: relative to the model's size, to one radian, or to the speed

void displace(Marker& marker, int direction, double by) {
  if (direction < 3)
    marker.x[direction] += by;
  else if (direction < 6)
    marker.R = exp_rotation(by * Vec3::Unit(direction - 3)).toRotationMatrix() * marker.R;
  else if (direction < 9)
    marker.v[direction - 6] += by;
  else
    marker.w[direction - 9] += by;
}

double difference_size(const Layout& layout, const Marker& marker, int direction) {
  if (direction < 3) return layout.length_scale;
  if (direction < 6) return 1.0;
  return 1.0 + (direction < 9 ? marker.v.norm() : marker.w.norm());
}

}  // namespace

void add_pair_stiffness(const Layout& layout, const std::vector<MarkerSlot>& slots, const MarkerSet& set,
                        int k, int l, double factor, const double* K, double* block) {
  const BodySlot& left = layout.bodies[std::size_t(slots[std::size_t(k)].body)];
  const BodySlot& right = layout.bodies[std::size_t(slots[std::size_t(l)].body)];
  const MarkerMotion &lever_k = set.levers[std::size_t(k)], &lever_l = set.levers[std::size_t(l)];
  double scaled[36];
  for (int i = 0; i < 36; ++i) scaled[i] = factor * K[i];
  double half[6 * kMostVelocities];  // K T_l, row-major
  if (left.type == BodyType::rigid && right.type == BodyType::rigid) {
    for (int i = 0; i < 6; ++i) put_rigid_row<false, 6>(lever_l.r, scaled + i, half + 6 * i);
    for (int j = 0; j < 6; ++j) put_rigid_row<true, 6>(lever_k.r, half + j, block + 6 * j);
    return;
  }
  const int n = right.num_v;
  std::fill(half, half + 6 * n, 0.0);
  for (int i = 0; i < 6; ++i) add_row<6>(right, lever_l, set.other(l), scaled + i, half + n * i);
  for (int j = 0; j < n; ++j) {
    double column[6];
    for (int i = 0; i < 6; ++i) column[i] = half[n * i + j];
    add_row(left, lever_k, set.other(k), column, block + left.num_v * j);
  }
}

void add_lever_stiffness(const BodySlot& body, const MarkerMotion& lever, const Vec3& force, double factor,
                         double* block) {
  if (body.type == BodyType::rigid)
    Block6(block).bottomRightCorner<3, 3>() += factor * double_cross(force, lever.r);
  else if (body.type == BodyType::planar)
    block[8] -= factor * force.head<2>().dot(lever.r.head<2>());
}

ForceDerivatives::ForceDerivatives(const Layout& layout) {
  const int markers = std::max(layout.most_markers, 1);
  K.setZero(36 * markers * markers);
  V.setZero(36 * markers * markers);
  moved.resize(std::size_t(markers));
  wrenches.resize(std::size_t(markers));
}

void ForceDerivatives::add_difference(const Force& force, const Motion& motion, int marker, int direction,
                                      double step) {
  const int markers = int(motion.at.size());
  double* derivative = (direction < 6 ? K : V).data();
  const Marker original = moved[std::size_t(marker)];
  for (const double sign : {1.0, -1.0}) {
    displace(moved[std::size_t(marker)], direction, sign * step);
    apply_force(force, motion, wrenches);
    moved[std::size_t(marker)] = original;
    for (int k = 0; k < markers; ++k) {
      double* column = derivative + 36 * (k * markers + marker) + 6 * (direction % 6);
      for (int i = 0; i < 6; ++i) column[i] += sign * wrenches[std::size_t(k)][i] / (2.0 * step);
    }
  }
}

void ForceDerivatives::evaluate(const Layout& layout, const ForceSlot& slot, const Motion& motion) {
  const int markers = slot.num_markers();
  K.head(36 * markers * markers).setZero();
  V.head(36 * markers * markers).setZero();
  std::copy(motion.at.begin(), motion.at.end(), moved.begin());
  Motion other = motion;
  other.at = {moved.data(), std::size_t(markers)};
  const int directions = slot.force->depends_on_velocity() ? 12 : 6;
  for (int l = 0; l < markers; ++l)
    if (layout.force_markers[std::size_t(slot.marker_begin + l)].body >= 0)
      for (int d = 0; d < directions; ++d)
        add_difference(*slot.force, other, l, d, kStep * difference_size(layout, moved[std::size_t(l)], d));
  apply_force(*slot.force, motion, wrenches);
}

void ForceDerivatives::add_rates(const Layout& layout, const ForceSlot& slot, const MarkerSet& set,
                                 const VecX& u, double tau) {
  const int markers = slot.num_markers();
  for (int l = 0; l < markers; ++l) {
    const auto m = std::size_t(slot.marker_begin + l);
    const int body = layout.force_markers[m].body;
    if (body < 0) continue;
    const BodySlot& at = layout.bodies[std::size_t(body)];
    const Mat3 lever = skew(set.levers[m].r), turn = skew(set.markers[m].w) * lever;
    const Mat3 chart =
        at.type == BodyType::rigid ? log_jacobian(u.segment<3>(at.v + 3)) : Mat3(Mat3::Identity());
    const Mat3 bend = lever - lever * chart;
    for (int k = 0; k < markers; ++k) {  // (2)
      Block6 P(K.data() + 36 * (k * markers + l)), rate(V.data() + 36 * (k * markers + l));
      P.rightCols<3>() -= rate.leftCols<3>() * turn;
      P.leftCols<3>() += rate.leftCols<3>() / tau;
      P.rightCols<3>() += (rate.leftCols<3>() * bend + rate.rightCols<3>() * chart) / tau;
    }
  }
}

}  // namespace catena
