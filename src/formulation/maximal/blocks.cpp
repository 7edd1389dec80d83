#include "formulation/maximal/blocks.h"

namespace catena::maximal {

Blocks::Blocks(const Layout& layout) : block(layout.constraint_markers.size(), -1) {
  solve::GraphBuilder builder;
  for (const BodySlot& slot : layout.bodies) builder.add_body(slot.num_v);
  for (const ConstraintSlot& slot : layout.constraints) {
    const LowerPair& pair = slot.lower_pair;
    builder.add_constraint(slot.rows, bodies_of(layout.constraint_markers, slot),
                           {pair.linear, pair.angular, pair.at_point()}, slot.acts_elsewhere);
  }
  graph = builder.finish();
  for (std::size_t c = 0; c < layout.constraints.size(); ++c)
    find_blocks(graph, int(c), 0, layout.constraint_markers, layout.constraints[c], block);
}

ExplicitPlace Blocks::explicit_place(const Layout& layout, int constraint, int edge) const {
  if (edge < 0) return {};
  const auto c = std::size_t(constraint);
  const int first = layout.constraint_markers[std::size_t(layout.constraints[c].marker_begin)].body;
  return {graph.pair[c], graph.edges[std::size_t(edge)].body == first ? 1.0 : -1.0};
}

}  // namespace catena::maximal
