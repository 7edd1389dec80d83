// How a model is simulated: solvers, integrators and their traits, tolerances.
//
// A program: examples/cpp/adaptive.cpp
#pragma once

#include "catena/math.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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

/// Which coordinates a model is simulated in, and how its equations are solved there.
enum class Formulation : std::uint8_t {
  automatic,  // chosen from the model, with the reason in Choice
  maximal,    // every body by itself; joints are constraints with multipliers
  minimal,  // joint coordinates on trees of bodies, by articulated-body algorithms; what closes loops is a constraint
  middle,  // joint coordinates, accelerations by the solver of body coordinates (Baraff's middle way)
};

enum class Integrator : std::uint8_t {
  automatic,         // rattle where the step resolves tensions and springs, else bdf2
  rattle,            // variational, second order, positions and velocities on the constraints
  rk4,               // Runge-Kutta, fourth order
  dormand_prince,    // Runge-Kutta of order 5(4) with steps as long as the tolerance allows
  symplectic_euler,  // first order, one evaluation
  first_order,       // kinematic manipulation: f = m·v, no inertia
  moreau,            // impulses by Moreau's time stepping: contacts, limits and dry friction
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

/// What a step makes of the accelerations and multipliers at its start.
enum class StartSolution : std::uint8_t {
  none,  // it begins elsewhere: nothing has to be known at the start
  unused,
  guess,   // multipliers to begin an iteration with; it can do without
  needed,  // no step begins where there are none
};

/// What is to be known about an integrator; nothing else asks for it by its name.
struct IntegratorTraits {
  Integrator integrator;
  std::string_view name;       // in scenes and on the command line
  int order = 0;               // of accuracy in the step; 0: that of what is chosen
  bool is_implicit = false;    // stiffness is in its matrix: stable at any step
  bool is_linearised = false;  // by one linear solve a step: directions of forces stay those of its start
  bool is_adaptive = false;    // takes as many internal steps as the tolerance asks for
  bool has_inertia = true;     // false: nothing has an energy balance, and an open start is pulled together
  bool accepts_open_start = false;  // may begin off its constraints, and corrects them as it goes
  bool uses_drift = false;          // what keeps its constraints from drifting is Options::drift
  bool takes_inequalities = false;  // limits, contacts, dry friction
  bool needs_free_flight = false;   // of every body (Body::has_free_flight)
  bool works_on_bodies =
      false;               // in body coordinates; of a state in joint coordinates, on the bodies it places
  bool remembers = false;  // what its last step was: State::history
  bool leaves_factor = false;  // the factor that a step leaves is that of its end
  StartSolution start = StartSolution::needed;
};

inline constexpr std::array kIntegrators{
    IntegratorTraits{.integrator = Integrator::automatic, .name = "automatic"},
    IntegratorTraits{.integrator = Integrator::rattle,
                     .name = "rattle",
                     .order = 2,
                     .needs_free_flight = true,
                     .works_on_bodies = true,
                     .leaves_factor = true},
    IntegratorTraits{.integrator = Integrator::rk4, .name = "rk4", .order = 4, .uses_drift = true},
    IntegratorTraits{.integrator = Integrator::dormand_prince,
                     .name = "dormand-prince",
                     .order = 5,
                     .is_adaptive = true,
                     .uses_drift = true},
    IntegratorTraits{.integrator = Integrator::symplectic_euler,
                     .name = "symplectic-euler",
                     .order = 1,
                     .uses_drift = true},
    IntegratorTraits{.integrator = Integrator::first_order,
                     .name = "first-order",
                     .order = 1,
                     .has_inertia = false,
                     .accepts_open_start = true,
                     .works_on_bodies = true,
                     .start = StartSolution::unused},
    IntegratorTraits{.integrator = Integrator::moreau,
                     .name = "moreau-jean",
                     .order = 1,
                     .takes_inequalities = true,
                     .start = StartSolution::none},
    IntegratorTraits{.integrator = Integrator::bdf2,
                     .name = "bdf2",
                     .order = 2,
                     .is_implicit = true,
                     .works_on_bodies = true,
                     .remembers = true,
                     .leaves_factor = true,
                     .start = StartSolution::guess},
    IntegratorTraits{.integrator = Integrator::tr_bdf2,
                     .name = "tr-bdf2",
                     .order = 2,
                     .is_implicit = true,
                     .works_on_bodies = true,
                     .leaves_factor = true},
    IntegratorTraits{.integrator = Integrator::generalised_alpha,
                     .name = "generalised-alpha",
                     .order = 2,
                     .is_implicit = true,
                     .works_on_bodies = true,
                     .remembers = true,
                     .leaves_factor = true},
    IntegratorTraits{.integrator = Integrator::backward_euler,
                     .name = "backward-euler",
                     .order = 1,
                     .is_implicit = true,
                     .works_on_bodies = true,
                     .leaves_factor = true,
                     .start = StartSolution::guess},
    // ends with velocities u/h, which hold the constraints to the order of h only, and must be able to go on from them
    IntegratorTraits{.integrator = Integrator::linearised_euler,
                     .name = "linearised-euler",
                     .order = 1,
                     .is_implicit = true,
                     .is_linearised = true,
                     .accepts_open_start = true,
                     .works_on_bodies = true,
                     .start = StartSolution::unused},
};
static_assert([] {
  for (std::size_t i = 0; i < kIntegrators.size(); ++i)
    if (kIntegrators[i].integrator != Integrator(i)) return false;
  return kIntegrators.size() == std::size_t(Integrator::linearised_euler) + 1;
}());

constexpr const IntegratorTraits& traits(Integrator integrator) {
  return kIntegrators[std::size_t(integrator)];
}
constexpr bool is_implicit(Integrator integrator) {
  return traits(integrator).is_implicit;
}

std::string_view name(Solver solver);
std::string_view name(Integrator integrator);
std::string_view name(Formulation formulation);
std::string_view name(Drift drift);
std::string_view name(StiffForm form);
std::string_view name(NewtonMatrix matrix);
/// The value with that name, or nothing. Names are those above with '-' for '_'.
std::optional<Solver> solver_from(std::string_view name);
std::optional<Integrator> integrator_from(std::string_view name);
std::optional<Formulation> formulation_from(std::string_view name);
std::optional<Drift> drift_from(std::string_view name);
std::optional<StiffForm> stiff_form_from(std::string_view name);
std::optional<NewtonMatrix> newton_matrix_from(std::string_view name);

struct Options {
  Formulation formulation = Formulation::automatic;
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
      1e-9;  // of implicit steps: |C| over the model's size; forces over their terms to 100 times that, or better   -
  int max_newton_iterations = 20;  // of one implicit stage; beyond them the step is halved
  int max_halvings = 12;           // of one step, before it is refused
  double alpha_rho = 0.0;      // generalised_alpha: spectral radius at infinite frequency, 0 to 0.6      -
  int linear_corrections = 3;  // linearised_euler: repeated corrections of positions with one factor
  // What is announced (StepReport::warning) and refused before a run is worthless. Infinity: never.
  double warn_omega_dt = 1.0;  // ω·dt of the fastest tension, spring, damper or motor: announced above    -
  double warn_growth = 1.0;    // numerical energy over Simulation::energy_scale: announced above           -
  double refuse_growth = 10.0;      // the same: the step is refused above                                -
  int max_internal_steps = 100000;  // dormand_prince: of one step, before it is refused
};

}  // namespace catena
