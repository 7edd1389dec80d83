// The implicit schemes: where a stage's velocity and momentum come from.
//
// Legend: h step, h' the one before, r = h/h', u displacement of the step, d that of the step before, π momentum.
//
//   backward Euler       τ = h               u_b = 0       π* = π_n
//   BDF2                 τ = h(1 + r)/(1 + 2r),  κ = r²/(1 + 2r):   u_b = κ d,   π* = π_n + κ(π_n - π_{n-1})          (1)
//   TR-BDF2              two stages, implicit.cpp
//   generalised α        u = u_a + β'h² a,  v = v_a + γ'h a,  with the filtered acceleration â (Arnold, Brüls, Cardona):
//     α_m = (2ρ - 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f - α_m,  β = (γ + ½)²/4,  k = (1 - α_f)/(1 - α_m)
//     c = (α_f v̇_n - α_m â_n)/(1 - α_m),   u_a = h v_n + h²((½ - β)â_n + β c),   v_a = v_n + h((1 - γ)â_n + γ c)
//     β' = β k,  γ' = γ k,   â_{n+1} = c + k a                                                                     (2)
//     â_n stands for the time t_n + (α_m - α_f)h'; a step of another length wants it at t_n + (α_m - α_f)h, which lies on the line
//     through v̇_n:  â_n ← v̇_n + r(â_n - v̇_n)                                                                       (2')
//   linearised Euler     one linear solve of backward Euler from u = 0, λ = 0: directions of forces stay those of the start;
//                        then `linear_corrections` passes that take C out with the same factor (Hernández et al.)     (3)
#include "integrate/implicit.h"

namespace catena {
namespace {

// A linearised step that leaves joints open by this part of the model's size has gone wrong.
constexpr double kApart = 1e-2;
// Of the filtered acceleration of generalised-alpha, in steps before.
constexpr double kLongestLine = 8.0;

class BackwardEuler final : public Implicit {
 public:
  using Implicit::Implicit;

 private:
  bool advance(double h) override { return advance_euler(h); }
  bool may_gain_energy() const override { return false; }
};

class TrBdf2 final : public Implicit {
 public:
  using Implicit::Implicit;

 private:
  bool needs_acceleration() const override { return true; }
  bool advance(double h) override { return advance_tr_bdf2(h); }
};

class Bdf2 final : public Implicit {
 public:
  using Implicit::Implicit;

 private:
  bool advance(double h) override {
    // springs may be far too stiff for their accelerations at the start to mean anything: begin without them
    if (h_ == 0.0) return advance_euler(h);
    const double r = h / h_, kappa = r * r / (1.0 + 2.0 * r), tau = h * (1.0 + r) / (1.0 + 2.0 * r);  // (1)
    base_ = kappa * d_;
    pi_star_ = momentum_ + kappa * (momentum_ - pi_before_);
    u_ = tau * (now_.v + r * (now_.v - v_last_)) + base_;
    if (!solve_stage({&now_.q, &now_.memory, time_after(h), &base_, tau, &pi_star_, nullptr, tau * tau}, u_))
      return false;
    stage_->velocity(u_, v_);
    meter_.read(*stage_);
    meter_.impulse = kappa * meter_.impulse_before + tau * meter_.end;
    return true;
  }
  bool starts_short() const override { return h_ == 0.0; }
  double largest_growth() const override { return 2.0; }
  double last_step() const override { return h_; }
  void remember(double h) override {
    h_ = h;
    d_ = u_;
    pi_before_ = momentum_;
    v_last_ = v_before_;
  }
  void forget() override { h_ = 0.0; }
  void recall(const History& history) override {
    const Eigen::Index n = stage_->num_v();
    h_ = history.numbers.size() == (3 + meter_parts(1)) * n ? history.common_step() : 0.0;
    if (h_ == 0.0) return;
    read_meter(history, 0, 3, meter_.impulse_before);
    d_ = history.part(0, n);
    pi_before_ = history.part(1, n);
    v_last_ = history.part(2, n);
  }
  void write(History& history) const override {
    if (h_ == 0.0) return history.forget();
    const Eigen::Index n = stage_->num_v();
    history.lengths.setConstant(h_);
    history.numbers.resize((3 + meter_parts(1)) * n);
    write_meter(meter_.impulse_before, 0, 1, 3, history);
    history.part(0, n) = d_;
    history.part(1, n) = pi_before_;
    history.part(2, n) = v_last_;
  }

