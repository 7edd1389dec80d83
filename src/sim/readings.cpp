// What can be read off a simulation at its current state.
#include "sim/impl.h"
#include "sim/ledger.h"

#include <bit>

namespace catena {
namespace {

int require_constraint(const Model& model, ConstraintId id) {
  const int index = model.index_of(id);
  if (index < 0)
    throw InvalidInput({{"constraint id " + std::to_string(id.value), "is not in the model",
                         "take the id from Model::add or Model::find_constraint"}});
  return index;
}

void add_to_hash(std::uint64_t& hash, const void* data, std::size_t bytes) {
  const unsigned char* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001b3ULL;
}

}  // namespace

std::uint64_t Simulation::hash() const {
  const State& s = impl_->state;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const Ledger& l = s.ledger;
  const double numbers[] = {s.time,   s.substep, l.gravity, l.springs, l.dampers,
                            l.motors, l.loads,   l.drag,    l.driven,  l.impulses};
  add_to_hash(hash, &s.steps, sizeof s.steps);
  add_to_hash(hash, numbers, sizeof numbers);
  for (const VecX* v : {&s.q, &s.v, &s.memory, &s.history})
    add_to_hash(hash, v->data(), std::size_t(v->size()) * sizeof(double));
  return hash;
}

void Simulation::save(const std::filesystem::path& file) const {
  write_checkpoint(file, impl_->model, impl_->state, impl_->start_energy);
}

void Simulation::load(const std::filesystem::path& file) {
  State state = impl_->state;
  double start_energy = 0.0;
  read_checkpoint(file, impl_->model, state, start_energy);
  set_state(state);
  impl_->start_energy = start_energy;
}

Energy Simulation::energy() const {
  return impl_->solution.energy;
}
const Ledger& Simulation::ledger() const {
  return impl_->state.ledger;
}
double Simulation::start_energy() const {
  return impl_->start_energy;
}

double Simulation::Impl::unexplained_energy() const {
  if (choice.integrator == Integrator::first_order)
    return 0.0;  // motion without inertia has no energy balance
  return solution.energy.total() - start_energy - external_work(state.ledger);
}

double Simulation::numerical_energy() const {
  return impl_->unexplained_energy();
}

const VecX& Simulation::accelerations() const {
  return impl_->solution.acceleration;
}
const VecX& Simulation::multipliers() const {
  return impl_->solution.lambda;
}

std::span<const double> Simulation::multipliers(ConstraintId id) const {
  const maximal::ConstraintSlot& slot =
      impl_->equations->layout().constraints[require_constraint(impl_->model, id)];
  if (impl_->solution.lambda.size() == 0) return {};
  return {impl_->solution.lambda.data() + slot.row, std::size_t(slot.rows)};
}

VecX Simulation::constraint_generalised_force() const {
  VecX force = VecX::Zero(impl_->equations->num_v());
  if (impl_->solution.lambda.size() > 0) impl_->equations->add_Jt(impl_->solution.lambda, force);
  return force;
}

const VecX& Simulation::Impl::reported_multipliers() const {
  const VecX* of_step = follows_step ? scheme->step_multipliers() : nullptr;
  return of_step != nullptr ? *of_step : solution.lambda;
}

ConstraintForce Simulation::constraint_force(ConstraintId id) const {
  const int index = require_constraint(impl_->model, id);
  ConstraintForce out;
  impl_->equations->constraint_wrench(index, impl_->reported_multipliers(), out.force, out.torque);
  const maximal::ConstraintSlot& slot = impl_->equations->layout().constraints[index];
  const Mat3& axes = impl_->equations->kinematics().constraint_markers[slot.marker_end - 1].R;
  out.force = axes.transpose() * out.force;
  out.torque = axes.transpose() * out.torque;
  return out;
}

double Simulation::constraint_error() const {
  int row = -1;
  return largest_error(impl_->equations->C(), row);
}

double Simulation::constraint_power() const {
  VecX rate(impl_->equations->num_rows());
  impl_->equations->apply_J(impl_->state.v, rate);
  return impl_->solution.lambda.size() > 0 ? impl_->solution.lambda.dot(rate) : 0.0;
}

Placement Simulation::placement(BodyId id) const {
  const int index = impl_->model.index_of(id);
  if (index < 0)
    throw InvalidInput({{"body id " + std::to_string(id.value), "is not in the model",
                         "take the id from Model::add or Model::find_body"}});
  const maximal::BodySlot& slot = impl_->equations->layout().bodies[index];
  return slot.body->unpack(impl_->state.q.data() + slot.q, impl_->state.v.data() + slot.v);
}

Marker Simulation::marker(const Attachment& attachment) const {
  if (attachment.body == world) return {attachment.point, Vec3::Zero(), attachment.axes, Vec3::Zero()};
  const Placement at = placement(attachment.body);
  const maximal::BodySlot& slot = impl_->equations->layout().bodies[impl_->model.index_of(attachment.body)];
  PointMap point;
  slot.body->point(impl_->state.q.data() + slot.q, impl_->state.v.data() + slot.v, attachment.point, point);
  const Vec3 v = point.J * impl_->state.v.segment(slot.v, slot.num_v);
  return {point.x, v, at.orientation.toRotationMatrix() * attachment.axes, at.angular_velocity};
}

Vec3 Simulation::linear_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (const maximal::BodySlot& slot : impl_->equations->layout().bodies)
    sum += slot.body->linear_momentum(impl_->state.q.data() + slot.q, impl_->state.v.data() + slot.v);
  return sum;
}

Vec3 Simulation::angular_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (const maximal::BodySlot& slot : impl_->equations->layout().bodies)
    sum += slot.body->angular_momentum(impl_->state.q.data() + slot.q, impl_->state.v.data() + slot.v);
  return sum;
}

std::span<const double> Simulation::memory(ForceId id) const {
  const int index = impl_->model.index_of(id);
  if (index < 0) return {};
  const maximal::ForceSlot& slot = impl_->equations->layout().forces[index];
  return {impl_->state.memory.data() + slot.memory, std::size_t(slot.memory_size)};
}

std::span<const double> Simulation::memory(ConstraintId id) const {
  const maximal::ConstraintSlot& slot =
      impl_->equations->layout().constraints[require_constraint(impl_->model, id)];
  return {impl_->state.memory.data() + slot.memory, std::size_t(slot.memory_size)};
}

}  // namespace catena
