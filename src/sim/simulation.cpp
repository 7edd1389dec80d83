#include "catena/simulation.h"

#include "integrate/inequality_projection.h"
#include "math/all_finite.h"
#include "model/checks.h"
#include "sim/impl.h"
#include "sim/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace catena {
namespace {

std::shared_ptr<const Model> require_model(std::shared_ptr<const Model> model) {
  if (model == nullptr) throw InvalidInput({{"Simulation", "there is no model", "pass one that exists"}});
  return model;
}

constexpr double kAnalysedClosed =
    1e-8;  // |C| over the model's size up to which ranks are those of a closed mechanism

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
  state.history.lengths = VecX::Zero(Eigen::Index(model.bodies().size()));
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
  check(options.max_halvings >= 0 && options.max_halvings <= 20, "max_halvings", options.max_halvings,
        "use 12; 20 are a million parts of a step");
  check(options.max_internal_steps > 0, "max_internal_steps", options.max_internal_steps, "use 100000");
  check(options.warn_omega_dt > 0.0, "warn_omega_dt", options.warn_omega_dt, "use 1");
  check(options.warn_growth > 0.0, "warn_growth", options.warn_growth, "use 1");
  check(options.refuse_growth > 0.0, "refuse_growth", options.refuse_growth, "use 10");
  check(options.linear_corrections >= 0, "linear_corrections", options.linear_corrections, "use 3");
  check(options.alpha_rho >= 0.0 && options.alpha_rho <= 0.6, "alpha_rho", options.alpha_rho,
        "use 0 to 0.6: constraints are not stable beyond");
  if (!issues.empty()) throw InvalidInput(std::move(issues));
}

}  // namespace

Simulation::Impl::Impl(std::shared_ptr<const Model> m, Options o, State start)
    : shared_model(require_model(std::move(m))), model(*shared_model), options(o) {
  require_valid(model);
  require_sensible(options);
  if (start.q.size() == 0) start = start_state(model);
  system = std::make_unique<System>(model);
  if (!system->layout.driven.empty()) laws.emplace(system->layout);
  if (start.memory.size() != system->layout.num_memory) {
    start.memory = VecX::Zero(system->layout.num_memory);
    system->start_memory(instant_of(start), start.memory);
  }
  choose_formulation(model, options, choice);
  body_equations = make_body_equations(*system, instant_of(start));
  choose_methods(model, options, *body_equations, choice);
  analysed_at = std::move(start);
  use_formulation();
  make_chosen_scheme();
  take_state(analysed_at);
  start_energy = balance().energy.total();
}

// The analysis is made where that of the other was: an order of elimination may depend on the position, and rounding on the order.
Simulation::Impl::Impl(std::shared_ptr<const Model> m, const Options& o, Choice chosen, State analysed,
                       State now)
    : shared_model(std::move(m)),
      model(*shared_model),
      options(o),
      choice(std::move(chosen)),
      analysed_at(std::move(analysed)) {
  system = std::make_unique<System>(model);
  if (!system->layout.driven.empty()) laws.emplace(system->layout);
  body_equations = make_body_equations(*system, instant_of(analysed_at));
  const solve::Refusal refusal =
      body_equations->use_solver(make_solver(choice.solver, options), options.residual_tolerance);
  if (refusal.refused())
    throw InvalidInput({{fmt::format("solver '{}'", name(choice.solver)), explain(model, refusal),
                         "continue with what was saved"}});
  use_formulation();
  make_chosen_scheme();
  take_state(now);
}

void Simulation::Impl::use_formulation() {
  equations = body_equations.get();
  if (choice.formulation == Formulation::maximal) return;
  joint_equations =
      make_joint_equations(model, *system, *body_equations, choice.formulation, options.residual_tolerance);
  equations = joint_equations.get();
}

Simulation::Impl::Impl(const Impl& other)
    : shared_model(other.shared_model),
      model(*shared_model),
      options(other.options),
      choice(other.choice),
      analysed_at(other.analysed_at),
      start_energy(other.start_energy),
      system(std::make_unique<System>(other.system->shared_layout)) {
  if (other.laws) laws.emplace(system->layout);
  {
    const std::lock_guard lock(
        other.known_mutex_);  // somebody may be reading there, and computing what he reads
    body_equations = other.body_equations->clone(*system);
    if (other.joint_equations) joint_equations = other.joint_equations->clone(*system, *body_equations);
  }
  equations = joint_equations ? static_cast<Equations*>(joint_equations.get()) : body_equations.get();
  open_start = other.open_start;
  const StageEquations* stage = other.scheme->stage();
  make_chosen_scheme(stage != nullptr ? stage->clone(*system) : nullptr);
  restart(other.state);
  start_is_checked = other.start_is_checked;
  removed = other.removed;
  fastest_watched = other.fastest_watched;
  fastest_shape_watched = other.fastest_shape_watched;
  rates_are_known = other.rates_are_known;
  told = other.told;
  energy_scale = other.energy_scale;
}

