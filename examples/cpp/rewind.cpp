// States: a moment is kept, the motion goes on, is set back to it, and goes on again: to the same last bit.
#include <catena/joints.h>
#include <catena/simulation.h>
#include <catena/state.h>

#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  const BodyId upper = model.add("upper", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  const BodyId lower = model.add("lower", rod(1.0, 1.0), {.position = {1.5, 0, 0}});
  model.add("shoulder", ball(model.join(upper, world, {0, 0, 0})));
  model.add("elbow", ball(model.join(lower, upper, {1, 0, 0})));
  Simulation sim(model);

  const auto advance = [&] {
    for (int k = 0; k < 500; ++k)
      if (!sim.step(1e-3).ok()) return false;
    return true;
  };
  if (!advance()) return 1;
  const State kept = sim.state();  // everything that is needed to continue, and nothing else
  if (!advance()) return 1;
  const auto first = sim.hash();
  sim.set_state(kept);
  if (!advance()) return 1;
  std::printf("t = %.1f s, energy %.12f J, the same again: %s\n", sim.time(), sim.energy().total(),
              sim.hash() == first ? "yes" : "no");
  return sim.hash() == first ? 0 : 1;
}
