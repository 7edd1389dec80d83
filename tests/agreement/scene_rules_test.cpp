// What scenes say by expressions, against the same in C++: Lagrangian bodies x(p, u); and controllers that make joints follow them.
#include "catena/catena.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

Scene scene_of_example(const std::string& name) {
  return load_scene(std::string(CATENA_SOURCE_DIR "/examples/") + name + ".yaml");
}

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_scene(text);
  } catch (const InvalidInput& problem) {
    return problem.what();
  }
  return "nothing";
}

/// J and bias of a body's point against differences of x and of J, at coordinates that nothing is special about.
void expect_derivatives(const Body& body, const VecX& u, const VecX& u_dot, const Vec3& p) {
  const double h = 1e-6;
  PointMap here, before, after;
  body.point(u.data(), u_dot.data(), p, here);
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    VecX less = u, more = u;
    less[i] -= h;
    more[i] += h;
    body.point(less.data(), u_dot.data(), p, before);
    body.point(more.data(), u_dot.data(), p, after);
    EXPECT_LT((here.J.col(i) - (after.x - before.x) / (2.0 * h)).norm(), 1e-8) << "column " << i;
  }
  const VecX less = u - h * u_dot, more = u + h * u_dot;
  body.point(less.data(), u_dot.data(), p, before);
  body.point(more.data(), u_dot.data(), p, after);
  EXPECT_LT((here.bias - (after.J - before.J) * u_dot / (2.0 * h)).norm(), 1e-8);
}

TEST(LagrangianScene, LadderMovesAsTheOneInCpp) {
  Model model;
  constexpr double half = 2.0;
  const auto rule = [](const double* u, const double* u_dot, const Vec3& p, PointMap& out) {
    const double c = std::cos(u[0]), s = std::sin(u[0]);
    out.x = Vec3((half + p.x()) * c, 0, (half - p.x()) * s);
    out.J.col(0) = Vec3(-(half + p.x()) * s, 0, (half - p.x()) * c);
    out.bias = -u_dot[0] * u_dot[0] * out.x;
  };
  const double place = half / std::sqrt(3.0);
  const BodyId ladder =
      model.add_at("ladder", lagrangian(1, rule, {{{-place, 0, 0}, 5.0}, {{place, 0, 0}, 5.0}}),
                   coordinates({1.2}), coordinates({0.0}));
  const Vec3 hook((half + 0.5) * std::cos(1.2), 0, (half - 0.5) * std::sin(1.2));
  const BodyId bucket =
      model.add("bucket", std::make_shared<Particle3>(2.0), {.position = hook - Vec3(0, 0, 1)});
  model.add("cord", distance({Attachment{bucket}, Attachment{ladder, {0.5, 0, 0}}}, 1.0));
  const Options options{.integrator = Integrator::dormand_prince, .tolerance = 1e-12};
  Scene scene = scene_of_example("sliding-ladder");
  scene.options = options;
  Simulation by_scene = make_simulation(scene), by_rule(model, options);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(by_scene.step(0.05).ok());
    ASSERT_TRUE(by_rule.step(0.05).ok());
    for (const char* name : {"ladder", "bucket"}) {
      const Placement a = by_scene.placement(*by_scene.model().find_body(name)),
                      b = by_rule.placement(*by_rule.model().find_body(name));
      ASSERT_LT((a.position - b.position).norm(), 1e-10) << name << " at " << by_scene.time();
      ASSERT_LT((a.velocity - b.velocity).norm(), 1e-9) << name;
    }
  }
}

