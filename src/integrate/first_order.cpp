// First-order kinematics, f = m·v: an assembly that is dragged, not thrown.
//
//   M v = F(q, 0, t) + Jᵀλ,    J v = -C/T - C_t,    q⁺ = q ⊕ h v                                              (1)
// The mass acts as a metric only; errors of the constraints decay with the time constant T = max(relaxation_time, h).
#include "integrate/scheme.h"

namespace catena {
namespace {

class FirstOrder final : public Scheme {
 public:
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    StepOutcome outcome;
    zero_.setZero(equations.num_v());
    F_.resize(equations.num_v());
    C_.resize(equations.num_rows());
    equations.evaluate_forces(zero_, start.state.time, false, F_);
    d_ = -equations.C() / std::max(options.relaxation_time, h) - equations.C_t();
    outcome.solve = equations.solve_checked(F_, d_, x_, lambda_);  // (1)
    if (!outcome.solve.ok()) {
      outcome.status = StepOutcome::Status::solve_failed;
      return outcome;
    }
    next.time = start.end_time;
    next.q = start.state.q;
    next.v = x_;
    x_ *= h;
    equations.retract(x_, next.q);
    equations.evaluate_errors(next.q, next.time, start.state.memory, C_);
    outcome.constraint_error = largest_error(C_, outcome.worst_row);
    return outcome;
  }

 private:
  VecX zero_, F_, C_, d_, x_, lambda_;
};

}  // namespace

std::unique_ptr<Scheme> make_first_order() {
  return std::make_unique<FirstOrder>();
}

}  // namespace catena
