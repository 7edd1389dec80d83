// Everything that does work without a potential, as efforts and the rates they act along: power = Σ effort · rate.
//
//   rows of springs and stops    what λ is beyond the gradient of their potential         ċ
//   rows of motors               λ                                                        ċ
//   other forces                 force and torque at each marker                          velocities of the marker
//   constraints driven in time   λ                                                        J v = -C_t
//   what only knows its power    the power                                                1
//
// Impulses of efforts, by the weights with which a scheme integrates momentum, times the mean rate are the work that the discrete motion
// saw done: a stiff damper or motor that acts for a small part of a step is booked right too (integrate/work_meter.h).
#pragma once

#include "formulation/system.h"

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
  int driven = 0;                 // the first of the constraints that do work (visit_driven)
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

/// What a constraint that acts elsewhere than along its rows does, at the last update_rows and with the velocities of its markers.   W
double power_elsewhere(const System& system, const ConstraintSlot& slot, const double* lambda);

/// All work that constraints do: calls put(effort, rate) for every row of those driven in time, and once for each of those that act
/// elsewhere. @param lambda_of  λ of a constraint, by its slot
template <class LambdaOf, class Put>
void visit_driven(const System& system, LambdaOf&& lambda_of, Put&& put) {
  for (const int c : system.layout.driven) {
    const ConstraintSlot& slot = system.layout.constraints[std::size_t(c)];
    const double* lambda = lambda_of(slot);
    if (slot.acts_elsewhere)
      put(power_elsewhere(system, slot, lambda), 1.0);
    else
      for (int r = 0; r < slot.rows; ++r) put(lambda[r], -system.rows.C_t[slot.row + r]);
  }
}
/// The sum of it. @param lambda  in model order; not read where nothing is driven   W
double driven_power(const System& system, const VecX& lambda);

/// Wrenches and velocities of `markers`, powers of `powers` and `shapes`. The system is placed at the instant.
void read_force_efforts(const EffortList& list, System& system, const Instant& at, VecX& effort, VecX& rate);

}  // namespace catena
