#include "formulation/implicit/blocks.h"

#include <algorithm>
#include <map>
#include <set>

namespace catena::implicit {
namespace {

using BodyPairs = std::set<std::pair<int, int>>;

void couple(const std::vector<int>& bodies, BodyPairs& pairs) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j) pairs.emplace(std::minmax(bodies[i], bodies[j]));
}

std::vector<int> sorted(std::vector<int> bodies) {
  std::sort(bodies.begin(), bodies.end());
  return bodies;
}

}  // namespace

Blocks::Blocks(const Layout& layout, const StageForm& form)
    : rows{std::vector<int>(std::size_t(layout.num_rows)),
           std::vector<int>(std::size_t(layout.num_coordinates))},
      constraint_block(layout.constraint_markers.size(), -1),
      force_block(layout.force_markers.size(), -1) {
  const Nodes nodes = make_nodes(layout);
  make_graph(layout, form, nodes);
  const auto set_rows = [&](const auto& slot, int node, int first, std::vector<int>& row_of) {
    for (int r = 0; r < slot.rows; ++r)
      row_of[std::size_t(slot.row + r)] = graph.row_offset[std::size_t(node)] + first + r;
  };
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    set_rows(layout.constraints[c], int(c), 0, rows.constraint);
    find_blocks(graph, int(c), 0, layout.constraint_markers, layout.constraints[c], constraint_block);
  }
  for (std::size_t i = 0; i < layout.forces.size(); ++i) {
    const int node = nodes.of_force[i], first = nodes.first_row[i];
    if (node < 0) continue;
    set_rows(layout.forces[i], node, first, rows.coordinate);
    find_blocks(graph, node, first, layout.force_markers, layout.forces[i], force_block);
  }
  constraint_pairs = MarkerBlocks(graph, layout.constraint_markers, layout.constraints);
  force_pairs = MarkerBlocks(graph, layout.force_markers, layout.forces);
}

int Blocks::Nodes::add(std::vector<int> its_bodies, int its_rows) {
  num_rows.push_back(its_rows);
  bodies.push_back(std::move(its_bodies));
  return int(bodies.size()) - 1;
}

// A force along coordinates belongs to the node of a constraint between the same bodies, or to one of its own.
Blocks::Nodes Blocks::make_nodes(const Layout& layout) {
  Nodes nodes;
  std::map<std::vector<int>, int> node_of;
  for (const ConstraintSlot& slot : layout.constraints) {
    const int node = nodes.add(bodies_of(layout.constraint_markers, slot), slot.rows);
    if (!slot.acts_elsewhere) node_of.emplace(sorted(nodes.bodies.back()), node);
  }
  for (const ForceSlot& slot : layout.forces) {
    nodes.of_force.push_back(-1);
    nodes.first_row.push_back(0);
    if (slot.along == nullptr) continue;
    std::vector<int> bodies = bodies_of(layout.force_markers, slot);
    const auto [at, is_new] = node_of.emplace(sorted(bodies), int(nodes.bodies.size()));
    const int node = is_new ? nodes.add(std::move(bodies), 0) : at->second;
    nodes.of_force.back() = node;
    nodes.first_row.back() = nodes.num_rows[std::size_t(node)];
    nodes.num_rows[std::size_t(node)] += slot.rows;
  }
  return nodes;
}

void Blocks::make_graph(const Layout& layout, const StageForm& form, const Nodes& nodes) {
  solve::GraphBuilder builder;
  BodyPairs pairs;  // that share stiffness, ascending
  for (const BodySlot& slot : layout.bodies) builder.add_body(slot.num_v);
  for (std::size_t n = 0; n < nodes.bodies.size(); ++n) {
    const ConstraintSlot* slot = n < layout.constraints.size() ? &layout.constraints[n] : nullptr;
    builder.add_constraint(nodes.num_rows[n], nodes.bodies[n], {}, slot != nullptr && slot->acts_elsewhere);
    if (slot != nullptr && form.has_constraint_geometry() && slot->joint != JointType::ball &&
        slot->constraint->has_geometric_stiffness())
      couple(nodes.bodies[n], pairs);
  }
  for (std::size_t i = 0; i < layout.forces.size(); ++i)
    if (nodes.of_force[i] < 0)
      couple(bodies_of(layout.force_markers, layout.forces[i]), pairs);
    else if (form.has_coordinate_geometry() || !form.has_coordinate_rows())
      couple(nodes.bodies[std::size_t(nodes.of_force[i])], pairs);
  for (const auto& [a, b] : pairs) builder.add_link(a, b);
  graph = builder.finish();
}

}  // namespace catena::implicit
