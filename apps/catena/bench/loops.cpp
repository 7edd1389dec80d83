// catena bench loops: closed mechanisms, the block-sparse factorisation against Baraff's auxiliary constraints.
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::app {
namespace {

double total(const SolverRun& run) {
  return run.factor_seconds + run.solve_seconds;
}

void compare_ladders(int repeats, BenchReport& report) {
  report.section("ladder",
                 "Ladder: three bodies and four ball joints per rung, one loop per rung; factor and solve, "
                 "shortest times");
  std::vector<std::vector<Cell>> rows;
  double time_1000 = 0, ratio_300 = 0, ratio_1000 = 0, difference_300 = 0;
  for (const int rungs : {30, 100, 300, 1000, 3000}) {
    const Simulation sim(ladder(rungs), Options{.solver = Solver::sparse});
    const SolverRun sparse = run_solver(sim, Solver::sparse, repeats);
    std::vector<Cell> row{cell(rungs),
                          cell(3 * rungs),
                          cell_seconds(sparse.factor_seconds),
                          cell_seconds(sparse.solve_seconds),
                          cell(1e9 * total(sparse) / (3 * rungs), "{:.0f}"),
                          cell(sparse.residual, "{:.0e}")};
    if (rungs <= 1000) {
      const SolverRun auxiliary = run_solver(sim, Solver::auxiliary, 1);
      const double ratio = total(auxiliary) / total(sparse);
      row.push_back(cell_seconds(total(auxiliary)));
      row.push_back(cell(ratio, "{:.0f}"));
      if (rungs == 300) {
        ratio_300 = ratio;
        difference_300 = (sparse.accelerations - auxiliary.accelerations).lpNorm<Eigen::Infinity>() /
                         sparse.accelerations.lpNorm<Eigen::Infinity>();
      }
      if (rungs == 1000) {
        ratio_1000 = ratio;
        time_1000 = total(sparse);
      }
    } else {
      row.push_back(cell(""));
      row.push_back(cell(""));
    }
    rows.push_back(std::move(row));
  }
  report.table(
      "ladders",
      {"rungs", "bodies", "factor", "solve", "ns per body", "residual", "auxiliary", "auxiliary to sparse"},
      rows);
  report.check(time_1000 <= 5e-3, fmt::format("1,000 rungs: {:.2f} ms, at most 5", 1e3 * time_1000));
  report.check(ratio_300 >= 30,
               fmt::format("900 bodies: {:.0f} times as fast as auxiliary, at least 30", ratio_300));
  report.check(ratio_1000 >= 200,
               fmt::format("3,000 bodies: {:.0f} times as fast as auxiliary, at least 200", ratio_1000));
  report.check(difference_300 <= 1e-9, fmt::format("accelerations agree to {:.0e}", difference_300));
}

void show_structures(int repeats, BenchReport& report) {
  report.section("structures", "Other closed structures, sparse");
  std::vector<std::vector<Cell>> rows;
  const auto add = [&](const char* name, const Model& model) {
    const Simulation sim(model, Options{.solver = Solver::sparse});
    const SolverRun run = run_solver(sim, Solver::sparse, repeats);
    const CheckReport what = check(sim, 0);
    rows.push_back({cell(name), cell(what.bodies), cell(what.loops), cell(what.redundant_rows),
                    cell_seconds(run.factor_seconds), cell_seconds(run.solve_seconds),
                    cell(1e9 * total(run) / what.bodies, "{:.0f}"), cell(run.residual, "{:.0e}")});
  };
  add("ring of 60 links", ring(60));
  add("ring of 10,000 links", ring(10000));
  add("40 four-bars (A02)", four_bars(40));
  add("4,000 four-bars (A02)", four_bars(4000));
  report.table("structures",
               {"structure", "bodies", "loops", "redundant", "factor", "solve", "ns per body", "residual"},
               rows);
}

}  // namespace

// Exactly --repeats computations, so that instructions can be counted.
void bench_response(const BenchArguments& arguments, BenchReport& report) {
  const Simulation sim(ladder(arguments.links), Options{.solver = Solver::sparse});
  const std::pair<const char*, Response> methods[] = {{"path", Response::path},
                                                      {"solves", Response::solves},
                                                      {"rosenthal", Response::rosenthal},
                                                      {"literal", Response::literal}};
  report.section("response", fmt::format("Response matrix of a ladder of {} rungs, {} times", arguments.links,
                                         arguments.repeats));
  std::vector<std::vector<Cell>> rows;
  for (const auto& [name, method] : methods) {
    if (!arguments.method.empty() && arguments.method != name) continue;
    const ResponseRun run = run_response(sim, method, arguments.repeats);
    rows.push_back({cell(name), cell(run.rows), cell_seconds(run.seconds)});
  }
  report.table("methods", {"method", "auxiliary rows", "shortest time"}, rows);
}

void bench_loops(const BenchArguments& arguments, BenchReport& report) {
  const int repeats = std::min(arguments.repeats, 20);
  compare_ladders(repeats, report);
  show_structures(repeats, report);
}

}  // namespace catena::app
