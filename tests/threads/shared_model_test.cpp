// Simulations on several threads: they share one model, and readers share one simulation. Meant for the thread sanitizer (preset tsan).
#include "catena/catena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace catena {
namespace {

/// Springs, a damper, a limit, motors, functions of time and a curve: whatever could keep something between two calls.
constexpr const char* kScene = R"yaml(
bodies:
  - {name: upper, kind: rigid, mass: 2, from: [0, 0, 0], to: [1, 0, 0]}
  - {name: lower, kind: rigid, mass: 1, from: [1, 0, 0], to: [2, 0, 0]}
  - {name: cart, kind: rigid, mass: 3, shape: {kind: box, size: [1, 1, 1]}, position: [0, 5, 0]}
joints:
  - {name: shoulder, kind: hinge, a: upper, point: [0, 0, 0], axis: [0, -1, 0]}
  - {name: elbow, kind: ball, a: lower, b: upper, point: [1, 0, 0]}
  - {name: rail, kind: slider, a: cart, axis: [1, 0, 0], travel: "0.1*(1 - cos(2*t))"}
forces:
  - {name: servo, kind: pd-motor, a: upper, point: [0, 0, 0], axis: [0, -1, 0], target: "0.3*sin(5*t)", stiffness: 20, damping: 2}
  - {name: push, kind: load, a: lower, force: ["cos(3*t)", 0, "t"]}
  - {name: spring, kind: spring, a: lower, b: cart, stiffness: 300, damping: 1, rest_length: 5}
)yaml";

std::shared_ptr<const Model> shared_model() {
  return std::make_shared<const Model>(parse_scene(kScene, "threads.yaml").model);
}

/// A short run; the state at its end.
State state_after(const std::shared_ptr<const Model>& model, Integrator integrator) {
  Simulation sim(model, {.integrator = integrator, .tolerance = 1e-6});
  for (int k = 0; k < 20; ++k)
    if (const StepReport report = sim.step(2e-3); !report.ok()) throw std::runtime_error(report.message);
  return sim.state();
}

/// The same in two threads at once.
std::pair<State, State> states_after(const std::shared_ptr<const Model>& model, Integrator integrator) {
  std::pair<State, State> out;
  std::thread first([&] { out.first = state_after(model, integrator); });
  std::thread second([&] { out.second = state_after(model, integrator); });
  first.join();
  second.join();
  return out;
}

TEST(Threads, TwoSimulationsShareAModelWithEveryIntegrator) {
  const std::shared_ptr<const Model> model = shared_model();
  for (const IntegratorTraits& traits : kIntegrators) {
    SCOPED_TRACE(traits.name);
    const State alone = state_after(model, traits.integrator);
    const auto [first, second] = states_after(model, traits.integrator);
    EXPECT_TRUE(identical(alone, first));
    EXPECT_TRUE(identical(alone, second));
  }
}

TEST(Threads, DifferentIntegratorsShareAModel) {
  const std::shared_ptr<const Model> model = shared_model();
  std::vector<std::thread> threads;
  std::vector<State> states(kIntegrators.size());
  for (std::size_t i = 0; i < kIntegrators.size(); ++i)
    threads.emplace_back([&, i] { states[i] = state_after(model, kIntegrators[i].integrator); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < kIntegrators.size(); ++i)
    EXPECT_TRUE(identical(states[i], state_after(model, kIntegrators[i].integrator))) << kIntegrators[i].name;
}

/// Everything that can be read off a simulation, as one number.
double read_everything(const Simulation& sim) {
  double sum = sim.energy().total() + sim.numerical_energy() + sim.constraint_error() +
               sim.constraint_power() + sim.accelerations().sum() + sim.multipliers().sum() +
               sim.constraint_generalised_force().sum() + sim.linear_momentum().sum() +
               sim.angular_momentum().sum() + double(sim.hash() % 1000);
  for (const ConstraintEntry& entry : sim.model().constraints()) {
    const ConstraintForce force = sim.constraint_force(entry.id);
    sum += force.force.sum() + force.torque.sum() + sim.joint_rate(entry.id).angular;
  }
  for (const BodyEntry& entry : sim.model().bodies()) {
    const Attachment at{entry.id};
    sum += sim.imu(at).specific_force.sum() + sim.placement(entry.id).position.sum() +
           sim.compliance(std::span(&at, 1)).sum();
  }
  return sum;
}

TEST(Threads, ManyReadersShareASimulation) {
  Simulation sim(shared_model());
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(sim.step(2e-3).ok());
    double read[3] = {};
    std::vector<std::thread> threads;
    for (double& number : read) threads.emplace_back([&] { number = read_everything(sim); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(read[0], read[1]);
    EXPECT_EQ(read[0], read[2]);
  }
}

TEST(Threads, ClonesAreTakenWhileOthersReadAndGoOnByThemselves) {
  for (const Integrator integrator : {Integrator::rattle, Integrator::bdf2}) {
    const auto take_steps = [](Simulation& sim) {
      bool ok = true;
      for (int k = 0; k < 5; ++k) ok = sim.step(2e-3).ok() && ok;
      return ok;
    };
    Simulation sim(shared_model(), {.integrator = integrator});
    ASSERT_TRUE(take_steps(sim));
    State ends[2];
    double read = 0.0;
    std::vector<std::thread> threads;
    for (State& end : ends)
      threads.emplace_back([&] {
        Simulation clone = sim.clone();
        if (take_steps(clone)) end = clone.state();
      });
    threads.emplace_back([&] { read = read_everything(sim); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(read, read_everything(sim));
    ASSERT_TRUE(take_steps(sim));
    for (const State& end : ends) EXPECT_TRUE(identical(end, sim.state()));
  }
}

}  // namespace
}  // namespace catena
