// A geared motor on an arm, with a sampled controller, sensors and a force of one's own.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  const BodyId arm = model.add("arm", rod(2.0, 0.8), {.position = {0.4, 0, 0}});
  const AttachmentPair at = model.join(arm, world, Vec3::Zero(), -Vec3::UnitY());  // positive angles lift it
  const ConstraintId pivot = model.add("pivot", hinge(at));
  // [snippet:motor]
  const ForceId motor_id = model.add("motor", motor(at, Command{}, {.limit = 0.5, .ratio = 40.0}));
  const BodyId rotor = model.add("rotor", std::make_shared<Rotor>(2e-5));
  model.add("gearbox", rotor_gear(rotor, at, 40.0));
  model.add("bearing", viscous_friction(at, 0.05));
  // [snippet:end]

  // [snippet:force]
  // A magnet in the floor that pulls the tip of the arm, stronger the nearer it is.
  const auto magnet = [](const Motion& motion, Wrenches& wrenches) {
    const Vec3 way = Vec3(0.8, 0, -0.5) - motion.at[0].x;
    wrenches.add(0, 0.1 * way / std::pow(way.norm(), 3));
  };
  const auto energy = [](const Motion& motion) {
    return -0.1 / (Vec3(0.8, 0, -0.5) - motion.at[0].x).norm();
  };
  model.add("magnet",
            user_force({{arm, {0.4, 0, 0}}}, magnet, {.potential = energy, .depends_on_velocity = false}));
  // [snippet:end]

  Simulation sim(model);
  // [snippet:controller]
  const Attachment tip{arm, {0.4, 0, 0}};
  sim.add_controller("lift", 0.005, [=](Simulation& s) {
    const Marker marker = s.marker(tip);
    const double angle = std::atan2(marker.x.z(), marker.x.x());
    const double torque = 60.0 * (0.5 - angle) - 8.0 * s.joint_rate(pivot).angular;  // at the joint
    s.set_command(motor_id, torque / 40.0);                                          // at the shaft
  });
  while (sim.time() < 2.0)
    if (const StepReport report = sim.step(1e-3); !report.ok()) return std::puts(report.message.c_str()), 1;
  const ImuReading imu = sim.imu(tip);
  // [snippet:end]
  std::printf("the tip reads %.3f m/s² along the arm and %.3f m/s² across it\n", imu.specific_force.x(),
              imu.specific_force.z());
  std::printf("work of the motor %.3f J, energy drift %.1e J\n", sim.ledger()[Account::motors],
              sim.numerical_energy());
}
