// Refusals in words: what failed, where, and what to do about it.
#include "integrate/inequality_set.h"
#include "math/all_finite.h"
#include "sim/impl.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

// A start may be off by what decimal input costs in a well-scaled model; more must be repaired knowingly.
constexpr double kStartError = 1e-9;     // of |C|, relative to the model's size
constexpr double kStartVelocity = 1e-8;  // of |J v + C_t|, relative to the largest velocity

// Below this pivot, relative to a free row's, rows hold next to nothing that others do not.
constexpr double kSingularPivot = 1e-6;
constexpr const char* kSingularRemedy = "go through it with a fixed step, or keep away from it";

/// Then only the matrix of a stage can lack an inverse.
bool accepts_redundant_rows(Solver solver) {
  return solver == Solver::sparse || solver == Solver::auxiliary || solver == Solver::cg;
}

std::string label(const Simulation::Impl& sim, const SolveResult& result) {
  if (result.constraint >= 0) return constraint_label(sim.model, result.constraint);
  if (result.body >= 0) return fmt::format("body '{}'", sim.model.bodies()[std::size_t(result.body)].name);
  return "the model";
}

}  // namespace

std::string constraint_label(const Model& model, int index) {
  if (index < 0) return "a constraint";
  const ConstraintEntry& entry = model.constraints()[std::size_t(index)];
  return fmt::format("constraint '{}' ({})", entry.name, entry.constraint->kind());
}

std::string explain(const Model& model, const solve::Refusal& refusal) {
  const std::string what = refusal.constraint < 0 ? "the model" : constraint_label(model, refusal.constraint);
  return fmt::format("{} {}", what, refusal.reason);
}

std::string inequality_label(const Model& model, int index) {
  if (index < 0) return "the model";
  const InequalityEntry& entry = model.inequalities()[std::size_t(index)];
  return fmt::format("inequality '{}' ({})", entry.name, entry.inequality->kind());
}

std::string worst_constraints(const Simulation::Impl& sim, const VecX& rest) {
  const auto& slots = sim.system->layout.constraints;
  std::vector<std::pair<double, int>> worst;
  for (std::size_t c = 0; c < slots.size() && rest.size() > 0; ++c)
    worst.emplace_back(rest.segment(slots[c].row, slots[c].rows).lpNorm<Eigen::Infinity>(), int(c));
  std::sort(worst.rbegin(), worst.rend());
  std::string out;
  for (std::size_t k = 0; k < worst.size() && k < 4; ++k)
    if (worst[k].first > 0.1 * worst[0].first)
      out += fmt::format("{}{} by {:.3g}", k == 0 ? "" : ", ", constraint_label(sim.model, worst[k].second),
                         worst[k].first);
  return out.empty() ? "the model" : out;
}

namespace {

std::string explain_missing_rows(const Simulation::Impl& sim, int constraint) {
  const std::string_view domain = sim.model.constraints()[std::size_t(constraint)].constraint->domain();
  return fmt::format("{} has no finite rows{}{}", constraint_label(sim.model, constraint),
                     domain.empty() ? " in this position; use a smaller step" : ": ", domain);
}

/// The constraint, or the spring, stop or motor, that is furthest from what it should be.
std::string worst_label(const Simulation::Impl& sim, const StepOutcome& outcome) {
  if (outcome.worst_row >= 0)
    return constraint_label(sim.model, constraint_of_row(sim.system->layout, outcome.worst_row));
  if (outcome.worst_force < 0) return "the model";
  const ForceEntry& entry = sim.model.forces()[std::size_t(outcome.worst_force)];
  return fmt::format("force '{}' ({})", entry.name, entry.force->kind());
}

// Most of the parts converge, and all together take too long.
std::string explain_work(const Simulation::Impl& sim, const StepOutcome& outcome, double dt) {
  StepOutcome last;
  last.worst_row = outcome.stubborn.row;
  last.worst_force = outcome.stubborn.force;
  const int body = outcome.stubborn.body;
  const std::string where = body >= 0 && last.worst_row < 0 && last.worst_force < 0
                                ? fmt::format("body '{}'", sim.model.bodies()[std::size_t(body)].name)
                                : worst_label(sim, last);
  return fmt::format(
      "the step was not done after {} iterations in parts, {} of which failed, the last one by {}: use a "
      "smaller step than {:.3g} s",
      outcome.iterations, outcome.halvings, where, dt);
}

std::string explain_missing_rows(const Simulation::Impl& sim, const StepOutcome& outcome) {
  if (outcome.worst_row >= 0)
    return explain_missing_rows(sim, constraint_of_row(sim.system->layout, outcome.worst_row));
  return worst_label(sim, outcome) + " has no finite coordinate on the way; use a smaller step";
}

// Rows in singular positions, forces out of balance, iterations that ended too early, contradictions.
std::string explain_residual(const Simulation::Impl& sim, const SolveResult& result) {
  const double pivot = sim.equations->smallest_pivot();
  const std::string worst = result.is_of_forces ? "forces at " + label(sim, result)
                                                : worst_constraints(sim, sim.equations->row_residual());
  if (sim.choice.solver == Solver::cg)
    return fmt::format(
        "its iterations ended before the rows were met, most of all {}: raise cg_max_iterations, or "
        "use solver 'sparse'",
        worst);
  if (pivot < kSingularPivot)
    return fmt::format(
        "this is a singular position: constraints depend on each other but for {:.1g}, and their forces "
        "grow without bound, most of all {}: {}",
        std::sqrt(pivot), worst, kSingularRemedy);
  if (result.is_of_forces)
    return fmt::format(
        "masses or lengths differ too much for it, most of all {}: bring them closer together, or use "
        "solver 'dense-kkt'",
        worst);
  return fmt::format("the constraints contradict each other, most of all {}: correct or remove one of them",
                     worst);
}

}  // namespace

