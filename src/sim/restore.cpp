// From a simulation to its checkpoint and back.
//
// A model that events have changed is found again by taking out what they took out: everything the checkpoint has must be there, the same
// as it was, and what it does not have must have been removed by an edit of the run that was saved. The solver is analysed where it was
// then, because an order of elimination may depend on numbers, and rounding on the order.
#include "sim/checkpoint.h"
#include "sim/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace catena {
namespace {

constexpr std::size_t kMostNamed = 4;  // things that differ, in one message

[[noreturn]] void refuse_checkpoint(const std::string& where, const std::vector<std::string>& differences) {
  std::string what = "belongs to another model: ";
  for (std::size_t i = 0; i < std::min(differences.size(), kMostNamed); ++i)
    what += (i > 0 ? "; " : "") + differences[i];
  if (differences.size() > kMostNamed) what += fmt::format("; and {} more", differences.size() - kMostNamed);
  throw InvalidInput({{where, std::move(what), "load it with the scene and parameters it was saved from"}});
}

using Prints = std::map<std::pair<Mark::Kind, std::string_view>, const Mark*>;

Prints prints_of(const std::vector<Mark>& marks) {
  Prints prints;
  for (const Mark& mark : marks) prints.emplace(std::pair(mark.kind, std::string_view(mark.name)), &mark);
  return prints;
}

/// "force 'coil' is not what it was: stiffness was 100 and is 200", as far as it says its parameters itself.
std::string difference_of(const Mark& saved, const Mark& here) {
  std::string text = fmt::format("{} is not what it was", here.label());
  if (saved.said.size() != here.said.size()) return text;
  std::size_t told = 0;
  for (std::size_t i = 0; i < here.said.size(); ++i) {
    const double was = saved.said[i].value, is = here.said[i].value;
    if (was == is || (std::isnan(was) && std::isnan(is)) || told == kMostNamed) continue;
    text += fmt::format("{} {} was {} and is {}", told == 0 ? ":" : ",", here.said[i].name, was, is);
    ++told;
  }
  return text;
}

/// What has to be taken out of the model before the checkpoint fits; refuses where that is not enough.
std::vector<Mark> find_surplus(const std::vector<Mark>& here, const Checkpoint& c, const std::string& where) {
  if (here == c.present) return {};
  std::vector<std::string> differences;
  const Prints own = prints_of(here), present = prints_of(c.present), removed = prints_of(c.removed);
  const auto judge = [&](const Mark& mark, const Prints& others, bool others_are_here,
                         const char* when_missing) {
    const auto at = others.find({mark.kind, mark.name});
    if (at == others.end())
      differences.push_back(fmt::format(fmt::runtime(when_missing), mark.label()));
    else if (at->second->print != mark.print)
      differences.push_back(others_are_here ? difference_of(mark, *at->second)
                                            : difference_of(*at->second, mark));
  };
  for (const Mark& mark : c.present) judge(mark, own, true, "it has {}, which is not there");
  std::vector<Mark> surplus;
  for (const Mark& mark : here) {
    if (present.contains({mark.kind, mark.name})) continue;
    judge(mark, removed, false, "it was saved without {}");
    surplus.push_back(mark);
  }
  if (differences.empty() && here.size() - surplus.size() != c.present.size())
    differences.emplace_back("names appear in another number");
  if (!differences.empty()) refuse_checkpoint(where, differences);
  return surplus;
}

void take_out(Model& model, const std::vector<Mark>& surplus) {
  const auto each = [&](Mark::Kind kind, auto&& remove) {
    for (const Mark& mark : surplus)
      if (mark.kind == kind) remove(mark.name);
  };
  each(Mark::Kind::inequality, [&](const std::string& name) { model.remove(*model.find_inequality(name)); });
  each(Mark::Kind::force, [&](const std::string& name) { model.remove(*model.find_force(name)); });
  each(Mark::Kind::constraint, [&](const std::string& name) { model.remove(*model.find_constraint(name)); });
  each(Mark::Kind::body, [&](const std::string& name) { model.remove(*model.find_body(name)); });
}

bool same_numbers(const VecX& a, const VecX& b) {
  return a.size() == b.size() && a == b;
}

/// The start values of the model are those that the solver was analysed at.
void set_starts(Model& model, const State& at) {
  Eigen::Index q = 0, v = 0;
  for (int i = 0; i < int(model.bodies().size()); ++i) {
    const Body& body = *model.bodies()[std::size_t(i)].body;
    model.set_start(i, at.q.segment(q, body.num_q()), at.v.segment(v, body.num_v()));
    q += body.num_q();
    v += body.num_v();
  }
}

/// The methods to continue with: those of the checkpoint, where nobody asks for others.
Choice choose_again(const Simulation::Impl& s, const Checkpoint& c) {
  Choice choice = s.choice;
  if (s.options.formulation == Formulation::automatic && c.formulation_is_automatic) {
    choice.formulation = c.choice.formulation;
    choice.formulation_reason = c.choice.formulation_reason;
  }
  if (s.options.solver == Solver::automatic && c.solver_is_automatic) {
    choice.solver = c.choice.solver;
    choice.solver_reason = c.choice.solver_reason;
  }
  if (s.options.integrator == Integrator::automatic && c.integrator_is_automatic) {
    choice.integrator = c.choice.integrator;
    choice.integrator_reason = c.choice.integrator_reason;
    choice.integrator_is_provisional = c.choice.integrator_is_provisional;
  }
  return choice;
}

/// Whether coordinates of the checkpoint fit the model it names.
void require_fitting_sizes(const Model& model, const Checkpoint& c, const std::string& where) {
  Eigen::Index q = 0, v = 0;
  for (const BodyEntry& entry : model.bodies()) {
    q += entry.body->num_q();
    v += entry.body->num_v();
  }
  const bool fits =
      c.state.coordinates == Coordinates::joints || (c.state.q.size() == q && c.state.v.size() == v);
  if (c.analysed_at.q.size() != q || c.analysed_at.v.size() != v || !fits)
    refuse_checkpoint(where, {"its state has other sizes"});
}

void require_possible(const Simulation::Impl& s, const Checkpoint& c, const std::string& where) {
  const bool has_own = c.state.coordinates == s.state.coordinates;
  const Layout& layout = s.system->layout;
  if (!has_own && c.state.coordinates == Coordinates::bodies &&
      (c.state.q.size() != layout.num_q || c.state.v.size() != layout.num_v))
    refuse_checkpoint(where, {"its state has other sizes"});
  if (std::string problem = explain_bad_state(s, has_own ? c.state : s.in_own_coordinates(c.state));
      !problem.empty())
    throw InvalidInput({{where, std::move(problem), "write the checkpoint again"}});
}

/// A simulation of the model that the checkpoint knows, with everything of the program that the old one has.
std::unique_ptr<Simulation::Impl> rebuilt(Simulation::Impl& s, const Checkpoint& c,
                                          const std::vector<Mark>& surplus, const std::string& where) {
  Model model = s.model;
  take_out(model, surplus);
  require_fitting_sizes(model, c, where);
  set_starts(model, c.analysed_at);
  const System layout_of(model);
  if (c.analysed_at.memory.size() != layout_of.layout.num_memory)
    refuse_checkpoint(where, {"its state has other sizes"});
  State analysed = c.analysed_at;
  analysed.history.lengths = VecX::Zero(Eigen::Index(model.bodies().size()));
  State begin = analysed;
  auto out = std::make_unique<Simulation::Impl>(std::make_shared<const Model>(std::move(model)), s.options,
                                                choose_again(s, c), std::move(analysed), std::move(begin));
  require_possible(*out, c, where);
  out->events = std::move(s.events);
  out->controllers = std::move(s.controllers);
  return out;
}

}  // namespace

