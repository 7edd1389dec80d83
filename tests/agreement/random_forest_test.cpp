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

/// Condition number of J M⁻¹ Jᵀ.
double condition(const Simulation& sim) {
  const solve::Problem& p = SimulationAccess::impl(sim).equations->problem();
  const solve::Graph& g = *p.graph;
  MatX J = MatX::Zero(g.num_rows(), g.num_x()), M = MatX::Zero(g.num_x(), g.num_x());
  for (const solve::Edge& e : g.edges)
    J.block(g.row_offset[e.constraint], g.body_offset[e.body], g.rows[e.constraint], g.dims[e.body]) =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            p.J.data() + e.offset, g.rows[e.constraint], g.dims[e.body]);
  for (int b = 0; b < g.num_bodies(); ++b)
    M.block(g.body_offset[b], g.body_offset[b], g.dims[b], g.dims[b]) =
        Eigen::Map<const MatX>(p.M.data() + g.mass_offset[b], g.dims[b], g.dims[b]);
  const VecX values = Eigen::SelfAdjointEigenSolver<MatX>(J * M.llt().solve(J.transpose())).eigenvalues();
  return values.size() == 0 ? 1.0 : values.maxCoeff() / std::max(values.minCoeff(), 1e-300);
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
    const SolverRun reference = run_solver(sim, Solver::dense_kkt);
    if (!reference.applies) {
      ++singular;  // a guy rope happened to repeat what joints imply; counted below
      continue;
    }
    with_merged += forest.model.find_constraint("guy1").has_value() ? 1 : 0;
    const double tolerance = 1e-10 * std::max(1.0, condition(sim) * 1e-6);
    expect_agreement(sim, Solver::tree, reference, tolerance);
    expect_agreement(sim, Solver::dense, reference, tolerance);
    expect_agreement(sim, Solver::banded, reference, tolerance);
    EXPECT_LT(run_solver(sim, Solver::tree).residual, 1e-12);
    if (HasFailure()) break;
  }
  EXPECT_LE(singular, 20);
  EXPECT_GT(with_merged, 5);
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
  }
}

// J and J̇v of the assembled system against finite differences of C along the motion.
TEST(RandomForest, AssembledJacobianAndBiasMatchFiniteDifferencesAlongTheMotion) {
  for (unsigned seed = 4001; seed <= 4100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomForest forest(seed, {.bodies = 6, .second_world_probability = 0.0});
    Simulation sim(forest.model, {.integrator = Integrator::rk4});
    maximal::MaximalEquations& equations = *SimulationAccess::impl(sim).equations;
    const State s = sim.state();
    const VecX a = VecX::LinSpaced(s.v.size(), -1.0, 1.0);
    VecX rate(equations.num_rows());
    equations.apply_J(s.v, rate);
    rate += equations.C_t();
    VecX second(equations.num_rows());
    equations.apply_J(a, second);
    second += equations.bias();
    // positions along the motion with velocity v + τ a, to second order in τ
    const auto at = [&](double tau, VecX& C, VecX& C_dot) {
      VecX q = s.q;
      equations.retract(VecX(tau * s.v + 0.5 * tau * tau * a), q);
      const VecX v = s.v + tau * a;
      equations.evaluate(q, v, s.time + tau, s.memory);
      C = equations.C();
      C_dot.resize(equations.num_rows());
      equations.apply_J(v, C_dot);
      C_dot += equations.C_t();
    };
    const double tau = 1e-5;
    VecX C1, C0, R1, R0;
    at(tau, C1, R1);
    at(-tau, C0, R0);
    const VecX holonomic = equations.holonomic();
    const VecX fd_rate = (C1 - C0) / (2 * tau), fd_second = (R1 - R0) / (2 * tau);
    EXPECT_LT(((fd_rate - rate).cwiseProduct(holonomic)).lpNorm<Eigen::Infinity>(), 1e-7);
    EXPECT_LT((fd_second - second).lpNorm<Eigen::Infinity>(), 1e-6);
  }
}

}  // namespace
}  // namespace catena
