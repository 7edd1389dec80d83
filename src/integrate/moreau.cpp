// Moreau's time stepping with contacts, limits and dry friction (Moreau 1988, Jean 1999): impulses, no forces, and no events.
//
// Legend: q, v at the start of a step of h, ½ half way, ⁺ at its end; F all forces, J rows of constraints, A rows of inequalities that hold
//
//   q½ = q ⊕ ½h v                                    where everything is evaluated                                             (1)
//   v½ = v + ½h v̇(q½, v)                             for forces that depend on velocities                                       (2)
//   M v* = M v + h F(q½, v½) + Jᵀμ,   J v* = -C_t     without inequalities                                                      (3)
//   v⁺ = v* + M̂⁻¹Aᵀr,   r by the laws of the rows     those that are at their bound at q½ (inequality_set.h)                    (4)
//   q⁺ = q½ ⊕ ½h v⁺                                                                                                            (5)
//   q⁺ back onto C = 0 and out of what it entered, v⁺ onto J v⁺ = -C_t, with what holds held                                    (6)
//
// First order where something touches or lets go, second order in between. Newton's law of restitution. Cost: two evaluations, one factor, the
// complementarity problem; (6) another factor or two where there is something to correct.
#include "integrate/inequality_projection.h"

namespace catena {
namespace {

constexpr double kTouching =
    1e-9;  // gap below which a row holds, over the model's size: without it resting contacts flicker

class Moreau final : public Scheme {
 public:
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    StepOutcome outcome;
    outcome.solve = move_freely(equations, start, h);
    if (!outcome.solve.ok()) {
      outcome.status = StepOutcome::Status::solve_failed;
      return outcome;
    }
    const ContactOutcome contacts = meet(equations, start.state.v, h);
    if (!contacts.is_solved) return refuse_contacts(contacts, outcome);
    next.time = start.end_time;
    next.memory = start.state.memory;
    next.v = v_;
    next.q = q_;
    step_ = 0.5 * h * v_;
    equations.retract(step_, next.q);  // (5)
    outcome.work.add(Account::contacts, held_.work_of_travel());
    outcome.work.add(Account::friction, held_.work_of_friction());
    remember(equations, start.state, h, next);
    const StepOutcome closed = projection_.project(equations, options, held_, next);  // (6)
    return merge(closed, outcome);
  }

  const VecX* step_multipliers() const override { return &lambda_; }
  bool reports_step_multipliers() const override { return true; }

 private:
  // (1) to (3)
  SolveResult move_freely(Equations& equations, const StepStart& start, double h) {
    const State& state = start.state;
    q_ = state.q;
    step_ = 0.5 * h * state.v;
    equations.retract(step_, q_);
    const double time = start.end_time - 0.5 * h;
    equations.evaluate({q_, state.v, time, state.memory});
    SolveResult result = equations.solve_accelerations(acceleration_, lambda_);
    if (!result.ok()) return result;
    v_ = state.v + 0.5 * h * acceleration_;
    equations.evaluate({q_, v_, time, state.memory});
    result = equations.factor();
    if (!result.ok()) return result;
    momentum_.resize(equations.num_v());
    equations.apply_mass(state.v, momentum_);
    momentum_ += h * equations.force();
    rate_ = -equations.C_t();
    return equations.solve_checked(momentum_, rate_, v_, lambda_);
  }

  // (4)
  ContactOutcome meet(Equations& equations, const VecX& v, double h) {
    equations.evaluate_inequalities();
    held_.collect(equations, kTouching * equations.length_scale(), h);
    held_.rates(equations, v, before_);
    const ContactOutcome outcome = held_.solve(equations, before_, v_, lambda_);
    lambda_ /= h;
    return outcome;
  }

  static StepOutcome refuse_contacts(const ContactOutcome& contacts, StepOutcome outcome) {
    outcome.status = StepOutcome::Status::contacts_not_solved;
    outcome.contact_residual = contacts.residual;
    outcome.worst_inequality = contacts.worst_inequality;
    return outcome;
  }

  static StepOutcome merge(StepOutcome closed, const StepOutcome& stepped) {
    closed.work = stepped.work;
    if (closed.ok()) closed.solve = stepped.solve;
    return closed;
  }

  /// Mean forces over the step, by inequality.
  void remember(Equations& equations, const State& before, double h, State& next) {
    next.features = before.features;
    for (const InequalitySlot& slot : equations.inequality_slots()) next.features.erase(slot.feature);
    for (std::size_t k = 0; k < held_.rows().size(); ++k) {
      const InequalitySet::Row& row = held_.rows()[k];
      const InequalitySlot& slot = equations.inequality_slots()[std::size_t(row.inequality)];
      next.features.put(slot.feature, std::size_t(slot.rows))[std::size_t(row.row)] +=
          row.sign * held_.impulses()[Eigen::Index(k)] / h;
    }
  }

  InequalitySet held_;
  InequalityProjection projection_;
  VecX q_, v_, acceleration_, lambda_, step_, momentum_, rate_, before_;
};

}  // namespace

std::unique_ptr<Scheme> make_moreau() {
  return std::make_unique<Moreau>();
}

}  // namespace catena
