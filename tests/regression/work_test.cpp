// The ledger with implicit integrators, against the work of each force found by integrating a pendulum by itself.
#include "catena/scene.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

constexpr double kInertia = 1.0 / 3.0, kLever = 0.5;  // of a rod of 1 kg and 1 m about its end
constexpr double kEnd = 0.5;                          // s

/// A rod on a hinge about y, from horizontal; one force, and its torque about the hinge as a function of angle, rate and time.
struct Source {
  std::string name;
  Account account;
  std::function<void(Model&, BodyId, const AttachmentPair&)> add;
  std::function<double(double, double, double)> torque;
};

std::vector<Source> sources() {
  return {
      {"damper", Account::dampers,
       [](Model& model, BodyId, const AttachmentPair& at) {
         model.add("f", torsion_spring(at, 2.0, 0.4, 0.1));
       },
       [](double, double w, double) { return -0.4 * w; }},
      {"friction", Account::dampers,
       [](Model& model, BodyId, const AttachmentPair& at) { model.add("f", viscous_friction(at, 0.3)); },
       [](double, double w, double) { return -0.3 * w; }},
      {"speed control", Account::motors,
       [](Model& model, BodyId, const AttachmentPair& at) {
         model.add("f", velocity_motor(at, constant(-3.0), 0.8));
       },
       [](double, double w, double) { return 0.8 * (-3.0 - w); }},
      {"position control", Account::motors,
       [](Model& model, BodyId, const AttachmentPair& at) {
         model.add("f", pd_motor(at, constant(-0.5), 20.0, 0.5));
       },
       [](double x, double w, double) { return 20.0 * (-0.5 - x) - 0.5 * w; }},
      {"torque curve", Account::motors,
       [](Model& model, BodyId, const AttachmentPair& at) {
         model.add("f", motor_curve(at, {Vec2(-20, 4), Vec2(20, -6)}));
       },
       [](double, double w, double) { return 4.0 - 0.25 * (w + 20.0); }},
      {"load", Account::loads,
       [](Model& model, BodyId rod, const AttachmentPair&) {
         model.add("f", load(Attachment{rod}, {constant(0), constant(0), constant(0)},
                             {constant(0),
                              [](double t) {
                                return Jet{3.0 * std::sin(9.0 * t), 0, 0};
                              },
                              constant(0)}));
       },
       [](double, double, double t) { return 3.0 * std::sin(9.0 * t); }},
      {"drag", Account::drag,
       [](Model& model, BodyId rod, const AttachmentPair&) {
         model.add("f", drag(Attachment{rod}, 0.5, 0.7));
       },
       [](double, double w, double) { return -(0.5 + 0.7 * kLever * std::abs(w)) * kLever * kLever * w; }}};
}

/// Work of the source by classical Runge-Kutta on angle, rate and work; no engine in it.
double exact_work(const Source& source) {
  using State3 = std::array<double, 3>;
  const bool has_spring = source.name == "damper";
  const auto rates = [&](const State3& y, double t) {
    const double torque = source.torque(y[0], y[1], t), spring = has_spring ? -2.0 * (y[0] - 0.1) : 0.0;
    return State3{y[1], (test::kGravity * kLever * std::cos(y[0]) + torque + spring) / kInertia,
                  torque * y[1]};
  };
  State3 y{};
  constexpr int kSteps = 5000;
  const double h = kEnd / kSteps;
  const auto moved = [](const State3& a, double by, const State3& b) {
    return State3{a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]};
  };
  for (int k = 0; k < kSteps; ++k) {
    const double t = k * h;
    const State3 a = rates(y, t), b = rates(moved(y, h / 2, a), t + h / 2),
                 c = rates(moved(y, h / 2, b), t + h / 2), d = rates(moved(y, h, c), t + h);
    for (int i = 0; i < 3; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return y[2];
}

double booked_work(const Source& source, Integrator integrator, double dt) {
  Model model;
  const BodyId rod = test::add_rod(model, "rod", {0, 0, 0}, {1, 0, 0});
  const AttachmentPair at = model.join(rod, world, {0, 0, 0}, Vec3::UnitY());
  model.add("hinge", hinge(at));
  source.add(model, rod, at);
  Simulation sim(model, {.integrator = integrator});
  test::run(sim, kEnd, dt);
  return sim.ledger()[source.account];
}

TEST(WorkOfImplicitSteps, ConvergesToTheWorkDoneWithTheOrderOfTheScheme) {
  for (const Source& source : sources()) {
    const double exact = exact_work(source);
    for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha,
                                        Integrator::backward_euler, Integrator::linearised_euler}) {
      SCOPED_TRACE(source.name + ", " + std::string(name(integrator)));
      const bool is_second = traits(integrator).order == 2;
      const double coarse = std::abs(booked_work(source, integrator, 4e-3) - exact),
                   fine = std::abs(booked_work(source, integrator, 2e-3) - exact);
      EXPECT_LT(fine, (is_second ? 1e-3 : 5e-2) * std::max(std::abs(exact), 0.1));
      if (coarse > 1e-6) {
        EXPECT_GT(coarse / fine, is_second ? 3.0 : 1.6) << coarse << " " << fine;
      }
    }
  }
}

