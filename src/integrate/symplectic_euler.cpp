// Symplectic Euler: v⁺ = v + h v̇(q, v, t),  q⁺ = q ⊕ h v⁺.   First order, one evaluation a step.
#include "integrate/drift_control.h"

namespace catena {
namespace {

class SymplecticEuler final : public Scheme {
 public:
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    StepOutcome outcome;
    outcome.solve = drift_.start_accelerations(equations, options, start, h, acceleration_, lambda_);
    if (!outcome.solve.ok()) {
      outcome.status = StepOutcome::Status::solve_failed;
      return outcome;
    }
    next.time = start.end_time;
    next.v = start.state.v + h * acceleration_;
    next.q = start.state.q;
    next.memory = start.state.memory;
    step_ = h * next.v;
    equations.retract(step_, next.q);
    return drift_.finish(equations, options, outcome.solve, next);
  }

 private:
  DriftControl drift_;
  VecX acceleration_, lambda_, step_;
};

}  // namespace

std::unique_ptr<Scheme> make_symplectic_euler() {
  return std::make_unique<SymplecticEuler>();
}

}  // namespace catena
