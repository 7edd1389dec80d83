// One model in body coordinates, in joint coordinates and by the middle way: one answer.
#include "sim/impl.h"
#include "support/allocation_counter.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace catena {
namespace {

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/examples"))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  // begins with its joints open, which joint coordinates cannot say
  std::erase(names, "assembly-fly-in");
  return names;
}

/// An example, with fewer parts where it has very many.
Scene small_scene(const std::string& name) {
  std::map<std::string, std::string> fewer;
  if (name == "rope-bridge") fewer["planks"] = "10";
  if (name == "net-32") fewer["n"] = "6";
  if (name == "chain-stiff") fewer["links"] = "60";
  if (name == "ladder") fewer["rungs"] = "12";
  Scene scene = load_scene(std::string(CATENA_SOURCE_DIR "/examples/") + name + ".yaml", fewer);
  scene.options.formulation = Formulation::maximal;
  if (!traits(scene.options.integrator).has_inertia) scene.options.integrator = Integrator::rk4;
  return scene;
}

/// One that steps in joint coordinates and takes what the scene has.
Integrator stepping_in_joints(const Scene& scene) {
  return scene.model.inequalities().empty() ? Integrator::rk4 : Integrator::moreau;
}

Simulation simulate(Scene scene, Formulation formulation, Integrator integrator) {
  scene.options.formulation = formulation;
  scene.options.integrator = integrator;
  return make_simulation(scene);
}

/// A tree with every kind of joint, sprung and dragged, that a loop closes; nothing is special about its position.
Model mixed_tree(bool with_loop) {
  Model model;
  BodyId previous = world;
  Vec3 end(0.1, -0.2, 0.3);
  std::vector<BodyId> links;
  const Vec3 steps[] = {{0.5, 0.1, -0.2}, {0.3, 0.4, 0.1},   {0.2, -0.3, -0.4},
                        {0.4, 0.1, 0.3},  {-0.1, 0.5, -0.2}, {0.3, 0.2, -0.3}};
  for (int k = 0; k < 6; ++k) {
    const BodyId link =
        test::add_rod(model, "link" + std::to_string(k), end, end + steps[k], 0.5 + 0.3 * double(k));
    const auto at = model.join(link, previous, end, Vec3(0.2, 1.0, 0.1 * double(k)).normalized());
    switch (k) {
      case 1:
        model.add("ball", ball(at));
        break;
      case 2:
        model.add("universal", universal(at));
        break;
      case 3:
        model.add("slider", slider(at));
        break;
      case 4:
        model.add("cylinder", cylindrical(at));
        break;
      default:
        model.add("hinge" + std::to_string(k), hinge(at));
    }
    links.push_back(link);
    previous = link;
    end += steps[k];
  }
  model.add("spring",
            spring_damper({Attachment{links[5]}, Attachment{world, {1.0, 1.0, 0.0}}}, 40.0, 0.5, 0.3));
  model.add("air", drag(Attachment{links[3]}, 0.2));
  if (with_loop) {
    const Vec3 anchor(2.5, 0.5, 0.0), centre = model.bodies()[4].q.head<3>();
    model.add("rod", distance({Attachment{links[4]}, Attachment{world, anchor}}, (anchor - centre).norm()));
  }
  return model;
}

double largest_apart(const Simulation& a, const Simulation& b) {
  double apart = 0.0;
  for (const BodyEntry& entry : a.model().bodies()) {
    const Placement p = a.placement(entry.id), r = b.placement(entry.id);
    apart = std::max({apart, (p.position - r.position).norm(),
                      (p.orientation.toRotationMatrix() - r.orientation.toRotationMatrix()).norm()});
  }
  return apart;
}

class InJoints : public ::testing::TestWithParam<std::string> {};

