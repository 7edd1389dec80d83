#include "formulation/force_derivatives.h"

#include "formulation/marker_map.h"
#include "math/rotation.h"

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
    for (int k = 0; k < markers; ++k) {  // (1)
      Block6 P(K.data() + 36 * (k * markers + l)), rate(V.data() + 36 * (k * markers + l));
      P.rightCols<3>() -= rate.leftCols<3>() * turn;
      P.leftCols<3>() += rate.leftCols<3>() / tau;
      P.rightCols<3>() += (rate.leftCols<3>() * bend + rate.rightCols<3>() * chart) / tau;
    }
  }
}

void ForceDerivatives::add_tangent_at_rest(System& system, const ForceSlot& slot, const Instant& at,
                                           VecX& f) const {
  const MarkerSet& set = system.trial.forces;
  const int markers = slot.num_markers();
  apply_force(*slot.force, motion_of(slot, system.kinematics.forces, at), system.wrenches);
  for (int k = 0; k < markers; ++k) {
    Eigen::Matrix<double, 6, 1> change = wrenches[std::size_t(k)] - system.wrenches[std::size_t(k)];
    for (int l = 0; l < markers; ++l) {
      const Marker& moving = set.markers[std::size_t(slot.marker_begin + l)];
      const Eigen::Map<const Eigen::Matrix<double, 6, 6>> rate(V.data() + 36 * (k * markers + l));
      change -= rate.leftCols<3>() * moving.v + rate.rightCols<3>() * moving.w;
    }
    const int m = slot.marker_begin + k;
    add_wrench(system.layout, system.layout.force_markers[std::size_t(m)], set, m, change.data(), f);
  }
}

}  // namespace catena