// Two coordinates: a pantograph about the origin, with a weight at its pen.
TEST(LagrangianScene, TwoCoordinatesAreThoseOfAPantograph) {
  const Scene scene = parse_scene(R"yaml(
gravity: [0, -9.81, 0]
parameters: {a0: 0.3, b0: 1.2, k: 0.5/sqrt(3)}
bodies:
  - name: linkage
    kind: lagrangian
    coordinates: [{name: alpha, at: a0, rate: 0.4}, {name: beta, at: b0, rate: -0.7}]
    x: ["px*cos(alpha)+py*cos(beta)", "px*sin(alpha)+py*sin(beta)", "0"]
    masses:                                                     # of bars, at their Gauss points
      - {point: [0.5-k, 0, 0], mass: 0.5}
      - {point: [0.5+k, 0, 0], mass: 0.5}
      - {point: [1, 0.5-k, 0], mass: 0.5}
      - {point: [1, 0.5+k, 0], mass: 0.5}
      - {point: [0.4, 0.2-0.4*k, 0], mass: 0.2}
      - {point: [0.4, 0.2+0.4*k, 0], mass: 0.2}
      - {point: [0.7-0.6*k, 0.4, 0], mass: 0.3}
      - {point: [0.7+0.6*k, 0.4, 0], mass: 0.3}
  - {name: weight, kind: particle, mass: 3, position: [cos(a0)+cos(b0), sin(a0)+sin(b0), -1]}
joints:
  - {name: hook, kind: distance, a: weight, b: linkage, point_b: [cos(a0)+cos(b0), sin(a0)+sin(b0), 0]}
options: {integrator: dormand-prince, tolerance: 1e-12}
initial: {project: true}
)yaml");
  Pantograph shape;
  shape.long_bar = 1.0;
  shape.short_bar = 0.4;
  Model model;
  model.gravity = {0, -9.81, 0};
  const BodyId linkage =
      model.add_at("linkage", pantograph(shape), coordinates({0.3, 1.2}), coordinates({0.4, -0.7}));
  const Vec3 pen(std::cos(0.3) + std::cos(1.2), std::sin(0.3) + std::sin(1.2), 0.0);
  const BodyId weight =
      model.add("weight", std::make_shared<Particle3>(3.0), {.position = pen - Vec3(0, 0, 1)});
  model.add("hook", distance(model.join(weight, linkage, pen - Vec3(0, 0, 1), Vec3::UnitZ(), pen), 1.0));
  Simulation a = make_simulation(scene), b(model, scene.options);
  ASSERT_TRUE(b.project().ok());
  for (int k = 0; k < 20; ++k) {
    const Vec3 pa = a.placement(*a.model().find_body("weight")).position, pb = b.placement(weight).position;
    ASSERT_LT((pa - pb).norm(), 1e-9) << a.time();
    ASSERT_NEAR(a.energy().kinetic, b.energy().kinetic, 1e-8 * (1.0 + b.energy().kinetic)) << a.time();
    ASSERT_TRUE(a.step(0.02).ok());
    ASSERT_TRUE(b.step(0.02).ok());
  }
  expect_derivatives(*scene.model.bodies()[0].body, coordinates({0.31, 1.27}), coordinates({0.8, -1.3}),
                     {0.3, 0.6, 0.0});
}

TEST(LagrangianScene, DerivativesOfEveryKindOfTermAreExact) {
  const Scene scene = parse_scene(R"yaml(
bodies:
  - name: strange
    kind: lagrangian
    coordinates: [{name: u}, {name: w, at: 0.4}, {name: s, at: 1.5}]
    x: ["s*px*cos(u+w^2)+exp(-u*s)", "sqrt(1+u^2+py^2)*atan2(w, s)", "pz+log(s)*tanh(u*w)-px*py*sinh(w)"]
    masses: [{point: [1, 0, 0], mass: 1}, {point: [0, 1, 0], mass: 1}, {point: [0.3, 0.2, 1], mass: 2}]
)yaml");
  expect_derivatives(*scene.model.bodies()[0].body, coordinates({0.3, -0.6, 1.2}),
                     coordinates({1.1, 0.7, -0.4}), {0.5, -0.3, 0.8});
}

