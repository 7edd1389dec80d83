// Implicit integrators: orders, exact amplitudes, agreement of the ways to treat springs, light chains under heavy loads.
#include "catena/force.h"
#include "catena/joints.h"
#include "catena/scene.h"
#include "support/heavy_top.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace {

using test::run;

VecX end_state(const Model& model, Options options, double end, double dt) {
  Simulation sim(model, options);
  run(sim, end, dt);
  VecX out(sim.state().q.size() + sim.state().v.size());
  out << sim.state().q, sim.state().v;
  return out;
}

double halving_ratio(const Model& model, Integrator integrator, double end, double h) {
  const Options options{.integrator = integrator};
  const VecX a = end_state(model, options, end, h), b = end_state(model, options, end, h / 2),
             c = end_state(model, options, end, h / 4);
  return (a - b).norm() / (b - c).norm();
}

/// Two rods with springs on their joints, in space; the one at the pivot may be softer.
Model sprung_rods(double stiffness, double damping, double softest = INFINITY) {
  Model model;
  const BodyId upper = test::add_rod(model, "upper", {0, 0, 0}, {0.3, 0, -0.95});
  const BodyId lower = test::add_rod(model, "lower", {0.3, 0, -0.95}, {0.4, 0.1, -1.94});
  const AttachmentPair pivot = model.join(upper, world, {0, 0, 0}),
                       elbow = model.join(lower, upper, {0.3, 0, -0.95});
  model.add("pivot", ball(pivot));
  model.add("elbow", ball(elbow));
  model.add("pivot spring", elastic(ball_coordinates(pivot),
                                    {.stiffness = std::min(stiffness, softest), .damping = damping}));
  model.add("elbow spring", elastic(ball_coordinates(elbow), {.stiffness = stiffness, .damping = damping}));
  return model;
}

TEST(ImplicitOrder, IsSecondForThreeSchemesAndFirstForBackwardEuler) {
  for (const Model& model : {sprung_rods(5.0, 0.2), test::heavy_top(20.0)}) {
    EXPECT_NEAR(halving_ratio(model, Integrator::bdf2, 0.5, 1.0 / 256), 4.0, 0.4);
    EXPECT_NEAR(halving_ratio(model, Integrator::tr_bdf2, 0.5, 1.0 / 256), 4.0, 0.4);
    EXPECT_NEAR(halving_ratio(model, Integrator::generalised_alpha, 0.5, 1.0 / 256), 4.0, 0.4);
    EXPECT_NEAR(halving_ratio(model, Integrator::backward_euler, 0.25, 1.0 / 2048), 2.0, 0.2);
    EXPECT_NEAR(halving_ratio(model, Integrator::linearised_euler, 0.25, 1.0 / 2048), 2.0, 0.2);
  }
}

TEST(BackwardEuler, LosesTheAmplitudeOfALinearOscillatorAsItsFormulaSays) {
  Model model;
  model.gravity.setZero();
  const double k = 250.0, mass = 2.0, omega = std::sqrt(k / mass);
  const BodyId body = model.add("mass", std::make_shared<Particle3>(mass), {.position = {1, 0, 0}});
  model.add("spring", mouse_spring(Attachment{body}, Vec3::Zero(), k, 0.0));
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::linearised_euler}) {
    Simulation sim(model, {.integrator = integrator});
    for (const double h : {0.01, 0.1}) {
      const auto amplitude = [&] {
        const Placement at = sim.placement(body);
        return std::hypot(omega * at.position.x(), at.velocity.x());
      };
      const double before = amplitude();
      ASSERT_TRUE(sim.step(h).ok());
      EXPECT_NEAR(amplitude() / before, 1.0 / std::sqrt(1.0 + h * h * omega * omega), 1e-9);
    }
  }
}

TEST(StiffForms, GiveTheSameMotionForEveryStiffness) {
  constexpr double kStep = 1.0 / 60, kInertia = 1.0 / 12;  // of a rod about its middle   kg·m²
  for (int exponent = 0; exponent <= 14; exponent += 2) {
    const double k = std::pow(10.0, exponent);
    SCOPED_TRACE(::testing::Message() << "k = 1e" << exponent);
    const Model model = sprung_rods(k, 0.0, 5.0);  // swings at its pivot however stiff the elbow is
    const auto end = [&](StiffForm form) {
      Options options{.integrator = Integrator::linearised_euler};
      options.linear_corrections = 0;
      options.stiff_form = form;
      return end_state(model, options, 30 * kStep, kStep);
    };
    const VecX reference = end(StiffForm::dense);
    EXPECT_GT(reference.tail(12).norm(), 1.0) << "it moves";
    EXPECT_LT((end(StiffForm::compliant) - reference).norm(), 1e-13 * reference.norm());
    // the block form adds h²k to the inertias, and rounds them away
    const double lost = 2.2e-16 * kStep * kStep * k / kInertia;
    EXPECT_LT((end(StiffForm::grandparent) - reference).norm(), (1e-13 + 2.0 * lost) * reference.norm());
  }
}

