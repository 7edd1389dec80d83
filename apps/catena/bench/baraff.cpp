// catena bench baraff: D. Baraff, "Linear-time dynamics using Lagrange multipliers", SIGGRAPH 1996.
//
// Every case stands beside the printed figure. His machine had a 250 MHz R4400 processor, so that times are
// shown and ratios are compared. What does not depend on a machine (fill, bandwidth, density, order) is
// asserted exactly; ratios of times only far enough from the printed ones that a busy machine does not
// matter.
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace catena::app {
namespace {

double solve_time(const SolverRun& run) {
  return run.factor_seconds + run.solve_seconds;
}

/// Largest difference of accelerations, relative to the largest acceleration.
double difference(const SolverRun& run, const SolverRun& reference) {
  return (run.accelerations - reference.accelerations).cwiseAbs().maxCoeff() /
         reference.accelerations.cwiseAbs().maxCoeff();
}

// ---- times of section 9

struct PrintedCase {
  const char* name;
  const char* printed;  // times on his machine
  Model model;
};

struct Ratios {
  double cg_to_tree, dense_to_tree, factor_to_solve;
};

Ratios measure_case(const PrintedCase& c, int repeats, std::vector<std::vector<Cell>>& rows) {
  Options loose;
  loose.cg_tolerance = 1e-4;  // "a lower (but acceptable) precision"
  const Simulation sim(c.model), interactive(c.model, loose);
  const SolverRun tree = run_solver(sim, Solver::tree, repeats);
  const SolverRun cg = run_solver(sim, Solver::cg, repeats);
  const SolverRun loose_cg = run_solver(interactive, Solver::cg, repeats);
  const SolverRun dense = run_solver(sim, Solver::dense, repeats);
  const auto add = [&](const char* solver, const SolverRun& run) {
    rows.push_back(
        {cell(c.name), cell(solver), cell_seconds(run.evaluate_seconds), cell_seconds(run.factor_seconds),
         cell_seconds(run.solve_seconds), cell(solve_time(run) / solve_time(tree), "{:.1f}"),
         run.iterations > 0 ? cell(run.iterations) : cell(""), cell(difference(run, dense), "{:.0e}")});
  };
  add("tree", tree);
  add("cg, 1e-4", loose_cg);
  add("cg, 1e-11", cg);
  add("dense", dense);
  return {solve_time(loose_cg) / solve_time(tree), solve_time(dense) / solve_time(tree),
          tree.factor_seconds / tree.solve_seconds};
}

void compare_with_section_9(const BenchArguments& arguments, BenchReport& report) {
  report.section(
      "section-9",
      "Section 9: times of one evaluation; evaluating J is the same for all solvers and stands apart");
  std::vector<std::vector<Cell>> rows;
  const PrintedCase plane{"2D, 54 joints, 108 multipliers", "7.75 ms, of which 2.75 ms for J",
                          planar_tree(54)};
  const PrintedCase space{"3D, 127 joints, 381 multipliers", "44.6 ms, of which 4 ms for J",
                          binary_tree(127)};
  const Ratios in_plane = measure_case(plane, arguments.repeats, rows);
  const Ratios in_space = measure_case(space, arguments.repeats, rows);
  report.table("times", {"case", "solver", "J", "factor", "solve", "to tree", "iterations", "difference"},
               rows);
  report.note(
      fmt::format("printed for the tree, R4400 at 250 MHz: 2D {}; 3D {}", plane.printed, space.printed));
  report.table("ratios", {"ratio", "ours", "printed"},
               {{cell("2D: cg to tree"), cell(in_plane.cg_to_tree, "{:.1f}"), cell(3)},
                {cell("3D: dense to tree"), cell(in_space.dense_to_tree, "{:.0f}"), cell(40)},
                {cell("2D: factor to solve"), cell(in_plane.factor_to_solve, "{:.1f}"), cell(4)},
                {cell("3D: factor to solve"), cell(in_space.factor_to_solve, "{:.1f}"), cell(4)}});
  report.check(in_plane.cg_to_tree > 1.5, "2D: the tree solver is more than 1.5 times as fast as cg at 1e-4");
  report.check(in_space.dense_to_tree > 20, "3D: the tree solver is more than 20 times as fast as dense");
  report.check(in_space.factor_to_solve > 1, "3D: factoring costs more than solving");
}

// 2D with loops: 96 primary and 12 auxiliary multipliers.
void compare_auxiliary(const BenchArguments& arguments, BenchReport& report) {
  report.section("auxiliary", "Section 9, 2D with loops: 96 primary and 12 auxiliary multipliers");
  Options loose;
  loose.cg_tolerance = 1e-4;
  const Model closed = planar_loops();
  const Simulation open(planar_tree(48)), sim(closed, Options{.solver = Solver::sparse});
  const Simulation interactive(closed, loose);
  const SolverRun tree = run_solver(open, Solver::tree, arguments.repeats);
  const SolverRun auxiliary = run_solver(sim, Solver::auxiliary, arguments.repeats);
  const SolverRun sparse = run_solver(sim, Solver::sparse, arguments.repeats);
  const SolverRun cg = run_solver(interactive, Solver::cg, arguments.repeats);
  const SolverRun dense = run_solver(sim, Solver::dense, arguments.repeats);
  std::vector<std::vector<Cell>> rows;
  const auto add = [&](const char* name, const SolverRun& run, const std::string& printed) {
    rows.push_back({cell(name), cell_seconds(solve_time(run)),
                    cell(solve_time(run) / solve_time(tree), "{:.1f}"),
                    &run == &tree ? cell("") : cell(difference(run, dense), "{:.0e}"), cell(printed)});
  };
  add("tree, without the loops", tree, "");
  add("auxiliary", auxiliary, "17 ms more than without");
  add("sparse", sparse, "");
  add("cg, 1e-4", cg, "about equal to auxiliary");
  add("dense", dense, "");
  report.table("loops", {"solver", "factor and solve", "to tree", "difference", "printed"}, rows);
  report.check(difference(auxiliary, dense) < 1e-8 && difference(sparse, dense) < 1e-8,
               "auxiliary and sparse give the accelerations of dense");
}

// ---- figure 1: chain and star

/// Blocks of A = J M⁻¹ Jᵀ: two constraints have one where they share a body.
struct SchurPattern {
  int bandwidth = 0;     // largest distance of a block from the diagonal, constraints in model order
  double density = 0.0;  // blocks that are not zero, as a part of all
};

SchurPattern schur_pattern(const Model& model) {
  const auto constraints = model.constraints();
  std::vector<std::vector<int>> at_body(model.bodies().size());
  for (std::size_t c = 0; c < constraints.size(); ++c)
    for (const Attachment& attachment : constraints[c].constraint->attachments())
      if (const int body = model.index_of(attachment.body); body >= 0)
        at_body[std::size_t(body)].push_back(int(c));
  std::set<std::pair<int, int>> blocks;
  SchurPattern pattern;
  for (const auto& sharing : at_body)
    for (int a : sharing)
      for (int b : sharing) {
        blocks.emplace(a, b);
        pattern.bandwidth = std::max(pattern.bandwidth, std::abs(a - b));
      }
  const double n = double(constraints.size());
  pattern.density = double(blocks.size()) / (n * n);
  return pattern;
}

/// Slope of log t over log n between the first and the last size.
double growth(const std::vector<double>& n, const std::vector<double>& t) {
  return std::log(t.back() / t.front()) / std::log(n.back() / n.front());
}

void measure_chain(const BenchArguments& arguments, BenchReport& report, Plot& plot) {
  std::vector<std::vector<Cell>> rows;
  Series banded{"chain: banded", {}, {}, Series::Style::line_and_markers};
  Series tree{"chain: tree", {}, {}, Series::Style::line_and_markers};
  int bandwidth = 0;
  for (int links : {50, 100, 200, 400, 800, 1600}) {
    const Model model = bent_chain(links, "ball");
    const SchurPattern pattern = schur_pattern(model);
    bandwidth = std::max(bandwidth, pattern.bandwidth);
    const Simulation sim(model);
    const double t_banded = solve_time(run_solver(sim, Solver::banded, arguments.repeats));
    const double t_tree = solve_time(run_solver(sim, Solver::tree, arguments.repeats));
    for (auto* series : {&banded, &tree}) series->x.push_back(links);
    banded.y.push_back(t_banded);
    tree.y.push_back(t_tree);
    rows.push_back({cell(links), cell(pattern.bandwidth), cell(100 * pattern.density, "{:.1f}"),
                    cell_seconds(t_banded), cell_seconds(t_tree)});
  }
  report.section("figure-1a", "Figure 1a, serial chain of ball joints: A = J M⁻¹ Jᵀ is banded");
  report.table("chain", {"links", "bandwidth (blocks)", "density (%)", "banded", "tree"}, rows);
  report.check(bandwidth == 1, "block bandwidth of A is 1 for every length");
  const double exponent = growth(banded.x, banded.y);
  report.check(exponent < 1.35,
               fmt::format("banded: time grows with the power {:.2f} of the length (linear: 1)", exponent));
  plot.series.push_back(std::move(banded));
  plot.series.push_back(std::move(tree));
}

void measure_star(const BenchArguments& arguments, BenchReport& report, Plot& plot) {
  std::vector<std::vector<Cell>> rows;
  Series tree{"star: tree", {}, {}, Series::Style::line_and_markers};
  Series dense{"star: dense", {}, {}, Series::Style::line_and_markers};
  double density = 1.0;
  for (int arms : {25, 50, 100, 200, 400, 800}) {
    const Model model = star(arms);
    const SchurPattern pattern = schur_pattern(model);
    density = std::min(density, pattern.density);
    const Simulation sim(model);
    const double t_tree = solve_time(run_solver(sim, Solver::tree, arguments.repeats));
    tree.x.push_back(arms);
    tree.y.push_back(t_tree);
    Cell t_dense = cell("");
    if (arms <= 200) {  // the next one would take seconds
      const double seconds = solve_time(run_solver(sim, Solver::dense, std::min(3, arguments.repeats)));
      dense.x.push_back(arms);
      dense.y.push_back(seconds);
      t_dense = cell_seconds(seconds);
    }
    rows.push_back({cell(arms), cell(100 * pattern.density, "{:.0f}"), cell_seconds(t_tree), t_dense});
  }
  report.section("figure-1b", "Figure 1b, star: A is completely dense, the KKT matrix stays sparse");
  report.table("star", {"arms", "density of A (%)", "tree", "dense"}, rows);
  report.check(density == 1.0, "A is dense for every number of arms");
  const double exponent = growth(tree.x, tree.y);
  report.check(exponent < 1.35,
               fmt::format("tree: time grows with the power {:.2f} of the arms (linear: 1)", exponent));
  plot.series.push_back(std::move(tree));
  plot.series.push_back(std::move(dense));
}

// ---- figure 2: order and fill

void check_figure_2(BenchReport& report) {
  report.section("figure-2", "Figure 2, six bodies and five constraints: order of elimination and fill");
  const EliminationGraph graph = elimination_graph(Simulation(six_bodies()));
  std::vector<std::vector<Cell>> rows;
  bool ordered = true;
  int roots = 0, constraints = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const EliminationNode& node = graph.nodes[i];
    ordered = ordered && (node.parent < 0 || node.parent > int(i));
    roots += node.parent < 0;
    constraints += node.is_constraint;
    rows.push_back(
        {cell(int(i) + 1), cell(node.name), node.parent < 0 ? cell("root") : cell(node.parent + 1)});
  }
  report.table("order", {"position", "node", "parent"}, rows);
  report.check(graph.nodes.size() == 11 && constraints == 5 && roots == 1,
               "11 nodes, 5 of them constraints, one root");
  report.check(ordered, "every node comes after all its children");
  report.check(graph.fill_blocks == 0, "the factor has no fill");
}

// ---- conjugate gradients

void measure_cg_tolerance(const BenchArguments& arguments, BenchReport& report) {
  report.section("cg-tolerance", "Conjugate gradients against tolerance, 3D tree of 127 ball joints");
  std::vector<std::vector<Cell>> rows;
  const Model model = binary_tree(127);
  const Simulation exact(model);
  const SolverRun tree = run_solver(exact, Solver::tree, arguments.repeats);
  Plot plot{
      .title = "Conjugate gradients: iterations against tolerance",
      .subtitle = "127 ball joints, 381 multipliers; the tree solver needs " + seconds_text(solve_time(tree)),
      .x_label = "tolerance (relative residual)",
      .y_label = "iterations",
      .log_x = true};
  Series iterations{"", {}, {}, Series::Style::line_and_markers};
  for (int digits = 2; digits <= 12; digits += 2) {
    Options options;
    options.cg_tolerance = std::pow(10.0, -digits);
    const SolverRun run = run_solver(Simulation(model, options), Solver::cg, arguments.repeats);
    iterations.x.push_back(options.cg_tolerance);
    iterations.y.push_back(run.iterations);
    rows.push_back({cell(options.cg_tolerance, "{:.0e}"), cell(run.iterations), cell_seconds(solve_time(run)),
                    cell(solve_time(run) / solve_time(tree), "{:.1f}"),
                    cell(difference(run, tree), "{:.1e}")});
  }
  report.table("tolerance", {"tolerance", "iterations", "time", "to tree", "difference"}, rows);
  plot.series = {iterations};
  report.plot(arguments, "baraff-cg-tolerance.svg", plot);
}

void measure_cg_size(const BenchArguments& arguments, BenchReport& report) {
  report.section("cg-size", "Conjugate gradients against length, chain of ball joints, tolerance 1e-6");
  std::vector<std::vector<Cell>> rows;
  Plot plot{.title = "Chain of ball joints: conjugate gradients against the tree",
            .subtitle = "factor and solve; tolerance of cg 1e-6",
            .x_label = "links",
            .y_label = "time (s)",
            .log_x = true,
            .log_y = true};
  Series cg{"cg", {}, {}, Series::Style::line_and_markers},
      tree{"tree", {}, {}, Series::Style::line_and_markers};
  Options options;
  options.cg_tolerance = 1e-6;
  for (int links : {10, 20, 40, 80, 160, 320, 640}) {
    const Simulation sim(bent_chain(links, "ball"), options);
    const SolverRun run_cg = run_solver(sim, Solver::cg, std::min(5, arguments.repeats));
    const SolverRun run_tree = run_solver(sim, Solver::tree, arguments.repeats);
    for (auto* series : {&cg, &tree}) series->x.push_back(links);
    cg.y.push_back(solve_time(run_cg));
    tree.y.push_back(solve_time(run_tree));
    rows.push_back({cell(links), cell(run_cg.iterations), cell_seconds(solve_time(run_cg)),
                    cell_seconds(solve_time(run_tree)),
                    cell(solve_time(run_cg) / solve_time(run_tree), "{:.1f}")});
  }
  report.table("size", {"links", "iterations", "cg", "tree", "cg to tree"}, rows);
  plot.series = {cg, tree};
  report.plot(arguments, "baraff-cg-size.svg", plot);
}

}  // namespace

void bench_baraff(const BenchArguments& arguments, BenchReport& report) {
  compare_with_section_9(arguments, report);
  compare_auxiliary(arguments, report);
  Plot plot{.title = "Chain and star: time against size",
            .subtitle = "factor and solve; A = J M⁻¹ Jᵀ is banded for the chain and dense for the star",
            .x_label = "links or arms",
            .y_label = "time (s)",
            .log_x = true,
            .log_y = true};
  measure_chain(arguments, report, plot);
  measure_star(arguments, report, plot);
  report.plot(arguments, "baraff-figure-1.svg", plot);
  check_figure_2(report);
  measure_cg_tolerance(arguments, report);
  measure_cg_size(arguments, report);
}

}  // namespace catena::app
