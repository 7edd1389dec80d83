// RATTLE on rotations: variational, second order, constraints inside the step; rotations stay rotations.
//
// Legend: P = M v in world axes (linear and angular momentum), F applied forces without gyroscopic terms (they are in the
// free flight), λ multipliers of step n, μ of the velocity stage; n = start, 1 = end, ½ = middle.
//
//   P_½ = P_n + h/2 (F_n + J_nᵀ λ)                                                                          (1)
//   q_1 = free flight of q_n over h with P_½          (rigid bodies: discrete Moser-Veselov, Body::drift)     (2)
//   λ such that C(q_1, t_1) = 0:  λ ← λ + δλ,  M_n x = J_nᵀ δλ,  J_n x = -(2/h²) C                            (3)
//   M_1 v_1 = P_½ + h/2 F_1 + J_1ᵀ μ,   J_1 v_1 = -C_t                                                       (4)
//
// (3) is a quasi-Newton iteration with the factor of the start; it starts from the multipliers of the acceleration problem.
// What it does with
//   driven rows            C and C_t are taken at t_1: second order
//   nonholonomic rows      have no C: in (1) their λ is that of the acceleration problem at the start (kept by the zero rows of
//                          (3)), in (4) they hold exactly: second order
//   velocity-dependent F   F_n at v_n, F_1 at v_1 by fixed-point passes over (4), from v_n + h v̇_n: second order. Each pass leaves a
//                          part ρ ~ (h/2) |M⁻¹ ∂F/∂v| of the error of the one before; where ρ is 1 or more there is no end to
//                          them, and the step is refused
//
// Where a mechanism passes through a singular position (a parallelogram when its bars lie in one line), J_n may lack a direction
// that the end of the step needs, and (3) diverges. Then λ stays that of the acceleration problem and the rest of the error is
// taken out along the rows at the end, which do have it:  M_1 x = J_1ᵀ ν,  J_1 x = -C,  q_1 ← q_1 ⊕ x,  P_½ += J_1ᵀ ν / h.       (5)
// References: Andersen 1983; Moser and Veselov 1991; McLachlan and Perlmutter 2006.
#include "integrate/scheme.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace catena {
namespace {

constexpr int kEndIterations = 20;  // of (5)
// Passes of (4) where forces depend on velocities. They stop at a relative change of rounding, or where what changes moves nothing within
// the step by more than positions and rotations are rounded to; after the first few also where no more is left than this part of the
// guess's error, which is of second order itself.
constexpr int kVelocityPasses = 100, kFewPasses = 8;
constexpr double kVelocityTolerance = 1e-13, kOfFirstChange = 1e-4;

class Rattle final : public Scheme {
 public:
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    prepare(equations, start);
    StepOutcome outcome = find_positions(equations, options, start, h, next);
    if (outcome.status == StepOutcome::Status::positions_not_converged)
      outcome = find_positions_from_end(equations, options, start, h, next, outcome);
    if (!outcome.ok()) return outcome;
    equations.evaluate({next.q, next.v, next.time, start.state.memory});
    outcome.solve = equations.factor();
    if (outcome.solve.ok()) find_velocities(equations, h, next, outcome);
    if (!outcome.solve.ok()) outcome.status = StepOutcome::Status::solve_failed;
    return outcome;
  }

 private:
  void prepare(Equations& equations, const StepStart& start) {
    assert(start.lambda.size() == equations.num_rows() && start.acceleration.size() == equations.num_v());
    zero_.setZero(equations.num_v());
    P_.resize(equations.num_v());
    F_.resize(equations.num_v());
    C_.resize(equations.num_rows());
    equations.apply_mass(start.state.v, P_);
    equations.evaluate_forces(start.state.v, start.state.time, false, F_);
    lambda_ = start.lambda;
  }

