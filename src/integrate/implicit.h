// What the fully implicit schemes have in common: substeps by halving, Newton's method, projection of velocities, history.
//
// A scheme solves one or two stages (formulation/stage_equations.h) per substep. When Newton's method fails the substep is halved, at most
// Options::max_halvings times; nothing is committed before it converges. After every substep the velocities are brought onto the
// constraints, which costs one factorisation and keeps λ and v of second order (and energy from growing):
//   M v⁺ = M v + Jᵀμ,  J v⁺ = -C_t                                                                                (1)
#pragma once

#include "integrate/newton.h"
#include "integrate/work_meter.h"

namespace catena {

/// A step that turns a body further than this (rad) is halved: beyond half a turn its rotation vector stands for another rotation.
inline constexpr double kLargestTurn = 3.0;

class Implicit : public Scheme {
 public:
  explicit Implicit(std::unique_ptr<StageEquations> stage) : stage_(std::move(stage)) {}
  const StageEquations* stage() const override { return stage_.get(); }
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override;
  const VecX* step_multipliers() const override { return &multipliers_; }
  bool reports_step_multipliers() const override { return has_springs_; }

 protected:
  /// Goes from now_ over h: leaves the displacement in u_ and the velocity in v_. False: did not converge.
  virtual bool advance(double h) = 0;
  /// Numbers to keep for the next step, from u_, v_, h of the step just taken, and v_before_ and momentum_ at its start.
  virtual void remember(double /*h*/) {}
  /// The motion had a kink: what was remembered does not hold any more.
  virtual void forget() {}
  /// Reads them back. Where a body has none, or bodies remember steps of different lengths, all begin anew.
  virtual void recall(const History& /*history*/) {}
  virtual void write(History& /*history*/) const {}
  /// A substep this much longer than the last one is split instead.
  virtual double largest_growth() const { return std::numeric_limits<double>::infinity(); }
  virtual double last_step() const { return 0.0; }
  /// True: a first step, without a history, begins with a short one and doubles it.
  virtual bool starts_short() const { return false; }
  virtual bool needs_acceleration() const { return false; }
  /// Where forces jump (a slack chain snaps taut), second order means extrapolating over the jump, which may add energy. Such a substep is
  /// taken by backward Euler instead.
  virtual bool may_gain_energy() const { return true; }

  /// Newton's method on a stage, from the guess in u and lambda_.
  bool solve_stage(const Stage& stage, VecX& u);
  /// The time at the end of a substep from now_ over h.
  double time_after(double h) const;
  /// Rate of momentum at now_: dπ/dt = (m a ; I α + ω × I ω), for bodies of other kinds v̇.
  void momentum_rate(VecX& rate);
  /// One step of TR-BDF2, and one of backward Euler, with which BDF2 begins.
  bool advance_tr_bdf2(double h);
  bool advance_euler(double h);

  std::unique_ptr<StageEquations> stage_;
  const Options* options_ = nullptr;
  State now_;          // start of the substep
  VecX v_before_;      // velocity at the start of the last one
  VecX acceleration_;  // at now_, where the scheme needs it
  VecX momentum_;      // π at now_
  VecX lambda_;        // guess, then solution
  VecX u_, v_;         // result of advance()
  StepOutcome outcome_;
  WorkMeter meter_;

  /// How many velocities' worth of numbers the ledger adds to a history, for `count` numbers per effort.
  Eigen::Index meter_parts(int count) const;
  /// These numbers behind the others of a history, filled up with zeros; and back.
  void write_meter(const VecX& numbers, int place, int count, Eigen::Index first, History& history) const;
  void read_meter(const History& history, int place, Eigen::Index first, VecX& numbers) const;

 private:
  bool take_step(Equations& equations, double h);
  bool take_first_step(Equations& equations, double h);
  bool substep(Equations& equations, double h, int level);
  enum class Verdict : std::uint8_t { taken, gained, failed };
  Verdict accept(Equations& equations, double h, bool check_energy);
  Verdict fail();

  Newton newton_;
  double step_ = 0.0, end_time_ = 0.0;       // of the step that is being taken, s
  double energy_ = 0.0, unexplained_ = 0.0;  // at now_   J
  double input_ = 0.0;                       // what may give energy does at now_, without sign   W
  bool is_metered_ = false;                  // efforts at now_ are those of the laws there
  bool has_springs_ = false;
  VecX multipliers_;
  VecX lambda_before_, right_side_, q_, projected_, mu_, rate_, pi_star_, base_, u1_, pi1_, first_efforts_,
      start_lambda_;
};

}  // namespace catena
