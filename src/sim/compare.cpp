// One system solved in every way: formulations and solvers on the same state, what they answer and what they cost.
#include "catena/analysis.h"
#include "sim/impl.h"
#include "sim/redundancy.h"
#include "solve/auxiliary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace catena {
namespace {

constexpr int kDenseLimit = 3000;  // rows that a dense matrix may have here

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

SolverRun left_out(Formulation formulation, Solver solver, std::string why) {
  SolverRun run;
  run.formulation = formulation;
  run.solver = solver;
  run.why_not = std::move(why);
  return run;
}

/// Relative to the largest number of b, or to `floor`.
double relative(const VecX& a, const VecX& b, double floor) {
  if (a.size() == 0) return 0.0;
  const double scale = std::max(b.lpNorm<Eigen::Infinity>(), floor);
  const double difference = (a - b).lpNorm<Eigen::Infinity>();
  return scale > 0.0 ? difference / scale : difference;
}

}  // namespace

SolverRun run_solver(const Simulation& sim, Solver solver, int repeats) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  SolverRun run;
  run.solver = solver == Solver::automatic ? s.choice.solver : solver;
  const State state = s.in_body_coordinates(s.state);
  System system(s.model);
  const std::unique_ptr<BodyEquations> owned =
      make_body_equations(system, {state.q, state.v, state.time, state.memory});
  BodyEquations& equations = *owned;
  const solve::Refusal refusal = equations.use_solver(make_solver(run.solver, s.options), 1e300);
  if (refusal.refused()) {
    run.why_not = explain(s.model, refusal);
    return run;
  }
  run.evaluate_seconds = run.factor_seconds = run.solve_seconds = run.factor_and_solve_seconds =
      std::numeric_limits<double>::infinity();
  VecX d;
  for (int k = 0; k < std::max(repeats, 1); ++k) {
    auto start = std::chrono::steady_clock::now();
    equations.evaluate({state.q, state.v, state.time, state.memory});
    run.evaluate_seconds = std::min(run.evaluate_seconds, seconds_since(start));
    start = std::chrono::steady_clock::now();
    const SolveResult factored = equations.factor();
    run.factor_seconds = std::min(run.factor_seconds, seconds_since(start));
    if (!factored.ok()) {
      run.why_not = explain(s, factored);
      return run;
    }
    d = -equations.bias();
    start = std::chrono::steady_clock::now();
    const SolveResult solved = equations.solve(equations.force(), d, run.accelerations, run.multipliers);
    run.solve_seconds = std::min(run.solve_seconds, seconds_since(start));
    if (!solved.ok()) {
      run.why_not = explain(s, solved);
      return run;
    }
    start = std::chrono::steady_clock::now();
    (void)equations.solver().factor_and_solve(equations.problem(), equations.force(), d, run.accelerations,
                                              run.multipliers);
    run.factor_and_solve_seconds = std::min(run.factor_and_solve_seconds, seconds_since(start));
  }
  run.applies = true;
  run.iterations = equations.solver().iterations();
  // the times are those of the bare solver; the answer is the one a step gets, refined where that helps
  if (run.iterations == 0)
    (void)equations.solve_checked(equations.force(), d, run.accelerations, run.multipliers);
  run.constraint_force = VecX::Zero(equations.num_v());
  equations.add_row_forces(run.multipliers, run.constraint_force);
  solve::Residual residual;
  solve::compute_residual(equations.problem(), equations.force(), d, run.accelerations, run.multipliers,
                          residual);
  run.residual = residual.relative;
  return run;
}

// The answers are taken to body coordinates, where all formulations can be compared.
SolverRun run_in_joints(const Simulation& sim, Formulation formulation, Solver solver, int repeats) {
  const Simulation::Impl& s = SimulationAccess::impl(sim);
  SolverRun run = left_out(formulation, solver, {});
  Options options = s.options;
  options.formulation = formulation;
  options.solver = solver;
  options.integrator = s.model.inequalities().empty() ? Integrator::rk4 : Integrator::moreau;
  std::optional<Simulation> other;
  try {
    other.emplace(s.shared_model, options);
    other->set_state(sim.state_in(Coordinates::bodies));
  } catch (const InvalidInput& problem) {
    run.why_not = problem.issues().empty() ? problem.what() : problem.issues().front().what;
    return run;
  }
  const Simulation::Impl& o = SimulationAccess::impl(*other);
  run.solver = o.choice.solver;
  Equations& equations = *o.equations;
  run.evaluate_seconds = run.factor_seconds = run.solve_seconds = std::numeric_limits<double>::infinity();
  VecX x, lambda;
  for (int k = 0; k < std::max(repeats, 1); ++k) {
    auto start = std::chrono::steady_clock::now();
    equations.evaluate(instant_of(o.state));
    run.evaluate_seconds = std::min(run.evaluate_seconds, seconds_since(start));
    start = std::chrono::steady_clock::now();
    const SolveResult factored = equations.factor();
    run.factor_seconds = std::min(run.factor_seconds, seconds_since(start));
    const VecX d = -equations.bias();
    start = std::chrono::steady_clock::now();
    const SolveResult solved = factored.ok() ? equations.solve(equations.force(), d, x, lambda) : factored;
    run.solve_seconds = std::min(run.solve_seconds, seconds_since(start));
    if (!solved.ok()) {
      run.why_not = explain(o, solved);
      return run;
    }
  }
  run.factor_and_solve_seconds = run.factor_seconds + run.solve_seconds;
  const Solution& solution = o.solved();
  run.applies = solution.result.ok();
  if (!run.applies) run.why_not = explain(o, solution.result);
  run.residual = solution.result.residual;
  run.accelerations = o.body_accelerations();
  run.multipliers = o.multipliers();
  run.constraint_force = VecX::Zero(s.system->layout.num_v);
  s.evaluated_bodies().add_row_forces(run.multipliers, run.constraint_force);
  run.energy = other->energy().total();
  return run;
}