TEST(WorkOfImplicitSteps, OfADrivenHingeIsTheChangeOfTheEnergy) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      Model model;
      const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
      model.add("drive", driven_hinge(model.join(arm, world, {0, 0, 0}, Vec3::UnitY()), [](double t) {
                  return Jet{-t * t, -2 * t, -2.0};
                }));
      Simulation sim(model, {.integrator = integrator});
      test::run(sim, 1.0, k == 0 ? 4e-3 : 2e-3);
      const double exact = 0.5 * kInertia * 4.0 + test::kGravity * kLever * std::sin(1.0);
      error[k] = std::abs(sim.ledger()[Account::driven] - exact);
    }
    EXPECT_LT(error[1], 1e-4) << name(integrator);
    EXPECT_GT(error[0] / error[1], 3.0) << name(integrator) << " " << error[0];
  }
}

/// Numerical energy, kinetic energy and ledger of a run of 1 ms steps.
Simulation stiff_run(const std::string& text, Integrator integrator) {
  Scene scene = parse_scene(text);
  scene.options.integrator = integrator;
  Simulation sim(scene.model, scene.options);
  test::run(sim, 0.05, 1e-3);
  return sim;
}

TEST(WorkOfImplicitSteps, OfAMotorThatSpinsUpWithinOneStepIsTheEnergyItGave) {
  for (const Integrator integrator :
       {Integrator::bdf2, Integrator::backward_euler, Integrator::linearised_euler}) {
    const Simulation sim = stiff_run(
        "bodies: [{name: a, kind: rigid, mass: 1, shape: {kind: sphere, radius: 0.1}}]\n"
        "joints: [{kind: hinge, a: a, axis: [0, 1, 0], point: [0, 0, 0]}]\n"
        "forces: [{kind: velocity-motor, a: a, axis: [0, 1, 0], point: [0, 0, 0], speed: 1000, gain: 1e4}]\n",
        integrator);
    EXPECT_NEAR(sim.ledger()[Account::motors], 2000.0, 1.0) << name(integrator);
    EXPECT_LT(std::abs(sim.numerical_energy()), 1.0) << name(integrator);
  }
}

TEST(WorkOfImplicitSteps, OfDragThatStopsABodyWithinOneStepIsTheEnergyItTook) {
  for (const Integrator integrator :
       {Integrator::bdf2, Integrator::backward_euler, Integrator::linearised_euler}) {
    const Simulation sim = stiff_run(
        "gravity: [0, 0, 0]\n"
        "bodies: [{name: p, kind: particle, mass: 1, velocity: [10, 0, 0]}]\n"
        "forces: [{kind: drag, a: p, linear: 1e6}]\n",
        integrator);
    EXPECT_NEAR(sim.ledger()[Account::drag], -50.0, 0.5) << name(integrator);
    EXPECT_LT(std::abs(sim.numerical_energy()), 0.5) << name(integrator);
  }
}

TEST(WorkOfImplicitSteps, OfAVeryStiffMotorIsNotRoundingTimesItsGain) {
  Scene scene = parse_scene(
      "bodies:\n"
      "  - {name: b0, kind: rigid, mass: 0.0194433, position: [-0.126, 1.517, 0.345], axis: [0.506, 0.323, "
      "0.8], angle: "
      "-1.984, shape: {kind: disc, radius: 0.34}, velocity: [-0.363, 0.499, -0.285]}\n"
      "  - {name: b1, kind: rigid, mass: 0.0388672, position: [1.18, 1.342, 1.6], axis: [0.547, -0.741, "
      "-0.39], angle: 2.5, "
      "shape: {kind: box, size: [0.067, 0.79, 0.255]}}\n"
      "forces:\n"
      "  - {kind: velocity-motor, a: b0, axis: [0, 0, 1], speed: 1e3, gain: 5.45e+07}\n"
      "  - {kind: spring, a: b0, b: b1, stiffness: 105.7, damping: 1, rest_length: 0.174}\n");
  Simulation sim(scene.model, scene.options);
  test::run(sim, 0.5, 0.00125);
  EXPECT_EQ(name(sim.choice().integrator), "bdf2");
  EXPECT_LT(std::abs(sim.numerical_energy()), sim.energy_scale());
  EXPECT_LT(std::abs(sim.ledger()[Account::motors]), 1e4);
}

}  // namespace
}  // namespace catena
