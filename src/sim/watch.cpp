// What is announced and refused before a run is worthless: frequencies that the step does not resolve, and energy that nothing explains.
//
// The energy scale is the largest kinetic and elastic energy that the start and the ledger explain,
//   S = max over steps of (T + U_springs - numerical energy),                                                     (1)
// so that it does not grow with a motion that explodes: what the integration invented is taken off again.
#include "catena/interrupt.h"
#include "formulation/mass.h"
#include "sim/impl.h"
#include "sim/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr std::uint64_t kEvery = 64;  // steps between estimates of the rates of forces
constexpr double kTrace = 1e-3;  // of m g L and m L²/s²: what a model at rest may err by in its first steps
constexpr double kLoss = 0.1;    // of the energy scale: what steps have damped away is announced above
constexpr double kManySteps = 1e3;  // ω·dt at which an adaptive integrator is stiff

bool is_fixed_explicit(Integrator integrator) {
  const IntegratorTraits& t = traits(integrator);
  return !t.is_implicit && !t.is_adaptive && t.has_inertia;
}

void announce(std::string text, StepReport& report) {
  report.warning += (report.warning.empty() ? "" : "; ") + std::move(text);
}

std::string remedy_for_frequency(const Simulation::Impl& sim, double omega) {
  if (is_implicit(sim.choice.integrator)) return "use a smaller step";
  const bool is_adaptive = traits(sim.choice.integrator).is_adaptive;
  return is_adaptive ? std::string("use an implicit integrator, as bdf2")
                     : fmt::format("use dt <= {:.2g} s, or an implicit integrator, as bdf2", 0.5 / omega);
}

std::string too_fast(const Simulation::Impl& sim, const Fastest& fastest, double dt) {
  const double omega_dt = fastest.omega * dt;
  const bool is_adaptive = traits(sim.choice.integrator).is_adaptive;
  const std::string limit = is_adaptive ? std::string("every step takes many internal ones")
                                        : fmt::format("limit {:g}, {} is not stable beyond 2",
                                                      sim.options.warn_omega_dt, name(sim.choice.integrator));
  return fmt::format(
      "at t = {:.6g} s {} may swing or decay at an estimated {:.4g} rad/s, ω·dt = {:.3g} ({}): {}",
      sim.state.time, describe(sim.model, fastest), fastest.omega, omega_dt, limit,
      remedy_for_frequency(sim, fastest.omega));
}

void tell_frequency(Simulation::Impl& sim, const Fastest& fastest, double dt, StepReport& report) {
  const bool is_adaptive = traits(sim.choice.integrator).is_adaptive;
  const double limit =
      is_adaptive ? std::max(kManySteps, sim.options.warn_omega_dt) : sim.options.warn_omega_dt;
  if (fastest.omega * dt <= limit || std::exchange(sim.told.frequency, true)) return;
  announce(too_fast(sim, fastest, dt), report);
}

/// The body whose kinetic energy rose most in a step, from its velocities before and after.
std::string what_grew(Simulation::Impl& sim, const State& start) {
  const Layout& layout = sim.system->layout;
  const VecX& M = sim.evaluated_bodies().problem().M;
  const VecX before = sim.in_body_coordinates(start).v, now = sim.body_instant().v;
  double most = 0.0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    const double rise = kinetic_energy(slot, M.data() + slot.M, now.data() + slot.v) -
                        kinetic_energy(slot, M.data() + slot.M, before.data() + slot.v);
    if (!(rise <= most)) {
      most = rise;
      which = i;
    }
  }
  return layout.bodies.empty() ? "nothing" : fmt::format("body '{}'", sim.model.bodies()[which].name);
}

