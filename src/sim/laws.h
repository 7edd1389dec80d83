// Laws of driven constraints that break: where the given position or its rate jumps.
//
// No body can jump, so that a jump of the position is refused, with its time. Where only the rate jumps, a step ends there, an impulse takes
// the velocities to the new rate, and the rest of the step follows: no step of any scheme goes across a break (src/sim/advance.cpp).
//
// Breaks are found by asking the rows, user-defined ones included, with the bodies held where they are: C, C_t and γ are then a function of
// time with two derivatives. Between two times with a third in the middle, with h their distance and Δ a jump of f,
//   |f(m) - (f(a) + f(b))/2 - h/8·(f'(a) - f'(b))|  =  O(h⁴) where f is smooth,  |Δ|/2 where it jumps              (1)
// for f = C and f = C_t: halving tells the two apart. A pulse that begins and ends between two such times is not seen.
#pragma once

#include "catena/simulation.h"
#include "formulation/layout.h"

#include <optional>
#include <string>

namespace catena {

struct LawBreak {
  int constraint = -1;               // whose; -1: there is none
  double before = 0.0, after = 0.0;  // the last time with the old value and the first with the new one   s
  bool is_of_position = false;       // not of the rate alone
  double rate_jump = 0.0;            // m/s or rad/s
  bool exists() const { return constraint >= 0; }
};

class LawWatch {
 public:
  explicit LawWatch(const Layout& layout);
  bool has_laws() const { return !driven_.empty(); }
  /// The first break after `begin`, up to `end`. Without allocation.
  LawBreak first_break(const Simulation::Impl& sim, double begin, double end);

 private:
  /// The rows of one constraint at a time, twice: as the markers are, and with the first one turned, so that an angle that jumps by half a
  /// turn, which a sine does not show, is seen too.
  struct Sample {
    double time = 0.0;
    VecX C, rate, acceleration;
  };
  void hold(const Simulation::Impl& sim, const ConstraintSlot& slot);
  void sample(double time, Sample& out);
  double suspicion(const Sample& a, const Sample& middle, const Sample& b) const;
  std::optional<LawBreak> any_break(double begin, double end);

  std::vector<int> driven_;  // constraints with a law
  double length_scale_;
  // of the constraint that is looked at
  const ConstraintSlot* slot_ = nullptr;
  Motion motion_;
  std::vector<Marker> markers_, turned_;
  std::vector<double> G_;
  Sample a_, quarter_, middle_, three_quarters_, b_;
};

/// What breaks, when, and what is done about it.
std::string describe(const Model& model, const LawBreak& at);

}  // namespace catena
