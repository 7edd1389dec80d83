// The matrix of Newton's method against differences of the residuals it belongs to: every kind of body, constraint and spring.
#include "catena/force.h"
#include "catena/joints.h"
#include "formulation/implicit/equations.h"
#include "sim/impl.h"
#include "support/random_forest.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using implicit::ImplicitStage;

/// A stage in the middle of a Newton iteration: away from the constraints, with multipliers. `size`: of its displacement and velocity.
class StageExperiment {
 public:
  StageExperiment(const Model& model, const Options& options, unsigned seed, bool momentum_form,
                  double size = 1.0)
      : sim_(model, options), random_(seed) {
    Simulation::Impl& impl = SimulationAccess::impl(sim_);
    stage = std::make_unique<ImplicitStage>(
        *impl.system, StageForm{options.stiff_form, options.newton_matrix, false}, impl.state);
    layout = &impl.system->layout;
    n = stage->num_v();
    m = stage->num_lambda();
    u = vector(n, 0.1) * size;
    acceleration_base = vector(n, 0.1);
    stage->momentum(impl.state.q, vector(n, 1.0), old);
    lambda = vector(m, 5.0);
    settings = {&impl.state.q,
                &impl.state.memory,
                0.01,
                &velocity_base,
                0.2,
                momentum_form ? &old : nullptr,
                &acceleration_base,
                0.04};
    velocity_base = u - settings.tau * vector(n, 1.0) * size;
    if (!momentum_form) settings.s = 0.03;
    stage->begin(settings);
  }

  /// (s r₁ ; -r₂) at u moved by du, λ moved by dΛ/s: minus the right side of Newton's equations.
  VecX residual(const VecX& du, const VecX& dLambda) {
    VecX moved = u, multipliers = lambda + dLambda / settings.s;
    stage->advance(du, moved);
    (void)stage->evaluate(moved, multipliers);
    VecX out(n + m);
    out << settings.s * stage->force_residual(), -stage->row_residual();
    return out;
  }
  MatX matrix() {
    (void)stage->evaluate(u, lambda);
    (void)stage->factor();
    return dense(stage->problem());
  }

  static MatX dense(const solve::Problem& p) {
    const solve::Graph& g = *p.graph;
    MatX H(g.num_x() + g.num_rows(), g.num_x() + g.num_rows());
    const VecX zero_f = VecX::Zero(g.num_x()), zero_d = VecX::Zero(g.num_rows());
    solve::Residual residual;
    for (Eigen::Index j = 0; j < H.cols(); ++j) {
      const VecX unit = VecX::Unit(H.cols(), j);
      solve::compute_residual(p, zero_f, zero_d, unit.head(g.num_x()), unit.tail(g.num_rows()), residual);
      H.col(j) << -residual.r1, residual.r2;
    }
    return H;
  }

  std::unique_ptr<ImplicitStage> stage;
  const Layout* layout = nullptr;
  Stage settings;
  int n = 0, m = 0;
  VecX u, velocity_base, acceleration_base, old, lambda;

 private:
  VecX vector(int size, double scale) {
    VecX out(size);
    for (double& value : out) value = std::uniform_real_distribution<double>(-scale, scale)(random_);
    return out;
  }
  Simulation sim_;
  std::mt19937 random_;
};

/// Rows whose residual is the rate of something: nonholonomic ones, and those of laws with damping.
std::vector<bool> rate_rows(const StageExperiment& x) {
  const StageRows& rows = x.stage->blocks().rows;
  std::vector<bool> out(std::size_t(x.n + x.m), false);
  for (const ConstraintSlot& slot : x.layout->constraints)
    for (int r = slot.holonomic_rows; r < slot.rows; ++r)
      out[std::size_t(x.n + rows.constraint[std::size_t(slot.row + r)])] = true;
  for (const ForceSlot& slot : x.layout->forces)
    for (int r = 0; r < slot.rows; ++r)
      if (law_of(*x.layout, slot, r).damping != 0.0)
        out[std::size_t(x.n + rows.coordinate[std::size_t(slot.row + r)])] = true;
  return out;
}

constexpr double kDifference = 1e-5;  // of u and λ

/// The matrix less the differences of its residuals, over its largest entry.
MatX left_out(StageExperiment& x) {
  const MatX H = x.matrix();
  const double step = kDifference;
  const VecX none = VecX::Zero(x.m), still = VecX::Zero(x.n);
  MatX out(H.rows(), H.cols());
  for (int j = 0; j < x.n + x.m; ++j) {
    const VecX du = j < x.n ? VecX(step * VecX::Unit(x.n, j)) : still;
    const VecX dl = j < x.n ? none : VecX(step * VecX::Unit(x.m, j - x.n));
    out.col(j) = H.col(j) - (x.residual(du, dl) - x.residual(-du, -dl)) / (2.0 * step);
  }
  return out / H.cwiseAbs().maxCoeff();
}

