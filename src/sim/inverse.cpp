// Inverse dynamics in joint coordinates, with loops: torques of chosen joints from their accelerations.
//
//   a₀, λ₀     motion without τ;   x_i, λ_i  what a unit torque of drive i adds: M x_i = B_i + Kᵀλ_i, J x_i = 0                 (1)
//   R τ = α - B a₀,   R_ji = B_j x_i        symmetric, positive semidefinite: its rank is how many drives are independent        (2)
//   v̇ = a₀ + Σ τ_i x_i,   λ = λ₀ + Σ τ_i λ_i                                                                                   (3)
//
// What the null space of R has of τ moves nothing and is taken off; so is that of K Kᵀ off λ:
//   A = Σ over kept rows k:  z_d = e_d - A_kk⁻¹A_kd for dropped rows d span it,   x ← x - Z (ZᵀZ)⁻¹Zᵀx                          (4)
//
// Nothing is allocated when a call is repeated and no drive is tied.
//
// Where nothing closes loops and every joint is driven this is one pass of recursive Newton-Euler: τ = M α - F.               (5)
#include "catena/analysis.h"
#include "sim/impl.h"
#include "solve/pivoted_ldlt.h"

#include <fmt/core.h>

#include <algorithm>

namespace catena {
namespace {

constexpr double kTiedDrive = 1e-10;       // of the mobility that a drive has without the loops
constexpr double kContradiction = 1e-7;    // of the accelerations, relative
constexpr double kDependentForce = 1e-12;  // squared: of the rows of K

/// x of least norm with the same A x. @param factor  of A   (4)
void take_null_part_off(const MatX& A, solve::PivotedLdlt& factor, VecX& x) {
  const auto n = A.rows();
  const int rank = factor.rank();
  const std::vector<int> order = factor.order();
  MatX Z = MatX::Zero(n, n - rank);
  for (Eigen::Index k = 0; k < Z.cols(); ++k) {
    const int dropped = order[std::size_t(rank + k)];
    VecX z = A.col(dropped);
    factor.solve(z);
    Z.col(k) = -z;
    Z(dropped, k) = 1.0;
  }
  MatX gram = Z.transpose().lazyProduct(Z);
  VecX rest = Z.transpose() * x;
  solve::PivotedLdlt small;
  small.factor(gram, gram.diagonal(), 0.0);
  small.solve(rest);
  x -= Z * rest;
}

StepReport refused_inverse(std::string message) {
  StepReport report;
  report.status = StepReport::Status::refused;
  report.message = std::move(message);
  return report;
}

Options joint_options() {
  Options options;
  options.formulation = Formulation::minimal;
  options.integrator = Integrator::rk4;
  return options;
}

}  // namespace

struct InverseDynamics::Impl {
  Simulation twin;  // the same model in joint coordinates
  std::vector<ConstraintId> driven;
  std::vector<int> velocities;     // driven ones
  std::vector<int> constraint_of;  // the joint of each, as a position in the model
  VecX torques, accelerations, multipliers;
  int num_tied = 0;

  // of one call
  VecX q, v;                 // where the simulation is, in joint coordinates
  MatX x, lambda, response;  // (1), (2)
  VecX mobility, unit, rest, still, answer, force;
  solve::PivotedLdlt factor, row_factor;

  Impl(const Simulation& sim, std::span<const ConstraintId> joints);
  JointEquations& equations() const { return *SimulationAccess::impl(twin).joint_equations; }
  JointEquations& evaluated_at(const Simulation::Impl& sim);

