// Sensors: what instruments on bodies and joints would show, read off the current solution.
//
//   accelerometer   f = Rᵀ(ẍ - g),   ẍ = J·v̇ + bias of the point it sits at                                  (1)
//   gyroscope       Rᵀ ω                                                                                     (2)
//   joint rates     z_b·(ω_a - ω_b)  and  z_b·(v_a - v_b - ω_b × ρ),   ρ = x_a - x_b                         (3)
//   joint angle     θ known up to whole turns; what counts them elsewhere has the angle s·θ + constant, s = ±1, in its memory, and the
//                   turn of θ is the one nearest to that                                                     (4)
#include "catena/joints.h"
#include "model/turns.h"
#include "sim/impl.h"

#include <fmt/core.h>

namespace catena {
namespace {

std::span<const Attachment> joint_markers(const Model& model, ConstraintId id) {
  const int index = model.index_of(id);
  const auto attachments = index >= 0 ? model.constraints()[std::size_t(index)].constraint->attachments()
                                      : std::span<const Attachment>{};
  if (attachments.size() != 2)
    throw InvalidInput(
        {{index >= 0 ? constraint_label(model, index) : fmt::format("constraint id {}", id.value),
          index >= 0 ? "does not join two markers" : "is not in the model",
          "name a joint between two bodies, or a body and the world"}});
  return attachments;
}

/// s of (4) of another pair of markers: 0 where it does not turn about the axis of a and b.
double sense_of(std::span<const Attachment> pair, const Attachment& a, const Attachment& b) {
  const bool same = pair[0].body == a.body && pair[1].body == b.body;
  const bool swapped = pair[0].body == b.body && pair[1].body == a.body;
  if (!same && !swapped) return 0.0;
  const double along = pair[1].axes.col(2).dot((same ? b : a).axes.col(2));
  if (std::abs(along) < 1.0 - 1e-9) return 0.0;
  return (along > 0.0) == same ? 1.0 : -1.0;
}

}  // namespace

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
  const Instant now = s.body_instant();
  slot.body->point(now.q.data() + slot.q, now.v.data() + slot.v, at.point, point);
  const Vec3 acceleration = point.J * s.body_accelerations().segment(slot.v, slot.num_v) + point.bias;
  reading.specific_force += marker.R.transpose() * acceleration;  // (1)
  return reading;
}

JointRate Simulation::joint_rate(ConstraintId id) const {
  const auto attachments = joint_markers(impl_->model, id);
  const Marker a = marker(attachments[0]), b = marker(attachments[1]);
  const Vec3 z = b.R.col(2);
  return {z.dot(a.w - b.w), z.dot(a.v - b.v - b.w.cross(a.x - b.x))};  // (3)
}

double Simulation::joint_angle(ConstraintId id) const {
  const Model& model = impl_->model;
  const auto attachments = joint_markers(model, id);
  const Attachment &a = attachments[0], &b = attachments[1];
  const double angle = hinge_angle(marker(a), marker(b));
  const auto counted_by = [&](std::span<const Attachment> pair, std::span<const double> turns) {  // (4)
    const double counted = count_turns(hinge_angle(marker(pair[0]), marker(pair[1])), time(), turns);
    const double expected = sense_of(pair, a, b) * counted;
    return expected + std::remainder(angle - expected, 2.0 * std::numbers::pi);
  };
  if (model.constraints()[std::size_t(model.index_of(id))].constraint->kind() == "screw")
    return counted_by(attachments, memory(id));
  for (const ForceEntry& entry : model.forces()) {
    const auto* force = dynamic_cast<const CoordinateForce*>(entry.force.get());
    if (force == nullptr || force->coordinates().kind() != "hinge_coordinate") continue;
    const auto turns = force->coordinate_memory(memory(entry.id));
    if (turns.size() != std::size_t(kTurnMemory) || sense_of(force->attachments(), a, b) == 0.0) continue;
    return counted_by(force->attachments(), turns);
  }
  return angle;
}

}  // namespace catena
