// Bookkeeping of the energy ledger (catena/ledger.h) over a step.
//
// What has a potential (gravity, springs) is booked exactly, as minus its change. Powers of the rest are integrated by the trapezoidal
// rule over the step: second order, like the default integrator. A scheme that knows the work of an account better says so.
#pragma once

#include "sim/impl.h"

namespace catena {

inline void book_work(const Balance& from, const Balance& to, double dt, const Work& work, Ledger& ledger) {
  for (const AccountTraits& traits : kAccounts) {
    const Account account = traits.account;
    if (traits.potential != nullptr)
      ledger[account] -= to.energy.*traits.potential - from.energy.*traits.potential;
    else if (work.is_known[std::size_t(account)])
      ledger[account] += work.sum[account];
    else
      ledger[account] += 0.5 * dt * (from.powers[account] + to.powers[account]);
  }
}

/// All work that is not the change of a potential.
inline double external_work(const Ledger& ledger) {
  double sum = 0.0;
  for (const AccountTraits& traits : kAccounts)
    if (traits.potential == nullptr) sum += ledger[traits.account];
  return sum;
}

}  // namespace catena
