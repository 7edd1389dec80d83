// What a time-stepping scheme is: from one state to the next, through the equations of motion and nothing else.
#pragma once

#include "formulation/equations.h"
#include "formulation/stage_equations.h"

#include <memory>

namespace catena {

/// Work of everything that has no potential during a step, where a scheme knows it better than its ends do.   J
struct Work {
  std::array<bool, kAccounts.size()> is_known{};
  Ledger sum;  // of power times time
  void add(Account account, double work) {
    is_known[std::size_t(account)] = true;
    sum[account] += work;
  }
};

/// How a step ended. On anything but `ok` the conductor discards the result.
struct [[nodiscard]] StepOutcome {
  enum class Status {
    ok,
    solve_failed,
    positions_not_converged,
    velocities_not_converged,
    too_inaccurate,
    too_much_work,        // iterations in all parts of an implicit step
    contacts_not_solved,  // a complementarity problem
  };
  Status status = Status::ok;
  SolveResult solve;              // of the last (or failing) linear solve
  int iterations = 0;             // position iterations
  double constraint_error = 0.0;  // largest |C| reached
  int worst_row = -1;             // row with that error
  int worst_force = -1;           // or the force along coordinates that has it
  int turned_body = -1;           // body that would turn further than one rotation vector says
  double force_error =
      0.0;  // implicit schemes: |r₁| of a body over the forces that act on it, where Newton's method gave up
  int worst_body = -1;  // body with that error
  Eigen::Index worst_velocity =
      -1;  // velocity that changed most in the last pass, where passes did not converge
  struct Stubborn {
    int row = -1, force = -1, body = -1;
  } stubborn;  // of the last part of an implicit step that did not converge
  double penetration =
      0.0;  // of a bound of an inequality, at the end                                  m, rad
  double contact_residual = 0.0;  // of complementarity problems
  int worst_inequality = -1;      // the one that has it, or that is deepest
  double error = 0.0;             // adaptive schemes: estimated error over the tolerance
  int halvings = 0, damped_substeps = 0, wrong_pivots = 0;  // of implicit schemes (StepReport)
  Work work;
  bool ok() const { return status == Status::ok; }
};

/// The start of a step: state, and the solution of the equations of motion there. The equations are evaluated and factored
/// at this state when a scheme is called.
struct StepStart {
  const State& state;
  double end_time;  // state.time + h, without the rounding of earlier sums (State::time_rest)    s
  // of a scheme that begins with it (StartSolution); zero where there is none
  const SolveResult& solve;
  const VecX& acceleration;  // v̇
  const VecX& lambda;        // multipliers
  // of a scheme with inertia
  Energy energy;
  Powers powers;  // of what has no potential                                                 W
  double
      unexplained_energy;  // what the integration has invented since the start of the run, or lost (< 0)   J
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  /// The stage it was made with; nullptr: it has none. All that a clone of a simulation needs of its scheme: nothing else outlives a step.
  virtual const StageEquations* stage() const { return nullptr; }
  /// Writes q, v and time of `next`, and its history where the scheme remembers; the rest is the conductor's.
  virtual StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                           State& next) = 0;
  /// Multipliers of the constraints as the last step found them, in the order of the model; nullptr: the scheme finds none.
  virtual const VecX* step_multipliers() const { return nullptr; }
  /// True: those of the final state mean little, because stiff springs and dampers turn rounding of positions and velocities into forces.
  virtual bool reports_step_multipliers() const { return false; }
  /// q, v and time of the state at start + fraction·h of the last step, 0 ≤ fraction ≤ 1. @pre the scheme is adaptive
  virtual void interpolate(const Equations& /*equations*/, const State& /*start*/, double /*h*/,
                           double /*fraction*/, State& /*out*/) const {}
};

std::unique_ptr<Scheme> make_rattle();
std::unique_ptr<Scheme> make_rk4();
std::unique_ptr<Scheme> make_dormand_prince();
std::unique_ptr<Scheme> make_symplectic_euler();
std::unique_ptr<Scheme> make_moreau();
/// @param stage  where there are forces along coordinates; may be empty
std::unique_ptr<Scheme> make_first_order(std::unique_ptr<StageEquations> stage);
/// @pre integrator is one of the implicit ones
std::unique_ptr<Scheme> make_implicit(Integrator integrator, std::unique_ptr<StageEquations> stage);

class JointEquations;
/// A scheme on bodies, for states in joint coordinates; `joints` outlives it. @param traits  of the scheme
std::unique_ptr<Scheme> make_through_bodies(std::unique_ptr<Scheme> inner, JointEquations& joints,
                                            const IntegratorTraits& traits);

/// Tolerance on |C|: relative to the model's size, never below what rounding of the coordinates allows.
double position_tolerance(const Equations& equations, const Options& options, const VecX& q);

/// Largest |C| and its row.
double largest_error(const VecX& C, int& row);

}  // namespace catena
