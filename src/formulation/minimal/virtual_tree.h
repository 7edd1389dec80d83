// The part of a tree that some of its links see: themselves, and where their ways down meet.
//
// Of n links there are at most n - 1 such meetings, so that the virtual tree has at most 2n - 1 nodes, however deep the tree. What lies
// between a node and its parent is one edge of as many joints as it is long; edges share no joint.
//
// Links are numbered depth first (Structure), so that the nearest common ancestors of neighbours in that order are all there are, and the ways
// between neighbours go over every joint twice at most.   O(links + n log n), no allocation after the largest set
#pragma once

#include "formulation/minimal/structure.h"

namespace catena::minimal {

class VirtualTree {
 public:
  struct Node {
    int link = 0;
    int parent = -1;  // node; -1: nothing below it that another one sees
    int depth = 0;    // nodes below it
    int length = 0;   // joints of the edge to its parent
    int carried = 0;  // points on it and on what it carries
  };

  /// @pre the links of the points exist
  void build(const Structure& structure, std::span<const LinkPoint> points);

  const std::vector<Node>& nodes() const { return nodes_; }  // parents first
  int node_of(std::size_t point) const { return node_of_point_[point]; }
  /// The nearest node that carries both; -1: none.
  int meeting(int a, int b) const;

 private:
  int find(int link) const;

  std::vector<int> links_;
  std::vector<int> node_of_point_;
  std::vector<Node> nodes_;
};

}  // namespace catena::minimal
