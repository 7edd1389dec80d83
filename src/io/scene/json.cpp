// Scene documents as JSON: every plain number and truth value as such, everything else as text.
#include "io/scene/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace catena::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 9> kLists{"bodies",      "generate", "joints",
                                                 "constraints", "forces",   "inequalities",
                                                 "controllers", "probes",   "events"};

Json json_of_scalar(const Node& node) {
  if (node.quoted) return node.text;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  if (node.text.empty() || node.text.size() > 40 || node.text == "null") return node.text;
  // a number only when JSON writes it the same way
  Json number = Json::parse(node.text, nullptr, false);
  return number.is_number() ? number : Json(node.text);
}

Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::scalar:
      return json_of_scalar(node);
    case Node::Kind::list: {
      Json list = Json::array();
      for (const Node* child : node.children) list.push_back(json_of(*child));
      return list;
    }
    case Node::Kind::map:
      break;
  }
  Json map = Json::object();
  for (const Node* child : node.children) map[child->key] = json_of(*child);
  return map;
}

void append(Json& to, const Json& list) {
  if (!to.is_array()) to = Json::array();
  for (const Json& item : list) to.push_back(item);
}

void merge(Json& into, const Json& map, bool at_top) {
  for (const auto& [key, value] : map.items()) {
    if (at_top && key == "include") continue;
    const bool is_list =
        at_top ? std::find(kLists.begin(), kLists.end(), key) != kLists.end() : key == "bodies";
    if (is_list && value.is_array())
      append(into[key], value);
    else if (value.is_object() && into.contains(key) && into[key].is_object())
      merge(into[key], value, false);
    else
      into[key] = value;
  }
}

}  // namespace

std::string merged_json(const std::vector<const Node*>& roots) {
  Json scene = Json::object();
  for (const Node* root : roots)
    if (root->is_map()) merge(scene, json_of(*root), true);
  return scene.dump();
}

}  // namespace catena::io
