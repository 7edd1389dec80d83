// The tree in Bullet, as one btMultiBody in double precision: stepSimulation, and its articulated-body algorithm alone.
//
// Links have principal axes, as Bullet wants them; a universal joint is two hinges with a link without mass between them. Damping and the
// limit of joint speeds, which btMultiBody begins with, are off. Bullet tells velocities only: accelerations are the change of velocities in
// one step over dt, taken to the links by
//
//   α = α_p + ω_p × w + S q̈ + c,      a = a_p + α_p × r + ω_p × (ω_p × r)                                                      (1)
//
// with p the parent, r the way between the origins, w = S q̇ the angular velocity of the joint and c = Ṡ q̇ seen from the parent.
#include "tree.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <Eigen/Eigenvalues>
#include <btBulletDynamicsCommon.h>

#include <algorithm>

namespace {

using peers::JointKind;
using peers::Link;
using peers::Matrix;
using peers::Quaternion;
using peers::Vector;

btVector3 bullet(const Vector& v) {
  return {v[0], v[1], v[2]};
}

btQuaternion bullet(const Quaternion& p) {
  return {p.x(), p.y(), p.z(), p.w()};
}

Vector vector_of(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}

bool is_free(const peers::Tree& tree) {
  return tree.links[0].joint == JointKind::free;
}

std::vector<Matrix> principal_axes(const peers::Tree& tree) {
  std::vector<Matrix> A;
  for (const Link& link : tree.links) {
    Matrix axes = Eigen::SelfAdjointEigenSolver<Matrix>(link.inertia).eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    A.push_back(axes);
  }
  return A;
}

/// One per link; of a universal joint two.
int num_bullet_links(const peers::Tree& tree) {
  const auto twice = std::count_if(tree.links.begin(), tree.links.end(),
                                   [](const Link& link) { return link.joint == JointKind::universal; });
  return int(tree.links.size()) + int(twice) - (is_free(tree) ? 1 : 0);
}

struct Moving {
  Matrix R;                           // axes of the link to those of the world
  Vector omega, alpha, acceleration;  // of its origin
};

class BulletTree : public peers::TreeEngine {
 public:
  explicit BulletTree(const peers::Tree& tree)
      : tree_(in_axes(tree, principal_axes(tree))),
        multi_(num_bullet_links(tree_), is_free(tree_) ? tree_.links[0].mass : 0.0,
               is_free(tree_) ? bullet(Vector(tree_.links[0].inertia.diagonal())) : btVector3(0, 0, 0),
               !is_free(tree_), false) {
    for (const Link& link : tree_.links) add(link);
    multi_.finalizeMultiDof();
    multi_.setHasSelfCollision(false);
    multi_.setLinearDamping(0);
    multi_.setAngularDamping(0);
    multi_.setMaxCoordinateVelocity(1e30);
    world_.setGravity(bullet(tree_.gravity));
    world_.addMultiBody(&multi_);
    restart();
  }
  ~BulletTree() override { world_.removeMultiBody(&multi_); }
  BulletTree(const BulletTree&) = delete;
  BulletTree& operator=(const BulletTree&) = delete;

  void restart() override {
    for (std::size_t i = 0; i < tree_.links.size(); ++i) set_start(tree_.links[i], ids_[i]);
    multi_.clearForcesAndTorques();
    has_weight_ = false;
    place();
  }

  void step() override { world_.stepSimulation(tree_.dt, 0); }
  void forward() override {  // over no time: velocities stay what they are
    if (!has_weight_) add_weight();
    multi_.computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, scratch_r_, scratch_v_, scratch_m_, false,
                                                                false, false);
  }

  std::vector<double> accelerations() override {
    const std::vector<double> before = speeds();
    step();
    std::vector<double> change = speeds();
    for (std::size_t k = 0; k < change.size(); ++k) change[k] = (change[k] - before[k]) / tree_.dt;
    std::vector<Moving> moving;
    std::vector<double> out;
    const double* a = change.data();
    for (const Link& link : tree_.links) {
      moving.push_back(
          link.joint == JointKind::free
              ? free_motion(link, a)
              : carried(link, link.parent < 0 ? at_rest() : moving[std::size_t(link.parent)], a));
      const Moving& m = moving.back();
      const Vector arm = m.R * link.centre;
      peers::append(out, m.acceleration + m.alpha.cross(arm) + m.omega.cross(m.omega.cross(arm)));
      peers::append(out, m.alpha);
    }
    return out;
  }

  std::vector<double> state() override {
    place();
    std::vector<btVector3> omega(std::size_t(multi_.getNumLinks()) + 1), velocity(omega.size());
    multi_.compTreeLinkVelocities(omega.data(), velocity.data());  // in the axes of each link
    std::vector<double> out;
    for (const int id : ids_) {
      const btTransform at =
          id < 0 ? multi_.getBaseWorldTransform() : multi_.getLink(id).m_cachedWorldTransform;
      const auto k = std::size_t(id + 1);
      peers::append(out, vector_of(at.getOrigin()));
      peers::append(out, vector_of(at.getBasis() * velocity[k]));
      peers::append(out, vector_of(at.getBasis() * omega[k]));
    }
    return out;
  }

 private:
  static Moving at_rest() { return {Matrix::Identity(), Vector::Zero(), Vector::Zero(), Vector::Zero()}; }

