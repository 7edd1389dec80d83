// A model in motion: options, state, step, reports.
//
//   Simulation sim(model);                      // chooses solver and integrator, says why in sim.choice()
//   while (sim.time() < 10) sim.step(1e-3);     // throws nothing; read the StepReport
#pragma once

#include "catena/model.h"

#include <array>
#include <filesystem>

namespace CATENA_API catena {

/// How the linear system of accelerations and multipliers is solved.
enum class Solver : std::uint8_t {
  automatic,  // tree where the graph allows it, else sparse
  tree,       // Baraff's linear-time factorisation; acyclic structures
  sparse,  // block-sparse factorisation of the whole KKT matrix; loops and redundant rows at near-linear cost
  auxiliary,  // Baraff's tree with the rows that close loops on top of it, O(k n + k³) for k of them
  banded,     // block-banded Cholesky of J M⁻¹ Jᵀ
  dense,      // Cholesky of J M⁻¹ Jᵀ
  dense_kkt,  // LDLᵀ of the whole KKT matrix
  cg,         // matrix-free conjugate gradients (CGLS); loops, redundant and conflicting rows
};

enum class Integrator : std::uint8_t {
  automatic,         // rattle where the step resolves tensions and springs, else bdf2
  rattle,            // variational, second order, positions and velocities on the constraints
  rk4,               // Runge-Kutta, fourth order
  dormand_prince,    // Runge-Kutta of order 5(4) with steps as long as the tolerance allows
  symplectic_euler,  // first order, one evaluation
  first_order,       // kinematic manipulation: f = m·v, no inertia
  // implicit in springs, dampers, limits and in the direction of constraint forces: stable at any step
  bdf2,               // second order, damped; the choice for stiff joints and taut chains
  tr_bdf2,            // second order, two stages: more accurate when the motion is resolved
  generalised_alpha,  // second order, damping by `alpha_rho`
  backward_euler,     // first order, strongly damped
  linearised_euler,   // backward Euler with one linear solve per step (Hernández et al.): first order
};

/// How implicit integrators take springs, dampers and limits into the linear system.
enum class StiffForm : std::uint8_t {
  compliant,    // as rows with compliance: any stiffness, up to rigid
  grandparent,  // as blocks between a body and the one behind its joint (Hernández et al.)
  dense,        // as rows with compliance in one dense matrix with pivoting: a reference, O(n³)
};

/// Which matrix Newton's method factors.
enum class NewtonMatrix : std::uint8_t {
  exact,         // with the geometric stiffness of constraints and springs; unsymmetric
  gauss_newton,  // without that of springs
};

/// What keeps the constraints from drifting in rk4, dormand_prince and symplectic_euler. (rattle needs none.)
enum class Drift : std::uint8_t {
  projection,      // positions and velocities brought back after every step
  feedback,        // -k_s C - k_d Ċ inside the constraint-force solve, constants tied to the step
  feedback_after,  // Witkin's variant: the same terms as a force after the solve; for comparison
  none,            // let it drift; for comparison
};

/// bdf2, tr_bdf2, generalised_alpha, backward_euler, linearised_euler
bool is_implicit(Integrator integrator);

std::string_view name(Solver solver);
std::string_view name(Integrator integrator);
std::string_view name(Drift drift);
std::string_view name(StiffForm form);
std::string_view name(NewtonMatrix matrix);
/// The value with that name, or nothing. Names are those above with '-' for '_'.
std::optional<Solver> solver_from(std::string_view name);
std::optional<Integrator> integrator_from(std::string_view name);
std::optional<Drift> drift_from(std::string_view name);
std::optional<StiffForm> stiff_form_from(std::string_view name);
std::optional<NewtonMatrix> newton_matrix_from(std::string_view name);

struct Options {
  Solver solver = Solver::automatic;
  Integrator integrator = Integrator::automatic;
  Drift drift = Drift::projection;
  double tolerance =
      1e-8;  // dormand_prince: error per internal step, relative to the model's size and to the velocities
  double feedback_eta = 0.2;  // α = β = η/h: k_d = 2α, k_s = α²                             -
  double feedback_ks = -1.0;  // ≥ 0: given constants instead of η (both)                    1/s²
  double feedback_kd = -1.0;  //                                                             1/s
  double position_tolerance =
      1e-11;  // largest |C| that a position iteration leaves, relative to the model's size
  int max_position_iterations = 50;  // of rattle and of the projection
  double residual_tolerance = 1e-9;  // relative KKT residual above which a step is refused         -
  double cg_tolerance = 1e-11;       // relative residual of cg                                     -
  int cg_max_iterations = 0;         // 0: 10 × rows + 100
  double relaxation_time = 0.1;      // first_order: C decays with this time constant               s
  StiffForm stiff_form = StiffForm::compliant;
  NewtonMatrix newton_matrix = NewtonMatrix::exact;
  double newton_tolerance =
      1e-9;  // of implicit steps: |C| over the model's size, forces over their terms   -
  int max_newton_iterations = 20;  // of one implicit stage; beyond them the step is halved
  int max_halvings = 12;           // of one step, before it is refused
  double alpha_rho = 0.0;      // generalised_alpha: spectral radius at infinite frequency, 0 to 0.6      -
  int linear_corrections = 3;  // linearised_euler: repeated corrections of positions with one factor
  double warn_omega_dt = 1.0;  // announce steps with a tension frequency ω·dt above this     -
};

/// Work done on the system since the start, by source; J. `numerical` is what the others leave unexplained.
struct Ledger {
  double gravity = 0, springs = 0, dampers = 0, motors = 0, loads = 0, drag = 0, driven = 0;
  double impulses = 0;  // energy changed by apply_impulse, project and edit
};

/// Everything needed to continue identically, nothing derived.
struct State {
  double time = 0.0;     // s
  double substep = 0.0;  // next internal step of an adaptive integrator; 0: not known yet             s
  std::uint64_t steps = 0;
  VecX q, v;     // coordinates and velocities, bodies in model order
  VecX memory;   // turns, curve parameters, commands: constraints' numbers, then forces'
  VecX history;  // what a multi-step integrator remembers of the last step; empty: it starts anew
  Ledger ledger;
};

struct Energy {
  double kinetic = 0, gravity = 0, springs = 0;  // J
  double total() const { return kinetic + gravity + springs; }
};

struct StepReport {
  enum class Status : std::uint8_t { ok, refused };
  Status status = Status::ok;
  std::string message;    // why it was refused, with names and a remedy; empty when ok (no allocation then)
  int iterations = 0;     // position iterations (rattle, projection) or cg iterations
  double residual = 0.0;  // relative KKT residual of the last solve
  double constraint_error = 0.0;  // largest |C| after the step
  double omega_dt = 0.0;          // largest estimated tension frequency times the step
  double advanced = 0.0;          // time gone by: dt, less when an event ended the step                   s
  int internal_steps = 0;         // of an adaptive integrator, accepted
  int rejected_steps = 0;         // and tried again with a smaller step
  int halvings = 0;               // of an implicit step that did not converge at its full length
  int damped_substeps = 0;        // taken by backward Euler, because the scheme would have gained energy
  int wrong_pivots =
      0;              // Newton matrices whose pivot signs do not belong to a stable equilibrium of the step
  std::string event;  // name of the event at which the step ended, if any
  bool ok() const { return status == Status::ok; }
};

/// Force and torque that a constraint exerts on its first body at its marker, in the axes of its last marker.
struct ConstraintForce {
  Vec3 force = Vec3::Zero();   // N
  Vec3 torque = Vec3::Zero();  // N·m
};

class Simulation;

/// Something to watch for: a number that changes sign. A step ends where it does, to rounding, and the action runs there.
struct Event {
  enum class Crossing : std::uint8_t {
    rising,
    falling,
    either,
    exceeded,  // rising, and at once where it is above 0 already when a step begins
  };
  std::string name;
  std::function<double(const Simulation&)> value;
  Crossing crossing = Crossing::either;
  std::function<void(Simulation&)> action;  // may edit the simulation; empty: the step only ends there
};

/// What an accelerometer and a gyroscope show, in the axes of the marker they sit at.
struct ImuReading {
  Vec3 specific_force =
      Vec3::Zero();  // acceleration without gravity: 0 in free fall, g upwards at rest   m/s²
  Vec3 angular_rate = Vec3::Zero();  // rad/s
};

/// Rates of marker a against marker b of a joint.
struct JointRate {
  double angular = 0.0;  // about z of b     rad/s
  double linear = 0.0;   // along z of b     m/s
};

/// Which methods were taken, and why, in one line each.
struct Choice {
  Solver solver = Solver::tree;
  Integrator integrator = Integrator::rattle;
  std::string solver_reason, integrator_reason;
  bool integrator_is_provisional = false;  // automatic: the first step decides, when its length is known
};

class Simulation {
 public:
  /// Throws InvalidInput with all issues when the model cannot be simulated, or when a method asked for cannot honour it.
  explicit Simulation(Model model, Options options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances by dt (> 0, finite). A refused step leaves the state untouched and says why. A start that violates its
  /// constraints is refused too: project() it, or correct it.
  [[nodiscard]] StepReport step(double dt);

  /// Watches for an event in every step from now on. Throws InvalidInput when it has no name or no value.
  void add_event(Event event);
  /// The joint is removed when the force (N) or the torque (N·m) it carries exceeds its limit.
  void break_at(ConstraintId joint, double force, double torque = std::numeric_limits<double>::infinity());

  /// State at a time within the last internal step of dormand_prince, by its interpolant of fourth order: output between steps
  /// without shortening them. Throws InvalidInput outside that step or with another integrator.
  State interpolated(double time) const;

  /// Changes the structure between steps. Bodies passed to `change` have their current placement as start values, so that
  /// join() means "here and now". Throws InvalidInput and changes nothing when the result is not valid.
  void edit(const std::function<void(Model&)>& change);

  /// An impulse at a world point of a body, passed through all constraints.
  [[nodiscard]] StepReport apply_impulse(BodyId body, const Vec3& point, const Vec3& impulse);

  /// Brings positions and velocities onto the constraints with the least (mass-weighted) change.
  [[nodiscard]] StepReport project();

  /// Calls `controller` at 0, period, 2·period, ...: at the beginning of the step in which the sample time lies. It reads what it
  /// likes and writes commands, which hold until its next sample; it may not step, edit or set the state. What it reads is
  /// the motion before the new commands. A step longer than the period is refused. When a step is refused commands become what
  /// they were, and the controller is called again for the next attempt. Controllers belong to the program, not to the
  /// state: add them again before a checkpoint is continued; the sample times then follow from the time.
  void add_controller(std::string name, double period, std::function<void(Simulation&)> controller);
  void remove_controller(std::string_view name);
  /// Commands of a force that was built to follow one (catena/motor.h); they belong to the state. Throws InvalidInput.
  void set_command(ForceId id, std::span<const double> values);
  void set_command(ForceId id, double value) { set_command(id, std::span<const double>(&value, 1)); }
  std::span<const double> command(ForceId id) const;

  double time() const { return state().time; }
  const State& state() const;
  /// Throws InvalidInput when the sizes do not fit the model or a number is not finite.
  void set_state(const State& state);
  const Model& model() const;
  const Options& options() const;
  const Choice& choice() const;

  /// FNV-1a over the bits of the state.
  std::uint64_t hash() const;
  /// Atomic, versioned, with a checksum. Loading refuses what is truncated, damaged or belongs to another model.
  void save(const std::filesystem::path& file) const;
  void load(const std::filesystem::path& file);

  // What follows is read off the solution at the current state, which every change of state computes.
  Energy energy() const;
  const Ledger& ledger() const;
  /// energy now - energy at the start - everything in the ledger: what the integration lost (< 0) or invented.
  double numerical_energy() const;
  double start_energy() const;
  const VecX& accelerations() const;                           // per velocity, model order
  std::span<const double> multipliers(ConstraintId id) const;  // λ, one per row: force +Jᵀλ
  const VecX& multipliers() const;                             // all, constraints in model order
  VecX constraint_generalised_force() const;                   // Jᵀλ, per velocity
  ConstraintForce constraint_force(ConstraintId id) const;
  double constraint_error() const;  // largest |C|, m or rad
  double constraint_power() const;  // λ·(J v), W; zero unless driven
  Placement placement(BodyId id) const;
  Marker marker(const Attachment& attachment) const;
  ImuReading imu(const Attachment& at) const;
  JointRate joint_rate(ConstraintId id) const;  // of a joint with two markers; throws InvalidInput for others
  Vec3 linear_momentum() const;
  Vec3 angular_momentum() const;  // about the world's origin
  std::span<const double> memory(ForceId id) const;
  std::span<const double> memory(ConstraintId id) const;

  struct Impl;  // the engine room, src/sim/impl.h

 private:
  friend struct SimulationAccess;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
