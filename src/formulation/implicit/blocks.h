// Where everything is in the matrix of an implicit stage: constraints and forces along coordinates as rows, stiffness between bodies.
//
// A constraint and the forces along coordinates between the same bodies form one node of the graph, so that a joint with springs is as
// much a tree as the joint alone; constraints that act elsewhere than along their rows stay alone. Body-body blocks (links) exist where a constraint or force between two bodies has stiffness.
#pragma once

#include "formulation/body_rows.h"
#include "formulation/stage_equations.h"

namespace catena::implicit {

/// The block of the matrix that couples two markers: in D, or in one of the two halves of a link.
struct BlockPlace {
  enum class Kind : std::uint8_t { none, body, upper, lower };
  Kind kind = Kind::none;
  int offset = 0;
};

struct Blocks {
  Blocks(const Layout& layout, const StageForm& form);

  solve::Graph graph;
  std::vector<int> constraint_row,
      force_row;  // first row in λ of each constraint and of each force along coordinates
  std::vector<int> constraint_block, force_block;  // per marker: offset of its block of J
  std::vector<int> model_row;                      // row in λ to row in model order, -1 for coordinates
  std::vector<int> force_node;                     // per force along coordinates
  /// Per pair of markers (k, l) of a constraint or force: where their block goes. constraint_places, force_places: first of each one's
  /// own, and one behind the last; constraints on very many markers have none.
  std::vector<BlockPlace> places;
  std::vector<int> constraint_places, force_places;

  /// The force along coordinates that a row in λ belongs to, -1 for rows of constraints.
  int force_of_row(const Layout& layout, int row) const;

 private:
  using BodyLists = std::vector<std::vector<int>>;
  void add_nodes(const Layout& layout, const StageForm& form);
  void add_links(const Layout& layout, const StageForm& form, const BodyLists& node_bodies,
                 solve::GraphBuilder& builder) const;
  void set_rows(const Layout& layout);
  void set_block(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner, int node, int row,
                 std::vector<int>& block) const;
  void add_places(const std::vector<MarkerSlot>& markers, const AttachedSlot& owner);
  BlockPlace place_of(int a, int b) const;

  std::vector<int> first_row_;  // of each force along coordinates within its node
};

}  // namespace catena::implicit
