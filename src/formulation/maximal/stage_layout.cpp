#include "formulation/maximal/stage_layout.h"

#include <algorithm>
#include <map>

namespace catena::maximal {
namespace {

std::vector<int> bodies_of(const std::vector<MarkerSlot>& markers, int begin, int end) {
  std::vector<int> bodies;
  for (int m = begin; m < end; ++m)
    if (const int body = markers[std::size_t(m)].body;
        body >= 0 && std::find(bodies.begin(), bodies.end(), body) == bodies.end())
      bodies.push_back(body);
  return bodies;
}

std::vector<int> sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

StageLayout::StageLayout(const Layout& model, const Options& options)
    : layout(model),
      elastic_rows(options.stiff_form != StiffForm::grandparent),
      // a linearised step begins without multipliers and leaves the directions of forces as they are
      elastic_geometry(options.newton_matrix == NewtonMatrix::exact &&
                       options.integrator != Integrator::linearised_euler),
      constraint_geometry(options.integrator != Integrator::linearised_euler) {
  std::vector<ForceSlot> others;
  for (const ForceSlot& slot : layout.forces) {
    const auto* force = dynamic_cast<const CoordinateForce*>(slot.force);
    if (force == nullptr) {
      others.push_back(slot);
      continue;
    }
    ElasticSlot own;
    own.force = force;
    own.coordinates = &force->coordinates();
    own.rows = own.coordinates->num_rows(slot.planar);
    own.marker_begin = slot.marker_begin;
    own.marker_end = slot.marker_end;
    own.memory = slot.memory;
    own.memory_size = slot.memory_size;
    own.planar = slot.planar;
    if (dynamic_cast<const Elastic*>(force) != nullptr) {
      own.first_law = int(laws.size());
      for (int r = 0; r < own.rows; ++r) laws.push_back(force->law(r));
      for (int r = 0; r < own.rows; ++r) has_stops = has_stops || force->law(r).has_bounds();
    }
    elastics.push_back(own);
  }
  layout.forces = std::move(others);
  for (const BodySlot& slot : layout.bodies)
    has_other_bodies = has_other_bodies || slot.type == BodyType::other;
  std::vector<double> lever(layout.bodies.size(), 0.0);
  for (const auto* markers : {&layout.constraint_markers, &layout.force_markers})
    for (const MarkerSlot& marker : *markers)
      if (marker.body >= 0)
        lever[std::size_t(marker.body)] = std::max(lever[std::size_t(marker.body)], marker.point.norm());
  for (const double length : lever)
    inverse_lever.push_back(1.0 / (length < 1e-6 * layout.length_scale ? layout.length_scale : length));
  add_nodes();
  add_all_places();
}

void StageLayout::add_nodes() {
  solve::GraphBuilder builder;
  for (const BodySlot& slot : layout.bodies) builder.add_body(slot.num_v);

  // which node an elastic force belongs to: that of a constraint between the same bodies, or one of its own
  std::map<std::vector<int>, int> node_of_bodies;
  std::vector<int> node_rows;
  std::vector<std::vector<int>> node_bodies;
  for (const ConstraintSlot& slot : layout.constraints) {
    std::vector<int> bodies = bodies_of(layout.constraint_markers, slot.marker_begin, slot.marker_end);
    constraint_node.push_back(int(node_rows.size()));
    node_of_bodies.emplace(sorted(bodies), int(node_rows.size()));
    node_rows.push_back(slot.rows);
    node_bodies.push_back(std::move(bodies));
  }
  first_row_.resize(elastics.size());
  for (std::size_t i = 0; i < elastics.size(); ++i) {
    ElasticSlot& slot = elastics[i];
    std::vector<int> bodies = bodies_of(layout.force_markers, slot.marker_begin, slot.marker_end);
    const auto [at, is_new] = node_of_bodies.emplace(sorted(bodies), int(node_rows.size()));
    slot.node = at->second;
    if (is_new) {
      node_rows.push_back(0);
      node_bodies.push_back(std::move(bodies));
    }
    first_row_[i] = node_rows[std::size_t(slot.node)];
    node_rows[std::size_t(slot.node)] += slot.rows;
  }
  for (std::size_t n = 0; n < node_rows.size(); ++n) builder.add_constraint(node_rows[n], node_bodies[n]);

  for (const auto& [a, b] : find_pairs(node_bodies)) builder.add_link(a, b);
  graph = builder.finish();
  set_rows();
  // the explicit forms of joints belong to the other solver
  for (ConstraintSlot& slot : layout.constraints) slot.lower_pair = {};
  layout.graph = graph;
}

// Body pairs that share stiffness.
std::set<std::pair<int, int>> StageLayout::find_pairs(
    const std::vector<std::vector<int>>& node_bodies) const {
  std::set<std::pair<int, int>> pairs;
  const auto couple = [&](const std::vector<int>& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) pairs.emplace(std::minmax(bodies[i], bodies[j]));
  };
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    if (constraint_geometry && slot.joint != JointType::ball && slot.constraint->has_geometric_stiffness())
      couple(node_bodies[std::size_t(constraint_node[c])]);
  }
  for (const ElasticSlot& slot : elastics)
    if (elastic_geometry || !elastic_rows) couple(node_bodies[std::size_t(slot.node)]);
  for (const ForceSlot& slot : layout.forces)
    couple(bodies_of(layout.force_markers, slot.marker_begin, slot.marker_end));
  return pairs;
}

