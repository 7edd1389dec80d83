#include "support/oracles.h"

#include "catena/analysis.h"
#include "sim/impl.h"
#include "support/dense_reference.h"
#include "support/mechanisms.h"

#include <fmt/core.h>

#include <ctime>

namespace catena::test {
namespace {

constexpr double kClosed = 1e-7;  // of the model's length: rows that a step has closed
// of how far away its markers are: what a projection leaves where rounding of coordinates decides
constexpr double kRoundingOfPlaces = 1600.0 * std::numeric_limits<double>::epsilon();
constexpr double kClosedRate = 1e-6;  // of the velocities in a row
constexpr double kWellPosed = 1e6;    // condition up to which solvers must agree
constexpr double kAgreement = 1e-5;   // of the acceleration of a body
constexpr double kTightTolerance =
    1e-14;  // of cg, which makes it as good as others but where it is ill-conditioned
constexpr double kEnergyRounding = 1e-9;

/// Thrown by an oracle that does not hold.
struct Failed {
  Outcome outcome;
  std::string what;
};
[[noreturn]] void fail(std::string what) {
  throw Failed{Outcome::silent, std::move(what)};
}

Marker marker_at(const Model& model, const State& state, const Attachment& at) {
  const int index = model.index_of(at.body);
  Marker marker{at.point, Vec3::Zero(), at.axes, Vec3::Zero()};
  if (index < 0) return marker;
  Eigen::Index q = 0, v = 0;
  for (int i = 0; i < index; ++i)
    q += model.bodies()[std::size_t(i)].body->num_q(), v += model.bodies()[std::size_t(i)].body->num_v();
  const Body& body = *model.bodies()[std::size_t(index)].body;
  const auto velocity = state.v.segment(v, body.num_v());
  PointMap point;
  body.point(state.q.data() + q, state.v.data() + v, at.point, point);
  marker.x = point.x, marker.v = point.J * velocity, marker.R.setIdentity();
  if (!body.has_orientation()) return marker;
  FrameMap frame;
  body.frame(state.q.data() + q, state.v.data() + v, frame);
  marker.R = frame.R * at.axes, marker.w = frame.W * velocity;
  return marker;
}

std::vector<Marker> markers_of(const Model& model, const State& state,
                               std::span<const Attachment> attachments) {
  std::vector<Marker> markers;
  for (const Attachment& at : attachments) markers.push_back(marker_at(model, state, at));
  return markers;
}

// ------------------------------------------------------------------------------------------------ rows
/// The largest |C| over the model's length, and |Ċ| over the velocities that make it up; and whose.
struct Openness {
  double error = 0.0, rate = 0.0;
  std::string error_of, rate_of;
};

void look_at(const ConstraintEntry& entry, const Motion& motion, double length, Openness& open) {
  const int rows = entry.constraint->num_rows(entry.planar), markers = int(motion.at.size());
  VecX C = VecX::Zero(rows), C_t = VecX::Zero(rows), gamma = VecX::Zero(rows);
  VecX G = VecX::Zero(rows * markers * 6), K = G;
  Rows out(rows, markers, C.data(), C_t.data(), gamma.data(), G.data(), true,
           entry.constraint->acts_elsewhere() ? K.data() : nullptr);
  entry.constraint->evaluate(motion, out);
  double away = 0.0;
  for (const Marker& marker : motion.at) away = std::max(away, marker.x.norm());
  for (int r = 0; r < rows; ++r) {
    double rate = C_t[r], terms = std::abs(C_t[r]);
    for (int m = 0; m < markers; ++m) {
      const Marker& marker = motion.at[std::size_t(m)];
      const Eigen::Matrix<double, 1, 6> g = out.G(m).row(r);
      const double linear = g.head<3>().dot(marker.v), angular = g.tail<3>().dot(marker.w);
      rate += linear + angular;
      terms += g.head<3>().norm() * marker.v.norm() + g.tail<3>().norm() * marker.w.norm();
    }
    const double error = r < entry.constraint->num_holonomic_rows(entry.planar)
                             ? (std::abs(C[r]) - std::min(std::abs(C[r]), kRoundingOfPlaces * away)) / length
                             : 0.0;
    if (!(error <= open.error)) open.error = error, open.error_of = entry.name;
    const double relative = std::abs(rate) / std::max(terms, length);
    if (!(relative <= open.rate)) open.rate = relative, open.rate_of = entry.name;
  }
}

Openness openness(const Simulation& sim) {
  Openness open;
  const double length = SimulationAccess::impl(sim).equations->length_scale();
  for (const ConstraintEntry& entry : sim.model().constraints()) {
    const std::vector<Marker> at = markers_of(sim.model(), sim.state(), entry.constraint->attachments());
    look_at(entry, {at, sim.time(), entry.planar, sim.memory(entry.id)}, length, open);
  }
  return open;
}

/// Whether the methods promise that rows are closed at the end of a step, and that their rates are.
bool closes_rows(const Options& options, Integrator integrator) {
  const IntegratorTraits& t = traits(integrator);
  return t.has_inertia && !t.is_linearised && (!t.uses_drift || options.drift == Drift::projection);
}

void expect_closed(const Simulation& sim) {
  if (!closes_rows(sim.options(), sim.choice().integrator)) return;
  const Openness open = openness(sim);
  if (!(open.error <= kClosed))
    fail(fmt::format("constraint '{}' is open by {:.3g} of the model's length", open.error_of, open.error));
  if (!(open.rate <= kClosedRate))
    fail(
        fmt::format("constraint '{}' opens at {:.3g} of the velocities in its row", open.rate_of, open.rate));
}

// ------------------------------------------------------------------------------------------------ energy
Energy energy_from_bodies(const Simulation& sim) {
  const Model& model = sim.model();
  const State& state = sim.state();
  Energy energy;
  Eigen::Index q = 0, v = 0;
  for (const BodyEntry& entry : model.bodies()) {
    const Body& body = *entry.body;
    const auto velocity = state.v.segment(v, body.num_v());
    MatX M = MatX::Zero(body.num_v(), body.num_v());
    body.mass_block(state.q.data() + q, M.data());
    energy.kinetic += 0.5 * velocity.dot(M * velocity);
    energy.gravity += body.gravity_potential(state.q.data() + q, model.gravity);
    energy.springs += body.shape_potential(state.q.data() + q);
    q += body.num_q(), v += body.num_v();
  }
  for (const ForceEntry& entry : model.forces()) {
    const std::vector<Marker> at = markers_of(model, state, entry.force->attachments());
    energy.springs += entry.force->potential({at, sim.time(), entry.planar, sim.memory(entry.id)});
  }
  return energy;
}

/// Energy and ledger when the first step begins.
struct Books {
  Energy energy;
  Accounts booked;
};

double size(const Energy& energy) {
  return std::abs(energy.kinetic) + std::abs(energy.gravity) + std::abs(energy.springs);
}

void expect_energy_adds_up(const Simulation& sim, const Books& start) {
  const Energy mine = energy_from_bodies(sim), told = sim.energy();
  const double scale = size(mine) + size(start.energy) + 1e-12;
  const auto compare = [&](double a, double b, const char* what) {
    if (!(std::abs(a - b) <= kEnergyRounding * scale))
      fail(fmt::format("{}: {:.10g} J told, {:.10g} J from the bodies", what, b, a));
  };
  compare(mine.kinetic, told.kinetic, "kinetic energy");
  compare(mine.gravity, told.gravity, "energy of gravity");
  compare(mine.springs, told.springs, "energy of springs");
  const Accounts& booked = sim.ledger();
  double work = 0.0, terms = 0.0;
  for (const AccountTraits& account : kAccounts) {
    const double since = booked[account.account] - start.booked[account.account];
    terms += std::abs(since);
    if (account.potential == nullptr)
      work += since;
    else
      compare(start.energy.*account.potential - mine.*account.potential, since, "work of a potential");
  }
  const double left = mine.total() - start.energy.total() - work, numerical = sim.numerical_energy();
  if (!(std::abs(left - numerical) <= kEnergyRounding * (scale + terms)))
    fail(fmt::format("numerical energy: {:.10g} J told, {:.10g} J left by the ledger", numerical, left));
}

// ------------------------------------------------------------------------------------------------ momentum
/// Whether nothing outside reaches the bodies but gravity.
bool is_isolated(const Model& model) {
  for (const BodyEntry& entry : model.bodies())
    if (entry.body->is_planar() || entry.body->kind() == "rotor" ||
        dynamic_cast<const Lagrangian*>(entry.body.get()) != nullptr)
      return false;
  const auto touches_world = [](std::span<const Attachment> at) {
    return at.size() < 2 ||
           std::any_of(at.begin(), at.end(), [](const Attachment& a) { return a.body == world; });
  };
  for (const ConstraintEntry& entry : model.constraints())
    if (touches_world(entry.constraint->attachments()) || entry.constraint->kind() == "centre_of_mass")
      return false;
  for (const ForceEntry& entry : model.forces())
    if (touches_world(entry.force->attachments())) return false;
  return true;
}

struct Momentum {
  Vec3 linear, angular;
};

void expect_momentum(const Simulation& sim, const Momentum& start, double scale) {
  double mass = 0.0;
  for (const BodyEntry& entry : sim.model().bodies()) mass += entry.body->mass();
  const Vec3 given = mass * sim.time() * sim.model().gravity;
  const Vec3 lost = sim.linear_momentum() - start.linear - given;
  if (!(lost.norm() <= 1e-7 * (scale + given.norm())))
    fail(fmt::format("linear momentum changed by {:.3g} of {:.3g} without a force", lost.norm(), scale));
  if (sim.choice().integrator != Integrator::rattle || sim.model().gravity != Vec3::Zero()) return;
  const Vec3 turned = sim.angular_momentum() - start.angular;
  if (!(turned.norm() <= 1e-7 * scale))
    fail(fmt::format("angular momentum changed by {:.3g} of {:.3g} without a torque", turned.norm(), scale));
}

double momentum_scale(const Simulation& sim) {
  double scale = 1e-12;
  for (const BodyEntry& entry : sim.model().bodies()) {
    const Placement at = sim.placement(entry.id);
    scale +=
        entry.body->mass() * (at.velocity.norm() * (1.0 + at.position.norm()) + at.angular_velocity.norm());
  }
  return scale;
}

// ------------------------------------------------------------------------------------------------ the judge
class Judge {
 public:
  Judge(const Mechanism& mechanism, const JudgeOptions& options) : mechanism_(mechanism), options_(options) {}

