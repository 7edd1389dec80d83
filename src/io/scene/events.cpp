// Section `events`: what to watch for while a scene runs, and what happens then. Joints that break say so themselves (`breaks_at`).
#include "io/scene/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::io {

const Variant& event_variants() {
  static const Variant variant{
      "event",
      "",
      {{"",
        "a probe passes a value",
        {{"name", Value::name, "", "name, for messages", kRequired},
         {"probe", Value::text, "", "name of a probe with one number", kRequired},
         {"rises_above", Value::number, "", "happens when the probe rises above this value"},
         {"falls_below", Value::number, "", "happens when the probe falls below this value"},
         {"crosses", Value::number, "", "happens when the probe passes this value, either way"},
         {"remove", Value::name_list, "", "joints and forces that are removed then"},
         {"stop", Value::boolean, "", "whether the run ends there; default false"}}}}};
  return variant;
}

const Record& breaks_at_record() {
  static const Record record{
      "",
      "when a joint breaks",
      {{"force", Value::positive, "N", "magnitude of the force it carries; default no limit"},
       {"torque", Value::positive, "N·m", "magnitude of the torque; default no limit"}}};
  return record;
}

namespace {

struct Threshold {
  double value = 0.0;
  Event::Crossing crossing = Event::Crossing::either;
};

std::optional<Threshold> read_threshold(const Fields& fields) {
  fields.exclusive({"rises_above", "falls_below", "crosses"});
  if (const auto value = fields.number("rises_above")) return Threshold{*value, Event::Crossing::rising};
  if (const auto value = fields.number("falls_below")) return Threshold{*value, Event::Crossing::falling};
  if (const auto value = fields.number("crosses")) return Threshold{*value, Event::Crossing::either};
  if (fields.ok())
    fields.report("name", "the event has no value to wait for", "add rises_above, falls_below or crosses");
  return std::nullopt;
}

// removes what is still there: two events may name the same joint
std::function<void(Simulation&)> removal(const std::vector<ConstraintId>& joints,
                                         const std::vector<ForceId>& forces) {
  if (joints.empty() && forces.empty()) return {};
  return [joints, forces](Simulation& sim) {
    sim.edit([&](Model& model) {
      for (const ConstraintId id : joints)
        if (model.index_of(id) >= 0) model.remove(id);
      for (const ForceId id : forces)
        if (model.index_of(id) >= 0) model.remove(id);
    });
  };
}

}  // namespace

void read_event(SceneContext& context, const Node& node) {
  const auto fields = Fields::select(node, event_variants(), context.reading());
  if (!fields) return;
  const auto name = fields->text("name"), probe_name = fields->text("probe");
  const auto threshold = read_threshold(*fields);
  if (!name || !probe_name || !threshold) return;
  const auto& probes = context.scene.probes;
  const auto probe =
      std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == *probe_name; });
  if (probe == probes.end())
    return fields->report("probe", fmt::format("there is no probe '{}'", *probe_name),
                          "name one of the section probes");
  if (probe->size != 1)
    return fields->report("probe", fmt::format("probe '{}' has {} numbers", *probe_name, probe->size),
                          "give it a 'component'");
  std::vector<ConstraintId> joints;
  std::vector<ForceId> forces;
  for (const std::string& thing : fields->names("remove")) {
    if (const auto joint = context.scene.model.find_constraint(thing))
      joints.push_back(*joint);
    else if (const auto force = context.scene.model.find_force(thing))
      forces.push_back(*force);
    else
      fields->report("remove", fmt::format("there is no joint and no force '{}'", thing), "check the name");
  }
  if (!fields->ok()) return;
  const auto value = [read = probe->read, limit = threshold->value](const Simulation& sim) {
    double now = 0.0;
    read(sim, &now);
    return now - limit;
  };
  context.scene.events.push_back({*name, value, threshold->crossing, removal(joints, forces)});
  if (fields->boolean("stop", false)) context.scene.stop_at.push_back(*name);
}

void read_breaks_at(SceneContext& context, const Fields& fields, ConstraintId joint) {
  if (fields.record().find("breaks_at") == nullptr) return;
  const auto limits = fields.fields("breaks_at");
  if (!limits) return;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (!limits->has("force") && !limits->has("torque"))
    fields.report("breaks_at", "the joint has no limit", "add force or torque");
  context.scene.breakable.push_back(
      {joint, limits->number("force", kNever), limits->number("torque", kNever)});
}

}  // namespace catena::io
