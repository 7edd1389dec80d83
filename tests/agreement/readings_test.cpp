// What is found at a state when it is read: one answer, whoever asks, and no bit of the motion depends on it.
#include "support/allocation_counter.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace catena {
namespace {

/// A chain with stiff springs, dampers and drag..
Model sprung_chain() {
  Model model = test::make_chain({.links = 5, .length = 0.3, .hinges = true, .bend = 0.3});
  const BodyId last = *model.find_body("link4");
  model.add("spring", spring_damper({Attachment{last}, Attachment{}}, 2000.0, 2.0, 1.0));
  const auto at = model.join(*model.find_body("link1"), *model.find_body("link0"), {0, 0, 0}, Vec3::UnitY());
  model.add("torsion", torsion_spring(at, 50.0, 0.5, 0.0));
  model.add("air", drag(Attachment{last}, 0.1));
  return model;
}

Options with(Integrator integrator) {
  return {.integrator = integrator, .tolerance = 1e-6};
}

std::vector<Integrator> all_integrators() {
  std::vector<Integrator> all;
  for (const IntegratorTraits& traits : kIntegrators) all.push_back(traits.integrator);
  return all;
}

/// Reads everything that is found at a state.
double read_all(const Simulation& sim) {
  double sum = sim.energy().total() + sim.numerical_energy() + sim.constraint_error() +
               sim.constraint_power() + sim.accelerations().sum() + sim.multipliers().sum() +
               sim.constraint_generalised_force().sum();
  for (const ConstraintEntry& entry : sim.model().constraints())
    sum += sim.constraint_force(entry.id).force.norm();
  for (const BodyEntry& entry : sim.model().bodies())
    sum += sim.imu(Attachment{entry.id}).specific_force.norm();
  return sum;
}

class EveryIntegrator : public ::testing::TestWithParam<Integrator> {};

TEST_P(EveryIntegrator, MovesTheSameWhetherSomebodyReadsOrNot) {
  Simulation silent(sprung_chain(), with(GetParam())), read(sprung_chain(), with(GetParam()));
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(std::isfinite(read_all(read)));
    const StepReport a = silent.step(2e-3), b = read.step(2e-3);
    ASSERT_TRUE(a.ok()) << a.message;
    ASSERT_TRUE(b.ok()) << b.message;
    ASSERT_TRUE(identical(silent.state(), read.state())) << "step " << k;
    EXPECT_EQ(a.residual, b.residual);
    EXPECT_EQ(a.omega_dt, b.omega_dt);
    EXPECT_LT(a.residual, 1e-9);
  }
}

TEST_P(EveryIntegrator, HasOneAnswerForTheForcesOfConstraints) {
  Options options = with(GetParam());
  options.formulation = Formulation::maximal;  // generalised forces are read per body
  Simulation sim(sprung_chain(), options);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(sim.step(5e-3).ok());
    const VecX all = sim.multipliers();
    Eigen::Index row = 0;
    VecX force = VecX::Zero(sim.state().v.size());
    for (const ConstraintEntry& entry : sim.model().constraints()) {
      const std::span<const double> own = sim.multipliers(entry.id);
      for (const double lambda : own) EXPECT_EQ(lambda, all[row++]);
      // a hinge holds its first body by three forces in world axes: what it reports in the axes of its last marker
      const ConstraintForce reported = sim.constraint_force(entry.id);
      EXPECT_NEAR(Vec3(own[0], own[1], own[2]).norm(), reported.force.norm(),
                  1e-9 * (1.0 + reported.force.norm()));
      const auto attachments = entry.constraint->attachments();
      const Vec3 world_force = sim.marker(attachments.back()).R * reported.force;
      for (std::size_t m = 0; m < attachments.size(); ++m) {
        const int body = sim.model().index_of(attachments[m].body);
        if (body >= 0) force.segment<3>(6 * body) += (m == 0 ? 1.0 : -1.0) * world_force;
      }
    }
    EXPECT_EQ(row, all.size());
    const VecX generalised = sim.constraint_generalised_force();
    const double size = 1.0 + generalised.lpNorm<Eigen::Infinity>();
    for (Eigen::Index b = 0; b < force.size() / 6; ++b)
      EXPECT_LT((force.segment<3>(6 * b) - generalised.segment<3>(6 * b)).norm(), 1e-9 * size)
          << "body " << b;
  }
}

