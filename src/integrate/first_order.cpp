// First-order kinematics, f = m·v: an assembly that is dragged, not thrown.
//
//   M v = F(q, 0, t) + Jᵀλ,    J v = -C/T - C_t,    q⁺ = q ⊕ h v                                              (1)
// The mass acts as a metric only; errors of the constraints decay with the time constant T = max(relaxation_time, h).
//
// Springs, stops and position-controlled motors would need h k J M⁻¹Jᵀ < 2. Where there are any, F is taken at the end of the step, linear
// about its start, in the matrix of a stage (formulation/stage_equations.h) without velocities, u = h v:
//   M u/h = F(q ⊕ u, 0, t + h) + Jᵀλ,    J u = -C(t + h) + (1 - h/T) C(t)                                        (2)
// so that a stop holds at any step. Where (2) cannot be factored, as with constraints that contradict each other, (1) is left.
#include "formulation/stage_equations.h"
#include "integrate/implicit.h"

namespace catena {
namespace {

constexpr double kStill = 1e30;  // s: velocities of a stage are u over this

// An open start is drawn together, over a while; a step that ends with joints further open than the model is long, and that much further than
// before, has lost them: without inertia there is no energy to tell.
constexpr double kMayOpenFurther = 2.0;

class FirstOrder final : public Scheme {
 public:
  explicit FirstOrder(std::unique_ptr<StageEquations> stage) : stage_(std::move(stage)) {}
  const StageEquations* stage() const override { return stage_.get(); }
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    StepOutcome outcome;
    if (stage_ == nullptr || !move_in_stage(equations, options, start.state, h)) {
      outcome.solve = move(equations, options, start.state, h);
      if (!outcome.solve.ok()) {
        outcome.status = StepOutcome::Status::solve_failed;
        return outcome;
      }
    } else if (!(stage_->largest_turn(x_, &outcome.turned_body) < kLargestTurn)) {
      outcome.status = StepOutcome::Status::positions_not_converged;
      return outcome;
    }
    next.time = start.end_time;
    next.q = start.state.q;
    next.v = x_ / h;
    equations.retract(x_, next.q);
    C_.resize(equations.num_rows());
    equations.evaluate_errors(next.q, next.time, start.state.memory, C_);
    outcome.constraint_error = largest_error(C_, outcome.worst_row);
    int row = -1;
    const double before = largest_error(equations.C(), row);
    if (!(outcome.constraint_error < equations.length_scale()) &&
        !(outcome.constraint_error <= kMayOpenFurther * before))
      outcome.status = StepOutcome::Status::positions_not_converged;
    return outcome;
  }

 private:
  SolveResult move(Equations& equations, const Options& options, const State& now, double h) {
    zero_.setZero(equations.num_v());
    F_.resize(equations.num_v());
    equations.evaluate_forces(zero_, now.time, false, F_);
    d_ = -equations.C() / std::max(options.relaxation_time, h) - equations.C_t();
    const SolveResult result = equations.solve_checked(F_, d_, x_, lambda_);  // (1)
    x_ *= h;
    return result;
  }

  bool move_in_stage(Equations& equations, const Options& options, const State& now, double h) {
    zero_.setZero(equations.num_v());
    lambda_.setZero(stage_->num_lambda());
    stage_->set_redundant_rows(equations.redundant_rows());
    const auto stage_at = [&](double time) {
      return Stage{&now.q, &now.memory, time, &zero_, kStill, nullptr, &zero_, h, true, &zero_};
    };
    stage_->begin(stage_at(now.time + h));
    do {
      lambda_.setZero();
      (void)stage_->evaluate(zero_, lambda_);
      if (!stage_->factor().ok()) return false;
      stage_->solve(x_, dlambda_);
      lambda_ += dlambda_;
    } while (stage_->adjust_stops(x_, lambda_));
    stage_->begin(stage_at(now.time));
    (void)stage_->evaluate_errors(zero_);
    stage_->correct_errors(correction_, dlambda_);
    x_ -= (1.0 - h / std::max(options.relaxation_time, h)) * correction_;  // (2)
    return x_.allFinite();
  }

  std::unique_ptr<StageEquations> stage_;
  VecX zero_, F_, C_, d_, x_, lambda_, dlambda_, correction_;
};

}  // namespace

std::unique_ptr<Scheme> make_first_order(std::unique_ptr<StageEquations> stage) {
  return std::make_unique<FirstOrder>(std::move(stage));
}

}  // namespace catena
