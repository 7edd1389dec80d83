// Where everything of an implicit stage is: the layout of the model with elastic forces as rows.
//
// A constraint and the elastic forces between the same bodies form one node of the graph, so that a joint with springs is as much a
// tree as the joint alone. Body-body blocks (links) exist where a constraint or force between two bodies has stiffness.
#pragma once

#include "catena/elastic.h"
#include "catena/simulation.h"
#include "formulation/maximal/layout.h"

#include <set>

namespace catena::maximal {

struct ElasticSlot {
  const CoordinateForce* force = nullptr;
  const Constraint* coordinates = nullptr;
  int rows = 0;
  int row = 0;  // first row in λ
  int node = 0;
  int first_law = -1;                    // in StageLayout::laws; -1: its answers come from the force itself
  int marker_begin = 0, marker_end = 0;  // range of Layout::force_markers
  int memory = 0, memory_size = 0;
  bool planar = false;
};

/// The block of the matrix that couples two markers: in D, or in one of the two halves of a link.
struct BlockPlace {
  enum class Kind : std::uint8_t { none, body, upper, lower };
  Kind kind = Kind::none;
  int offset = 0;
};

struct StageLayout {
  StageLayout(const Layout& layout, const Options& options);

  Layout layout;  // rows and blocks of J as in `graph`; forces without the elastic ones
  solve::Graph graph;
  std::vector<ElasticSlot> elastics;
  std::vector<Law> laws;  // of the elastic forces, side by side; one per row
  std::vector<int> constraint_node;
  /// Per pair of markers (k, l) of a constraint, an elastic or another force: where their block goes.
  std::vector<BlockPlace> places;
  std::vector<int> constraint_places, elastic_places, force_places;  // first of each one's own
  std::vector<double>
      inverse_lever;  // per body: of the longest lever of a marker, to compare torques with forces   1/m
  std::vector<int> row_of_model;    // constraint row of the model to row in λ
  std::vector<int> model_row;       // and back, -1 for springs
  bool elastic_rows = true;         // springs are rows; else they are in D
  bool elastic_geometry = true;     // their geometric stiffness is in D
  bool constraint_geometry = true;  // and that of constraints
  bool has_stops = false;
  bool has_other_bodies = false;

 private:
  void add_nodes();
  std::set<std::pair<int, int>> find_pairs(const std::vector<std::vector<int>>& node_bodies) const;
  void set_rows();
  void add_all_places();
  void add_places(const std::vector<MarkerSlot>& markers, int begin, int end);
  int find_link(int a, int b) const;

  std::vector<int> first_row_;  // of each elastic force within its node
};

}  // namespace catena::maximal