TEST(StiffForms, AnEnormousStiffnessIsARigidJoint) {
  Model rigid;
  const BodyId upper = test::add_rod(rigid, "upper", {0, 0, 0}, {0.3, 0, -0.95});
  const BodyId lower = test::add_rod(rigid, "lower", {0.3, 0, -0.95}, {0.4, 0.1, -1.94});
  Model elastic_model = rigid;
  const AttachmentPair pivot = rigid.join(upper, world, {0, 0, 0}),
                       elbow = rigid.join(lower, upper, {0.3, 0, -0.95});
  for (Model* model : {&rigid, &elastic_model}) model->add("pivot", ball(pivot));
  rigid.add("elbow", weld(elbow));
  elastic_model.add("elbow", ball(elbow));
  elastic_model.add("stiff", elastic(ball_coordinates(elbow), {.stiffness = 1e14}));
  Options linear{.integrator = Integrator::linearised_euler};
  linear.linear_corrections = 0;
  const VecX a = end_state(rigid, linear, 1.0, 1.0 / 240),
             b = end_state(elastic_model, linear, 1.0, 1.0 / 240);
  EXPECT_LT((a - b).norm(), 1e-9 * a.norm());
  // bdf2 projects the velocities of the weld but not the rates of springs, which differ by second order
  const VecX c = end_state(rigid, {.integrator = Integrator::bdf2}, 1.0, 1.0 / 240),
             d = end_state(elastic_model, {.integrator = Integrator::bdf2}, 1.0, 1.0 / 240);
  EXPECT_LT((c - d).norm(), 1e-4 * c.norm());
}

TEST(StiffSprings, StayBoundedOverAThousandSeconds) {
  Simulation sim(sprung_rods(1e9, 0.0), {.integrator = Integrator::bdf2});
  const double start = sim.energy().total();
  double highest = start;
  for (int k = 0; k < 60000; ++k) {
    ASSERT_TRUE(sim.step(1.0 / 60).ok()) << "step " << k;
    highest = std::max(highest, sim.energy().total());
  }
  EXPECT_LT(highest - start, 1e-3);
}

/// What a payload chain does over some time at 1/60 s.
struct ChainRun {
  double separation = 0.0, rise = 0.0, loss = 0.0;  // m; share of the fall's energy
  int halvings = 0;
};
ChainRun run_chain(const std::string& name, double end) {
  Scene scene = load_scene(std::string(CATENA_SOURCE_DIR) + "/examples/" + name + ".yaml");
  Simulation sim = make_simulation(scene);
  ChainRun out;
  const double start = sim.energy().total(), scale = 1000.0 * 9.81 * 5.0;
  while (sim.time() < end - 1e-9) {
    const StepReport report = sim.step(1.0 / 60);
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    out.halvings += report.halvings;
    out.separation = std::max(out.separation, sim.constraint_error());
    out.rise = std::max(out.rise, (sim.energy().total() - start) / scale);
    out.loss = std::max(out.loss, (start - sim.energy().total()) / scale);
  }
  return out;
}

TEST(PayloadChains, HoldTogetherAtSixtyStepsPerSecond) {
  const struct {
    const char* name;
    double largest_loss;
  } cases[] = {{"payload-chain-ball", 0.02}, {"payload-chain-light", 0.02}, {"payload-chain-hinge", 0.08}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const ChainRun chain = run_chain(c.name, 10.0);
    EXPECT_LT(chain.separation, 1e-8);
    EXPECT_LT(chain.rise, 1e-3);
    EXPECT_LT(chain.loss, c.largest_loss);
  }
}

TEST(ImplicitMomentum, OfAFloatingChainWithSpringsIsKept) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha,
                                      Integrator::backward_euler, Integrator::linearised_euler}) {
    SCOPED_TRACE(std::string(catena::name(integrator)));
    Model model;
    model.gravity.setZero();
    BodyId before{};
    for (int i = 0; i < 5; ++i) {
      const Vec3 from(0.2 * i, 0, 0), to(0.2 * (i + 1), 0, 0);
      const BodyId link = test::add_rod(model, "link" + std::to_string(i), from, to);
      if (i > 0) {
        const AttachmentPair at = model.join(link, before, from, Vec3::UnitY());
        model.add("joint" + std::to_string(i), hinge(at));
        model.add("spring" + std::to_string(i), torsion_spring(at, 200.0, 1.0, 0.4));
      }
      before = link;
    }
    Simulation sim(model, {.integrator = integrator});
    ASSERT_TRUE(sim.apply_impulse(before, {1.0, 0, 0}, {0.3, 0.5, 0.2}).ok());
    const Vec3 start = sim.linear_momentum();
    for (int k = 0; k < 300; ++k) ASSERT_TRUE(sim.step(1.0 / 60).ok());
    EXPECT_LT((sim.linear_momentum() - start).norm(), 1e-12 * 300);
  }
}

TEST(JointLimits, AreExceededByNoMoreThanTheirCompliance) {
  Model model;
  const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
  const AttachmentPair at = model.join(arm, world, {0, 0, 0}, Vec3::UnitY());
  model.add("pivot", hinge(at));
  const double k = 1e6;
  model.add("stop", elastic(hinge_coordinate(at), {.stiffness = k, .damping = 1e3, .upper = 0.7}));
  Simulation sim(model, {.integrator = Integrator::bdf2});
  double largest = 0.0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(sim.step(1.0 / 60).ok());
    const Placement p = sim.placement(arm);
    largest = std::max(largest, std::atan2(-p.position.z(), p.position.x()));
  }
  // the arm comes to rest on the stop: its weight's torque over the stiffness, and a little for the impact
  EXPECT_GT(largest, 0.7);
  EXPECT_LT(largest, 0.7 + 0.01);
  const Placement p = sim.placement(arm);
  const double angle = std::atan2(-p.position.z(), p.position.x());
  EXPECT_NEAR(angle - 0.7, 0.5 * 9.81 * std::cos(0.7) / k, 1e-8);
}

}  // namespace
}  // namespace catena
