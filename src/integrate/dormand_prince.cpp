// Runge-Kutta of order 5 with an error estimate of order 4 and an interpolant of order 4 (Dormand and Prince 1980).
//
// Legend: u, v chart of the step's start and velocities; k_i = (u̇, v̇) at stage i; err = h Σ e_i k_i, the difference of the two
// solutions. Rotations are added in the chart, as in rk4.cpp. Powers are integrated with the same weights, so that the energy
// ledger is as accurate as the motion.
//
//   error over tolerance = max over components of |err| / (tolerance·scale),
//   scale: length of the model for positions and angles, that length per second or the largest velocity for velocities     (1)
//   y(θ) = y₀ + θ(Δ + (1 - θ)(b + θ(Δ - h k₇ - b + (1 - θ) h Σ d_i k_i))),   Δ = y₁ - y₀,  b = h k₁ - Δ                      (2)
#include "integrate/drift_control.h"

#include <array>
#include <cassert>

namespace catena {
namespace {

constexpr int kStages = 7;
constexpr double kC[kStages] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
// row i: weights of the stages before i; the last row is the fifth-order solution
constexpr double kA[kStages][kStages - 1] = {
    {},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
// fifth order less fourth
constexpr double kE[kStages] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
// interpolant
constexpr double kD[kStages] = {-12715105075.0 / 11282082432.0,  0.0,
                                87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                69997945.0 / 29380423.0};

class DormandPrince final : public Scheme {
 public:
  StepOutcome step(Equations& equations, const Options& options, const StepStart& start, double h,
                   State& next) override {
    StepOutcome outcome;
    const State& from = start.state;
    for (int i = 0; i < kStages; ++i) {
      if (i == 0) {
        u_.setZero(equations.num_v());
        v_ = from.v;
        outcome.solve = drift_.start_accelerations(equations, options, start, h, k_v_[0], lambda_);
      } else {
        combine(kA[i], i, k_u_, u_);
        combine(kA[i], i, k_v_, v_);
        u_ *= h;
        v_ = from.v + h * v_;
        q_ = from.q;
        equations.retract(u_, q_);
        equations.evaluate({q_, v_, from.time + kC[i] * h, from.memory});
        outcome.solve = drift_.accelerations_at(equations, options, v_, h, k_v_[i], lambda_);
      }
      k_u_[i].resize(equations.num_v());
      equations.chart_rate(u_, v_, k_u_[i]);
      if (!outcome.solve.ok()) {
        outcome.status = StepOutcome::Status::solve_failed;
        return outcome;
      }
      if (i + 1 < kStages) add_work(equations, h * kA[kStages - 1][i], outcome.work);
    }
    outcome.error = h * relative_error(equations, options, from.v);
    if (!(outcome.error <= 1.0)) {
      outcome.status = StepOutcome::Status::too_inaccurate;
      return outcome;
    }
    u_end_ = u_;
    v_end_ = v_;
    next.time = start.end_time;
    next.v = v_;
    next.q = q_;
    next.memory = from.memory;
    const StepOutcome end = drift_.finish(equations, options, outcome.solve, next);
    outcome.status = end.status;
    outcome.solve = end.solve;
    outcome.iterations = end.iterations;
    outcome.constraint_error = end.constraint_error;
    outcome.worst_row = end.worst_row;
    return outcome;
  }

  void interpolate(const Equations& equations, const State& start, double h, double fraction,
                   State& out) const override {
    assert(fraction >= 0.0 && fraction <= 1.0 && u_end_.size() == equations.num_v());
    const VecX zero = VecX::Zero(equations.num_v());
    const VecX u = interpolant(zero, u_end_, k_u_, h, fraction);
    out.v = interpolant(start.v, v_end_, k_v_, h, fraction);
    out.q = start.q;
    equations.retract(u, out.q);
    out.time = start.time + fraction * h;
  }

 private:
  using Stages = std::array<VecX, kStages>;

  static void combine(const double* weights, int count, const Stages& k, VecX& out) {
    out.setZero(k[0].size());
    for (int j = 0; j < count; ++j)
      if (weights[j] != 0.0) out += weights[j] * k[j];
  }

  void add_work(const Equations& equations, double weight, Work& work) {
    const Powers powers = equations.powers(lambda_);
    for (const AccountTraits& traits : kAccounts)
      if (traits.potential == nullptr) work.add(traits.account, weight * powers[traits.account]);
  }

  // (1), per unit of time
  double relative_error(const Equations& equations, const Options& options, const VecX& v) {
    const double length = equations.length_scale();
    const double speed = std::max({length, v.lpNorm<Eigen::Infinity>(), v_.lpNorm<Eigen::Infinity>()});
    combine(kE, kStages, k_u_, error_);
    const double positions = error_.lpNorm<Eigen::Infinity>() / length;
    combine(kE, kStages, k_v_, error_);
    const double velocities = error_.lpNorm<Eigen::Infinity>() / speed;
    // a NaN must lose, or a blown-up step would look accurate
    return (positions + velocities >= 0.0 ? std::max(positions, velocities) : INFINITY) / options.tolerance;
  }

  static VecX interpolant(const VecX& y0, const VecX& y1, const Stages& k, double h, double fraction) {
    const double rest = 1.0 - fraction;
    const VecX change = y1 - y0;
    const VecX bend = h * k[0] - change;
    VecX last;
    combine(kD, kStages, k, last);
    return y0 + fraction * (change +
                            rest * (bend + fraction * (change - h * k[6] - bend + rest * h * last)));  // (2)
  }

  DriftControl drift_;
  Stages k_u_, k_v_;
  VecX u_, v_, q_, lambda_, error_, u_end_, v_end_;
};

}  // namespace

std::unique_ptr<Scheme> make_dormand_prince() {
  return std::make_unique<DormandPrince>();
}

}  // namespace catena
