#include <catena/catena.h>

#include <cstdio>

// A ball is thrown along a floor: it slides, rolls, and hits a stop.
int main() {
  using namespace catena;
  Model model;
  const BodyId ball = model.add("ball", sphere(1.0, 0.1), {.position = {0, 0, 0.1}, .velocity = {2, 0, 0}});
  const Attachment centre = model.mark(ball, {0, 0, 0.1}), floor{};
  model.add("floor", contact(centre, sphere_shape(0.1), floor, nullptr, {.friction = 0.3}));
  model.add("wall", contact_on_surface(centre, sphere_shape(0.1), floor, plane_surface({1, 0, 0}, {-1, 0, 0}),
                                       {.restitution = 0.5}));
  Simulation sim(model);  // takes the integrator that knows inequalities
  while (sim.time() < 1.0)
    if (const StepReport report = sim.step(1e-3); !report.ok()) return std::puts(report.message.c_str()), 1;
  std::printf("x = %.6f m, v = %.6f m/s\n", sim.placement(ball).position.x(),
              sim.placement(ball).velocity.x());
}
