// Scene documents as JSON, for programs that edit them.
#pragma once

#include "io/document/document.h"

namespace catena::io {

/// One JSON object from the files of a scene, in the order in which they count: lists of things are joined, later values replace
/// earlier ones, `include` is gone.
std::string merged_json(const std::vector<const Node*>& roots);

}  // namespace catena::io
