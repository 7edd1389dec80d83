// From one call of step() to attempts: internal steps of adaptive integrators, breaks of driven laws, and events.
#include "catena/interrupt.h"
#include "sim/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kSafety = 0.9;      // aim a little below the tolerance
constexpr double kMostGrowth = 5.0;  // of one internal step over the one before
constexpr double kMostShrinking = 0.2;
constexpr double kSmallestStep = 1e-13;    // relative to the time and to dt: below this rounding decides
constexpr double kEventTolerance = 1e-14;  // of an event's time, relative to the step that contains it
constexpr int kEventIterations = 100;
constexpr int kMostBreaks = 1000;  // of driven laws, in one call of step()

/// The estimate is of order 4 in the step, so that the error of one step grows with its fifth power.
double step_factor(double error) {
  return std::clamp(kSafety * std::pow(std::max(error, 1e-30), -0.2), kMostShrinking, kMostGrowth);
}

/// A first guess: a step in which nothing moves by more than a hundredth of the model's size, or of its speed.
double first_step(const Simulation::Impl& sim, double dt) {
  const double length = sim.equations->length_scale();
  const double speed = sim.state.v.size() > 0 ? sim.state.v.lpNorm<Eigen::Infinity>() : 0.0;
  const VecX& accelerations = sim.solved().acceleration;
  const double acceleration = accelerations.size() > 0 ? accelerations.lpNorm<Eigen::Infinity>() : 0.0;
  const double rate = std::max(speed / length, acceleration / std::max(length, speed));
  return rate * dt > 0.01 ? 0.01 / rate : dt;
}

void merge(const StepReport& one, StepReport& all) {
  all.iterations += one.iterations;
  all.halvings += one.halvings;
  all.damped_substeps += one.damped_substeps;
  all.wrong_pivots += one.wrong_pivots;
  all.residual = std::max(all.residual, one.residual);
  all.constraint_error = one.constraint_error;
  all.omega_dt = std::max(all.omega_dt, one.omega_dt);
  all.invented = std::max(all.invented, one.invented);
  if (!one.warning.empty()) all.warning += (all.warning.empty() ? "" : "; ") + one.warning;
}

/// Should user code throw on the way (a force, an event), the simulation is back where it began.
struct GoBackUnlessDone {
  Simulation::Impl& sim;
  const State& begin;
  bool is_done = false;
  ~GoBackUnlessDone() {
    if (!is_done) sim.go_back(begin);
  }
};

/// Back to the state in which a call of step() began; what it had tried is forgotten.
StepReport give_up(Simulation::Impl& sim, StepReport report, std::string why) {
  sim.go_back(sim.begin);
  report.status = StepReport::Status::refused;
  report.message = std::move(why);
  report.advanced = 0.0;
  return report;
}

std::string explain_tiny_step(const Simulation::Impl& sim, double h) {
  const std::string singular = explain_singular_position(sim);
  return fmt::format(
      "the internal step fell to {:.3g} s at t = {:.6g} s without reaching the tolerance {:g}: {}", h,
      sim.state.time, sim.options.tolerance,
      singular.empty() ? "loosen 'tolerance', or look for stiff springs there" : "this is " + singular);
}

std::string explain_endless_step(const Simulation::Impl& sim, double h, double dt) {
  std::string text = fmt::format(
      "a step of {:g} s was not done after {} internal ones; at t = {:.6g} s they are {:.3g} s long", dt,
      sim.options.max_internal_steps, sim.state.time, h);
  if (const Fastest& fastest = sim.fastest_watched; fastest.omega * h > 0.1)
    text += fmt::format(", because {} may swing or decay at {:.4g} rad/s", describe(sim.model, fastest),
                        fastest.omega);
  return text + ": use an implicit integrator, as bdf2, loosen 'tolerance', or raise 'max_internal_steps'";
}

StepReport advance_adaptively(Simulation::Impl& sim, double dt) {
  sim.begin = sim.state;
  const Clock whole = clock_after(sim.begin, dt);
  const double end = whole.time;
  const double smallest = kSmallestStep * std::max({dt, std::abs(sim.begin.time), std::abs(end)});
  StepReport report;
  GoBackUnlessDone back{sim, sim.begin};
  double h = sim.begin.substep > 0.0 ? sim.begin.substep : first_step(sim, dt);
  std::string refusal;
  const auto left = [&] { return (end - sim.state.time) + (whole.rest - sim.state.time_rest); };
  while (left() > smallest) {
    const double rest = left();
    if (report.internal_steps + report.rejected_steps >= sim.options.max_internal_steps)
      return give_up(sim, std::move(report), explain_endless_step(sim, h, dt));
    // a last step that would leave a crumb behind is stretched or split evenly instead
    const double trial = h >= rest ? rest : h > 0.5 * rest ? 0.5 * rest : h;
    sim.before = sim.state;
    StepReport one;
    const Attempt attempt = sim.attempt(trial, one);
    merge(one, report);
    if (attempt == Attempt::done) {
      ++report.internal_steps;
      // what a short last step allows says nothing about the step that was planned
      h = trial < h ? std::max(h, trial * step_factor(sim.last_error)) : trial * step_factor(sim.last_error);
      sim.state.substep = h;
      continue;
    }
    ++report.rejected_steps;
    refusal = std::move(one.message);
    h = trial * (attempt == Attempt::inaccurate ? step_factor(sim.last_error) : kMostShrinking);
    if (!(h > smallest))
      return give_up(sim, std::move(report), refusal.empty() ? explain_tiny_step(sim, h) : refusal);
  }
  report.advanced = dt;
  back.is_done = true;
  return report;
}