  double h_ = 0.0;  // 0: no step before
  VecX d_, pi_before_, v_last_, base_, pi_star_;
};

class GeneralisedAlpha final : public Implicit {
 public:
  using Implicit::Implicit;

 private:
  bool advance(double h) override {
    if (h_ == 0.0) {
      filtered_ = rate_before_ = acceleration_;
      filtered_effort_ = effort_before_ = meter_.start;
    }
    // after a crumb of a step the line has no direction
    const double r = h_ == 0.0 ? 1.0 : h / h_, shift = r < kLongestLine ? r : 0.0;
    at_start_ = rate_before_ + shift * (filtered_ - rate_before_);  // (2')
    effort_at_start_ = effort_before_ + shift * (filtered_effort_ - effort_before_);
    const double rho = options_->alpha_rho, am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0);
    const double gamma = 0.5 + af - am, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5),
                 k = (1.0 - af) / (1.0 - am);
    part_ = (af * rate_before_ - am * at_start_) / (1.0 - am);
    u_a_ = h * now_.v + (h * h) * ((0.5 - beta) * at_start_ + beta * part_);
    const double s = beta * k * h * h, tau = s / (gamma * k * h);
    base_ = u_a_ - tau * (now_.v + h * ((1.0 - gamma) * at_start_ + gamma * part_));
    u_ = u_a_ + s * rate_before_;
    if (!solve_stage({&now_.q, &now_.memory, time_after(h), &base_, tau, nullptr, &u_a_, s}, u_))
      return false;
    stage_->velocity(u_, v_);
    next_rate_ = (u_ - u_a_) / s;
    next_filtered_ = part_ + k * next_rate_;  // (2)
    meter_.read(*stage_);
    next_effort_ =
        (af * effort_before_ - am * effort_at_start_) / (1.0 - am) + k * meter_.end;  // the same for efforts
    meter_.impulse = h * ((1.0 - gamma) * effort_at_start_ + gamma * next_effort_);
    return true;
  }
  bool may_gain_energy() const override { return false; }  // its filter has not been seen to
  void remember(double h) override {
    rate_before_ = next_rate_;
    filtered_ = next_filtered_;
    effort_before_ = meter_.end;
    filtered_effort_ = next_effort_;
    h_ = h;
  }
  void recall(const History& history) override {
    const Eigen::Index n = stage_->num_v();
    h_ = history.numbers.size() == (2 + meter_parts(2)) * n ? history.common_step() : 0.0;
    if (h_ == 0.0) return;
    read_meter(history, 0, 2, effort_before_);
    read_meter(history, 1, 2, filtered_effort_);
    filtered_ = history.part(0, n);
    rate_before_ = history.part(1, n);
  }
  void write(History& history) const override {
    const Eigen::Index n = stage_->num_v();
    history.lengths.setConstant(h_);
    history.numbers.resize((2 + meter_parts(2)) * n);
    write_meter(effort_before_, 0, 2, 2, history);
    write_meter(filtered_effort_, 1, 2, 2, history);
    history.part(0, n) = filtered_;
    history.part(1, n) = rate_before_;
  }
  double h_ = 0.0;  // 0: no step before
  VecX filtered_, rate_before_, next_rate_, next_filtered_, part_, u_a_, base_;
  VecX filtered_effort_, effort_before_, next_effort_;
  VecX at_start_, effort_at_start_;  // the filtered ones where a step of this length wants them
};

