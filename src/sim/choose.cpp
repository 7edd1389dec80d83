// Which formulation, which solver and which integrator, and why.
//
// Formulation: integrators that work on bodies (rattle, the implicit ones) cost least in body coordinates, since joints only add the way there and
// back. Those that step in joint coordinates gain by them where joints of trees take rows away and few rows are left, which cost O(rows) passes
// over the links and a dense factor: the bounds are where the two cost the same, measured on every example (tools/measure_formulations.py).
#include "formulation/minimal/structure.h"
#include "sim/impl.h"
#include "solve/forest.h"
#include "solve/union_find.h"

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

void choose_for_inequalities(const Model& model, const Options& options, Choice& choice) {
  const InequalityEntry& first = model.inequalities().front();
  if (options.integrator != Integrator::automatic && !traits(options.integrator).takes_inequalities)
    throw InvalidInput(
        {{fmt::format("integrator '{}'", name(options.integrator)),
          fmt::format("takes no inequalities, and there is '{}' ({})", first.name, first.inequality->kind()),
          "use integrator 'moreau-jean' (or 'automatic')"}});
  if (options.integrator != Integrator::automatic) return;
  choice.integrator = Integrator::moreau;
  choice.integrator_reason = fmt::format("'{}' ({}) is an inequality: impulses by time stepping", first.name,
                                         first.inequality->kind());
}

void choose_integrator(const Model& model, const Options& options, Choice& choice) {
  const BodyEntry* without_flight = nullptr;
  for (const BodyEntry& entry : model.bodies())
    if (!entry.body->has_free_flight()) without_flight = &entry;
  choice.integrator = options.integrator;
  choice.integrator_reason = "asked for";
  if (!model.inequalities().empty()) return choose_for_inequalities(model, options, choice);
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

/// What was asked for that belongs to body coordinates; empty: nothing.
std::string why_not_joints(const Options& options) {
  if (options.integrator == Integrator::automatic) return "the automatic integrators work on bodies";
  if (traits(options.integrator).works_on_bodies)
    return fmt::format("{} works on bodies", name(options.integrator));
  if (options.solver != Solver::automatic)
    return fmt::format("solver '{}' was asked for, which is one of body coordinates", name(options.solver));
  if (options.drift != Drift::projection)
    return fmt::format("drift '{}' was asked for, and joint coordinates do not drift", name(options.drift));
  return {};
}

/// A body that carries others and that no constraint holds to the world, however indirectly; -1: there is none.
int floating_base(const Model& model, const minimal::Structure& structure) {
  const int at_world = int(model.bodies().size());
  solve::UnionFind held(at_world + 1);
  const auto node = [&](const Attachment& at) {
    return at.body == world ? at_world : model.index_of(at.body);
  };
  for (const ConstraintEntry& entry : model.constraints()) {
    const auto attachments = entry.constraint->attachments();
    for (const Attachment& at : attachments) held.join(node(at), node(attachments[0]));
  }
  for (const minimal::Link& link : structure.links) {
    if (link.parent < 0) continue;
    const minimal::Link& base = structure.links[std::size_t(link.parent)];
    if (base.joint < 0 && held.find(base.body) != held.find(at_world)) return base.body;
  }
  return -1;
}

/// Whether joint coordinates cost less, for integrators that step in them. @param reason  either way
bool gains_by_joints(const Model& model, std::string& reason) {
  constexpr int kLeast =
      3;  // rows that joints take away for one that is left: below it the two cost the same
  constexpr int kMost = 12;  // rows that are left: their factor is dense
  const minimal::Structure structure(model);
  int held = 0, left = 0, loose = 0;
  for (int c = 0; c < int(model.constraints().size()); ++c) {
    const ConstraintEntry& entry = model.constraints()[std::size_t(c)];
    (structure.link_of_joint[std::size_t(c)] >= 0 ? held : left) += entry.constraint->num_rows(entry.planar);
  }
  for (const minimal::LooseBody& body : structure.loose) loose += body.num_v;
  if (const int base = floating_base(model, structure); base >= 0) {
    reason = fmt::format("'{}' floats with what it carries: body coordinates keep its momentum exactly",
                         model.bodies()[std::size_t(base)].name);
    return false;
  }
  if (held == 0) {
    reason = "no joint carries a body: joint coordinates are body coordinates";
    return false;
  }
  if (left > kMost || held < kLeast * left + loose) {
    reason =
        fmt::format("joints would hold {} rows only, and leave {} rows to a dense factor{}", held, left,
                    loose > 0 ? fmt::format(" and {} velocities of bodies that are no links", loose) : "");
    return false;
  }
  reason = left == 0
               ? fmt::format("a tree: joints hold all {} rows, and accelerations take linear time", held)
               : fmt::format("joints hold {} of {} rows exactly", held, held + left);
  return true;
}

}  // namespace

void choose_formulation(const Model& model, const Options& options, Choice& choice) {
  choice.formulation = options.formulation;
  choice.formulation_reason = "asked for";
  if (options.formulation != Formulation::automatic) return;
  choice.formulation_reason = why_not_joints(options);
  const bool may_be_joints = choice.formulation_reason.empty();
  const bool are_joints = may_be_joints && gains_by_joints(model, choice.formulation_reason);
  choice.formulation = are_joints ? Formulation::minimal : Formulation::maximal;
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
    case Integrator::moreau:
      return make_moreau();
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
