// The texts that the viewer's server sends (docs/viewer.md).
#pragma once

#include "view/document.h"
#include "view/json.h"
#include "view/player.h"
#include "view/samples.h"

namespace catena::app {

/// What a structure message says besides the player.
struct Surroundings {
  std::string file;
  const Document& document;
  bool can_undo = false, can_redo = false;
};

std::string structure_message(const ViewPlayer& player, const Surroundings& around);
std::string status_message(const ViewPlayer& player, bool arrows);
std::string samples_message(std::uint32_t revision, const std::vector<std::string>& columns,
                            std::span<const std::vector<double>> rows);
std::string refusal_message(const Refusal& refusal);
/// @param what "edit", "message", "event", or "internal": an error of the program
std::string problem_message(const std::string& what, const std::string& message);
std::string saved_message(const std::string& text);
std::string reply_message(const Json& id, bool ok, const std::string& message);

/// Names, titles and descriptions of the embedded examples, as JSON.
const Json& example_list();

}  // namespace catena::app
