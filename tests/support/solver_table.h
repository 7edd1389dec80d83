// Counts which complementarity solver solves what, and judges the chain: what it says is solved must be, and what it proves must be true.
#pragma once

#include "solve/complementarity/solver.h"
#include "support/complementarity_problems.h"
#include "support/oracles.h"

#include <map>

namespace catena::test {

class SolverTable {
 public:
  /// The chain on a problem, and all other methods where `compares`.
  Verdict judge(const ComplementarityProblem& problem, bool compares);
  /// Groups by methods: share solved and median work. The same as a table of a document where `is_markdown`.
  void print(bool is_markdown) const;

 private:
  struct Count {
    int tried = 0, solved = 0;
    std::vector<int> work;  // factorisations of what was solved; sweeps and pivots where there are none
    double seconds = 0.0;
  };
  struct Group {
    int problems = 0;
    double rows = 0.0;
    std::map<solve::complementarity::Method, Count> by_method;
    std::map<solve::complementarity::Route, int> routes;  // of the chain
    std::map<solve::complementarity::Status, int> statuses;
  };

  solve::complementarity::Result run(const ComplementarityProblem& problem,
                                     solve::complementarity::Method method, Group& group);

  std::map<std::string, Group> groups_;
  Eigen::VectorXd r_;
  solve::complementarity::Judge judge_;
};

}  // namespace catena::test
