// Values from messages. What is missing or wrong is an InvalidInput that names the key.
#pragma once

#include "catena/catena.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace catena::app {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(std::string where, std::string what, std::string remedy);

std::string text_at(const Json& message, const char* key);
std::string text_at(const Json& message, const char* key, const std::string& fallback);
double number_at(const Json& message, const char* key);
double number_at(const Json& message, const char* key, double fallback);
bool flag_at(const Json& message, const char* key);
/// Three finite numbers, or two with z = 0.
Vec3 vector_at(const Json& message, const char* key);
Vec3 vector_at(const Json& message, const char* key, const Vec3& fallback);

/// Parses a message. Nothing when it is no JSON object or nested deeper than sense allows.
std::optional<Json> parse_message(const std::string& text);
/// Whether a short message is of that type, without parsing it; false where it is written with other spaces.
bool is_of_type(const std::string& text, std::string_view type);

}  // namespace catena::app
