// Forces: what acts on markers without prescribing motion.
//
// A force sees the same Motion as a constraint and answers with a force and a torque at each of its markers. A force
// with a potential says so: the energy ledger then knows its work exactly.
#pragma once

#include "catena/constraint.h"

namespace CATENA_API catena {

/// Where the energy ledger books the work that is not the change of a potential.
enum class WorkSource : std::uint8_t { damper, motor, load, drag };

/// Where a force writes: one wrench per marker, world axes, torque about the marker.
class Wrenches {
 public:
  explicit Wrenches(std::span<Eigen::Matrix<double, 6, 1>> wrenches) : wrenches_(wrenches) {}
  void add(int marker, const Vec3& force, const Vec3& torque = Vec3::Zero()) {
    auto& w = wrenches_[static_cast<std::size_t>(marker)];
    w.head<3>() += force;
    w.tail<3>() += torque;
  }

 private:
  std::span<Eigen::Matrix<double, 6, 1>> wrenches_;
};

class Force {
 public:
  explicit Force(std::vector<Attachment> attachments) : attachments_(std::move(attachments)) {}
  virtual ~Force() = default;

  std::span<const Attachment> attachments() const { return attachments_; }

  virtual std::string_view kind() const = 0;
  virtual void apply(const Motion& motion, Wrenches& wrenches) const = 0;

  virtual double potential(const Motion&) const { return 0.0; }  // J
  virtual double nonconservative_power(const Motion&) const {
    return 0.0;
  }  // W, of all but the potential part
  virtual WorkSource source() const { return WorkSource::load; }
  virtual bool depends_on_velocity() const { return false; }
  virtual bool needs_orientation() const { return false; }
  /// Largest stiffness it can show, for step advice.  N/m or N·m/rad
  virtual double stiffness() const { return 0.0; }

  virtual int memory_size() const { return 0; }
  virtual void start_memory(const Motion&, std::span<double>) const {}
  virtual void advance_memory(const Motion&, std::span<double>) const {}

  /// Names of the numbers that Simulation::set_command writes. They are the first of the memory, and belong to the state.
  virtual std::span<const std::string_view> command_names() const { return {}; }

  virtual std::vector<std::string> validate() const { return {}; }

 private:
  std::vector<Attachment> attachments_;
};

using ForcePtr = std::shared_ptr<const Force>;

/// Spring and damper along the line between two points.
ForcePtr spring_damper(const AttachmentPair& at, double stiffness, double damping, double rest_length);
/// Spring and damper about z of b; the angle is unwrapped, so that it may make many turns.
ForcePtr torsion_spring(const AttachmentPair& at, double stiffness, double damping, double rest_angle);
/// A given force and torque at a marker, in world axes or in the axes of the body.
ForcePtr load(const Attachment& a, PointFunction force, PointFunction torque, bool in_body_axes = false);
/// Six-component compliance in the axes of b: displacement of point a from point b, and rotation vector of a against b. The
/// torque is the exact gradient of φᵀKφ/2, stiffnesses may differ; meant for rotations below π, where φ jumps.
ForcePtr bushing(const AttachmentPair& at, const Vec3& linear_stiffness, const Vec3& angular_stiffness,
                 const Vec3& linear_damping, const Vec3& angular_damping);
/// Attraction (strength > 0) or repulsion along the line between two points: strength/r^exponent beyond the softening length,
/// strength·r/(r² + softening²)^((exponent + 1)/2) in general, which has a potential for every exponent.
ForcePtr central_force(const AttachmentPair& at, double strength, double exponent, double softening = 0.0);
/// Viscous friction of a joint: -angular·(rate about z of b) and -linear·(rate along z of b).
ForcePtr viscous_friction(const AttachmentPair& at, double angular, double linear = 0.0);
/// -(linear + quadratic·|v|)·v at the marker and -angular·ω.
ForcePtr drag(const Attachment& a, double linear, double quadratic = 0.0, double angular = 0.0);
/// Spring and damper that pull a point towards a target in the world, as a hand on a mouse does.
ForcePtr mouse_spring(const Attachment& a, const Vec3& target, double stiffness, double damping);

/// What the engine cannot find out about a user's function.
struct UserForceTraits {
  /// J. Given, the function is its negative gradient and does no other work; not given, all its power is booked to `source`.
  std::function<double(const Motion&)> potential = nullptr;
  WorkSource source = WorkSource::load;
  bool depends_on_velocity = true;
  bool needs_orientation = false;  // true: may not be attached to particles
};

/// A function as a force. It is called several times per step, must depend on the motion only and must not allocate where
/// speed matters. A force with memory or parameters to check derives from Force instead.
ForcePtr user_force(std::vector<Attachment> attachments,
                    std::function<void(const Motion&, Wrenches&)> function, UserForceTraits traits = {});

}  // namespace catena
