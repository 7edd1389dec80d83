// Forces: what acts on markers without prescribing motion.
//
// A force sees the same Motion as a constraint and answers with a force and a torque at each of its markers. A force
// with a potential says so: the energy ledger then knows its work exactly.
//
// A program: examples/cpp/controlled_arm.cpp
#pragma once

#include "catena/constraint.h"
#include "catena/ledger.h"

#include <variant>

namespace CATENA_API catena {

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
  /// Where the energy ledger books this power; an account without a potential.
  virtual Account account() const { return Account::loads; }
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
  /// J. Given, the function is its negative gradient and does no other work; not given, all its power is booked to `account`.
  std::function<double(const Motion&)> potential = nullptr;
  Account account = Account::loads;
  bool depends_on_velocity = true;
  bool needs_orientation = false;  // true: may not be attached to particles
};

/// A function as a force. It is called several times per step, must depend on the motion only and must not allocate where
/// speed matters. A force with memory or parameters to check derives from Force instead.
ForcePtr user_force(std::vector<Attachment> attachments,
                    std::function<void(const Motion&, Wrenches&)> function, UserForceTraits traits = {});

// ---------------------------------------------------------------------------------------------------- motors
// Motors: torques about, or forces along, z of b between two bodies, by a law; and the commands they may follow.
//
//   model.add("shoulder", pd_motor(at, ramp(0.0, 0.5), 200.0, 20.0, {.limit = 3.0, .ratio = 50.0}));
//   const ForceId elbow = model.add("elbow", motor(at, Command{}));       // follows Simulation::set_command
//
//   function          at the joint, before the limit                                        command
//   motor             n·T                                                                   torque
//   motor_curve       n·throttle·T(n·ω), T tabulated                                        throttle
//   pd_motor          k(θ* - θ) + c(θ̇* - ω) + feed-forward                                  angle, rate, torque
//   velocity_motor    gain·(ω* - ω)                                                         rate
//   linear_*          the same along z of b: travel, speed and force instead of angle, rate and torque
//
// One convention: what belongs to the machine (the torque of `motor`, the curve, the limit) is at its shaft, which turns n times
// as fast as the joint; targets, gains and feed-forward are at the joint. Torque at the joint = n · torque of the shaft. The angle θ of a
// against b is counted over whole turns, ω = z_b·(ω_a - ω_b). The work is booked as that of motors.

/// The motor follows a command: numbers of the state that a controller writes (Simulation::set_command). The first one starts
/// with this value, the others with 0.
struct Command {
  double start = 0.0;
};

/// What a motor follows: a function of time, or a command.
using Signal = std::variant<TimeFunction, Command>;

/// What stands between the law of a motor and the joint.
struct Drive {
  double limit =
      std::numeric_limits<double>::infinity();  // largest torque or force of the shaft, either way   N·m, N
  double ratio =
      1.0;  // n: shaft speed over joint speed; of a spindle in rad/m, its limit then in N·m           -, 1/m
};

/// Torque about z of b on a, and its reaction on b.
ForcePtr motor(const AttachmentPair& at, Signal torque, Drive drive = {});
/// Torque as a function of speed: points (speed, torque) joined by lines, held constant outside. @pre speeds increase
ForcePtr motor_curve(const AttachmentPair& at, std::vector<Vec2> points, Signal throttle = constant(1.0),
                     Drive drive = {});
/// Position control towards an angle of a against b. @param feed_forward added to the law, may be empty   N·m
ForcePtr pd_motor(const AttachmentPair& at, Signal angle, double stiffness, double damping, Drive drive = {},
                  TimeFunction feed_forward = nullptr);
/// Speed control.
ForcePtr velocity_motor(const AttachmentPair& at, Signal rate, double gain, Drive drive = {});

