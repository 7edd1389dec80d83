// The texts that the viewer's server sends. Numbers that are not finite become null.
#include "view/protocol.h"

#include "view/assets.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

namespace catena::app {
namespace {

std::string text_of(const Json& message) {
  // names come from scenes: what is no UTF-8 must not end the server
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

/// The value of a key at the top of a scene, folded blocks included, without parsing all of it.
std::string top_value(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') continue;
    std::string value(line.substr(std::min(key.size() + 2, line.size())));
    if (value != ">" && value != "|" && value != ">-") {
      if (value.size() > 1 && (value.front() == '"' || value.front() == '\''))
        value = value.substr(1, value.size() - 2);
      return value;
    }
    value.clear();
    while (at < text.size() && text[at] == ' ') {
      end = std::min(text.find('\n', at), text.size());
      const std::size_t first = text.find_first_not_of(' ', at);
      if (!value.empty()) value += ' ';
      value += text.substr(first, end - std::min(first, end));
      at = end + 1;
    }
    return value;
  }
  return {};
}

Json number_or_text(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  return text;
}

// Parameters that may be changed: those that are not computed from others.
Json parameters_of(const Scene& scene, const Document& document) {
  Json out = Json::object();
  const auto section = document.scene.find("parameters");
  if (section == document.scene.end() || !section->is_object()) return out;
  for (const auto& [name, given] : section->items()) {
    const auto final_value = scene.parameters.find(name);
    if (final_value == scene.parameters.end()) continue;
    const Json& plain = given.is_object() && given.contains("value") ? given["value"] : given;
    const Json value = number_or_text(final_value->second);
    const bool is_computed = plain.is_string() && value.is_number();
    if (is_computed && !given.is_object()) continue;
    Json item{{"value", value}};
    if (given.is_object())
      for (const char* key : {"min", "max", "choices", "doc"})
        if (given.contains(key)) item[key] = given[key];
    out[name] = std::move(item);
  }
  return out;
}

}  // namespace

const Json& example_list() {
  static const Json list = [] {
    Json all = Json::array();
    for (const Asset& scene : example_scenes())
      all.push_back({{"name", scene.path},
                     {"title", top_value(scene.bytes, "title")},
                     {"description", top_value(scene.bytes, "description")}});
    return all;
  }();
  return list;
}

namespace {

/// The picture with a mark on bodies that have no entry of their own.
Picture with_sources(Picture picture, const Json& scene) {
  std::set<std::string> own;
  if (const auto bodies = scene.find("bodies"); bodies != scene.end() && bodies->is_array())
    for (const Json& entry : *bodies)
      if (entry.is_object()) own.insert(text_at(entry, "name", ""));
  for (PictureBody& body : picture.bodies) body.generated = !own.contains(body.name);
  return picture;
}

}  // namespace

std::string structure_message(const ViewPlayer& player, const Surroundings& around) {
  const Scene& scene = player.scene();
  const CheckReport& report = player.report();
  const Choice& choice = player.sim().choice();
  Json probes = Json::array(), overlays = Json::object(), events = Json::array(), notes = Json::array();
  for (const Probe& probe : scene.probes) {
    probes.push_back({{"name", probe.name},
                      {"quantity", probe.quantity},
                      {"unit", probe.unit},
                      {"components", probe.components}});
    if (!probe.analytic_text.empty()) overlays[probe.name] = probe.analytic_text;
  }
  for (const Event& event : scene.events) events.push_back(event.name);
  for (const std::string& warning : report.warnings) notes.push_back(warning);
  for (const Dependency& dependency : report.dependencies) {
    if (notes.size() >= 12) break;
    notes.push_back(dependency.summary + (dependency.remedy.empty() ? "" : " (" + dependency.remedy + ")"));
  }
  // a hidden body that stands in for an empty scene has nothing to say
  const bool is_empty = player.picture().bodies.empty();
  if (is_empty) notes = Json::array();
  const Json message{{"type", "structure"},
                     {"revision", player.revision()},
                     {"title", scene.title},
                     {"description", scene.description},
                     {"file", around.file},
                     {"dof", report.dof},
                     {"rows", is_empty ? 0 : report.rows},
                     {"redundant_rows", report.redundant_rows},
                     {"velocities", is_empty ? 0 : report.velocities},
                     {"loops", is_empty ? 0 : report.loops},
                     {"solver", name(choice.solver)},
                     {"solver_reason", choice.solver_reason},
                     {"integrator", name(choice.integrator)},
                     {"integrator_reason", choice.integrator_reason},
                     {"dt", scene.dt},
                     {"duration", scene.duration},
                     {"parameters", parameters_of(scene, around.document)},
                     {"probes", std::move(probes)},
                     {"overlays", std::move(overlays)},
                     {"events", std::move(events)},
                     {"notes", std::move(notes)},
                     {"can_undo", around.can_undo},
                     {"can_redo", around.can_redo},
                     {"examples", example_list()},
                     {"entries", entries_by_name(around.document.scene, 300)}};
  std::string text = text_of(message);
  text.pop_back();
  return text + ",\"picture\":" + picture_json(with_sources(player.picture(), around.document.scene)) + "}";
}

std::string status_message(const ViewPlayer& player, bool arrows) {
  const Simulation& sim = player.sim();
  const Energy energy = sim.energy();
  const StepReport& last = player.last_step();
  Json hand = nullptr;
  if (player.hand()) {
    const Vec3 force = player.hand_force();
    hand = {{"body", player.hand()->body},
            {"force", json_of(force)},
            {"newton", force.norm()},
            {"local", json_of(player.hand()->at.point)},
            {"target", json_of(player.hand()->pull->target)}};
  }
  Json blow = nullptr;
  if (const auto& last_blow = player.last_blow())
    blow = {{"body", last_blow->body},
            {"point", json_of(last_blow->point)},
            {"impulse", json_of(last_blow->impulse)},
            {"newton_seconds", last_blow->impulse.norm()},
            {"change", json_of(last_blow->change)},
            {"mass", last_blow->mass},
            {"work", last_blow->work},
            {"time", last_blow->time}};
  return text_of({{"type", "status"},
                  {"revision", player.revision()},
                  {"time", sim.time()},
                  {"playing", player.is_playing()},
                  {"speed", player.speed()},
                  {"real_time_factor", player.real_time_factor()},
                  {"recorded", {player.recorded_from(), player.recorded_to()}},
                  {"live", player.is_live()},
                  {"step", sim.state().steps},
                  {"energy",
                   {{"kinetic", energy.kinetic},
                    {"gravity", energy.gravity},
                    {"springs", energy.springs},
                    {"total", energy.total()},
                    {"numerical", sim.numerical_energy()}}},
                  {"constraint_error", sim.constraint_error()},
                  {"residual", last.residual},
                  {"iterations", last.iterations},
                  {"omega_dt", last.omega_dt},
                  {"micros",
                   {{"step", 1e6 * player.timing.step},
                    {"record", 1e6 * player.timing.record},
                    {"stream", 1e6 * player.timing.stream}}},
                  {"hand", std::move(hand)},
                  {"blow", std::move(blow)},
                  {"kinematic", player.is_kinematic()},
                  {"arrows", arrows}});
}

std::string samples_message(std::uint32_t revision, const std::vector<std::string>& columns,
                            std::span<const std::vector<double>> rows) {
  Json list = Json::array();
  for (const std::vector<double>& row : rows) list.push_back(row);
  return text_of(
      {{"type", "samples"}, {"revision", revision}, {"columns", columns}, {"rows", std::move(list)}});
}

std::string refusal_message(const Refusal& refusal) {
  return text_of({{"type", "problem"},
                  {"what", "refused"},
                  {"message", refusal.message},
                  {"body", refusal.body},
                  {"joint", refusal.joint},
                  {"step", refusal.step},
                  {"time", refusal.time},
                  {"before", true}});
}

std::string problem_message(const std::string& what, const std::string& message) {
  return text_of({{"type", "problem"}, {"what", what}, {"message", message}, {"before", false}});
}

std::string saved_message(const std::string& text) {
  return text_of({{"type", "saved"}, {"text", text}});
}

std::string reply_message(const Json& id, bool ok, const std::string& message) {
  return text_of({{"type", "reply"}, {"id", id}, {"ok", ok}, {"message", message}});
}

}  // namespace catena::app
