// Sets of things that are connected, while connections are added.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace catena::solve {

struct UnionFind {
  std::vector<int> parent;
  UnionFind() = default;
  explicit UnionFind(int n) { reset(n); }
  /// n things, each alone; no allocation when there were as many before.
  void reset(int n) {
    parent.resize(std::size_t(n));
    std::iota(parent.begin(), parent.end(), 0);
  }
  int find(int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  }
  /// False when both were together already.
  bool join(int i, int j) {
    i = find(i);
    j = find(j);
    if (i == j) return false;
    parent[std::max(i, j)] = std::min(i, j);
    return true;
  }
};

}  // namespace catena::solve