  void add(const Link& link) {
    if (link.joint == JointKind::free) return ids_.push_back(-1);  // Bullet's base
    const int parent = link.parent < 0 ? -1 : ids_[std::size_t(link.parent)];
    const Vector from =
        link.parent < 0 ? link.offset : Vector(link.offset - tree_.links[std::size_t(link.parent)].centre);
    const btQuaternion to_link = bullet(Quaternion(Matrix(link.zero.transpose())));
    const btQuaternion none = btQuaternion::getIdentity();
    const btVector3 inertia = bullet(Vector(link.inertia.diagonal())), none3(0, 0, 0);
    const int id = next_++;
    ids_.push_back(id);
    if (link.joint == JointKind::ball)
      return multi_.setupSpherical(id, link.mass, inertia, parent, to_link, bullet(from), bullet(link.centre),
                                   true);
    if (link.joint == JointKind::hinge)
      return multi_.setupRevolute(id, link.mass, inertia, parent, to_link, bullet(link.axis), bullet(from),
                                  bullet(link.centre), true);
    multi_.setupRevolute(id, 0, none3, parent, to_link, bullet(link.axis), bullet(from), none3, true);
    multi_.setupRevolute(next_, link.mass, inertia, id, none, bullet(link.second), none3, bullet(link.centre),
                         true);
    ids_.back() = next_++;
  }

  /// What the world adds in a step.
  void add_weight() {
    has_weight_ = true;
    multi_.addBaseForce(multi_.getBaseMass() * bullet(tree_.gravity));
    for (int i = 0; i < multi_.getNumLinks(); ++i)
      multi_.addLinkForce(i, multi_.getLinkMass(i) * bullet(tree_.gravity));
  }

  void set_start(const Link& link, int id) {
    if (link.joint == JointKind::free) {
      multi_.setBasePos(bullet(link.place));
      multi_.setWorldToBaseRot(bullet(Quaternion(link.zero * link.turn.toRotationMatrix())).inverse());
      multi_.setBaseVel(bullet(link.speed));
      multi_.setBaseOmega(bullet(Vector(link.zero * (link.turn * link.spin))));
    } else if (link.joint == JointKind::ball) {
      const btScalar q[] = {link.turn.x(), link.turn.y(), link.turn.z(), link.turn.w()};
      const btScalar v[] = {link.spin[0], link.spin[1], link.spin[2]};
      multi_.setJointPosMultiDof(id, q);
      multi_.setJointVelMultiDof(id, v);
    } else {
      const int count = link.joint == JointKind::hinge ? 1 : 2;
      for (int k = 0; k < count; ++k) {
        multi_.setJointPos(id - count + 1 + k, link.angle[k]);
        multi_.setJointVel(id - count + 1 + k, link.rate[k]);
      }
    }
  }

  /// Velocities of all joints, link by link: of a free link the linear one and the angular one in world axes.
  std::vector<double> speeds() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const JointKind joint = tree_.links[i].joint;
      if (joint == JointKind::free) {
        peers::append(out, vector_of(multi_.getBaseVel()));
        peers::append(out, vector_of(multi_.getBaseOmega()));
        continue;
      }
      auto& multi = const_cast<btMultiBody&>(multi_);  // what it returns could be written to
      if (joint == JointKind::universal) out.push_back(multi.getJointVelMultiDof(ids_[i] - 1)[0]);
      const btScalar* v = multi.getJointVelMultiDof(ids_[i]);
      out.insert(out.end(), v, v + (joint == JointKind::ball ? 3 : 1));
    }
    return out;
  }

  /// Takes the accelerations of its joint off `a`.
  static Moving free_motion(const Link& link, const double*& a) {
    const Matrix R = link.zero * link.turn.toRotationMatrix();
    const Moving out{R, R * link.spin, {a[3], a[4], a[5]}, {a[0], a[1], a[2]}};
    a += 6;
    return out;
  }
  static Moving carried(const Link& link, const Moving& parent, const double*& a) {  // (1)
    const Vector r = parent.R * link.offset, &W = parent.omega;
    Moving out{parent.R * link.zero, W, parent.alpha,
               parent.acceleration + parent.alpha.cross(r) + W.cross(W.cross(r))};
    if (link.joint == JointKind::ball) {
      out.R = out.R * link.turn.toRotationMatrix();
      const Vector w = out.R * link.spin;
      out.alpha += W.cross(w) + out.R * Vector(a[0], a[1], a[2]);
      out.omega += w;
      a += 3;
      return out;
    }
    for (int k = 0; k < (link.joint == JointKind::hinge ? 1 : 2); ++k) {
      const Vector axis = k == 0 ? link.axis : link.second, along = out.R * axis;
      out.alpha += out.omega.cross(along) * link.rate[k] + along * *a++;
      out.omega += along * link.rate[k];
      out.R = out.R * Eigen::AngleAxisd(link.angle[k], axis).toRotationMatrix();
    }
    return out;
  }

  void place() {
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    multi_.forwardKinematics(turns, places);
  }

  peers::Tree tree_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  btMultiBody multi_;
  int next_ = 0;
  bool has_weight_ = false;
  std::vector<int> ids_;  // per link: Bullet's, -1 for its base
  btAlignedObjectArray<btScalar> scratch_r_;
  btAlignedObjectArray<btVector3> scratch_v_;
  btAlignedObjectArray<btMatrix3x3> scratch_m_;
};

}  // namespace

int main() {
  const int version = btGetVersion();
  return peers::serve({"Bullet", std::to_string(version / 100) + "." + std::to_string(version % 100),
                       "btMultiBody, stepSimulation", "btMultiBody, accelerations"},
                      [](const peers::Tree& tree) { return std::make_unique<BulletTree>(tree); });
}