TEST(LagrangianScene, FindsTheMaterialPointAtAPlaceOfTheWorld) {
  const Scene scene = scene_of_example("sliding-ladder");
  const BodyEntry& ladder = scene.model.bodies()[0];
  for (const double along : {-2.0, -0.3, 0.0, 1.7}) {
    PointMap at;
    ladder.body->point(ladder.q.data(), ladder.v.data(), {along, 0, 0}, at);
    const Vec3 p = ladder.body->local_point(ladder.q.data(), at.x);
    EXPECT_LT((p - Vec3(along, 0, 0)).norm(), 1e-9) << along;  // py and pz, which do not matter, stay 0
  }
}

TEST(LagrangianScene, SaysWhatIsWrong) {
  const auto scene = [](const std::string& body) {
    return "bodies:\n  - {name: b, kind: lagrangian, " + body + "}\n";
  };
  const std::string good = "coordinates: [{name: a}], x: [cos(a), sin(a), 0], masses: [{mass: 1}]";
  EXPECT_EQ(refusal_of(scene(good)), "nothing");
  const auto expect = [&](const std::string& body, const char* words) {
    const std::string said = refusal_of(scene(body));
    EXPECT_NE(said.find(words), std::string::npos) << body << "\n" << said;
  };
  expect("coordinates: [{name: a}], x: [cos(b), 0, 0], masses: [{mass: 1}]", "unknown name 'b'");
  expect("coordinates: [{name: px}], x: [px, 0, 0], masses: [{mass: 1}]", "'px' is taken");
  expect("coordinates: [{name: sin}], x: [1, 0, 0], masses: [{mass: 1}]", "cannot be the name");
  expect("coordinates: [{name: a}], x: [1/a, 0, 0], masses: [{mass: 1}]", "no finite value");
  expect("coordinates: [{name: a}], x: cos(a), masses: [{mass: 1}]", "list of 2 or 3");
  expect("coordinates: [{name: a}], x: [a, 0, 0], masses: []", "a list is expected");
  expect("coordinates: [{name: a}], x: [a, 0, 0]", "'masses' is missing");
}

/// Largest error of a joint of arm-7 over half a second.
double arm_error(Formulation formulation, const char* period) {
  Scene scene = load_scene(CATENA_SOURCE_DIR "/examples/arm-7.yaml", {{"period", period}});
  scene.options.formulation = formulation;
  Simulation sim = make_simulation(scene);
  double error = 0.0;
  while (sim.time() < 0.5 - 1e-9) {
    if (!sim.step(scene.dt).ok()) return 1.0;
    error =
        std::max(error, std::abs(sim.joint_state("joint4").q[0] - 0.6 * (1.0 - std::cos(2.0 * sim.time()))));
  }
  return error;
}

// A torque holds for a period while the arm moves on: of first order in the period.
TEST(ComputedTorque, MakesTheArmFollowItsTrajectoryInEveryFormulation) {
  for (const Formulation formulation : {Formulation::maximal, Formulation::minimal, Formulation::middle}) {
    const double coarse = arm_error(formulation, "2e-3"), fine = arm_error(formulation, "1e-3");
    EXPECT_LT(fine, 1.2e-4) << name(formulation);
    EXPECT_NEAR(coarse / fine, 2.0, 0.1) << name(formulation);
  }
}

