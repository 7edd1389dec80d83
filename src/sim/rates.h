// How fast a model can swing or come to rest: the frequencies and damping rates of everything in it, in linear time.
//
// What counts:
//   links under tension       ω² = Σ T·lever/I (formulation/system.h), with the multipliers of now, and with those that the weight of
//                             everything behind a joint would cause hanging still: a chain that falls has no tension yet
//   springs, dampers, motors  √(k J M⁻¹Jᵀ), b J M⁻¹Jᵀ; stops too, although they do not act yet; torque curves with their steepest part
//   friction, drag, others    √(k/m) with the lighter of both bodies; damping by differences
//   soft bodies               eigenvalues of M⁻¹K and M⁻¹B of their shape, by differences
// Joints that hold a body against a force are not seen: an estimate may be too careful, hardly careless.
#pragma once

#include "catena/math.h"
#include "formulation/forces.h"

#include <string>
#include <vector>

namespace catena {

/// The fastest thing there is, and what it is.
struct Fastest {
  enum class Kind : std::uint8_t { nothing, tension, weight, force, shape };
  double omega = 0.0;  // rad/s
  Kind kind = Kind::nothing;
  int index = -1;  // of a body, or of a force

  void consider(double other, Kind what, int which) {
    if (other > omega) *this = {other, what, which};
  }
};

/// Workspace: estimates are made again while a model runs, and then allocate nothing.
struct RateScratch {
  std::vector<Marker> moved;
  WrenchScratch plus, minus;
};

}  // namespace catena
