// The energy ledger: who did how much work during a step.
//
// What has a potential (gravity, springs) is booked exactly, as minus its change. Powers of dampers, motors, loads, drag and driven
// constraints are integrated by the trapezoidal rule over the step: second order, like the default integrator. A scheme of higher order
// integrates them itself, with its own weights.
#pragma once

#include "sim/impl.h"

namespace catena {

inline void book_work(const Solution& from, const Solution& to, double dt, const Work& work, Ledger& ledger) {
  const auto trapezoid = [dt](double a, double b) { return 0.5 * dt * (a + b); };
  ledger.gravity -= to.energy.gravity - from.energy.gravity;
  ledger.springs -= to.energy.springs - from.energy.springs;
  if (work.is_known) {
    ledger.dampers += work.sum.dampers;
    ledger.motors += work.sum.motors;
    ledger.loads += work.sum.loads;
    ledger.drag += work.sum.drag;
    ledger.driven += work.driven;
    return;
  }
  ledger.dampers +=
      work.dampers_are_known ? work.sum.dampers : trapezoid(from.powers.dampers, to.powers.dampers);
  ledger.motors += trapezoid(from.powers.motors, to.powers.motors);
  ledger.loads += trapezoid(from.powers.loads, to.powers.loads);
  ledger.drag += trapezoid(from.powers.drag, to.powers.drag);
  ledger.driven += trapezoid(from.driven_power, to.driven_power);
}

/// All work that is not the change of a potential.
inline double external_work(const Ledger& l) {
  return l.dampers + l.motors + l.loads + l.drag + l.driven + l.impulses;
}

}  // namespace catena
