#include "catena/analysis.h"

#include "catena/interrupt.h"
#include "sim/redundancy.h"
#include "solve/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace catena {
namespace {

// Symbolic elimination in the forest's order: blocks that appear although the matrix has none there. Merged constraints are
// one pivot with their body.
int count_fill(const solve::Graph& graph, const solve::Forest& forest) {
  const int bodies = graph.num_bodies();
  std::vector<int> pivot(std::size_t(bodies + graph.num_constraints()),
                         -1);  // node to its place in the order
  int place = 0;
  for (const solve::ForestStep& step : forest.steps) {
    for (int i = step.child_begin; i < step.child_end; ++i) pivot[forest.children[i].body] = place++;
    if (step.constraint >= 0) pivot[bodies + step.constraint] = place++;
  }
  for (int e : forest.merged) pivot[bodies + graph.edges[e].constraint] = pivot[graph.edges[e].body];
  std::vector<std::set<int>> later(static_cast<std::size_t>(place));
  for (const solve::Edge& e : graph.edges) {
    const int a = pivot[e.body], b = pivot[bodies + e.constraint];
    if (a != b) later[std::min(a, b)].insert(std::max(a, b));
  }
  int fill = 0;
  for (const std::set<int>& neighbours : later) {
    allow_interruption();
    for (auto i = neighbours.begin(); i != neighbours.end(); ++i)
      for (auto j = std::next(i); j != neighbours.end(); ++j) fill += later[*i].insert(*j).second ? 1 : 0;
  }
  return fill;
}

// Loops that close through the world too: in the solver's graph, which has no world, a four-bar is a chain of three bodies. Every group of
// bodies that hangs together needs one constraint to the world to be joined to it; each further one closes a loop.
int loops_through_world(const Simulation::Impl& s, const solve::Graph& graph) {
  const auto is_grounded = [](const Constraint& constraint) {
    const auto at = constraint.attachments();
    return at.size() == 1 ||
           std::any_of(at.begin(), at.end(), [](const Attachment& a) { return a.body == world; });
  };
  std::vector<int> part(graph.dims.size());
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = int(i);
  const auto root = [&part](int body) {
    while (part[std::size_t(body)] != body)
      body = part[std::size_t(body)] = part[std::size_t(part[std::size_t(body)])];
    return body;
  };
  for (int c = 0; c < graph.num_constraints(); ++c)
    for (int e = graph.edge_begin[c] + 1; e < graph.edge_begin[c + 1]; ++e)
      part[std::size_t(root(graph.edges[e].body))] = root(graph.edges[graph.edge_begin[c]].body);
  int loops = 0;
  std::vector<char> is_held(part.size(), 0);
  for (int c = 0; c < graph.num_constraints(); ++c) {
    if (graph.edge_begin[c] == graph.edge_begin[c + 1]) continue;
    if (!is_grounded(*s.model.constraints()[std::size_t(c)].constraint)) continue;
    char& held = is_held[std::size_t(root(graph.edges[graph.edge_begin[c]].body))];
    loops += held ? 1 : 0;
    held = 1;
  }
  return loops;
}

void add_warnings(const Simulation::Impl& s, CheckReport& report) {
  const double scale = s.equations->length_scale();
  const bool closes_itself = !traits(s.choice.integrator).has_inertia;  // what an open start is for
  if (!closes_itself && report.constraint_error > 1e-9 * scale)
    report.warnings.push_back(fmt::format(
        "the start violates its constraints by {:.3g}; it has to be projected", report.constraint_error));
  if (!closes_itself && report.velocity_error > 1e-8)
    report.warnings.push_back(
        fmt::format("the start velocities violate the constraints by {:.3g} per second; they have "
                    "to be projected",
                    report.velocity_error));
  if (report.redundant_rows > 0)
    report.warnings.push_back(
        fmt::format("{} rows are implied by others: forces in them are not unique", report.redundant_rows));
  for (const Dependency& d : report.dependencies)
    if (!d.is_consistent) report.warnings.push_back(fmt::format("conflict: {}; {}", d.summary, d.remedy));
  if (report.dof == 0 && report.bodies > 0)
    report.warnings.push_back(s.equations->is_driven()
                                  ? "no degree of freedom is left: the drives prescribe the whole motion"
                                  : "no degree of freedom is left: nothing can move");
  if (report.mass_ratio > 1e4)
    report.warnings.push_back(
        fmt::format("masses differ by a factor of {:.3g}; the tree solver does not mind, cg "
                    "converges slowly",
                    report.mass_ratio));
  if (const SolveResult& result = s.solved().result; !result.ok())
    report.warnings.push_back(explain(s, result));
}

}  // namespace