  Verdict run() {
    std::optional<Simulation> sim;
    try {
      sim.emplace(mechanism_.model, mechanism_.options);
    } catch (const InvalidInput& problem) {
      expect_names(problem.what());
      return {Outcome::refused, problem.what()};
    }
    if (const Verdict start = begin(*sim); start.outcome != Outcome::ok) return start;
    const Books books{energy_from_bodies(*sim), sim->ledger()};
    const Momentum momentum{sim->linear_momentum(), sim->angular_momentum()};
    const double scale = momentum_scale(*sim);
    if (std::string refusal = take_steps(*sim); !refusal.empty())
      return {Outcome::refused, std::move(refusal)};
    if (!traits(sim->choice().integrator).has_inertia) return {Outcome::unjudged, "no inertia"};
    expect_energy_adds_up(*sim, books);
    if (is_isolated(sim->model())) expect_momentum(*sim, momentum, std::max(scale, momentum_scale(*sim)));
    return compare_solvers(*sim);
  }

 private:
  static void expect_names(const std::string& message) {
    if (message.find('\'') == std::string::npos) fail("a refusal that names nothing: " + message);
  }

  Verdict begin(Simulation& sim) {
    const std::uint64_t before = sim.hash();
    const StepReport report = sim.project();
    if (report.ok()) return compare_solvers(sim, /*needed=*/false);
    if (sim.hash() != before) fail("a refused projection changed the state: " + report.message);
    expect_names(report.message);
    return {Outcome::refused, "start: " + report.message};
  }

