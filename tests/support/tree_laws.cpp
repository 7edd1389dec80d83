#include "support/tree_laws.h"

#include "formulation/minimal/dynamics.h"

#include <stdexcept>

namespace catena::test {
namespace {

/// x = M⁻¹f by articulated bodies, at the factor of factor_mass.
void solve_by_bodies(TreeCase& c, const VecX& f, VecX& x) {
  minimal::solve_mass(c.tree.structure(), f, c.data.workspace(), x);
}

/// The largest eigenvalue of a positive definite map by iteration: never more than it is.
template <class Map>
double largest_eigenvalue(RandomNumbers& random, int size, const Map& map) {
  constexpr int kIterations = 20;
  VecX x = random.numbers(size, 1.0), y(size);
  double found = 0.0;
  for (int i = 0; i < kIterations; ++i) {
    x.normalize();
    map(x, y);
    found = x.dot(y);
    x = y;
  }
  return found;
}

/// Columns of matrices that are looked at: all of small ones.
std::vector<int> some_columns(RandomNumbers& random, int size) {
  constexpr int kMost = 40;
  std::vector<int> out;
  for (int i = 0; i < std::min(size, kMost); ++i)
    out.push_back(size <= kMost ? i : random.integer(0, size - 1));
  return out;
}

/// Of M M⁻¹ - 1, and the condition of M.
void judge_inverse(TreeCase& c, RandomNumbers& random, const MatX& M, std::span<const int> columns,
                   TreeErrors& out) {
  const int n = c.tree.num_v();
  if (n == 0) return;
  minimal::update_places(c.tree.structure(), c.q, c.data.workspace());
  if (minimal::factor_mass(c.tree.structure(), c.data.workspace()) != JointTree::kNone)
    throw std::runtime_error("the mass matrix has no factor");
  const double most = largest_eigenvalue(random, n, [&](const VecX& a, VecX& b) { b.noalias() = M * a; });
  const double least =
      largest_eigenvalue(random, n, [&](const VecX& a, VecX& b) { solve_by_bodies(c, a, b); });
  out.condition = std::max(1.0, most * least);
  VecX x(n), rest;
  for (const int i : columns) {
    solve_by_bodies(c, VecX::Unit(n, i), x);
    rest = M * x - VecX::Unit(n, i);
    out.inverse = std::max(out.inverse, rest.norm() / (1.0 + (M.cwiseAbs() * x.cwiseAbs()).norm()));
    out.identity = std::max(out.identity, rest.norm());
  }
}

struct BodyNumbers {
  double mass;
  Mat3 inertia;  // world axes
  Placement at;
};
BodyNumbers body_numbers(const TreeCase& c, int link) {
  const auto& body = static_cast<const Rigid&>(*c.model.bodies()[std::size_t(c.tree.body(link))].body);
  const Placement at = placement(c.tree, c.data, link);
  const Mat3 R = at.orientation.toRotationMatrix();
  return {body.mass(), R * body.inertia() * R.transpose(), at};
}

/// Σ JᵀM_k J, and the energies of single bodies. After forward_kinematics.
void judge_sums(TreeCase& c, const MatX& M, std::span<const int> columns, TreeErrors& out) {
  MatX sum = MatX::Zero(M.rows(), Eigen::Index(columns.size()));
  double kinetic = 0.0, weight = 0.0, weight_size = 0.0;
  MotionJacobian J;
  for (int k = 0; k < c.tree.num_links(); ++k) {
    const BodyNumbers body = body_numbers(c, k);
    body_jacobian(c.tree, c.data, k, J);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Vec6 motion = J.col(columns[i]);
      if (motion.isZero(0.0)) continue;
      Vec6 momentum;
      momentum << body.mass * motion.head<3>(), body.inertia * motion.tail<3>();
      sum.col(Eigen::Index(i)) += J.transpose() * momentum;
    }
    const Vec3 w = body.at.angular_velocity;
    kinetic += 0.5 * (body.mass * body.at.velocity.squaredNorm() + w.dot(body.inertia * w));
    weight -= body.mass * c.model.gravity.dot(body.at.position);
    weight_size += body.mass * std::abs(c.model.gravity.dot(body.at.position));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const VecX column = M.col(columns[i]);
    out.jacobians = std::max(out.jacobians, (column - sum.col(Eigen::Index(i))).norm() / column.norm());
  }
  const double by_links = kinetic_energy(c.tree, c.data), by_mass = 0.5 * c.v.dot(M * c.v),
               size = kinetic + 0.5 * c.v.cwiseAbs().dot(M.cwiseAbs() * c.v.cwiseAbs());
  if (size > 0.0) out.energy = std::max(std::abs(by_links - kinetic), std::abs(by_links - by_mass)) / size;
  if (weight_size > 0.0)
    out.energy = std::max(out.energy, std::abs(gravity_energy(c.tree, c.data) - weight) / weight_size);
}

/// Where the wrench of joint_wrench acts: the joint's marker on the link, its centre where it is free.
Vec3 place_of_joint(const TreeCase& c, int link, const Placement& at) {
  if (c.tree.joint(link) == JointTree::kNone) return at.position;
  const ConstraintEntry& entry = c.model.constraints()[std::size_t(c.tree.joint(link))];
  const BodyId own = c.model.bodies()[std::size_t(c.tree.body(link))].id;
  const auto marks = entry.constraint->attachments();
  return at.position + at.orientation * marks[marks[0].body == own ? 0 : 1].point;
}

/// A wrench given at `from`, about `about`.
Vec6 moved_wrench(const Vec6& wrench, const Vec3& from, const Vec3& about) {
  Vec6 out = wrench;
  out.tail<3>() += (from - about).cross(wrench.head<3>());
  return out;
}

/// After forward_dynamics (which has the wrenches) and forward_kinematics.
void judge_cuts(TreeCase& c, std::span<const Vec6> wrenches, Loads loads, TreeErrors& out) {
  const int n = c.tree.num_links();
  std::vector<Vec6> left(std::size_t(n), Vec6::Zero());  // of what acts on a link, about its centre
  std::vector<double> size(std::size_t(n), 0.0);
  const auto act = [&](int link, const Vec6& wrench) {
    left[std::size_t(link)] += wrench;
    size[std::size_t(link)] += wrench.norm();
  };
  MotionJacobian J;
  for (int k = 0; k < n; ++k) {
    const BodyNumbers body = body_numbers(c, k);
    const Vec3 centre = body.at.position, joint = place_of_joint(c, k, body.at), w = body.at.angular_velocity;
    const Vec6 carried = moved_wrench(wrenches[std::size_t(k)], joint, centre);
    act(k, carried);
    if (const int p = c.tree.parent(k); p >= 0)
      act(p, -moved_wrench(wrenches[std::size_t(k)], joint, placement(c.tree, c.data, p).position));
    body_jacobian(c.tree, c.data, k, J);
    const Vec6 acceleration = J * c.a + body_bias(c.tree, c.data, k);
    Vec6 rate, weight = Vec6::Zero();
    rate << body.mass * acceleration.head<3>(),
        body.inertia * acceleration.tail<3>() + w.cross(body.inertia * w);
    weight.head<3>() = body.mass * c.model.gravity;
    act(k, weight);
    act(k, loads[std::size_t(c.tree.body(k))]);
    act(k, -rate);
    // along the directions of the joint it is the joint's force
    const auto own = J.middleCols(c.tree.v(k), c.tree.num_v(k));
    if (own.cols() > 0) {
      VecX rest = -c.tau.segment(c.tree.v(k), own.cols());
      rest.noalias() += own.transpose() * carried;
      out.reactions = std::max(out.reactions, rest.norm() / (own.norm() * carried.norm() + 1e-300));
    }
  }
  for (int k = 0; k < n; ++k)
    out.reactions = std::max(out.reactions, left[std::size_t(k)].norm() / (size[std::size_t(k)] + 1e-300));
}

}  // namespace

