// Which solver and which integrator, and why.
#include "sim/impl.h"
#include "solve/forest.h"

#include <fmt/core.h>

namespace catena {
namespace {

[[noreturn]] void refuse(const Model& model, std::string_view method, const solve::Refusal& refusal) {
  throw InvalidInput({{fmt::format("solver '{}'", method),
                       fmt::format("{} {}", constraint_label(model, refusal.constraint), refusal.reason),
                       "use solver 'sparse' (or 'automatic')"}});
}

bool factors_at_start(maximal::MaximalEquations& equations) {
  return equations.factor().ok();
}

// The automatic choice: linear time where the structure allows it.
void choose_solver(const Model& model, const Options& options, maximal::MaximalEquations& equations,
                   Choice& choice) {
  const solve::Refusal refusal =
      equations.use_solver(make_solver(Solver::tree, options), options.residual_tolerance);
  if (!refusal.refused() && factors_at_start(equations)) {
    choice.solver = Solver::tree;
    choice.solver_reason = "the structure is a forest: factored in linear time";
    return;
  }
  const std::string why_not_tree =
      refusal.refused() ? fmt::format("{} {}", constraint_label(model, refusal.constraint), refusal.reason)
                        : "rows are implied by constraints to the world";
  (void)equations.use_solver(make_solver(Solver::sparse, options), options.residual_tolerance);
  choice.solver = Solver::sparse;
  choice.solver_reason = why_not_tree + ": block-sparse factorisation";
}

void choose_integrator(const Model& model, const Options& options, Choice& choice) {
  const BodyEntry* without_flight = nullptr;
  for (const BodyEntry& entry : model.bodies())
    if (!entry.body->has_free_flight()) without_flight = &entry;
  choice.integrator = options.integrator;
  choice.integrator_reason = "asked for";
  if (options.integrator == Integrator::rattle && without_flight != nullptr)
    throw InvalidInput({{"integrator 'rattle'",
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
  choice.integrator_is_provisional = without_flight == nullptr;
}

}  // namespace

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
    case Integrator::first_order:
      return make_first_order();
    case Integrator::automatic:
    case Integrator::rattle:
    case Integrator::bdf2:  // implicit ones need their stage: make_implicit
    case Integrator::tr_bdf2:
    case Integrator::generalised_alpha:
    case Integrator::backward_euler:
    case Integrator::linearised_euler:
      break;
  }
  return make_rattle();
}

void choose_methods(const Model& model, const Options& options, maximal::MaximalEquations& equations,
                    Choice& choice) {
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
