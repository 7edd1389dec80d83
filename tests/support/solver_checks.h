// Laws that every equality solver must obey, whatever is inside it.
#pragma once

#include "solve/equality_solver.h"
#include "support/allocation_counter.h"
#include "support/random_problem.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace catena::testing {

/// analyze, factor and solve; any failure fails the test and leaves the solution empty.
inline Solution solve_by(solve::EqualitySolver& solver, RandomProblem& r) {
  Solution s;
  const solve::Refusal refusal = solver.analyze(r.problem);
  EXPECT_FALSE(refusal.refused()) << refusal.reason;
  if (refusal.refused()) return s;
  r.fill_pairs(solver);
  const bool factored = solver.factor(r.problem).ok();
  EXPECT_TRUE(factored);
  if (!factored) return s;
  EXPECT_TRUE(solver.solve(r.problem, r.f, r.d, s.x, s.lambda).ok());
  return s;
}

/// The solver gives the reference's answer on problems drawn with these options from seeds 1, 2, …
inline void expect_agrees_with_reference(solve::EqualitySolver& solver, const RandomProblemOptions& options,
                                         unsigned num_seeds, double tolerance) {
  for (unsigned seed = 1; seed <= num_seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RandomProblem r(random, options);
    const Solution expected = solve_reference(r), found = solve_by(solver, r);
    EXPECT_LT(relative_difference(found.x, expected.x), tolerance);
    EXPECT_LT(relative_difference(found.lambda, expected.lambda), tolerance);
  }
}

/// After a first factor and solve, further ones with other numbers do not touch the heap.
inline void expect_no_allocation(solve::EqualitySolver& solver, RandomProblem& r) {
  Solution s = solve_by(solver, r);
  r.problem.M *= 1.25;
  r.f *= 2.0;
  const AllocationCounter allocations;
  const bool factored = solver.factor(r.problem).ok();
  const bool solved = solver.solve(r.problem, r.f, r.d, s.x, s.lambda).ok();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_TRUE(factored && solved);
}

/// A chain of `links` bodies held at one end, or a star of them around a free hub.
inline solve::Graph make_chain(int links, int dim, int rows) {
  solve::GraphBuilder builder;
  for (int i = 0; i < links; ++i) {
    builder.add_body(dim);
    builder.add_constraint(rows, i == 0 ? std::vector<int>{0} : std::vector<int>{i, i - 1});
  }
  return builder.finish();
}
inline solve::Graph make_star(int arms, int dim, int rows) {
  solve::GraphBuilder builder;
  const int hub = builder.add_body(dim);
  for (int i = 0; i < arms; ++i) builder.add_constraint(rows, {builder.add_body(dim), hub});
  return builder.finish();
}

}  // namespace catena::testing
