// Random problems with what only some solvers take: unsymmetric blocks, links between bodies, forces that do not act along their rows.
#pragma once

#include "support/random_problem.h"

#include <set>

namespace catena::testing {

struct RandomStageOptions {
  bool symmetric = false;
  double skew = 0.02;       // relative size of what makes M unsymmetric, and size of the links
  bool links = true;        // between bodies that share a constraint, two of three
  int direction_every = 0;  // each so manieth constraint has directions of its own; 0: none
  double deflection = 0.3;  // of these directions from the rows
};

/// The structure and numbers of another random problem with these things added.
struct RandomStage {
  solve::Graph graph;
  solve::Problem problem;

  RandomStage(const RandomStage&) = delete;
  RandomStage& operator=(const RandomStage&) = delete;
  RandomStage(std::mt19937& random, const RandomProblem& base, const RandomStageOptions& options) {
    solve::GraphBuilder builder;
    const solve::Graph& g = base.graph;
    for (const int dim : g.dims) builder.add_body(dim);
    std::set<std::pair<int, int>> pairs;
    for (int c = 0; c < g.num_constraints(); ++c) {
      std::vector<int> bodies;
      for (int e = g.edge_begin[std::size_t(c)]; e < g.edge_begin[std::size_t(c) + 1]; ++e)
        bodies.push_back(g.edges[std::size_t(e)].body);
      builder.add_constraint(g.rows[std::size_t(c)], bodies, {},
                             options.direction_every > 0 && c % options.direction_every == 0);
      if (options.links && bodies.size() == 2 && c % 3 != 0) pairs.emplace(std::minmax(bodies[0], bodies[1]));
    }
    for (const auto& [a, b] : pairs) builder.add_link(a, b);
    graph = builder.finish();
    problem.resize(graph, options.symmetric ? solve::Problem::Symmetry::symmetric
                                            : solve::Problem::Symmetry::unsymmetric);
    problem.M = base.problem.M;
    problem.J = base.problem.J;
    problem.S = base.problem.S;
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    if (!options.symmetric)
      for (double& value : problem.M) value *= 1.0 + options.skew * number(random);
    for (double& value : problem.links) value = options.skew * number(random);
    for (double& value : problem.lower) value = options.skew * number(random);
    for (Eigen::Index i = 0; i < problem.K.size(); ++i)
      problem.K[i] = problem.J[i] + options.deflection * number(random);
  }
};

}  // namespace catena::testing
