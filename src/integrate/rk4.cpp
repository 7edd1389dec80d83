// Classical Runge-Kutta of fourth order on the accelerations of the constrained system.
//
// Rotations are added in the chart u ↦ q_n ⊕ u of the step's start (Munthe-Kaas): u̇ = chart_rate(u, v), so that the order
// holds for bodies in space too. Stages leave the constraints by O(h⁴) at most; drift control acts at the end of the step.
#include "integrate/drift_control.h"

namespace catena {
namespace {

class RungeKutta4 final : public Scheme {
 public:
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    static constexpr double kTime[4] = {0.0, 0.5, 0.5, 1.0};
    static constexpr double kWeight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    StepOutcome outcome;
    const State& from = start.state;
    sum_u_.setZero(equations.num_v());
    sum_v_.setZero(equations.num_v());
    u_dot_.resize(equations.num_v());
    for (int stage = 0; stage < 4; ++stage) {
      const double c = kTime[stage] * h;
      if (stage == 0) {
        u_dot_ = from.v;
        outcome.solve = drift_.start_accelerations(equations, options, start, h, acceleration_, lambda_);
      } else {
        u_ = c * u_dot_;
        v_ = from.v + c * acceleration_;
        q_ = from.q;
        equations.retract(u_, q_);
        equations.chart_rate(u_, v_, u_dot_);
        equations.evaluate({q_, v_, from.time + c, from.memory});
        outcome.solve = drift_.accelerations_at(equations, options, v_, h, acceleration_, lambda_);
      }
      if (!outcome.solve.ok()) {
        outcome.status = StepOutcome::Status::solve_failed;
        return outcome;
      }
      sum_u_ += (kWeight[stage] * h) * u_dot_;
      sum_v_ += (kWeight[stage] * h) * acceleration_;
    }
    next.time = start.end_time;
    next.v = from.v + sum_v_;
    next.q = from.q;
    next.memory = from.memory;
    equations.retract(sum_u_, next.q);
    return drift_.finish(equations, options, outcome.solve, next);
  }

 private:
  DriftControl drift_;
  VecX sum_u_, sum_v_, u_, u_dot_, v_, q_, acceleration_, lambda_;
};

}  // namespace

std::unique_ptr<Scheme> make_rk4() {
  return std::make_unique<RungeKutta4>();
}

}  // namespace catena
