// The law of one elastic coordinate: (1) and (2) of catena/force.h.
#include "catena/force.h"
#include "catena/joints.h"

#include <algorithm>
#include <cmath>

namespace catena {

LawResponse respond(const Law& law, double c, double rate, double step) {
  LawResponse out;
  double excess = c;  // e(c)
  if (law.has_bounds()) {
    excess = c > law.upper ? c - law.upper : std::min(c - law.lower, 0.0);
    if (excess == 0.0) return out;  // free travel: a preload would push out of it, so that it rests too
  }
  out.stiffness = law.stiffness;
  out.damping = law.damping;
  if (law.has_bounds() && rate * excess > 0.0 && std::abs(rate) * step > std::abs(excess)) {
    rate = excess / step;  // entered within the step
    out.stiffness += law.damping / step;
    out.damping = 0.0;
  }
  out.force = law.preload - law.stiffness * excess - law.damping * rate;
  out.potential = 0.5 * law.stiffness * excess * excess - law.preload * excess;
  // a stop does not pull back what leaves it
  const bool pulls = law.has_bounds() && out.force * excess > 0.0;
  const double most = pulls ? 0.0 : law.limit;
  if (std::abs(out.force) > most) {
    out.force = std::copysign(most, out.force);
    out.stiffness = out.damping = 0.0;
  }
  return out;
}

}  // namespace catena