TEST_P(InJoints, AScenesAccelerationsEnergiesAndReactionsAreThoseInBodies) {
  const Scene scene = small_scene(GetParam());
  const Simulation bodies = simulate(scene, Formulation::maximal, stepping_in_joints(scene));
  const CheckReport report = check(bodies, 0);
  const bool is_unique = report.redundant_rows == 0;
  const VecX& expected = bodies.accelerations();
  VecX free = SimulationAccess::impl(bodies).evaluated_bodies().force();
  SimulationAccess::impl(bodies).evaluated_bodies().apply_inverse_mass(free);
  const double scale =
      std::max(expected.lpNorm<Eigen::Infinity>(), free.size() > 0 ? free.lpNorm<Eigen::Infinity>() : 0.0);
  // rounding of positions in the fastest spring
  const double rounding = 4e-15 * std::pow(report.fastest_frequency, 2) *
                          SimulationAccess::impl(bodies).equations->length_scale();
  for (const Formulation formulation : {Formulation::minimal, Formulation::middle}) {
    SCOPED_TRACE(name(formulation));
    const Simulation joints = simulate(scene, formulation, stepping_in_joints(scene));
    ASSERT_EQ(joints.choice().formulation, formulation);
    const Energy a = bodies.energy(), b = joints.energy();
    EXPECT_NEAR(a.kinetic, b.kinetic, 1e-10 * (1.0 + std::abs(a.kinetic)));
    EXPECT_NEAR(a.gravity, b.gravity, 1e-10 * (1.0 + std::abs(a.gravity)));
    EXPECT_NEAR(a.springs, b.springs, 1e-9 * (1.0 + std::abs(a.springs)));
    const VecX found = SimulationAccess::impl(joints).body_accelerations();
    EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), 1e-9 * scale + rounding);
    const VecX lambda = joints.multipliers();
    VecX resultant = VecX::Zero(expected.size()), wanted = resultant;
    SimulationAccess::impl(bodies).evaluated_bodies().add_row_forces(lambda, resultant);
    SimulationAccess::impl(bodies).evaluated_bodies().add_row_forces(bodies.multipliers(), wanted);
    const double force = wanted.size() > 0 ? wanted.lpNorm<Eigen::Infinity>() : 0.0;
    EXPECT_LT((resultant - wanted).lpNorm<Eigen::Infinity>(), 1e-8 * (1.0 + force));
    if (is_unique && lambda.size() > 0) {
      EXPECT_LT((lambda - bodies.multipliers()).lpNorm<Eigen::Infinity>(),
                1e-7 * (1.0 + bodies.multipliers().lpNorm<Eigen::Infinity>()));
    }
  }
}

TEST_P(InJoints, AScenesMotionIsThatInBodies) {
  const Scene scene = small_scene(GetParam());
  const double dt = std::min(scene.dt, 1e-3);
  const Integrator planned =
      check(simulate(scene, Formulation::maximal, Integrator::automatic), 0, dt).choice.integrator;
  std::vector<Integrator> integrators{stepping_in_joints(scene), planned};
  if (is_implicit(planned)) integrators = {planned};
  // at its start stops are just reached: rounding decides which of them act first
  // and a scheme of first order closes joints of bodies in another way than those that coordinates hold
  const bool is_rough = is_implicit(planned) || !scene.model.inequalities().empty();
  const double tolerance = GetParam() == "humanoid-pull" ? 1e-3 : is_rough ? 1e-6 : 1e-8;
  for (const Integrator integrator : integrators) {
    SCOPED_TRACE(name(integrator));
    Simulation bodies = simulate(scene, Formulation::maximal, integrator);
    Simulation joints = simulate(scene, Formulation::minimal, integrator);
    Simulation middle = simulate(scene, Formulation::middle, integrator);
    for (int k = 0; k < 8; ++k) {
      for (Simulation* sim : {&bodies, &joints, &middle}) {
        const StepReport report = sim->step(dt);
        ASSERT_TRUE(report.ok()) << name(sim->choice().formulation) << ": " << report.message;
      }
    }
    const double size = SimulationAccess::impl(bodies).equations->length_scale();
    EXPECT_LT(largest_apart(bodies, joints), tolerance * (1.0 + size));
    EXPECT_LT(largest_apart(bodies, middle), tolerance * (1.0 + size));
  }
}