std::string explain_singular_position(const Simulation::Impl& sim) {
  if (!sim.factored().ok()) return {};
  const double pivot = sim.equations->smallest_pivot();
  if (!(pivot < kSingularPivot)) return {};
  return fmt::format("a singular position, where {} depends on others but for {:.1g}: {}",
                     constraint_label(sim.model, sim.equations->weakest_constraint()), std::sqrt(pivot),
                     kSingularRemedy);
}

namespace {

// The constraints are met, the forces are not in balance: they grow faster than Newton's method follows.
std::string explain_unbalanced(const Simulation::Impl& sim, const StepOutcome& outcome, double dt) {
  const std::string body =
      outcome.worst_body < 0
          ? "the model"
          : fmt::format("body '{}'", sim.model.bodies()[std::size_t(outcome.worst_body)].name);
  return fmt::format(
      "the forces at {} could not be balanced at the end of the step: {:.2g} of them is left after {} "
      "iterations, with the constraints met to {:.2g}; in or near a singular position constraint forces "
      "grow without bound, elsewhere use a smaller step than {:.3g} s",
      body, outcome.force_error, outcome.iterations, outcome.constraint_error, dt);
}

// Passes over forces that depend on velocities ran away, or in circles.
std::string explain_velocities(const Simulation::Impl& sim, const StepOutcome& outcome, double dt) {
  const auto& slots = sim.system->layout.bodies;
  std::size_t body = 0;
  while (body + 1 < slots.size() && slots[body + 1].v <= outcome.worst_velocity) ++body;
  return fmt::format(
      "the velocities at the end of the step could not be found: forces that depend on them (drag, dampers, "
      "motors) change too fast for a step of {:.3g} s, most of all at body '{}'; use a smaller step, or an "
      "implicit integrator, as bdf2",
      dt, sim.model.bodies()[body].name);
}

}  // namespace

std::string explain(const Simulation::Impl& sim, const SolveResult& result) {
  switch (result.status) {
    case SolveResult::Status::ok:
      return "the state is not finite; reduce the step";
    case SolveResult::Status::singular:
      if (accepts_redundant_rows(sim.choice.solver))
        return fmt::format(
            "the matrix of a stage has no inverse: {} holds what other constraints hold there (a singular "
            "position, where constraint forces may grow without bound), or something has neither mass nor "
            "stiffness",
            label(sim, result));
      return fmt::format(
          "{} has rows that other constraints imply (a pivot of the {} solver vanished); remove the "
          "redundancy, or use "
          "solver 'sparse', which accepts redundant rows",
          label(sim, result), name(sim.choice.solver));
    case SolveResult::Status::not_positive:
      return fmt::format("the mass of {} is not positive definite; check its mass and inertia",
                         label(sim, result));
    case SolveResult::Status::residual:
      return fmt::format("the {} solver left a relative residual of {:.2g} (tolerance {:.2g}); {}",
                         name(sim.choice.solver), result.residual, sim.options.residual_tolerance,
                         explain_residual(sim, result));
    case SolveResult::Status::not_finite:
      if (result.constraint >= 0) return explain_missing_rows(sim, result.constraint);
      return fmt::format("the acceleration of {} is not finite; the state has blown up: reduce the step",
                         label(sim, result));
  }
  return {};
}

