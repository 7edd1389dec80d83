// A two-joint arm follows a given motion: the torques come from inverse dynamics, the motion from the simulation, which knows nothing of it.
#include <catena/algorithms.h>
#include <catena/catena.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  const BodyId upper = model.add("upper", rod(2.0, 0.5), {.position = {0.25, 0, 0}});
  const BodyId lower = model.add("lower", rod(1.0, 0.5), {.position = {0.75, 0, 0}});
  const ConstraintId joints[] = {
      model.add("shoulder", hinge(model.join(upper, world, {0, 0, 0}, Vec3::UnitY()))),
      model.add("elbow", hinge(model.join(lower, upper, {0.5, 0, 0}, Vec3::UnitY())))};
  ForceId motors[2];
  for (int i = 0; i < 2; ++i) {
    const auto at = model.constraints()[std::size_t(i)].constraint->attachments();
    motors[i] = model.add(i == 0 ? "shoulder-motor" : "elbow-motor", motor({at[0], at[1]}, Command{}));
  }

  // [snippet:inverse-dynamics]
  const JointTree tree(model);
  TreeData data(tree);
  VecX q, v, a(2), tau;
  tree.start(q, v);
  const auto wanted = [&](double t) {  // both joints swing by 1 - cos t from rest
    q.setConstant(1.0 - std::cos(t));
    v.setConstant(std::sin(t));
    a.setConstant(std::cos(t));
  };
  wanted(0.0);
  inverse_dynamics(tree, q, v, a, data, tau);  // M(q) v̇ + b(q, v)
  // [snippet:end]

  Simulation sim(model, {.integrator = Integrator::rk4});
  double error = 0.0;
  for (double dt = 1e-3; sim.time() < 3.0;) {
    wanted(sim.time() + 0.5 * dt);  // the torque of the middle of the step: second order
    inverse_dynamics(tree, q, v, a, data, tau);
    for (int i = 0; i < 2; ++i) sim.set_command(motors[i], tau[tree.v(tree.link_of(joints[i]))]);
    if (!sim.step(dt).ok()) return 1;
    for (const ConstraintId joint : joints)
      error = std::max(error, std::abs(sim.joint_angle(joint) - (1.0 - std::cos(sim.time()))));
  }
  std::printf("largest error of an angle over 3 s: %.1e rad\n", error);
  return error < 1e-4 ? 0 : 1;
}
