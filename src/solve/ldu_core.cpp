#include "solve/ldu_core.h"

#include "solve/small_lu.h"

#include <algorithm>
#include <cmath>

namespace catena::solve {
namespace {

using CoreBlock = Eigen::Map<Eigen::MatrixXd>;
using ConstCoreBlock = Eigen::Map<const Eigen::MatrixXd>;

constexpr double kVanishedPivot = 1e-12;  // a pivot over what cancelled in it

/// The part of a problem that the core consists of, for the order of elimination.
struct CorePart {
  Graph graph;
  Problem problem;
  std::vector<int> bodies, constraints;  // of the whole problem
};

void make_part(const LduProblem& whole, const std::vector<char>& bodies, const std::vector<char>& constraints,
               CorePart& part) {
  const Graph& g = *whole.graph;
  GraphBuilder builder;
  std::vector<int> index(g.dims.size(), -1);
  for (int b = 0; b < g.num_bodies(); ++b)
    if (bodies[std::size_t(b)] != 0) {
      index[std::size_t(b)] = builder.add_body(g.dims[std::size_t(b)]);
      part.bodies.push_back(b);
    }
  for (int c = 0; c < g.num_constraints(); ++c) {
    if (constraints[std::size_t(c)] == 0) continue;
    std::vector<int> attached;
    for (int e = g.edge_begin[std::size_t(c)]; e < g.edge_begin[std::size_t(c) + 1]; ++e)
      attached.push_back(index[std::size_t(g.edges[std::size_t(e)].body)]);
    builder.add_constraint(g.rows[std::size_t(c)], attached);
    part.constraints.push_back(c);
  }
  for (const Link& link : g.links)
    if (index[std::size_t(link.a)] >= 0 && index[std::size_t(link.b)] >= 0)
      builder.add_link(index[std::size_t(link.a)], index[std::size_t(link.b)]);
  part.graph = builder.finish();
  part.problem.resize(part.graph);
  for (std::size_t k = 0; k < part.constraints.size(); ++k) {
    const int c = part.constraints[k], rows = g.rows[std::size_t(c)];
    part.problem.S.segment(part.graph.row_offset[k], rows) =
        whole.S.segment(g.row_offset[std::size_t(c)], rows);
    for (int e = g.edge_begin[std::size_t(c)]; e < g.edge_begin[std::size_t(c) + 1]; ++e) {
      const int own = part.graph.edge_begin[k] + e - g.edge_begin[std::size_t(c)];
      const int size = rows * g.dims[std::size_t(g.edges[std::size_t(e)].body)];
      part.problem.J.segment(part.graph.edges[std::size_t(own)].offset, size) =
          whole.J.segment(g.edges[std::size_t(e)].offset, size);
    }
  }
}

}  // namespace

void LduCore::analyze(const LduProblem& problem, const std::vector<char>& bodies,
                      const std::vector<char>& constraints) {
  bodies_ = bodies;
  constraints_ = constraints;
  late_.assign(problem.graph->rows.size(), 0);
  order_nodes(problem);
}

void LduCore::order_nodes(const LduProblem& problem) {
  nodes_.clear();
  blocks_.clear();
  targets_.clear();
  target_begin_.clear();
  sources_.clear();
  CorePart part;
  make_part(problem, bodies_, constraints_, part);
  if (part.bodies.empty() && part.constraints.empty()) return;
  const Graph& g = *problem.graph;
  std::vector<char> late;
  for (const int c : part.constraints) late.push_back(late_[std::size_t(c)]);
  const EliminationOrder order = find_elimination_order(part.problem, late);
  std::vector<int> position_of_body(g.dims.size(), -1), position_of_constraint(g.rows.size(), -1);
  int size = 0;
  for (std::size_t k = 0; k < order.nodes.size(); ++k) {
    Node node;
    node.is_constraint = order.nodes[k] >= int(part.bodies.size());
    node.index = node.is_constraint ? part.constraints[std::size_t(order.nodes[k]) - part.bodies.size()]
                                    : part.bodies[std::size_t(order.nodes[k])];
    const auto index = std::size_t(node.index);
    node.dim = node.is_constraint ? g.rows[index] : g.dims[index];
    node.entry = node.is_constraint ? g.row_offset[index] : g.body_offset[index];
    (node.is_constraint ? position_of_constraint : position_of_body)[index] = int(k);
    node.diagonal = size;
    size += node.dim * node.dim;
    nodes_.push_back(node);
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& node = nodes_[k];
    node.begin = int(blocks_.size());
    for (const int later : order.later[k]) {
      const int area = node.dim * nodes_[std::size_t(later)].dim;
      blocks_.push_back({later, size, size + area});
      size += 2 * area;
    }
    node.end = int(blocks_.size());
  }
  values_.setZero(size);
  scale_.setZero(g.num_rows());
  for (const Node& node : nodes_) {
    target_begin_.push_back(int(targets_.size()));
    for (int i = node.begin; i < node.end; ++i)
      for (int j = node.begin; j < node.end; ++j)
        targets_.push_back(offset(blocks_[std::size_t(i)].node, blocks_[std::size_t(j)].node));
  }
  plan(problem, position_of_body, position_of_constraint);
}

int LduCore::offset(int row, int column) const {
  if (row == column) return nodes_[std::size_t(row)].diagonal;
  const Node& first = nodes_[std::size_t(std::min(row, column))];
  for (int k = first.begin; k < first.end; ++k)
    if (blocks_[std::size_t(k)].node == std::max(row, column))
      return row < column ? blocks_[std::size_t(k)].upper : blocks_[std::size_t(k)].lower;
  return -1;  // not reached: the order lists every block that fills
}

void LduCore::plan(const LduProblem& problem, const std::vector<int>& position_of_body,
                   const std::vector<int>& position_of_constraint) {
  const Graph& g = *problem.graph;
  for (const Node& node : nodes_) {
    const auto index = std::size_t(node.index);
    if (!node.is_constraint) {
      sources_.push_back({Source::Kind::body, g.mass_offset[index], node.dim, node.dim, node.diagonal, 0});
      continue;
    }
    sources_.push_back({Source::Kind::compliance, g.row_offset[index], node.dim, node.dim, node.diagonal, 0});
    for (int e = g.edge_begin[index]; e < g.edge_begin[index + 1]; ++e) {
      const Edge& edge = g.edges[std::size_t(e)];
      const int c = position_of_constraint[index], b = position_of_body[std::size_t(edge.body)];
      sources_.push_back({Source::Kind::edge, edge.offset, node.dim, g.dims[std::size_t(edge.body)],
                          offset(c, b), offset(b, c)});
    }
  }
  for (const Link& link : g.links) {
    const int a = position_of_body[std::size_t(link.a)], b = position_of_body[std::size_t(link.b)];
    if (a < 0 || b < 0) continue;
    const int rows = g.dims[std::size_t(link.a)], columns = g.dims[std::size_t(link.b)];
    sources_.push_back({Source::Kind::upper, link.offset, rows, columns, offset(a, b), 0});
    sources_.push_back({Source::Kind::lower, link.offset, columns, rows, offset(b, a), 0});
  }
}

// A constraint may come too early for a pivot although the matrix is regular (its bodies are held by others in ways that counting does
// not see). It is then remembered and taken last.
FactorResult LduCore::factor(const LduProblem& problem, const Eigen::VectorXd& D) {
  for (;;) {
    const int failed = eliminate(problem, D);
    if (failed < 0) return {};
    const Node node = nodes_[std::size_t(failed)];
    const bool hopeless = !node.is_constraint || late_[std::size_t(node.index)] != 0;
    if (hopeless)
      return {FactorStatus::singular, node.is_constraint ? node.index : -1,
              node.is_constraint ? -1 : node.index};
    late_[std::size_t(node.index)] = 1;
    order_nodes(problem);
  }
}

void LduCore::assemble(const LduProblem& problem, const Eigen::VectorXd& D) {
  values_.setZero();
  for (const Source& s : sources_) {
    CoreBlock to(values_.data() + s.to, s.rows, s.columns);
    switch (s.kind) {
      case Source::Kind::body:
        to = ConstCoreBlock(D.data() + s.from, s.rows, s.columns);
        break;
      case Source::Kind::compliance:
        for (int i = 0; i < s.rows; ++i) to(i, i) = -problem.S[s.from + i];
        break;
      case Source::Kind::edge:
        to = -ConstCoreBlock(problem.J.data() + s.from, s.columns, s.rows).transpose();
        CoreBlock(values_.data() + s.to_mirror, s.columns, s.rows) =
            -ConstCoreBlock(problem.J.data() + s.from, s.columns, s.rows);
        break;
      case Source::Kind::upper:
        to += ConstCoreBlock(problem.links.data() + s.from, s.rows, s.columns);
        break;
      case Source::Kind::lower:
        to += ConstCoreBlock(problem.lower.data() + s.from, s.rows, s.columns);
        break;
    }
  }
}

int LduCore::eliminate(const LduProblem& problem, const Eigen::VectorXd& D) {
  assemble(problem, D);
  scale_.setZero();
  negative_bodies_ = negative_constraints_ = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    double* diagonal = values_.data() + node.diagonal;
    const int negative = factor_lu<0>(diagonal, node.dim);
    if (negative < 0) return int(k);
    if (node.is_constraint)
      for (int r = 0; r < node.dim; ++r)  // the diagonal holds inverse pivots
        if (std::abs(diagonal[r * (node.dim + 1)]) * kVanishedPivot * scale_[node.entry + r] > 1.0)
          return int(k);
    (node.is_constraint ? negative_constraints_ : negative_bodies_) +=
        node.is_constraint ? node.dim - negative : negative;
    const int* target = targets_.data() + target_begin_[k];
    for (int i = node.begin; i < node.end; ++i)
      solve_lu<0>(diagonal, values_.data() + blocks_[std::size_t(i)].upper,
                  nodes_[std::size_t(blocks_[std::size_t(i)].node)].dim, node.dim, node.dim);
    for (int i = node.begin; i < node.end; ++i) {
      const Block& row = blocks_[std::size_t(i)];
      const ConstCoreBlock L(values_.data() + row.lower, nodes_[std::size_t(row.node)].dim, node.dim);
      for (int j = node.begin; j < node.end; ++j) {
        const Block& column = blocks_[std::size_t(j)];
        const int width = nodes_[std::size_t(column.node)].dim;
        const ConstCoreBlock W(values_.data() + column.upper, node.dim, width);
        CoreBlock out(values_.data() + *target++, L.rows(), width);
        if (i == j && nodes_[std::size_t(row.node)].is_constraint)
          for (int r = 0; r < width; ++r)
            scale_[nodes_[std::size_t(row.node)].entry + r] += std::abs(L.row(r).dot(W.col(r)));
        out -= L.lazyProduct(W);
      }
    }
  }
  return -1;
}

void LduCore::solve(Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const auto part = [&](const Node& node) {
    return Eigen::Map<Eigen::VectorXd>((node.is_constraint ? lambda.data() : x.data()) + node.entry,
                                       node.dim);
  };
  for (const Node& node : nodes_) {
    auto own = part(node);
    solve_lu<0>(values_.data() + node.diagonal, own.data(), 1, node.dim, node.dim);
    for (int i = node.begin; i < node.end; ++i) {
      const Block& block = blocks_[std::size_t(i)];
      auto later = part(nodes_[std::size_t(block.node)]);
      later -= ConstCoreBlock(values_.data() + block.lower, later.size(), node.dim).lazyProduct(own);
    }
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    auto own = part(node);
    for (int i = node.begin; i < node.end; ++i) {
      const Block& block = blocks_[std::size_t(i)];
      const auto later = part(nodes_[std::size_t(block.node)]);
      own -= ConstCoreBlock(values_.data() + block.upper, node.dim, later.size()).lazyProduct(later);
    }
  }
}

}  // namespace catena::solve
