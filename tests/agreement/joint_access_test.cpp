// Joints by id and by name in every formulation: their torques, and the torques that make them accelerate, with loops.
#include "catena/algorithms.h"
#include "catena/catena.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <random>

namespace catena {
namespace {

constexpr Formulation kAllFormulations[] = {Formulation::maximal, Formulation::minimal, Formulation::middle};

VecX random_numbers(int count, unsigned seed, double scale) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, scale);
  VecX out(count);
  for (double& x : out) x = normal(random);
  return out;
}

/// A scene, with a motor for all coordinates of each of these joints.
struct Driven {
  Scene scene;
  std::vector<ConstraintId> joints;

  Driven(const std::string& name, const std::vector<std::string>& driven)
      : scene(load_scene(std::string(CATENA_SOURCE_DIR "/examples/") + name + ".yaml")) {
    Model& model = scene.model;
    for (const std::string& joint : driven) {
      joints.push_back(*model.find_constraint(joint));
      model.add(joint + "-drive",
                joint_motor(model.constraints()[std::size_t(model.index_of(joints.back()))]));
    }
  }
  Simulation start(Formulation formulation) const {
    return Simulation(scene.model, {.formulation = formulation, .integrator = Integrator::rk4});
  }
};

/// Accelerations of single joints, read in joint coordinates.
VecX accelerations_of(const Simulation& sim, const std::vector<ConstraintId>& joints) {
  Simulation twin(sim.model(), {.formulation = Formulation::minimal, .integrator = Integrator::rk4});
  twin.set_state(sim.state());
  std::vector<double> out;
  for (const ConstraintId joint : joints) {
    // which velocities are those of the joint: the ones that a change of its state changes
    const VecX before = twin.state().v;
    JointState moved = twin.joint_state(joint);
    moved.v.array() += 1.0;
    Simulation probe = twin.clone();
    probe.set_joint_state(joint, moved);
    for (Eigen::Index i = 0; i < before.size(); ++i)
      if (std::abs(probe.state().v[i] - before[i] - 1.0) < 1e-9) out.push_back(twin.accelerations()[i]);
  }
  return Eigen::Map<VecX>(out.data(), Eigen::Index(out.size()));
}

struct LoopCase {
  const char* scene;
  std::vector<std::string> driven;
  int ways;  // independent drives
};

TEST(InverseDynamics, ThenForwardDynamicsIsTheIdentity) {
  const LoopCase cases[] = {
      {"arm-7", {"joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7"}, 7},
      {"arm-7", {"joint2", "joint6"}, 2},
      {"geared-arm", {"shoulder", "elbow"}, 2},
      {"delta-robot", {"base-a", "base-b", "base-c"}, 3},
      {"four-bar", {"crank-pivot"}, 1},
      {"quadruped-float", {"front-left-knee", "back-right-flexion"}, 2},
      {"humanoid-36", {"left-shoulder", "right-knee", "neck", "left-wrist"}, 9}};
  unsigned seed = 7;
  for (const LoopCase& c : cases)
    for (const Formulation formulation : kAllFormulations) {
      const Driven driven(c.scene, c.driven);
      Simulation sim = driven.start(formulation);
      ASSERT_TRUE(sim.project().ok());
      test::stir(sim, ++seed, 0.3);
      InverseDynamics inverse(sim, driven.joints);
      ASSERT_EQ(inverse.num_velocities(), c.ways);
      const VecX wanted = random_numbers(c.ways, seed, 2.0);
      const StepReport report = inverse.solve(sim, wanted);
      ASSERT_TRUE(report.ok()) << c.scene << ": " << report.message;
      EXPECT_EQ(inverse.num_tied(), 0);
      Eigen::Index at = 0;
      for (const ConstraintId joint : driven.joints) {
        const Eigen::Index size = sim.joint_state(joint).v.size();
        sim.set_joint_torque(joint, inverse.torques().segment(at, size));
        at += size;
      }
      const VecX got = accelerations_of(sim, driven.joints);
      ASSERT_EQ(got.size(), wanted.size()) << c.scene;
      EXPECT_LT((got - wanted).cwiseAbs().maxCoeff(),
                1e-9 * (1.0 + sim.accelerations().cwiseAbs().maxCoeff()))
          << c.scene << ", " << name(formulation) << ", seed " << seed;
    }
}