std::string explain_growth(Simulation::Impl& sim, const State& start, double numerical) {
  std::string text = fmt::format(
      "at t = {:.6g} s the integration has invented {:.4g} J, {:.3g} times the {:.4g} J that the start and "
      "all "
      "sources explain; {} gained most in this step",
      sim.state.time, numerical, numerical / sim.energy_scale, sim.energy_scale, what_grew(sim, start));
  const double dt = sim.state.time - start.time;
  const Fastest& fastest = sim.fastest_watched;
  if (fastest.omega * dt > 0.1 && !is_implicit(sim.choice.integrator))
    return text + fmt::format("; {} may swing or decay at {:.4g} rad/s, ω·dt = {:.3g}: {}",
                              describe(sim.model, fastest), fastest.omega, fastest.omega * dt,
                              remedy_for_frequency(sim, fastest.omega));
  return text + ": " +
         (is_implicit(sim.choice.integrator) ? "use a smaller step"
                                             : "use a smaller step, or integrator bdf2");
}

std::string explain_loss(const Simulation::Impl& sim, double lost, double dt) {
  const bool is_damped = is_implicit(sim.choice.integrator);
  return fmt::format(
      "at t = {:.6g} s the integration has lost {:.4g} J, {:.3g} times the {:.4g} J that the start and all "
      "sources explain: {}use a smaller step than {:.3g} s{}",
      sim.state.time, lost, lost / sim.energy_scale, sim.energy_scale,
      is_damped ? fmt::format("{} damps what steps do not resolve; ", name(sim.choice.integrator)) : "", dt,
      is_damped ? ", or rattle where it can follow" : "");
}

/// What drift control by feedback has in store where joints are open: it is a spring of k_s per mass at each.
double feedback_energy(const Simulation::Impl& sim, double dt) {
  const Options& options = sim.options;
  const VecX& C = sim.evaluated().C();
  const bool is_used = traits(sim.choice.integrator).uses_drift &&
                       (options.drift == Drift::feedback || options.drift == Drift::feedback_after);
  if (!is_used || C.size() == 0) return 0.0;
  const double alpha = options.feedback_eta / dt;
  const double k_s = options.feedback_ks >= 0.0 ? options.feedback_ks : alpha * alpha;
  double mass = 0.0;
  for (const BodySlot& slot : sim.system->layout.bodies) mass += slot.mass;
  return 0.5 * k_s * mass * std::pow(C.lpNorm<Eigen::Infinity>(), 2);
}

}  // namespace

double energy_scale_at(const Simulation::Impl& sim, const State& state, const Energy& energy) {
  const Layout& layout = sim.system->layout;
  double mass = 0.0, inertia = 0.0, booked = 0.0;
  for (const BodySlot& slot : layout.bodies) {
    mass += slot.mass;
    inertia += slot.inertia.trace() + slot.planar_inertia;
  }
  for (const AccountTraits& account : kAccounts) booked += std::abs(state.ledger[account.account]);
  const double length = layout.length_scale, weight = layout.gravity.norm();
  return energy.kinetic + std::abs(energy.springs) + booked +
         kTrace * (mass * length * (weight + length) + inertia);
}

AnnouncementsOfStep::~AnnouncementsOfStep() {
  if (std::uncaught_exceptions() == exceptions_before) return;
  Simulation::Impl& s = SimulationAccess::impl(sim);
  s.told = before;
  s.rates_are_known = s.rates_are_known && rates_were_known;
}

std::string watch_rates(Simulation::Impl& sim, double dt) {
  const IntegratorTraits& t = traits(sim.choice.integrator);
  if (!t.has_inertia) return {};
  const bool is_first = !sim.rates_are_known, is_due = is_first || sim.state.steps % kEvery == 0;
  if (!is_due && sim.fastest_watched.omega * dt <= sim.options.warn_omega_dt) return {};
  StepReport report;
  if (is_first)
    for (std::string& text : forces_without_direction(sim)) announce(std::move(text), report);
  if (is_first && !t.is_implicit) sim.fastest_shape_watched = fastest_shape(sim);
  if (!t.is_implicit && is_due) {
    const Fastest& shape = sim.fastest_shape_watched;
    sim.fastest_watched = fastest_force(sim);
    sim.fastest_watched.consider(shape.omega, shape.kind, shape.index);
  }
  sim.rates_are_known = true;  // all of it, or none where it was interrupted
  if (!t.is_implicit) tell_frequency(sim, sim.fastest_watched, dt, report);
  return report.warning;
}

