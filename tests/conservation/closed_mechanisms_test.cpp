// Closed mechanisms over many periods: joints stay closed, energy stays where it is.
#include "catena/catena.h"
#include "catena/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

class ClosedMechanism : public ::testing::TestWithParam<const char*> {};

TEST_P(ClosedMechanism, KeepsItsJointsAndItsEnergy) {
  const Scene scene = load_scene(std::string(CATENA_SOURCE_DIR) + "/examples/" + GetParam() + ".yaml", {});
  Simulation sim = make_simulation(scene);
  ASSERT_EQ(sim.choice().integrator, Integrator::rattle);
  ASSERT_EQ(sim.choice().solver, Solver::sparse);
  const double potential = sim.energy().gravity + sim.energy().springs;
  double error = 0.0, drift = 0.0, scale = 0.0;
  constexpr double kTime = 10.0;
  const int steps = int(std::lround(std::min(kTime, 20000 * scene.dt) / scene.dt));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.step(scene.dt);
    ASSERT_TRUE(report.ok()) << report.message;
    const Energy energy = sim.energy();
    error = std::max(error, sim.constraint_error());
    drift = std::max(drift, std::abs(sim.numerical_energy()));
    scale = std::max({scale, energy.kinetic, std::abs(energy.gravity + energy.springs - potential)});
  }
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(drift, 1e-4 * scale);
}

INSTANTIATE_TEST_SUITE_P(Examples, ClosedMechanism,
                         ::testing::Values("four-bar", "slider-crank", "slider-crank-3d", "n-four-bar",
                                           "andrews", "bricard", "stewart-platform", "jansen",
                                           "door-three-hinges", "straight-chain-both-ends", "track-60"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace catena