TEST(InverseDynamics, OfATreeIsRecursiveNewtonEuler) {
  const Driven driven("arm-7", {"joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7"});
  Scene scene = driven.scene;
  while (!scene.model.forces().empty()) scene.model.remove(scene.model.forces().front().id);
  Simulation sim(scene.model, {.formulation = Formulation::minimal, .integrator = Integrator::rk4});
  test::stir(sim, 3);
  InverseDynamics inverse(sim, driven.joints);
  const VecX wanted = random_numbers(7, 4, 3.0);
  ASSERT_TRUE(inverse.solve(sim, wanted).ok());
  const JointTree tree(sim.model());
  TreeData data(tree);
  VecX tau;
  inverse_dynamics(tree, sim.state().q, sim.state().v, wanted, data, tau);
  EXPECT_LT((inverse.torques() - tau).cwiseAbs().maxCoeff(), 1e-11 * tau.cwiseAbs().maxCoeff());
}

// Crank and follower of a four-bar are one way to move. Of all torques that do the same the shortest are along the rates of the two joints,
// and their power is that of the crank alone.
TEST(InverseDynamics, HasTheLeastNormWhereLoopsTieDrivesTogether) {
  const Driven both("four-bar", {"crank-pivot", "follower-pivot"});
  Simulation sim = both.start(Formulation::maximal);
  test::stir(sim, 5, 1.0);
  const double crank_rate = sim.joint_state(both.joints[0]).v[0],
               follower_rate = sim.joint_state(both.joints[1]).v[0];
  InverseDynamics alone(sim, {both.joints[0]}), tied(sim, both.joints);
  ASSERT_TRUE(alone.solve(sim, VecX::Constant(1, 3.0)).ok());
  const VecX joint_accelerations = alone.joint_accelerations();
  sim.set_joint_torque("crank-pivot", alone.torques());
  const VecX both_accelerations = accelerations_of(sim, both.joints);
  sim.set_joint_torque("crank-pivot", VecX::Zero(1));
  ASSERT_TRUE(tied.solve(sim, both_accelerations).ok());
  EXPECT_EQ(tied.num_tied(), 1);
  EXPECT_LT((tied.joint_accelerations() - joint_accelerations).cwiseAbs().maxCoeff(), 1e-9);
  const VecX tau = tied.torques();
  EXPECT_LT(tau.norm(), std::abs(alone.torques()[0]));
  EXPECT_NEAR(tau[0] * follower_rate, tau[1] * crank_rate, 1e-9 * tau.norm());
  EXPECT_NEAR(tau[0] * crank_rate + tau[1] * follower_rate, alone.torques()[0] * crank_rate,
              1e-9 * tau.norm());
  // and what the loops do not allow is refused with the name of a joint
  const StepReport report = tied.solve(sim, both_accelerations + Vec2(1.0, 0.0));
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.message.find("-pivot"), std::string::npos) << report.message;
}

TEST(InverseDynamics, LeavesNoNullPartInMultipliersOfRedundantRows) {
  const Driven driven("four-bar", {"crank-pivot"});
  Simulation sim = driven.start(Formulation::minimal);
  test::stir(sim, 6);
  InverseDynamics inverse(sim, driven.joints);
  ASSERT_TRUE(inverse.solve(sim, VecX::Constant(1, 2.0)).ok());
  const VecX lambda = inverse.multipliers();
  EXPECT_GT(lambda.norm(), 1.0);
  // three of the five rows of the hinge that closes the loop are implied: out of the plane nothing is carried
  int carried = 0;
  for (const double x : lambda) carried += std::abs(x) > 1e-9 ? 1 : 0;
  EXPECT_EQ(carried, 2);
}

TEST(InverseDynamics, LooksAtAnEditedModelAnew) {
  const Driven driven("arm-7", {"joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7"});
  Simulation sim = driven.start(Formulation::minimal);
  InverseDynamics inverse(sim, driven.joints);
  const VecX still = VecX::Zero(7);
  ASSERT_TRUE(inverse.solve(sim, still).ok());
  const double before = inverse.torques()[1];
  sim.edit([](Model& model) {
    const BodyId load = model.add("load", sphere(5.0, 0.05), {.position = {0.3, 0.0, 1.24}});
    model.add("grip", weld(model.join(load, *model.find_body("link7"), {0, 0, 1.24})));
  });
  ASSERT_TRUE(inverse.solve(sim, still).ok());
  EXPECT_NEAR(inverse.torques()[1] - before, -5.0 * test::kGravity * 0.3, 1e-6);  // as the arm stands upright
}

TEST(InverseDynamics, RefusesWhatIsNoJointOfTheTree) {
  const Scene scene = load_scene(CATENA_SOURCE_DIR "/examples/delta-robot.yaml");
  const Simulation sim = make_simulation(scene);
  EXPECT_THROW(InverseDynamics(sim, {sim.joint_named("wrist-b2")}), InvalidInput);
  EXPECT_THROW(InverseDynamics(sim, {ConstraintId{999}}), InvalidInput);
  EXPECT_THROW(InverseDynamics(sim, {sim.joint_named("base-a"), sim.joint_named("base-a")}), InvalidInput);
}

