// What is inside a Simulation: the model, its equations and scheme, the state, and what is known at that state.
//
// Accelerations and multipliers at the state are found when somebody reads them or a step needs them, once per state and always in the same
// way, so that reading changes no bit of the motion. Readers are const and may come from several threads: the first of them computes
// behind a lock.
#pragma once

#include "catena/simulation.h"
#include "formulation/joint_equations.h"
#include "formulation/stage_equations.h"
#include "integrate/projection.h"
#include "integrate/scheme.h"
#include "sim/controllers.h"
#include "sim/fingerprint.h"
#include "sim/laws.h"
#include "sim/rates.h"

#include <atomic>
#include <exception>
#include <mutex>

namespace catena {

/// The equations of motion solved at one state. Without a solution both vectors are zero.
struct Solution {
  SolveResult result;
  VecX acceleration, lambda;
};

/// What the energy ledger needs to know of one state.
struct Balance {
  Energy energy;
  Powers powers;
};

/// How far the equations have been brought at the state of the simulation. Each includes those before.
enum class Reached : std::uint8_t { elsewhere, evaluated, factored, solved };

/// A time as an unevaluated sum of two numbers, so that many short steps add up to what they are.
struct Clock {
  double time, rest;  // s
};
/// Knuth's exact sum: time + rest loses nothing of state.time + (state.time_rest + dt).
inline Clock clock_after(const State& state, double dt) {
  const double more = state.time_rest + dt, time = state.time + more, added = time - state.time;
  return {time, (state.time - (time - added)) + (more - added)};
}

inline Instant instant_of(const State& state) {
  return {state.q, state.v, state.time, state.memory};
}

/// How one attempt at a step ended.
enum class Attempt : std::uint8_t { done, inaccurate, refused };

/// What has been announced, and is not announced again.
struct Told {
  bool frequency = false, growth = false, loss = false;
};

struct Simulation::Impl {
  std::shared_ptr<const Model> shared_model;  // with other simulations, on other threads too
  const Model& model;
  Options options;
  Choice choice;
  State state;
  State analysed_at;  // where the solver saw representative numbers
  double start_energy = 0.0;
  Controllers controllers;

  std::unique_ptr<System> system;
  std::optional<LawWatch> laws;  // where constraints do work; without any law it finds no break
  std::unique_ptr<BodyEquations> body_equations;
  std::unique_ptr<JointEquations> joint_equations;  // where the state has joint coordinates; else empty
  Equations* equations = nullptr;                   // the one of the two whose coordinates the state has
  std::unique_ptr<Scheme> scheme;
  Projection projection;
  std::string
      open_start;  // what joints a state of body coordinates had open that joint coordinates cannot say; empty: none
  bool start_is_checked =
      false;  // that `state` satisfies the constraints; unknown after construction, edits, set_state
  bool scheme_leaves_factor = false;  // the factor after a step belongs to the step's end

  std::vector<Event> events;
  std::vector<double> event_values;       // at the beginning of a step
  std::vector<char> event_is_known;       // exceeded, and its action has run
  std::vector<std::string> known_events;  // of a loaded checkpoint, for events added later
  std::vector<Mark> removed;              // what edits took out of the model

  // what is watched while steps are taken, src/sim/watch.cpp
  Fastest fastest_watched;        // springs, dampers, motors and soft bodies, as last estimated
  Fastest fastest_shape_watched;  // soft bodies, at the first step
  bool rates_are_known = false;
  Told told;
  double energy_scale = -1.0;  // Simulation::energy_scale; < 0: to be found from the state   J
  RateScratch rate_scratch;
  double last_tension = -1.0;  // tension_frequency() of a state in joint coordinates, as last found   rad/s

  // workspace of a step
  mutable VecX end_q, end_v;  // of its end, in body coordinates
  double last_error = 0.0;    // estimate of the scheme over its tolerance, of adaptive ones
  State event_begin;          // of a step that may end at an event
  State begin, before, next;  // of a call of step(), of its last internal step, and its end

  /// Begins with `start`, or with the start values of the model when it is empty.
  Impl(std::shared_ptr<const Model> m, Options o, State start = {});
  /// A clone: without events and controllers (Simulation::clone). Shares what belongs to the structure; nothing is analysed again.
  Impl(const Impl& other);
  /// Continues at `now` with methods that were chosen and analysed before.
  Impl(std::shared_ptr<const Model> m, const Options& o, Choice chosen, State analysed, State now);

