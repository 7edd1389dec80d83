// A program that uses an installed Catena: a pendulum through the public headers only, with the energy checked.
//
// It also catches an exception and casts a pointer of the library: what goes wrong with a shared library of hidden
// symbols when a type is not visible on both sides.
#include <catena/catena.h>
#include <catena/version.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace {

bool exception_arrives() {
  try {
    catena::Model model;
    model.add("nothing", catena::rod(-1.0, 1.0));
    catena::Simulation sim(model);
  } catch (const catena::InvalidInput& problem) {
    return !problem.issues().empty();
  }
  return false;
}

}  // namespace

int main() {
  using namespace catena;
  Model model;
  const BodyId arm = model.add("arm", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  model.add("pivot", hinge(model.join(arm, world, {0, 0, 0}, Vec3::UnitY())));
  Simulation sim(model);
  const double start = sim.energy().total();
  int steps = 0;
  while (sim.time() < 2.0 && sim.step(1e-3).ok()) ++steps;

  // half the length falls by up to g/2: about 5 J are exchanged
  const double drift = std::abs(sim.energy().total() - start);
  const bool is_rigid = dynamic_cast<const Rigid*>(sim.model().bodies()[0].body.get()) != nullptr;
  const bool caught = exception_arrives();
  std::printf("catena %s: %d steps, t = %.3f s, energy drift %.1e J, constraint error %.1e m\n", kVersion,
              steps, sim.time(), drift, sim.constraint_error());
  if (steps < 2000 || !(drift < 1e-4) || !(sim.constraint_error() < 1e-9)) {
    std::fputs("error: the pendulum did not swing as it must\n", stderr);
    return 1;
  }
  if (!is_rigid || !caught) {
    std::fputs("error: types of the library are not known here: is its namespace marked CATENA_API?\n",
               stderr);
    return 1;
  }
  return 0;
}
