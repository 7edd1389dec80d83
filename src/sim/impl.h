// What is inside a Simulation: the model, its equations and scheme, the state, and the solution at that state.
#pragma once

#include "catena/simulation.h"
#include "formulation/maximal/maximal.h"
#include "formulation/maximal/stage.h"
#include "integrate/projection.h"
#include "integrate/scheme.h"
#include "sim/controllers.h"

namespace catena {

/// The equations of motion solved at one state, with what the energy ledger needs of it.
struct Solution {
  SolveResult result;
  VecX acceleration, lambda;
  Energy energy;
  Powers powers;
  double driven_power = 0.0;  // of time-dependent constraints, W
};

inline StepStart step_start(const State& state, const Solution& now, double unexplained_energy) {
  return {state,      now.acceleration, now.lambda, now.energy.total(), unexplained_energy,
          now.powers, now.driven_power};
}

/// How one attempt at a step ended.
enum class Attempt : std::uint8_t { done, inaccurate, refused };

struct Simulation::Impl {
  Model model;
  Options options;
  Choice choice;
  State state;
  double start_energy = 0.0;
  Controllers controllers;

  std::unique_ptr<maximal::MaximalEquations> equations;
  std::unique_ptr<Scheme> scheme;
  Projection projection;
  Solution solution;  // at `state`
  bool follows_step =
      false;  // the state is what a step left: its scheme may know more about it than its numbers
  bool start_is_checked =
      false;  // that `state` satisfies the constraints; unknown after construction, edits, set_state
  bool has_driven_rows = false;
  bool scheme_leaves_factor = false;  // the factor after a step belongs to the step's end

  std::vector<Event> events;
  std::vector<double> event_values;  // at the beginning of a step
  std::vector<char> event_is_known;  // exceeded, and its action has run

  // workspace of a step
  double last_error = 0.0;    // estimate of the scheme over its tolerance, of adaptive ones
  State event_begin;          // of a step that may end at an event
  State begin, before, next;  // of a call of step(), of its last internal step, and its end
  Solution next_solution;
  VecX right_side, rate;

  Impl(Model m, Options o);
  Impl(Model m, Options o, State start);

  /// Evaluates the equations at `at`, factors unless told that the factor is already there, solves for the accelerations.
  void solve_motion(const State& at, bool factor_is_there, Solution& out);
  /// The equations back at `state` after an attempt that went elsewhere.
  void restore_solution() { solve_motion(state, false, solution); }
  /// One step of the scheme from `state`; commits it, or leaves everything as it was. src/sim/step.cpp
  Attempt attempt(double dt, StepReport& report);
  void restart(State start);
  /// The scheme of choice.integrator.
  void make_chosen_scheme();
  /// The same with what `state` holds already.
  void solve_start();
  const VecX& reported_multipliers() const;
  double unexplained_energy() const;  // Simulation::numerical_energy
};

struct SimulationAccess {
  static Simulation::Impl& impl(const Simulation& sim) { return *sim.impl_; }
};

std::unique_ptr<solve::EqualitySolver> make_solver(Solver solver, const Options& options);
std::unique_ptr<Scheme> make_scheme(Integrator integrator);

/// Chooses solver and scheme for the equations; throws InvalidInput when what was asked for cannot honour the model.
void choose_methods(const Model& model, const Options& options, maximal::MaximalEquations& equations,
                    Choice& choice);

/// What a scheme says about its step, in the words of the report.
inline void fill_report(const StepOutcome& outcome, StepReport& report) {
  report.iterations = outcome.iterations;
  report.constraint_error = outcome.constraint_error;
  report.halvings = outcome.halvings;
  report.damped_substeps = outcome.damped_substeps;
  report.wrong_pivots = outcome.wrong_pivots;
}

/// The automatic choice of the integrator for steps of this length: rattle, or bdf2 where it would not be stable. src/sim/automatic.cpp
void settle_integrator(Simulation::Impl& sim, double dt);

/// As many internal steps of an adaptive scheme as it takes to advance by dt; one of a fixed scheme. src/sim/advance.cpp
StepReport advance(Simulation::Impl& sim, double dt);
/// The same, but it ends at the first event on the way and runs its action.
StepReport advance_to_event(Simulation& sim, double dt);

/// Why a step was refused, with names and a remedy.
std::string explain(const Simulation::Impl& sim, const SolveResult& result);
std::string explain(const Simulation::Impl& sim, const StepOutcome& outcome, double dt, double omega);
/// Why no step can be made from here: a bad dt, a start without solution or off its constraints, controllers. Settles what waits for the
/// first dt, and runs the controllers.
std::string explain_no_step(Simulation& sim, double dt);
/// Empty when every body can be in its state.
std::string explain_impossible_body(const Simulation::Impl& sim, const State& state);
/// Empty when the state satisfies its constraints, or when the methods chosen correct it as they go.
std::string explain_bad_start(Simulation::Impl& sim);
/// "constraint 'elbow' (hinge)"
std::string constraint_label(const Model& model, int index);
/// "constraint 'a' (hinge) by 0.3, constraint 'b' (ball) by 0.2": what the rows leave, largest first.
std::string worst_constraints(const Simulation::Impl& sim, const VecX& rest);
int constraint_of_row(const maximal::Layout& layout, int row);

/// Checkpoints.
std::uint64_t fingerprint(const Model& model);
void write_checkpoint(const std::filesystem::path& file, const Model& model, const State& state,
                      double start_energy);
void read_checkpoint(const std::filesystem::path& file, const Model& model, State& state,
                     double& start_energy);

}  // namespace catena