/// The rate of a row is J(q) v, with v = (u - u_b)/τ, and changes with a displacement du by J·(rate of the chart at u)·du/τ + (∂J/∂q du) v.
/// The matrix has J du/τ, in the rows of rates and nowhere else: what is left out is of first order in u and v. All of it is exact at u, v = 0.
void expect_exact(const Model& model, unsigned seed, bool momentum_form, double tolerance) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed << (momentum_form ? ", momentum" : ", acceleration")
                                    << " form");
  const auto left_out_at = [&](double size) {
    StageExperiment x(model, {.integrator = Integrator::bdf2}, seed, momentum_form, size);
    return std::pair{left_out(x), rate_rows(x)};
  };
  // |v| v of drag has a kink at rest: differences are off by a part of their step
  EXPECT_LT(left_out_at(0.0).first.cwiseAbs().maxCoeff(), tolerance + 0.1 * kDifference);
  constexpr double kSmall = 0.02;
  const double some = left_out_at(kSmall).first.norm(), half = left_out_at(0.5 * kSmall).first.norm();
  EXPECT_NEAR(some, 2.0 * half, 0.1 * some + 10.0 * tolerance) << "what is left out is of first order";
  const auto [all, is_rate] = left_out_at(1.0);
  for (int i = 0; i < int(all.rows()); ++i)
    EXPECT_LT(is_rate[std::size_t(i)] ? 0.0 : all.row(i).cwiseAbs().maxCoeff(), tolerance) << "row " << i;
}

/// Joints of all kinds in a row, and springs, stops and motors on them.
Model stiff_arm() {
  Model model;
  std::vector<BodyId> link;
  for (int i = 0; i < 6; ++i)
    link.push_back(test::add_rod(model, "link" + std::to_string(i), {0.5 * i, 0.1 * i, 0},
                                 {0.5 * (i + 1), 0.1 * (i + 1), 0.1}));
  const auto at = [&](int i) {
    return model.join(link[std::size_t(i)], i > 0 ? link[std::size_t(i - 1)] : world, {0.5 * i, 0.1 * i, 0},
                      {0.3, 1, 0.2});
  };
  model.add("j0", hinge(at(0)));
  model.add("j1", ball(at(1)));
  model.add("j2", universal(at(2)));
  model.add("j3", slider(at(3)));
  model.add("j4", planar(at(4)));
  model.add("s0", torsion_spring(at(0), 30.0, 2.0, 0.4));
  model.add("s1", elastic(ball_coordinates(at(1)), {.stiffness = 20.0, .damping = 1.5}));
  model.add("s2", elastic(universal_coordinates(at(2)), {.stiffness = 10.0, .preload = 1.0}));
  model.add("s3", elastic(slider_coordinate(at(3), 0.1), {.stiffness = 40.0}));
  model.add("s4", elastic(planar_coordinates(at(4)), {.stiffness = 15.0}));
  model.add("s5", bushing(at(5), {50, 60, 70}, {5, 6, 7}, {3, 2, 1}, {0.3, 0.2, 0.1}));
  model.add("far",
            spring_damper(model.join(link[5], world, {3, 0.5, 0}, Vec3::UnitZ(), {0, 1, 1}), 25.0, 2.5, 0.5));
  model.add("air", drag(Attachment{link[2]}, 0.5, 0.3, 0.05));
  model.add("motor", pd_motor(at(0), constant(0.3), 12.0, 1.5));
  return model;
}

TEST(StageMatrix, IsTheDerivativeOfTheResidualsOnEveryKindOfBodyAndConstraint) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const test::RandomForest forest(seed, {.bodies = 6});
    expect_exact(forest.model, seed, true, 2e-6);
    expect_exact(forest.model, seed, false, 2e-6);
  }
}

TEST(StageMatrix, IsExactWithJointSpringsInBothForms) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    expect_exact(stiff_arm(), seed, true, 1e-7);
    expect_exact(stiff_arm(), seed, false, 1e-7);
  }
}

/// The arm with constraints that act elsewhere than along their rows, one of them between bodies that a spring joins too.
Model arm_with_directions() {
  Model model = stiff_arm();
  const BodyId base = *model.find_body("link0"), first = *model.find_body("link1"),
               last = *model.find_body("link5");
  const Vec3 at_hinge(0.5, 0.1, 0), tip(3, 0.6, 0.1);
  model.add("drive",
            remote_drive(model.join(first, base, at_hinge, {0.3, 1, 0.2}), Attachment{last}, constant(0.1)));
  model.add("floor", sliding_point(model.join(last, world, tip), {0.1, 0.2, 1}, {1, 0, 0}, 0.3));
  model.add("rail", sliding_point(model.join(first, base, tip), {0, 1, 0.1}, {0, 0, 1}, 0.2));
  return model;
}

TEST(StageMatrix, IsExactWhereForcesActElsewhereThanAlongTheirRows) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    expect_exact(arm_with_directions(), seed, true, 1e-7);
    expect_exact(arm_with_directions(), seed, false, 1e-7);
  }
}

void expect_alike_by_tree_and_dense(const Model& model) {
  for (const StiffForm form : {StiffForm::compliant, StiffForm::grandparent}) {
    Options options;
    options.integrator = Integrator::bdf2;
    options.stiff_form = form;
    StageExperiment x(model, options, 3, true);
    VecX du, dlambda, du_dense, dlambda_dense;
    (void)x.matrix();
    x.stage->solve(du, dlambda);
    x.stage->use_solver(solve::make_dense_kkt_solver());
    (void)x.matrix();
    x.stage->solve(du_dense, dlambda_dense);
    EXPECT_LT((du - du_dense).norm(), 1e-10 * du_dense.norm());
    EXPECT_LT((dlambda - dlambda_dense).norm(), 1e-10 * (1.0 + dlambda_dense.norm()));
  }
}

TEST(StageMatrix, SolvesAlikeByTreeAndDense) {
  expect_alike_by_tree_and_dense(stiff_arm());
  expect_alike_by_tree_and_dense(arm_with_directions());
}

}  // namespace
}  // namespace catena