std::string explain(const Simulation::Impl& sim, const StepOutcome& outcome, double dt, double omega) {
  if (std::string force = explain_bad_force(sim, dt); !force.empty()) return force;
  if (outcome.status == StepOutcome::Status::solve_failed)
    return fmt::format("at t = {:.6g} s: {}", sim.state.time, explain(sim, outcome.solve));
  if (outcome.status == StepOutcome::Status::too_much_work)
    return fmt::format("at t = {:.6g} s: {}", sim.state.time, explain_work(sim, outcome, dt));
  if (outcome.status == StepOutcome::Status::contacts_not_solved)
    return fmt::format(
        "at t = {:.6g} s: no impulses were found that meet the inequalities, most of all {}: the residual is "
        "{:.2g}; use a smaller step than {:.3g} s, or look for bodies that are jammed",
        sim.state.time, inequality_label(sim.model, outcome.worst_inequality), outcome.contact_residual, dt);
  if (std::isnan(outcome.penetration))
    return fmt::format("at t = {:.6g} s: {} has no gap in this position; use a smaller step than {:.3g} s",
                       sim.state.time, inequality_label(sim.model, outcome.worst_inequality), dt);
  if (outcome.status == StepOutcome::Status::positions_not_converged &&
      outcome.penetration > outcome.constraint_error)
    return fmt::format(
        "at t = {:.6g} s: {} is beyond its bound by {:.2g} after {} corrections: use a smaller step than "
        "{:.3g} s",
        sim.state.time, inequality_label(sim.model, outcome.worst_inequality), outcome.penetration,
        outcome.iterations, dt);
  if (outcome.status == StepOutcome::Status::velocities_not_converged)
    return fmt::format("at t = {:.6g} s: {}", sim.state.time, explain_velocities(sim, outcome, dt));
  if (outcome.turned_body >= 0)
    return fmt::format(
        "at t = {:.6g} s: body '{}' would turn by half a turn or more within the step: use a smaller step "
        "than "
        "{:.3g} s",
        sim.state.time, sim.model.bodies()[std::size_t(outcome.turned_body)].name, dt);
  if (std::isnan(outcome.constraint_error))
    return fmt::format("at t = {:.6g} s: {}", sim.state.time, explain_missing_rows(sim, outcome));
  if (outcome.force_error > outcome.constraint_error)
    return fmt::format("at t = {:.6g} s: {}", sim.state.time, explain_unbalanced(sim, outcome, dt));
  std::string text = fmt::format(
      "at t = {:.6g} s: the constraints could not be met at the end of the step; {} is still off by {:.2g} "
      "after {} "
      "iterations",
      sim.state.time, worst_label(sim, outcome), outcome.constraint_error, outcome.iterations);
  if (omega * dt > 1.0)
    text += fmt::format(
        "; taut links swing at an estimated {:.4g} rad/s, ω·dt = {:.2g} where this scheme needs less than 2: "
        "use dt <= "
        "{:.2g}",
        omega, omega * dt, 1.0 / omega);
  else if (dt > 0.0)
    text += fmt::format("; use a smaller step than {:.3g} s", dt);
  else
    text += "; the constraints cannot all be met from here, or the start is too far off";
  return text;
}

std::string explain_bad_force(const Simulation::Impl& sim, double dt) {
  const Layout& layout = sim.system->layout;
  if (layout.forces.empty() || !math::all_finite(sim.state.q) || !math::all_finite(sim.state.v)) return {};
  System& system = *sim.system;
  const Instant now = sim.body_instant();
  update_bodies(layout, now.q, now.v, system.trial);
  update_force_markers(layout, now.q, now.v, system.trial);
  for (const double part : {0.0, 0.5, 1.0}) {
    const double time = sim.state.time + part * dt;
    const Instant at{now.q, now.v, time, sim.state.memory};
    for (std::size_t i = 0; i < layout.forces.size(); ++i) {
      const ForceSlot& slot = layout.forces[i];
      apply_force(*slot.force, motion_of(slot, system.trial.forces, at), system.wrenches);
      for (int k = 0; k < slot.num_markers(); ++k)
        if (!system.wrenches[std::size_t(k)].allFinite())
          return fmt::format(
              "force '{}' ({}) is not finite at t = {:.6g} s, from a finite state: correct its function of "
              "time or its parameters",
              sim.model.forces()[i].name, slot.force->kind(), time);
    }
  }
  return {};
}

std::string explain(const Simulation::Impl& sim, const SolveResult& result, double dt) {
  std::string force = explain_bad_force(sim, dt);
  return force.empty() ? explain(sim, result) : force;
}

