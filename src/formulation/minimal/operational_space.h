// What operational_space.cpp keeps from one call to the next, and the two ways it may go.
#pragma once

#include "formulation/minimal/virtual_tree.h"

namespace catena::minimal {

using Spatial6 = Eigen::Matrix<double, 6, 6>;

/// How wrenches get from the end of an edge of the virtual tree to its beginning.
enum class Climb : std::uint8_t {
  automatic,  // for each edge the cheaper of the two: joint by joint where it carries one point
  joints,     // joint by joint, for every point that the edge carries
  edges,      // all joints of an edge as one matrix, then a product for every point
};

/// What a climb took: six wrenches past one joint, and products of 6 × 6 matrices.
struct ClimbCount {
  long passes = 0, products = 0;
};

struct OperationalWorkspace {
  VirtualTree seen;
  std::vector<char> is_asked;      // per link: Υ is needed
  std::vector<Spatial6> own;       // Υ, per link
  std::vector<Spatial6> edges;     // products of (4), per node of the virtual tree
  std::vector<int> first;          // per point: of its wrenches in `wrenches`
  std::vector<Spatial6> wrenches;  // W of (5), per point from its own node to the last below it
  std::vector<Spatial6> answers;   // Υ W, of one point
  ClimbCount count;                // of the last call
};

/// Λ of the points at the places and with the factor of mass that are in `work`.
void find_compliance(const Structure& structure, std::span<const LinkPoint> points, Climb climb,
                     Workspace& work, OperationalWorkspace& own, MatX& Lambda);

}  // namespace catena::minimal