  /// Empty, or why a step was refused.
  std::string take_steps(Simulation& sim) {
    const int middle = options_.steps / 2;
    std::optional<Simulation> twin;
    for (int k = 0; k < options_.steps; ++k) {
      if (k == middle) twin.emplace(another(sim));
      if (std::string refusal = take_step(sim); !refusal.empty()) return refusal;
      if (!twin) continue;
      if (!twin->step(mechanism_.dt).ok() || twin->hash() != sim.hash())
        fail(fmt::format("step {}: a {} simulation goes on differently", k + 1,
                         options_.checkpoint.empty() ? "cloned" : "restored"));
    }
    return {};
  }

  Simulation another(const Simulation& sim) const {
    if (options_.checkpoint.empty()) return sim.clone();
    sim.save(options_.checkpoint);
    Simulation restored(mechanism_.model, mechanism_.options);
    restored.load(options_.checkpoint);
    return restored;
  }

  std::string take_step(Simulation& sim) {
    const std::uint64_t before = sim.hash();
    const std::clock_t began = std::clock();
    const StepReport report = sim.step(mechanism_.dt);
    const double seconds = double(std::clock() - began) / CLOCKS_PER_SEC;
    if (seconds > kSlowness * options_.seconds_per_step)
      throw Failed{Outcome::hung, fmt::format("a step took {:.1f} s of processor time", seconds)};
    if (!report.ok()) {
      if (sim.hash() != before) fail("a refused step changed the state: " + report.message);
      expect_names(report.message);
      return report.message;
    }
    const State& state = sim.state();
    if (!state.q.allFinite() || !state.v.allFinite() || !std::isfinite(sim.energy().total()))
      fail("an accepted step left numbers that are not finite");
    expect_closed(sim);
    return {};
  }

