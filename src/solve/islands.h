// Connected components of a graph of bodies and constraints: what can be solved apart from everything else.
//
// Bodies are connected by constraints that act on both and by blocks of M between them. Cost near O(nodes + edges), by sets that are
// joined; nothing is allocated when an earlier graph was as large. Islands are numbered by their first bodies, so that the numbers
// depend on the graph only.
#pragma once

#include "solve/grouping.h"
#include "solve/problem.h"
#include "solve/union_find.h"

#include <span>
#include <vector>

namespace catena::solve {

class Islands {
 public:
  void find(const Graph& graph);

  int count() const { return bodies_.num_groups(); }
  int of_body(int body) const { return of_body_[std::size_t(body)]; }
  int of_constraint(int constraint) const { return of_constraint_[std::size_t(constraint)]; }
  /// Ascending.
  std::span<const int> bodies(int island) const { return bodies_[island]; }
  std::span<const int> constraints(int island) const { return constraints_[island]; }
  /// Indices into Graph::links, ascending.
  std::span<const int> links(int island) const { return links_[island]; }

 private:
  UnionFind sets_;
  std::vector<int> of_body_, of_constraint_;
  Grouping bodies_, constraints_, links_;
};

}  // namespace catena::solve
