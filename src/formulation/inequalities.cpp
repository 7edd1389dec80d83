#include "formulation/inequalities.h"

#include "formulation/marker_map.h"

#include <algorithm>

namespace catena {

InequalityValues::InequalityValues(const Layout& layout)
    : C(VecX::Zero(layout.num_inequality_rows)),
      C_t(C),
      bias(C),
      rate(C),
      G(std::size_t(layout.inequality_G_size)),
      K(std::ranges::any_of(layout.inequalities, &InequalitySlot::acts_elsewhere) ? G.size() : 0) {}

namespace {

void evaluate_inequality(const InequalitySlot& slot, const MarkerSet& set, const Instant& at,
                         InequalityValues& out) {
  evaluate_rows(slot.inequality->rows(), motion_of(slot, set, at), slot.rows, slot.holonomic_rows,
                {out.C.data() + slot.row, out.C_t.data() + slot.row, out.bias.data() + slot.row,
                 out.G.data() + slot.G, slot.acts_elsewhere ? out.K.data() + slot.G : nullptr});
}

/// What the velocities of the markers make of a row, and their accelerations at v̇ = 0.
void add_motion(const Layout& layout, const InequalitySlot& slot, const MarkerSet& set,
                InequalityValues& out) {
  for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
    const MarkerSlot& marker = layout.inequality_markers[std::size_t(m)];
    if (marker.body < 0) continue;
    const BodySlot& body = layout.bodies[std::size_t(marker.body)];
    const Marker& motion = set.markers[std::size_t(m)];
    for (int r = 0; r < slot.rows; ++r) {
      const double* g = out.G.data() + slot.G + ((m - slot.marker_begin) * slot.rows + r) * 6;
      const Eigen::Map<const Vec3> linear(g), angular(g + 3);
      out.rate[slot.row + r] += linear.dot(motion.v) + angular.dot(motion.w);
      out.bias[slot.row + r] += linear.dot(set.levers[std::size_t(m)].bias);
      if (body.type == BodyType::other && body.body->has_orientation())
        out.bias[slot.row + r] += angular.dot(set.other(m).frame.bias);
    }
  }
}

}  // namespace

void evaluate_inequalities(const Layout& layout, const MarkerSet& set, const Instant& at,
                           InequalityValues& values) {
  for (const InequalitySlot& slot : layout.inequalities) evaluate_inequality(slot, set, at, values);
  values.rate = values.C_t;
  for (const InequalitySlot& slot : layout.inequalities) add_motion(layout, slot, set, values);
}

void hold(const Layout& layout, const MarkerSet& set, const InequalityValues& values,
          const InequalitySlot& slot, int row, double sign, HeldRows& held) {
  held.begin_row();
  double numbers[kMostVelocities];
  const auto write = [&](int m, const std::vector<double>& G) {
    const BodySlot& body = layout.bodies[std::size_t(layout.inequality_markers[std::size_t(m)].body)];
    const double* g = G.data() + slot.G + ((m - slot.marker_begin) * slot.rows + row) * 6;
    std::fill(numbers, numbers + body.num_v, 0.0);
    add_row(body, set.levers[std::size_t(m)], set.other(m), g, numbers);
    for (int k = 0; k < body.num_v; ++k) numbers[k] *= sign;
  };
  for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
    const int body = layout.inequality_markers[std::size_t(m)].body;
    if (body < 0) continue;
    write(m, values.G);
    held.add_part(body, numbers);
    if (!slot.acts_elsewhere) continue;
    write(m, values.K);
    held.add_direction(body, numbers);
  }
  held.end_row();
}

}  // namespace catena
