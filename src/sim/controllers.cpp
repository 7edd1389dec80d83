#include "sim/controllers.h"

#include "math/all_finite.h"
#include "sim/impl.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kEarly = 1e-3;     // ε of (1)
constexpr double kRounding = 1e-9;  // by which a step may exceed a period that it should be equal to

const ForceSlot& require_force(const Simulation::Impl& s, ForceId id) {
  const int index = s.model.index_of(id);
  if (index < 0)
    throw InvalidInput({{fmt::format("force id {}", id.value), "is not in the model",
                         "take the id from Model::add or Model::find_force"}});
  return s.system->layout.forces[std::size_t(index)];
}

std::string force_label(const Simulation::Impl& s, ForceId id) {
  const ForceEntry& entry = s.model.forces()[std::size_t(s.model.index_of(id))];
  return fmt::format("force '{}' ({})", entry.name, entry.force->kind());
}

}  // namespace

double sample_count(double time, double period) {
  return std::ceil(time / period - kEarly);
}

std::string run_controllers(Simulation& sim, double dt) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  Controllers& controllers = s.controllers;
  if (controllers.all.empty()) return {};
  for (const Controller& c : controllers.all)
    if (dt > c.period * (1.0 + kRounding))
      return fmt::format(
          "the step of {:g} s is longer than the period of controller '{}', {:g} s, and would skip samples; "
          "take a step of at most {:g} s",
          dt, c.name, c.period, c.period);
  // what they read is the motion before their commands
  (void)s.solved();
  (void)s.balance();
  controllers.memory_before = s.state.memory;
  controllers.may_take_back = true;
  controllers.running = true;
  controllers.commands_new = false;
  try {
    const double now = s.state.time;
    for (const Controller& c : controllers.all)
      if (sample_count(now + dt, c.period) > sample_count(now, c.period)) c.function(sim);
  } catch (...) {
    controllers.running = false;
    controllers.take_back(s.state.memory);
    throw;
  }
  controllers.running = false;
  if (!controllers.commands_new) return {};
  s.forget_known();
  const SolveResult& result = s.start_result();
  return result.ok() ? std::string() : "commands of controllers leave no solution: " + explain(s, result);
}

void finish_controllers(Simulation::Impl& s, bool step_completed) {
  if (s.controllers.all.empty() || s.controllers.running) return;
  if (step_completed) return s.controllers.keep();
  if (s.controllers.take_back(s.state.memory)) s.forget_known();
}

CommandsOfStep::~CommandsOfStep() {
  finish_controllers(SimulationAccess::impl(sim), are_kept);
}

void require_no_controller_running(const Simulation& sim, std::string_view what) {
  if (SimulationAccess::impl(sim).controllers.running)
    throw InvalidInput({{std::string(what), "cannot be called from inside of a controller",
                         "read and set_command there; change the rest between steps"}});
}

void Simulation::add_controller(std::string name, double period,
                                std::function<void(Simulation&)> controller) {
  require_no_controller_running(*this, "add_controller");
  std::vector<Controller>& all = impl_->controllers.all;
  const std::string where = fmt::format("controller '{}'", name);
  std::vector<Issue> issues;
  if (name.empty()) issues.push_back({where, "has no name", "give every controller one"});
  for (const Controller& other : all)
    if (other.name == name)
      issues.push_back({where, "this name is used by more than one controller", "rename one"});
  if (!std::isfinite(period) || period <= 0.0)
    issues.push_back({where, fmt::format("period must be positive and finite, got {:g} s", period),
                      "give the time between two samples"});
  if (!controller) issues.push_back({where, "has no function", "pass one that takes a Simulation&"});
  if (!issues.empty()) throw InvalidInput(std::move(issues));
  all.push_back({std::move(name), period, std::move(controller)});
}

void Simulation::remove_controller(std::string_view name) {
  require_no_controller_running(*this, "remove_controller");
  if (std::erase_if(impl_->controllers.all, [name](const Controller& c) { return c.name == name; }) == 0)
    throw InvalidInput({{fmt::format("controller '{}'", name), "does not exist", "check the name"}});
}

void Simulation::set_command(ForceId id, std::span<const double> values) {
  Impl& s = *impl_;
  const ForceSlot& slot = require_force(s, id);
  const auto names = slot.force->command_names();
  if (names.empty())
    throw InvalidInput({{force_label(s, id), "takes no command", "build it with Command{}"}});
  if (values.size() != names.size()) {
    std::string remedy;
    for (const std::string_view name : names)
      remedy += fmt::format("{}{}", remedy.empty() ? "give " : ", ", name);
    throw InvalidInput({{force_label(s, id),
                         fmt::format("takes {} numbers as its command, got {}", names.size(), values.size()),
                         std::move(remedy)}});
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw InvalidInput(
          {{force_label(s, id), fmt::format("{} of the command is not finite, got {:g}", names[i], values[i]),
            "check the controller"}});
  double* command = s.state.memory.data() + slot.memory;
  if (std::equal(values.begin(), values.end(), command)) return;
  std::copy(values.begin(), values.end(), command);
  if (s.controllers.running)
    s.controllers.commands_new = true;
  else
    s.forget_known();
}

std::span<const double> Simulation::command(ForceId id) const {
  const ForceSlot& slot = require_force(*impl_, id);
  return {impl_->state.memory.data() + slot.memory, slot.force->command_names().size()};
}

}  // namespace catena