namespace {

/// The first thing whose numbers are not finite.
std::string first_not_finite(const Simulation::Impl& sim, const State& own) {
  const State end = sim.in_body_coordinates(own);
  const auto& slots = sim.system->layout.bodies;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (!end.q.segment(slots[i].q, slots[i].body->num_q()).allFinite() ||
        !end.v.segment(slots[i].v, slots[i].num_v).allFinite())
      return fmt::format("body '{}'", sim.model.bodies()[i].name);
  const auto remembers_it = [&](const auto& slot) {
    return !end.memory.segment(slot.memory, slot.memory_size).allFinite();
  };
  const auto& constraints = sim.system->layout.constraints;
  for (std::size_t c = 0; c < constraints.size(); ++c)
    if (remembers_it(constraints[c])) return "what " + constraint_label(sim.model, int(c)) + " remembers";
  const auto& forces = sim.system->layout.forces;
  for (std::size_t f = 0; f < forces.size(); ++f)
    if (remembers_it(forces[f])) return fmt::format("what force '{}' remembers", sim.model.forces()[f].name);
  const auto& inequalities = sim.system->layout.inequalities;
  for (std::size_t i = 0; i < inequalities.size(); ++i)
    if (remembers_it(inequalities[i])) return "what " + inequality_label(sim.model, int(i)) + " remembers";
  return "what controllers remember";
}

}  // namespace

std::string impossible_body(const Simulation::Impl& sim, const State& state) {
  if (!sim.system->layout.has_other_bodies) return {};
  const auto& slots = sim.system->layout.bodies;
  const Instant bodies = sim.in_bodies(state, sim.end_q, sim.end_v);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].type != BodyType::other) continue;
    if (const char* problem = slots[i].body->state_problem(bodies.q.data() + slots[i].q))
      return fmt::format("body '{}' ({}) {}", sim.model.bodies()[i].name, slots[i].body->kind(), problem);
  }
  return {};
}

std::string explain_bad_closure(const Simulation::Impl& sim, const State& closed) {
  const std::string impossible = impossible_body(sim, closed);
  if (impossible.empty()) return {};
  return fmt::format(
      "the constraints were met in an impossible state only: {}; start nearer to where they hold",
      impossible.substr(0, impossible.rfind("; ")));  // without what helps a step
}

std::string explain_bad_end(const Simulation::Impl& sim, const State& end, double dt) {
  if (!math::all_finite(end.q) || !math::all_finite(end.v) || !math::all_finite(end.memory)) {
    std::string force = explain_bad_force(sim, dt);
    return force.empty() ? fmt::format("the step ended in a state that is not finite, of {}; reduce the step",
                                       first_not_finite(sim, end))
                         : force;
  }
  const std::string impossible = impossible_body(sim, end);
  return impossible.empty() ? impossible : "the step ended in an impossible state: " + impossible;
}

std::string explain_bad_start(const Simulation::Impl& s) {
  if (!s.open_start.empty()) return s.open_start;
  const IntegratorTraits& scheme = traits(s.choice.integrator);
  // a linearised step leaves constraints a little open, and goes on from there; it may not begin so
  const bool is_open = scheme.accepts_open_start && (!scheme.has_inertia || s.state.steps > 0);
  if (is_open || (scheme.uses_drift && s.options.drift != Drift::projection)) return {};
  return explain_violation(s, s.evaluated(), s.state);
}

namespace {

std::string explain_penetration(const Simulation::Impl& s, Equations& equations, double time,
                                double tolerance) {
  if (equations.inequality_slots().empty()) return {};
  int inequality = -1;
  equations.evaluate_inequalities();
  const double depth = deepest_penetration(equations, inequality);
  if (depth <= tolerance) return {};
  return fmt::format(
      "at t = {:.6g} s {} is beyond its bound by {:.3g}; move what it holds apart, or call project() "
      "(scenes: "
      "`initial: {{project: true}}`)",
      time, inequality_label(s.model, inequality), depth);
}

}  // namespace

std::string explain_violation(const Simulation::Impl& s, Equations& equations, const State& at) {
  int row = -1;
  const double error = largest_error(equations.C(), row);
  const double tolerance =
      kStartError * equations.length_scale() + position_tolerance(equations, s.options, at.q);
  if (error > tolerance)
    return fmt::format(
        "at t = {:.6g} s the state violates {} by {:.3g}; call project() (scenes: `initial: {{project: "
        "true}}`) or "
        "correct the positions",
        at.time, constraint_label(s.model, constraint_of_row(s.system->layout, row)), error);
  if (std::string entered = explain_penetration(s, equations, at.time, tolerance); !entered.empty())
    return entered;
  VecX rates(equations.num_rows());
  equations.apply_J(at.v, rates);
  rates += equations.C_t();
  const double rate = largest_error(rates, row);
  const double speed = at.v.size() > 0 ? at.v.lpNorm<Eigen::Infinity>() : 0.0;
  if (rate >
      kStartVelocity *
              std::max(speed, equations.C_t().size() > 0 ? equations.C_t().lpNorm<Eigen::Infinity>() : 0.0) +
          1e-10)
    return fmt::format(
        "at t = {:.6g} s the velocities violate {} by {:.3g}; call project() (scenes: `initial: {{project: "
        "true}}`) or "
        "correct the velocities",
        at.time, constraint_label(s.model, constraint_of_row(s.system->layout, row)), rate);
  return {};
}

}  // namespace catena
