// The page, as a table in the program. Nothing is ever read from a path that a request names.
#pragma once

#include <span>
#include <string_view>

namespace catena::app {

struct Asset {
  std::string_view path;  // "/index.html"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view bytes;
};

/// What was in build/web when the command was built; empty when the page was not built.
std::span<const Asset> page_assets();
/// The scenes of examples/, "crane" and its text; `type` is empty.
std::span<const Asset> example_scenes();

/// The asset with exactly this path ("/" is "/index.html"), or nothing.
const Asset* find_asset(std::span<const Asset> assets, std::string_view path);

}  // namespace catena::app
