// The automatic choice of the integrator: does the step resolve the fastest oscillations?
//
// Rattle keeps energy far better than a damped scheme, but keeps the direction of constraint forces from the start of a step and takes
// springs explicitly: it needs ω·dt < 2 for all of them, and is used below 1. What counts:
//   links under tension       ω² = Σ T·lever/I (MaximalEquations::tension_frequency), with the multipliers of now, and with those
//                             that the weight of everything behind a joint would cause hanging still: a chain that falls has no
//                             tension yet
//   springs and dampers       √(k J M⁻¹Jᵀ), b J M⁻¹Jᵀ; stops too, although they do not act yet
//   friction, drag, others    √(k/m) with the lighter of both bodies; damping by differences
#include "sim/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace catena {
namespace {

constexpr double kResolved = 1.0;  // ω·dt up to which rattle is taken

struct Fastest {
  double omega = 0.0;  // rad/s
  std::string what;
};

/// Multipliers as they would be if every joint carried the weight of what hangs behind it, seen from the world.
VecX hanging_multipliers(const Simulation::Impl& sim) {
  const Layout& layout = sim.system->layout;
  const std::size_t n = layout.bodies.size();
  std::vector<std::vector<int>> constraints_of(n);
  std::vector<int> parent(n, -2), through(n, -1), order;  // parent -2: not reached
  std::queue<int> queue;
  const auto bodies_of = [&](int c) {
    std::vector<int> bodies;
    for (int m = layout.constraints[std::size_t(c)].marker_begin;
         m < layout.constraints[std::size_t(c)].marker_end; ++m)
      bodies.push_back(layout.constraint_markers[std::size_t(m)].body);
    return bodies;
  };
  for (int c = 0; c < int(layout.constraints.size()); ++c) {
    const std::vector<int> bodies = bodies_of(c);
    const bool grounded = bodies.size() < 2 || std::find(bodies.begin(), bodies.end(), -1) != bodies.end();
    for (const int b : bodies) {
      if (b < 0) continue;
      constraints_of[std::size_t(b)].push_back(c);
      if (!grounded || parent[std::size_t(b)] != -2) continue;
      parent[std::size_t(b)] = -1;
      through[std::size_t(b)] = c;
      queue.push(b);
    }
  }
  while (!queue.empty()) {
    const int body = queue.front();
    queue.pop();
    order.push_back(body);
    for (const int c : constraints_of[std::size_t(body)])
      for (const int b : bodies_of(c)) {
        if (b < 0 || parent[std::size_t(b)] != -2) continue;
        parent[std::size_t(b)] = body;
        through[std::size_t(b)] = c;
        queue.push(b);
      }
  }
  std::vector<double> hanging(n);
  for (std::size_t i = 0; i < n; ++i) hanging[i] = layout.bodies[i].mass;
  VecX lambda = VecX::Zero(sim.equations->num_rows());
  const double g = layout.gravity.norm();
  for (std::size_t k = order.size(); k-- > 0;) {
    const auto body = std::size_t(order[k]);
    if (parent[body] >= 0) hanging[std::size_t(parent[body])] += hanging[body];
    // the first row of every joint is a force, that of a rope or a rod too
    lambda[layout.constraints[std::size_t(through[body])].row] += g * hanging[body];
  }
  return lambda;
}

/// How fast a force that depends on velocity, other than by a law, slows the bodies it acts on: differences of its wrenches, over inertia.
double damping_rate(const Simulation::Impl& sim, const Force& force) {
  if (!force.depends_on_velocity()) return 0.0;
  const Layout& layout = sim.system->layout;
  const auto at = std::find_if(layout.forces.begin(), layout.forces.end(),
                               [&](const ForceSlot& slot) { return slot.force == &force; });
  if (at == layout.forces.end()) return 0.0;
  Motion motion = motion_of(*at, sim.system->kinematics.forces,
                            {sim.state.q, sim.state.v, sim.state.time, sim.state.memory});
  std::vector<Marker> moved(motion.at.begin(), motion.at.end());
  std::vector<Eigen::Matrix<double, 6, 1>> plus(moved.size()), minus(moved.size());
  motion.at = moved;
  double fastest = 0.0;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const MarkerSlot& marker = layout.force_markers[std::size_t(at->marker_begin) + k];
    if (marker.body < 0) continue;
    const BodySlot& body = layout.bodies[std::size_t(marker.body)];
    const Mat3& R = sim.system->kinematics.bodies[std::size_t(marker.motion)].R;
    const Mat3 inverse = body.type == BodyType::rigid ? Mat3((R * body.inertia * R.transpose()).inverse())
                         : body.type == BodyType::planar
                             ? Mat3(Vec3(0.0, 0.0, 1.0 / body.planar_inertia).asDiagonal())
                             : Mat3(Mat3::Zero());
    for (int i = 0; i < 6; ++i) {
      double& velocity = i < 3 ? moved[k].v[i] : moved[k].w[i - 3];
      const double original = velocity, step = 1e-6 * (1.0 + std::abs(original));
      for (auto* wrenches : {&plus, &minus}) {
        velocity = original + (wrenches == &plus ? step : -step);
        for (auto& wrench : *wrenches) wrench.setZero();
        Wrenches out(*wrenches);
        force.apply(motion, out);
        velocity = original;
      }
      const Eigen::Matrix<double, 6, 1> change = (minus[k] - plus[k]) / (2.0 * step);
      fastest = std::max(fastest, i < 3 ? change[i] / body.mass : inverse.row(i - 3).dot(change.tail<3>()));
    }
  }
  return fastest;
}

