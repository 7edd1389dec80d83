// Sensors against closed forms; the force of every kind of constraint against its generalised force.
#include "catena/catena.h"
#include "math/rotation.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

TEST(Imu, ReadsNothingInFreeFall) {
  Model model;
  const BodyId stone = model.add("stone", sphere(2.0, 0.1),
                                 {.orientation = exp_rotation({0.3, 0.4, 0.5}), .velocity = {3, 0, 1}});
  const Simulation sim(model);
  EXPECT_LT(sim.imu({.body = stone, .point = {0.05, 0, 0}}).specific_force.norm(), 1e-14);
  EXPECT_EQ(sim.imu({.body = stone}).angular_rate.norm(), 0.0);
}

TEST(Imu, ReadsGravityUpwardsAtRestInItsOwnAxes) {
  const Quat tilt = exp_rotation({0.3, -0.4, 0.5});
  Model model;
  const BodyId plate = model.add("plate", box(2.0, {1, 1, 0.1}), {.orientation = tilt});
  model.add("fixed", weld(model.join(plate, world, Vec3::Zero())));
  const Simulation sim(model);
  const Vec3 expected = tilt.conjugate() * Vec3(0, 0, 9.81);
  EXPECT_LT((sim.imu({.body = plate, .point = {0.3, 0.2, 0}}).specific_force - expected).norm(), 1e-12);
  const Mat3 axes = exp_rotation({0, 0, 1.0}).toRotationMatrix();
  EXPECT_LT((sim.imu({.body = plate, .axes = axes}).specific_force - axes.transpose() * expected).norm(),
            1e-12);
  EXPECT_LT((sim.imu({}).specific_force - Vec3(0, 0, 9.81)).norm(), 1e-15);
}

TEST(Imu, ReadsCentripetalAccelerationOnATurningArm) {
  const double w = 3.0, r = 0.7;
  Model model;
  const BodyId arm =
      model.add("arm", rod(1.0, 1.0),
                {.position = {0.5, 0, 0}, .velocity = {0, 0.5 * w, 0}, .angular_velocity = {0, 0, w}});
  model.add("axle", hinge(model.join(arm, world, Vec3::Zero(), Vec3::UnitZ())));
  Simulation sim(model);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(sim.step(1e-3).ok());
  const ImuReading reading = sim.imu({.body = arm, .point = {r - 0.5, 0, 0}});
  EXPECT_LT((reading.specific_force - Vec3(-w * w * r, 0, 9.81)).norm(), 1e-9);
  EXPECT_LT((reading.angular_rate - Vec3(0, 0, w)).norm(), 1e-10);
  EXPECT_THROW((void)sim.imu({.body = BodyId{7}}), InvalidInput);
}

TEST(JointRate, IsThatOfAAgainstB) {
  Model model;
  const BodyId arm = model.add(
      "arm", rod(1.0, 1.0), {.position = {0.5, 0, 0}, .velocity = {0, 1, 0}, .angular_velocity = {0, 0, 2}});
  const BodyId cart =
      model.add("cart", sphere(1.0, 0.1),
                {.position = {1, 0, 0}, .velocity = {3, 2, 0}, .angular_velocity = {0, 0, 2}});
  const ConstraintId axle = model.add("axle", hinge(model.join(arm, world, Vec3::Zero(), Vec3::UnitZ())));
  const ConstraintId rail = model.add("rail", slider(model.join(cart, arm, {1, 0, 0}, Vec3::UnitX())));
  const ConstraintId pin = model.add("pin", nail(model.mark(arm, Vec3::Zero()), Vec3::Zero()));
  const Simulation sim(model);
  EXPECT_NEAR(sim.joint_rate(axle).angular, 2.0, 1e-15);
  EXPECT_NEAR(sim.joint_rate(axle).linear, 0.0, 1e-15);
  EXPECT_NEAR(sim.joint_rate(rail).angular, 0.0, 1e-15);
  EXPECT_NEAR(sim.joint_rate(rail).linear, 3.0, 1e-14);
  EXPECT_THROW((void)sim.joint_rate(pin), InvalidInput);
  EXPECT_THROW((void)sim.joint_rate(ConstraintId{9}), InvalidInput);
}

// The force and torque on the first body, carried to its centre, are its part of Jᵀλ.
TEST(ConstraintForce, IsThatOfJtLambdaForEveryKind) {
  const Vec3 point(0.2, 0.1, -0.3);
  const TimeFunction still = constant(0.0);
  const std::pair<std::string, std::function<ConstraintPtr(const AttachmentPair&)>> kinds[] = {
      {"ball", ball},
      {"hinge", hinge},
      {"universal", universal},
      {"slider", slider},
      {"weld", weld},
      {"distance",
       [](const AttachmentPair& at) {
         return distance({at.a, {world, {1, 1, 1}}}, (Vec3(1, 1, 1) - Vec3(0.2, 0.1, -0.3)).norm());
       }},
      {"nail", [&](const AttachmentPair& at) { return nail(at.a, point); }},
      {"point_on_curve",
       [&](const AttachmentPair& at) {
         return point_on_curve(at.a, {}, line(point, {1, 2, 3}));
       }},
      {"gear", [](const AttachmentPair& at) { return gear(at, 2.0); }},
      {"driven_hinge", [&](const AttachmentPair& at) { return driven_hinge(at, still); }},
      {"driven_slider", [&](const AttachmentPair& at) { return driven_slider(at, still); }}};
  for (const auto& [name, make] : kinds) {
    SCOPED_TRACE(name);
    Model model;
    const BodyId body =
        model.add("body", box(2.0, {0.5, 0.7, 0.9}), {.orientation = exp_rotation({0.3, 0.2, 0.1})});
    const auto at = model.join(body, world, point, {0.5, 0.2, 1.0});
    const ConstraintId id = model.add("joint", make(at));
    const PointFunction push{constant(3.0), constant(-2.0), constant(5.0)};
    model.add("load", load({body, {0.1, 0.2, 0.3}}, push, push));
    const Simulation sim(model);
    const ConstraintForce read = sim.constraint_force(id);
    const auto attachments = model.constraints()[0].constraint->attachments();
    const Mat3 axes = sim.marker(attachments.back()).R;
    const Vec3 force = axes * read.force;
    const Vec3 moment =
        axes * read.torque + (sim.marker(attachments[0]).x - sim.placement(body).position).cross(force);
    const VecX expected = sim.constraint_generalised_force();
    EXPECT_GT(expected.norm(), 0.1);
    EXPECT_LT((force - expected.head<3>()).norm(), 1e-11);
    EXPECT_LT((moment - expected.tail<3>()).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace catena
