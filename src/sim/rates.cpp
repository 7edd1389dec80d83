#include "sim/rates.h"

#include "math/small_eigen.h"
#include "math/small_matrix_kernel.h"
#include "sim/impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

namespace catena {
namespace {

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
  VecX lambda = VecX::Zero(layout.num_rows);
  const double g = layout.gravity.norm();
  for (std::size_t k = order.size(); k-- > 0;) {
    const auto body = std::size_t(order[k]);
    if (parent[body] >= 0) hanging[std::size_t(parent[body])] += hanging[body];
    // the first row of every joint is a force, that of a rope or a rod too
    lambda[layout.constraints[std::size_t(through[body])].row] += g * hanging[body];
  }
  return lambda;
}

// Inverse inertia of a body about the axes of the world.
Mat3 inverse_inertia(const Simulation::Impl& sim, const MarkerSlot& marker) {
  const BodySlot& body = sim.system->layout.bodies[std::size_t(marker.body)];
  const Mat3& R = sim.system->kinematics.bodies[std::size_t(marker.motion)].R;
  if (body.type == BodyType::rigid) return (R * body.inertia * R.transpose()).inverse();
  if (body.type == BodyType::planar) return Vec3(0.0, 0.0, 1.0 / body.planar_inertia).asDiagonal();
  return Mat3::Zero();
}

/// How fast a force that depends on velocity, other than by a law, slows the bodies it acts on: differences of its wrenches, over inertia.
double damping_rate(Simulation::Impl& sim, const ForceSlot& slot) {
  if (!slot.force->depends_on_velocity()) return 0.0;
  const Layout& layout = sim.system->layout;
  RateScratch& scratch = sim.rate_scratch;
  Motion motion = motion_of(slot, sim.system->kinematics.forces, sim.body_instant());
  scratch.moved.assign(motion.at.begin(), motion.at.end());
  scratch.plus.resize(scratch.moved.size());
  scratch.minus.resize(scratch.moved.size());
  motion.at = scratch.moved;
  double fastest = 0.0;
  for (std::size_t k = 0; k < scratch.moved.size(); ++k) {
    const MarkerSlot& marker = layout.force_markers[std::size_t(slot.marker_begin) + k];
    if (marker.body < 0) continue;
    const Mat3 inverse = inverse_inertia(sim, marker);
    for (int i = 0; i < 6; ++i) {
      double& velocity = i < 3 ? scratch.moved[k].v[i] : scratch.moved[k].w[i - 3];
      const double original = velocity, step = 1e-6 * (1.0 + std::abs(original));
      velocity = original + step;
      apply_force(*slot.force, motion, scratch.plus);
      velocity = original - step;
      apply_force(*slot.force, motion, scratch.minus);
      velocity = original;
      const Eigen::Matrix<double, 6, 1> change = (scratch.minus[k] - scratch.plus[k]) / (2.0 * step);
      const double mass = layout.bodies[std::size_t(marker.body)].mass;
      fastest = std::max(fastest, i < 3 ? change[i] / mass : inverse.row(i - 3).dot(change.tail<3>()));
    }
  }
  return fastest;
}

// √(k/m) of a force that only says how stiff it can be.
double stiffness_rate(const Simulation::Impl& sim, const ForceSlot& slot) {
  const double stiffness = slot.force->stiffness();
  double fastest = 0.0;
  for (int m = slot.marker_begin; stiffness > 0.0 && m < slot.marker_end; ++m) {
    const int b = sim.system->layout.force_markers[std::size_t(m)].body;
    if (b < 0) continue;
    const BodySlot& body = sim.system->layout.bodies[std::size_t(b)];
    const double inertia = !slot.force->needs_orientation() ? body.mass
                           : body.type == BodyType::planar  ? body.planar_inertia
                                                            : body.inertia.trace() / 3.0;
    if (inertia > 0.0) fastest = std::max(fastest, std::sqrt(stiffness / inertia));
  }
  return fastest;
}

/// The largest eigenvalue of M⁻¹A: that of W (A + Aᵀ)/2 Wᵀ with W M Wᵀ = 1. 0 where all are negative or M is not positive definite.
double largest_eigenvalue(const MatX& A, MatX M) {
  const int n = int(M.rows());
  if (!A.allFinite() || math::factor_ldlt(n, M.data(), 1e-14) >= 0) return 0.0;
  MatX W = MatX::Identity(n, n);  // becomes Λ^(-1/2) L⁻¹ of M = L Λ Lᵀ
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) W.row(i) -= M(i, k) * W.row(k);
  W.array().colwise() *= M.diagonal().array().sqrt();
  const MatX WA = W.lazyProduct(0.5 * (A + A.transpose()));
  MatX whitened = WA.lazyProduct(W.transpose());
  math::find_eigenvectors(n, whitened.data(), W.data());
  return std::max(0.0, whitened.diagonal().maxCoeff());
}