/// One joint of every kind in a row, each with a motor for all of its coordinates.
Model all_joints() {
  Model model;
  BodyId previous = world;
  Vec3 end(0.1, 0.2, 0.0);
  const Vec3 along(0.3, 0.2, -0.25);
  ConstraintPtr (*const kinds[])(const AttachmentPair&) = {
      hinge, slider, ball, universal, cylindrical, planar, constant_velocity};
  int k = 0;
  for (const auto kind : kinds) {
    const BodyId link = test::add_rod(model, "link" + std::to_string(k), end, end + along, 1.0 + 0.2 * k);
    // either way round
    model.add("joint" + std::to_string(k),
              kind(k % 2 == 0 ? model.join(link, previous, end, Vec3(0.1, 1.0, 0.3).normalized())
                              : model.join(previous, link, end, Vec3(0.1, 1.0, 0.3).normalized())));
    model.add("drive" + std::to_string(k), joint_motor(model.constraints().back()));
    previous = link;
    end += along;
    ++k;
  }
  return model;
}

TEST(JointTorque, IsReadAndSetByNameInEveryFormulation) {
  for (const Formulation formulation : kAllFormulations) {
    Simulation sim(all_joints(), {.formulation = formulation, .integrator = Integrator::rk4});
    test::stir(sim, 11, 0.4);
    for (int k = 0; k < 30; ++k) ASSERT_TRUE(sim.step(1e-3).ok());  // where no axis is special
    double power = 0.0;
    for (int k = 0; k < 7; ++k) {
      const std::string joint = "joint" + std::to_string(k);
      const JointState state = sim.joint_state(joint);
      const VecX torque = random_numbers(int(state.v.size()), unsigned(k), 5.0);
      sim.set_joint_torque(joint, torque);
      EXPECT_LT((sim.joint_torque(joint) - torque).cwiseAbs().maxCoeff(), 1e-11) << joint;
      power += torque.dot(state.v);
    }
    // the ledger knows the same power
    Simulation next = sim.clone();
    ASSERT_TRUE(next.step(1e-6).ok());
    EXPECT_NEAR((next.ledger()[Account::motors] - sim.ledger()[Account::motors]) / 1e-6, power,
                1e-3 * std::abs(power));
  }
}

// Equal torques make equal motions: a torque of joint coordinates enters the equations as it is.
TEST(JointTorque, EntersTheEquationsOfJointCoordinatesAsItIs) {
  Simulation sim(all_joints(), {.formulation = Formulation::minimal, .integrator = Integrator::rk4});
  test::stir(sim, 12, 0.4);
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(sim.step(1e-3).ok());
  const JointTree tree(sim.model());
  TreeData data(tree);
  VecX tau = random_numbers(tree.num_v(), 13, 5.0), a;
  for (int link = 0; link < tree.num_links(); ++link)
    sim.set_joint_torque(sim.model().constraints()[std::size_t(tree.joint(link))].id,
                         tau.segment(tree.v(link), tree.num_v(link)));
  ASSERT_EQ(forward_dynamics(tree, sim.state().q, sim.state().v, tau, data, a), JointTree::kNone);
  EXPECT_LT((sim.accelerations() - a).cwiseAbs().maxCoeff(), 1e-10 * a.cwiseAbs().maxCoeff());
}

TEST(JointTorque, CountsWhatIsAttachedToTheTwoBodiesOnly) {
  Model model;
  const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
  const AttachmentPair at = model.join(arm, world, Vec3::Zero(), Vec3::UnitY());
  model.add("pivot", hinge(at));
  model.add("spring", torsion_spring(at, 7.0, 0.0, 0.5));
  model.add("motor", motor(at, constant(0.3), {.ratio = 10.0}));
  model.add("rope",
            spring_damper(model.join(arm, world, {1, 0, 0}, Vec3::UnitZ(), {1, 0, 2}), 5.0, 0.0, 1.0));
  model.add("push", load(Attachment{arm}, {constant(0), constant(0), constant(50)}, {}));
  for (const Formulation formulation : kAllFormulations) {
    const Simulation sim(model, {.formulation = formulation});
    // spring 7·0.5, motor 10·0.3, rope 5·(2 - 1) upwards at 1 m, about +y: negative
    EXPECT_NEAR(sim.joint_torque("pivot")[0], 3.5 + 3.0 - 5.0, 1e-12);
  }
}

