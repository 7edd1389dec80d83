// Motors: a law for the effort f about or along z of b (axis.h), behind a gear of ratio n and a limit at the shaft.
//
//   motor            f = n·clip(T)                                                                           (1)
//   motor_curve      f = n·clip(throttle·T(n·speed)),   T by linear interpolation                           (2)
//   pd_motor         f = n·clip((k·(x* - x) + c·(ẋ* - ẋ) + f₀)/n)                                            (3)
//   velocity_motor   f = n·clip(gain·(ẋ* - ẋ)/n)                                                             (4)
//
// x, ẋ position and speed of the axis, * their targets, f₀ feed-forward; clip: between -limit and +limit. Memory: the command,
// where there is one, then the angle of the last accepted step, where the law needs it.
#include "catena/force.h"
#include "catena/joints.h"
#include "model/checks.h"
#include "model/forces/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace catena {
namespace {

constexpr double kLargestCommand = 1e15;
constexpr double kLargestRatio = 1e9;

using Names = std::array<std::string_view, 3>;

/// Words and units of the two axes, for messages and commands.
struct Words {
  std::string_view effort, position, rate;
  const char *effort_unit, *stiffness_unit, *damping_unit;
};
const Words& words_of(Axis axis) {
  static constexpr Words kRotary{"torque", "angle", "rate", "N·m", "N·m/rad", "N·m·s/rad"};
  static constexpr Words kLinear{"force", "travel", "speed", "N", "N/m", "N·s/m"};
  return axis == Axis::rotary ? kRotary : kLinear;
}

/// What all have in common: two markers, an axis, a signal, a drive, and work booked as that of motors.
class AxisMotor : public CoordinateForce {
 public:
  AxisMotor(Axis axis, const AttachmentPair& at, Signal signal, Drive drive, const Names& names,
            std::size_t num_names)
      : CoordinateForce(std::vector<Attachment>{at.a, at.b}),
        coordinate_(axis == Axis::rotary ? hinge_coordinate(at) : slider_coordinate(at)),
        axis_(axis),
        signal_(std::move(signal)),
        drive_(drive),
        names_(names),
        num_names_(num_names) {}
  Account account() const final { return Account::motors; }
  bool needs_orientation() const final { return axis_ == Axis::rotary; }
  const Constraint& coordinates() const final { return *coordinate_; }
  std::span<const double> coordinate_memory(std::span<const double> memory) const final {
    return memory.subspan(std::min(command_size(), memory.size()));
  }
  LawResponse answer(int, const Motion& motion, double c, double rate, double) const final {
    return effort(motion, c, rate);
  }
  const Law& law(int) const final { return law_; }
  void apply(const Motion& motion, Wrenches& wrenches) const final {
    add_along_axis(axis_, motion, effort(motion), wrenches);
  }
  double nonconservative_power(const Motion& motion) const final {
    return effort(motion) * axis_speed(axis_, motion);
  }
  std::span<const std::string_view> command_names() const final { return {names_.data(), command_size()}; }
  int memory_size() const override { return int(command_size()); }
  void start_memory(const Motion&, std::span<double> memory) const override {
    if (const auto* command = std::get_if<Command>(&signal_)) memory[0] = command->start;
  }

 protected:
  /// At the joint, from position and speed of the axis.
  virtual LawResponse effort(const Motion& motion, double x, double speed) const = 0;
  /// Laws of speed alone need no position.
  virtual bool needs_position() const { return false; }
  double effort(const Motion& motion) const {
    const double x = needs_position() ? axis_position(axis_, motion, coordinate_memory(motion.memory)) : 0.0;
    return effort(motion, x, axis_speed(axis_, motion)).force;
  }

  bool is_commanded() const { return std::holds_alternative<Command>(signal_); }
  std::size_t command_size() const { return is_commanded() ? num_names_ : 0; }
  /// A number of the memory; 0 where there is none, as in a motion made by hand.
  static double remembered(const Motion& motion, std::size_t i) {
    return i < motion.memory.size() ? motion.memory[i] : 0.0;
  }
  Jet signal(const Motion& motion) const {
    if (const auto* function = std::get_if<TimeFunction>(&signal_)) return (*function)(motion.time);
    return {remembered(motion, 0), command_size() > 1 ? remembered(motion, 1) : 0.0, 0.0};
  }
  /// What the shaft is asked for, limited, at the joint; its derivatives vanish where the limit holds.
  LawResponse at_joint(double shaft_effort, double stiffness = 0.0, double damping = 0.0) const {
    const double limited = std::clamp(shaft_effort, -drive_.limit, drive_.limit);
    const bool is_free = limited == shaft_effort;
    return {drive_.ratio * limited, is_free ? stiffness : 0.0, is_free ? damping : 0.0, 0.0};
  }