  Verdict compare_solvers(const Simulation& sim, bool needed = true) {
    const DenseReference reference = dense_reference(sim);
    if (!needed) redundant_when_closed_ = reference.redundant_rows;
    if (!reference.not_judged.empty())
      return needed ? Verdict{Outcome::unjudged, reference.not_judged} : Verdict{};
    // the reference takes rows as they are, and opening adds to their rank what the mechanism does not have
    if (reference.redundant_rows < redundant_when_closed_)
      return {Outcome::unjudged, "joints are open: rows that imply each other look independent"};
    for (int s = int(Solver::tree); s <= int(Solver::cg); ++s) compare_solver(sim, Solver(s), reference);
    if (reference.condition > kWellPosed && needed) return {Outcome::unjudged, "ill-conditioned"};
    return {};
  }

  static void compare_solver(const Simulation& sim, Solver solver, const DenseReference& reference) {
    const SolverRun run = run_solver(sim, solver);
    if (!run.applies && run.why_not.empty()) fail(fmt::format("{} refuses without a reason", name(solver)));
    if (!run.applies || reference.condition > kWellPosed) return;
    const auto expect = [&](const Simulation& at, const SolverRun& one, double most, const char* how) {
      if (acceleration_difference(sim, reference, one.accelerations) <= most) return;
      const VecX taken = accelerations_taken(at, solver);
      const double difference = taken.size() > 0 ? acceleration_difference(sim, reference, taken) : 0.0;
      if (!(difference <= most))
        fail(fmt::format(
            "{}{}: accelerations are off by {:.3g} (condition {:.2g}, residual {:.2g}, {} redundant rows)",
            name(solver), how, difference, reference.condition, one.residual, reference.redundant_rows));
    };
    const double agreement = kAgreement + error_of_choice(reference);
    if (solver != Solver::cg) return expect(sim, run, agreement, "");
    expect(sim, run, agreement + error_of_cg(sim, reference), "");
    Simulation tight = sim.clone();
    SimulationAccess::impl(tight).options.cg_tolerance = kTightTolerance;
    expect(tight, run_solver(tight, solver), agreement + error_of_cg(tight, reference),
           " with a tight tolerance");
  }

  /// What a step would begin with, by a simulation with this solver that comes from the start of the model, where joints are closed; nothing
  /// where it says that its residual is too large.
  static VecX accelerations_taken(const Simulation& sim, Solver solver) {
    Options options = sim.options();
    options.solver = solver;
    options.integrator = Integrator::rk4;
    options.formulation = Formulation::maximal;  // whose solvers they are
    try {
      Simulation other(sim.model(), options);
      if (!other.project().ok()) return {};
      other.set_state(sim.state());
      const auto& solution = SimulationAccess::impl(other).solved();
      return solution.result.ok() ? solution.acceleration : VecX();
    } catch (const InvalidInput&) {  // in words
      return {};
    }
  }

  /// What cg may be off by. Its residual is its tolerance times the right-hand side of all rows, |A y - b| ≤ τ|b| ≤ τ|A||y|, so that
  /// |δy| ≤ τ κ |y|; or it ends where the gradient is rounding, |Aᵀr| ≤ c ε |A||b| with c = 32 where rows may be dependent (solve/cgls.cpp), so
  /// that |δy| ≤ c ε κ²|y|. All of it may be at the body that moves least.
  static double error_of_cg(const Simulation& sim, const DenseReference& reference) {
    const double kappa = reference.condition;
    const double rounding =
        (reference.redundant_rows > 0 ? 32.0 : 1.0) * std::numeric_limits<double>::epsilon();
    return (sim.options().cg_tolerance * kappa + rounding * kappa * kappa) * reference.scale.norm() /
           reference.scale.minCoeff();
  }

  /// Rows that imply each other contradict each other by r where joints are open. Which of them are kept is up to the solver: two choices
  /// differ by what the rows have left, |A (y - y')| ≤ 2 r, so that |δy| ≤ 2 κ r for rows of length 1, where |A| ≥ 1.
  static double error_of_choice(const DenseReference& reference) {
    if (reference.redundant_rows == 0) return 0.0;
    return 2.0 * reference.condition * reference.contradiction / reference.scale.minCoeff();
  }

  const Mechanism& mechanism_;
  JudgeOptions options_;
  int redundant_when_closed_ = 0;  // rows, at the start
};

}  // namespace

namespace {

std::string methods(const Mechanism& mechanism) {
  const Options& o = mechanism.options;
  return fmt::format(" [{}, {}, {}, dt {:.3g}]", name(o.integrator), name(o.solver), name(o.drift),
                     mechanism.dt);
}

}  // namespace

Verdict judge(const Mechanism& mechanism, const JudgeOptions& options) {
  try {
    return Judge(mechanism, options).run();
  } catch (const Failed& failed) {
    return {failed.outcome, failed.what + methods(mechanism)};
  } catch (const std::exception& problem) {
    return {Outcome::silent,
            fmt::format("an exception nobody promised: {}", problem.what()) + methods(mechanism)};
  }
}

}  // namespace catena::test
