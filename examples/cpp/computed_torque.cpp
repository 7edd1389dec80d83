// An arm of seven joints follows a trajectory by computed torque: inverse dynamics of the accelerations that take its errors away.
//
//   α = q̈* + k_d (q̇* - q̇) + k_p (q* - q),     τ = inverse dynamics of α:     then ë + k_d ė + k_p e = 0 for the error e
//
// The arm begins off its trajectory, and with k_d = 2√k_p comes back to it without swinging over. A position controller that knows nothing of
// the arm's mass and weight (the motors of the scene) lags behind.
//
//   computed_torque [arm-7.yaml]
#include <catena/catena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace {

using namespace catena;

constexpr double kPeriod = 1e-3;                       // of the controller            s
constexpr double kStiffness = 400.0, kDamping = 40.0;  // k_p, k_d           1/s², 1/s
constexpr std::array<double, 7> kSwing{0.9, 0.7,  -0.6, 1.2,
                                       0.8, -0.9, 1.5};  // of the joints               rad

/// Where a joint should be: it swings by 1 - cos 2t.
Jet wanted(std::size_t joint, double t) {
  const double a = kSwing[joint];
  return {a * (1.0 - std::cos(2.0 * t)), 2.0 * a * std::sin(2.0 * t), 4.0 * a * std::cos(2.0 * t)};
}

/// The arm of the scene, its motors exchanged for some that take torques.
Model arm_with_torques(Model model) {
  while (!model.forces().empty()) model.remove(model.forces().front().id);
  for (std::size_t i = 0; i < kSwing.size(); ++i)
    model.add("torque" + std::to_string(i + 1), joint_motor(model.constraints()[i]));
  return model;
}

double largest_error(const Simulation& sim) {
  double error = 0.0;
  for (std::size_t i = 0; i < kSwing.size(); ++i) {
    const ConstraintId joint = sim.model().constraints()[i].id;
    error = std::max(error, std::abs(sim.joint_state(joint).q[0] - wanted(i, sim.time()).value));
  }
  return error;
}

/// Largest error of the last second of four.
double track(Formulation formulation, const Model& model) {
  Simulation sim(model, {.formulation = formulation, .integrator = Integrator::rk4});
  sim.set_joint_state("joint2", {VecX::Constant(1, 0.2), VecX::Zero(1)});  // off by 0.2 rad
  // [snippet:computed-torque]
  std::vector<ConstraintId> joints;
  for (const ConstraintEntry& entry : sim.model().constraints()) joints.push_back(entry.id);
  InverseDynamics inverse(sim, joints);
  sim.add_controller("computed-torque", kPeriod, [&](Simulation& s) {
    VecX alpha(7);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const JointState now = s.joint_state(joints[i]);
      const Jet goal = wanted(i, s.time());
      const double ahead = wanted(i, s.time() + 0.5 * kPeriod).acceleration;  // the torque holds for a period
      alpha[Eigen::Index(i)] =
          ahead + kDamping * (goal.rate - now.v[0]) + kStiffness * (goal.value - now.q[0]);
    }
    if (!inverse.solve(s, alpha).ok()) return;         // what acts now goes on acting
    for (std::size_t i = 0; i < joints.size(); ++i) {  // on top of what acts already
      const ForceId motor = s.model().forces()[i].id;
      s.set_command(motor, s.command(motor)[0] + inverse.torques()[Eigen::Index(i)]);
    }
  });
  // [snippet:end]
  double error = 0.0;
  while (sim.time() < 4.0 - 1e-9) {
    if (const StepReport report = sim.step(kPeriod); !report.ok())
      return std::puts(report.message.c_str()), 1.0;
    if (sim.time() > 3.0) error = std::max(error, largest_error(sim));
  }
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  const Scene scene = load_scene(argc > 1 ? argv[1] : "examples/arm-7.yaml");
  const Model model = arm_with_torques(scene.model);
  bool all_follow = true;
  for (const Formulation formulation : {Formulation::maximal, Formulation::minimal, Formulation::middle}) {
    const double error = track(formulation, model);
    std::printf("%-8s largest error of an angle in the last second: %.1e rad\n", name(formulation).data(),
                error);
    all_follow = all_follow && error < 2e-3;
  }
  return all_follow ? 0 : 1;
}