ResponseRun run_response(const Simulation& sim, Response method, int repeats) {
  const solve::Problem& problem = SimulationAccess::impl(sim).evaluated_bodies().problem();
  solve::AuxiliarySolver solver;
  ResponseRun run;
  if (solver.analyze(problem).refused() || !solver.factor(problem).ok()) return run;
  run.rows = solver.num_auxiliary_rows();
  run.seconds = std::numeric_limits<double>::infinity();
  for (int k = 0; k < std::max(repeats, 1); ++k) {
    const auto start = std::chrono::steady_clock::now();
    (void)solver.compute_response(solve::ResponseMethod(method));
    run.seconds = std::min(run.seconds, seconds_since(start));
  }
  return run;
}

VecX minimum_norm_multipliers(const Simulation& sim) {
  return run_solver(sim, Solver::cg).multipliers;
}

namespace {

std::vector<SolverRun> run_all(const Simulation& sim, int rows, int repeats) {
  std::vector<SolverRun> runs;
  for (const Solver solver : {Solver::dense_kkt, Solver::dense, Solver::sparse, Solver::auxiliary,
                              Solver::banded, Solver::tree, Solver::cg}) {
    const bool is_too_large = rows > kDenseLimit && (solver == Solver::dense_kkt || solver == Solver::dense);
    runs.push_back(is_too_large
                       ? left_out(Formulation::maximal, solver,
                                  fmt::format("{} rows are too many for a dense matrix here (limit {})", rows,
                                              kDenseLimit))
                       : run_solver(sim, solver, repeats));
  }
  runs.push_back(run_in_joints(sim, Formulation::minimal, Solver::automatic, repeats));
  for (const Solver solver : {Solver::tree, Solver::sparse})
    runs.push_back(run_in_joints(sim, Formulation::middle, solver, repeats));
  return runs;
}

}  // namespace

Comparison compare(const Simulation& sim, int repeats) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const int rows = s.system->layout.num_rows;
  Comparison out;
  out.runs = run_all(sim, rows, repeats);
  const auto first =
      std::find_if(out.runs.begin(), out.runs.end(), [](const SolverRun& r) { return r.applies; });
  if (first == out.runs.end()) {
    out.agree = false;
    return out;
  }
  out.reference = first->solver;
  out.full_rank = rows == 0 || find_redundancy(s, 0).rows.empty();
  // at rest accelerations are what remains when forces cancel: they are compared on the scale of free fall
  VecX free = s.evaluated_bodies().force();
  s.evaluated_bodies().apply_inverse_mass(free);
  const double free_scale = free.size() > 0 ? free.lpNorm<Eigen::Infinity>() : 0.0;
  const double energy = sim.energy().total(), energy_scale = sim.energy_scale() + std::abs(energy);
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    const SolverRun& run = out.runs[i];
    if (!run.applies) continue;
    Comparison::Row row{};
    row.run = int(i);
    row.solver = run.solver;
    row.formulation = run.formulation;
    row.acceleration_difference = relative(run.accelerations, first->accelerations, free_scale);
    row.force_difference = relative(run.constraint_force, first->constraint_force, 0.0);
    row.multiplier_difference = out.full_rank ? relative(run.multipliers, first->multipliers, 0.0) : 0.0;
    if (run.formulation != Formulation::maximal && energy_scale > 0.0)
      row.energy_difference = std::abs(run.energy - energy) / energy_scale;
    row.tolerance = run.solver == Solver::cg ? 1e-6 : 1e-8;
    row.agrees = row.acceleration_difference <= row.tolerance && row.force_difference <= row.tolerance &&
                 row.energy_difference <= row.tolerance;
    out.agree = out.agree && row.agrees;
    out.rows.push_back(row);
  }
  return out;
}

}  // namespace catena
