// Parts of pictures that are found rather than given: rows of rods, ways through line segments.
#pragma once

#include "catena/model.h"

#include <vector>

namespace catena {

/// Names that begin with a '.' belong to the program (the hand of the viewer); they come last in a model and are not drawn.
inline bool is_hidden(std::string_view name) {
  return name.starts_with('.');
}

/// Rods joined end to end, at least eight of them, in their order.
struct RodChain {
  struct Link {
    int body;
    double sign;  // 1: it is passed along its x axis, -1: against it
  };
  std::vector<Link> links;
  bool closed = false;
};
std::vector<RodChain> find_chains(const Model& model);

/// Line segments joined to as few ways as a simple search finds; a closed one ends where it begins.
std::vector<std::vector<Vec3>> join_lines(const std::vector<std::pair<Vec3, Vec3>>& lines);

}  // namespace catena
