// Scene documents: reading, writing, names, placements, history.
#include "view/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace catena::app {
namespace {

constexpr std::array<const char*, 4> kSections{"bodies", "joints", "constraints", "forces"};
constexpr std::size_t kLineWidth = 150;  // characters: longer entries are broken into keys

/// Whether YAML takes the text for itself without quotes.
bool is_plain(const std::string& text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  for (const char* word : {"true", "false", "null", "yes", "no", "on", "off", "~"})
    if (text == word) return false;
  if (!std::isalpha(static_cast<unsigned char>(text.front())) && text.front() != '_') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-. ()*/+^$").find(c) != std::string_view::npos;
  });
}

std::string flow(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return is_plain(text) ? text : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  if (value.is_array()) {
    std::string out = "[";
    for (const Json& item : value) out += (out.size() > 1 ? ", " : "") + flow(item);
    return out + "]";
  }
  if (value.is_object()) {
    std::string out = "{";
    for (const auto& [key, item] : value.items())
      out += (out.size() > 1 ? ", " : "") + flow(Json(key)) + ": " + flow(item);
    return out + "}";
  }
  return value.dump();
}

void append_block(std::string& out, const std::string& key, const Json& value, int indent) {
  const std::string margin(std::size_t(indent), ' ');
  const std::string line = flow(value);
  if (value.is_array() && !value.empty() && value.front().is_object()) {
    out += fmt::format("{}{}:\n", margin, flow(Json(key)));
    for (const Json& item : value) {
      const std::string entry = flow(item);
      if (entry.size() <= kLineWidth || !item.is_object()) {
        out += fmt::format("{}  - {}\n", margin, entry);
        continue;
      }
      bool first = true;
      for (const auto& [name, part] : item.items()) {
        out += fmt::format("{}  {} {}: {}\n", margin, first ? "-" : " ", flow(Json(name)), flow(part));
        first = false;
      }
    }
  } else if (value.is_object() && !value.empty() && (line.size() > 80 || indent == 0)) {
    out += fmt::format("{}{}:\n", margin, flow(Json(key)));
    for (const auto& [name, part] : value.items()) append_block(out, name, part, indent + 2);
  } else {
    out += fmt::format("{}{}: {}\n", margin, flow(Json(key)), line);
  }
}

bool has_entries(const Json& scene, const char* section) {
  const auto it = scene.find(section);
  return it != scene.end() && it->is_array() && !it->empty();
}

/// "mass of 'rod1'" for "scene:2:38 bodies[0].mass": the reader's place in words of who builds.
std::string place_in_words(const std::string& where, const std::string& document, const Json& scene) {
  if (!where.starts_with(document + ":")) return where;
  const std::size_t space = where.find(' ');
  if (space == std::string::npos) return document;
  const std::string path = where.substr(space + 1, where.find(' ', space + 1) - space - 1);
  const std::size_t open = path.find('['), close = path.find(']');
  if (open == std::string::npos || close == std::string::npos) return path;
  const auto list = scene.find(path.substr(0, open));
  const std::size_t index = std::strtoul(path.c_str() + open + 1, nullptr, 10);
  if (list == scene.end() || !list->is_array() || index >= list->size()) return path;
  const Json& entry = (*list)[index];
  const std::string thing = entry.is_object() && entry.contains("name") && entry["name"].is_string()
                                ? fmt::format("'{}'", entry["name"].get<std::string>())
                                : path.substr(0, close + 1);
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos || dot < close ? thing
                                                 : fmt::format("{} of {}", path.substr(dot + 1), thing);
}

Scene read_in_words(const Json& scene, const std::string& name,
                    const std::map<std::string, std::string>& set) {
  try {
    return parse_scene(yaml_of(scene), name, set);
  } catch (const InvalidInput& problem) {
    std::vector<Issue> issues(problem.issues().begin(), problem.issues().end());
    for (Issue& issue : issues) issue.where = place_in_words(issue.where, name, scene);
    throw InvalidInput(std::move(issues));
  }
}

std::vector<double> numbers(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

}  // namespace

Document document_from_file(const std::string& file, std::map<std::string, std::string> set) {
  return {Json::parse(scene_as_json(file)), std::move(set)};
}

Document document_from_text(const std::string& text) {
  return {Json::parse(scene_text_as_json(text)), {}};
}

std::string yaml_of(const Json& scene) {
  std::string out;
  for (const auto& [key, value] : scene.items()) {
    if (!out.empty() && value.is_structured()) out += '\n';
    append_block(out, key, value, 0);
  }
  return out;
}