Checkpoint make_checkpoint(const Simulation& sim) {
  const Simulation::Impl& s = SimulationAccess::impl(sim);
  Checkpoint c;
  c.present = marks_of(s.model);
  c.removed = s.removed;
  for (std::size_t i = 0; i < s.events.size() && i < s.event_is_known.size(); ++i)
    if (s.event_is_known[i] != 0) c.known_events.push_back(s.events[i].name);
  c.choice = s.choice;
  c.formulation_is_automatic = s.options.formulation == Formulation::automatic;
  c.solver_is_automatic = s.options.solver == Solver::automatic;
  c.integrator_is_automatic = s.options.integrator == Integrator::automatic;
  c.start_is_checked = s.start_is_checked;
  c.start_energy = s.start_energy;
  c.state = s.state;
  c.analysed_at = s.analysed_at;
  return c;
}

void restore_checkpoint(Simulation& sim, Checkpoint c, const std::string& where) {
  require_no_controller_running(sim, "load");
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const std::vector<Mark> surplus = find_surplus(marks_of(s.model), c, where);
  const Choice choice = choose_again(s, c);
  const bool goes_on = surplus.empty() && same_numbers(s.analysed_at.q, c.analysed_at.q) &&
                       same_numbers(s.analysed_at.v, c.analysed_at.v) &&
                       same_numbers(s.analysed_at.memory, c.analysed_at.memory) &&
                       s.analysed_at.time == c.analysed_at.time && choice.solver == s.choice.solver &&
                       choice.integrator == s.choice.integrator && choice.formulation == s.choice.formulation;
  if (goes_on) {
    require_possible(s, c, where);
    s.choice = choice;
  } else {
    SimulationAccess::replace(sim, rebuilt(s, c, surplus, where));
  }
  Simulation::Impl& now = SimulationAccess::impl(sim);
  now.open_start.clear();
  now.restart(now.in_own_coordinates(c.state));
  now.start_is_checked = c.start_is_checked;
  now.start_energy = c.start_energy;
  now.removed = std::move(c.removed);
  now.known_events = std::move(c.known_events);
  now.event_is_known.clear();
  for (const Event& event : now.events)
    now.event_is_known.push_back(char(std::ranges::count(now.known_events, event.name) > 0));
}

}  // namespace catena
