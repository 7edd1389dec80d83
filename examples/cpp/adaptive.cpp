// Adaptive steps, output between them, and events: a pendulum that tells when it is halfway down, and whose cord breaks.
#include <catena/catena.h>

#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  const BodyId bob = model.add("bob", std::make_shared<Particle3>(1.0), {.position = {1, 0, 0}});
  const ConstraintId cord =
      model.add("cord", distance(model.join(bob, world, {1, 0, 0}, Vec3::UnitZ(), {0, 0, 0}), 1.0));

  // [snippet:adaptive]
  Simulation sim(model, {.integrator = Integrator::dormand_prince, .tolerance = 1e-10});
  const StepReport first = sim.step(0.2);
  std::printf("%d internal steps, %d tried again\n", first.internal_steps, first.rejected_steps);
  const State between = sim.interpolated(sim.time() - 1e-3);  // a time in the last internal step
  // [snippet:end]

  // [snippet:event]
  sim.add_event({.name = "halfway down",
                 .value = [=](const Simulation& s) { return s.placement(bob).position.z() + 0.5; },
                 .crossing = Event::Crossing::falling,
                 .action = {}});
  sim.break_at(cord, 25.0);  // N
  while (sim.time() < 1.0) {
    const StepReport report = sim.step(0.05);  // ends earlier, at the event: see report.advanced
    if (!report.ok()) return std::puts(report.message.c_str()), 1;
    if (!report.event.empty()) std::printf("%s at t = %.9f s\n", report.event.c_str(), sim.time());
  }
  // [snippet:end]
  return first.ok() && between.time < sim.time() && sim.model().constraints().empty() ? 0 : 1;
}
