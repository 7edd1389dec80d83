// Values from messages.
#include "view/json.h"

#include <fmt/format.h>

#include <cmath>

namespace catena::app {
namespace {

constexpr int kDeepest = 32;

/// Deepest nesting of brackets outside of texts: a message of a million of them is not worth parsing.
bool is_flat(const std::string& text) {
  int depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      if (c == '"') inside = false;
      continue;
    }
    if (c == '"') inside = true;
    if ((c == '{' || c == '[') && ++depth > kDeepest) return false;
    if (c == '}' || c == ']') --depth;
  }
  return true;
}

std::optional<Vec3> vector_of(const Json& value) {
  if (!value.is_array() || value.size() < 2 || value.size() > 3) return std::nullopt;
  Vec3 v = Vec3::Zero();
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_number()) return std::nullopt;
    v[Eigen::Index(i)] = value[i].get<double>();
  }
  return v.allFinite() ? std::optional(v) : std::nullopt;
}

}  // namespace

void refuse(std::string where, std::string what, std::string remedy) {
  throw InvalidInput({{std::move(where), std::move(what), std::move(remedy)}});
}

std::string text_at(const Json& message, const char* key) {
  const auto it = message.find(key);
  if (it == message.end() || !it->is_string())
    refuse(key, "a text is expected", fmt::format("add \"{}\": \"...\"", key));
  return it->get<std::string>();
}

std::string text_at(const Json& message, const char* key, const std::string& fallback) {
  const auto it = message.find(key);
  return it != message.end() && it->is_string() ? it->get<std::string>() : fallback;
}

double number_at(const Json& message, const char* key) {
  const auto it = message.find(key);
  if (it == message.end() || !it->is_number() || !std::isfinite(it->get<double>()))
    refuse(key, "a finite number is expected", fmt::format("add \"{}\": 1", key));
  return it->get<double>();
}

double number_at(const Json& message, const char* key, double fallback) {
  return message.contains(key) ? number_at(message, key) : fallback;
}

bool flag_at(const Json& message, const char* key) {
  const auto it = message.find(key);
  if (it == message.end() || !it->is_boolean())
    refuse(key, "true or false is expected", fmt::format("add \"{}\": true", key));
  return it->get<bool>();
}

Vec3 vector_at(const Json& message, const char* key) {
  const auto it = message.find(key);
  const auto v = it == message.end() ? std::nullopt : vector_of(*it);
  if (!v) refuse(key, "three finite numbers are expected", fmt::format("add \"{}\": [x, y, z]", key));
  return *v;
}

Vec3 vector_at(const Json& message, const char* key, const Vec3& fallback) {
  return message.contains(key) ? vector_at(message, key) : fallback;
}

bool is_of_type(const std::string& text, std::string_view type) {
  return text.size() < 400 && text.find(fmt::format("\"type\":\"{}\"", type)) != std::string::npos;
}

std::optional<Json> parse_message(const std::string& text) {
  if (!is_flat(text)) return std::nullopt;
  Json message = Json::parse(text, nullptr, false);
  return message.is_object() ? std::optional(std::move(message)) : std::nullopt;
}

}  // namespace catena::app
