// The work of everything without a potential over an implicit step, as the scheme sees it done.
//
// A scheme adds momentum as a weighted sum of forces: of the end of a stage, of the start, of what the step before added. The same weights
// make the impulse i of every effort e (formulation/efforts.h), and its work is
//   W = i · ½(r_n + r_{n+1})        r: the rate it acts along                                                      (1)
// of the order of the scheme where the step resolves the motion; where it does not, the change of the kinetic energy that these impulses
// make: a stiff brake that stops a wheel within a step takes all of its energy, not h times a power at one end.
#pragma once

#include "formulation/stage_equations.h"
#include "integrate/scheme.h"

namespace catena {

class WorkMeter {
 public:
  Eigen::Index size() const { return start.size(); }

  /// At the start of a substep (StageEquations::start): efforts and rates by the laws there, and λ of the stage.
  void begin(StageEquations& stage, const State& at, double step, const VecX& constraint_lambda,
             VecX& lambda) {
    stage.start(at, step, constraint_lambda, lambda, start, start_rate);
  }
  /// Efforts and rates at the end of a stage that was solved.
  void read(StageEquations& stage) { stage.read_efforts(end, end_rate); }
  /// What may give energy does at the end of the last stage, without sign.   W
  double largest_input(const StageEquations& stage) const;
  /// Adds (1), and goes on from there.
  void book(const StageEquations& stage, Work& work);

  VecX start, end;               // efforts at the start of the substep, and of its last stage
  VecX impulse, impulse_before;  // of this substep, as the scheme weighs them; and of the one before

 private:
  VecX start_rate, end_rate;
};

}  // namespace catena
