#include "formulation/implicit/blocks.h"

#include <algorithm>
#include <map>
#include <set>

namespace catena::implicit {

Blocks::Blocks(const Layout& layout, const StageForm& form)
    : constraint_row(layout.constraints.size()),
      force_row(layout.forces.size(), -1),
      constraint_block(layout.constraint_markers.size(), -1),
      force_block(layout.force_markers.size(), -1),
      force_node(layout.forces.size(), -1) {
  add_nodes(layout, form);
  set_rows(layout);
  for (const ConstraintSlot& slot : layout.constraints) {
    constraint_places.push_back(int(places.size()));
    add_places(layout.constraint_markers, slot);
  }
  constraint_places.push_back(int(places.size()));
  for (const ForceSlot& slot : layout.forces) {
    force_places.push_back(int(places.size()));
    add_places(layout.force_markers, slot);
  }
  force_places.push_back(int(places.size()));
}

void Blocks::add_nodes(const Layout& layout, const StageForm& form) {
  // which node a force along coordinates belongs to: that of a constraint between the same bodies, or one of its own
  std::map<std::vector<int>, int> node_of;
  std::vector<int> node_rows;
  BodyLists node_bodies;
  const auto add_node = [&](const std::vector<int>& bodies, int rows) {
    node_rows.push_back(rows);
    node_bodies.push_back(bodies);
    return int(node_rows.size()) - 1;
  };
  const auto key_of = [](std::vector<int> bodies) {
    std::sort(bodies.begin(), bodies.end());
    return bodies;
  };
  for (const ConstraintSlot& slot : layout.constraints) {
    const std::vector<int> bodies = bodies_of(layout.constraint_markers, slot);
    const int node = add_node(bodies, slot.rows);
    if (!slot.acts_elsewhere) node_of.emplace(key_of(bodies), node);
  }
  first_row_.assign(layout.forces.size(), 0);
  for (std::size_t i = 0; i < layout.forces.size(); ++i) {
    const ForceSlot& slot = layout.forces[i];
    if (slot.along == nullptr) continue;
    const std::vector<int> bodies = bodies_of(layout.force_markers, slot);
    const auto [at, is_new] = node_of.emplace(key_of(bodies), int(node_rows.size()));
    force_node[i] = is_new ? add_node(bodies, 0) : at->second;
    first_row_[i] = node_rows[std::size_t(force_node[i])];
    node_rows[std::size_t(force_node[i])] += slot.rows;
  }
  solve::GraphBuilder builder;
  for (const BodySlot& slot : layout.bodies) builder.add_body(slot.num_v);
  for (std::size_t n = 0; n < node_rows.size(); ++n)
    builder.add_constraint(node_rows[n], node_bodies[n], {},
                           n < layout.constraints.size() && layout.constraints[n].acts_elsewhere);
  add_links(layout, form, node_bodies, builder);
  graph = builder.finish();
}

// Pairs of bodies that share stiffness, ascending.
void Blocks::add_links(const Layout& layout, const StageForm& form, const BodyLists& node_bodies,
                       solve::GraphBuilder& builder) const {
  std::set<std::pair<int, int>> pairs;
  const auto couple = [&](const std::vector<int>& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) pairs.emplace(std::minmax(bodies[i], bodies[j]));
  };
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    if (form.has_constraint_geometry() && slot.joint != JointType::ball &&
        slot.constraint->has_geometric_stiffness())
      couple(node_bodies[c]);
  }
  for (std::size_t i = 0; i < layout.forces.size(); ++i)
    if (force_node[i] < 0)
      couple(bodies_of(layout.force_markers, layout.forces[i]));
    else if (form.has_coordinate_geometry() || !form.has_coordinate_rows())
      couple(node_bodies[std::size_t(force_node[i])]);
  for (const auto& [a, b] : pairs) builder.add_link(a, b);
}

void Blocks::set_block(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner, int node, int row,
                       std::vector<int>& block) const {
  for (int m = owner.marker_begin; m < owner.marker_end; ++m)
    for (int e = graph.edge_begin[std::size_t(node)]; e < graph.edge_begin[std::size_t(node) + 1]; ++e)
      if (const solve::Edge& edge = graph.edges[std::size_t(e)]; edge.body == markers[std::size_t(m)].body)
        block[std::size_t(m)] = edge.offset + row * graph.dims[std::size_t(edge.body)];
}

// Rows of λ and blocks of J: constraint c is node c.
void Blocks::set_rows(const Layout& layout) {
  model_row.assign(std::size_t(graph.num_rows()), -1);
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    constraint_row[c] = graph.row_offset[c];
    for (int r = 0; r < slot.rows; ++r) model_row[std::size_t(constraint_row[c] + r)] = slot.row + r;
    set_block(layout.constraint_markers, slot, int(c), 0, constraint_block);
  }
  for (std::size_t i = 0; i < layout.forces.size(); ++i) {
    if (force_node[i] < 0) continue;
    force_row[i] = graph.row_offset[std::size_t(force_node[i])] + first_row_[i];
    set_block(layout.force_markers, layout.forces[i], force_node[i], first_row_[i], force_block);
  }
}

BlockPlace Blocks::place_of(int a, int b) const {
  if (a < 0 || b < 0) return {};
  if (a == b) return {BlockPlace::Kind::body, graph.mass_offset[std::size_t(a)]};
  const std::pair<int, int> wanted = std::minmax(a, b);
  const auto at = std::lower_bound(graph.links.begin(), graph.links.end(), wanted,
                                   [](const solve::Link& link, const std::pair<int, int>& key) {
                                     return std::pair(link.a, link.b) < key;
                                   });
  if (at == graph.links.end() || std::pair(at->a, at->b) != wanted) return {};
  return {at->a == a ? BlockPlace::Kind::upper : BlockPlace::Kind::lower, at->offset};
}

void Blocks::add_places(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner) {
  // beyond this many markers the blocks of all pairs would be most of the matrix
  constexpr int kMostMarkers = 16;
  if (owner.num_markers() > kMostMarkers) return;
  for (int k = owner.marker_begin; k < owner.marker_end; ++k)
    for (int l = owner.marker_begin; l < owner.marker_end; ++l)
      places.push_back(place_of(markers[std::size_t(k)].body, markers[std::size_t(l)].body));
}

int Blocks::force_of_row(const Layout& layout, int row) const {
  for (std::size_t i = 0; i < force_row.size(); ++i)
    if (force_row[i] >= 0 && row >= force_row[i] && row < force_row[i] + layout.forces[i].rows) return int(i);
  return -1;
}

}  // namespace catena::implicit