  // What is known at `state`, src/sim/known.cpp.
  /// The equations evaluated there.
  Equations& evaluated() const;
  /// Those in body coordinates, evaluated there too.
  BodyEquations& evaluated_bodies() const;
  /// The state in body coordinates.
  Instant body_instant() const;
  /// Factored and solved for accelerations and multipliers too.
  const Solution& solved() const;
  /// Factored, for whoever needs no accelerations; how that went.
  const SolveResult& factored() const;
  /// How that went, as far as a step of the chosen integrator needs it.
  const SolveResult& start_result() const;
  const Balance& balance() const;
  /// λ of every reading: as the last step found them where its scheme says that they mean more, else those of the solution. Those of joints
  /// that joint coordinates hold by themselves are among them.
  const VecX& multipliers() const;
  VecX body_accelerations() const;
  /// Largest frequency of links under tension. In joint coordinates, where it takes a reading of all joints, every 256th step.   rad/s
  double tension_frequency();
  double unexplained_energy() const;  // Simulation::numerical_energy
  // These read the model and the state alone.
  Placement placement(BodyId id) const;
  Marker marker(const Attachment& attachment) const;
  /// Simulation::compliance, src/sim/compliance.cpp.
  MatX compliance(std::span<const Attachment> points) const;
  /// What rows with these multipliers do to the first body of their constraint (Simulation::constraint_force).
  ConstraintForce force_of(int constraint, const VecX& lambda) const;
  /// The state has changed, or the equations have been used elsewhere: all of it is to be found anew.
  void forget_known();
  /// The same after a step, with the equations evaluated at its end.
  void arrive();

  /// Another state, of which nothing is known yet.
  void restart(State start);
  /// The same of a state from outside, in either kind of coordinates. Throws InvalidInput where it is none of this model.
  void take_state(const State& given);
  /// Velocities jump to those of M v⁺ = momentum + Jᵀμ, J v⁺ = -C_t; the work is booked. Refused: nothing changes. src/sim/impulse.cpp
  SolveResult jump_to(const VecX& momentum, Account account);
  /// A state of other coordinates in those of this simulation, and the other way round.
  State in_own_coordinates(const State& other) const;
  State in_body_coordinates(const State& own) const;
  /// The same without a copy: in joint coordinates into q and v, else as it is.
  Instant in_bodies(const State& own, VecX& q, VecX& v) const;
  /// What constraints and forces remember, at the end of a step.
  void advance_memory(State& end) const;
  /// To a state in which a step has begun before.
  void go_back(const State& earlier);
  /// The scheme of choice.integrator, with this stage or, where it needs one and gets none, with a new one.
  void make_chosen_scheme(std::unique_ptr<StageEquations> stage = nullptr);
  /// One step of the scheme from `state`; commits it, or leaves everything as it was. src/sim/step.cpp
  Attempt attempt(double dt, StepReport& report);
  /// Onto the constraints; refused: nothing changes.
  StepReport project();
  void analyse_where_closed(const State& closed);

 private:
  /// Makes the equations of choice.formulation the ones that are integrated.
  void use_formulation();
  void forget_all_but(Reached reached);
  void reach(Reached wanted) const;
  void reach_locked(Reached wanted) const;
  std::unique_lock<std::mutex> lock_known() const;
  void find_bodies_locked() const;
  void solve_locked() const;
  StepStart start_of_step(double dt) const;
  void complete_next(double dt);
  /// Why the step is not taken after all; empty when it is.
  std::string commit(double dt, const StepOutcome& outcome, StepReport& report);

