// Where everything is in the matrix of an implicit stage: constraints and forces along coordinates as rows, stiffness between bodies.
//
// A constraint and the forces along coordinates between the same bodies form one node of the graph, so that a joint with springs is as
// much a tree as the joint alone; constraints that act elsewhere than along their rows stay alone. Body-body blocks (links) exist where a
// constraint or force between two bodies has stiffness.
#pragma once

#include "formulation/stage_equations.h"
#include "formulation/stiffness.h"

namespace catena::implicit {

struct Blocks {
  Blocks(const Layout& layout, const StageForm& form);

  solve::Graph graph;  // constraint c is node c; its rows come first there
  StageRows rows;
  std::vector<int> constraint_block, force_block;  // per marker: offset of its block of J
  MarkerBlocks constraint_pairs, force_pairs;      // per constraint and per force: where its stiffness goes

 private:
  /// Bodies of each node, and which node the rows of a force along coordinates belong to, from which of its rows on.
  struct Nodes {
    std::vector<int> num_rows;
    std::vector<std::vector<int>> bodies;
    std::vector<int> of_force, first_row;  // per force; -1 and 0 for others
    int add(std::vector<int> its_bodies, int its_rows);
  };
  static Nodes make_nodes(const Layout& layout);
  void make_graph(const Layout& layout, const StageForm& form, const Nodes& nodes);
};

}  // namespace catena::implicit
