#include <catena/catena.h>

#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  const BodyId arm = model.add("arm", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  model.add("pivot", hinge(model.join(arm, world, {0, 0, 0}, Vec3::UnitY())));
  Simulation sim(model);
  while (sim.time() < 10.0 && sim.step(1e-3).ok()) {
  }
  std::printf("t = %.3f s, energy drift %.1e J\n", sim.time(), sim.numerical_energy());
}