TreeErrors tree_errors(TreeCase& c, RandomNumbers& random) {
  TreeErrors out;
  std::vector<Vec6> loads, wrenches;
  for (std::size_t b = 0; b < c.model.bodies().size(); ++b) loads.push_back(random.numbers(6, 5.0));
  MatX M;
  mass_matrix(c.tree, c.q, c.data, M);
  const std::vector<int> columns = some_columns(random, c.tree.num_v());
  judge_inverse(c, random, M, columns, out);
  VecX bias, tau;
  bias_forces(c.tree, c.q, c.v, c.data, bias);
  if (forward_dynamics(c.tree, c.q, c.v, c.tau, c.data, c.a, loads) != JointTree::kNone)
    throw std::runtime_error("forward dynamics found a link without inertia");
  for (int k = 0; k < c.tree.num_links(); ++k) wrenches.push_back(joint_wrench(c.tree, c.data, k));
  inverse_dynamics(c.tree, c.q, c.v, c.a, c.data, tau, loads);
  if (tau.size() > 0) out.round_trip = (tau - c.tau).norm() / (c.tau.norm() + bias.norm());
  forward_kinematics(c.tree, c.q, c.v, c.data);
  judge_sums(c, M, columns, out);
  judge_cuts(c, wrenches, loads, out);
  return out;
}

}  // namespace catena::test
