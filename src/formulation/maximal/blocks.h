// Where everything is in the problem of maximal coordinates: one node per body and per constraint, in model order.
#pragma once

#include "formulation/body_rows.h"

namespace catena::maximal {

struct Blocks {
  explicit Blocks(const Layout& layout);

  solve::Graph graph;
  std::vector<int> block;  // per constraint marker: offset of its block of J, -1 for the world

  /// Where the explicit form of a constraint goes that a solver wants for this edge of the graph; -1: none.
  ExplicitPlace explicit_place(const Layout& layout, int constraint, int edge) const;
};

}  // namespace catena::maximal
