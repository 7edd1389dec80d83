// Where everything is in the problem of maximal coordinates: one node per body and per constraint, in model order.
#pragma once

#include "formulation/body_rows.h"

namespace catena::maximal {

struct Blocks {
  explicit Blocks(const Layout& layout);

  solve::Graph graph;
  std::vector<int> block;  // per constraint marker: offset of its block of J, -1 for the world
  std::vector<ExplicitPlace> explicit_place;  // per constraint; none until a solver asks (use_explicit_edges)

  /// What the solver wants expressed explicitly: per constraint an edge of the graph, or -1.
  void set_explicit_edge(const Layout& layout, int constraint, int edge);
};

}  // namespace catena::maximal
