// Section `events`: what to watch for while a scene runs, or when, and what happens then. Joints that break say so themselves (`breaks_at`).
#include "io/scene/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::io {

const Record& blow_record() {
  static const Record record{
      "",
      "an impulse at a point of a body",
      {{"body", Value::body, "", "the body", kRequired},
       {"point", Value::vector, "m", "a point of it, in the world at the start; default its centre"},
       {"impulse", Value::vector, "N·s", "what it is given", kRequired},
       {"axes",
        Value::choice,
        "",
        "of the impulse: of the world, or of the body as it is then; default world",
        kOptional,
        {"world", "body"}}}};
  return record;
}

const Variant& event_variants() {
  static const Variant variant{
      "event",
      "",
      {{"",
        "a probe passes a value, or a time comes",
        {{"name", Value::name, "", "name, for messages", kRequired},
         {"time", Value::non_negative, "s", "happens at this time"},
         {"probe", Value::text, "", "name of a probe with one number"},
         {"rises_above", Value::number, "", "happens when the probe rises above this value"},
         {"falls_below", Value::number, "", "happens when the probe falls below this value"},
         {"crosses", Value::number, "", "happens when the probe passes this value, either way"},
         {"impulse", Value::record, "", "a blow that is struck then", kOptional, blow_record},
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
    fields.report("name", "the event has no value to wait for",
                  "add rises_above, falls_below or crosses; or a time in place of the probe");
  return std::nullopt;
}

/// What it waits for: value and crossing. Nothing after an error.
std::optional<Event> read_condition(SceneContext& context, const Fields& fields) {
  fields.exclusive({"time", "probe"});
  if (const auto time = fields.number("time")) {
    for (const char* key : {"rises_above", "falls_below", "crosses"})
      if (fields.has(key)) fields.report(key, "a time is no probe to compare", "leave it out");
    // one that begins later, as a restored run does, has been told; one at 0 happens at once
    return Event{
        {}, [at = *time](const Simulation& sim) { return sim.time() - at; }, Event::Crossing::exceeded, {}};
  }
  const auto name = fields.text("probe");
  if (!name && fields.ok())
    fields.report("name", "the event waits for nothing", "add a probe with a value to pass, or a time");
  const auto threshold = name ? read_threshold(fields) : std::nullopt;
  if (!threshold) return std::nullopt;
  const auto probe = std::ranges::find(context.scene.probes, *name, &Probe::name);
  if (probe == context.scene.probes.end()) {
    fields.report("probe", fmt::format("there is no probe '{}'", *name), "name one of the section probes");
    return std::nullopt;
  }
  if (probe->size != 1) {
    fields.report("probe", fmt::format("probe '{}' has {} numbers", *name, probe->size),
                  "give it a 'component'");
    return std::nullopt;
  }
  const auto value = [read = probe->read, limit = threshold->value](const Simulation& sim) {
    double now = 0.0;
    read(sim, &now);
    return now - limit;
  };
  return Event{{}, value, threshold->crossing, {}};
}

using Action = std::function<void(Simulation&)>;

/// The impulse of an event; empty when there is none, or after an error. One that is refused refuses the step.
Action read_blow(SceneContext& context, const Fields& fields, const std::string& event) {
  const auto blow = fields.fields("impulse");
  if (!blow) return {};
  const auto body = context.find_body(*blow, "body");
  const auto impulse = blow->vector("impulse");
  if (!body || !impulse) return {};
  if (body->is_world()) {
    blow->report("body", "the world does not move", "name a body");
    return {};
  }
  const bool in_body = blow->text("axes").value_or("world") == "body";
  if (in_body && body->is_particle())
    blow->report("axes", "a particle has no axes", "use those of the world");
  const Attachment at = mark_with_axes(*body, blow->vector("point", body->placement.position),
                                       body->placement.orientation.toRotationMatrix());
  return [at, in_body, impulse = *impulse, event](Simulation& sim) {
    const Vec3 given = in_body ? Vec3(sim.marker(at).R * impulse) : impulse;
    const StepReport report = sim.apply_impulse(at.body, sim.marker(at).x, given);
    if (!report.ok())
      throw InvalidInput({{fmt::format("event '{}'", event), "its impulse is refused: " + report.message,
                           "strike at another time, or mend the constraints there"}});
  };
}

/// Removes what is still there: two events may name the same joint. Empty when nothing is named.
Action read_removal(SceneContext& context, const Fields& fields) {
  std::vector<ConstraintId> joints;
  std::vector<ForceId> forces;
  for (const std::string& thing : fields.names("remove")) {
    if (const auto joint = context.scene.model.find_constraint(thing))
      joints.push_back(*joint);
    else if (const auto force = context.scene.model.find_force(thing))
      forces.push_back(*force);
    else
      fields.report("remove", fmt::format("there is no joint and no force '{}'", thing), "check the name");
  }
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
  const auto name = fields->text("name");
  auto event = read_condition(context, *fields);
  if (!name || !event) return;
  const Action blow = read_blow(context, *fields, *name), removal = read_removal(context, *fields);
  if (!fields->ok()) return;
  event->name = *name;
  if (blow || removal)
    event->action = [blow, removal](Simulation& sim) {
      if (blow) blow(sim);  // while the joints still pass it on
      if (removal) removal(sim);
    };
  context.scene.events.push_back(std::move(*event));
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