void Simulation::Impl::make_chosen_scheme(std::unique_ptr<StageEquations> stage) {
  const bool is_kinematic = !traits(choice.integrator).has_inertia;
  const StageForm form{options.stiff_form, options.newton_matrix,
                       traits(choice.integrator).is_linearised || is_kinematic};
  const bool has_stage =
      is_implicit(choice.integrator) || (is_kinematic && system->layout.num_coordinates > 0);
  if (has_stage && stage == nullptr) stage = make_implicit_stage(*system, form, analysed_at);
  scheme = is_implicit(choice.integrator) ? make_implicit(choice.integrator, std::move(stage))
           : is_kinematic                 ? make_first_order(std::move(stage))
                                          : make_scheme(choice.integrator);
  if (joint_equations && traits(choice.integrator).works_on_bodies)
    scheme = make_through_bodies(std::move(scheme), *joint_equations, traits(choice.integrator));
  // Where constraints carry memory, the rows are evaluated again from advanced memory and may differ in the last bit: then the factor is
  // made anew, so that restored runs stay identical.
  scheme_leaves_factor = traits(choice.integrator).leaves_factor && !system->layout.has_constraint_memory &&
                         !(joint_equations && traits(choice.integrator).works_on_bodies);
}

Simulation::Simulation(Model model, Options options)
    : Simulation(std::make_shared<const Model>(std::move(model)), options) {}
