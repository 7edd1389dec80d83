// Every joint once, as docs/constraints quotes them; each model moves for a moment and must keep its joints closed.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>

namespace {

using namespace catena;

bool moves(const char* what, const Model& model) {
  Simulation sim(model);
  StepReport report = sim.project();
  for (int step = 0; step < 100 && report.ok(); ++step) report = sim.step(1e-3);
  std::printf("%-20s |C| = %.1e %s\n", what, sim.constraint_error(), report.message.c_str());
  return report.ok() && sim.constraint_error() < 1e-9;
}

bool show_ball() {
  Model model;
  // [snippet:ball]
  const BodyId bob = model.add("bob", sphere(1.0, 0.1), {.position = {1, 0, 0}});
  model.add("socket", ball(model.join(bob, world, {0, 0, 0})));
  // [snippet:end]
  return moves("ball", model);
}

bool show_hinge() {
  Model model;
  // [snippet:hinge]
  const BodyId upper = model.add("upper", rod(1.0, 0.5), {.position = {0.25, 0, 0}});
  const BodyId lower = model.add("lower", rod(1.0, 0.5), {.position = {0.75, 0, 0}});
  model.add("shoulder", hinge(model.join(upper, world, {0, 0, 0}, Vec3::UnitY())));
  model.add("elbow", hinge(model.join(lower, upper, {0.5, 0, 0}, Vec3::UnitY())));
  // [snippet:end]
  return moves("hinge", model);
}

bool show_universal() {
  Model model;
  // [snippet:universal]
  const BodyId arm = model.add("arm", box(1.0, {0.1, 0.1, 1.0}),
                               {.position = {0, 0, -0.5}, .angular_velocity = {1, 0.5, 0}});
  Mat3 axes;
  axes << Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX();  // x turns in a, z turns in b
  model.add("cross",
            universal({model.mark_axes(arm, {0, 0, 0}, axes), model.mark_axes(world, {0, 0, 0}, axes)}));
  // [snippet:end]
  return moves("universal", model);
}

bool show_constant_velocity() {
  Model model;
  // [snippet:constant-velocity]
  const Mat3 bend = Eigen::AngleAxisd(0.5, Vec3::UnitZ()).toRotationMatrix();
  const Vec3 along = bend * Vec3::UnitX();
  const BodyId drive =
      model.add("drive", rod(1.0, 1.0), {.position = {-0.5, 0, 0}, .angular_velocity = {10, 0, 0}});
  const BodyId wheel =
      model.add("wheel", rod(1.0, 1.0),
                {.position = 0.5 * along, .orientation = Quat(bend), .angular_velocity = 10.0 * along});
  model.add("bearing", hinge(model.join(drive, world, {-0.5, 0, 0}, Vec3::UnitX())));
  model.add("hub", cylindrical(model.join(wheel, world, 0.5 * along, along)));
  const Mat3 axes = frame_from_axis(Vec3::UnitX());
  model.add("joint", constant_velocity({model.mark_axes(wheel, {0, 0, 0}, bend * axes),
                                        model.mark_axes(drive, {0, 0, 0}, axes)}));
  // [snippet:end]
  return moves("constant-velocity", model);
}

bool show_slider() {
  Model model;
  // [snippet:slider]
  const BodyId cart = model.add("cart", box(2.0, {0.4, 0.2, 0.2}));
  model.add("rail", slider(model.join(cart, world, {0, 0, 0}, {2, 0, -1})));
  // [snippet:end]
  return moves("slider", model);
}

bool show_cylindrical() {
  Model model;
  // [snippet:cylindrical]
  const BodyId ring = model.add("ring", box(0.5, {0.2, 0.2, 0.02}), {.angular_velocity = {0, 0, 20}});
  model.add("pole", cylindrical(model.join(ring, world, {0, 0, 0}, Vec3::UnitZ())));
  // [snippet:end]
  return moves("cylindrical", model);
}

bool show_planar() {
  Model model;
  // [snippet:planar]
  const BodyId puck = model.add("puck", box(0.2, {0.1, 0.1, 0.02}), {.velocity = {1, 0, 0}});
  model.add("slope", planar(model.join(puck, world, {0, 0, 0}, {0, 0.6, 0.8})));
  // [snippet:end]
  return moves("planar", model);
}

bool show_weld() {
  Model model;
  // [snippet:weld]
  const BodyId pole = model.add("pole", box(2.0, {0.1, 0.1, 1.0}), {.position = {0, 0, 0.5}});
  const BodyId flag = model.add("flag", box(0.3, {0.5, 0.01, 0.3}), {.position = {0.25, 0, 0.85}});
  const ConstraintId foot = model.add("foot", weld(model.join(pole, world, {0, 0, 0})));
  model.add("seam", weld(model.join(flag, pole, {0, 0, 0.85})));
  Simulation sim(model);
  const Vec3 moment = sim.constraint_force(foot).torque;  // N·m, what the ground must bear
  // [snippet:end]
  return moves("weld", model) && std::abs(moment.norm() - 0.3 * 9.81 * 0.25) < 1e-9;
}

bool show_distance() {
  Model model;
  // [snippet:distance]
  const BodyId bob = model.add("bob", std::make_shared<Particle3>(1.0), {.position = {1, 0, 0}});
  model.add("rod", distance(model.join(bob, world, {1, 0, 0}, Vec3::UnitZ(), {0, 0, 0}), 1.0));
  // [snippet:end]
  return moves("distance", model);
}

bool show_nail() {
  Model model;
  // [snippet:nail]
  const BodyId plate = model.add("plate", box(1.0, {1.0, 0.02, 0.5}));
  model.add("corner", nail(model.mark(plate, {-0.5, 0, 0.25}), {-0.5, 0, 0.25}));
  // [snippet:end]
  return moves("nail", model);
}

bool show_point_on_curve() {
  Model model;
  // [snippet:point-on-curve]
  const BodyId bead = model.add("bead", std::make_shared<Particle3>(0.1), {.position = {2, 0, 0}});
  const auto wire = ellipse({0, 0, 0}, {2, 0, 0}, {0, 0, 1});
  model.add("wire", point_on_curve(Attachment{bead}, Attachment{world}, wire));
  // [snippet:end]
  return moves("point-on-curve", model);
}

bool show_driven() {
  Model model;
  // [snippet:driven]
  const TimeFunction nod = [](double t) {
    return Jet{0.2 * (1 - std::cos(3 * t)), 0.6 * std::sin(3 * t), 1.8 * std::cos(3 * t)};
  };
  const BodyId base = model.add("base", box(1.0, {0.2, 0.2, 0.2}));
  const BodyId dish = model.add("dish", box(1.0, {0.6, 0.6, 0.02}), {.position = {0, 0, 0.3}});
  model.add("post", driven_hinge(model.join(base, world, {0, 0, 0}), ramp(0.0, 2.0)));  // 2 rad/s
  model.add("gimbal",
            driven(weld(model.join(dish, base, {0, 0, 0.1})), {.travel = {}, .angles = {.x = nod}}));
  // [snippet:end]
  return moves("driven", model);
}

}  // namespace

int main() {
  bool all = true;
  for (const auto show :
       {show_ball, show_hinge, show_universal, show_constant_velocity, show_slider, show_cylindrical,
        show_planar, show_weld, show_distance, show_nail, show_point_on_curve, show_driven})
    all = show() && all;
  return all ? 0 : 1;
}
