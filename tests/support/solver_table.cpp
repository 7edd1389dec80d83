#include "support/solver_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace catena::test {

using solve::complementarity::kMethods;
using solve::complementarity::Method;
using solve::complementarity::Result;
using solve::complementarity::Solver;
using solve::complementarity::Status;

Result SolverTable::run(const ComplementarityProblem& problem, Method method, Group& group) {
  Solver solver({.method = method});
  solver.analyze(problem.rows);
  r_.setZero(problem.q.size());
  const auto start = std::chrono::steady_clock::now();
  const Result result = solver.solve(problem.W, problem.q, r_);
  Count& count = group.by_method[method];
  count.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++count.tried;
  if (!result.ok()) return result;
  ++count.solved;
  const bool has_sweeps = method == Method::gauss_seidel || method == Method::nncg ||
                          method == Method::admm || method == Method::lemke || method == Method::dantzig;
  count.work.push_back(has_sweeps ? result.sweeps : result.factorisations);
  return result;
}

Verdict SolverTable::judge(const ComplementarityProblem& problem, bool compares) {
  Group& group = groups_[problem.group];
  ++group.problems;
  group.rows += problem.rows.size();
  if (compares)
    for (const Method method : kMethods)
      if (method != Method::chain) (void)run(problem, method, group);
  const Result result = run(problem, Method::chain, group);
  ++group.routes[result.route];
  ++group.statuses[result.status];
  if (!r_.allFinite()) return {Outcome::silent, "multipliers that are not finite"};
  if (result.ok() && problem.known == Known::unsolvable)
    return {Outcome::silent, problem.group + ": solved what has no solution"};
  if (result.status == Status::infeasible && problem.known == Known::solvable)
    return {Outcome::silent, problem.group + ": proved that a solution does not exist, and it does"};
  if (result.ok() && !judge_.judge(problem.rows, problem.W, problem.q, r_).accepts(1e-8) &&
      result.islands == 1)
    return {Outcome::silent, problem.group + ": its residual is too large"};
  return result.ok() ? Verdict{} : Verdict{Outcome::refused, result.message()};
}

void SolverTable::print(bool is_markdown) const {
  const char* separator = is_markdown ? " | " : "  ";
  std::string head = fmt::format("{:22}{}{:>5}{}{:>4}", "group", separator, "count", separator, "rows");
  for (const Method method : kMethods) head += fmt::format("{}{:>14}", separator, name(method));
  fmt::print("{}{}{}\n", is_markdown ? "| " : "", head, is_markdown ? " |" : "");
  if (is_markdown) fmt::print("|---|--:|--:{}|\n", "|--:|--:|--:|--:|--:|--:|--:|--:");
  std::map<Method, Count> sums;
  for (const auto& [key, group] : groups_) {
    std::string line = fmt::format("{:22}{}{:5}{}{:4.0f}", key, separator, group.problems, separator,
                                   group.rows / group.problems);
    for (const Method method : kMethods) {
      const auto found = group.by_method.find(method);
      if (found == group.by_method.end()) {
        line += fmt::format("{}{:>14}", separator, "");
        continue;
      }
      Count count = found->second;
      sums[method].tried += count.tried;
      sums[method].solved += count.solved;
      std::sort(count.work.begin(), count.work.end());
      const std::string median =
          count.work.empty() ? "" : fmt::format(" ({})", count.work[count.work.size() / 2]);
      line += fmt::format("{}{:>14}", separator,
                          fmt::format("{:.1f} %{}", 100.0 * count.solved / count.tried, median));
    }
    fmt::print("{}{}{}\n", is_markdown ? "| " : "", line, is_markdown ? " |" : "");
  }
  std::string line = fmt::format("{:22}{}{:5}{}{:4}", "all", separator, "", separator, "");
  for (const Method method : kMethods)
    line +=
        fmt::format("{}{:>14}", separator, fmt::format("{} of {}", sums[method].solved, sums[method].tried));
  fmt::print("{}{}{}\n\n", is_markdown ? "| " : "", line, is_markdown ? " |" : "");
  for (const auto& [key, group] : groups_) {
    std::string text;
    for (const auto& [route, count] : group.routes) text += fmt::format(" {} {}", count, name(route));
    text += ";";
    for (const auto& [status, count] : group.statuses) text += fmt::format(" {} {}", count, name(status));
    const Count& chain = group.by_method.at(Method::chain);
    fmt::print("{:22} {:.3f} ms;{}\n", key, 1e3 * chain.seconds / chain.tried, text);
  }
}

}  // namespace catena::test