// Three arms of a delta robot follow; its plate goes where the loops take it. Twice the rate of samples, a fourth of the error.
TEST(ComputedTorque, HoldsThroughLoops) {
  const auto error_at = [](double period) {
    Scene scene = scene_of_example("delta-robot");
    while (!scene.model.forces().empty()) scene.model.remove(scene.model.forces().front().id);
    Simulation sim = make_simulation(scene);
    const std::vector<ConstraintId> arms{sim.joint_named("base-a"), sim.joint_named("base-b"),
                                         sim.joint_named("base-c")};
    sim.edit([&](Model& model) {
      for (const ConstraintId arm : arms)
        model.add("drive" + std::to_string(arm.value),
                  joint_motor(model.constraints()[std::size_t(model.index_of(arm))]));
    });
    InverseDynamics inverse(sim, arms);
    const auto goal = [](std::size_t i, double t) {
      const double phase = 2.0 * double(i), a = 0.3;
      return Jet{a * (std::cos(phase) - std::cos(3.0 * t + phase)), 3.0 * a * std::sin(3.0 * t + phase),
                 9.0 * a * std::cos(3.0 * t + phase)};
    };
    for (std::size_t i = 0; i < arms.size(); ++i)
      sim.set_joint_state(arms[i], {sim.joint_state(arms[i]).q, VecX::Constant(1, goal(i, 0.0).rate)});
    EXPECT_TRUE(sim.project().ok());
    double error = 0.0;
    sim.add_controller("track", period, [&](Simulation& s) {
      VecX alpha(3);
      for (std::size_t i = 0; i < 3; ++i) {
        const JointState now = s.joint_state(arms[i]);
        const Jet g = goal(i, s.time());
        alpha[Eigen::Index(i)] = goal(i, s.time() + 0.5 * period).acceleration + 40.0 * (g.rate - now.v[0]) +
                                 400.0 * (g.value - now.q[0]);
      }
      ASSERT_TRUE(inverse.solve(s, alpha).ok());
      for (std::size_t i = 0; i < 3; ++i) {
        const ForceId motor = s.model().forces()[i].id;
        s.set_command(motor, s.command(motor)[0] + inverse.torques()[Eigen::Index(i)]);
      }
    });
    while (sim.time() < 0.8 - 1e-9) {
      EXPECT_TRUE(sim.step(period).ok());
      if (sim.time() < 0.6) continue;
      for (std::size_t i = 0; i < 3; ++i)
        error = std::max(error, std::abs(sim.joint_state(arms[i]).q[0] - goal(i, sim.time()).value));
    }
    return error;
  };
  const double coarse = error_at(4e-3), fine = error_at(2e-3);
  EXPECT_LT(coarse, 0.02);
  EXPECT_LT(fine, 0.6 * coarse);
}

TEST(ComputedTorque, SaysWhatIsWrong) {
  const auto scene = [](const std::string& controller) {
    return "bodies: [{name: arm, kind: rigid, mass: 1, shape: {kind: sphere, radius: 1}}]\n"
           "joints: [{name: pin, kind: ball, a: arm, point: [0, 0, 0]}, {name: axle, kind: hinge, a: arm, "
           "point: [0, 0, 0], "
           "axis: [0, 0, 1]}]\n"
           "controllers: [{name: c, kind: computed-torque, " +
           controller + "}]\n";
  };
  EXPECT_EQ(refusal_of(scene("period: 1e-3, drives: [{joint: axle, target: t}]")), "nothing");
  const auto expect = [&](const std::string& controller, const char* words) {
    const std::string said = refusal_of(scene(controller));
    EXPECT_NE(said.find(words), std::string::npos) << controller << "\n" << said;
  };
  expect("period: 1e-3, drives: [{joint: pin, target: t}]", "no single coordinate");
  expect("period: 1e-3, drives: [{joint: axel, target: t}]", "did you mean 'axle'");
  expect("period: 1e-3, drives: []", "a list of joints");
  expect("drives: [{joint: axle, target: t}]", "'period' is missing");
}

