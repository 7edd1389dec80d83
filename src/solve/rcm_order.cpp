#include "solve/rcm_order.h"

#include <algorithm>

namespace catena::solve {

namespace {

class LevelSearch {
 public:
  explicit LevelSearch(const Graph& graph)
      : graph_(graph),
        constraints_of_(graph.num_bodies()),
        degree_(graph.num_constraints(), 0),
        found_(graph.num_constraints(), 0),
        passed_(graph.num_bodies(), 0) {
    for (const Edge& e : graph.edges) constraints_of_[e.body].push_back(e.constraint);
    for (const Edge& e : graph.edges) degree_[e.constraint] += int(constraints_of_[e.body].size()) - 1;
  }

  int degree(int constraint) const { return degree_[constraint]; }

  /// Appends everything connected to `start` to `order`, level by level, lower degrees first; returns the
  /// number of levels.
  int append_levels(int start, std::vector<int>& order) {
    ++stamp_;
    found_[start] = stamp_;
    std::size_t level_begin = order.size();
    order.push_back(start);
    int levels = 0;
    for (; level_begin < order.size(); ++levels) {
      const std::size_t level_end = order.size();
      for (std::size_t i = level_begin; i < level_end; ++i) append_neighbours(order[i], order);
      level_begin = level_end;
    }
    return levels;
  }

 private:
  void append_neighbours(int constraint, std::vector<int>& order) {
    const std::size_t begin = order.size();
    for (int k = graph_.edge_begin[constraint]; k < graph_.edge_begin[constraint + 1]; ++k) {
      const int body = graph_.edges[k].body;
      if (passed_[body] == stamp_) continue;
      passed_[body] = stamp_;
      for (const int next : constraints_of_[body]) {
        if (found_[next] == stamp_) continue;
        found_[next] = stamp_;
        order.push_back(next);
      }
    }
    std::stable_sort(order.begin() + std::ptrdiff_t(begin), order.end(),
                     [this](int a, int b) { return degree_[a] < degree_[b]; });
  }

  const Graph& graph_;
  std::vector<std::vector<int>> constraints_of_;  // per body
  std::vector<int> degree_;                       // neighbours of a constraint, counted once per shared body
  std::vector<int> found_, passed_;               // stamp of the search that reached the constraint, the body
  int stamp_ = 0;
};

// A constraint at the rim: searching from the far end of the last search until the number of levels grows no
// more.
int find_rim(LevelSearch& search, int start) {
  std::vector<int> order;
  int levels = search.append_levels(start, order);
  while (true) {
    const int far_end = order.back();
    order.clear();
    const int more = search.append_levels(far_end, order);
    if (more <= levels) return far_end;
    levels = more;
  }
}

}  // namespace

std::vector<int> order_constraints(const Graph& graph) {
  LevelSearch search(graph);
  std::vector<bool> ordered(graph.num_constraints(), false);
  std::vector<int> order;
  for (int c = 0; c < graph.num_constraints(); ++c) {
    if (ordered[c]) continue;
    const std::size_t begin = order.size();
    search.append_levels(find_rim(search, c), order);
    for (std::size_t i = begin; i < order.size(); ++i) ordered[order[i]] = true;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace catena::solve
