// What can be read off a simulation at its current state.
#include "sim/impl.h"

#include <cassert>

namespace catena {
namespace {

int require_constraint(const Model& model, ConstraintId id) {
  const int index = model.index_of(id);
  if (index < 0)
    throw InvalidInput({{"constraint id " + std::to_string(id.value), "is not in the model",
                         "take the id from Model::add or Model::find_constraint"}});
  return index;
}

}  // namespace

std::uint64_t Simulation::hash() const {
  return catena::hash(impl_->state);
}

Energy Simulation::energy() const {
  return impl_->balance().energy;
}
const Ledger& Simulation::ledger() const {
  return impl_->state.ledger;
}
double Simulation::start_energy() const {
  return impl_->start_energy;
}

double Simulation::numerical_energy() const {
  return impl_->unexplained_energy();
}

const VecX& Simulation::accelerations() const {
  return impl_->solved().acceleration;
}
const VecX& Simulation::multipliers() const {
  return impl_->multipliers();
}

std::span<const double> Simulation::multipliers(ConstraintId id) const {
  const ConstraintSlot& slot = impl_->system->layout.constraints[require_constraint(impl_->model, id)];
  return {impl_->multipliers().data() + slot.row, std::size_t(slot.rows)};
}

VecX Simulation::constraint_generalised_force() const {
  VecX force = VecX::Zero(impl_->equations->num_v());
  impl_->evaluated().add_row_forces(impl_->multipliers(), force);
  return force;
}

ConstraintForce Simulation::constraint_force(ConstraintId id) const {
  return impl_->force_of(require_constraint(impl_->model, id), impl_->multipliers());
}

// From the model and the state alone: the rows of one constraint at its markers. Joints that may break are read in every step.
ConstraintForce Simulation::Impl::force_of(int constraint, const VecX& lambda) const {
  assert(lambda.size() == system->layout.num_rows);
  const Constraint& rule = *model.constraints()[std::size_t(constraint)].constraint;
  const ConstraintSlot& slot = system->layout.constraints[std::size_t(constraint)];
  static thread_local std::vector<Marker> markers;  // readers may come from several threads
  static thread_local std::vector<double> values;   // C, C_t and γ, then G and K
  markers.clear();
  for (const Attachment& at : rule.attachments()) markers.push_back(marker(at));
  const int block = 6 * slot.rows * int(markers.size());
  values.assign(std::size_t(3 * slot.rows + 2 * block), 0.0);
  double *value = values.data(), *G = value + 3 * slot.rows;
  Rows rows(slot.rows, int(markers.size()), value, value + slot.rows, value + 2 * slot.rows, G, true,
            rule.acts_elsewhere() ? G + block : nullptr);
  rule.evaluate({.at = markers,
                 .time = state.time,
                 .planar = slot.planar,
                 .memory = {state.memory.data() + slot.memory, std::size_t(slot.memory_size)}},
                rows);
  const Eigen::Matrix<double, 6, 1> wrench =
      (rows.wants_K() ? rows.K(0) : rows.G(0)).transpose() * lambda.segment(slot.row, slot.rows);
  const Mat3 axes = markers.back().R.transpose();
  return {axes * wrench.head<3>(), axes * wrench.tail<3>()};
}

double Simulation::constraint_error() const {
  int row = -1;
  return largest_error(impl_->evaluated().C(), row);
}

double Simulation::constraint_power() const {
  return constraint_generalised_force().dot(impl_->state.v);
}

Placement Simulation::placement(BodyId id) const {
  return impl_->placement(id);
}

Placement Simulation::Impl::placement(BodyId id) const {
  const int index = model.index_of(id);
  if (index < 0)
    throw InvalidInput({{"body id " + std::to_string(id.value), "is not in the model",
                         "take the id from Model::add or Model::find_body"}});
  const BodySlot& slot = system->layout.bodies[index];
  const Instant at = body_instant();
  return slot.body->unpack(at.q.data() + slot.q, at.v.data() + slot.v);
}

Marker Simulation::marker(const Attachment& attachment) const {
  return impl_->marker(attachment);
}

Marker Simulation::Impl::marker(const Attachment& attachment) const {
  if (attachment.body == world) return {attachment.point, Vec3::Zero(), attachment.axes, Vec3::Zero()};
  const Placement at = placement(attachment.body);
  const BodySlot& slot = system->layout.bodies[model.index_of(attachment.body)];
  const Instant now = body_instant();
  PointMap point;
  slot.body->point(now.q.data() + slot.q, now.v.data() + slot.v, attachment.point, point);
  const Vec3 v = point.J * now.v.segment(slot.v, slot.num_v);
  return {point.x, v, at.orientation.toRotationMatrix() * attachment.axes, at.angular_velocity};
}

Vec3 Simulation::linear_momentum() const {
  Vec3 sum = Vec3::Zero();
  const Instant at = impl_->body_instant();
  for (const BodySlot& slot : impl_->system->layout.bodies)
    sum += slot.body->linear_momentum(at.q.data() + slot.q, at.v.data() + slot.v);
  return sum;
}

Vec3 Simulation::angular_momentum() const {
  Vec3 sum = Vec3::Zero();
  const Instant at = impl_->body_instant();
  for (const BodySlot& slot : impl_->system->layout.bodies)
    sum += slot.body->angular_momentum(at.q.data() + slot.q, at.v.data() + slot.v);
  return sum;
}

std::span<const double> Simulation::memory(ForceId id) const {
  const int index = impl_->model.index_of(id);
  if (index < 0) return {};
  const ForceSlot& slot = impl_->system->layout.forces[index];
  return {impl_->state.memory.data() + slot.memory, std::size_t(slot.memory_size)};
}

std::span<const double> Simulation::memory(ConstraintId id) const {
  const ConstraintSlot& slot = impl_->system->layout.constraints[require_constraint(impl_->model, id)];
  return {impl_->state.memory.data() + slot.memory, std::size_t(slot.memory_size)};
}

}  // namespace catena
