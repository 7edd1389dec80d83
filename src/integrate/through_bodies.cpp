// A scheme that works on bodies, for a state in joint coordinates: bodies are placed by the joints, take the step, and the joints are read off
// them again. Joints of the tree are closed to rounding after every step, whatever the scheme leaves open.
#include "formulation/joint_equations.h"
#include "integrate/scheme.h"

namespace catena {
namespace {

class ThroughBodies final : public Scheme {
 public:
  ThroughBodies(std::unique_ptr<Scheme> inner, JointEquations& joints, const IntegratorTraits& traits)
      : inner_(std::move(inner)), joints_(joints), start_(traits.start), remembers_(traits.remembers) {}

  const StageEquations* stage() const override { return inner_->stage(); }
  const VecX* step_multipliers() const override { return inner_->step_multipliers(); }
  bool reports_step_multipliers() const override { return inner_->reports_step_multipliers(); }

  StepOutcome step(Equations& /*joints*/, const Options& options, const StepStart& start, double h,
                   State& next) override {
    from_.coordinates = Coordinates::bodies;  // q and v keep their sizes: nothing is allocated
    from_.time = start.state.time;
    from_.time_rest = start.state.time_rest;
    from_.steps = start.state.steps;
    from_.memory = start.state.memory;
    from_.history = start.state.history;
    from_.features = start.state.features;
    joints_.to_bodies(start.state.q, start.state.v, from_.q, from_.v);
    StepOutcome outcome;
    outcome.solve = solve_start();
    if (!outcome.solve.ok()) {
      outcome.status = StepOutcome::Status::solve_failed;
      return outcome;
    }
    const StepStart on_bodies{from_,   start.end_time, outcome.solve, acceleration_,
                              lambda_, start.energy,   start.powers,  start.unexplained_energy};
    outcome = inner_->step(joints_.bodies(), options, on_bodies, h, to_);
    joints_.bodies_have_moved();
    if (!outcome.ok()) return outcome;
    next.time = to_.time;
    if (remembers_) std::swap(next.history, to_.history);
    next.q = start.state.q;  // turns are counted from there
    joints_.to_joints(to_.q, to_.v, next.q, next.v);
    return outcome;
  }

 private:
  SolveResult solve_start() {
    BodyEquations& bodies = joints_.bodies();
    SolveResult result = bodies.factor();
    acceleration_.setZero(bodies.num_v());
    lambda_.setZero(bodies.num_rows());
    if (!result.ok() || start_ == StartSolution::unused) return result;
    right_side_ = -bodies.bias();
    result = bodies.solve_checked(bodies.force(), right_side_, acceleration_, lambda_);
    return start_ == StartSolution::guess ? SolveResult{} : result;
  }

  std::unique_ptr<Scheme> inner_;
  JointEquations& joints_;
  const StartSolution start_;
  const bool remembers_;
  State from_, to_;
  VecX acceleration_, lambda_, right_side_;
};

}  // namespace

std::unique_ptr<Scheme> make_through_bodies(std::unique_ptr<Scheme> inner, JointEquations& joints,
                                            const IntegratorTraits& traits) {
  return std::make_unique<ThroughBodies>(std::move(inner), joints, traits);
}

}  // namespace catena
