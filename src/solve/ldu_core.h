// What is left of an implicit step's system when the leaves are gone, and in which order it is eliminated.
//
// A constraint may come too early for a pivot although the matrix is regular: its bodies are held by others in ways that counting does not
// see, or its pivot vanishes in this position. It is then taken last; where that happens to many, all are, and where it does not help the
// factor is refused with the name of the constraint. What the first factor after an analysis finds belongs to the order
// from then on; later factors leave the order of the analysis for themselves alone, so that every factor is a function of its numbers and
// of those that the analysis saw, whatever came in between.
#pragma once

#include "solve/equality_solver.h"
#include "solve/ldu_panels.h"

namespace catena::solve {

class LduCore {
 public:
  /// May be repeated; nothing is allocated when the storage of an earlier analysis is large enough.
  /// @param bodies, constraints  1 where the node belongs to the core
  void analyze(const Problem& problem, const std::vector<char>& bodies, const std::vector<char>& constraints);
  bool is_empty() const { return usual_.num_nodes() == 0; }

  /// @param D  body blocks as the leaves left them
  FactorResult factor(const Problem& problem, const Eigen::VectorXd& D);

  /// As if factor() had been called: the usual order is what it is.
  void settle();

  /// The last factor. Its order is another one when num_orders() is.
  LduPanels& panels() { return is_detour_ ? detour_ : usual_; }
  const LduPanels& panels() const { return is_detour_ ? detour_ : usual_; }
  int num_orders() const { return num_orders_; }

 private:
  /// Marks the constraint that failed; false when it went last already, or is none.
  bool take_last(const LduPanels& panels, int failed, FactorResult& result);
  void find_order(const Problem& problem, LduPanels& panels);

  LduPanels usual_, detour_;
  std::vector<char> bodies_, constraints_;
  std::vector<char> late_, usual_late_;  // constraints that go last: in this factor, in the usual order
  bool is_settled_ = false;              // the usual order has been tried
  bool is_detour_ = false;               // the last factor left it
  int num_orders_ = 0;                   // found or returned to
};

}  // namespace catena::solve
