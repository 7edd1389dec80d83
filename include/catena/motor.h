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
#pragma once

#include "catena/export.h"
#include "catena/force.h"

#include <variant>

namespace CATENA_API catena {

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

}  // namespace catena
