#include "solve/elimination_steps.h"

#include <algorithm>

namespace catena::solve {

void EliminationSteps::clear_entries(int step, int lanes, double* z) const {
  for (int r = range_begin[std::size_t(step)]; r < range_begin[std::size_t(step) + 1]; ++r)
    std::fill(z + ranges[std::size_t(r)].begin * lanes, z + ranges[std::size_t(r)].end * lanes, 0.0);
}

void EliminationSteps::reset(const Graph& g) {
  parent.clear();
  ranges.clear();
  range_begin.assign(1, 0);
  step_of_body.assign(g.dims.size(), -1);
  entry_of_body.assign(g.body_offset.begin(), g.body_offset.begin() + g.num_bodies());
  num_entries = g.num_x() + g.num_rows();
}

void EliminationSteps::add_step() {
  parent.push_back(-1);
  range_begin.push_back(range_begin.back());
}

void EliminationSteps::add_body(const Graph& g, int body) {
  const auto b = std::size_t(body);
  step_of_body[b] = num_steps() - 1;
  ranges.push_back({g.body_offset[b], g.body_offset[b + 1]});
  range_begin.back() = int(ranges.size());
}

void EliminationSteps::add_constraint(const Graph& g, int constraint) {
  const auto c = std::size_t(constraint);
  ranges.push_back({g.num_x() + g.row_offset[c], g.num_x() + g.row_offset[c + 1]});
  range_begin.back() = int(ranges.size());
}

}  // namespace catena::solve
