// Edits of a structure: what is removed and set.
#include "view/edit.h"
#include "view/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace catena::app {
namespace {

/// Whether a value refers to the name: anywhere but in words that only describe.
bool mentions(const Json& value, const std::string& name) {
  if (value.is_string()) return value == name;
  if (value.is_array())
    return std::any_of(value.begin(), value.end(), [&](const Json& item) { return mentions(item, name); });
  if (!value.is_object()) return false;
  for (const auto& [key, item] : value.items()) {
    if (key == "name" || key == "kind" || key == "quantity" || key == "title" || key == "description")
      continue;
    if (mentions(item, name)) return true;
  }
  return false;
}

}  // namespace

Json* Editor::entry_or_explain(const std::string& name, std::string* section) {
  if (Json* entry = find_entry(scene_, name, section)) return entry;
  const Model& model = start_.model;
  const bool exists = model.find_body(name) || model.find_constraint(name) || model.find_force(name);
  if (exists)
    refuse("edit", fmt::format("'{}' was made by a generator or a repetition of the scene", name),
           "such things can be connected to, but not changed one by one: change the scene's parameters");
  refuse("edit", fmt::format("there is no '{}'", name), "it may have been deleted before");
}

void Editor::remove(const std::string& name) {
  std::string section;
  Json* entry = entry_or_explain(name, &section);
  if (section == "bodies")
    if (const auto list = scene_.find("generate"); list != scene_.end() && mentions(*list, name))
      refuse("delete", fmt::format("a generated structure hangs on '{}'", name),
             "it cannot be taken away from below it");
  Json& list = scene_[section];
  list.erase(list.begin() + (entry - &list.front()));
  added_.erase(name);
  remove_mentions(name);
}

// What refers to it goes with it: joints and forces of a body, probes and events of both, its start values.
void Editor::remove_mentions(const std::string& name) {
  for (const char* section : {"joints", "constraints", "forces", "controllers", "probes", "events"}) {
    if (!scene_.contains(section) || !scene_[section].is_array()) continue;
    std::vector<std::string> gone;
    Json kept = Json::array();
    for (const Json& entry : scene_[section]) {
      if (!mentions(entry, name)) {
        kept.push_back(entry);
      } else if (std::string own = text_at(entry, "name", ""); !own.empty()) {
        gone.push_back(std::move(own));
      }
    }
    scene_[section] = std::move(kept);
    for (const std::string& other : gone) remove_mentions(other);
  }
  if (!scene_.contains("initial") || !scene_["initial"].is_object()) return;
  Json& initial = scene_["initial"];
  if (!initial.contains("bodies") || !initial["bodies"].is_array()) return;
  Json kept = Json::array();
  for (const Json& entry : initial["bodies"])
    if (!mentions(entry, name)) kept.push_back(entry);
  initial["bodies"] = std::move(kept);
}

void Editor::set(const std::string& name, const std::string& key, const Json& value) {
  if (name.empty()) {
    if (key != "gravity" && key != "title" && key != "description" && key != "options")
      refuse("set", fmt::format("'{}' cannot be set for the scene", key),
             "set gravity, title, description or options");
    if (key == "options" && value.is_object() && scene_.contains("options"))
      scene_["options"].update(value);
    else
      scene_[key] = value;
    return;
  }
  if (key == "name" || key == "kind")
    refuse("set", fmt::format("'{}' cannot be changed", key), "delete it and make another");
  std::string section;
  Json* entry = entry_or_explain(name, &section);
  const bool has_shape = section == "bodies" && entry->contains("shape") && (*entry)["shape"].is_object();
  const bool is_rod = section == "bodies" && (entry->contains("from") ||
                                              (has_shape && text_at((*entry)["shape"], "kind", "") == "rod"));
  if (is_rod && key == "length") {
    if (!value.is_number() || !(value.get<double>() > 0.0) || !std::isfinite(value.get<double>()))
      refuse("set", "the length must be a number above 0", "give it in metres");
    return set_rod_length(name, *entry, value.get<double>());
  }
  static constexpr std::array<const char*, 4> kOfShape{"radius", "size", "thickness", "semi_axes"};
  const bool of_shape = std::find(kOfShape.begin(), kOfShape.end(), key) != kOfShape.end();
  if (has_shape && of_shape)
    (*entry)["shape"][key] = value;
  else
    (*entry)[key] = value;
}

// The rod becomes one of that length about the same centre; what was joined to its ends is joined to the new ends, and assembly
// brings the rest along.
void Editor::set_rod_length(const std::string& name, Json& entry, double length) {
  const auto id = start_.model.find_body(name);
  if (!id)
    refuse("set", fmt::format("'{}' is not there yet", name), "draw it with the length it should have");
  const BodyEntry& body = start_.model.bodies()[std::size_t(start_.model.index_of(*id))];
  const double before = body.shape.size.x();
  const Placement start = body.body->unpack(body.q.data(), body.v.data());
  if (entry.contains("from")) {
    entry.erase("from");
    entry.erase("to");
    entry["position"] = {start.position.x(), start.position.y(), start.position.z()};
    entry["orientation"] = {start.orientation.w(), start.orientation.x(), start.orientation.y(),
                            start.orientation.z()};
    if (!entry.contains("shape")) entry["shape"] = {{"kind", "rod"}};
    if (!entry["shape"].contains("radius")) entry["shape"]["radius"] = body.shape.size.y();
  }
  entry["shape"]["length"] = length;

  const auto follow = [&](const std::string& other, std::span<const Attachment> attachments) {
    Json* joined = find_entry(scene_, other);
    if (joined == nullptr) return;
    for (const Attachment& at : attachments) {
      if (!(at.body == *id) || std::abs(std::abs(at.point.x()) - 0.5 * before) > 1e-6 * before) continue;
      const char* key = text_at(*joined, "a", "") == name ? "placed_a" : "placed_b";
      Placement placed = start;
      if (joined->contains(key)) {
        const Json& given = (*joined)[key];
        placed.position = vector_at(given, "position", placed.position);
        if (const auto q = given.find("orientation"); q != given.end() && q->is_array() && q->size() == 4)
          placed.orientation = Quat((*q)[0].get<double>(), (*q)[1].get<double>(), (*q)[2].get<double>(),
                                    (*q)[3].get<double>());
      }
      const Vec3 moved((at.point.x() > 0 ? 0.5 : -0.5) * length, at.point.y(), at.point.z());
      const Vec3 position = placed.position + placed.orientation * (at.point - moved);
      (*joined)[key] = {
          {"position", {position.x(), position.y(), position.z()}},
          {"orientation",
           {placed.orientation.w(), placed.orientation.x(), placed.orientation.y(), placed.orientation.z()}}};
    }
  };
  for (const ConstraintEntry& constraint : start_.model.constraints())
    follow(constraint.name, constraint.constraint->attachments());
  for (const ForceEntry& force : start_.model.forces()) follow(force.name, force.force->attachments());
}

}  // namespace catena::app
