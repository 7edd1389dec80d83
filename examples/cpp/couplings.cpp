// Every coupling and every contact with a surface once, as docs/constraints quotes them; each model moves for a moment.
#include <catena/catena.h>

#include <cstdio>
#include <string>

namespace {

using namespace catena;

bool moves(const char* what, const Model& model) {
  Simulation sim(model);
  StepReport report = sim.project();
  for (int step = 0; step < 100 && report.ok(); ++step) report = sim.step(1e-3);
  std::printf("%-20s |C| = %.1e %s\n", what, sim.constraint_error(), report.message.c_str());
  return report.ok() && sim.constraint_error() < 1e-9;
}

bool show_gear() {
  Model model;
  // [snippet:gear]
  const BodyId pinion =
      model.add("pinion", std::make_shared<PlanarRigid>(1.0, 0.005), {.angular_velocity = {0, 0, 20}});
  const BodyId wheel =
      model.add("wheel", std::make_shared<PlanarRigid>(4.0, 0.08), {.position = {0.3, 0, 0}});
  model.add("axle 1", hinge(model.join(pinion, world, {0, 0, 0})));
  model.add("axle 2", hinge(model.join(wheel, world, {0.3, 0, 0})));
  model.add("teeth", gear({model.mark(wheel, {0.3, 0, 0}), model.mark(pinion, {0, 0, 0})}, -0.5));
  // [snippet:end]
  return moves("gear", model);
}

bool show_gear_on_carrier() {
  Model model;
  // [snippet:gear-on-carrier]
  const BodyId sun =
      model.add("sun", std::make_shared<PlanarRigid>(1.0, 0.005), {.angular_velocity = {0, 0, 12}});
  const BodyId arm = model.add("arm", planar_rod(1.0, 0.2), {.position = {0.1, 0, 0}});
  const BodyId planet =
      model.add("planet", std::make_shared<PlanarRigid>(1.0, 0.005), {.position = {0.2, 0, 0}});
  model.add("axle", hinge(model.join(sun, world, {0, 0, 0})));
  model.add("pivot", hinge(model.join(arm, world, {0, 0, 0})));
  model.add("pin", hinge(model.join(planet, arm, {0.2, 0, 0})));
  model.add("teeth", gear_on_carrier(Attachment{planet}, Attachment{sun}, Attachment{arm}, -1.0));
  // [snippet:end]
  return moves("gear on carrier", model);
}

bool show_differential() {
  Model model;
  // [snippet:differential]
  const BodyId left = model.add("left", sphere(1.0, 0.3), {.position = {0, 0.5, 0}});
  const BodyId right = model.add("right", sphere(1.0, 0.3), {.position = {0, -0.5, 0}});
  const BodyId cage = model.add("cage", box(2.0, {0.2, 0.2, 0.2}), {.angular_velocity = {0, 10, 0}});
  for (const BodyId shaft : {left, right, cage}) {
    const Vec3 place = model.bodies()[std::size_t(model.index_of(shaft))].q.head<3>();
    model.add("bearing " + std::to_string(shaft.value),
              hinge(model.join(shaft, world, place, Vec3::UnitY())));
  }
  model.add("bevels", differential(model.mark(left, {0, 0.5, 0}, Vec3::UnitY()),
                                   model.mark(right, {0, -0.5, 0}, Vec3::UnitY()),
                                   model.mark(cage, {0, 0, 0}, Vec3::UnitY())));
  // [snippet:end]
  return moves("differential", model);
}

bool show_screw() {
  Model model;
  // [snippet:screw]
  const BodyId nut = model.add("nut", box(0.5, {0.1, 0.1, 0.02}));
  model.add("thread", screw(model.join(nut, world, {0, 0, 0}, Vec3::UnitZ()), 0.05));  // 5 cm per turn
  // [snippet:end]
  return moves("screw", model);
}

bool show_rack() {
  Model model;
  // [snippet:rack]
  const BodyId bar = model.add("bar", box(1.0, {1.0, 0.05, 0.05}), {.velocity = {0.5, 0, 0}});
  const BodyId pinion = model.add("pinion", sphere(2.0, 0.1), {.position = {0, 0.1, 0}});
  model.add("rail", slider(model.join(bar, world, {0, 0, 0}, Vec3::UnitX())));
  model.add("axle", hinge(model.join(pinion, world, {0, 0.1, 0}, Vec3::UnitZ())));
  // the rack runs along x of the third marker, the pinion turns about its z
  model.add("teeth", rack_and_pinion(Attachment{bar}, Attachment{pinion}, Attachment{world}, 0.1));
  // [snippet:end]
  return moves("rack", model);
}

bool show_rope() {
  Model model;
  // [snippet:rope]
  const BodyId left = model.add("left", std::make_shared<Particle3>(1.0), {.position = {-0.2, 0, -1}});
  const BodyId right = model.add("right", std::make_shared<Particle3>(1.2), {.position = {0.2, 0, -1.5}});
  model.add("rope", rope({Attachment{left}, model.mark(world, {-0.2, 0, 0}), model.mark(world, {0.2, 0, 0}),
                          Attachment{right}},
                         1.0 + 0.4 + 1.5));
  // [snippet:end]
  return moves("rope", model);
}

bool show_winch() {
  Model model;
  // [snippet:winch]
  const BodyId load = model.add("load", std::make_shared<Particle3>(50.0), {.position = {1, 0, -2}});
  model.add("hoist",
            winch_rope({model.mark(world, {0, 0, 1}), model.mark(world, {1, 0, 1}), Attachment{load}},
                       ramp(1.0 + 3.0, -0.5)));  // half a metre per second
  // [snippet:end]
  return moves("winch", model);
}

bool show_drum() {
  Model model;
  model.gravity = {0, -9.81, 0};
  // [snippet:drum]
  const BodyId drum = model.add("drum", std::make_shared<PlanarRigid>(4.0, 0.08));
  const BodyId weight = model.add("weight", std::make_shared<Particle2>(1.0), {.position = {0.2, -1, 0}});
  model.add("axle", hinge(model.join(drum, world, {0, 0, 0})));
  model.add("cable", rope_on_drum(Attachment{weight}, Attachment{drum}, 0.2, Winding::right));
  // [snippet:end]
  return moves("drum", model);
}

bool show_centre_of_mass() {
  Model model;
  // [snippet:centre-of-mass]
  const BodyId left =
      model.add("left", rod(1.0, 1.0), {.position = {-0.5, 0, 0}, .angular_velocity = {0, 2, 0}});
  const BodyId right = model.add("right", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  model.add("knee", ball(model.join(left, right, {0, 0, 0})));
  model.add("balance", centre_of_mass({Attachment{left}, Attachment{right}}, {1.0, 1.0}, {0, 0, 0}));
  // [snippet:end]
  return moves("centre-of-mass", model);
}

bool show_remote_drive() {
  Model model;
  // [snippet:remote-drive]
  // a forearm turned by a belt from a motor on the base: the upper arm does not feel the motor's torque
  const BodyId upper = model.add("upper arm", rod(2.0, 0.4), {.position = {0.2, 0, 0}});
  const BodyId forearm = model.add("forearm", rod(1.0, 0.4), {.position = {0.6, 0, 0}});
  model.add("shoulder", hinge(model.join(upper, world, {0, 0, 0}, Vec3::UnitY())));
  const AttachmentPair elbow = model.join(forearm, upper, {0.4, 0, 0}, Vec3::UnitY());
  model.add("elbow", hinge(elbow));
  model.add("belt", remote_drive(elbow, Attachment{world}, ramp(0.0, 1.0)));  // one radian per second
  // [snippet:end]
  return moves("remote-drive", model);
}

bool show_sliding_point() {
  Model model;
  // [snippet:sliding-point]
  const BodyId puck = model.add("puck", std::make_shared<Particle3>(0.2), {.velocity = {2, 0, 0}});
  // the table pushes up, the puck slides along x: its force is λ·(z - 0.3·x)
  const AttachmentPair at{Attachment{puck}, Attachment{world}};
  model.add("table", sliding_point(at, Vec3::UnitZ(), Vec3::UnitX(), 0.3));
  // [snippet:end]
  return moves("sliding-point", model);
}

bool show_point_on_surface() {
  Model model;
  // [snippet:point-on-surface]
  const BodyId marble =
      model.add("marble", std::make_shared<Particle3>(0.1), {.position = {1, 0, 0}, .velocity = {0, 1, 0}});
  const auto bowl = sphere_surface({0, 0, 0}, 1.0);
  model.add("bowl", point_on_surface(Attachment{marble}, Attachment{world}, bowl));
  // [snippet:end]
  return moves("point-on-surface", model);
}

bool show_tangency() {
  Model model;
  // [snippet:tangency]
  const BodyId egg =
      model.add("egg", box(1.0, {0.4, 0.3, 0.15}),
                {.position = {0, 0, 0.1}, .velocity = {0.5, 0, 0}, .angular_velocity = {1, 0, 0}});
  model.add("ice", tangency(Attachment{egg}, ellipsoid_shape({0.3, 0.2, 0.1}), Attachment{world}));
  // [snippet:end]
  return moves("tangency", model);
}

bool show_rolling() {
  Model model;
  // [snippet:rolling]
  const BodyId marble =
      model.add("marble", sphere(1.0, 0.1), {.position = {0, 0, 0.1}, .velocity = {1, 0, 0}});
  model.add("table", rolling(Attachment{marble}, sphere_shape(0.1), Attachment{world}));  // the plane z = 0
  const BodyId other = model.add("other", sphere(1.0, 0.1), {.position = {0.9, 5, 0}});
  const auto pipe = cylinder_surface({0, 0, 0}, Vec3::UnitY(), 1.0, true);  // its inside
  model.add("pipe", rolling_on_surface(Attachment{other}, sphere_shape(0.1), Attachment{world}, pipe));
  // [snippet:end]
  return moves("rolling", model);
}

bool show_knife_edge() {
  Model model;
  // [snippet:knife-edge]
  const BodyId sleigh = model.add("sleigh", std::make_shared<PlanarRigid>(1.0, 0.1),
                                  {.velocity = {1, 0, 0}, .angular_velocity = {0, 0, 1}});
  const Attachment blade{sleigh, {-0.3, 0, 0}};  // along x of the marker
  model.add("blade", knife_edge(blade, Attachment{world}));
  // [snippet:end]
  return moves("knife-edge", model);
}

}  // namespace

int main() {
  bool all = true;
  for (const auto show :
       {show_gear, show_gear_on_carrier, show_differential, show_screw, show_rack, show_rope, show_winch,
        show_drum, show_centre_of_mass, show_remote_drive, show_sliding_point, show_point_on_surface,
        show_tangency, show_rolling, show_knife_edge})
    all = show() && all;
  return all ? 0 : 1;
}