  void check_signal_and_drive(const std::string& signal_name, Problems& problems) const {
    if (const auto* function = std::get_if<TimeFunction>(&signal_))
      check_function(signal_name, *function, problems);
    else
      check_finite("start of the command", std::get<Command>(signal_).start, kLargestCommand, problems);
    if (!(drive_.limit > 0.0))
      problems.push_back(fmt::format("limit must be positive, got {:g} {}; give the largest {} of the shaft",
                                     drive_.limit, words_of(axis_).effort_unit, words_of(axis_).effort));
    check_finite("ratio", drive_.ratio, kLargestRatio, problems);
    if (drive_.ratio == 0.0)
      problems.push_back("ratio must not be 0; give the speed of the shaft over that of the joint");
  }

  ConstraintPtr coordinate_;
  Axis axis_;
  Signal signal_;
  Drive drive_;
  Law law_;  // stiffness and damping, for estimates

 private:
  Names names_;
  std::size_t num_names_;
};

class EffortMotor final : public AxisMotor {
 public:
  EffortMotor(Axis axis, const AttachmentPair& at, Signal effort, Drive drive)
      : AxisMotor(axis, at, std::move(effort), drive, {words_of(axis).effort}, 1) {}
  std::string_view kind() const override { return axis_ == Axis::rotary ? "motor" : "linear_motor"; }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_signal_and_drive(std::string(words_of(axis_).effort), problems);
    return problems;
  }

 private:
  LawResponse effort(const Motion& motion, double, double) const override {
    return at_joint(signal(motion).value);  // (1)
  }
};

class CurveMotor final : public AxisMotor {
 public:
  CurveMotor(Axis axis, const AttachmentPair& at, std::vector<Vec2> points, Signal throttle, Drive drive)
      : AxisMotor(axis, at, std::move(throttle), drive, {"throttle"}, 1), points_(std::move(points)) {
    for (std::size_t i = 1; i < points_.size(); ++i)  // at full throttle, where it falls most steeply
      if (const Vec2 step = points_[i] - points_[i - 1]; step.x() > 0.0)
        law_.damping = std::max(law_.damping, -step.y() / step.x() * drive_.ratio * drive_.ratio);
  }
  std::string_view kind() const override {
    return axis_ == Axis::rotary ? "motor_curve" : "linear_motor_curve";
  }
  bool depends_on_velocity() const override { return true; }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_signal_and_drive("throttle", problems);
    if (points_.size() < 2)
      problems.push_back(fmt::format("the curve needs at least 2 points, got {}; give pairs of speed and {}",
                                     points_.size(), words_of(axis_).effort));
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!points_[i].allFinite()) {
        problems.push_back(fmt::format("point {} of the curve is not finite; give numbers", i));
      } else if (i > 0 && !(points_[i].x() > points_[i - 1].x())) {
        problems.push_back(
            fmt::format("speeds of the curve must increase, got {:g} after {:g}; sort the points by speed",
                        points_[i].x(), points_[i - 1].x()));
      }
    }
    return problems;
  }

 private:
  LawResponse effort(const Motion& motion, double, double speed) const override {  // (2)
    const double throttle = signal(motion).value;
    double slope = 0.0;
    const double tabled = tabulated(drive_.ratio * speed, slope);
    // a torque that rises with speed drives itself: no damper, and left out of what implicit steps linearise
    const double damping = std::max(0.0, -throttle * slope * drive_.ratio * drive_.ratio);
    return at_joint(throttle * tabled, 0.0, damping);
  }
  double tabulated(double speed, double& slope) const {
    const auto above = std::upper_bound(points_.begin(), points_.end(), speed,
                                        [](double s, const Vec2& point) { return s < point.x(); });
    if (above == points_.begin()) return points_.front().y();
    if (above == points_.end()) return points_.back().y();
    const Vec2 &low = *(above - 1), &high = *above;
    slope = (high.y() - low.y()) / (high.x() - low.x());
    return low.y() + slope * (speed - low.x());
  }

  std::vector<Vec2> points_;  // (speed, effort) of the shaft
};

