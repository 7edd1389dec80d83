// The tree in RBDL: its articulated-body algorithm. It has no integrator: steps are v += dt·v̇, q ⊕= dt·v, by hand.
//
// Frames of hinges are turned so that their axis is z: joints about coordinate axes are the fastest that RBDL has.
#include "tree.h"

#include <rbdl/rbdl.h>

namespace {

using peers::JointKind;
using peers::Link;
using peers::Vector;
namespace rbdl = RigidBodyDynamics;

rbdl::Joint joint_of(const Link& link) {
  const Vector &a = link.axis, &b = link.second;
  switch (link.joint) {
    case JointKind::free:
      return rbdl::Joint(rbdl::JointTypeFloatingBase);
    case JointKind::ball:
      return rbdl::Joint(rbdl::JointTypeSpherical);
    case JointKind::universal:
      return rbdl::Joint(rbdl::Math::SpatialVector(a[0], a[1], a[2], 0, 0, 0),
                         rbdl::Math::SpatialVector(b[0], b[1], b[2], 0, 0, 0));
    case JointKind::hinge:
      break;
  }
  return rbdl::Joint(rbdl::JointTypeRevoluteZ);
}

class RbdlTree : public peers::TreeEngine {
 public:
  explicit RbdlTree(const peers::Tree& tree) : tree_(in_axes(tree, axes_along_hinges(tree))) {
    model_.gravity = tree.gravity;
    for (const Link& link : tree_.links) {
      const unsigned parent = link.parent < 0 ? 0 : ids_[std::size_t(link.parent)];
      const rbdl::Math::SpatialTransform place(link.zero.transpose(), link.offset);
      first_.push_back(int(model_.dof_count));
      ids_.push_back(
          model_.AddBody(parent, place, joint_of(link), rbdl::Body(link.mass, link.centre, link.inertia)));
    }
    tau_ = a_ = rbdl::Math::VectorNd::Zero(model_.dof_count);
    start_q_ = rbdl::Math::VectorNd::Zero(model_.q_size);
    start_v_ = tau_;
    set_start();
    restart();
  }

  void restart() override { q_ = start_q_, v_ = start_v_; }
  void forward() override { rbdl::ForwardDynamics(model_, q_, v_, tau_, a_); }
  void step() override {
    forward();
    v_ += tree_.dt * a_;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const JointKind joint = tree_.links[i].joint;
      int at = first_[i];
      if (joint == JointKind::hinge || joint == JointKind::universal) {
        for (int k = 0; k < (joint == JointKind::hinge ? 1 : 2); ++k) q_[at + k] += tree_.dt * v_[at + k];
        continue;
      }
      if (joint == JointKind::free) {
        q_.segment<3>(at) += tree_.dt * v_.segment<3>(at);
        at += 3;
      }
      turn(ids_[i], tree_.dt * v_.segment<3>(at));
    }
  }

  std::vector<double> accelerations() override {
    forward();
    std::vector<double> out;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto A =
          rbdl::CalcPointAcceleration6D(model_, q_, v_, a_, ids_[i], tree_.links[i].centre, i == 0);
      peers::append(out, A.tail<3>());
      peers::append(out, A.head<3>());
    }
    return out;
  }

  std::vector<double> state() override {
    std::vector<double> out;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const Vector& centre = tree_.links[i].centre;
      const auto V = rbdl::CalcPointVelocity6D(model_, q_, v_, ids_[i], centre, i == 0);
      peers::append(out, rbdl::CalcBodyToBaseCoordinates(model_, q_, ids_[i], centre, false));
      peers::append(out, V.tail<3>());
      peers::append(out, V.head<3>());
    }
    return out;
  }

 private:
  void set_start() {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const Link& link = tree_.links[i];
      int at = first_[i];
      if (link.joint == JointKind::hinge || link.joint == JointKind::universal) {
        for (int k = 0; k < (link.joint == JointKind::hinge ? 1 : 2); ++k)
          start_q_[at + k] = link.angle[k], start_v_[at + k] = link.rate[k];
        continue;
      }
      if (link.joint == JointKind::free) {
        start_q_.segment<3>(at) = link.place;
        start_v_.segment<3>(at) = link.speed;
        at += 3;
      }
      const peers::Quaternion& p = link.turn;
      model_.SetQuaternion(ids_[i], rbdl::Math::Quaternion(p.x(), p.y(), p.z(), p.w()), start_q_);
      start_v_.segment<3>(at) = link.spin;
    }
  }

  /// By a rotation vector in the axes of the link.
  void turn(unsigned id, const Vector& by) {
    const rbdl::Math::Quaternion now = model_.GetQuaternion(id, q_);
    const double angle = by.norm(), half = angle > 0 ? std::sin(0.5 * angle) / angle : 0.5;
    const peers::Quaternion d(std::cos(0.5 * angle), half * by[0], half * by[1], half * by[2]);
    const peers::Quaternion next = (peers::Quaternion(now[3], now[0], now[1], now[2]) * d).normalized();
    model_.SetQuaternion(id, rbdl::Math::Quaternion(next.x(), next.y(), next.z(), next.w()), q_);
  }

  peers::Tree tree_;
  rbdl::Model model_;
  std::vector<unsigned> ids_;
  std::vector<int> first_;  // velocity of a link
  rbdl::Math::VectorNd start_q_, start_v_, q_, v_, tau_, a_;
};

}  // namespace

int main() {
  const int version = RBDL_API_VERSION;
  return peers::serve({"RBDL", std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 255),
                       "ForwardDynamics and integration", "ForwardDynamics"},
                      [](const peers::Tree& tree) { return std::make_unique<RbdlTree>(tree); });
}
