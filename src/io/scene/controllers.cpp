// Section `controllers`: what is sampled while a scene runs, and writes the torques of joints. (Programs have Simulation::add_controller.)
//
//   computed-torque   α = q̈* + d (q̇* - q̇) + k (q* - q),   τ by inverse dynamics of α          (catena/analysis.h)                     (1)
//
// q̈* is that of the middle of the period that the torques hold for, which is what a constant torque stands for to second order.
#include "catena/analysis.h"
#include "io/scene/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::io {

namespace {

const Record& drive_record() {
  static const Record record{
      "",
      "one joint of a controller",
      {{"joint", Value::constraint, "", "the joint, a hinge or a slider", kRequired},
       {"target", Value::function, "rad or m", "coordinate of the joint, may depend on t", kRequired},
       {"limit", Value::positive, "N·m or N", "largest torque or force, either way; default none"}}};
  return record;
}

const Variant& drive_variants() {
  static const Variant variant{"drive", "", {drive_record()}};
  return variant;
}

struct JointTarget {
  ConstraintId joint;
  ForceId motor;
  TimeFunction target;
  double limit;
  bool slides;  // else it turns
};

/// Coordinate of a joint and its rate.
std::pair<double, double> motion_of(const Simulation& sim, const JointTarget& joint) {
  const JointRate rate = sim.joint_rate(joint.joint);
  if (!joint.slides) return {sim.joint_angle(joint.joint), rate.angular};
  const Model& model = sim.model();
  const auto at = model.constraints()[std::size_t(model.index_of(joint.joint))].constraint->attachments();
  const Marker a = sim.marker(at[0]), b = sim.marker(at[1]);
  return {b.R.col(2).dot(a.x - b.x), rate.linear};
}

/// One sample of (1) after the other. Each simulation has its own.
class ComputedTorque {
 public:
  ComputedTorque(std::vector<JointTarget> joints, double period, double stiffness, double damping)
      : joints_(std::move(joints)), period_(period), stiffness_(stiffness), damping_(damping) {
    for (const JointTarget& joint : joints_) ids_.push_back(joint.joint);
    alpha_ = VecX::Zero(Eigen::Index(ids_.size()));
  }

  void operator()(Simulation& sim) {
    if (!inverse_) inverse_ = std::make_shared<InverseDynamics>(sim, ids_);
    for (std::size_t i = 0; i < joints_.size(); ++i) alpha_[Eigen::Index(i)] = acceleration(sim, joints_[i]);
    if (const StepReport report = inverse_->solve(sim, alpha_); !report.ok())
      throw InvalidInput({{"controller", "no torques have these accelerations: " + report.message,
                           "give targets that the loops allow"}});
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const auto& [joint, motor, target, limit, slides] = joints_[i];
      const double torque =
          sim.command(motor)[0] + inverse_->torques()[Eigen::Index(i)];  // on top of what acts
      sim.set_command(motor, std::clamp(torque, -limit, limit));
    }
  }

 private:
  // (1)
  double acceleration(const Simulation& sim, const JointTarget& joint) const {
    const auto [q, rate] = motion_of(sim, joint);
    const Jet goal = joint.target(sim.time());
    const double off = joint.slides ? goal.value - q : std::remainder(goal.value - q, 2.0 * std::numbers::pi);
    return joint.target(sim.time() + 0.5 * period_).acceleration + damping_ * (goal.rate - rate) +
           stiffness_ * off;
  }

  std::vector<JointTarget> joints_;
  std::vector<ConstraintId> ids_;
  double period_, stiffness_, damping_;
  VecX alpha_;
  std::shared_ptr<InverseDynamics> inverse_;  // shared by copies: a std::function is one
};

/// The joint of a drive, with a motor that takes its torque. Nothing after an error.
std::optional<JointTarget> read_drive(SceneContext& context, const Node& node,
                                      const std::string& controller) {
  const Fields fields(node, drive_record(), context.reading());
  const auto joint = context.find_constraint(fields, "joint");
  const auto target = fields.function("target");
  if (!joint || !target || !fields.ok()) return std::nullopt;
  const Model& model = context.scene.model;
  const ConstraintEntry& entry = model.constraints()[std::size_t(model.index_of(*joint))];
  const std::string_view kind = entry.constraint->kind();
  if (kind != "hinge" && kind != "slider") {
    fields.report("joint", fmt::format("'{}' is a {}, which has no single coordinate", entry.name, kind),
                  "name a hinge or a slider");
    return std::nullopt;
  }
  const std::string motor = controller + "." + entry.name;
  context.add_force(node, motor, joint_motor(entry));
  const auto id = model.find_force(motor);
  if (!id) return std::nullopt;
  return JointTarget{*joint, *id, *target, fields.number("limit", std::numeric_limits<double>::infinity()),
                     kind == "slider"};
}

}  // namespace

const Variant& controller_variants() {
  static const Variant variant{
      "controller",
      "kind",
      {{"computed-torque",
        "torques by inverse dynamics, so that joints follow targets; loops, gears and other forces are "
        "allowed for",
        {{"name", Value::name, "", "name; its motors are called name.joint", kRequired},
         {"kind", Value::choice, "", "computed-torque", kRequired, {"computed-torque"}},
         {"period", Value::positive, "s", "between samples, not shorter than the time step", kRequired},
         {"stiffness", Value::non_negative, "1/s²", "acceleration over error of a coordinate; default 0"},
         {"damping", Value::non_negative, "1/s", "acceleration over error of a rate; default 0"},
         {"drives", Value::variant_list, "", "joints and their targets", kRequired, drive_variants}}}}};
  return variant;
}

void read_controller(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, controller_variants(), context.reading());
  if (!fields) return;
  const auto name = fields->text("name");
  const auto period = fields->number("period");
  const Node* list = fields->find("drives");
  if (!name || !period || list == nullptr) return;
  if (!list->is_list() || list->children.empty()) {
    fields->report("drives", "a list of joints is expected, got " + list->describe(),
                   "begin every entry with '- joint: ...'");
    return;
  }
  std::vector<JointTarget> joints;
  for (const Node* entry : list->children)
    if (auto drive = read_drive(context, *entry, *name)) joints.push_back(std::move(*drive));
  if (!fields->ok()) return;
  const ComputedTorque law(std::move(joints), *period, fields->number("stiffness", 0.0),
                           fields->number("damping", 0.0));
  context.scene.controllers.push_back(
      {*name, *period, [law]() -> std::function<void(Simulation&)> { return ComputedTorque(law); }});
}

}  // namespace catena::io
