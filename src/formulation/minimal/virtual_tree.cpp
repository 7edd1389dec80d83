#include "formulation/minimal/virtual_tree.h"

#include <algorithm>

namespace catena::minimal {
namespace {

/// The nearest link that carries both, itself included; -1: the world. Parents have smaller numbers than what they carry.
int common_carrier(const Structure& structure, int a, int b) {
  while (a != b) {
    int& higher = a > b ? a : b;
    higher = structure.links[std::size_t(higher)].parent;
  }
  return a;
}

void keep_each_once(std::vector<int>& links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

}  // namespace

int VirtualTree::find(int link) const {
  return int(std::lower_bound(links_.begin(), links_.end(), link) - links_.begin());
}

int VirtualTree::meeting(int a, int b) const {
  while (a != b) {
    int& higher = a > b ? a : b;
    higher = nodes_[std::size_t(higher)].parent;
  }
  return a;
}

void VirtualTree::build(const Structure& structure, std::span<const LinkPoint> points) {
  links_.clear();
  for (const LinkPoint& point : points) links_.push_back(point.link);
  keep_each_once(links_);
  for (std::size_t i = 1, seen = links_.size(); i < seen; ++i)
    if (const int c = common_carrier(structure, links_[i - 1], links_[i]); c >= 0) links_.push_back(c);
  keep_each_once(links_);

  nodes_.assign(links_.size(), {});
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.link = links_[i];
    const int below = i == 0 ? -1 : common_carrier(structure, links_[i - 1], links_[i]);
    if (below < 0) continue;
    node.parent = find(below);
    node.depth = nodes_[std::size_t(node.parent)].depth + 1;
    for (int k = node.link; k != below; k = structure.links[std::size_t(k)].parent) ++node.length;
  }
  node_of_point_.clear();
  for (const LinkPoint& point : points) {
    node_of_point_.push_back(find(point.link));
    ++nodes_[std::size_t(node_of_point_.back())].carried;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].parent >= 0) nodes_[std::size_t(nodes_[i].parent)].carried += nodes_[i].carried;
}

}  // namespace catena::minimal