  // (1) to (3); leaves P_½ in P_half_ and q_1, t_1 and a guess of v_1 in `next`
  StepOutcome find_positions(Equations& equations, const Options& options, const StepStart& start, double h,
                             State& next) {
    StepOutcome outcome;
    const double tolerance = position_tolerance(equations, options, start.state.q);
    next.time = start.end_time;
    next.v = start.state.v + h * start.acceleration;
    double previous = std::numeric_limits<double>::infinity();
    while (true) {
      P_half_ = F_;
      equations.add_row_forces(lambda_, P_half_);
      P_half_ = P_ + (0.5 * h) * P_half_;  // (1)
      next.q = start.state.q;
      equations.drift(h, P_half_, next.q);  // (2)
      equations.evaluate_errors(next.q, next.time, start.state.memory, C_);
      outcome.constraint_error = largest_error(C_, outcome.worst_row);
      if (outcome.constraint_error <= tolerance) return outcome;
      // rounding has been reached a little above the tolerance: no further progress is possible
      if (outcome.constraint_error < 100.0 * tolerance && outcome.constraint_error >= 0.5 * previous)
        return outcome;
      const bool diverges = !(outcome.constraint_error < 1e3 * equations.length_scale());
      if (diverges || outcome.iterations == options.max_position_iterations) {
        outcome.status = StepOutcome::Status::positions_not_converged;
        return outcome;
      }
      previous = outcome.constraint_error;
      d_ = (-2.0 / (h * h)) * C_;
      outcome.solve = equations.solve(zero_, d_, x_, mu_);  // (3)
      if (!outcome.solve.ok()) {
        outcome.status = StepOutcome::Status::solve_failed;
        return outcome;
      }
      lambda_ += mu_;
      ++outcome.iterations;
    }
  }

  // (5); the outcome of (3) is returned when this fails too, because it says more
  StepOutcome find_positions_from_end(Equations& equations, const Options& options, const StepStart& start,
                                      double h, State& next, const StepOutcome& failed) {
    StepOutcome outcome;
    outcome.iterations = failed.iterations;
    const double tolerance = position_tolerance(equations, options, start.state.q);
    P_half_ = F_;
    equations.evaluate({start.state.q, start.state.v, start.state.time, start.state.memory});
    equations.add_row_forces(start.lambda, P_half_);
    P_half_ = P_ + (0.5 * h) * P_half_;
    next.q = start.state.q;
    equations.drift(h, P_half_, next.q);
    double previous = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < kEndIterations; ++iteration) {
      equations.evaluate({next.q, next.v, next.time, start.state.memory});
      outcome.constraint_error = largest_error(equations.C(), outcome.worst_row);
      if (outcome.constraint_error <= tolerance) return outcome;
      if (outcome.constraint_error < 100.0 * tolerance && outcome.constraint_error >= 0.5 * previous)
        return outcome;
      previous = outcome.constraint_error;
      if (!equations.factor().ok()) return failed;
      d_ = -equations.C();
      if (!equations.solve(zero_, d_, x_, mu_).ok()) return failed;
      equations.retract(x_, next.q);
      mu_ /= h;
      equations.add_row_forces(mu_, P_half_);
      ++outcome.iterations;
    }
    return failed;
  }

  void find_velocities(Equations& equations, double h, State& next, StepOutcome& outcome) {
    d_ = -equations.C_t();
    const double still = std::numeric_limits<double>::epsilon() * std::max(equations.length_scale(), 1.0) / h;
    double first = 0.0;
    for (int pass = 1; pass <= kVelocityPasses; ++pass) {
      equations.evaluate_forces(next.v, next.time, false, F_);
      P_ = P_half_ + (0.5 * h) * F_;
      outcome.solve = equations.solve_checked(P_, d_, x_, mu_);  // (4)
      if (!outcome.solve.ok()) return;
      next.v.swap(x_);
      if (!equations.has_velocity_forces()) return;
      const double change = (x_ - next.v).lpNorm<Eigen::Infinity>();
      if (pass == 1) first = change;
      if (change <= std::max(kVelocityTolerance * next.v.lpNorm<Eigen::Infinity>(), still)) return;
      if (pass >= kFewPasses && change <= kOfFirstChange * first) return;
    }
    outcome.status = StepOutcome::Status::velocities_not_converged;
    (x_ - next.v).cwiseAbs().maxCoeff(&outcome.worst_velocity);
  }

  VecX zero_, P_, P_half_, F_, C_, lambda_, d_, x_, mu_;
};

}  // namespace

std::unique_ptr<Scheme> make_rattle() {
  return std::make_unique<Rattle>();
}

}  // namespace catena
