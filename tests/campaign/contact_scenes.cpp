// Part of the campaign: scenes of bodies that touch (tests/support/complementarity_problems.h), with every complementarity solver.
// Prints the table of docs/complementarity.md.
#include "campaign/part.h"
#include "support/solver_table.h"

int main(int argc, char** argv) {
  using namespace catena::test;
  SolverTable table;
  const int status = run_part(argc, argv, "contact_scenes", [&](std::uint64_t seed) -> Verdict {
    try {
      return table.judge(scene_problem(seed), true);
    } catch (const std::exception& problem) {
      return {Outcome::silent, problem.what()};
    }
  });
  table.print(true);
  return status;
}