class PdMotor final : public AxisMotor {
 public:
  PdMotor(Axis axis, const AttachmentPair& at, Signal target, double stiffness, double damping, Drive drive,
          TimeFunction feed_forward)
      : AxisMotor(axis, at, std::move(target), drive,
                  {words_of(axis).position, words_of(axis).rate, words_of(axis).effort}, 3),
        stiffness_(stiffness),
        damping_(damping),
        feed_forward_(std::move(feed_forward)) {
    law_ = {.stiffness = stiffness, .damping = damping};
  }
  std::string_view kind() const override { return axis_ == Axis::rotary ? "pd_motor" : "linear_pd_motor"; }
  bool depends_on_velocity() const override { return damping_ != 0.0; }
  double stiffness() const override { return stiffness_; }
  int memory_size() const override { return int(command_size()) + (axis_ == Axis::rotary ? kTurnMemory : 0); }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    AxisMotor::start_memory(motion, memory);
    if (axis_ == Axis::rotary)
      start_turns(hinge_angle(motion.at[0], motion.at[1]), axis_speed(axis_, motion), motion.time,
                  memory.subspan(command_size()));
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    if (axis_ == Axis::rotary)
      advance_turns(hinge_angle(motion.at[0], motion.at[1]), axis_speed(axis_, motion), motion.time,
                    memory.subspan(command_size()));
  }
  std::vector<std::string> validate() const override {
    const Words& words = words_of(axis_);
    Problems problems;
    check_signal_and_drive("target " + std::string(words.position), problems);
    check_not_negative("stiffness", stiffness_, kLargestStiffness, words.stiffness_unit, problems);
    check_not_negative("damping", damping_, kLargestStiffness, words.damping_unit, problems);
    if (feed_forward_) check_function("feed-forward", feed_forward_, problems);
    return problems;
  }

 private:
  bool needs_position() const override { return true; }
  LawResponse effort(const Motion& motion, double x, double speed) const override {
    const Jet target = signal(motion);
    double wanted = stiffness_ * (target.value - x) + damping_ * (target.rate - speed);
    if (is_commanded()) wanted += remembered(motion, 2);
    if (feed_forward_) wanted += feed_forward_(motion.time).value;
    return at_joint(wanted / drive_.ratio, stiffness_, damping_);  // (3)
  }

  double stiffness_, damping_;
  TimeFunction feed_forward_;
};

class VelocityMotor final : public AxisMotor {
 public:
  VelocityMotor(Axis axis, const AttachmentPair& at, Signal rate, double gain, Drive drive)
      : AxisMotor(axis, at, std::move(rate), drive, {words_of(axis).rate}, 1), gain_(gain) {
    law_ = {.damping = gain};
  }
  std::string_view kind() const override {
    return axis_ == Axis::rotary ? "velocity_motor" : "linear_velocity_motor";
  }
  bool depends_on_velocity() const override { return true; }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_signal_and_drive("target " + std::string(words_of(axis_).rate), problems);
    check_not_negative("gain", gain_, kLargestStiffness, words_of(axis_).damping_unit, problems);
    return problems;
  }

 private:
  LawResponse effort(const Motion& motion, double, double speed) const override {
    return at_joint(gain_ * (signal(motion).value - speed) / drive_.ratio, 0.0, gain_);  // (4)
  }

  double gain_;
};

}  // namespace

ForcePtr motor(const AttachmentPair& at, Signal torque, Drive drive) {
  return std::make_shared<EffortMotor>(Axis::rotary, at, std::move(torque), drive);
}
ForcePtr linear_motor(const AttachmentPair& at, Signal force, Drive drive) {
  return std::make_shared<EffortMotor>(Axis::linear, at, std::move(force), drive);
}
ForcePtr motor_curve(const AttachmentPair& at, std::vector<Vec2> points, Signal throttle, Drive drive) {
  return std::make_shared<CurveMotor>(Axis::rotary, at, std::move(points), std::move(throttle), drive);
}
ForcePtr linear_motor_curve(const AttachmentPair& at, std::vector<Vec2> points, Signal throttle,
                            Drive drive) {
  return std::make_shared<CurveMotor>(Axis::linear, at, std::move(points), std::move(throttle), drive);
}
ForcePtr pd_motor(const AttachmentPair& at, Signal angle, double stiffness, double damping, Drive drive,
                  TimeFunction feed_forward) {
  return std::make_shared<PdMotor>(Axis::rotary, at, std::move(angle), stiffness, damping, drive,
                                   std::move(feed_forward));
}
ForcePtr linear_pd_motor(const AttachmentPair& at, Signal travel, double stiffness, double damping,
                         Drive drive, TimeFunction feed_forward) {
  return std::make_shared<PdMotor>(Axis::linear, at, std::move(travel), stiffness, damping, drive,
                                   std::move(feed_forward));
}
ForcePtr velocity_motor(const AttachmentPair& at, Signal rate, double gain, Drive drive) {
  return std::make_shared<VelocityMotor>(Axis::rotary, at, std::move(rate), gain, drive);
}
ForcePtr linear_velocity_motor(const AttachmentPair& at, Signal speed, double gain, Drive drive) {
  return std::make_shared<VelocityMotor>(Axis::linear, at, std::move(speed), gain, drive);
}

}  // namespace catena