  bool is_plain(const JointEquations& joints) const {
    return !joints.is_constrained() && int(velocities.size()) == joints.num_v();
  }
  void solve_plain(JointEquations& joints, const VecX& wanted);
  StepReport solve(JointEquations& joints, const VecX& wanted);
  void find_responses(JointEquations& joints);
  void shorten_multipliers(const JointEquations& joints);
  std::string explain_contradiction(const VecX& wanted) const;
};

/// The equations at the state of a simulation of the same model, whatever its coordinates. The state of the twin stays where it was.
JointEquations& InverseDynamics::Impl::evaluated_at(const Simulation::Impl& sim) {
  JointEquations& joints = equations();
  SimulationAccess::impl(twin).forget_known();
  if (sim.state.coordinates == Coordinates::joints) {
    joints.evaluate(instant_of(sim.state));
    return joints;
  }
  joints.to_joints(sim.state.q, sim.state.v, q, v);
  joints.evaluate({q, v, sim.state.time, sim.state.memory});
  return joints;
}

// (5)
void InverseDynamics::Impl::solve_plain(JointEquations& joints, const VecX& wanted) {
  accelerations.resize(joints.num_v());
  for (std::size_t i = 0; i < velocities.size(); ++i) accelerations[velocities[i]] = wanted[Eigen::Index(i)];
  rest.resize(joints.num_v());
  joints.apply_mass(accelerations, rest);
  rest -= joints.force();
  for (std::size_t i = 0; i < velocities.size(); ++i) torques[Eigen::Index(i)] = rest[velocities[i]];
  multipliers.setZero(joints.num_rows());
  num_tied = 0;
}

// (1), (2)
void InverseDynamics::Impl::find_responses(JointEquations& joints) {
  const auto n = Eigen::Index(velocities.size());
  still.setZero(joints.num_rows());
  x.resize(joints.num_v(), n);
  lambda.resize(joints.num_rows(), n);
  mobility.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    unit.setZero(joints.num_v());
    unit[velocities[std::size_t(i)]] = 1.0;
    (void)joints.solve(unit, still, answer, force);
    x.col(i) = answer;
    lambda.col(i) = force;
    joints.apply_inverse_mass(unit);
    mobility[i] = unit[velocities[std::size_t(i)]];
  }
  response.resize(n, n);
  const auto entry = [this](Eigen::Index j, Eigen::Index i) { return x(velocities[std::size_t(j)], i); };
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) response(j, i) = 0.5 * (entry(j, i) + entry(i, j));
}

void InverseDynamics::Impl::shorten_multipliers(const JointEquations& joints) {
  const Eigen::Index rows = joints.num_rows();
  MatX K(joints.num_v(), rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    VecX one = VecX::Zero(rows), along = VecX::Zero(joints.num_v());
    one[r] = 1.0;
    joints.add_row_forces(one, along);
    K.col(r) = along;
  }
  const MatX gram = K.transpose().lazyProduct(K);
  row_factor.factor(gram, gram.diagonal().cwiseMax(1e-300), kDependentForce);
  VecX shorter = multipliers;
  take_null_part_off(gram, row_factor, shorter);
  multipliers = shorter;
}

std::string InverseDynamics::Impl::explain_contradiction(const VecX& wanted) const {
  Eigen::Index worst = 0;
  const auto missed = [&](Eigen::Index i) {
    return std::abs(accelerations[velocities[std::size_t(i)]] - wanted[i]);
  };
  for (Eigen::Index i = 1; i < wanted.size(); ++i)
    if (missed(i) > missed(worst)) worst = i;
  if (!(missed(worst) > kContradiction * std::max(1.0, wanted.cwiseAbs().maxCoeff()))) return {};
  return fmt::format(
      "{} cannot accelerate by {:g}: the other driven joints and the loops make it {:g}; drive fewer joints, "
      "or give "
      "accelerations that the loops allow",
      constraint_label(twin.model(), constraint_of[std::size_t(worst)]), wanted[worst],
      accelerations[velocities[std::size_t(worst)]]);
}