// A gripper on a flange on a link: joints, forces and probes that name it are those of the link, at the same places.
TEST(Frames, AreMergedWithWhatCarriesThem) {
  const auto scene = [](bool by_frames) {
    const std::string end = by_frames ? "tool" : "arm";
    return parse_scene(
        "bodies:\n"
        "  - {name: arm, kind: rigid, mass: 2, from: [0, 0, 0], to: [0.8, 0, 0], angular_velocity: [0, 0.5, "
        "0], "
        "velocity: [0, 0, -0.2]}\n" +
        std::string(by_frames
                        ? "  - {name: flange, kind: frame, on: arm, position: [0.8, 0, 0]}\n"
                          "  - {name: tool, kind: frame, on: flange, position: [0.9, 0, 0.1], orientation: "
                          "[0.6, 0, 0.8, 0]}\n"
                        : "") +
        "  - {name: load, kind: particle, mass: 1, position: [0.9, 0, -0.4]}\n"
        "joints:\n"
        "  - {name: pivot, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: rope, kind: distance, a: load, b: " +
        end + ", point_a: [0.9, 0, -0.4]" + (by_frames ? "" : ", point_b: [0.9, 0, 0.1]") +
        "}\n"
        "forces:\n"
        "  - {name: push, kind: load, a: " +
        end + ", force: [0, 0, 3]" + (by_frames ? "" : ", point: [0.9, 0, 0.1]") +
        "}\n"
        "probes:\n"
        "  - {name: place, quantity: position, body: " +
        end + (by_frames ? "" : ", point: [0.9, 0, 0.1]") +
        "}\n"
        "  - {name: speed, quantity: velocity, body: " +
        end + (by_frames ? "" : ", point: [0.9, 0, 0.1]") +
        "}\n"
        "  - {name: spin, quantity: angular-velocity, body: " +
        end +
        "}\n"
        "  - {name: axes, quantity: orientation, body: " +
        end +
        "}\n"
        "options: {integrator: rk4}\ninitial: {project: true}\n");
  };
  const Scene with = scene(true), without = scene(false);
  EXPECT_EQ(with.model.bodies().size(), 2u);
  Simulation a = make_simulation(with), b = make_simulation(without);
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(a.step(2e-3).ok());
    ASSERT_TRUE(b.step(2e-3).ok());
  }
  for (const std::size_t probe : {0u, 1u, 2u}) {
    Vec3 from_a, from_b;
    with.probes[probe].read(a, from_a.data());
    without.probes[probe].read(b, from_b.data());
    EXPECT_LT((from_a - from_b).norm(), 1e-10) << with.probes[probe].name;
  }
  // its axes are its own, and turn with the body
  Eigen::Vector4d of_tool, of_arm;
  with.probes[3].read(a, of_tool.data());
  without.probes[3].read(b, of_arm.data());
  const Quat tool(of_tool[0], of_tool[1], of_tool[2], of_tool[3]),
      arm(of_arm[0], of_arm[1], of_arm[2], of_arm[3]);
  EXPECT_LT(tool.angularDistance(arm * Quat(0.6, 0, 0.8, 0)), 1e-9);
}

TEST(Frames, SayWhatTheyAreNot) {
  const auto scene = [](const std::string& rest) {
    return "bodies:\n  - {name: arm, kind: rigid, mass: 2, from: [0, 0, 0], to: [0.8, 0, 0]}\n"
           "  - {name: bob, kind: particle, mass: 1}\n" +
           rest;
  };
  const auto expect = [&](const std::string& rest, const char* words) {
    const std::string said = refusal_of(scene(rest));
    EXPECT_NE(said.find(words), std::string::npos) << rest << "\n" << said;
  };
  expect("  - {name: tool, kind: frame, on: bob}\n", "a frame is fixed on a rigid or planar body");
  expect("  - {name: tool, kind: frame, on: hand}\n", "there is no body 'hand'");
  expect("  - {name: tool, kind: frame, on: arm}\ninitial: {bodies: [{body: tool}]}\n", "goes with the body");
  expect("  - {name: tool, kind: frame, on: arm}\njoints: [{name: j, kind: weld, a: tool, b: arm}]\n",
         "joins body 'arm' to itself");
  // a link without mass that moves is refused by its name
  expect("  - {name: ghost, kind: rigid, mass: 0, inertia: [0, 0, 0]}\n",
         "bodies[2].mass: mass must be positive");
  Model model;
  model.add("ghost", std::make_shared<Rigid>(0.0, Vec3(0, 0, 0)));
  ASSERT_FALSE(model.validate().empty());
  EXPECT_EQ(model.validate().front().where, "body 'ghost'");
}

}  // namespace
}  // namespace catena
