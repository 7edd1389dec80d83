// The joints that are nothing but their description.
#include "catena/joints.h"
#include "model/joints/joint_motion.h"
#include "model/joints/shaped_joint.h"

#include <cmath>

namespace catena {
namespace {

class FrameJoint final : public ShapedJoint, public HasJointMotion {
 public:
  using ShapedJoint::ShapedJoint;
  JointMotion joint_motion() const override { return JointMotion(shape()); }
};

}  // namespace

ConstraintPtr ball(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kBallShape, at);
}
ConstraintPtr universal(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kUniversalShape, at);
}
ConstraintPtr hinge(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kHingeShape, at);
}
ConstraintPtr weld(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kWeldShape, at);
}
ConstraintPtr constant_velocity(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kConstantVelocityShape, at);
}
ConstraintPtr slider(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kSliderShape, at);
}
ConstraintPtr cylindrical(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kCylindricalShape, at);
}
ConstraintPtr planar(const AttachmentPair& at) {
  return std::make_shared<FrameJoint>(kPlanarShape, at);
}

double hinge_angle(const Marker& a, const Marker& b) {
  // both axes, not x only: the angle is then smooth even while the z axes are not quite parallel
  const double sine = a.R.col(0).dot(b.R.col(1)) - a.R.col(1).dot(b.R.col(0));
  const double cosine = a.R.col(0).dot(b.R.col(0)) + a.R.col(1).dot(b.R.col(1));
  return std::atan2(sine + 0.0, cosine);  // + 0.0 turns -0 into 0, so that half a turn is π and never -π
}

}  // namespace catena