Scene read_scene(const Document& document, const std::string& name) {
  if (has_entries(document.scene, "bodies") || has_entries(document.scene, "generate"))
    return read_in_words(document.scene, name, document.set);
  Json scene = document.scene;
  scene["bodies"] = Json::array({{{"name", ".nothing"}, {"kind", "particle"}, {"mass", 1}}});
  scene["joints"] = Json::array({{{"name", ".nowhere"}, {"kind", "nail"}, {"a", ".nothing"}}});
  for (const char* section : {"constraints", "forces", "controllers", "probes", "events", "initial"})
    scene.erase(section);
  return read_in_words(scene, name, document.set);
}

void give_names(Json& scene) {
  std::map<std::string, int> numbers_given;  // as SceneContext::name_or_number counts
  for (const char* section : {"joints", "constraints", "forces"}) {
    if (!has_entries(scene, section)) continue;
    for (Json& entry : scene[section]) {
      if (!entry.is_object() || entry.contains("repeat"))
        return;  // repeated ones count too: leave the rest unnamed
      if (entry.contains("name") || !entry.contains("kind") || !entry["kind"].is_string()) continue;
      const auto kind = entry["kind"].get<std::string>();
      Json named = {{"name", fmt::format("{}-{}", kind, ++numbers_given[kind])}};
      named.update(entry);
      entry = std::move(named);
    }
  }
}

const Json* find_entry(const Json& scene, const std::string& name, std::string* section) {
  for (const char* key : kSections) {
    if (!has_entries(scene, key)) continue;
    for (const Json& entry : scene[key])
      if (entry.is_object() && entry.contains("name") && entry["name"] == name) {
        if (section != nullptr) *section = key;
        return &entry;
      }
  }
  return nullptr;
}

Json* find_entry(Json& scene, const std::string& name, std::string* section) {
  return const_cast<Json*>(find_entry(std::as_const(scene), name, section));
}

Json entries_by_name(const Json& scene, std::size_t most) {
  Json out = Json::object();
  for (const char* key : kSections) {
    if (!has_entries(scene, key)) continue;
    for (const Json& entry : scene[key]) {
      if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string()) continue;
      if (out.size() >= most) return Json::object();
      Json& item = out[entry["name"].get<std::string>()];
      item = {{"section", std::string_view(key) == "constraints" ? "joints" : key}};
      item.update(entry);
    }
  }
  return out;
}

void write_placements(Json& scene, const Scene& start, const Simulation& sim) {
  Json list = Json::array();
  for (const BodyEntry& entry : start.model.bodies()) {
    const auto id = sim.model().find_body(entry.name);
    if (!id || entry.name.starts_with('.')) continue;
    const Placement now = sim.placement(*id), before = entry.body->unpack(entry.q.data(), entry.v.data());
    const bool moved = (now.position - before.position).norm() > 1e-12 ||
                       (now.orientation.coeffs() - before.orientation.coeffs()).norm() > 1e-12 ||
                       (now.velocity - before.velocity).norm() > 1e-12 ||
                       (now.angular_velocity - before.angular_velocity).norm() > 1e-12;
    VecX q = entry.q, v = entry.v;
    if (!moved || !entry.body->pack(now, q.data(), v.data()).empty()) continue;  // beads have no placement
    Json item{{"body", entry.name}, {"position", numbers(now.position)}, {"velocity", numbers(now.velocity)}};
    if (entry.body->has_orientation()) {
      item["orientation"] = {now.orientation.w(), now.orientation.x(), now.orientation.y(),
                             now.orientation.z()};
      item["angular_velocity"] = numbers(now.angular_velocity);
    }
    list.push_back(std::move(item));
  }
  if (list.empty()) return;
  Json& initial = scene["initial"];
  if (!initial.is_object()) initial = Json::object();
  initial["project"] = true;
  initial["bodies"] = std::move(list);
}

History::Version History::version(const Kept& kept) {
  return {{Json::parse(kept.scene), kept.set}, kept.keeps_motion};
}

void History::keep(std::deque<Kept>& side, const Document& document, bool keeps_motion) {
  side.push_back(
      {document.scene.dump(-1, ' ', false, Json::error_handler_t::replace), document.set, keeps_motion});
  bytes_ += side.back().scene.size();
}

void History::drop(std::deque<Kept>& side, bool newest) {
  bytes_ -= (newest ? side.back() : side.front()).scene.size();
  if (newest)
    side.pop_back();
  else
    side.pop_front();
}

void History::note(const Document& before, bool keeps_motion) {
  while (!redo_.empty()) drop(redo_, true);
  keep(undo_, before, keeps_motion);
  while (undo_.size() > kMost || (bytes_ > kMostBytes && undo_.size() > 1)) drop(undo_, false);
}

void History::undone(const Document& present) {
  keep(redo_, present, undo_.back().keeps_motion);
  drop(undo_, true);
}

void History::redone(const Document& present) {
  keep(undo_, present, redo_.back().keeps_motion);
  drop(redo_, true);
}

}  // namespace catena::app