TEST(JointTorque, OfADrivenHingeIsWhatItTakesToDriveIt) {
  Model model;
  const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0}, 2.0);
  const AttachmentPair at = model.join(arm, world, Vec3::Zero(), -Vec3::UnitY());
  model.add("drive", driven_hinge(at, [](double t) { return Jet{1.5 * t * t, 3.0 * t, 3.0}; }));
  const Simulation sim(model);
  // I θ̈ + m g l/2, with I = m l²/3
  EXPECT_NEAR(sim.joint_torque("drive")[0], 2.0 / 3.0 * 3.0 + 2.0 * test::kGravity * 0.5, 1e-9);
}

TEST(JointTorque, SaysWhatIsMissing) {
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const InvalidInput& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing");
  };
  const Scene scene = load_scene(CATENA_SOURCE_DIR "/examples/delta-robot.yaml");
  Simulation sim = make_simulation(scene);
  EXPECT_NE(message([&] { sim.set_joint_torque("base-a", VecX::Zero(1)); }).find("joint_motor"),
            std::string::npos);
  EXPECT_NE(message([&] { (void)sim.joint_state("elbow"); }).find("'elbow'"), std::string::npos);
  Simulation driven(all_joints());
  EXPECT_NE(message([&] { driven.set_joint_torque("joint0", VecX::Zero(2)); }), "nothing");
  Model model = all_joints();
  const AttachmentPair at = model.join(model.bodies()[0].id, world, Vec3::Zero());
  model.add("clamp", weld(at));
  model.add("nothing-to-drive", joint_motor(model.constraints().back()));
  EXPECT_FALSE(model.validate().empty());
}

// A rod that is let go feels m g l/2 = (m l²/3 + J) θ̈; a weight on a vertical rail m g = (m + J) s̈.
TEST(Armature, IsInertiaOfTheJointInEveryFormulation) {
  constexpr double m = 2.0, l = 0.8, J = 0.5;
  for (const bool slides : {false, true}) {
    Model model;
    const BodyId body = test::add_rod(model, "body", {0, 0, 0}, {l, 0, 0}, m);
    const ConstraintId joint =
        slides ? model.add("joint", slider(model.join(body, world, Vec3::Zero(), -Vec3::UnitZ())))
               : model.add("joint", hinge(model.join(body, world, Vec3::Zero(), Vec3::UnitY())));
    model.add_armature(joint, J);
    const double exact =
        slides ? m * test::kGravity / (m + J) : 0.5 * m * test::kGravity * l / (m * l * l / 3.0 + J);
    for (const Formulation formulation : kAllFormulations) {
      Simulation sim(model, {.formulation = formulation, .integrator = Integrator::rk4});
      EXPECT_NEAR(accelerations_of(sim, {joint})[0], exact, 1e-11) << name(formulation);
      for (int k = 0; k < 50; ++k) ASSERT_TRUE(sim.step(1e-3).ok());
      EXPECT_LT(std::abs(sim.numerical_energy()), 1e-9)
          << name(formulation);  // the rotor's energy is counted
      const Vec3 axis = slides ? Vec3(0, 0, -1) : Vec3(0, 1, 0),
                 spin = sim.placement(*sim.model().find_body("joint.rotor")).angular_velocity;
      EXPECT_NEAR(sim.joint_state(joint).v[0], spin.dot(axis), 1e-11);
    }
  }
  Model model;
  const BodyId body = test::add_rod(model, "body", {0, 0, 0}, {l, 0, 0}, m);
  const ConstraintId joint = model.add("joint", ball(model.join(body, world, Vec3::Zero())));
  EXPECT_THROW(model.add_armature(joint, J), InvalidInput);
}

TEST(Armature, OfASceneIsThatOfTheModel) {
  const Scene scene = parse_scene(R"(
bodies:
  - {name: arm, kind: rigid, mass: 2, from: [0, 0, 0], to: [0.8, 0, 0], velocity: [0, 0, -0.4], angular_velocity: [0, 1, 0]}
joints:
  - {name: pivot, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, 1, 0], armature: 0.5}
)");
  EXPECT_EQ(scene.model.bodies().back().name, "pivot.rotor");
  const Simulation sim = make_simulation(scene);
  EXPECT_LT(sim.constraint_error(), 1e-12);
  // ½ (I + J) θ̇² at the start: the rotor turns with the joint
  EXPECT_NEAR(sim.energy().kinetic, 0.5 * (2.0 * 0.64 / 3.0 + 0.5), 1e-6);
}

}  // namespace
}  // namespace catena
