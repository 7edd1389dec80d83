// A factor as a sequence of elimination steps, for solves that concern few bodies.
//
// Every step eliminates some bodies and constraints and changes nothing but later steps on the way to a root: its parent, the parent's
// parent, and so on. A right-hand side on few bodies is therefore nonzero only on the paths from their steps to the roots, and the
// solution on few bodies needs only the steps on theirs:
//
//   forward, ascending, along the paths of the right-hand side;  backward, descending, along the paths of the bodies asked for     (1)
//
// Both work on a vector z that holds f in the entries of the bodies, and zeros elsewhere, before; x in the entries of the bodies
// asked for after. What it holds in between, and in the other entries, is the factor's own affair. Constraints are held: d = 0.
#pragma once

#include "solve/problem.h"

#include <vector>

namespace catena::solve {

struct EliminationSteps {
  /// Entries [begin, end) of the work vector.
  struct Range {
    int begin = 0, end = 0;
  };
  std::vector<int> parent;         // per step: a later one, -1 at a root
  std::vector<int> step_of_body;   // per body
  std::vector<int> entry_of_body;  // per body: of its first entry in the work vector
  std::vector<int> range_begin;    // per step: its first one in `ranges`        (steps + 1)
  std::vector<Range> ranges;       // of the bodies and constraints of each step
  int num_entries = 0;             // of the work vector

  int num_steps() const { return int(parent.size()); }
  void clear_entries(int step, int lanes, double* z) const;

  /// Sizes for the bodies of a graph whose work vector is (x ; λ); steps are to be added in order, with their parents last of all.
  void reset(const Graph& g);
  /// Begins a step; bodies and constraints go to the last one begun.
  void add_step();
  void add_body(const Graph& g, int body);
  void add_constraint(const Graph& g, int constraint);
};

/// What a factor offers whose steps can be taken one by one.
class SteppedFactor {
 public:
  virtual ~SteppedFactor() = default;
  /// Of the last factor(), which may have changed them.
  virtual const EliminationSteps& steps() const = 0;
  /// Right-hand sides that are taken at a time, beside each other: entry i of the k-th is z[i · lanes + k].
  virtual int lanes() const { return 1; }
  virtual void forward(const Problem& problem, int step, double* z) = 0;
  virtual void backward(const Problem& problem, int step, double* z) = 0;
};

}  // namespace catena::solve
