// Forces along coordinates (springs, stops, contacts, motors) as rows: c, ċ and J of the coordinates, and what their laws answer.
//
// Explicit formulations apply such a force at its markers like any other (forces.h); an implicit stage takes λ(c, ċ) as an unknown.
#pragma once

#include "formulation/body_rows.h"

namespace catena {

struct CoordinateValues {
  VecX c, c_t, rate;      // per row: coordinate, its explicit rate, ċ = J v + c_t
  VecX gamma;             // written by constraints, read by nobody
  std::vector<double> G;  // at ForceSlot::G: marker after marker, rows × 6
  explicit CoordinateValues(const Layout& layout)
      : c(VecX::Zero(layout.num_coordinates)),
        c_t(c),
        rate(c),
        gamma(c),
        G(std::size_t(layout.coordinate_G_size)) {}
};

/// The motion that the coordinates of a force see: its own, with their numbers instead of its own.
inline Motion coordinate_motion(const ForceSlot& slot, const MarkerSet& set, const Instant& at) {
  Motion motion = motion_of(slot, set, at);
  motion.memory = slot.along->coordinate_memory(motion.memory);
  return motion;
}

/// Fills c, c_t, ċ and G of one force.
void evaluate_coordinates(const ForceSlot& slot, const MarkerSet& set, const Instant& at,
                          CoordinateValues& out);

/// Its blocks of J, to block[marker].
void write_coordinate_rows(const Layout& layout, const ForceSlot& slot, const MarkerSet& set,
                           const CoordinateValues& values, const int* block, double* J);

/// The law of one row, for estimates and bounds.
inline const Law& law_of(const Layout& layout, const ForceSlot& slot, int row) {
  return slot.first_law >= 0 ? layout.laws[std::size_t(slot.first_law + row)] : slot.along->law(row);
}

}  // namespace catena