Simulation::Simulation(std::shared_ptr<const Model> model, Options options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation Simulation::clone() const {
  require_no_controller_running(*this, "clone");
  return Simulation(std::make_unique<Impl>(*impl_));
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::edit(const std::function<void(Model&)>& change) {
  require_no_controller_running(*this, "edit");
  Impl& s = *impl_;
  Model model = s.model;
  const Layout& layout = s.system->layout;
  for (int i = 0; i < int(layout.bodies.size()); ++i) {
    const BodySlot& slot = layout.bodies[i];
    const Instant now = s.body_instant();
    model.set_start(i, now.q.segment(slot.q, slot.body->num_q()), now.v.segment(slot.v, slot.num_v));
  }
  change(model);
  require_valid(model);

  State start = start_state(model);
  start.time = s.state.time;
  start.time_rest = s.state.time_rest;
  start.steps = s.state.steps;
  start.ledger = s.state.ledger;
  auto edited =
      std::make_unique<Impl>(std::make_shared<const Model>(std::move(model)), s.options, std::move(start));

  // what was there before keeps its memory
  const Layout& after = edited->system->layout;
  for (const ConstraintEntry& entry : s.model.constraints())
    if (const int to = edited->model.index_of(entry.id); to >= 0) {
      const ConstraintSlot& from = layout.constraints[s.model.index_of(entry.id)];
      edited->state.memory.segment(after.constraints[to].memory, from.memory_size) =
          s.state.memory.segment(from.memory, from.memory_size);
    }
  for (const ForceEntry& entry : s.model.forces())
    if (const int to = edited->model.index_of(entry.id); to >= 0) {
      const ForceSlot& from = layout.forces[s.model.index_of(entry.id)];
      edited->state.memory.segment(after.forces[to].memory, from.memory_size) =
          s.state.memory.segment(from.memory, from.memory_size);
    }
  for (const InequalityEntry& entry : s.model.inequalities())
    if (const int to = edited->model.index_of(entry.id); to >= 0) {
      const InequalitySlot& from = layout.inequalities[std::size_t(s.model.index_of(entry.id))];
      edited->state.memory.segment(after.inequalities[std::size_t(to)].memory, from.memory_size) =
          s.state.memory.segment(from.memory, from.memory_size);
    }
  edited->restart(State(edited->state));
  edited->state.ledger[Account::impulses] += edited->balance().energy.total() - s.balance().energy.total();
  edited->start_energy = s.start_energy;
  edited->removed = s.removed;
  add_missing_marks(s.model, edited->model, edited->removed);  // may be interrupted: before anything is taken
  edited->events = std::move(s.events);
  edited->event_is_known = std::move(s.event_is_known);
  edited->known_events = std::move(s.known_events);
  edited->controllers = std::move(s.controllers);
  edited->controllers.keep();  // what they remember of the memory has the old sizes
  edited->state.features = s.state.features;
  edited->told = s.told;
  impl_ = std::move(edited);
}

StepReport Simulation::project() {
  require_no_controller_running(*this, "project");
  const State before = impl_->state;
  const bool was_checked = impl_->start_is_checked;
  try {
    return impl_->project();
  } catch (...) {  // interrupted, or by a force of the program: as it was
    impl_->restart(before);
    impl_->start_is_checked = was_checked;
    throw;
  }
}

StepReport Simulation::Impl::project() {
  StepReport report;
  State moved = state;
  const double energy_before = balance().energy.total();
  const StepOutcome outcome = model.inequalities().empty() ? projection.project(*equations, options, moved)
                                                           : InequalityProjection().project(
                                                                 *equations, options, InequalitySet(), moved);
  report.iterations = outcome.iterations;
  report.constraint_error = outcome.constraint_error;
  report.residual = outcome.solve.residual;
  report.message = outcome.ok() ? explain_bad_closure(*this, moved) : explain(*this, outcome, 0.0, 0.0);
  if (!report.message.empty()) {
    report.status = StepReport::Status::refused;
    forget_known();
    return report;
  }
  advance_memory(moved);
  moved.history.forget();
  moved.multipliers.resize(0);
  open_start.clear();
  analyse_where_closed(moved);
  restart(std::move(moved));
  if (state.steps == 0)
    start_energy = balance().energy.total();  // nothing has moved yet: this is the start
  else
    state.ledger[Account::impulses] += balance().energy.total() - energy_before;
  return report;
}

// Where joints are open rows that imply each other look independent, and orders of elimination are chosen by what they look like: a
// start that was analysed open is analysed again where it is closed. Nothing changes before all of it is there.
void Simulation::Impl::analyse_where_closed(const State& closed) {
  if (choice.formulation != Formulation::maximal || !equations->is_constrained()) return;
  VecX C(equations->num_rows());
  equations->evaluate_errors(analysed_at.q, analysed_at.time, analysed_at.memory, C);
  if (C.lpNorm<Eigen::Infinity>() <= kAnalysedClosed * equations->length_scale()) return;
  State open = std::exchange(analysed_at, closed);
  try {
    std::unique_ptr<BodyEquations> anew = make_body_equations(*system, instant_of(closed));
    const bool is_refused =
        anew->use_solver(make_solver(choice.solver, options), options.residual_tolerance).refused();
    if (is_refused) {  // what was taken at the start takes this structure still
      analysed_at = std::move(open);
      return;
    }
    make_chosen_scheme();
    body_equations = std::move(anew);
    equations = body_equations.get();
  } catch (...) {
    analysed_at = std::move(open);
    throw;
  }
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

namespace {

/// Whether coordinates of a body known by name place it somewhere, as nearly all do; false: it is to be asked.
bool places_surely(const BodySlot& slot, const double* q) {
  constexpr double kSurelyUnit = 1e-10;
  if (slot.type == BodyType::other) return false;
  if (slot.type != BodyType::rigid) return true;
  return std::abs(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] - 1.0) < kSurelyUnit;
}

}  // namespace

std::string explain_bad_state(const Simulation::Impl& s, const State& state) {
  if (state.q.size() != s.state.q.size() || state.v.size() != s.state.v.size() ||
      state.memory.size() != s.state.memory.size() || state.coordinates != s.state.coordinates ||
      state.history.lengths.size() != s.state.history.lengths.size() ||
      (s.system->layout.num_v > 0 && state.history.numbers.size() % s.system->layout.num_v != 0) ||
      (state.multipliers.size() != 0 && state.multipliers.size() != s.equations->num_rows()))
    return "the state has other sizes than the model";
  const auto finite = [](double x) { return std::isfinite(x); };
  for (const VecX* part : {&state.q, &state.v, &state.memory, &state.history.lengths, &state.history.numbers,
                           &state.multipliers})
    if (!math::all_finite(*part)) return "a number of q, v, memory, history or multipliers is not finite";
  if (!std::ranges::all_of(state.features.numbers(), finite)) return "a number of features is not finite";
  if (!std::ranges::all_of(state.ledger.values, finite)) return "a number of the ledger is not finite";
  if (!std::isfinite(state.time) || !std::isfinite(state.time_rest) || !std::isfinite(state.substep) ||
      state.substep < 0.0)
    return "time and substep must be finite, the substep not negative";
  if (state.coordinates == Coordinates::joints) {
    const int body = s.joint_equations->body_that_is_nowhere(state.q, state.v);
    return body < 0
               ? std::string()
               : fmt::format("body '{}' has coordinates that are no rotation: quaternions must be of norm 1",
                             s.model.bodies()[std::size_t(body)].name);
  }
  const auto& slots = s.system->layout.bodies;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (places_surely(slots[i], state.q.data() + slots[i].q)) continue;
    if (const std::string problem =
            coordinates_problem(*slots[i].body, state.q.data() + slots[i].q, state.v.data() + slots[i].v);
        !problem.empty())
      return fmt::format("body '{}' ({}) {}", s.model.bodies()[i].name, slots[i].body->kind(), problem);
  }
  return {};
}

void Simulation::set_state(const State& state) {
  require_no_controller_running(*this, "set_state");
  impl_->take_state(state);
}

State Simulation::state_in(Coordinates coordinates) const {
  const Impl& s = *impl_;
  if (coordinates == s.state.coordinates) return s.state;
  if (coordinates == Coordinates::bodies) return s.in_body_coordinates(s.state);
  return in_joint_coordinates(s.model, s.state);
}

}  // namespace catena