/// Of one body with a shape: the largest √ of an eigenvalue of M⁻¹K, or eigenvalue of M⁻¹B.
double shape_rate(const BodySlot& slot, const double* q, double length_scale) {
  const int n = slot.num_v;
  MatX M(n, n), K(n, n), B(n, n);
  slot.body->mass_block(q, M.data());
  VecX moved(slot.body->num_q()), v = VecX::Zero(n), d = VecX::Zero(n), plus(n), minus(n);
  const double step = 1e-6 * std::max(length_scale, 1e-9);
  const auto shape_force = [&](double by, int k, bool is_position, VecX& out) {
    moved = Eigen::Map<const VecX>(q, slot.body->num_q());
    (is_position ? d : v)[k] = by;
    if (is_position) slot.body->retract(moved.data(), d.data());
    out.setZero();
    slot.body->add_shape_force(moved.data(), v.data(), out.data());
    (is_position ? d : v)[k] = 0.0;
  };
  for (int k = 0; k < n; ++k) {
    shape_force(step, k, true, plus);
    shape_force(-step, k, true, minus);
    K.col(k) = (minus - plus) / (2.0 * step);
    shape_force(1.0, k, false, plus);
    shape_force(-1.0, k, false, minus);
    B.col(k) = 0.5 * (minus - plus);
  }
  return std::max(std::sqrt(largest_eigenvalue(K, M)), largest_eigenvalue(B, M));
}

}  // namespace

Fastest fastest_force(Simulation::Impl& sim) {
  Fastest out;
  const Layout& layout = sim.system->layout;
  if (layout.forces.empty()) return out;
  int which = -1;
  const double omega = fastest_coordinate(*sim.system, sim.body_instant(), &which);
  out.consider(omega, Fastest::Kind::force, which);
  for (std::size_t i = 0; i < layout.forces.size(); ++i) {
    const ForceSlot& slot = layout.forces[i];
    if (slot.along != nullptr) continue;
    out.consider(std::max(damping_rate(sim, slot), stiffness_rate(sim, slot)), Fastest::Kind::force, int(i));
  }
  return out;
}

Fastest fastest_shape(const Simulation::Impl& sim) {
  Fastest out;
  const Layout& layout = sim.system->layout;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i)
    if (const BodySlot& slot = layout.bodies[i]; slot.has_shape_force)
      out.consider(shape_rate(slot, sim.body_instant().q.data() + slot.q, layout.length_scale),
                   Fastest::Kind::shape, int(i));
  return out;
}

Fastest find_fastest(Simulation::Impl& sim) {
  Fastest out;
  int body = -1;
  const VecX& lambda = sim.multipliers();
  BodyEquations& equations = sim.evaluated_bodies();
  double omega = equations.tension_frequency(lambda, &body);
  out.consider(omega, Fastest::Kind::tension, body);
  omega = equations.tension_frequency(hanging_multipliers(sim), &body);
  out.consider(omega, Fastest::Kind::weight, body);
  for (const Fastest& other : {fastest_force(sim), fastest_shape(sim)})
    out.consider(other.omega, other.kind, other.index);
  return out;
}

std::string describe(const Model& model, const Fastest& fastest) {
  const auto body = [&] { return model.bodies()[std::size_t(fastest.index)].name; };
  switch (fastest.kind) {
    case Fastest::Kind::tension:
      return fmt::format("link '{}' under tension", body());
    case Fastest::Kind::weight:
      return fmt::format("link '{}' under the weight it may carry", body());
    case Fastest::Kind::force:
      return fmt::format("force '{}'", model.forces()[std::size_t(fastest.index)].name);
    case Fastest::Kind::shape:
      return fmt::format("the shape of body '{}'", body());
    case Fastest::Kind::nothing:
      break;
  }
  return "nothing";
}

}  // namespace catena
