// What is left of an implicit step's system when the leaves are gone: general block LDU in an order of minimum degree.
#pragma once

#include "solve/elimination_order.h"
#include "solve/ldu.h"

namespace catena::solve {

class LduCore {
 public:
  /// @param bodies, constraints  1 where the node belongs to the core
  void analyze(const LduProblem& problem, const std::vector<char>& bodies,
               const std::vector<char>& constraints);
  bool is_empty() const { return nodes_.empty(); }

  /// @param D  body blocks as the leaves left them
  FactorResult factor(const LduProblem& problem, const Eigen::VectorXd& D);
  void solve(Eigen::VectorXd& x, Eigen::VectorXd& lambda);
  int negative_bodies() const { return negative_bodies_; }
  int negative_constraints() const { return negative_constraints_; }

 private:
  struct Node {
    bool is_constraint = false;
    int index = 0;  // body or constraint of the problem
    int dim = 0;
    int entry = 0;           // in x or λ of the problem
    int diagonal = 0;        // offset in values_
    int begin = 0, end = 0;  // range of blocks_
  };
  struct Block {  // between a node and one eliminated later
    int node = 0;
    int upper = 0, lower = 0;  // offsets in values_: (this, later) and (later, this)
  };
  struct Source {
    enum class Kind { body, edge, compliance, upper, lower } kind;
    int from = 0, rows = 0, columns = 0;
    int to = 0, to_mirror = 0;  // mirror: of an edge, which stands on both sides of the diagonal
  };

  void order_nodes(const LduProblem& problem);
  /// The numbers with the present order; the position of a node without a pivot, or -1.
  int eliminate(const LduProblem& problem, const Eigen::VectorXd& D);
  void assemble(const LduProblem& problem, const Eigen::VectorXd& D);
  void plan(const LduProblem& problem, const std::vector<int>& position_of_body,
            const std::vector<int>& position_of_constraint);
  int offset(int row_position, int column_position) const;

  std::vector<Node> nodes_;  // in the order of elimination
  std::vector<Block> blocks_;
  std::vector<int> targets_;  // per node, per pair of its blocks: offset of the block they change
  std::vector<int> target_begin_;
  std::vector<Source> sources_;
  Eigen::VectorXd values_;
  Eigen::VectorXd scale_;  // per row: what cancelled in its diagonal entry
  std::vector<char> bodies_, constraints_;
  std::vector<char> late_;  // constraints that found no pivot in the order of minimum degree: they go last
  int negative_bodies_ = 0, negative_constraints_ = 0;
};

}  // namespace catena::solve