bool crosses(Event::Crossing crossing, double from, double to) {
  const bool rises = from < 0.0 && to >= 0.0, falls = from >= 0.0 && to < 0.0;
  switch (crossing) {
    case Event::Crossing::rising:
    case Event::Crossing::exceeded:
      return rises;
    case Event::Crossing::falling:
      return falls;
    case Event::Crossing::either:
      break;
  }
  return rises || falls;
}

/// First event that a step crossed, -1 for none.
int first_crossed(const Simulation& sim, const std::vector<Event>& events, const std::vector<double>& from) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (crosses(events[i].crossing, from[i], events[i].value(sim))) return int(i);
  return -1;
}

/// A stretch in which all driven laws are smooth.
StepReport advance_smoothly(Simulation::Impl& sim, double dt) {
  if (traits(sim.choice.integrator).is_adaptive) return advance_adaptively(sim, dt);
  StepReport report;
  if (sim.attempt(dt, report) == Attempt::done) report.advanced = dt;
  return report;
}

/// From the last time before a break of a driven law to the first one after it: velocities jump, positions stay.
SolveResult cross_break(Simulation::Impl& sim, const LawBreak& at) {
  sim.state.time = at.after;
  sim.state.time_rest = 0.0;
  sim.forget_known();
  VecX momentum(sim.equations->num_v());
  sim.evaluated().apply_mass(sim.state.v, momentum);
  return sim.jump_to(momentum, Account::driven);
}

/// Stretch by stretch from break to break; the first one has been found.
StepReport advance_through_breaks(Simulation::Impl& sim, double dt, LawBreak next) {
  const State begin = sim.state;
  const Clock whole = clock_after(begin, dt);
  const double crumb = kSmallestStep * std::max({dt, std::abs(begin.time), std::abs(whole.time)});
  GoBackUnlessDone back{sim, begin};
  StepReport report;
  const auto stop = [&](std::string why) {
    report.status = StepReport::Status::refused;
    report.message = std::move(why);
    return report;
  };
  for (int breaks = 0;; ++breaks) {
    const double end = next.exists() ? next.before : whole.time, rest = next.exists() ? 0.0 : whole.rest;
    const double length = (end - sim.state.time) + (rest - sim.state.time_rest);
    if (length > crumb) {
      const StepReport one = advance_smoothly(sim, length);
      merge(one, report);
      report.internal_steps += one.internal_steps;
      report.rejected_steps += one.rejected_steps;
      if (!one.ok()) return stop(one.message);
    }
    if (!next.exists()) break;
    if (next.is_of_position) return stop(describe(sim.model, next));
    if (breaks == kMostBreaks)
      return stop(
          fmt::format("the laws of driven constraints break more than {} times in a step of {:g} s: use "
                      "a smaller step",
                      kMostBreaks, dt));
    if (const SolveResult result = cross_break(sim, next); !result.ok()) return stop(explain(sim, result));
    next = sim.laws->first_break(sim, sim.state.time, whole.time);
  }
  if (sim.state.time != whole.time) {  // by a crumb
    sim.state.time = whole.time;
    sim.state.time_rest = whole.rest;
    sim.forget_known();
  }
  report.advanced = dt;
  back.is_done = true;
  return report;
}

}  // namespace

StepReport advance(Simulation::Impl& sim, double dt) {
  if (!sim.laws || !traits(sim.choice.integrator).has_inertia) return advance_smoothly(sim, dt);
  const double end = clock_after(sim.state, dt).time;
  const LawBreak first = sim.laws->first_break(sim, sim.state.time, end);
  return first.exists() ? advance_through_breaks(sim, dt, first) : advance_smoothly(sim, dt);
}

namespace {

/// First event that has been exceeded without having been told, -1 for none.
int find_exceeded(Simulation::Impl& s) {
  s.event_is_known.resize(s.events.size(), 0);
  for (std::size_t i = 0; i < s.events.size(); ++i) {
    const bool is_exceeded = s.events[i].crossing == Event::Crossing::exceeded && s.event_values[i] >= 0.0;
    if (is_exceeded && s.event_is_known[i] == 0) return int(i);
    if (!is_exceeded) s.event_is_known[i] = 0;
  }
  return -1;
}

/// Ends the step here: tells the event and runs its action, which may edit the simulation. An action that throws InvalidInput before it
/// has edited anything refuses the step.
void end_at_event(Simulation& sim, int index, StepReport& report) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const Event event = s.events[std::size_t(index)];           // a copy: an edit moves the list
  const std::shared_ptr<const Model> model = s.shared_model;  // every edit makes another one
  s.event_is_known[std::size_t(index)] = 1;
  report.event = event.name;
  if (!event.action) return;
  const InterruptScope whole(
      nullptr);  // a state at an event whose action has not run would be neither before nor after it
  try {
    event.action(sim);
  } catch (const InvalidInput& why) {
    if (SimulationAccess::impl(sim).shared_model != model) throw;
    s.event_is_known[std::size_t(index)] = 0;
    report.event.clear();
    s.go_back(s.event_begin);
    report.status = StepReport::Status::refused;
    report.message = why.what();
    report.advanced = 0.0;
  }
}

}  // namespace

