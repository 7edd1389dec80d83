// What `automatic` takes, on scenes whose right answer is known, and that `check` and `run` take the same.
//
// The costs behind the answers are measured by tools/measure_formulations.py.
#include "catena/catena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace catena {
namespace {

struct KnownChoice {
  const char* scene;
  Integrator asked;
  Formulation formulation;
  Solver solver;
  Integrator integrator;
  const char* why;  // a word of the reason for the formulation
};

constexpr Integrator kAny = Integrator::automatic, kRk4 = Integrator::rk4, kRattle = Integrator::rattle,
                     kBdf2 = Integrator::bdf2, kEuler = Integrator::symplectic_euler,
                     kPrince = Integrator::dormand_prince;
constexpr Formulation kBodies = Formulation::maximal, kJoints = Formulation::minimal;

const KnownChoice kKnownChoices[] = {
    // smooth: second order and bounded energy, on bodies
    {"chain", kAny, kBodies, Solver::tree, kRattle, "work on bodies"},
    {"humanoid-36", kAny, kBodies, Solver::tree, kRattle, "work on bodies"},
    {"four-bar", kAny, kBodies, Solver::sparse, kRattle, "work on bodies"},
    {"net-32", kAny, kBodies, Solver::sparse, kRattle, "work on bodies"},
    {"stewart-platform", kAny, kBodies, Solver::sparse, kRattle, "work on bodies"},
    // stiff: damped
    {"crane", kAny, kBodies, Solver::tree, kBdf2, "work on bodies"},
    {"hair", kAny, kBodies, Solver::tree, kBdf2, "work on bodies"},
    {"delta-robot", kAny, kBodies, Solver::sparse, kBdf2, "work on bodies"},
    // bodies that rattle does not take
    {"bead-lagrangian", kAny, kBodies, Solver::tree, kPrince, "work on bodies"},
    // trees that stand on the world: articulated bodies in linear time
    {"n-pendulum", kRk4, kJoints, Solver::tree, kRk4, "a tree"},
    {"chain", kRk4, kJoints, Solver::tree, kRk4, "a tree"},
    {"chain", kEuler, kJoints, Solver::tree, kEuler, "a tree"},
    {"tree-127", kEuler, kJoints, Solver::tree, kEuler, "a tree"},
    {"star-100", kRk4, kJoints, Solver::tree, kRk4, "a tree"},
    {"spinning-top", kRk4, kJoints, Solver::tree, kRk4, "a tree"},
    {"n-pendulum", kPrince, kJoints, Solver::tree, kPrince, "a tree"},
    {"arm-7", kRk4, kJoints, Solver::tree, kRk4, "a tree"},
    // loops and gears: few rows beside many that joints hold
    {"four-bar", kRk4, kJoints, Solver::sparse, kRk4, "joints hold 15 of 20 rows"},
    {"gear-train", kRk4, kJoints, Solver::tree, kRk4, "joints hold"},
    {"geared-arm", kRk4, kJoints, Solver::sparse, kRk4, "joints hold"},
    {"bricard", kRk4, kJoints, Solver::sparse, kRk4, "joints hold"},
    // or too many of them
    {"delta-robot", kRk4, kBodies, Solver::sparse, kRk4, "dense factor"},
    {"stewart-platform", kRk4, kBodies, Solver::sparse, kRk4, "dense factor"},
    {"truss-bridge", kRk4, kBodies, Solver::sparse, kRk4, "no joint carries"},
    {"net-32", kRk4, kBodies, Solver::sparse, kRk4, ""},
    {"rolling-disc", kPrince, kBodies, Solver::tree, kPrince, "no joint carries"},
    {"atwood", kRk4, kBodies, Solver::tree, kRk4, "dense factor"},
    {"double-pendulum", kRk4, kBodies, Solver::tree, kRk4, "no joint carries"},  // of particles
    // momentum of what floats is exact in body coordinates only
    {"humanoid-36", kRk4, kBodies, Solver::tree, kRk4, "momentum"},
    {"quadruped-float", kEuler, kBodies, Solver::tree, kEuler, "momentum"},
};

Scene known_scene(const std::string& name) {
  return load_scene(std::string(CATENA_SOURCE_DIR "/examples/") + name + ".yaml");
}

TEST(AutomaticChoice, IsTheKnownRightOne) {
  for (const KnownChoice& known : kKnownChoices) {
    Scene scene = known_scene(known.scene);
    scene.options.formulation = Formulation::automatic;
    scene.options.solver = Solver::automatic;
    scene.options.integrator = known.asked;
    Simulation sim = make_simulation(scene);
    ASSERT_TRUE(sim.step(scene.dt).ok()) << known.scene;
    const Choice& choice = sim.choice();
    EXPECT_EQ(name(choice.formulation), name(known.formulation))
        << known.scene << ", " << name(known.asked) << ": " << choice.formulation_reason;
    EXPECT_EQ(name(choice.solver), name(known.solver)) << known.scene << ": " << choice.solver_reason;
    EXPECT_EQ(name(choice.integrator), name(known.integrator))
        << known.scene << ": " << choice.integrator_reason;
    EXPECT_NE(choice.formulation_reason.find(known.why), std::string::npos)
        << known.scene << ", " << name(known.asked) << ": " << choice.formulation_reason;
    EXPECT_EQ(choice.formulation_reason.find('\n'), std::string::npos);
  }
}

TEST(AutomaticChoice, IsTheSameForCheckAndForRun) {
  for (const auto& file : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".yaml") continue;
    std::map<std::string, std::string> fewer;
    if (file.path().stem() == "rope-bridge") fewer["planks"] = "10";
    if (file.path().stem() == "net-32") fewer["n"] = "6";
    Scene scene = load_scene(file.path(), fewer);
    for (const Integrator integrator : {scene.options.integrator, kRk4, kEuler}) {
      if (!scene.model.inequalities().empty() && integrator != scene.options.integrator) continue;
      scene.options.integrator = integrator;
      Simulation sim = make_simulation(scene);
      const Choice checked = check(sim, 0, scene.dt).choice;
      if (!sim.step(scene.dt).ok()) continue;  // what is refused takes nothing
      const Choice taken = sim.choice();
      EXPECT_EQ(checked.formulation, taken.formulation) << file.path().stem();
      EXPECT_EQ(checked.solver, taken.solver) << file.path().stem();
      EXPECT_EQ(checked.integrator, taken.integrator) << file.path().stem();
      EXPECT_EQ(checked.formulation_reason, taken.formulation_reason) << file.path().stem();
      EXPECT_EQ(checked.integrator_reason, taken.integrator_reason) << file.path().stem();
    }
  }
}