Fastest find_fastest(Simulation::Impl& sim) {
  Formulation& equations = sim.evaluated();
  Fastest out;
  const auto consider = [&](double omega, const std::string& what) {
    if (omega > out.omega) out = {omega, what};
  };
  const auto body_name = [&](int i) {
    return i >= 0 ? sim.model.bodies()[std::size_t(i)].name : std::string("none");
  };
  int body = -1;
  double omega = equations.tension_frequency(sim.solved().lambda, &body);
  consider(omega, "link '" + body_name(body) + "' under tension");
  omega = equations.tension_frequency(hanging_multipliers(sim), &body);
  consider(omega, "link '" + body_name(body) + "' under the weight it may carry");

  int which = -1;
  const State& now = sim.state;
  omega = fastest_coordinate(*sim.system, {now.q, now.v, now.time, now.memory}, &which);
  if (which >= 0) consider(omega, "force '" + sim.model.forces()[std::size_t(which)].name + "'");
  for (const ForceEntry& entry : sim.model.forces()) {
    if (dynamic_cast<const CoordinateForce*>(entry.force.get()) != nullptr) continue;
    consider(damping_rate(sim, *entry.force), "force '" + entry.name + "'");
    for (const Attachment& at : entry.force->attachments()) {
      const int i = sim.model.index_of(at.body);
      if (i < 0) continue;
      const BodySlot& slot = sim.system->layout.bodies[std::size_t(i)];
      const double inertia = !entry.force->needs_orientation() ? slot.mass
                             : slot.type == BodyType::planar   ? slot.planar_inertia
                                                               : slot.inertia.trace() / 3.0;
      if (inertia > 0.0)
        consider(std::sqrt(entry.force->stiffness() / inertia), "force '" + entry.name + "'");
    }
  }
  return out;
}

}  // namespace

void settle_integrator(Simulation::Impl& sim, double dt) {
  if (!std::exchange(sim.choice.integrator_is_provisional, false)) return;
  const Fastest fastest = find_fastest(sim);
  if (fastest.omega * dt <= kResolved) {
    sim.choice.integrator_reason += fastest.omega > 0.0
                                        ? fmt::format("; {} may swing at {:.3g} rad/s, ω·dt = {:.2g}",
                                                      fastest.what, fastest.omega, fastest.omega * dt)
                                        : std::string("; nothing is tied or sprung, ω·dt = 0");
    return;
  }
  sim.choice.integrator = Integrator::bdf2;
  sim.choice.integrator_reason = fmt::format("{} may swing at {:.3g} rad/s, ω·dt = {:.2g}: implicit, damped",
                                             fastest.what, fastest.omega, fastest.omega * dt);
  sim.make_chosen_scheme();
  sim.forget_known();
}

}  // namespace catena
