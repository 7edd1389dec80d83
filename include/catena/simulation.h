// A model in motion: step, reports, readings.
//
//   Simulation sim(model);                      // chooses solver and integrator, says why in sim.choice()
//   while (sim.time() < 10) sim.step(1e-3);     // throws what your own forces throw; read the StepReport
//
// A program: examples/cpp/pendulum.cpp
#pragma once

#include "catena/model.h"
#include "catena/options.h"
#include "catena/state.h"

#include <filesystem>

namespace CATENA_API catena {

struct StepReport {
  enum class Status : std::uint8_t { ok, refused };
  Status status = Status::ok;
  std::string message;    // why it was refused, with names and a remedy; empty when ok (no allocation then)
  std::string warning{};  // what may make the run worthless, with names and a remedy; each is told once
  int iterations = 0;     // position iterations (rattle, projection) or cg iterations
  double residual = 0.0;  // relative KKT residual of the last solve that the integrator checked
  double constraint_error = 0.0;  // largest |C| after the step
  double omega_dt = 0.0;  // largest estimated frequency times the step: of tensions, and with explicit
      // integrators of springs, dampers, motors and soft bodies too (seen every 64th step)
  double invented = 0.0;    // numerical energy over the energy scale, 0 where it is lost
  double advanced = 0.0;    // time gone by: dt, less when an event ended the step                   s
  int internal_steps = 0;   // of an adaptive integrator, accepted
  int rejected_steps = 0;   // and tried again with a smaller step
  int halvings = 0;         // of an implicit step that did not converge at its full length
  int damped_substeps = 0;  // taken by backward Euler, because the scheme would have gained energy
  int wrong_pivots =
      0;                // Newton matrices whose pivot signs do not belong to a stable equilibrium of the step
  std::string event{};  // name of the event at which the step ended, if any
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
  /// May edit the simulation; empty: the step only ends there. InvalidInput, thrown before an edit, refuses the step.
  std::function<void(Simulation&)> action;
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

/// Coordinates of one joint and their velocities: an angle of a hinge, a length of a slider, a unit quaternion (w, x, y, z) and the angular
/// velocity in the axes of marker b of a ball; of marker a seen from marker b (catena/algorithms.h).
struct JointState {
  VecX q, v;
};

/// Which methods were taken, and why, in one line each.
struct Choice {
  Formulation formulation = Formulation::maximal;
  Solver solver = Solver::tree;
  Integrator integrator = Integrator::rattle;
  std::string formulation_reason, solver_reason, integrator_reason;
  bool integrator_is_provisional = false;  // automatic: the first step decides, when its length is known
};

class Simulation {
 public:
  /// Throws InvalidInput with all issues when the model cannot be simulated, or when a method asked for cannot honour it.
  explicit Simulation(Model model, Options options = {});
  /// The same with a model that several simulations share, each on its own thread if they like. Nothing is written to it.
  explicit Simulation(std::shared_ptr<const Model> model, Options options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Another simulation of the same model in the same state, which continues bit for bit as this one would. The model is shared. It has no
  /// events and no controllers: these are functions of the program that may know this simulation; add them to the clone where it needs them.
  Simulation clone() const;

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

  /// Brings positions and velocities onto the constraints with the least (mass-weighted) change, along K where constraints act elsewhere.
  [[nodiscard]] StepReport project();

  /// Calls `controller` at 0, period, 2·period, ...: at the beginning of the step in which the sample time lies. It reads what it
  /// likes and writes commands, which hold until its next sample; it may not step, edit or set the state. What it reads is
  /// the motion before the new commands. A step longer than the period is refused. When a step is refused commands become what
  /// they were, and the controller is called again for the next attempt. Controllers belong to the program, not to the
  /// state: add them again before a checkpoint is continued; the sample times then follow from the time.
  void add_controller(std::string name, double period, std::function<void(Simulation&)> controller);
  void remove_controller(std::string_view name);
  /// Commands of a force that was built to follow one (catena/force.h); they belong to the state. Throws InvalidInput.
  void set_command(ForceId id, std::span<const double> values);
  void set_command(ForceId id, double value) { set_command(id, std::span<const double>(&value, 1)); }
  std::span<const double> command(ForceId id) const;

  double time() const { return state().time; }
  /// In the coordinates of the formulation (State::coordinates).
  const State& state() const;
  State state_in(Coordinates coordinates) const;
  /// In either coordinates. Throws InvalidInput when the sizes do not fit the model, a number is not finite, or a body cannot be there:
  /// quaternions must be of norm 1 to 1e-9, and are taken as they are.
  void set_state(const State& state);
  const Model& model() const;
  const Options& options() const;
  const Choice& choice() const;

  /// FNV-1a over the bits of the state.
  std::uint64_t hash() const;
  /// Atomic, versioned, with a checksum. Loading refuses what is truncated, damaged or belongs to another model.
  void save(const std::filesystem::path& file) const;
  void load(const std::filesystem::path& file);

  // What follows is found at the current state when it is first read. Reading changes no bit of the motion.
  Energy energy() const;
  const Ledger& ledger() const;
  /// energy now - energy at the start - everything in the ledger: what the integration lost (< 0) or invented.
  double numerical_energy() const;
  double start_energy() const;
  /// The largest kinetic and elastic energy that the start and the sources of the ledger explain so far: it does not grow with a motion that
  /// explodes. At least a trace of m g L and of m L²/s², so that rounding is not divided by rounding.   J
  double energy_scale() const;
  const VecX& accelerations() const;  // per velocity, in the order of State::v; zero where there are none
  /// λ of a constraint, one per row, and of all in model order: force +Jᵀλ. After an implicit step of a model with springs they are those
  /// that the step found: stiff springs turn rounding of positions into forces that no joint carries. All readings of forces use them.
  std::span<const double> multipliers(ConstraintId id) const;
  const VecX& multipliers() const;
  VecX constraint_generalised_force() const;  // Jᵀλ, per velocity
  ConstraintForce constraint_force(ConstraintId id) const;
  double constraint_error() const;  // largest |C|, m or rad
  double constraint_power() const;  // λ·(J v), W; zero unless driven
  Placement placement(BodyId id) const;
  Marker marker(const Attachment& attachment) const;
  ImuReading imu(const Attachment& at) const;
  /// Λ of points of bodies, 6 × 6 for each pair: what they accelerate by, (linear ; angular) in world axes, for each newton and each newton metre
  /// on them, with all constraints held; in any formulation, for bodies of every kind. The same as operational_compliance (catena/algorithms.h)
  /// where the model is a tree of rigid bodies. Symmetric but for constraints that act elsewhere than along their rows.
  /// Throws InvalidInput for unknown bodies, and where the equations have no solution, with the reason.
  MatX compliance(std::span<const Attachment> points) const;
  JointRate joint_rate(ConstraintId id) const;  // of a joint with two markers; throws InvalidInput for others
  /// Angle of marker a against marker b about z of b, of a joint with two markers; throws InvalidInput for others.   rad
  /// Counted over whole turns where something in the model counts them: the joint itself (a screw), or a torsion spring, a stop or a
  /// position motor about the same axis between the same bodies. Otherwise in (-π, π].
  double joint_angle(ConstraintId id) const;
  /// Coordinates of a joint, in any formulation. Turns are counted where the joint is one of the tree in joint coordinates; else angles are in
  /// (-π, π]. Throws InvalidInput for constraints without joint coordinates.
  JointState joint_state(ConstraintId id) const;
  /// Moves what the joint carries, seen from the world, with all other joints of the trees as they are; loops open, and project() closes them.
  /// What the energy changes by is booked as impulses, once steps have been taken.
  /// Throws InvalidInput where a loop decides its coordinates.
  void set_joint_state(ConstraintId id, const JointState& joint);
  /// What acts along the coordinates of a joint, one number per velocity, N or N·m: everything that is attached to the two bodies of the joint and
  /// to nothing else (motors, springs, stops, friction), so that torque · velocity is its power. Of a driven hinge or slider, whose motion is
  /// given, what it takes to drive it. Loads and weights are not counted. Throws InvalidInput for other constraints.
  VecX joint_torque(ConstraintId id) const;
  /// Commands of the joint_motor (catena/force.h) of a joint, in any formulation. Throws InvalidInput where it has none.
  void set_joint_torque(ConstraintId id, const VecX& torque);
  /// The same by the name of the joint.
  ConstraintId joint_named(std::string_view name) const;  // throws InvalidInput where there is none
  JointState joint_state(std::string_view name) const { return joint_state(joint_named(name)); }
  void set_joint_state(std::string_view name, const JointState& joint) {
    set_joint_state(joint_named(name), joint);
  }
  VecX joint_torque(std::string_view name) const { return joint_torque(joint_named(name)); }
  void set_joint_torque(std::string_view name, const VecX& torque) {
    set_joint_torque(joint_named(name), torque);
  }
  Vec3 linear_momentum() const;
  Vec3 angular_momentum() const;  // about the world's origin
  std::span<const double> memory(ForceId id) const;
  std::span<const double> memory(ConstraintId id) const;

  struct Impl;  // the engine room, src/sim/impl.h

 private:
  friend struct SimulationAccess;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
