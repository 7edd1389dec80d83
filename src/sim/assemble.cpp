// Damped least squares for positions:  (J M⁻¹ Jᵀ + μ G) λ = -C,  x = M⁻¹ Jᵀ λ,  q ← q ⊕ x,  G = diag(J M⁻¹ Jᵀ)         (1)
// μ falls while the error falls and rises when it does not; at μ → 0 it is Newton's method with the least movement.
#include "catena/analysis.h"
#include "catena/interrupt.h"
#include "sim/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kFirstDamping = 1e-3, kLeastDamping = 1e-14, kMostDamping = 1e6;
constexpr double kLargestTurn = 0.5;  // of one iteration, rad

/// A system and equations of their own, so that an attempt that fails leaves no trace.
struct Workshop {
  State state;
  System system;
  std::unique_ptr<BodyEquations> owned;
  BodyEquations& equations;

  explicit Workshop(const Simulation::Impl& sim) : Workshop(sim, sim.in_body_coordinates(sim.state)) {}
  Workshop(const Simulation::Impl& sim, State from)
      : state(std::move(from)),
        system(sim.model),
        owned(make_body_equations(system, {state.q, state.v, state.time, state.memory})),
        equations(*owned) {
    (void)equations.use_solver(make_solver(Solver::sparse, sim.options), sim.options.residual_tolerance);
  }
};

// The factor by which a movement has to be shortened so that no body turns too far at once.
double shorten(const Layout& layout, const VecX& x) {
  double turn = 0.0;
  for (const BodySlot& slot : layout.bodies) {
    if (slot.type == BodyType::rigid) turn = std::max(turn, x.segment<3>(slot.v + 3).norm());
    if (slot.type == BodyType::planar) turn = std::max(turn, std::abs(x[slot.v + 2]));
  }
  return turn > kLargestTurn ? kLargestTurn / turn : 1.0;
}

// (1) until closed; returns the number of iterations, or -1 when it got stuck.
int close_positions(Workshop& w, const AssemblyOptions& options, double tolerance) {
  BodyEquations& equations = w.equations;
  const VecX zero = VecX::Zero(equations.num_v());
  VecX x, lambda, q, C(equations.num_rows());
  double damping = kFirstDamping;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    equations.set_damping(0.0);
    equations.evaluate({w.state.q, w.state.v, w.state.time, w.state.memory});
    const VecX error = equations.C();
    if (error.size() == 0 || error.lpNorm<Eigen::Infinity>() <= tolerance) return iteration;
    while (true) {
      equations.set_damping(damping);
      const VecX d = -error;
      if (equations.factor().ok() && equations.solve(zero, d, x, lambda).ok() && x.allFinite()) {
        q = w.state.q;
        x *= shorten(w.system.layout, x);
        equations.retract(x, q);
        equations.evaluate_errors(q, w.state.time, w.state.memory, C);
        if (C.norm() < error.norm() * (1.0 - 1e-6)) break;
      }
      // at the level of rounding no step makes it better any more
      if (error.lpNorm<Eigen::Infinity>() < 100.0 * tolerance) return iteration;
      damping = std::max(damping, kLeastDamping * 1e3) * 10.0;
      if (damping > kMostDamping) return -1;
      equations.set_damping(0.0);
      equations.evaluate({w.state.q, w.state.v, w.state.time, w.state.memory});
    }
    w.state.q = q;
    damping = std::max(kLeastDamping, damping * 0.1);
  }
  return -1;
}

Eigen::Index largest_entry(const VecX& v) {
  Eigen::Index at = 0;
  v.cwiseAbs().maxCoeff(&at);
  return at;
}