void watch_tension(Simulation::Impl& sim, double dt, StepReport& report) {
  const InterruptScope whole(nullptr);  // the step is taken; what follows only tells
  const VecX* of_step = sim.scheme->step_multipliers();
  if (traits(sim.choice.integrator).start != StartSolution::needed && of_step != nullptr)
    report.omega_dt = sim.evaluated_bodies().tension_frequency(*of_step) * dt;
  if (!is_fixed_explicit(sim.choice.integrator)) return;
  if (report.omega_dt > sim.options.warn_omega_dt && !sim.told.frequency) {
    int body = -1;
    const VecX& lambda = sim.multipliers();
    const double omega = sim.evaluated_bodies().tension_frequency(lambda, &body);
    Fastest fastest;
    fastest.consider(std::max(omega, report.omega_dt / dt), Fastest::Kind::tension, std::max(body, 0));
    tell_frequency(sim, fastest, dt, report);
  }
  report.omega_dt = std::max(report.omega_dt, sim.fastest_watched.omega * dt);
}

std::string watch_energy(Simulation::Impl& sim, const State& start, const Balance& at_start,
                         StepReport& report) {
  if (sim.energy_scale < 0.0)
    sim.energy_scale =
        energy_scale_at(sim, start, at_start.energy) + feedback_energy(sim, sim.state.time - start.time);
  const Energy& now = sim.balance().energy;
  const double numerical = sim.unexplained_energy();
  if (!std::isfinite(numerical))  // velocities may be finite whose squares are not
    return fmt::format(
        "at t = {:.6g} s the energy is not finite; {} gained most in this step: use a smaller step",
        sim.state.time, what_grew(sim, start));
  sim.energy_scale = std::max(sim.energy_scale, now.kinetic + now.springs - numerical);  // (1)
  report.invented = std::max(0.0, numerical / sim.energy_scale);
  if (-numerical > kLoss * sim.energy_scale && std::isfinite(sim.options.warn_growth) &&
      !std::exchange(sim.told.loss, true))
    announce(explain_loss(sim, -numerical, sim.state.time - start.time), report);
  if (report.invented <= std::min(sim.options.warn_growth, sim.options.refuse_growth)) return {};
  if (!(report.invented <= sim.options.refuse_growth)) return explain_growth(sim, start, numerical);
  if (report.invented > sim.options.warn_growth && !std::exchange(sim.told.growth, true))
    announce(explain_growth(sim, start, numerical), report);
  return {};
}

std::vector<std::string> forces_without_direction(Simulation::Impl& sim) {
  std::vector<std::string> out;
  System& system = *sim.system;
  const Instant at = sim.body_instant();
  if (system.layout.num_coordinates > 0) system.place(at);
  for (std::size_t i = 0; i < system.layout.forces.size(); ++i) {
    const ForceSlot& slot = system.layout.forces[i];
    if (slot.along == nullptr) continue;
    evaluate_coordinates(slot, system.kinematics.forces, at, system.coordinates);
    for (int r = 0; r < slot.rows; ++r) {
      const double* G = system.coordinates.G.data() + slot.G;
      double size = 0.0;
      for (int k = 0; k < slot.num_markers(); ++k)
        for (int j = 0; j < 6; ++j) size += std::abs(G[(k * slot.rows + r) * 6 + j]);
      const double c = system.coordinates.c[slot.row + r];
      const Motion motion = motion_of(slot, system.kinematics.forces, at);
      const bool acts = slot.along->answer(r, motion, c, 0.0, 0.0).force != 0.0;
      if (size > 0.0 || !acts || std::abs(c) < 1e-9 * system.layout.length_scale) continue;
      out.push_back(fmt::format(
          "at t = {:.6g} s force '{}' ({}) has no direction: its points coincide, and it does nothing "
          "although it is off its rest by {:.3g}; move one of them a little",
          sim.state.time, sim.model.forces()[i].name, slot.force->kind(), std::abs(c)));
    }
  }
  return out;
}

double Simulation::energy_scale() const {
  const Impl& s = *impl_;
  return s.energy_scale >= 0.0 ? s.energy_scale : energy_scale_at(s, s.state, s.balance().energy);
}

}  // namespace catena
