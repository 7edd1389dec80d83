// The energy ledger: who does how much work on the system.
//
// kAccounts is the one list of sources. Powers (W), work (J), checkpoints, hashes and reports are arrays over it: a new source of work
// is one line in the enumeration and one in the table.
//
// A program: examples/cpp/controlled_arm.cpp
#pragma once

#include "catena/math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace CATENA_API catena {

/// Where work is booked.
enum class Account : std::uint8_t {
  gravity,
  springs,
  dampers,
  motors,
  loads,
  drag,
  driven,    // constraints that depend on time or act elsewhere than along their rows
  contacts,  // rows of travel: impacts, and walls that move
  friction,  // of contacts and joints, brakes
  impulses,  // energy changed by apply_impulse, project and edit
};

struct Energy {
  double kinetic = 0, gravity = 0, springs = 0;  // J
  double total() const { return kinetic + gravity + springs; }
};

/// What is to be known about an account.
struct AccountTraits {
  Account account;
  std::string_view name;  // in reports
  double Energy::*
      potential;  // its work is minus the change of this, exactly; nullptr: its power is integrated
  bool may_give;  // false: it can only take energy out
};

inline constexpr std::array kAccounts{
    AccountTraits{Account::gravity, "gravity", &Energy::gravity, true},
    AccountTraits{Account::springs, "springs", &Energy::springs, true},
    AccountTraits{Account::dampers, "dampers", nullptr, false},
    AccountTraits{Account::motors, "motors", nullptr, true},
    AccountTraits{Account::loads, "loads", nullptr, true},
    AccountTraits{Account::drag, "drag", nullptr, false},
    AccountTraits{Account::driven, "driven", nullptr, true},
    AccountTraits{Account::contacts, "contacts", nullptr, true},
    AccountTraits{Account::friction, "friction", nullptr, true},
    AccountTraits{Account::impulses, "impulses", nullptr, true},
};
static_assert([] {
  for (std::size_t i = 0; i < kAccounts.size(); ++i)
    if (kAccounts[i].account != Account(i)) return false;
  return kAccounts.size() == std::size_t(Account::impulses) + 1;
}());

/// One number per account, in the order of the table.
struct Accounts {
  std::array<double, kAccounts.size()> values{};
  constexpr double operator[](Account account) const { return values[std::size_t(account)]; }
  constexpr double& operator[](Account account) { return values[std::size_t(account)]; }
};

/// Work done on the system since the start, J; what the accounts leave unexplained is Simulation::numerical_energy.
struct Ledger : Accounts {};

/// Instantaneous powers of what has no potential, W.
struct Powers : Accounts {};

}  // namespace catena
