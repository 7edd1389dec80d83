// Interruption: a step that would take too long is stopped from outside, and the simulation is where it was.
#include <catena/interrupt.h>
#include <catena/joints.h>
#include <catena/simulation.h>

#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  const BodyId bob = model.add("bob", std::make_shared<Particle3>(1.0), {.position = {1, 0, 0}});
  model.add("cord", distance(model.join(bob, world, {1, 0, 0}, Vec3::UnitZ(), {0, 0, 0}), 1.0));
  Simulation sim(model, {.integrator = Integrator::dormand_prince, .tolerance = 1e-12});
  const auto before = sim.hash();

  int asked = 0;
  try {
    const InterruptScope scope(
        [&asked] { return ++asked > 1000; });  // here: a budget; elsewhere a flag that a signal sets
    (void)sim.step(1e3);
    return 1;  // a thousand seconds take longer
  } catch (const Interrupted&) {
    std::printf("interrupted; the state is %s\n", sim.hash() == before ? "what it was" : "another");
  }
  const bool goes_on = sim.step(1e-3).ok();
  return sim.time() == 1e-3 && goes_on ? 0 : 1;
}