/// The same for forces along z of b; the reaction acts on b at the point of a.
ForcePtr linear_motor(const AttachmentPair& at, Signal force, Drive drive = {});
ForcePtr linear_motor_curve(const AttachmentPair& at, std::vector<Vec2> points,
                            Signal throttle = constant(1.0), Drive drive = {});
ForcePtr linear_pd_motor(const AttachmentPair& at, Signal travel, double stiffness, double damping,
                         Drive drive = {}, TimeFunction feed_forward = nullptr);
ForcePtr linear_velocity_motor(const AttachmentPair& at, Signal speed, double gain, Drive drive = {});

struct ConstraintEntry;  // catena/model.h

/// Torques and forces along all coordinates of a joint, one per velocity (Simulation::joint_state), with their reaction: of a ball a torque in
/// the axes of b, of a cylindrical joint a force along and a torque about its axis. By functions of time, or, without any, by commands, which
/// Simulation::set_joint_torque writes.   model.add("hip-drive", joint_motor(model.constraints()[hip]))
ForcePtr joint_motor(const ConstraintEntry& joint, std::vector<TimeFunction> torques = {});

// -------------------------------------------------------------------------------------------- elastic forces
// Elastic forces: joint coordinates with springs, dampers, limits and preloads, and constraints made compliant.
//
//   model.add("knee", hinge(at));
//   model.add("knee stop", elastic(hinge_coordinate(at), {.stiffness = 1e4, .damping = 10, .lower = 0.0, .upper = 2.4}));
//   model.add("pad", elastic(point_on_surface(tip, table, plane_surface(...)), {.stiffness = 1e5, .lower = 0.0}));   // contact
//
// An elastic force acts on coordinates c(q) (the rows of any holonomic constraint, which is then not enforced) by a law each:
//
//   F = Gᵀλ,   λ = f₀ - k·e(c) - b·ċ                                                                              (1)
//   e(c) = c, or how far c is outside of [lower, upper] where there are bounds: nothing acts inside, and nothing pulls back     (2)
//
// Explicit integrators apply (1) as it is. Implicit ones take λ as an unknown of its own with the compliance 1/k, so that any stiffness is
// as good as any other and an infinite one is the constraint itself.

class Surface;  // catena/joints.h

/// Law of one coordinate. Units are those of the coordinate: N/m or N·m/rad, and so on.
struct Law {
  double stiffness = 0.0;  // k
  double damping = 0.0;    // b
  double preload = 0.0;    // f₀: acts on the coordinate where c = 0
  double lower =
      -std::numeric_limits<double>::infinity();  // bounds of free travel; given one, the law is one-sided
  double upper = std::numeric_limits<double>::infinity();
  double limit = std::numeric_limits<double>::infinity();  // largest |λ|

  bool has_bounds() const {
    return lower > -std::numeric_limits<double>::infinity() ||
           upper < std::numeric_limits<double>::infinity();
  }
};

/// What a law answers to a coordinate: λ and its derivatives, -∂λ/∂c and -∂λ/∂ċ. Both vanish where the law rests or is at its limit.
struct LawResponse {
  double force = 0.0;
  double stiffness = 0.0, damping = 0.0;
  double potential = 0.0;  // J
};
/// (1), (2). With a step, given by implicit integrators, only what happens outside of the bounds within it is damped: a coordinate that
/// enters by e moved there at e/step, not at its rate, and the force begins without a jump.
LawResponse respond(const Law& law, double c, double rate, double step = 0.0);

/// A force along coordinates c(q), the rows of a constraint that is not enforced: F = Gᵀλ, where λ depends on c, ċ, time and numbers of
/// the state. Implicit integrators take λ as unknowns; user-defined forces that derive from this are as stiff as they like.
class CoordinateForce : public Force {
 public:
  using Force::Force;
  /// Its markers are those of the force, in the same order.
  virtual const Constraint& coordinates() const = 0;
  /// The numbers of the coordinates in those of the force.
  virtual std::span<const double> coordinate_memory(std::span<const double> memory) const = 0;
  /// λ of a row and its derivatives. The motion has the time and this force's own numbers. @param step as for respond()
  virtual LawResponse answer(int row, const Motion& motion, double c, double rate, double step) const = 0;
  /// Stiffness, damping and bounds of a row, for estimates.
  virtual const Law& law(int row) const = 0;
  /// Whether it acts at all, from its numbers in the state.
  virtual bool is_on(std::span<const double>) const { return true; }
};

