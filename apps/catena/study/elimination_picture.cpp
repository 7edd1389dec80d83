// Draws an elimination forest. O(nodes)
//
// The tree shows roots at the top; every node is eliminated before the one above it, in the order of the
// numbers. A line of only children goes straight down without indentation, so that long chains stay readable.
// In the picture of blocks, row i is the i-th node of the order; below the diagonal stand the blocks of the
// factor L, one per node that has a parent.
#include "study/elimination_picture.h"

#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace catena::app {
namespace {

constexpr std::size_t kMaxNodes = 60;  // of a picture that fits on a screen

using Children = std::vector<std::vector<int>>;

Children children_of(const EliminationGraph& graph) {
  Children children(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].parent >= 0) children[std::size_t(graph.nodes[i].parent)].push_back(int(i));
  return children;
}

std::string describe(const EliminationGraph& graph, int index) {
  const EliminationNode& node = graph.nodes[std::size_t(index)];
  return fmt::format("{} {} {} [{}{}]", node.is_constraint ? "○" : "■", index + 1, node.name, node.dim,
                     node.kernel.empty() ? "" : ", " + node.kernel);
}

/// `lead`: what stands before the children of this node. The depth of the recursion is at most kMaxNodes.
void draw_below(const EliminationGraph& graph, const Children& children, int index, const std::string& lead,
                std::string& out) {
  const auto& below = children[std::size_t(index)];
  if (below.size() == 1) {
    out += lead + "│\n" + lead + describe(graph, below[0]) + "\n";
    draw_below(graph, children, below[0], lead, out);
    return;
  }
  for (std::size_t k = 0; k < below.size(); ++k) {
    const bool last = k + 1 == below.size();
    out += lead + (last ? "└─ " : "├─ ") + describe(graph, below[k]) + "\n";
    draw_below(graph, children, below[k], lead + (last ? "   " : "│  "), out);
  }
}

std::string draw_blocks(const EliminationGraph& graph) {
  std::string out;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    out += fmt::format("  {:>3} ", i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      const bool block = graph.nodes[j].parent == int(i);
      out += j == i ? (graph.nodes[i].is_constraint ? " ○" : " ■") : block ? " ×" : " ·";
    }
    out += "\n";
  }
  return out;
}

std::string count_kernels(const EliminationGraph& graph) {
  std::map<std::string, int> count;
  for (const EliminationNode& node : graph.nodes)
    ++count[fmt::format("{} of {} [{}]", node.is_constraint ? "constraint" : "body", node.dim,
                        node.kernel.empty() ? "no kernel named" : node.kernel)];
  std::string out;
  for (const auto& [what, times] : count) out += fmt::format("  {:>8} × {}\n", times, what);
  return out;
}

int depth_of(const EliminationGraph& graph) {
  // children come before parents, so one sweep from the end finds all depths
  std::vector<int> depth(graph.nodes.size(), 1);
  int deepest = 0;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const int parent = graph.nodes[i].parent;
    if (parent >= 0) depth[i] = depth[std::size_t(parent)] + 1;
    deepest = std::max(deepest, depth[i]);
  }
  return deepest;
}

}  // namespace

std::string elimination_picture(const EliminationGraph& graph) {
  if (!graph.refusal.empty()) return fmt::format("The tree solver does not apply: {}\n", graph.refusal);
  std::size_t roots = 0, blocks = 0;
  for (const EliminationNode& node : graph.nodes) (node.parent < 0 ? roots : blocks) += 1;
  std::string out = fmt::format(
      "Elimination: {} nodes, {} root{}, depth {}; the factor has {} blocks below the diagonal, {} of them "
      "fill\n",
      graph.nodes.size(), roots, roots == 1 ? "" : "s", depth_of(graph),
      blocks + std::size_t(graph.fill_blocks), graph.fill_blocks);
  if (graph.nodes.size() > kMaxNodes) return out + count_kernels(graph);

  out += "■ body, ○ constraint, number in the order of elimination, [dimension, kernel]\n\n";
  const Children children = children_of(graph);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    if (graph.nodes[i].parent >= 0) continue;
    out += "  " + describe(graph, int(i)) + "\n";
    draw_below(graph, children, int(i), "  ", out);
    out += "\n";
  }
  return out + "Blocks of the factor (× below the diagonal):\n" + draw_blocks(graph);
}

}  // namespace catena::app
