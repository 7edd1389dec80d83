// The sparse solver island by island: a change in one leaves the structure and the numbers of all others alone.
//
// Every island (islands.h) has a solver of its own. analyze() compares each island with the one that had the same first body
// and orders only those whose structure differs; factor() copies the numbers and factors only islands with other numbers. Storage
// of islands that vanish serves new ones of about their size, so that islands that come and go allocate nothing after a while.
//
// Cost: O(graph) to compare and copy, and the sparse solver's on what changed.
#pragma once

#include "solve/islands.h"
#include "solve/sparse.h"

#include <memory>

namespace catena::solve {

class IslandSolver final : public EqualitySolver {
 public:
  IslandSolver() = default;
  IslandSolver(const IslandSolver& other);
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<IslandSolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  const std::vector<int>& dropped_rows() const override { return dropped_rows_; }
  int refinements() const override;

  const Islands& islands() const { return islands_; }
  /// Islands that the last analyze() ordered, and that the last factor() factored.
  int num_ordered() const { return num_ordered_; }
  int num_factored() const { return num_factored_; }

 private:
  /// One island as a problem of its own.
  struct Part {
    Graph graph;
    Problem problem;
    SparseSolver solver;
    std::vector<char> is_soft;       // per constraint: all rows are compliant, which belongs to the structure
    std::vector<int> constraints;    // of the whole, in the order of `graph`
    std::vector<int> bodies, links;  // likewise
    std::vector<double> z;           // right-hand side in permuted order, as long as x and λ together
    bool is_in_use = false, is_factored = false;
    int size_class = 0;
  };

  void release_parts();
  Part& part_for(int island, const Graph& graph);
  bool has_changed(int island, const Part& part) const;
  Refusal renew(const Problem& problem, int island, Part& part);
  void make_graph(const Problem& problem, int island);
  bool copy_numbers(const Problem& problem, Part& part) const;
  FactorResult failure(const Part& part, FactorResult result) const;

  Islands islands_;
  std::vector<std::unique_ptr<Part>> parts_;    // all there are
  std::vector<Part*> part_of_;                  // per island
  std::vector<Part*> part_of_first_body_;       // of the last analysis
  std::vector<std::vector<Part*>> free_parts_;  // per class of sizes: logarithm of the number of nodes
  GraphBuilder builder_;                        // of the island looked at
  std::vector<int> attached_;
  std::vector<char> is_soft_;
  std::vector<int> local_body_;  // per body: index in its island
  std::vector<int> dropped_rows_;
  int num_ordered_ = 0, num_factored_ = 0;
};

}  // namespace catena::solve