CheckReport check(const Simulation& sim, int max_dependencies, double dt) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const Layout& layout = s.system->layout;
  CheckReport report;
  report.choice = dt > 0.0 ? planned_choice(s, dt) : s.choice;
  report.bodies = int(layout.bodies.size());
  report.constraints = int(layout.constraints.size());
  report.rows = layout.num_rows;
  report.velocities = layout.num_v;
  const solve::Graph& graph = *s.body_equations->problem().graph;
  const solve::Cycles cycles = solve::count_cycles(graph);
  report.loops = cycles.count + loops_through_world(s, graph);
  report.trees = cycles.components;
  solve::TreeSolver tree;
  const bool is_tree = !tree.analyze(s.evaluated_bodies().problem()).refused();
  if (is_tree) report.depth = tree.forest().depth;
  Redundancy redundancy = find_redundancy(s, max_dependencies);
  report.redundant_rows = int(redundancy.rows.size());
  report.dependencies = std::move(redundancy.dependencies);
  report.dof = report.velocities - (report.rows - report.redundant_rows);
  double lightest = std::numeric_limits<double>::infinity(), heaviest = 0.0;
  for (const BodySlot& body : layout.bodies) {
    if (body.mass == 0.0) continue;  // only an inertia
    lightest = std::min(lightest, body.mass);
    heaviest = std::max(heaviest, body.mass);
  }
  if (heaviest > 0.0) report.mass_ratio = heaviest / lightest;
  int row = -1;
  report.constraint_error = largest_error(s.evaluated().C(), row);
  VecX rate(report.rows);
  s.evaluated().apply_J(s.state.v, rate);
  rate += s.evaluated().C_t();
  report.velocity_error = largest_error(rate, row);
  if (s.solved().result.ok()) {
    const VecX& lambda = s.multipliers();
    report.tension_frequency = s.evaluated_bodies().tension_frequency(lambda);
    const Fastest fastest = find_fastest(s);
    report.fastest_frequency = fastest.omega;
    report.fastest = describe(s.model, fastest);
    if (fastest.omega > 0.0) report.advised_dt = 0.5 / fastest.omega;
  }
  for (std::string& text : forces_without_direction(s)) report.warnings.push_back(std::move(text));
  add_warnings(s, report);
  if (std::string force = explain_bad_force(s, dt); !force.empty()) report.warnings.push_back(force);
  return report;
}

EliminationGraph elimination_graph(const Simulation& sim) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  EliminationGraph out;
  solve::TreeSolver tree;
  const solve::Refusal refusal = tree.analyze(s.evaluated_bodies().problem());
  if (refusal.refused()) {
    out.refusal = explain(s.model, refusal);
    return out;
  }
  const solve::Graph& graph = *s.body_equations->problem().graph;
  const solve::Forest& forest = tree.forest();
  std::vector<int> node_of_body(graph.dims.size(), -1);
  const auto add_constraint = [&](int c, int parent_body, const std::string& kernel) {
    out.nodes.push_back(
        {s.model.constraints()[std::size_t(c)].name, true, graph.rows[c], parent_body, kernel});
    return int(out.nodes.size()) - 1;
  };
  // `parent` holds body indices until all nodes have a position
  std::vector<char> parent_is_body;
  for (int k = 0; k < int(forest.steps.size()); ++k) {
    const solve::ForestStep& step = forest.steps[k];
    const std::string kernel = tree.kernel_name(k);
    std::vector<int> below;
    for (int i = step.child_begin; i < step.child_end; ++i) {
      const int body = forest.children[i].body;
      std::vector<int> merged;
      for (int m = forest.merged_begin[body]; m < forest.merged_begin[body + 1]; ++m)
        merged.push_back(
            add_constraint(graph.edges[forest.merged[m]].constraint, -1, "merged with its body"));
      out.nodes.push_back({s.model.bodies()[std::size_t(body)].name, false, graph.dims[body], -1, kernel});
      node_of_body[body] = int(out.nodes.size()) - 1;
      for (int m : merged) out.nodes[m].parent = node_of_body[body];
      below.push_back(node_of_body[body]);
    }
    if (step.constraint < 0) continue;
    const int node = add_constraint(step.constraint, step.parent < 0 ? -1 : -2 - step.parent, kernel);
    for (int b : below) out.nodes[b].parent = node;
  }
  for (EliminationNode& node : out.nodes)
    if (node.parent <= -2) node.parent = node_of_body[std::size_t(-2 - node.parent)];

  out.fill_blocks = count_fill(graph, forest);
  return out;
}

}  // namespace catena
