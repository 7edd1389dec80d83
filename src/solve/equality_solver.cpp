#include "solve/equality_solver.h"

#include <algorithm>

namespace catena::solve {

int EqualitySolver::refinements() const {
  constexpr double kSmall = 1e-3, kVerySmall = 1e-9;
  const double pivot = smallest_pivot();
  return pivot < kVerySmall ? 2 : pivot < kSmall ? 1 : 0;
}

Refusal refuse_unless(const Problem& problem, Takes takes) {
  const Graph& g = *problem.graph;
  if (!takes.links && !g.links.empty()) return {"has blocks of M between bodies", -1, Obstacle::links};
  if (!takes.unsymmetric && !problem.is_symmetric) return {"has an unsymmetric M", -1, Obstacle::unsymmetric};
  if (takes.own_directions || g.num_own_directions == 0) return {};
  const auto first = std::find(g.own_direction.begin(), g.own_direction.end(), 1);
  return {"has a force that does not act along its rows", int(first - g.own_direction.begin()),
          Obstacle::own_direction};
}

}  // namespace catena::solve
