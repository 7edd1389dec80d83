#include "formulation/coordinates.h"

#include <algorithm>

namespace catena {

void evaluate_coordinates(const ForceSlot& slot, const MarkerSet& set, const Instant& at,
                          CoordinateValues& out) {
  double *c = out.c.data() + slot.row, *c_t = out.c_t.data() + slot.row, *gamma = out.gamma.data() + slot.row,
         *G = out.G.data() + slot.G;
  for (double* values : {c, c_t, gamma}) std::fill(values, values + slot.rows, 0.0);
  std::fill(G, G + slot.rows * slot.num_markers() * 6, 0.0);
  Rows rows(slot.rows, slot.num_markers(), c, c_t, gamma, G, false);
  const Motion motion = coordinate_motion(slot, set, at);
  slot.coordinates->evaluate(motion, rows);
  for (int r = 0; r < slot.rows; ++r) {
    double rate = c_t[r];
    for (std::size_t k = 0; k < motion.at.size(); ++k) {
      const double* g = G + (int(k) * slot.rows + r) * 6;
      const Marker& marker = motion.at[k];
      rate += g[0] * marker.v[0] + g[1] * marker.v[1] + g[2] * marker.v[2] + g[3] * marker.w[0] +
              g[4] * marker.w[1] + g[5] * marker.w[2];
    }
    out.rate[slot.row + r] = rate;
  }
}

void write_coordinate_rows(const Layout& layout, const ForceSlot& slot, const MarkerSet& set,
                           const CoordinateValues& values, const int* block, double* J) {
  for (int m = slot.marker_begin; m < slot.marker_end; ++m)
    write_marker_block(layout, layout.force_markers[std::size_t(m)], set, m, slot.rows,
                       values.G.data() + slot.G + (m - slot.marker_begin) * slot.rows * 6, J + block[m],
                       nullptr);
}

}  // namespace catena
