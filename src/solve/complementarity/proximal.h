// Problems whose multipliers are large or not unique, step by step with compliance: each step is easier than the problem, and where steps shrink to
// nothing compliance has no part in the answer. Where they do not the problem jams: no solution of reasonable size was found, which is a
// symptom and no proof.
//
//   x_k+1 = solution of (W + c, q - c x_k),   c = 1e-2,   problem in normal form                                                  (1)
#pragma once

#include "solve/complementarity/interior_point.h"

namespace catena::solve::complementarity {

class Proximal {
 public:
  struct Options {
    double compliance = 1e-2;  // c
    int most = 12;             // steps
    double tolerance = 1e-9;
    int budget = 100000;  // factorisations
  };
  /// From 0 to the best point met, in x.
  Outcome run(const NormalForm& p, const Options& options, Newton& newton, InteriorPoint& interior, Vector x);
  /// In the last run steps did not shrink, and multipliers grew.
  bool is_jammed() const { return is_jammed_; }

 private:
  NormalForm step_problem_;
  Numbers at_, next_, u_;
  bool is_jammed_ = false;
};

}  // namespace catena::solve::complementarity
