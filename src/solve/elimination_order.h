// In which order bodies and constraints are eliminated: weighted approximate minimum degree, with a rule for constraints.
//
// A constraint has no pivot of its own (its diagonal block is -S, mostly zero); it gets one from bodies eliminated before it.
// The rule that keeps all pivots regular for independent constraints: a body may go at any time; a constraint when it has a body of
// its own among the eliminated ones, on which it acts with full rank (each body serves one constraint), or when all its bodies
// are gone. Compliant constraints may go at any time.
//
// The fill is never written down as edges. The quotient graph keeps, for every node eliminated, one element: the list of its
// neighbours left, all of which are neighbours of each other. Eliminating p
//   L_p = (direct neighbours of p) ∪ (members of p's elements) without p                                            (1)
// absorbs p's elements into the new one, and every element within L_p as well. The degree of a node i of L_p, in scalars, is bounded by
//   d_i = min( all that is left,  d_i - |p| + |L_p \ i|,  |direct neighbours outside L_p| + |L_p \ i| + Σ_e |L_e \ L_p| )   (2)
// with the sum over the elements e of i. Direct edges inside L_p are found from the end with fewer neighbours, so that a hub's long
// list is walked once only.
//
// Cost about O(blocks of the factor); nothing is allocated when the storage of an earlier order is large enough.
//
// Reference: P. Amestoy, T. Davis, I. Duff, An approximate minimum degree ordering algorithm, SIAM J. Matrix Anal. Appl. 17 (1996).
#pragma once

#include "solve/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace catena::solve {

/// Nodes: bodies first, then constraints. Everything is given by position in the order of elimination.
struct EliminationOrder {
  std::vector<int> nodes;        // node eliminated at each position
  std::vector<int> position;     // its inverse; -1 for nodes left out
  std::vector<int> parent;       // first of later(k), -1 at a root
  std::vector<int> later_begin;  // range of each position in `later_positions`     (positions + 1)
  std::vector<int> later_positions;

  int size() const { return int(nodes.size()); }
  /// Positions of the neighbours left when the node at `k` went, ascending.
  std::span<const int> later(int k) const {
    return {later_positions.data() + later_begin[std::size_t(k)],
            later_positions.data() + later_begin[std::size_t(k) + 1]};
  }
};

/// What to order, and how.
struct OrderRequest {
  const std::vector<char>& late;              // per constraint: 1 to take it only when nothing else is left
  const std::vector<char>* bodies = nullptr;  // 1 where the node takes part; null: all do
  const std::vector<char>* constraints = nullptr;  // the bodies of a constraint that takes part do so, too
};

/// Finds orders, and keeps its storage from one to the next.
class OrderFinder {
 public:
  OrderFinder() = default;
  OrderFinder(const OrderFinder& /*other*/) {}  // storage alone, which is not worth a copy
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): there is nothing to assign
  OrderFinder& operator=(const OrderFinder& /*other*/) { return *this; }
  /// @param problem  representative numbers, for the ranks of the blocks of J
  void find(const Problem& problem, const OrderRequest& request, EliminationOrder& order);

  /// Entries of lists walked by the last find(): what its time is proportional to.
  std::int64_t operations() const { return operations_; }

 private:
  struct Range {
    int begin = 0, end = 0;
  };
  struct Neighbour {
    int node = 0;
    int edge = 0;  // of the graph, or number of edges + link
  };

  // the graph
  void read_nodes(const Problem& problem, const OrderRequest& request);
  void read_neighbours(const Graph& graph);
  void read_ranks(const Problem& problem);
  bool is_constraint(int node) const { return node >= num_bodies_; }
  template <class Visit>
  void visit_edges(const Graph& graph, Visit visit) const;

  // the rule
  bool is_eligible(int node);
  int private_body(int constraint);
  void note_gone(int node);

  // the queue: a list of nodes per degree, late ones behind all others
  void enqueue(int node);
  void dequeue(int node);
  int take_first();

  // minimum degree
  void eliminate(int node);
  void gather_members(int node);
  void count_outside(std::span<const int> members);
  void cover_direct_edges(std::span<const int> members);
  void update_degrees(int node, std::span<const int> members, int weight);

  // what comes after
  void postorder(EliminationOrder& order);
  void write_later(EliminationOrder& order);

  int num_bodies_ = 0, num_nodes_ = 0, num_taking_part_ = 0;
  const Graph* graph_ = nullptr;
  std::int64_t operations_ = 0;

  // per node
  std::vector<int> dim_, degree_,
      direct_;  // direct: summed dimensions of direct neighbours outside all elements
  std::vector<char> takes_part_, is_gone_, is_late_;
  std::vector<int> neighbour_begin_, owned_end_;  // owned: edges that are looked at from this end
  std::vector<Neighbour> neighbours_;
  std::vector<int> element_count_, elements_;  // elements of a node, from its neighbour_begin_ on
  std::vector<int> mark_;
  int stamp_ = 0;

  // per edge and link: 1 when an element says as much
  std::vector<char> is_covered_;

  // per element, under the number of the node eliminated
  std::vector<Range> members_of_;
  std::vector<int> members_;
  std::vector<int> weight_, outside_, seen_;
  std::vector<char> is_absorbed_;

  // of the rule
  std::vector<char> is_compliant_, is_taken_;     // per constraint, per body
  std::vector<int> bodies_left_, first_private_;  // per constraint; edges whose bodies are gone, as a list
  std::vector<int> next_private_;                 // per edge
  std::vector<char> has_rank_;                    // per edge
  std::vector<double> block_;

  // of the queue
  std::vector<int> first_in_, next_, previous_;
  int total_ = 0, left_ = 0, lowest_ = 0;

  // of the postorder
  std::vector<int> raw_, raw_position_, raw_parent_, first_child_, next_sibling_, stack_, sequence_;
  std::vector<int> column_begin_, columns_, filled_;
};

}  // namespace catena::solve