INSTANTIATE_TEST_SUITE_P(All, InJoints, ::testing::ValuesIn(scene_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(JointCoordinates, HoldJointsOfTheTreeToRounding) {
  for (const Formulation formulation : {Formulation::minimal, Formulation::middle})
    for (const Integrator integrator : {Integrator::symplectic_euler, Integrator::rk4, Integrator::bdf2}) {
      Simulation sim(mixed_tree(false), {.formulation = formulation, .integrator = integrator});
      for (int k = 0; k < 200; ++k) ASSERT_TRUE(sim.step(5e-3).ok());
      // a simulation in bodies judges the places they have
      Simulation judge(mixed_tree(false), {.formulation = Formulation::maximal});
      judge.set_state(sim.state_in(Coordinates::bodies));
      EXPECT_LT(judge.constraint_error(), 1e-14 * 10.0) << name(formulation) << " " << name(integrator);
    }
}

TEST(JointCoordinates, ConvergeAtTheOrderOfTheIntegrator) {
  const auto end = [](Formulation formulation, Integrator integrator, int steps) {
    Simulation sim(mixed_tree(true),
                   {.formulation = formulation, .integrator = integrator, .tolerance = 1e-12});
    for (int k = 0; k < steps; ++k) {
      const StepReport report = sim.step(0.4 / steps);
      EXPECT_TRUE(report.ok()) << report.message;
    }
    return sim;
  };
  const Simulation exact = end(Formulation::maximal, Integrator::dormand_prince, 4);
  for (const auto& [integrator, order, steps] : {std::tuple{Integrator::symplectic_euler, 1, 800},
                                                 {Integrator::rk4, 4, 40},
                                                 {Integrator::rattle, 2, 200},
                                                 {Integrator::bdf2, 2, 400}}) {
    const double coarse = largest_apart(end(Formulation::minimal, integrator, steps), exact),
                 fine = largest_apart(end(Formulation::minimal, integrator, 2 * steps), exact);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << name(integrator) << ": " << coarse << ", " << fine;
  }
  EXPECT_LT(largest_apart(end(Formulation::minimal, Integrator::dormand_prince, 4), exact), 1e-9);
}

TEST(JointCoordinates, ConvertBothWaysAndPlaceTheBodiesOfAState) {
  Simulation joints(mixed_tree(true), {.formulation = Formulation::minimal, .integrator = Integrator::rk4});
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(joints.step(2e-3).ok());
  const State in_bodies = joints.state_in(Coordinates::bodies);
  EXPECT_EQ(in_bodies.coordinates, Coordinates::bodies);
  EXPECT_EQ(joints.state_in(Coordinates::joints).q, joints.state().q);
  const State back = in_joint_coordinates(joints.model(), in_bodies);
  EXPECT_LT((back.q - joints.state().q).lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_LT((back.v - joints.state().v).lpNorm<Eigen::Infinity>(), 1e-12);
  for (const BodyEntry& entry : joints.model().bodies()) {
    const Placement a = placement(joints.model(), joints.state(), entry.id), b = joints.placement(entry.id);
    EXPECT_LT((a.position - b.position).norm(), 1e-14);
    EXPECT_LT((a.velocity - b.velocity).norm(), 1e-13);
  }
  Simulation bodies(mixed_tree(true), {.formulation = Formulation::maximal, .integrator = Integrator::rk4});
  bodies.set_state(joints.state());  // joint coordinates are taken too
  EXPECT_LT(largest_apart(bodies, joints), 1e-13);
  EXPECT_NEAR(bodies.energy().total(), joints.energy().total(), 1e-11);
}

TEST(JointCoordinates, ContinueBitForBitFromClonesAndCheckpoints) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("catena-joints-" + std::to_string(::getpid()) + ".ck");
  for (const Formulation formulation : {Formulation::minimal, Formulation::middle})
    for (const Integrator integrator :
         {Integrator::symplectic_euler, Integrator::rk4, Integrator::dormand_prince, Integrator::rattle,
          Integrator::bdf2, Integrator::generalised_alpha}) {
      SCOPED_TRACE(std::string(name(formulation)) + " " + std::string(name(integrator)));
      const Options options{.formulation = formulation, .integrator = integrator, .tolerance = 1e-7};
      Simulation sim(mixed_tree(true), options);
      for (int k = 0; k < 8; ++k) ASSERT_TRUE(sim.step(2e-3).ok());
      sim.save(file);
      Simulation clone = sim.clone(), restored(mixed_tree(true), options);
      restored.load(file);
      for (int k = 0; k < 3; ++k)
        for (Simulation* one : {&sim, &clone, &restored}) ASSERT_TRUE(one->step(2e-3).ok());
      EXPECT_TRUE(identical(sim.state(), clone.state()));
      EXPECT_TRUE(identical(sim.state(), restored.state()));
      Simulation bodies(mixed_tree(true), {.formulation = Formulation::maximal, .integrator = integrator});
      bodies.load(file);  // what was saved in joints continues in bodies
      EXPECT_EQ(bodies.state().coordinates, Coordinates::bodies);
      for (int k = 0; k < 3; ++k) ASSERT_TRUE(bodies.step(2e-3).ok());
      // schemes of first order differ in other coordinates
      EXPECT_LT(largest_apart(bodies, sim), traits(integrator).order == 1 ? 1e-3 : 1e-6);
    }
  std::filesystem::remove(file);
}

TEST(JointCoordinates, TakeImpulsesEditsAndBreakingJointsAsBodiesDo) {
  Simulation bodies(mixed_tree(true), {.formulation = Formulation::maximal, .integrator = Integrator::rk4});
  Simulation joints(mixed_tree(true), {.formulation = Formulation::minimal, .integrator = Integrator::rk4});
  for (Simulation* sim : {&bodies, &joints}) {
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim->step(2e-3).ok());
    const BodyId struck = *sim->model().find_body("link3");
    ASSERT_TRUE(sim->apply_impulse(struck, sim->placement(struck).position, {0.3, -0.2, 0.5}).ok());
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim->step(2e-3).ok());
    sim->edit([](Model& model) { model.remove(*model.find_constraint("ball")); });  // the tree is another now
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim->step(2e-3).ok());
    sim->break_at(*sim->model().find_constraint("universal"), 1e-3);
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim->step(2e-3).ok());
    EXPECT_FALSE(sim->model().find_constraint("universal").has_value());
  }
  EXPECT_LT(largest_apart(bodies, joints), 1e-6);  // rk4 in other coordinates, at 2 ms
  EXPECT_NEAR(bodies.ledger()[Account::impulses], joints.ledger()[Account::impulses], 1e-8);
}

