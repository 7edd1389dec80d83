// The tree in Pinocchio: its articulated-body algorithm, in local axes (the faster of its two conventions), and `integrate`.
//
// Frames of hinges are turned so that their axis is z: joints about coordinate axes are the fastest that Pinocchio has. The velocities
// of a free link are in its own axes, which turn while they are integrated: with one, the steps are not those of the others.
#include "tree.h"

#include <algorithm>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <stdexcept>
#include <string>

namespace {

using peers::JointKind;
using peers::Link;
using peers::Matrix;
using peers::Vector;
namespace pin = pinocchio;

constexpr int kMostVelocities = 250;  // 500 MB of derivatives that nobody asks for

pin::JointModel joint_of(const Link& link) {
  switch (link.joint) {
    case JointKind::free:
      return pin::JointModelFreeFlyer();
    case JointKind::ball:
      return pin::JointModelSpherical();
    case JointKind::universal:
      return pin::JointModelUniversal(link.axis, link.second);
    case JointKind::hinge:
      break;
  }
  return pin::JointModelRZ();
}

class PinocchioTree : public peers::TreeEngine {
 public:
  explicit PinocchioTree(const peers::Tree& tree) : tree_(in_axes(tree, axes_along_hinges(tree))) {
    model_.gravity.linear() = tree.gravity;
    for (std::size_t i = 0; i < tree.links.size(); ++i) add(i);
    if (model_.nv > kMostVelocities)
      throw std::runtime_error("its Data has four arrays of dof³ numbers, too many for " +
                               std::to_string(model_.nv) + " dof");
    data_ = std::make_unique<pin::Data>(model_);
    tau_ = Eigen::VectorXd::Zero(model_.nv);
    dv_ = tau_;
    set_start();
    restart();
  }

  void restart() override { q_ = start_q_, v_ = start_v_; }
  void forward() override { pin::aba(model_, *data_, q_, v_, tau_, pin::Convention::LOCAL); }
  void step() override {
    forward();
    v_ += tree_.dt * data_->ddq;
    dv_ = tree_.dt * v_;
    pin::integrate(model_, q_, dv_, q_);
  }

  bool has_same_steps() const override {
    return std::none_of(tree_.links.begin(), tree_.links.end(),
                        [](const Link& link) { return link.joint == JointKind::free; });
  }

  std::vector<double> accelerations() override {
    forward();
    const Eigen::VectorXd a = data_->ddq;
    pin::forwardKinematics(model_, *data_, q_, v_, a);
    std::vector<double> out;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const pin::Motion V = at_centre(i, data_->v), A = at_centre(i, data_->a);
      peers::append(out, A.linear() + V.angular().cross(V.linear()));
      peers::append(out, A.angular());
    }
    return out;
  }

  std::vector<double> state() override {
    pin::forwardKinematics(model_, *data_, q_, v_);
    std::vector<double> out;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const pin::Motion V = at_centre(i, data_->v);
      peers::append(out, data_->oMi[joints_[i]].act(tree_.links[i].centre));
      peers::append(out, V.linear());
      peers::append(out, V.angular());
    }
    return out;
  }

 private:
  void add(std::size_t i) {
    const Link& link = tree_.links[i];
    const auto parent = std::size_t(std::max(link.parent, 0));
    joints_.push_back(model_.addJoint(link.parent < 0 ? 0 : joints_[parent], joint_of(link),
                                      pin::SE3(link.zero, link.offset), std::to_string(i)));
    model_.appendBodyToJoint(joints_.back(), pin::Inertia(link.mass, link.centre, link.inertia),
                             pin::SE3::Identity());
  }

  void set_start() {
    start_q_ = pin::neutral(model_);
    start_v_ = Eigen::VectorXd::Zero(model_.nv);
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const Link& link = tree_.links[i];
      const int q = model_.joints[joints_[i]].idx_q(), v = model_.joints[joints_[i]].idx_v();
      if (link.joint == JointKind::hinge || link.joint == JointKind::universal) {
        for (int k = 0; k < (link.joint == JointKind::hinge ? 1 : 2); ++k)
          start_q_[q + k] = link.angle[k], start_v_[v + k] = link.rate[k];
        continue;
      }
      const int free = link.joint == JointKind::free ? 3 : 0;
      if (free > 0) {
        start_q_.segment<3>(q) = link.place;
        start_v_.segment<3>(v) = link.turn.conjugate() * link.speed;
      }
      start_q_.segment<4>(q + free) = link.turn.coeffs();
      start_v_.segment<3>(v + free) = link.spin;
    }
  }

  /// A velocity or acceleration of a link, at its centre of mass in world axes.
  template <class Motions>
  pin::Motion at_centre(std::size_t i, const Motions& motions) const {
    const pin::SE3 centre(Matrix::Identity(), tree_.links[i].centre);
    const pin::Motion there = centre.actInv(motions[joints_[i]]);
    const Matrix R = data_->oMi[joints_[i]].rotation();
    return pin::Motion(R * there.linear(), R * there.angular());
  }

  peers::Tree tree_;
  pin::Model model_;
  std::unique_ptr<pin::Data> data_;
  std::vector<pin::JointIndex> joints_;
  Eigen::VectorXd start_q_, start_v_, q_, v_, tau_, dv_;
};

}  // namespace

int main() {
#ifdef __clang__
  const std::string compiler = ", clang";
#else
  const std::string compiler = ", gcc";
#endif
  return peers::serve({"Pinocchio", PINOCCHIO_VERSION, "aba and integrate" + compiler, "aba" + compiler},
                      [](const peers::Tree& tree) { return std::make_unique<PinocchioTree>(tree); });
}