StepReport InverseDynamics::Impl::solve(JointEquations& joints, const VecX& wanted) {
  if (const SolveResult free = joints.solve_accelerations(accelerations, multipliers); !free.ok())
    return refused_inverse(explain(SimulationAccess::impl(twin), free));
  if (const SolveResult factored = joints.factor(); !factored.ok())
    return refused_inverse(explain(SimulationAccess::impl(twin), factored));
  find_responses(joints);
  factor.factor(response, mobility, kTiedDrive);
  num_tied = int(wanted.size()) - factor.rank();
  torques = wanted;
  for (std::size_t i = 0; i < velocities.size(); ++i)
    torques[Eigen::Index(i)] -= accelerations[velocities[i]];
  factor.solve(torques);
  if (num_tied > 0) take_null_part_off(response, factor, torques);
  accelerations.noalias() += x * torques;  // (3)
  multipliers.noalias() += lambda * torques;
  if (!accelerations.allFinite() || !torques.allFinite())
    return refused_inverse("the torques are not finite: the driven joints have no inertia at this position");
  if (std::string problem = explain_contradiction(wanted); !problem.empty())
    return refused_inverse(std::move(problem));
  if (!joints.redundant_rows().empty()) shorten_multipliers(joints);
  return {};
}

InverseDynamics::Impl::Impl(const Simulation& sim, std::span<const ConstraintId> joints)
    : twin(SimulationAccess::impl(sim).shared_model, joint_options()), driven(joints.begin(), joints.end()) {
  const Model& own = twin.model();
  for (const ConstraintId id : driven) {
    const int index = own.index_of(id);
    const std::string label =
        index >= 0 ? constraint_label(own, index) : fmt::format("constraint id {}", id.value);
    const JointPlace place = index >= 0 ? equations().place_of(index) : JointPlace{};
    if (!place.exists())
      throw InvalidInput({{label, "is no joint of the tree: its coordinates follow from other joints",
                           "drive a joint that carries a body (JointTree::cuts lists those that do not)"}});
    for (int i = 0; i < place.num_v; ++i) {
      if (std::ranges::find(velocities, place.v + i) != velocities.end())
        throw InvalidInput({{label, "is driven twice", "name every joint once"}});
      velocities.push_back(place.v + i);
      constraint_of.push_back(index);
    }
  }
  torques = VecX::Zero(Eigen::Index(velocities.size()));
}

InverseDynamics::InverseDynamics(const Simulation& sim, std::vector<ConstraintId> driven)
    : impl_(std::make_unique<Impl>(sim, driven)) {}
InverseDynamics::~InverseDynamics() = default;
InverseDynamics::InverseDynamics(InverseDynamics&&) noexcept = default;
InverseDynamics& InverseDynamics::operator=(InverseDynamics&&) noexcept = default;

StepReport InverseDynamics::solve(const Simulation& sim, const VecX& accelerations) {
  if (SimulationAccess::impl(sim).shared_model != SimulationAccess::impl(impl_->twin).shared_model)
    impl_ = std::make_unique<Impl>(sim, std::vector<ConstraintId>(impl_->driven));
  Impl& s = *impl_;
  if (accelerations.size() != Eigen::Index(s.velocities.size()) || !accelerations.allFinite())
    throw InvalidInput({{"inverse dynamics",
                         fmt::format("{} finite accelerations are wanted, got {}", s.velocities.size(),
                                     accelerations.size()),
                         "give one per velocity of the driven joints, in their order"}});
  JointEquations& joints = s.evaluated_at(SimulationAccess::impl(sim));
  if (!s.is_plain(joints)) return s.solve(joints, accelerations);
  s.solve_plain(joints, accelerations);
  return {};
}

int InverseDynamics::num_velocities() const {
  return int(impl_->velocities.size());
}
const VecX& InverseDynamics::torques() const {
  return impl_->torques;
}
const VecX& InverseDynamics::joint_accelerations() const {
  return impl_->accelerations;
}
const VecX& InverseDynamics::multipliers() const {
  return impl_->multipliers;
}
int InverseDynamics::num_tied() const {
  return impl_->num_tied;
}

}  // namespace catena