std::string describe(const Simulation::Impl& sim, const VecX& v, int leader) {
  const auto& bodies = sim.system->layout.bodies;
  const auto motion = [&](const BodySlot& slot) {
    const auto axis = [](const Vec3& u) {
      for (int i = 0; i < 3; ++i)
        if (std::abs(u[i]) > 0.999 * u.norm()) return std::string(1, "xyz"[i]);
      const Vec3 unit = (1000.0 * u.normalized()).array().round() / 1000.0 + 0.0;  // no -0, no 1e-17
      return fmt::format("({:g}, {:g}, {:g})", unit.x(), unit.y(), unit.z());
    };
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    if (slot.type == BodyType::rigid) {
      linear = v.segment<3>(slot.v);
      angular = v.segment<3>(slot.v + 3);
    } else if (slot.type == BodyType::planar) {
      linear.head<2>() = v.segment<2>(slot.v);
      angular.z() = v[slot.v + 2];
    } else {
      linear.head(std::min(slot.num_v, 3)) = v.segment(slot.v, std::min(slot.num_v, 3));
    }
    if (angular.norm() > 1e-9 * (1.0 + linear.norm())) return "turns about " + axis(angular);
    return linear.norm() > 1e-9 ? "moves along " + axis(linear) : std::string("rests");
  };
  std::string out =
      fmt::format("{} {}", sim.model.bodies()[std::size_t(leader)].name, motion(bodies[std::size_t(leader)]));
  int others = 0;
  std::string names;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (int(b) == leader || v.segment(bodies[b].v, bodies[b].num_v).norm() < 1e-9 * v.norm()) continue;
    if (++others <= 4) names += fmt::format("{}{}", others == 1 ? "" : ", ", sim.model.bodies()[b].name);
  }
  if (others > 4) names += fmt::format(" and {} more", others - 4);
  if (others > 0) out += fmt::format("; {} go{} with it", names, others == 1 ? "es" : "");
  return out;
}

int body_of_velocity(const Layout& layout, Eigen::Index at) {
  int body = 0;
  for (std::size_t b = 0; b < layout.bodies.size(); ++b)
    if (layout.bodies[b].v <= at) body = int(b);
  return body;
}

/// Columns that span all of them, by Gram and Schmidt: the longest, then what is longest apart from those before.
/// They come from unit velocities: what is left of them is a number, not a ratio.
MatX independent_columns(const MatX& columns) {
  constexpr double kNothingLeft = 1e-9;
  MatX left = columns, basis(columns.rows(), columns.cols());
  Eigen::Index count = 0;
  while (count < columns.cols()) {
    Eigen::Index longest = 0;
    const double length = left.colwise().norm().maxCoeff(&longest);
    if (!(length > kNothingLeft)) break;
    basis.col(count++) = columns.col(longest);
    allow_interruption();
    const VecX direction = left.col(longest) / length;
    for (int pass = 0; pass < 2; ++pass)  // twice: once leaves rounding of the size of what was taken away
      for (Eigen::Index j = 0; j < left.cols(); ++j) left.col(j) -= direction.dot(left.col(j)) * direction;
    left.col(longest).setZero();
  }
  return basis.leftCols(count);
}

}  // namespace

AssemblyReport assemble(Simulation& sim, const AssemblyOptions& options) {
  return assemble(sim, sim.state_in(Coordinates::bodies), options);
}

AssemblyReport assemble(Simulation& sim, const State& from, const AssemblyOptions& options) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const Layout& layout = s.system->layout;
  if (from.coordinates != Coordinates::bodies || from.q.size() != layout.num_q ||
      from.v.size() != layout.num_v || from.memory.size() != layout.num_memory)
    throw InvalidInput({{"assemble", "needs a state of this model in body coordinates",
                         "take one from Simulation::state_in(Coordinates::bodies)"}});
  AssemblyReport report;
  Workshop w(s, from);
  int row = -1;
  report.start_error = largest_error(w.equations.C(), row);
  const double tolerance = options.tolerance * s.equations->length_scale() +
                           4.0 * std::numeric_limits<double>::epsilon() * w.state.q.lpNorm<Eigen::Infinity>();
  report.iterations = close_positions(w, options, tolerance);
  w.equations.set_damping(0.0);
  w.equations.evaluate({w.state.q, w.state.v, w.state.time, w.state.memory});
  report.error = largest_error(w.equations.C(), row);
  if (report.iterations < 0) {
    report.iterations = options.max_iterations;
    report.message = fmt::format(
        "the constraints cannot all be met from here; at the best place found they are off: {}. Start nearer "
        "to where they hold, or "
        "remove one of them",
        worst_constraints(s, w.equations.C()));
    return report;
  }
  report.message = explain_bad_closure(s, w.state);
  if (!report.message.empty()) return report;
  if (!w.equations.factor().ok()) {
    report.message = "the closed mechanism has no factorisation; check masses and inertias";
    return report;
  }
  VecX momentum(w.equations.num_v()), v, mu;
  w.equations.apply_mass(w.state.v, momentum);
  const VecX d = -w.equations.C_t();
  const SolveResult result = w.equations.solve_checked(momentum, d, v, mu);
  if (!result.ok()) {
    report.message = "no velocities agree with all constraints: " + explain(s, result);
    return report;
  }
  report.velocity_change = v.size() > 0 ? (v - w.state.v).lpNorm<Eigen::Infinity>() : 0.0;
  w.state.v = v;
  w.state.multipliers.resize(0);
  w.system.start_memory({w.state.q, w.state.v, w.state.time, w.state.memory}, w.state.memory);
  const bool at_start = s.state.steps == 0;
  sim.set_state(w.state);
  if (at_start) s.start_energy = s.balance().energy.total();
  report.is_closed = true;
  return report;
}

