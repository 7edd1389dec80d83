// What the equations of a model are evaluated at.
#pragma once

#include "catena/math.h"

namespace catena {

struct Instant {
  const VecX& q;  // coordinates and velocities of all bodies, model order
  const VecX& v;
  double time;         // s
  const VecX& memory;  // numbers of constraints and forces in the state
  double step = 0.0;   // of an implicit integrator, while it takes one; else 0 (Motion::step)   s
};

}  // namespace catena