// The time of the event is found by taking the step again, shorter and shorter: bisection, which no kink or jump of the watched
// number can mislead, and which serves every integrator. The step ends at the upper end of the last bracket, where the number has
// crossed, so that the next step does not find it again.
StepReport advance_to_event(Simulation& sim, double dt) {
  std::vector<double>& from = SimulationAccess::impl(sim).event_values;
  from.clear();
  for (const Event& event : SimulationAccess::impl(sim).events) from.push_back(event.value(sim));
  SimulationAccess::impl(sim).event_begin = sim.state();
  if (const int exceeded = find_exceeded(SimulationAccess::impl(sim)); exceeded >= 0) {
    StepReport at_once;
    end_at_event(sim, exceeded, at_once);
    return at_once;
  }
  GoBackUnlessDone back{SimulationAccess::impl(sim), SimulationAccess::impl(sim).event_begin};
  std::string told;  // an announcement is made once, also by a step that is taken again
  const auto remember_warning = [&](const StepReport& one) {
    if (!one.warning.empty()) told += (told.empty() ? "" : "; ") + one.warning;
  };
  StepReport report = advance(SimulationAccess::impl(sim), dt);
  if (!report.ok()) return report;
  remember_warning(report);
  int crossed = first_crossed(sim, SimulationAccess::impl(sim).events, from);
  back.is_done = crossed < 0;
  if (crossed < 0) return report;

  const auto take = [&](double h) {
    Simulation::Impl& s = SimulationAccess::impl(sim);
    s.go_back(s.event_begin);
    return advance(s, h);
  };
  double low = 0.0, high = dt;
  for (int k = 0; k < kEventIterations && high - low > kEventTolerance * dt; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    const StepReport trial = take(middle);
    remember_warning(trial);
    if (!trial.ok()) break;
    const int earlier = first_crossed(sim, SimulationAccess::impl(sim).events, from);
    if (earlier >= 0) {
      crossed = earlier;
      high = middle;
    } else {
      low = middle;
    }
  }
  report = take(high);
  remember_warning(report);
  report.warning = std::move(told);
  if (!report.ok()) return report;
  back.is_done = true;
  report.advanced = high;
  end_at_event(sim, crossed, report);
  return report;
}

void Simulation::add_event(Event event) {
  if (event.name.empty() || !event.value)
    throw InvalidInput({{"add_event", "the event has no name or no value", "give both"}});
  std::vector<char>& is_known = impl_->event_is_known;
  is_known.resize(impl_->events.size(), 0);
  is_known.push_back(char(std::ranges::count(impl_->known_events, event.name) > 0));
  impl_->events.push_back(std::move(event));
}

void Simulation::break_at(ConstraintId joint, double force, double torque) {
  const int index = impl_->model.index_of(joint);
  if (index < 0 || !(force > 0.0) || !(torque > 0.0))
    throw InvalidInput(
        {{"break_at",
          fmt::format("needs a joint of the model and positive limits, got {:g} N and {:g} N·m", force,
                      torque),
          "take the id from Model::add and give limits above 0"}});
  const std::string name = fmt::format("{} breaks", impl_->model.constraints()[std::size_t(index)].name);
  const auto excess = [joint, force, torque](const Simulation& sim) {
    if (sim.model().index_of(joint) < 0) return -1.0;  // broken already
    const ConstraintForce carried = sim.constraint_force(joint);
    return std::max(carried.force.norm() / force, carried.torque.norm() / torque) - 1.0;
  };
  add_event(
      {.name = name,
       .value = excess,
       .crossing = Event::Crossing::exceeded,
       .action = [joint](Simulation& sim) { sim.edit([joint](Model& model) { model.remove(joint); }); }});
}

State Simulation::interpolated(double time) const {
  const Impl& s = *impl_;
  const double h = s.state.time - s.before.time;
  if (!traits(s.choice.integrator).is_adaptive || s.before.q.size() != s.state.q.size() ||
      !(time >= s.before.time && time <= s.state.time))
    throw InvalidInput(
        {{"interpolated", fmt::format("there is no internal step of dormand-prince around t = {:g} s", time),
          fmt::format("ask for a time in the last one, {:g} to {:g} s", s.before.time, s.state.time)}});
  State out = s.before;
  s.scheme->interpolate(*s.equations, s.before, h, h > 0.0 ? (time - s.before.time) / h : 0.0, out);
  return out;
}

}  // namespace catena
