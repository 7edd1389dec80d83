// The elimination of a model as text: its order as a tree, the blocks of its factor as a picture.
#pragma once

#include "catena/analysis.h"

#include <string>

namespace catena::app {

/// Tree and block picture for up to 60 nodes, counts above.
std::string elimination_picture(const EliminationGraph& graph);

}  // namespace catena::app
