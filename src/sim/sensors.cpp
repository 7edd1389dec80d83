// Sensors: what instruments on bodies and joints would show, read off the current solution.
//
//   accelerometer   f = Rᵀ(ẍ - g),   ẍ = J·v̇ + bias of the point it sits at                                  (1)
//   gyroscope       Rᵀ ω                                                                                     (2)
//   joint rates     z_b·(ω_a - ω_b)  and  z_b·(v_a - v_b - ω_b × ρ),   ρ = x_a - x_b                         (3)
#include "sim/impl.h"

#include <fmt/core.h>

namespace catena {

ImuReading Simulation::imu(const Attachment& at) const {
  const Impl& s = *impl_;
  const Marker marker = this->marker(at);
  ImuReading reading{marker.R.transpose() * -s.model.gravity, marker.R.transpose() * marker.w};  // (2)
  if (at.body == world) return reading;
  const BodySlot& slot = s.system->layout.bodies[std::size_t(s.model.index_of(at.body))];
  const Solution& solution = s.solved();
  if (!solution.result.ok()) {  // no accelerations exist
    reading.specific_force.setConstant(std::numeric_limits<double>::quiet_NaN());
    return reading;
  }
  PointMap point;
  slot.body->point(s.state.q.data() + slot.q, s.state.v.data() + slot.v, at.point, point);
  const Vec3 acceleration = point.J * solution.acceleration.segment(slot.v, slot.num_v) + point.bias;
  reading.specific_force += marker.R.transpose() * acceleration;  // (1)
  return reading;
}

JointRate Simulation::joint_rate(ConstraintId id) const {
  const int index = impl_->model.index_of(id);
  const auto attachments = index >= 0
                               ? impl_->model.constraints()[std::size_t(index)].constraint->attachments()
                               : std::span<const Attachment>{};
  if (attachments.size() != 2)
    throw InvalidInput(
        {{index >= 0 ? constraint_label(impl_->model, index) : fmt::format("constraint id {}", id.value),
          index >= 0 ? "does not join two markers" : "is not in the model",
          "name a joint between two bodies, or a body and the world"}});
  const Marker a = marker(attachments[0]), b = marker(attachments[1]);
  const Vec3 z = b.R.col(2);
  return {z.dot(a.w - b.w), z.dot(a.v - b.v - b.w.cross(a.x - b.x))};  // (3)
}

}  // namespace catena
