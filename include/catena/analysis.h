// Questions about a model rather than a motion: what is in it, do the solvers agree, what does each cost.
//
// A program: examples/cpp/four_bar.cpp
#pragma once

#include "catena/simulation.h"

namespace CATENA_API catena {

/// One constraint's part in a dependency: the forces and torques of the null vector, as they act on its first body.
struct DependencyPart {
  ConstraintId id;
  std::string name, kind;
  double share = 0.0;      // of the dependency's weight, 0 to 1
  Vec3 force, torque;      // in the axes of the constraint's last marker; the largest weight of all rows is 1
  std::string directions;  // "force along x, torque about y"
};

/// Rows that say the same: a combination z of rows with Jᵀz = 0. Forces may circulate in it without moving anything.
struct Dependency {
  ConstraintId implied;               // the constraint one of whose rows the others imply
  int row = 0;                        // which of its rows
  std::vector<DependencyPart> parts;  // those with the largest shares, together at least 95 %
  double named_share = 0.0;           // of the weight on the parts named
  VecX null_vector;                   // z, one number per row of the model
  double conflict = 0.0;       // what the rows contradict each other by, in m or rad; 0 when they agree
  double conflict_rate = 0.0;  // the same for their rates (driven constraints), per second
  bool is_consistent = true;
  std::string summary, remedy;  // one line each
};

struct CheckReport {
  int bodies = 0, constraints = 0, rows = 0;
  int velocities = 0;
  int dof = 0;             // velocities - independent rows
  int redundant_rows = 0;  // rows - independent rows
  int loops = 0;           // independent cycles of the graph of bodies, constraints and the world
  int trees = 0;           // connected components
  int depth = 0;           // of the elimination forest, in bodies (0 when the tree solver does not apply)
  double mass_ratio = 1.0;
  double tension_frequency = 0.0;        // largest estimate at the start, rad/s
  double fastest_frequency = 0.0;        // of tensions, springs, dampers, motors and soft bodies, rad/s
  std::string fastest;                   // what has it
  double advised_dt = 0.0;               // step with ω·dt = 0.5 for the fastest; 0 when there is none
  double constraint_error = 0.0;         // at the start
  double velocity_error = 0.0;           // |J v + C_t| at the start
  std::vector<Dependency> dependencies;  // at most `max_dependencies` of the redundant rows, explained
  std::vector<std::string> warnings;
  Choice choice;
};
/// The rank is found by the block-sparse factorisation, in near-linear time.
/// @param dt  of the steps to come: `choice` then names the integrator that the first of them takes; 0: not known
CheckReport check(const Simulation& sim, int max_dependencies = 20, double dt = 0.0);

/// Where the laws of driven constraints break from now to `end`, at most `most` of them, one line each: a position that jumps, which a step
/// refuses to follow, or a rate, which it follows by an impulse.   @param dt  of the steps to come, within which breaks are looked for
std::vector<std::string> law_breaks(const Simulation& sim, double end, double dt, int most = 4);

/// λ of least Euclidean norm among those with the same Jᵀλ as the current multipliers (they differ when rows are redundant).
VecX minimum_norm_multipliers(const Simulation& sim);

/// One pivot of the elimination, in order.
struct EliminationNode {
  std::string name;  // of the body or constraint
  bool is_constraint = false;
  int dim = 0;
  int parent = -1;     // position in this list; -1 for a root
  std::string kernel;  // "null-space 6+5", "range 3+2", "general"
};
struct EliminationGraph {
  std::vector<EliminationNode> nodes;  // children before parents
  int fill_blocks = 0;                 // blocks of the factor that are not blocks of the matrix
  std::string refusal;                 // why the tree solver does not apply; empty when it does
};
EliminationGraph elimination_graph(const Simulation& sim);

/// One solver of one formulation on the equations of the current state; what it answers is in body coordinates.
struct SolverRun {
  Formulation formulation = Formulation::maximal;
  Solver solver = Solver::tree;  // not asked in minimal coordinates
  bool applies = false;
  std::string why_not;
  VecX accelerations, constraint_force, multipliers;  // constraint_force = Jᵀλ
  double energy = 0.0;                                // of joint coordinates: total, J
  double residual = 0.0;
  int iterations = 0;           // cg
  double evaluate_seconds = 0;  // kinematics, forces, J: the same for all solvers
  double factor_seconds = 0, solve_seconds = 0;
  double factor_and_solve_seconds = 0;  // in one call, as a step does it
};
/// Runs the solver `repeats` times and keeps the shortest times.
SolverRun run_solver(const Simulation& sim, Solver solver, int repeats = 1);
/// The same in joint coordinates. @param formulation  minimal or middle
SolverRun run_in_joints(const Simulation& sim, Formulation formulation, Solver solver = Solver::automatic,
                        int repeats = 1);

/// Ways to the response matrix of Baraff's auxiliary constraints.
enum class Response : std::uint8_t {
  path,       // forward sweeps from the bodies of each row to the roots, products over shared panels
  solves,     // full solves, four rows at a time
  rosenthal,  // full forward sweeps, no backward pass
  literal,    // full solves, as printed
};
/// Computes it `repeats` times at the current state; shortest time in seconds, and the number of rows.
struct ResponseRun {
  double seconds = 0.0;
  int rows = 0;
};
ResponseRun run_response(const Simulation& sim, Response method, int repeats = 1);

struct Comparison {
  struct Row {
    int run;  // position in `runs`
    Formulation formulation;
    Solver solver;
    double acceleration_difference, force_difference,
        multiplier_difference;  // relative to the reference, max norm
    double energy_difference;   // of joint coordinates to body coordinates, relative
    double tolerance;
    bool agrees;
  };
  Solver reference = Solver::dense_kkt;
  bool full_rank = true;  // multipliers are compared only then
  std::vector<SolverRun> runs;
  std::vector<Row> rows;  // those that apply
  bool agree = true;
};
Comparison compare(const Simulation& sim, int repeats = 5);

// ------------------------------------------------------------------------------------------ inverse dynamics
// Which torques make joints accelerate as one likes, with everything else of the model as it is: loops, gears, rotors, springs, motors, other
// joints that nobody drives.
//
//   M v̇ = F + Kᵀλ + Bᵀτ,    J v̇ + b = 0,    B v̇ = α           B picks the velocities of the driven joints                        (1)
//
// τ is on top of what the forces of the model do, those of motors with their present commands included. Where the driven joints do not depend on
// each other τ is unique. Where loops tie them together (more drives than ways to move), torques that balance each other through the loops
// are left out: τ has the least Euclidean norm of all that do the same. So has λ among the multipliers of redundant rows.
//
//   InverseDynamics inverse(sim, {shoulder, elbow});
//   if (!inverse.solve(sim, alpha).ok()) ...             // in any formulation, inside of a controller too
//   sim.set_joint_torque(shoulder, ...inverse.torques().head(1));
//
// A program: examples/cpp/computed_torque.cpp

class InverseDynamics {
 public:
  /// Throws InvalidInput for constraints that are no joints of the model's tree (catena/algorithms.h): loops decide their coordinates.
  InverseDynamics(const Simulation& sim, std::vector<ConstraintId> driven);
  ~InverseDynamics();
  InverseDynamics(InverseDynamics&&) noexcept;
  InverseDynamics& operator=(InverseDynamics&&) noexcept;

