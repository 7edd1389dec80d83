// Which solver and which integrator, and why.
#include "sim/impl.h"
#include "solve/forest.h"

#include <fmt/core.h>

namespace catena {
namespace {

std::string other_solvers_for(const solve::Refusal& refusal) {
  switch (refusal.obstacle) {
    case solve::Obstacle::own_direction:
      return "use solver 'auxiliary' or 'dense-kkt' (or 'automatic')";
    case solve::Obstacle::unsymmetric:
      return "use solver 'dense-kkt'";
    case solve::Obstacle::links:
    case solve::Obstacle::structure:
      break;
  }
  return "use solver 'sparse' (or 'automatic')";
}

[[noreturn]] void refuse(const Model& model, std::string_view method, const solve::Refusal& refusal) {
  throw InvalidInput(
      {{fmt::format("solver '{}'", method), explain(model, refusal), other_solvers_for(refusal)}});
}

bool factors_at_start(BodyEquations& equations) {
  return equations.factor().ok();
}

// The automatic choice: linear time where the structure allows it.
void choose_solver(const Model& model, const Options& options, BodyEquations& equations, Choice& choice) {
  const solve::Refusal refusal =
      equations.use_solver(make_solver(Solver::tree, options), options.residual_tolerance);
  if (!refusal.refused() && factors_at_start(equations)) {
    choice.solver = Solver::tree;
    choice.solver_reason = "the structure is a forest: factored in linear time";
    return;
  }
  const std::string why_not_tree =
      refusal.refused() ? explain(model, refusal) : "rows are implied by constraints to the world";
  choice.solver = refusal.obstacle == solve::Obstacle::own_direction ? Solver::auxiliary : Solver::sparse;
  (void)equations.use_solver(make_solver(choice.solver, options), options.residual_tolerance);
  choice.solver_reason =
      why_not_tree + (choice.solver == Solver::sparse ? ": block-sparse factorisation"
                                                      : ": extra rows on a block-sparse factor");
}

void choose_integrator(const Model& model, const Options& options, Choice& choice) {
  const BodyEntry* without_flight = nullptr;
  for (const BodyEntry& entry : model.bodies())
    if (!entry.body->has_free_flight()) without_flight = &entry;
  choice.integrator = options.integrator;
  choice.integrator_reason = "asked for";
  if (traits(options.integrator).needs_free_flight && without_flight != nullptr)
    throw InvalidInput({{fmt::format("integrator '{}'", name(options.integrator)),
                         fmt::format("body '{}' ({}) has no free flight of its own", without_flight->name,
                                     without_flight->body->kind()),
                         "use integrator 'dormand-prince', or override Body::drift and has_free_flight"}});
  if (options.integrator != Integrator::automatic) return;
  choice.integrator = without_flight != nullptr ? Integrator::dormand_prince : Integrator::rattle;
  choice.integrator_reason =
      without_flight != nullptr
          ? fmt::format("body '{}' has no free flight for rattle; adaptive steps of fifth order instead",
                        without_flight->name)
          : "smooth system: second order, constraints exact, energy error bounded";
  choice.integrator_is_provisional = true;
}

}  // namespace

void choose_formulation(const Model& /*model*/, const Options& options, Choice& choice) {
  choice.formulation = options.formulation;
  choice.formulation_reason = "asked for";
  if (options.formulation != Formulation::automatic) return;
  choice.formulation = Formulation::maximal;
  choice.formulation_reason = "body coordinates take every constraint and every integrator";
}

std::unique_ptr<solve::EqualitySolver> make_solver(Solver solver, const Options& options) {
  switch (solver) {
    case Solver::sparse:
      return solve::make_sparse_solver();
    case Solver::auxiliary:
      return solve::make_auxiliary_solver();
    case Solver::banded:
      return solve::make_banded_solver();
    case Solver::dense:
      return solve::make_dense_schur_solver();
    case Solver::dense_kkt:
      return solve::make_dense_kkt_solver();
    case Solver::cg: {
      solve::IterativeOptions iterative;
      iterative.tolerance = options.cg_tolerance;
      iterative.max_iterations = options.cg_max_iterations;
      return solve::make_cg_solver(iterative);
    }
    case Solver::automatic:
    case Solver::tree:
      break;
  }
  return solve::make_tree_solver();
}

std::unique_ptr<Scheme> make_scheme(Integrator integrator) {
  switch (integrator) {
    case Integrator::rk4:
      return make_rk4();
    case Integrator::dormand_prince:
      return make_dormand_prince();
    case Integrator::symplectic_euler:
      return make_symplectic_euler();
    case Integrator::automatic:
    case Integrator::rattle:
    case Integrator::first_order:  // it and implicit ones need their stage: make_chosen_scheme
    case Integrator::bdf2:
    case Integrator::tr_bdf2:
    case Integrator::generalised_alpha:
    case Integrator::backward_euler:
    case Integrator::linearised_euler:
      break;
  }
  return make_rattle();
}

void choose_methods(const Model& model, const Options& options, BodyEquations& equations, Choice& choice) {
  choose_integrator(model, options, choice);
  if (options.solver == Solver::automatic) {
    choose_solver(model, options, equations, choice);
    return;
  }
  const solve::Refusal refusal =
      equations.use_solver(make_solver(options.solver, options), options.residual_tolerance);
  if (refusal.refused()) refuse(model, name(options.solver), refusal);
  choice.solver = options.solver;
  choice.solver_reason = "asked for";
}

}  // namespace catena