// What was asked for is taken: a solver and a drift control are those of body coordinates.
TEST(AutomaticChoice, LeavesWhatWasAskedFor) {
  const Scene scene = known_scene("n-pendulum");
  const auto formulation_with = [&](Options options) {
    return Simulation(scene.model, options).choice().formulation;
  };
  EXPECT_EQ(formulation_with({.integrator = kRk4}), kJoints);
  EXPECT_EQ(formulation_with({.solver = Solver::dense, .integrator = kRk4}), kBodies);
  EXPECT_EQ(formulation_with({.integrator = kRk4, .drift = Drift::none}), kBodies);
  EXPECT_EQ(formulation_with({.formulation = kBodies, .integrator = kRk4}), kBodies);
  EXPECT_EQ(formulation_with({.integrator = Integrator::tr_bdf2}), kBodies);
}

// Where joint coordinates are taken little is lost and often something gained: errors of fourth order, of steps that differ by less than a
// factor of 2. (Which of the two is better depends on the motion.)
TEST(AutomaticChoice, OfJointCoordinatesIsAboutAsAccurate) {
  for (const char* name : {"n-pendulum", "spinning-top", "four-bar", "gear-train", "bricard"}) {
    const Scene scene = known_scene(name);
    const auto energy_error = [&](Formulation formulation) {
      Scene run = scene;
      run.options.formulation = formulation;
      run.options.integrator = kRk4;
      Simulation sim = make_simulation(run);
      double worst = 0.0;
      for (int k = 0; k < 100; ++k) {
        EXPECT_TRUE(sim.step(5e-3).ok()) << name;
        worst = std::max(worst, std::abs(sim.numerical_energy()));
      }
      return worst / sim.energy_scale();
    };
    EXPECT_LT(energy_error(kJoints), 16.0 * energy_error(kBodies) + 1e-12) << name;
  }
}

}  // namespace
}  // namespace catena
