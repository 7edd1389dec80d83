// Part of the campaign: complementarity problems of 1 to 60 rows of mixed kinds, regular, degenerate, hyperstatic, infeasible and unsymmetric.
// Prints which method solves what of every tenth problem.
#include "campaign/part.h"
#include "support/solver_table.h"

int main(int argc, char** argv) {
  using namespace catena::test;
  SolverTable table;
  const int status = run_part(argc, argv, "complementarity", [&](std::uint64_t seed) -> Verdict {
    try {
      return table.judge(random_problem(seed), seed / 5 % 10 == 0);
    } catch (const std::exception& problem) {
      return {Outcome::silent, problem.what()};
    }
  });
  table.print(false);
  return status;
}
