// A body of one's own by a rule x(p, u): a ladder between wall and floor, one coordinate and no constraint inside it.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  // [snippet:rule]
  // u: angle against the floor (x axis); p_x: place on the ladder, from its middle towards the floor. The wall is the z axis.
  constexpr double half = 2.0;  // half the length, m
  const auto ladder_rule = [](const double* u, const double* u_dot, const Vec3& p, PointMap& out) {
    const double c = std::cos(u[0]), s = std::sin(u[0]);
    out.x = Vec3((half + p.x()) * c, 0, (half - p.x()) * s);
    out.J.col(0) = Vec3(-(half + p.x()) * s, 0, (half - p.x()) * c);  // ∂x/∂u
    out.bias = -u_dot[0] * u_dot[0] * out.x;                          // (d/dt ∂x/∂u)·u̇
  };
  // a uniform bar has the moments of two masses at ±half/√3
  const double place = half / std::sqrt(3.0);
  const std::vector<MassPoint> masses{{Vec3(-place, 0, 0), 5.0}, {Vec3(place, 0, 0), 5.0}};
  const BodyId ladder =
      model.add_at("ladder", lagrangian(1, ladder_rule, masses), coordinates({1.2}), coordinates({0.0}));

  // it takes constraints and forces like any other body: a bucket hangs half a metre below its middle
  const Vec3 hook((half + 0.5) * std::cos(1.2), 0, (half - 0.5) * std::sin(1.2));
  const BodyId bucket =
      model.add("bucket", std::make_shared<Particle3>(2.0), {.position = hook - Vec3(0, 0, 1)});
  model.add("cord", distance({Attachment{bucket}, Attachment{ladder, {0.5, 0, 0}}}, 1.0));
  // [snippet:end]

  Simulation sim(model);
  std::printf("integrator: %s\n", sim.choice().integrator_reason.c_str());
  while (sim.time() < 1.0)
    if (const StepReport report = sim.step(0.01); !report.ok()) return std::puts(report.message.c_str()), 1;
  std::printf("after 1 s: angle %.6f rad, energy drift %.1e J\n", sim.state().q[0], sim.numerical_energy());
  return std::abs(sim.numerical_energy()) < 1e-3 ? 0 : 1;
}