  bool is_stepping_ = false;        // attempt() is at work
  mutable std::mutex known_mutex_;  // behind which the following is found, except by a step
  mutable std::atomic<Reached> reached_ = Reached::elsewhere;
  mutable std::atomic<bool> balance_is_known_ = false;
  mutable std::atomic<bool> bodies_are_known_ = false, joint_multipliers_are_known_ = false;
  mutable VecX body_q_, body_v_;    // of a state in joint coordinates
  mutable VecX joint_multipliers_;  // all λ of such a state
  mutable SolveResult factor_result_;
  mutable Solution solution_;
  mutable Balance balance_;
  mutable VecX right_side_;
};

/// As long as an attempt is at work.
struct Stepping {
  bool& is_at_work;
  explicit Stepping(bool& flag) : is_at_work(flag) { flag = true; }
  ~Stepping() { is_at_work = false; }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;
};

/// Of an attempt that ends without a step, or by an exception: the equations are elsewhere.
struct ForgetUnlessDone {
  Simulation::Impl& sim;
  bool is_done = false;
  ~ForgetUnlessDone() {
    if (!is_done) sim.forget_known();
  }
};

struct SimulationAccess {
  static Simulation::Impl& impl(const Simulation& sim) { return *sim.impl_; }
  static void replace(Simulation& sim, std::unique_ptr<Simulation::Impl> impl) {
    sim.impl_ = std::move(impl);
  }
};

/// What a step announces once has been told only where the step returns: an exception takes its report along. src/sim/watch.cpp
struct AnnouncementsOfStep {
  Simulation& sim;
  Told before = SimulationAccess::impl(sim).told;
  bool rates_were_known = SimulationAccess::impl(sim).rates_are_known;
  int exceptions_before = std::uncaught_exceptions();
  ~AnnouncementsOfStep();
};

std::unique_ptr<solve::EqualitySolver> make_solver(Solver solver, const Options& options);
std::unique_ptr<Scheme> make_scheme(Integrator integrator);

/// Chooses solver and scheme for the equations; throws InvalidInput when what was asked for cannot honour the model.
void choose_methods(const Model& model, const Options& options, BodyEquations& equations, Choice& choice);
/// The formulation asked for, or the automatic choice.
void choose_formulation(const Model& model, const Options& options, Choice& choice);

/// What a scheme says about its step, in the words of the report.
inline void fill_report(const StepOutcome& outcome, StepReport& report) {
  report.iterations = outcome.iterations;
  report.residual = outcome.solve.residual;
  report.constraint_error = outcome.constraint_error;
  report.halvings = outcome.halvings;
  report.damped_substeps = outcome.damped_substeps;
  report.wrong_pivots = outcome.wrong_pivots;
}

/// The fastest of all there is, of forces alone (which allocates nothing when repeated), and of soft bodies. src/sim/rates.cpp
Fastest find_fastest(Simulation::Impl& sim);
Fastest fastest_force(Simulation::Impl& sim);
Fastest fastest_shape(const Simulation::Impl& sim);
/// "force 'spring'", "link 'arm' under tension"
std::string describe(const Model& model, const Fastest& fastest);

/// The automatic choice of the integrator for steps of this length: rattle, or bdf2 where it would not be stable. Settled choices stay.
/// src/sim/automatic.cpp
Choice planned_choice(Simulation::Impl& sim, double dt);
void settle_integrator(Simulation::Impl& sim, double dt);

/// What is announced and refused before a run is worthless, src/sim/watch.cpp.
/// Before a step of this length: brings fastest_watched up to date. What is announced, where the integrator cannot follow; or nothing.
std::string watch_rates(Simulation::Impl& sim, double dt);
/// What was announced earlier comes first.
inline void prepend_warning(std::string warning, StepReport& report) {
  if (warning.empty()) return;
  if (!report.warning.empty()) warning += "; " + report.warning;
  report.warning = std::move(warning);
}
/// After a step: ω·dt of links under tension, as it was at the start (report.omega_dt) or as the step found it; announced where it is too large.
void watch_tension(Simulation::Impl& sim, double dt, StepReport& report);
/// After a step from `start` to the state: announces or refuses (non-empty) energy that nothing explains.
std::string watch_energy(Simulation::Impl& sim, const State& start, const Balance& at_start,
                         StepReport& report);
/// The least that Simulation::energy_scale is: from the state alone.
double energy_scale_at(const Simulation::Impl& sim, const State& state, const Energy& energy);
/// Forces that have no direction at the state, as a spring between points that coincide; one line each.
std::vector<std::string> forces_without_direction(Simulation::Impl& sim);

/// As many internal steps of an adaptive scheme as it takes to advance by dt; one of a fixed scheme. src/sim/advance.cpp
StepReport advance(Simulation::Impl& sim, double dt);
/// The same, but it ends at the first event on the way and runs its action.
StepReport advance_to_event(Simulation& sim, double dt);

/// Why a step was refused, with names and a remedy.
std::string explain(const Simulation::Impl& sim, const SolveResult& result);
/// The same of the start of a step: a force that is not finite explains it better.
std::string explain(const Simulation::Impl& sim, const SolveResult& result, double dt);
std::string explain(const Simulation::Impl& sim, const StepOutcome& outcome, double dt, double omega);
/// "a singular position, where ...: go through it with a fixed step"; empty where the state is none.
std::string explain_singular_position(const Simulation::Impl& sim);
/// "force 'm' (motor) is not finite at t = 1 s: ...": the first force that is not within dt from the state; empty when all are.
std::string explain_bad_force(const Simulation::Impl& sim, double dt);
/// Empty when a step can end in this state: its numbers are finite, and every body can be in it.
std::string explain_bad_end(const Simulation::Impl& sim, const State& end, double dt);
/// "body 'b' (affine) has turned inside out; ...": the first body that cannot be in the state; empty when all can.
std::string impossible_body(const Simulation::Impl& sim, const State& state);
/// Empty when every body can be where a projection or an assembly put it.
std::string explain_bad_closure(const Simulation::Impl& sim, const State& closed);
/// Empty when the state satisfies its constraints, or when the methods chosen correct it as they go.
std::string explain_bad_start(const Simulation::Impl& sim);
/// The same of equations that are evaluated at a state in their own coordinates, whatever the methods.
std::string explain_violation(const Simulation::Impl& sim, Equations& equations, const State& at);
/// "constraint 'elbow' (hinge)"
std::string constraint_label(const Model& model, int index);
/// "inequality 'floor' (contact)"
std::string inequality_label(const Model& model, int index);
/// Why a solver does not take the model.
std::string explain(const Model& model, const solve::Refusal& refusal);
/// "constraint 'a' (hinge) by 0.3, constraint 'b' (ball) by 0.2": what the rows leave, largest first.
std::string worst_constraints(const Simulation::Impl& sim, const VecX& rest);

/// Why a simulation cannot be in this state; empty when it can. What constraints say of it is another matter.
std::string explain_bad_state(const Simulation::Impl& sim, const State& state);

}  // namespace catena
