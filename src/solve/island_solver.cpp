#include "solve/island_solver.h"

#include <algorithm>
#include <bit>
#include <map>

namespace catena::solve {
namespace {

bool have_same_structure(const Graph& a, const Graph& b) {
  const auto same_edge = [](const Edge& x, const Edge& y) {
    return x.constraint == y.constraint && x.body == y.body;
  };
  const auto same_link = [](const Link& x, const Link& y) { return x.a == y.a && x.b == y.b; };
  return a.dims == b.dims && a.rows == b.rows && std::ranges::equal(a.edges, b.edges, same_edge) &&
         std::ranges::equal(a.links, b.links, same_link);
}

void grow_numbers(Eigen::VectorXd& numbers, int size) {
  if (numbers.size() < size) numbers.setZero(size + size / 2);
}

// Whether the numbers are others than before; bit by bit, so that a NaN is noticed.
bool copy_changed(const double* from, double* to, int size) {
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  if (std::equal(from, from + size, to, same)) return false;
  std::copy_n(from, size, to);
  return true;
}

int size_class_of(int nodes) {
  return int(std::bit_width(unsigned(nodes)));
}

}  // namespace

// The island as a graph of its own.
void IslandSolver::make_graph(const Problem& problem, int island) {
  static const Graph kEmpty;
  const Graph& whole = *problem.graph;
  builder_.graph = kEmpty;  // a copy, which keeps the capacity
  is_soft_.clear();
  for (const int b : islands_.bodies(island)) local_body_[b] = builder_.add_body(whole.dims[b]);
  for (const int c : islands_.constraints(island)) {
    attached_.clear();
    for (int e = whole.edge_begin[c]; e < whole.edge_begin[c + 1]; ++e)
      attached_.push_back(local_body_[whole.edges[e].body]);
    builder_.add_constraint(whole.rows[c], attached_);
    is_soft_.push_back(problem.S.segment(whole.row_offset[c], whole.rows[c]).minCoeff() > 0.0);
  }
  for (const int l : islands_.links(island))
    builder_.add_link(local_body_[whole.links[l].a], local_body_[whole.links[l].b]);
  builder_.finish_in_place();
}

// Parts that no island of the new graph continues are free for others.
void IslandSolver::release_parts() {
  for (auto& list : free_parts_) list.clear();
  for (const auto& part : parts_) {
    part->is_in_use = false;
    part->size_class = std::max(part->size_class, size_class_of(int(part->solver.structure().nodes.size())));
  }
  for (int i = 0; i < islands_.count(); ++i) {
    const auto first = std::size_t(islands_.bodies(i).front());
    Part* part = first < part_of_first_body_.size() ? part_of_first_body_[first] : nullptr;
    part_of_[i] = part;
    if (part != nullptr) part->is_in_use = true;
  }
  for (const auto& part : parts_) {
    if (part->is_in_use) continue;
    if (free_parts_.size() <= std::size_t(part->size_class))
      free_parts_.resize(std::size_t(part->size_class) + 1);
    free_parts_[part->size_class].push_back(part.get());
  }
}

// The one of before, or a free one that is large enough, or the largest, or a new one.
IslandSolver::Part& IslandSolver::part_for(int island, const Graph& graph) {
  if (part_of_[island] != nullptr) return *part_of_[island];
  const int classes = int(free_parts_.size()),
            wanted = std::min(classes, size_class_of(graph.num_bodies() + graph.num_constraints()));
  const auto take = [&](int from) {
    Part* part = free_parts_[from].back();
    free_parts_[from].pop_back();
    return part;
  };
  Part* found = nullptr;
  for (int k = wanted; k < classes && found == nullptr; ++k)
    if (!free_parts_[k].empty()) found = take(k);
  for (int k = wanted - 1; k >= 0 && found == nullptr; --k)
    if (!free_parts_[k].empty()) found = take(k);
  if (found == nullptr) found = parts_.emplace_back(std::make_unique<Part>()).get();
  found->is_in_use = true;
  part_of_[island] = found;
  return *found;
}

// Whether the island just made is another one than the part was made for.
bool IslandSolver::has_changed(int island, const Part& part) const {
  return !std::ranges::equal(islands_.bodies(island), part.bodies) ||
         !have_same_structure(builder_.graph, part.graph) || is_soft_ != part.is_soft;
}

Refusal IslandSolver::renew(const Problem& problem, int island, Part& part) {
  ++num_ordered_;
  const auto bodies = islands_.bodies(island);
  part.bodies.assign(bodies.begin(), bodies.end());
  part.is_soft = is_soft_;
  part.graph = builder_.graph;
  part.problem.graph = &part.graph;
  part.is_factored = false;
  grow_numbers(part.problem.M, part.graph.mass_offset.back());
  grow_numbers(part.problem.J, part.graph.J_size);
  grow_numbers(part.problem.S, part.graph.num_rows());
  grow_numbers(part.problem.links, part.graph.links_size);
  (void)copy_numbers(problem, part);
  Refusal refusal = part.solver.analyze(part.problem);
  if (refusal.refused() && refusal.constraint >= 0) refusal.constraint = part.constraints[refusal.constraint];
  part.z.resize(std::size_t(part.solver.structure().num_entries));
  return refusal;
}

IslandSolver::IslandSolver(const IslandSolver& other)
    : islands_(other.islands_),
      attached_(other.attached_),
      is_soft_(other.is_soft_),
      local_body_(other.local_body_),
      dropped_rows_(other.dropped_rows_),
      num_ordered_(other.num_ordered_),
      num_factored_(other.num_factored_) {
  std::map<const Part*, Part*> copy_of{{nullptr, nullptr}};
  for (const std::unique_ptr<Part>& part : other.parts_) {
    parts_.push_back(std::make_unique<Part>(*part));
    parts_.back()->problem.graph = &parts_.back()->graph;
    copy_of[part.get()] = parts_.back().get();
  }
  const auto copies = [&](const std::vector<Part*>& from) {
    std::vector<Part*> out;
    out.reserve(from.size());
    for (const Part* part : from) out.push_back(copy_of.at(part));
    return out;
  };
  part_of_ = copies(other.part_of_);
  part_of_first_body_ = copies(other.part_of_first_body_);
  for (const std::vector<Part*>& parts : other.free_parts_) free_parts_.push_back(copies(parts));
}

Refusal IslandSolver::analyze(const Problem& problem) {
  const Graph& g = *problem.graph;
  if (Refusal refusal = refuse_unless(problem, {.links = true}); refusal.refused()) return refusal;
  islands_.find(g);
  local_body_.resize(g.dims.size());
  part_of_.resize(std::size_t(islands_.count()));
  release_parts();
  part_of_first_body_.assign(g.dims.size(), nullptr);
  num_ordered_ = 0;
  for (int i = 0; i < islands_.count(); ++i) {
    make_graph(problem, i);
    Part& part = part_for(i, builder_.graph);
    const auto constraints = islands_.constraints(i), links = islands_.links(i);
    part.constraints.assign(constraints.begin(), constraints.end());
    part.links.assign(links.begin(), links.end());
    if (has_changed(i, part))
      if (Refusal refusal = renew(problem, i, part); refusal.refused()) return refusal;
    part_of_first_body_[islands_.bodies(i).front()] = &part;
  }
  return {};
}

// True when any number is not what it was.
bool IslandSolver::copy_numbers(const Problem& problem, Part& part) const {
  const Graph &whole = *problem.graph, &g = part.graph;
  Problem& p = part.problem;
  bool changed = p.row_error != problem.row_error;
  p.row_error = problem.row_error;
  const auto copy = [&](const Eigen::VectorXd& from, int at, Eigen::VectorXd& to, int to_at, int size) {
    changed = copy_changed(from.data() + at, to.data() + to_at, size) || changed;
  };
  for (std::size_t b = 0; b < part.bodies.size(); ++b)
    copy(problem.M, whole.mass_offset[part.bodies[b]], p.M, g.mass_offset[b], g.dims[b] * g.dims[b]);
  for (std::size_t c = 0; c < part.constraints.size(); ++c) {
    const int from = part.constraints[c];
    copy(problem.S, whole.row_offset[from], p.S, g.row_offset[c], g.rows[c]);
    for (int k = 0; k < g.edge_begin[c + 1] - g.edge_begin[c]; ++k) {
      const Edge& edge = g.edges[g.edge_begin[c] + k];
      copy(problem.J, whole.edges[whole.edge_begin[from] + k].offset, p.J, edge.offset,
           g.rows[c] * g.dims[edge.body]);
    }
  }
  for (std::size_t l = 0; l < part.links.size(); ++l) {
    const Link& link = g.links[l];
    copy(problem.links, whole.links[part.links[l]].offset, p.links, link.offset,
         g.dims[link.a] * g.dims[link.b]);
  }
  return changed;
}

FactorResult IslandSolver::failure(const Part& part, FactorResult result) const {
  if (result.constraint >= 0) result.constraint = part.constraints[result.constraint];
  if (result.body >= 0) result.body = part.bodies[result.body];
  return result;
}

FactorResult IslandSolver::factor(const Problem& problem) {
  num_factored_ = 0;
  dropped_rows_.clear();
  for (Part* part : part_of_) {
    const bool has_new_numbers = copy_numbers(problem, *part);
    if (has_new_numbers || !part->is_factored) {
      ++num_factored_;
      part->is_factored = false;
      if (const FactorResult result = part->solver.factor(part->problem); !result.ok())
        return failure(*part, result);
      part->is_factored = true;
      part->z.resize(std::size_t(part->solver.structure().num_entries));
    }
    for (const int row : part->solver.dropped_rows()) {
      const int c = find_block(part->graph.row_offset, row);
      dropped_rows_.push_back(problem.graph->row_offset[part->constraints[c]] + row -
                              part->graph.row_offset[c]);
    }
  }
  return {};
}

FactorResult IslandSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                                 Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Graph& g = *problem.graph;
  x.resize(g.num_x());
  lambda.resize(problem.S.size());
  lambda.tail(problem.S.size() - g.num_rows()).setZero();
  for (Part* part : part_of_) {
    const SparseStructure& s = part->solver.structure();
    double* z = part->z.data();
    const auto first_of = [&](const PanelNode& node) {
      const int bodies = part->graph.num_bodies();
      return node.is_constraint ? g.row_offset[part->constraints[node.node - bodies]]
                                : g.body_offset[part->bodies[node.node]];
    };
    for (const PanelNode& node : s.nodes) {
      const int from = first_of(node);
      for (int i = 0; i < node.dim; ++i) z[node.entry + i] = node.is_constraint ? -d[from + i] : f[from + i];
    }
    part->solver.factors().solve(s, z);
    for (const PanelNode& node : s.nodes)
      std::copy_n(z + node.entry, node.dim, (node.is_constraint ? lambda : x).data() + first_of(node));
  }
  return {};
}

int IslandSolver::refinements() const {
  int most = 0;
  for (const Part* part : part_of_) most = std::max(most, part->solver.refinements());
  return most;
}

}  // namespace catena::solve