TEST(JointCoordinates, AreReadAndSetByJointInEveryFormulation) {
  for (const Formulation formulation : {Formulation::maximal, Formulation::minimal, Formulation::middle}) {
    SCOPED_TRACE(name(formulation));
    Simulation sim(mixed_tree(false), {.formulation = formulation, .integrator = Integrator::rk4});
    const ConstraintId elbow = *sim.model().find_constraint("hinge5"),
                       shoulder = *sim.model().find_constraint("ball");
    sim.set_joint_state(elbow, {VecX::Constant(1, 0.7), VecX::Constant(1, -2.0)});
    const Quat turned(Eigen::AngleAxisd(0.4, Vec3(1.0, 2.0, -0.5).normalized()));
    sim.set_joint_state(
        shoulder, {Eigen::Vector4d(turned.w(), turned.x(), turned.y(), turned.z()), Vec3(0.3, 0.1, -0.6)});
    EXPECT_NEAR(sim.joint_angle(elbow), 0.7, 1e-14);
    EXPECT_NEAR(sim.joint_rate(elbow).angular, -2.0, 1e-13);
    EXPECT_NEAR(sim.joint_state(elbow).q[0], 0.7, 1e-14);
    EXPECT_NEAR(sim.joint_state(elbow).v[0], -2.0, 1e-13);
    EXPECT_LT((sim.joint_state(shoulder).v - Vec3(0.3, 0.1, -0.6)).norm(), 1e-13);
    EXPECT_NEAR(std::abs(sim.joint_state(shoulder).q.dot(
                    Eigen::Vector4d(turned.w(), turned.x(), turned.y(), turned.z()))),
                1.0, 1e-14);
    EXPECT_LT(sim.constraint_error(), 1e-14);
    EXPECT_TRUE(sim.step(1e-3).ok());
    EXPECT_THROW((void)sim.set_joint_state(elbow, {VecX::Zero(2), VecX::Zero(1)}), InvalidInput);
  }
  Simulation loop(mixed_tree(true), {.formulation = Formulation::minimal});
  EXPECT_THROW((void)loop.joint_state(*loop.model().find_constraint("rod")), InvalidInput);
}

TEST(JointCoordinates, SayThatAJointIsOpenBeforeTheFirstStep) {
  Model model = test::make_chain({.links = 3, .hinges = true});
  const BodyEntry& last = model.bodies()[2];
  VecX q = last.q;
  q[2] += 0.05;
  model.set_start(2, q, last.v);
  Simulation sim(std::move(model), {.formulation = Formulation::minimal, .integrator = Integrator::rk4});
  const StepReport refused = sim.step(1e-3);
  EXPECT_FALSE(refused.ok());
  EXPECT_NE(refused.message.find("joint2"), std::string::npos) << refused.message;
  ASSERT_TRUE(sim.project().ok());
  EXPECT_TRUE(sim.step(1e-3).ok());
}

TEST(JointCoordinates, DoNotAllocateInAStep) {
  for (const bool has_loop : {false, true})
    for (const Integrator integrator :
         {Integrator::symplectic_euler, Integrator::rk4, Integrator::rattle, Integrator::bdf2}) {
      Simulation sim(mixed_tree(has_loop), {.formulation = Formulation::minimal, .integrator = integrator});
      for (int k = 0; k < 130; ++k) ASSERT_TRUE(sim.step(1e-3).ok());
      const testing::AllocationCounter counter;
      for (int k = 0; k < 100; ++k) ASSERT_TRUE(sim.step(1e-3).ok());
      EXPECT_EQ(counter.count(), 0) << name(integrator) << (has_loop ? ", loop" : "");
    }
}

TEST(JointCoordinates, AreRefusedWhereTheyGainNothing) {
  const Scene scene = load_scene(CATENA_SOURCE_DIR "/examples/rope-bridge.yaml");
  try {
    (void)simulate(scene, Formulation::minimal, Integrator::rk4);
    FAIL() << "3,006 rows in a dense matrix";
  } catch (const InvalidInput& problem) {
    EXPECT_NE(std::string(problem.what()).find("maximal"), std::string::npos) << problem.what();
  }
}

}  // namespace
}  // namespace catena
