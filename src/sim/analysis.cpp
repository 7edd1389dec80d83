#include "catena/analysis.h"

#include "catena/interrupt.h"
#include "sim/redundancy.h"
#include "solve/auxiliary.h"
#include "solve/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace catena {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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
  const solve::Graph& graph = *s.equations->problem().graph;
  const solve::Cycles cycles = solve::count_cycles(graph);
  report.loops = cycles.count + loops_through_world(s, graph);
  report.trees = cycles.components;
  solve::TreeSolver tree;
  const bool is_tree = !tree.analyze(s.evaluated().problem()).refused();
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
  if (s.solved().result.ok()) report.tension_frequency = s.equations->tension_frequency(s.solved().lambda);
  if (s.solved().result.ok()) {
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
  const solve::Refusal refusal = tree.analyze(s.evaluated().problem());
  if (refusal.refused()) {
    out.refusal = explain(s.model, refusal);
    return out;
  }
  const solve::Graph& graph = *s.equations->problem().graph;
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

SolverRun run_solver(const Simulation& sim, Solver solver, int repeats) {
  Simulation::Impl& s = SimulationAccess::impl(sim);
  SolverRun run;
  run.solver = solver == Solver::automatic ? s.choice.solver : solver;
  State state = s.state;
  System system(s.model);
  const std::unique_ptr<Formulation> formulation =
      make_formulation(state.coordinates, system, {state.q, state.v, state.time, state.memory});
  Formulation& equations = *formulation;
  const solve::Refusal refusal = equations.use_solver(make_solver(run.solver, s.options), 1e300);
  if (refusal.refused()) {
    run.why_not = explain(s.model, refusal);
    return run;
  }
  run.evaluate_seconds = run.factor_seconds = run.solve_seconds = run.factor_and_solve_seconds =
      std::numeric_limits<double>::infinity();
  VecX d;
  for (int k = 0; k < std::max(repeats, 1); ++k) {
    auto start = std::chrono::steady_clock::now();
    equations.evaluate({state.q, state.v, state.time, state.memory});
    run.evaluate_seconds = std::min(run.evaluate_seconds, seconds_since(start));
    start = std::chrono::steady_clock::now();
    const SolveResult factored = equations.factor();
    run.factor_seconds = std::min(run.factor_seconds, seconds_since(start));
    if (!factored.ok()) {
      run.why_not = explain(s, factored);
      return run;
    }
    d = -equations.bias();
    start = std::chrono::steady_clock::now();
    const SolveResult solved = equations.solve(equations.force(), d, run.accelerations, run.multipliers);
    run.solve_seconds = std::min(run.solve_seconds, seconds_since(start));
    if (!solved.ok()) {
      run.why_not = explain(s, solved);
      return run;
    }
    start = std::chrono::steady_clock::now();
    (void)equations.solver().factor_and_solve(equations.problem(), equations.force(), d, run.accelerations,
                                              run.multipliers);
    run.factor_and_solve_seconds = std::min(run.factor_and_solve_seconds, seconds_since(start));
  }
  run.applies = true;
  run.iterations = equations.solver().iterations();
  // the times are those of the bare solver; the answer is the one a step gets, refined where that helps
  if (run.iterations == 0)
    (void)equations.solve_checked(equations.force(), d, run.accelerations, run.multipliers);
  run.constraint_force = VecX::Zero(equations.num_v());
  equations.add_row_forces(run.multipliers, run.constraint_force);
  solve::Residual residual;
  solve::compute_residual(equations.problem(), equations.force(), d, run.accelerations, run.multipliers,
                          residual);
  run.residual = residual.relative;
  return run;
}

ResponseRun run_response(const Simulation& sim, Response method, int repeats) {
  const solve::Problem& problem = SimulationAccess::impl(sim).evaluated().problem();
  solve::AuxiliarySolver solver;
  ResponseRun run;
  if (solver.analyze(problem).refused() || !solver.factor(problem).ok()) return run;
  run.rows = solver.num_auxiliary_rows();
  run.seconds = std::numeric_limits<double>::infinity();
  for (int k = 0; k < std::max(repeats, 1); ++k) {
    const auto start = std::chrono::steady_clock::now();
    (void)solver.compute_response(solve::ResponseMethod(method));
    run.seconds = std::min(run.seconds, seconds_since(start));
  }
  return run;
}

VecX minimum_norm_multipliers(const Simulation& sim) {
  return run_solver(sim, Solver::cg).multipliers;
}

Comparison compare(const Simulation& sim, int repeats) {
  constexpr int kDenseLimit = 3000;
  Simulation::Impl& s = SimulationAccess::impl(sim);
  const int rows = s.equations->num_rows();
  Comparison out;
  for (Solver solver : {Solver::dense_kkt, Solver::dense, Solver::sparse, Solver::auxiliary, Solver::banded,
                        Solver::tree, Solver::cg}) {
    if (rows > kDenseLimit && (solver == Solver::dense_kkt || solver == Solver::dense)) {
      SolverRun skipped;
      skipped.solver = solver;
      skipped.why_not =
          fmt::format("{} rows are too many for a dense matrix here (limit {})", rows, kDenseLimit);
      out.runs.push_back(skipped);
      continue;
    }
    out.runs.push_back(run_solver(sim, solver, repeats));
  }
  const auto first =
      std::find_if(out.runs.begin(), out.runs.end(), [](const SolverRun& r) { return r.applies; });
  if (first == out.runs.end()) {
    out.agree = false;
    return out;
  }
  out.reference = first->solver;
  out.full_rank = s.equations->num_rows() == 0 || find_redundancy(s, 0).rows.empty();
  // at rest accelerations are what remains when forces cancel: they are compared on the scale of free fall
  VecX free = s.evaluated().force();
  s.evaluated().apply_inverse_mass(free);
  const double free_scale = free.size() > 0 ? free.lpNorm<Eigen::Infinity>() : 0.0;
  const auto relative = [](const VecX& a, const VecX& b, double floor) {
    if (a.size() == 0) return 0.0;
    const double scale = std::max(b.lpNorm<Eigen::Infinity>(), floor);
    const double difference = (a - b).lpNorm<Eigen::Infinity>();
    return scale > 0.0 ? difference / scale : difference;
  };
  for (const SolverRun& run : out.runs) {
    if (!run.applies) continue;
    Comparison::Row row{};
    row.solver = run.solver;
    row.acceleration_difference = relative(run.accelerations, first->accelerations, free_scale);
    row.force_difference = relative(run.constraint_force, first->constraint_force, 0.0);
    row.multiplier_difference = out.full_rank ? relative(run.multipliers, first->multipliers, 0.0) : 0.0;
    row.tolerance = run.solver == Solver::cg ? 1e-6 : 1e-8;
    row.agrees = row.acceleration_difference <= row.tolerance && row.force_difference <= row.tolerance;
    out.agree = out.agree && row.agrees;
    out.rows.push_back(row);
  }
  return out;
}

}  // namespace catena