// Rows of λ and blocks of J.
void StageLayout::set_rows() {
  int num_model_rows = 0;
  for (const ConstraintSlot& slot : layout.constraints) num_model_rows += slot.rows;
  row_of_model.assign(std::size_t(num_model_rows), -1);
  model_row.assign(std::size_t(graph.num_rows()), -1);
  const auto set_blocks = [&](std::vector<MarkerSlot>& markers, int begin, int end, int node, int row) {
    for (int m = begin; m < end; ++m)
      for (int e = graph.edge_begin[std::size_t(node)]; e < graph.edge_begin[std::size_t(node) + 1]; ++e)
        if (const solve::Edge& edge = graph.edges[std::size_t(e)]; edge.body == markers[std::size_t(m)].body)
          markers[std::size_t(m)].block = edge.offset + row * graph.dims[std::size_t(edge.body)];
  };
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    ConstraintSlot& slot = layout.constraints[c];
    const int node = constraint_node[c], first = graph.row_offset[std::size_t(node)];
    for (int r = 0; r < slot.rows; ++r) {
      row_of_model[std::size_t(slot.row + r)] = first + r;
      model_row[std::size_t(first + r)] = slot.row + r;
    }
    slot.row = first;
    set_blocks(layout.constraint_markers, slot.marker_begin, slot.marker_end, node, 0);
  }
  for (std::size_t i = 0; i < elastics.size(); ++i) {
    ElasticSlot& slot = elastics[i];
    slot.row = graph.row_offset[std::size_t(slot.node)] + first_row_[i];
    set_blocks(layout.force_markers, slot.marker_begin, slot.marker_end, slot.node, first_row_[i]);
    std::vector<int> seen;
    for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
      MarkerSlot& marker = layout.force_markers[std::size_t(m)];
      marker.adds = marker.body >= 0 && std::find(seen.begin(), seen.end(), marker.body) != seen.end();
      seen.push_back(marker.body);
    }
  }
}

void StageLayout::add_all_places() {
  for (const ConstraintSlot& slot : layout.constraints) {
    constraint_places.push_back(int(places.size()));
    add_places(layout.constraint_markers, slot.marker_begin, slot.marker_end);
  }
  for (const ElasticSlot& slot : elastics) {
    elastic_places.push_back(int(places.size()));
    add_places(layout.force_markers, slot.marker_begin, slot.marker_end);
  }
  for (const ForceSlot& slot : layout.forces) {
    force_places.push_back(int(places.size()));
    add_places(layout.force_markers, slot.marker_begin, slot.marker_end);
  }
}

int StageLayout::find_link(int a, int b) const {
  const std::pair<int, int> wanted = std::minmax(a, b);
  const auto at = std::lower_bound(graph.links.begin(), graph.links.end(), wanted,
                                   [](const solve::Link& link, const std::pair<int, int>& key) {
                                     return std::pair(link.a, link.b) < key;
                                   });
  return at != graph.links.end() && std::pair(at->a, at->b) == wanted ? int(at - graph.links.begin()) : -1;
}

void StageLayout::add_places(const std::vector<MarkerSlot>& markers, int begin, int end) {
  // beyond this many markers the blocks of all pairs would be most of the matrix
  constexpr int kMostMarkers = 16;
  if (end - begin > kMostMarkers) return;
  for (int k = begin; k < end; ++k)
    for (int l = begin; l < end; ++l) {
      const int a = markers[std::size_t(k)].body, b = markers[std::size_t(l)].body;
      BlockPlace place;
      if (a >= 0 && a == b) {
        place = {BlockPlace::Kind::body, graph.mass_offset[std::size_t(a)]};
      } else if (a >= 0 && b >= 0) {
        if (const int link = find_link(a, b); link >= 0) {
          const solve::Link& at = graph.links[std::size_t(link)];
          place = {at.a == a ? BlockPlace::Kind::upper : BlockPlace::Kind::lower, at.offset};
        }
      }
      places.push_back(place);
    }
}

}  // namespace catena::maximal