TEST_P(EveryIntegrator, ContinuesIdenticallyFromACheckpoint) {
  const auto file = std::filesystem::temp_directory_path() / ("catena-known-" + std::to_string(::getpid()));
  Simulation one(sprung_chain(), with(GetParam()));
  test::run(one, 0.05, 5e-3);
  State state = one.state();
  state.features.put(42, 3)[1] = 0.1;
  (void)state.features.put(7, 0);
  one.set_state(state);
  one.save(file);
  Simulation two(sprung_chain(), with(GetParam()));
  two.load(file);
  std::filesystem::remove(file);
  EXPECT_TRUE(identical(one.state(), two.state()));
  if (GetParam() == Integrator::automatic) return;  // which chooses by the state it finds at its first step
  test::run(one, 0.1, 5e-3);
  test::run(two, 0.1, 5e-3);
  EXPECT_TRUE(identical(one.state(), two.state()));
  EXPECT_EQ(two.state().features.find(42)[1], 0.1);
}

TEST_P(EveryIntegrator, HasClonesThatContinueIdentically) {
  Simulation one(sprung_chain(), with(GetParam()));
  test::run(one, 0.05, 5e-3);
  Simulation two = one.clone();
  EXPECT_EQ(&one.model(), &two.model());
  EXPECT_TRUE(identical(one.state(), two.state()));
  EXPECT_EQ(one.multipliers(), two.multipliers());
  EXPECT_EQ(one.numerical_energy(), two.numerical_energy());
  EXPECT_EQ(one.choice().integrator, two.choice().integrator);
  const State before = one.state();
  test::run(two, 0.1, 5e-3);
  EXPECT_TRUE(identical(before, one.state()));
  test::run(one, 0.1, 5e-3);
  EXPECT_TRUE(identical(one.state(), two.state()));
}

// What belongs to the structure is shared, what is numbers is copied whole: nothing is made anew body by body, nothing analysed.
TEST(Clones, TakeAsFewAllocationsForLongChainsAsForShortOnes) {
  for (const Integrator integrator : {Integrator::rattle, Integrator::bdf2})
    for (const bool is_closed : {false, true}) {
      const auto allocations = [&](int links) {
        Model model = test::make_chain({.links = links, .bend = 0.3});
        const BodyId last = *model.find_body("link" + std::to_string(links - 1));
        if (is_closed) model.add("loop", ball(model.join(last, world, Vec3(1.0, 0.2, 0.0))));
        Simulation sim(model, with(integrator));
        test::run(sim, 4e-6, 1e-6);
        const testing::AllocationCounter counter;
        const Simulation clone = sim.clone();
        return counter.count();
      };
      // but for lists that happen to be empty in one of them
      EXPECT_LE(allocations(160), allocations(20) + 5) << name(integrator) << (is_closed ? ", closed" : "");
    }
}

INSTANTIATE_TEST_SUITE_P(Known, EveryIntegrator, ::testing::ValuesIn(all_integrators()),
                         [](const auto& parameter) {
                           std::string text(name(parameter.param));
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(Integrators, HaveNamesThatLeadBack) {
  for (const IntegratorTraits& traits : kIntegrators) {
    EXPECT_EQ(name(traits.integrator), traits.name);
    EXPECT_EQ(integrator_from(traits.name), traits.integrator);
  }
  EXPECT_FALSE(integrator_from("none").has_value());
}

}  // namespace
}  // namespace catena