/// Coordinates with laws. The command "on" (1 at the start) switches them off (0) and on while a simulation runs.
class Elastic final : public CoordinateForce {
 public:
  Elastic(std::string_view kind, ConstraintPtr coordinates, std::vector<Law> laws);

  std::string_view kind() const override { return kind_; }
  const Constraint& coordinates() const override { return *coordinates_; }
  const Law& law(int row) const override { return laws_[laws_.size() == 1 ? 0 : std::size_t(row)]; }
  LawResponse answer(int row, const Motion& motion, double c, double rate, double step) const override;
  bool is_on(std::span<const double> memory) const override { return memory.empty() || memory[0] != 0.0; }
  std::span<const double> coordinate_memory(std::span<const double> memory) const override {
    return memory.empty() ? memory : memory.subspan(1);
  }

  void apply(const Motion& motion, Wrenches& wrenches) const override;
  double potential(const Motion& motion) const override;
  double nonconservative_power(const Motion& motion) const override;
  Account account() const override { return Account::dampers; }
  bool depends_on_velocity() const override;
  bool needs_orientation() const override { return coordinates_ && coordinates_->needs_orientation(); }
  double stiffness() const override;
  int memory_size() const override { return 1 + (coordinates_ ? coordinates_->memory_size() : 0); }
  void start_memory(const Motion& motion, std::span<double> memory) const override;
  void advance_memory(const Motion& motion, std::span<double> memory) const override;
  std::span<const std::string_view> command_names() const override;
  std::vector<std::string> validate() const override;

 private:
  std::string_view kind_;
  ConstraintPtr coordinates_;
  std::vector<Law> laws_;  // one for all rows, or one per row
};

/// The same law on all rows of a constraint, or one law each.
ForcePtr elastic(ConstraintPtr coordinates, const Law& law);
ForcePtr elastic_each(ConstraintPtr coordinates, std::vector<Law> laws);

// Coordinates of joints, of marker a against marker b. Each may also be given to Model::add as a constraint that holds it at its rest.

/// Angle about z of b, counted over whole turns, less `rest`.   1 row
ConstraintPtr hinge_coordinate(const AttachmentPair& at, double rest = 0.0);
/// Travel along z of b, less `rest`.   1 row
ConstraintPtr slider_coordinate(const AttachmentPair& at, double rest = 0.0);
/// Rotation vector of a against b, in the axes of b; meant for rotations below π.   3 rows
ConstraintPtr ball_coordinates(const AttachmentPair& at);
/// Angles of a universal joint: about z of b, and about x of a.   2 rows
ConstraintPtr universal_coordinates(const AttachmentPair& at);
/// Travel along x and y of b, and the angle about z of b.   3 rows
ConstraintPtr planar_coordinates(const AttachmentPair& at);
/// Displacement of a from b in the axes of b, and rotation vector.   6 rows
ConstraintPtr frame_coordinates(const AttachmentPair& at);
/// Distance of the two points, less `rest`.   1 row
ConstraintPtr length_coordinate(const AttachmentPair& at, double rest);
/// Angle between the z axes: how far a ball joint is bent, for cones.   1 row
ConstraintPtr swing_coordinate(const AttachmentPair& at);

/// A sphere of radius r (0: a point) at marker a against the positive side of a surface fixed in b: pushes, never pulls.
ForcePtr compliant_contact(const Attachment& a, double radius, const Attachment& b,
                           std::shared_ptr<const Surface> surface, double stiffness, double damping);

}  // namespace catena