std::vector<DofDirection> dof_directions(const Simulation& sim, int largest) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const int n = s.system->layout.num_v;
  if (n > largest)
    throw InvalidInput(
        {{"dof_directions", fmt::format("the model has {} velocities, more than {}", n, largest),
          "look at a smaller model"}});
  Workshop w(s);
  w.equations.evaluate({w.state.q, w.state.v, w.state.time, w.state.memory});
  if (!w.equations.factor().ok()) return {};
  // columns: every coordinate's unit velocity, brought onto J v = 0
  MatX allowed(n, n);
  VecX f(n), x, lambda;
  const VecX zero = VecX::Zero(w.equations.num_rows());
  for (int i = 0; i < n; ++i) {
    w.equations.apply_mass(VecX::Unit(n, i), f);
    (void)w.equations.solve(f, zero, x, lambda);
    allowed.col(i) = x;
  }
  MatX basis = independent_columns(allowed);
  const Eigen::Index dof = basis.cols();
  // each direction led by the coordinate that moves most in it, the others freed of it
  std::vector<Eigen::Index> leaders;
  for (Eigen::Index k = 0; k < dof; ++k) {
    Eigen::Index row = 0, column = 0;
    basis.rightCols(dof - k).cwiseAbs().maxCoeff(&row, &column);
    basis.col(k).swap(basis.col(k + column));
    basis.col(k) /= basis(row, k);
    for (Eigen::Index j = 0; j < dof; ++j)
      if (j != k) basis.col(j) -= basis(row, j) * basis.col(k);
    leaders.push_back(row);
  }
  std::vector<DofDirection> out;
  for (Eigen::Index k = 0; k < dof; ++k) {
    DofDirection direction;
    direction.velocity = basis.col(k);
    const int body = body_of_velocity(w.system.layout, leaders[std::size_t(k)]);
    direction.leader = s.model.bodies()[std::size_t(body)].id;
    direction.summary = describe(s, direction.velocity, body);
    out.push_back(std::move(direction));
  }
  return out;
}

std::optional<State> move_along(const Simulation& sim, const DofDirection& direction, double amount) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  Workshop w(s);
  const int steps = std::max(1, int(std::ceil(std::abs(amount) / 0.02)));
  const double tolerance = 1e-10 * s.equations->length_scale();
  VecX along = direction.velocity, f(w.equations.num_v()), x, lambda;
  const VecX zero = VecX::Zero(w.equations.num_rows());
  const Eigen::Index leader = largest_entry(along);
  const double sign = amount < 0.0 ? -1.0 : 1.0;
  for (int k = 0; k < steps; ++k) {
    VecX step = along * (sign * std::abs(amount) / steps);
    w.equations.retract(step, w.state.q);
    if (close_positions(w, {.max_iterations = 50}, tolerance) < 0) return std::nullopt;
    // the direction here: the old one brought onto the constraints
    w.equations.set_damping(0.0);
    w.equations.evaluate({w.state.q, w.state.v, w.state.time, w.state.memory});
    if (!w.equations.factor().ok()) return std::nullopt;
    w.equations.apply_mass(along, f);
    if (!w.equations.solve(f, zero, x, lambda).ok() || !(std::abs(x[leader]) > 1e-9 * x.norm()))
      return std::nullopt;
    along = x / x[leader];
  }
  w.state.v.setZero();
  w.state.multipliers.resize(0);
  return s.in_own_coordinates(w.state);
}

}  // namespace catena