  int num_velocities() const;  // of the driven joints together
  /// At the state of a simulation. One that was edited since, or another, is looked at anew: that costs as much as the constructor, and throws
  /// as it does. @param accelerations  α, one per velocity of the driven joints, in their order.
  /// Refused, with names, where no torques have these accelerations: loops contradict them. O(drives · links), with loops that of their factor too.
  [[nodiscard]] StepReport solve(const Simulation& sim, const VecX& accelerations);

  const VecX& torques() const;              // τ, in the order of α
  const VecX& joint_accelerations() const;  // v̇, in the order of a state of joint coordinates
  const VecX& multipliers() const;  // λ of all constraints but the joints of the tree, whose entries are 0
  int num_tied() const;             // drives that loops tie to the others

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// -------------------------------------------------------------------------------------------------- assembly
// Assembling mechanisms and looking at how they can move: kinematics without inertia.
//
//   AssemblyReport report = assemble(sim);        // closes all joints from a rough start
//   for (const DofDirection& d : dof_directions(sim)) ...

struct AssemblyOptions {
  int max_iterations = 500;
  double tolerance = 1e-11;  // largest |C| that counts as closed, relative to the model's size
};

struct AssemblyReport {
  bool is_closed = false;
  int iterations = 0;
  double start_error = 0.0, error = 0.0;  // largest |C|, m or rad
  double velocity_change = 0.0;           // largest change that made the velocities consistent
  std::string message;                    // what could not be closed, with names; empty when all is
};

/// Moves the bodies until all constraints hold, by damped least squares with the block-sparse factorisation (Levenberg and
/// Marquardt; the masses are the metric), then makes the velocities consistent. The state is left untouched when it fails.
[[nodiscard]] AssemblyReport assemble(Simulation& sim, const AssemblyOptions& options = {});
/// The same from another state than that of the simulation, with joints as far open as one likes: in body coordinates.
[[nodiscard]] AssemblyReport assemble(Simulation& sim, const State& from,
                                      const AssemblyOptions& options = {});

/// One way to move that all constraints allow: v with J v = 0.
struct DofDirection {
  VecX velocity;        // one number per velocity of the model; 1 at the coordinate that leads
  BodyId leader;        // the body with that coordinate
  std::string summary;  // "crank turns about z; coupler, follower go with it"
};

/// Independent directions, as many as there are degrees of freedom, each led by one coordinate that the others leave alone.
/// Throws InvalidInput for models with more than `largest` velocities.
std::vector<DofDirection> dof_directions(const Simulation& sim, int largest = 2000);

/// A frame of the motion along a direction: the state reached after `amount` (m or rad of the leading coordinate), constraints held.
/// Nothing when the mechanism cannot go that far.
std::optional<State> move_along(const Simulation& sim, const DofDirection& direction, double amount);

}  // namespace catena
