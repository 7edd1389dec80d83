// What a time-stepping scheme is: from one state to the next, through the equations of motion and nothing else.
#pragma once

#include "catena/simulation.h"
#include "formulation/equations.h"

#include <memory>

namespace catena {

/// How a step ended. On anything but `ok` the conductor discards the result.
struct [[nodiscard]] StepOutcome {
  enum class Status { ok, solve_failed, positions_not_converged };
  Status status = Status::ok;
  SolveResult solve;              // of the last (or failing) linear solve
  int iterations = 0;             // position iterations
  double constraint_error = 0.0;  // largest |C| reached
  int worst_row = -1;             // row with that error
  bool ok() const { return status == Status::ok; }
};

/// The start of a step: state, and the solution of the equations of motion there. The equations are evaluated and factored
/// at this state when a scheme is called.
struct StepStart {
  const State& state;
  const VecX& acceleration;  // v̇
  const VecX& lambda;        // multipliers
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  /// Writes q, v and time of `next`; memory and ledger are the conductor's.
  virtual StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                           State& next) = 0;
};

std::unique_ptr<Scheme> make_rattle();
std::unique_ptr<Scheme> make_rk4();
std::unique_ptr<Scheme> make_symplectic_euler();
std::unique_ptr<Scheme> make_first_order();

/// Tolerance on |C|: relative to the model's size, never below what rounding of the coordinates allows.
double position_tolerance(const Equations& equations, const Options& options, const VecX& q);

/// Largest |C| and its row.
double largest_error(const VecX& C, int& row);

}  // namespace catena
