// Everything that does work without a potential, as efforts and the rates they act along: power = Σ effort · rate.
//
//   rows of springs and stops    what λ is beyond the gradient of their potential         ċ
//   rows of motors               λ                                                        ċ
//   other forces                 force and torque at each marker                          velocities of the marker
//   constraints driven in time   λ                                                        -C_t
//   what only knows its power    the power                                                1
//
// Impulses of efforts, by the weights with which a scheme integrates momentum, times the mean rate are the work that the discrete motion
// saw done: a stiff damper or motor that acts for a small part of a step is booked right too (integrate/work_meter.h).
#pragma once

#include "formulation/coordinate_laws.h"

namespace catena {

/// Which efforts there are. Found once per structure.
struct EffortList {
  EffortList(System& system, const State& start);

  struct Row {
    int force = 0, row = 0;  // of its rows
    int at = 0;              // first entry among the efforts
  };
  struct Single {
    int index = 0;  // of a force, a constraint or a body
    int at = 0;
  };
  std::vector<Row> rows;          // of forces along coordinates
  std::vector<Single> markers;    // forces with all of their wrenches: six efforts per marker
  std::vector<Single> powers;     // forces with a potential and more
  std::vector<Single> driven;     // constraints: an effort per row
  std::vector<Single> elsewhere;  // constraints that act elsewhere than along their rows: their power
  std::vector<Single> shapes;     // bodies with a damped shape: their power
  std::vector<Account> accounts;  // of each effort
  bool is_empty() const { return accounts.empty(); }
  bool has_more_than_rows() const { return rows.size() < accounts.size(); }

 private:
  int add(Account account, int count);
  void add_force(System& system, const State& start, int index);
};

/// What λ of a row is beyond the gradient of its potential.
double without_potential(const Layout& layout, const ForceSlot& slot, int row, double c, double lambda);

/// Wrenches and velocities of `markers`, powers of `powers` and `shapes`. The system is placed at the instant.
void read_force_efforts(const EffortList& list, System& system, const Instant& at, VecX& effort, VecX& rate);

}  // namespace catena
