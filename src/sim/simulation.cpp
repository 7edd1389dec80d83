#include "catena/simulation.h"

#include "math/all_finite.h"
#include "sim/impl.h"
#include "sim/ledger.h"

#include <fmt/format.h>

#include <cstring>

namespace catena {
namespace {

void require_valid(const Model& model) {
  std::vector<Issue> issues = model.validate();
  if (!issues.empty()) throw InvalidInput(std::move(issues));
}

State start_state(const Model& model) {
  State state;
  Eigen::Index num_q = 0, num_v = 0;
  for (const BodyEntry& entry : model.bodies()) {
    num_q += entry.q.size();
    num_v += entry.v.size();
  }
  state.q.resize(num_q);
  state.v.resize(num_v);
  num_q = num_v = 0;
  for (const BodyEntry& entry : model.bodies()) {
    state.q.segment(num_q, entry.q.size()) = entry.q;
    state.v.segment(num_v, entry.v.size()) = entry.v;
    num_q += entry.q.size();
    num_v += entry.v.size();
  }
  return state;
}

void require_sensible(const Options& options) {
  std::vector<Issue> issues;
  const auto check = [&](bool good, const char* key, double value, const char* remedy) {
    if (!good)
      issues.push_back({fmt::format("option {}", key), fmt::format("{:g} makes no sense", value), remedy});
  };
  check(options.newton_tolerance > 0.0, "newton_tolerance", options.newton_tolerance, "use 1e-9");
  check(options.max_newton_iterations > 0, "max_newton_iterations", options.max_newton_iterations, "use 20");
  check(options.max_halvings >= 0, "max_halvings", options.max_halvings, "use 12");
  check(options.linear_corrections >= 0, "linear_corrections", options.linear_corrections, "use 3");
  check(options.alpha_rho >= 0.0 && options.alpha_rho <= 0.6, "alpha_rho", options.alpha_rho,
        "use 0 to 0.6: constraints are not stable beyond");
  if (!issues.empty()) throw InvalidInput(std::move(issues));
}

}  // namespace

Simulation::Impl::Impl(Model m, Options o) : Impl(std::move(m), o, State{}) {}

Simulation::Impl::Impl(Model m, Options o, State start) : model(std::move(m)), options(o) {
  require_valid(model);
  require_sensible(options);
  if (start.q.size() == 0) start = start_state(model);
  state = std::move(start);
  equations = std::make_unique<maximal::MaximalEquations>(model, state.q, state.v, state.time, state.memory);
  choose_methods(model, options, *equations, choice);
  for (const ConstraintEntry& entry : model.constraints())
    has_driven_rows = has_driven_rows || entry.constraint->depends_on_time();
  make_chosen_scheme();
  restart(std::move(state));
  start_energy = solution.energy.total();
}

void Simulation::Impl::make_chosen_scheme() {
  Options chosen = options;
  chosen.integrator = choice.integrator;
  scheme = is_implicit(choice.integrator)
               ? make_implicit(choice.integrator,
                               std::make_unique<maximal::MaximalStage>(equations->layout(), chosen, state))
               : make_scheme(choice.integrator);
  // rattle ends with a factor at the end of the step. Where constraints carry memory, the rows are evaluated again from
  // advanced memory and may differ in the last bit: then the factor is made anew, so that restored runs stay identical.
  scheme_leaves_factor =
      (choice.integrator == Integrator::rattle ||
       (is_implicit(choice.integrator) && choice.integrator != Integrator::linearised_euler)) &&
      !equations->layout().has_constraint_memory;
}

void Simulation::Impl::restart(State start) {
  state = std::move(start);
  solve_start();
}

void Simulation::Impl::solve_start() {
  start_is_checked = follows_step = false;
  solve_motion(state, false, solution);
}

void Simulation::Impl::solve_motion(const State& at, bool factor_is_there, Solution& out) {
  equations->evaluate(at.q, at.v, at.time, at.memory);
  out.energy = equations->energy();
  out.powers = equations->powers();
  out.driven_power = 0.0;
  right_side = -equations->bias();
  const VecX& force = equations->force();
  out.result = factor_is_there
                   ? equations->solve_checked(force, right_side, out.acceleration, out.lambda)
                   : equations->factor_and_solve_checked(force, right_side, out.acceleration, out.lambda);
  if (!out.result.ok()) return;
  // a constraint that does not depend on time does no work; what λ·(J v) would show of it is the velocity error
  if (!has_driven_rows) return;
  rate.resize(equations->num_rows());
  equations->apply_J(at.v, rate);
  out.driven_power = out.lambda.dot(rate);
}

Simulation::Simulation(Model model, Options options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::edit(const std::function<void(Model&)>& change) {
  require_no_controller_running(*this, "edit");
  Impl& s = *impl_;
  Model model = s.model;
  const maximal::Layout& layout = s.equations->layout();
  for (int i = 0; i < int(layout.bodies.size()); ++i) {
    const maximal::BodySlot& slot = layout.bodies[i];
    model.set_start(i, s.state.q.segment(slot.q, slot.body->num_q()), s.state.v.segment(slot.v, slot.num_v));
  }
  change(model);
  require_valid(model);

  State start = start_state(model);
  start.time = s.state.time;
  start.steps = s.state.steps;
  start.ledger = s.state.ledger;
  auto edited = std::make_unique<Impl>(std::move(model), s.options, std::move(start));

  // what was there before keeps its memory
  const maximal::Layout& after = edited->equations->layout();
  for (const ConstraintEntry& entry : s.model.constraints())
    if (const int to = edited->model.index_of(entry.id); to >= 0) {
      const maximal::ConstraintSlot& from = layout.constraints[s.model.index_of(entry.id)];
      edited->state.memory.segment(after.constraints[to].memory, from.memory_size) =
          s.state.memory.segment(from.memory, from.memory_size);
    }
  for (const ForceEntry& entry : s.model.forces())
    if (const int to = edited->model.index_of(entry.id); to >= 0) {
      const maximal::ForceSlot& from = layout.forces[s.model.index_of(entry.id)];
      edited->state.memory.segment(after.forces[to].memory, from.memory_size) =
          s.state.memory.segment(from.memory, from.memory_size);
    }
  edited->restart(State(edited->state));
  edited->state.ledger.impulses += edited->solution.energy.total() - s.solution.energy.total();
  edited->start_energy = s.start_energy;
  edited->events = std::move(s.events);
  edited->event_is_known = std::move(s.event_is_known);
  edited->controllers = std::move(s.controllers);
  impl_ = std::move(edited);
}

StepReport Simulation::apply_impulse(BodyId body, const Vec3& point, const Vec3& impulse) {
  require_no_controller_running(*this, "apply_impulse");
  Impl& s = *impl_;
  StepReport report;
  const int index = s.model.index_of(body);
  if (index < 0 || !point.allFinite() || !impulse.allFinite())
    throw InvalidInput({{"apply_impulse", "needs a body of the model, a finite point and a finite impulse",
                         "take the BodyId from Model::add or Model::find_body"}});
  if (!s.solution.result.ok()) {
    report.status = StepReport::Status::refused;
    report.message = explain(s, s.solution.result);
    return report;
  }
  maximal::MaximalEquations& equations = *s.equations;
  const maximal::BodySlot& slot = equations.layout().bodies[index];
  PointMap at;
  // the map of the material point that is at `point` now, through its body coordinates
  const maximal::BodyMotion& motion = equations.kinematics().bodies[index];
  slot.body->point(s.state.q.data() + slot.q, s.state.v.data() + slot.v,
                   motion.R.transpose() * (point - motion.x), at);
  VecX momentum(equations.num_v());
  equations.apply_mass(s.state.v, momentum);
  momentum.segment(slot.v, slot.num_v) += at.J.transpose() * impulse;
  VecX v, mu;
  const VecX d = -equations.C_t();
  const SolveResult result = equations.solve_checked(momentum, d, v, mu);
  report.residual = result.residual;
  if (!result.ok()) {
    report.status = StepReport::Status::refused;
    report.message = explain(s, result);
    return report;
  }
  const double before = s.solution.energy.total();
  State state = s.state;
  state.v = v;
  state.history.resize(0);
  s.restart(std::move(state));
  s.state.ledger.impulses += s.solution.energy.total() - before;
  return report;
}

StepReport Simulation::project() {
  require_no_controller_running(*this, "project");
  Impl& s = *impl_;
  StepReport report;
  State state = s.state;
  const StepOutcome outcome = s.projection.project(*s.equations, s.options, state);
  report.iterations = outcome.iterations;
  report.constraint_error = outcome.constraint_error;
  report.residual = outcome.solve.residual;
  if (!outcome.ok()) {
    report.status = StepReport::Status::refused;
    report.message = explain(s, outcome, 0.0, 0.0);
    s.restore_solution();
    return report;
  }
  s.equations->advance_memory(state.q, state.v, state.time, state.memory);
  state.history.resize(0);
  const double before = s.solution.energy.total();
  s.restart(std::move(state));
  if (s.state.steps == 0)
    s.start_energy = s.solution.energy.total();  // nothing has moved yet: this is the start
  else
    s.state.ledger.impulses += s.solution.energy.total() - before;
  return report;
}

const State& Simulation::state() const {
  return impl_->state;
}
const Model& Simulation::model() const {
  return impl_->model;
}
const Options& Simulation::options() const {
  return impl_->options;
}
const Choice& Simulation::choice() const {
  return impl_->choice;
}

void Simulation::set_state(const State& state) {
  require_no_controller_running(*this, "set_state");
  Impl& s = *impl_;
  if (state.q.size() != s.state.q.size() || state.v.size() != s.state.v.size() ||
      state.memory.size() != s.state.memory.size())
    throw InvalidInput(
        {{"set_state", "the state has other sizes than the model", "use a state of the same model"}});
  if (!math::all_finite(state.q) || !math::all_finite(state.v) || !math::all_finite(state.memory) ||
      !math::all_finite(state.history) || !std::isfinite(state.time))
    throw InvalidInput({{"set_state", "a number is not finite", "check q, v, memory and time"}});
  s.state = state;
  s.solve_start();
}

}  // namespace catena
