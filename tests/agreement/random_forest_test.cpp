// One model, several solvers, one answer: random forests over every kind of body and constraint.
#include "support/random_forest.h"

#include "sim/impl.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace catena {
namespace {

using test::ForestOptions;
using test::RandomForest;

double difference(const VecX& a, const VecX& b) {
  return a.size() == 0 ? 0.0 : (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

/// The dense matrices of the current problem.
struct Matrices {
  MatX J, M;
  explicit Matrices(const Simulation& sim) {
    const solve::Problem& p = SimulationAccess::impl(sim).evaluated_bodies().problem();
    const solve::Graph& g = *p.graph;
    J = MatX::Zero(g.num_rows(), g.num_x());
    M = MatX::Zero(g.num_x(), g.num_x());
    for (const solve::Edge& e : g.edges)
      J.block(g.row_offset[e.constraint], g.body_offset[e.body], g.rows[e.constraint], g.dims[e.body]) =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              p.J.data() + e.offset, g.rows[e.constraint], g.dims[e.body]);
    for (int b = 0; b < g.num_bodies(); ++b)
      M.block(g.body_offset[b], g.body_offset[b], g.dims[b], g.dims[b]) =
          Eigen::Map<const MatX>(p.M.data() + g.mass_offset[b], g.dims[b], g.dims[b]);
  }
};

/// The larger of the condition numbers of J M⁻¹ Jᵀ and of M.
double condition(const Matrices& m) {
  const auto ratio = [](const MatX& A) {
    if (A.size() == 0) return 1.0;
    const VecX values = Eigen::SelfAdjointEigenSolver<MatX>(A, Eigen::EigenvaluesOnly).eigenvalues();
    return values.maxCoeff() / std::max(values.minCoeff(), 1e-300);
  };
  return std::max(ratio(m.J * m.M.llt().solve(m.J.transpose())), ratio(m.M));
}

/// The KKT system solved in extended precision, so that the reference does not add its own error.
SolverRun extended_reference(const Simulation& sim, const Matrices& m) {
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const Eigen::Index n = m.M.rows(), k = m.J.rows();
  LongMatrix H(n + k, n + k);
  H << m.M.cast<long double>(), -m.J.transpose().cast<long double>(), -m.J.cast<long double>(),
      LongMatrix::Zero(k, k);
  LongVector rhs(n + k);
  BodyEquations& equations = SimulationAccess::impl(sim).evaluated_bodies();
  rhs << equations.force().cast<long double>(), equations.bias().cast<long double>();
  const LongVector x = H.partialPivLu().solve(rhs);
  SolverRun run;
  run.accelerations = x.head(n).cast<double>();
  run.constraint_force = (m.J.transpose().cast<long double>() * x.tail(k)).cast<double>();
  return run;
}

void expect_agreement(const Simulation& sim, Solver solver, const SolverRun& reference, double tolerance) {
  const SolverRun run = run_solver(sim, solver);
  ASSERT_TRUE(run.applies) << name(solver) << ": " << run.why_not;
  EXPECT_LT(difference(run.accelerations, reference.accelerations), tolerance) << name(solver);
  EXPECT_LT(difference(run.constraint_force, reference.constraint_force), tolerance) << name(solver);
}

TEST(RandomForest, TreeDenseAndBandedAgreeOnAThousandMixedForests) {
  int with_merged = 0, singular = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomForest forest(seed, {.bodies = 2 + int(seed % 20), .mass_exponent = seed % 2 ? 1.0 : 3.0});
    Simulation sim(forest.model, {.integrator = Integrator::rk4});
    if (!run_solver(sim, Solver::dense_kkt).applies) {
      ++singular;  // a guy rope happened to repeat what joints imply; counted below
      continue;
    }
    const Matrices matrices(sim);
    const SolverRun reference = extended_reference(sim, matrices);
    with_merged += forest.num_guys > 0 ? 1 : 0;
    const double tolerance = 1e-10 * std::max(1.0, condition(matrices) * 1e-6);
    expect_agreement(sim, Solver::dense_kkt, reference, tolerance);
    // the tree gives the order of elimination: a constraint that acts weakly on the body below it costs digits, which the others' choice
    // of pivots saves (1.4e-10 at seed 528, a bead whose wire is nearly normal to its rope)
    expect_agreement(sim, Solver::tree, reference, 10.0 * tolerance);
    expect_agreement(sim, Solver::dense, reference, tolerance);
    expect_agreement(sim, Solver::banded, reference, tolerance);
    EXPECT_LT(run_solver(sim, Solver::tree).residual, 1e-12);
    if (HasFailure()) break;
  }
  EXPECT_LE(singular, 20);
  EXPECT_GT(with_merged, 100);
}

TEST(RandomForest, ConjugateGradientsAgreeAtModerateMassRatios) {
  for (unsigned seed = 2001; seed <= 2200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomForest forest(seed, {.bodies = 2 + int(seed % 12), .second_world_probability = 0.0});
    Simulation sim(forest.model, {.integrator = Integrator::rk4});
    const SolverRun reference = run_solver(sim, Solver::dense_kkt);
    ASSERT_TRUE(reference.applies) << reference.why_not;
    expect_agreement(sim, Solver::cg, reference, 1e-8);
    if (HasFailure()) break;
  }
}

TEST(RandomForest, ConstraintsThatDoNotDependOnTimeDoNoWork) {
  int compared = 0;
  for (unsigned seed = 3001; seed <= 3100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomForest forest(seed, {.bodies = 8, .second_world_probability = 0.0});
    bool driven = false;
    for (const ConstraintEntry& c : forest.model.constraints())
      driven = driven || c.constraint->depends_on_time();
    if (driven) continue;
    Simulation sim(forest.model, {.integrator = Integrator::rk4});
    ASSERT_TRUE(sim.project().ok());
    const double scale =
        sim.multipliers().lpNorm<1>() * std::max(1.0, sim.state().v.lpNorm<Eigen::Infinity>());
    EXPECT_LT(std::abs(sim.constraint_power()), 1e-12 * std::max(1.0, scale));
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

// J and J̇v of the assembled system against finite differences of C along the motion.
TEST(RandomForest, AssembledJacobianAndBiasMatchFiniteDifferencesAlongTheMotion) {
  for (unsigned seed = 4001; seed <= 4100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomForest forest(seed, {.bodies = 6, .second_world_probability = 0.0});
    Simulation sim(forest.model, {.integrator = Integrator::rk4});
    BodyEquations& equations = SimulationAccess::impl(sim).evaluated_bodies();
    const State s = sim.state();
    const VecX a = VecX::LinSpaced(s.v.size(), -1.0, 1.0);
    VecX rate(equations.num_rows());
    equations.apply_J(s.v, rate);
    rate += equations.C_t();
    VecX second(equations.num_rows());
    equations.apply_J(a, second);
    second += equations.bias();
    // a smooth motion through the state with velocity v and acceleration a there: q ⊕ u(τ), u = τ v + ½ τ² a, whose velocity
    // is found from the chart by inverting u̇ = chart_rate(u, v) with one fixed-point pass per order
    const auto at = [&](double tau, VecX& C, VecX& C_dot) {
      const VecX u = tau * s.v + 0.5 * tau * tau * a, u_dot = s.v + tau * a;
      VecX q = s.q, v = u_dot, rate_of_v(s.v.size());
      equations.retract(u, q);
      for (int pass = 0; pass < 6; ++pass) {
        equations.chart_rate(u, v, rate_of_v);
        v += u_dot - rate_of_v;
      }
      equations.evaluate({q, v, s.time + tau, s.memory});
      C = equations.C();
      C_dot.resize(equations.num_rows());
      equations.apply_J(v, C_dot);
      C_dot += equations.C_t();
    };
    // five-point differences: the error is of fourth order in τ
    const double tau = 1e-4;
    VecX C[4], R[4];
    const double places[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; ++k) at(places[k] * tau, C[k], R[k]);
    const auto derivative = [&](const VecX* f) {
      return VecX((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * tau));
    };
    const double scale = std::max({1.0, rate.lpNorm<Eigen::Infinity>(), second.lpNorm<Eigen::Infinity>()});
    const VecX rate_error = (derivative(C) - rate).cwiseProduct(equations.holonomic());
    EXPECT_LT(rate_error.lpNorm<Eigen::Infinity>(), 1e-8 * scale);
    EXPECT_LT((derivative(R) - second).lpNorm<Eigen::Infinity>(), 1e-8 * scale);
  }
}

}  // namespace
}  // namespace catena