class LinearisedEuler final : public Scheme {
 public:
  explicit LinearisedEuler(std::unique_ptr<StageEquations> stage) : stage_(std::move(stage)) {}
  const StageEquations* stage() const override { return stage_.get(); }
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    StepOutcome outcome;
    const State& now = start.state;
    stage_->set_redundant_rows(equations.redundant_rows());
    stage_->momentum(now.q, now.v, momentum_);
    zero_.setZero(stage_->num_v());
    u_ = zero_;
    lambda_.setZero(stage_->num_lambda());
    stage_->begin({&now.q, &now.memory, start.end_time, &zero_, h, &momentum_, nullptr, h * h, true, &now.v});
    do {
      u_.setZero();
      lambda_.setZero();
      (void)stage_->evaluate(u_, lambda_);
      outcome.solve = stage_->factor();
      if (!outcome.solve.ok()) {
        outcome.status = StepOutcome::Status::solve_failed;
        return outcome;
      }
      stage_->solve(du_, dlambda_);
      ++outcome.iterations;
      lambda_ += dlambda_;
    } while (stage_->adjust_stops(du_, lambda_));
    u_ = du_;
    book_work(h, outcome.work);
    StageError error = stage_->evaluate_errors(u_);
    for (int pass = 0; pass < options.linear_corrections; ++pass) {  // (3)
      if (error.constraints < options.newton_tolerance) break;
      stage_->correct_errors(du_, dlambda_);
      u_ += du_;
      ++outcome.iterations;
      error = stage_->evaluate_errors(u_);
    }
    outcome.constraint_error = error.joints * equations.length_scale();
    outcome.worst_row = error.worst_row;
    outcome.worst_force = error.worst_force;
    int turned = -1;
    const bool turns_too_far = !(stage_->largest_turn(u_, &turned) < kLargestTurn);
    if (turns_too_far) outcome.turned_body = turned;
    if (!(error.joints < kApart) || turns_too_far) {
      outcome.status = StepOutcome::Status::positions_not_converged;
      return outcome;
    }
    next.q = now.q;
    equations.retract(u_, next.q);
    next.v = u_ / h;
    next.time = start.end_time;
    has_springs_ = stage_->constraint_lambda(lambda_, multipliers_);
    return outcome;
  }
  const VecX* step_multipliers() const override { return &multipliers_; }
  bool reports_step_multipliers() const override { return has_springs_; }

 private:
  // impulses of the end times mean rates, as in work_meter.h
  void book_work(double h, Work& work) {
    for (const AccountTraits& traits : kAccounts)
      if (traits.potential == nullptr) work.add(traits.account, 0.0);
    stage_->read_linear_efforts(u_, lambda_, effort_, rate_);
    const std::vector<Account>& accounts = stage_->effort_accounts();
    for (std::size_t k = 0; k < accounts.size(); ++k)
      work.sum[accounts[k]] += h * effort_[Eigen::Index(k)] * rate_[Eigen::Index(k)];
  }

  VecX effort_, rate_;
  std::unique_ptr<StageEquations> stage_;
  VecX momentum_, zero_, u_, lambda_, du_, dlambda_, multipliers_;
  bool has_springs_ = false;
};

}  // namespace

std::unique_ptr<Scheme> make_implicit(Integrator integrator, std::unique_ptr<StageEquations> stage) {
  switch (integrator) {
    case Integrator::tr_bdf2:
      return std::make_unique<TrBdf2>(std::move(stage));
    case Integrator::generalised_alpha:
      return std::make_unique<GeneralisedAlpha>(std::move(stage));
    case Integrator::backward_euler:
      return std::make_unique<BackwardEuler>(std::move(stage));
    case Integrator::linearised_euler:
      return std::make_unique<LinearisedEuler>(std::move(stage));
    default:
      return std::make_unique<Bdf2>(std::move(stage));
  }
}

}  // namespace catena
