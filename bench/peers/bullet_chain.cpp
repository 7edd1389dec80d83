// The chain in Bullet, in maximal coordinates (rigid bodies and joints) or as one btMultiBody.
//
//   --solver si         sequential impulses, what Bullet takes unless told otherwise; --iterations 10 unless said
//   --solver nncg       nonlinear conjugate gradients on top of them
//   --solver dantzig    btMLCPSolver with Dantzig's direct method: one dense system per step
//   --solver multibody  joint coordinates (Featherstone's algorithm) without the damping and the limit of joint speeds that
//                       btMultiBody begins with, so that it is compared on equal terms
//   --solver multibody-default   with them: damping 0.04 and joint speeds up to 100
//   --erp X             share of a joint error that a step corrects; Bullet's own is 0.2
//
// Rigid bodies are not damped unless asked to. Deactivation is off, nothing collides, and a call of stepSimulation takes
// exactly one step.
#include "chain.h"

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <memory>

namespace {

const btVector3 kGravity(0, 0, btScalar(-9.81));

btVector3 vector_of(const peers::Vec& v) {
  return {btScalar(v[0]), btScalar(v[1]), btScalar(v[2])};
}

peers::Vec vec_of(const btVector3& v) {
  return {double(v.x()), double(v.y()), double(v.z())};
}

std::array<double, 9> matrix_of(const btMatrix3x3& R) {
  std::array<double, 9> out{};
  for (int i = 0; i < 9; ++i) out[std::size_t(i)] = double(R[i / 3][i % 3]);
  return out;
}

btVector3 along_x(double x) {
  return {btScalar(x), 0, 0};
}

/// What every world needs, although nothing collides.
struct Collision {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
};

class RigidChain : public peers::Engine {
 public:
  explicit RigidChain(const peers::Arguments& a) {
    if (a.solver == "nncg")
      solver_ = std::make_unique<btNNCGConstraintSolver>();
    else if (a.solver == "dantzig")
      solver_ = std::make_unique<btMLCPSolver>(&dantzig_);
    else
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    world_ = std::make_unique<btDiscreteDynamicsWorld>(&collision_.dispatcher, &collision_.broadphase,
                                                       solver_.get(), &collision_.configuration);
    world_->setGravity(kGravity);
    if (a.iterations > 0) world_->getSolverInfo().m_numIterations = a.iterations;
    if (a.erp >= 0) world_->getSolverInfo().m_erp = btScalar(a.erp);
    for (int i = 0; i < a.bodies(); ++i) add(a, i);
  }
  ~RigidChain() override {
    for (const auto& joint : joints_) world_->removeConstraint(joint.get());
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }
  RigidChain(const RigidChain&) = delete;
  RigidChain& operator=(const RigidChain&) = delete;

  void step(double dt) override { world_->stepSimulation(btScalar(dt), 0); }

  peers::BodyState body(int i) const override {
    const btRigidBody& b = *bodies_[std::size_t(i)];
    return {vec_of(b.getWorldTransform().getOrigin()), vec_of(b.getLinearVelocity()),
            vec_of(b.getAngularVelocity()), matrix_of(b.getWorldTransform().getBasis())};
  }

 private:
  void add(const peers::Arguments& a, int i) {
    auto body = std::make_unique<btRigidBody>(btScalar(a.mass(i)), nullptr, &shape_, vector_of(a.inertia(i)));
    body->setWorldTransform(btTransform(btQuaternion::getIdentity(), vector_of(a.position(i))));
    body->setInterpolationWorldTransform(body->getWorldTransform());
    body->setLinearVelocity(vector_of(a.velocity(i)));
    if (!a.is_payload(i)) body->setAngularVelocity(btVector3(0, 0, btScalar(a.spin)));
    body->setActivationState(DISABLE_DEACTIVATION);
    body->updateInertiaTensor();
    world_->addRigidBody(body.get(), 0, 0);
    btRigidBody* before = bodies_.empty() ? nullptr : bodies_.back().get();
    const btVector3 here = along_x(a.to_joint(i)), there = along_x(0.5 * a.length);
    const btVector3 axis = vector_of(a.hinge_axis(i));
    std::unique_ptr<btTypedConstraint> joint;
    if (a.is_hinge(i) && before != nullptr)
      joint = std::make_unique<btHingeConstraint>(*body, *before, here, there, axis, axis);
    else if (a.is_hinge(i))
      joint = std::make_unique<btHingeConstraint>(*body, here, axis);
    else if (before != nullptr)
      joint = std::make_unique<btPoint2PointConstraint>(*body, *before, here, there);
    else
      joint = std::make_unique<btPoint2PointConstraint>(*body, here);
    world_->addConstraint(joint.get(), true);
    joints_.push_back(std::move(joint));
    bodies_.push_back(std::move(body));
  }

  Collision collision_;
  btEmptyShape shape_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

class MultiBodyChain : public peers::Engine {
 public:
  explicit MultiBodyChain(const peers::Arguments& a)
      : multi_(a.bodies(), 0, btVector3(0, 0, 0), true, false) {
    for (int i = 0; i < a.bodies(); ++i) add(a, i);
    multi_.finalizeMultiDof();
    multi_.setHasSelfCollision(false);
    if (a.solver == "multibody") {
      multi_.setLinearDamping(0);
      multi_.setAngularDamping(0);
      multi_.setMaxCoordinateVelocity(btScalar(1e30));
    }
    world_.setGravity(kGravity);
    // the first joint turns the whole; the payload, held at its centre, does not turn
    set_joint_speed(a, 0, a.spin);
    if (a.payload > 0) set_joint_speed(a, a.links, -a.spin);
    world_.addMultiBody(&multi_);
    forward();
  }
  ~MultiBodyChain() override { world_.removeMultiBody(&multi_); }
  MultiBodyChain(const MultiBodyChain&) = delete;
  MultiBodyChain& operator=(const MultiBodyChain&) = delete;

  void step(double dt) override { world_.stepSimulation(btScalar(dt), 0); }

  peers::BodyState body(int i) const override {
    if (i == 0) forward();  // they are asked for in order, after each step
    const btTransform& at = multi_.getLink(i).m_cachedWorldTransform;
    const auto k = std::size_t(i) + 1;  // 0 is the base
    return {vec_of(at.getOrigin()), vec_of(at.getBasis() * velocity_[k]), vec_of(at.getBasis() * omega_[k]),
            matrix_of(at.getBasis())};
  }

 private:
  void add(const peers::Arguments& a, int i) {
    const btVector3 to_pivot = along_x(i == 0 ? 0.0 : 0.5 * a.length), to_centre = along_x(-a.to_joint(i));
    const btQuaternion none = btQuaternion::getIdentity();
    if (a.is_hinge(i))
      multi_.setupRevolute(i, btScalar(a.mass(i)), vector_of(a.inertia(i)), i - 1, none,
                           vector_of(a.hinge_axis(i)), to_pivot, to_centre, true);
    else
      multi_.setupSpherical(i, btScalar(a.mass(i)), vector_of(a.inertia(i)), i - 1, none, to_pivot, to_centre,
                            true);
  }

  void set_joint_speed(const peers::Arguments& a, int i, double about_z) {
    if (a.is_hinge(i)) {
      multi_.setJointVel(i, btScalar(about_z));
      return;
    }
    const btScalar speed[3] = {0, 0, btScalar(about_z)};
    multi_.setJointVelMultiDof(i, speed);
  }

  /// World transforms and velocities, in the axes of each link.
  void forward() const {
    auto& multi = const_cast<btMultiBody&>(multi_);  // forwardKinematics only fills what it caches
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    multi.forwardKinematics(turns, places);
    omega_.resize(std::size_t(multi.getNumLinks()) + 1);
    velocity_.resize(omega_.size());
    multi.compTreeLinkVelocities(omega_.data(), velocity_.data());
  }

  Collision collision_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&collision_.dispatcher, &collision_.broadphase, &solver_,
                                  &collision_.configuration};
  btMultiBody multi_;
  mutable std::vector<btVector3> omega_, velocity_;
};

std::string variant_of(const peers::Arguments& a) {
  std::string variant;
  if (a.solver == "multibody")
    variant = "btMultiBody, undamped";
  else if (a.solver == "multibody-default")
    variant = "btMultiBody, default damping";
  else if (a.solver == "dantzig")
    variant = "rigid bodies, Dantzig";
  else
    variant = (a.solver == "nncg" ? "rigid bodies, NNCG, " : "rigid bodies, ") +
              std::to_string(a.iterations > 0 ? a.iterations : 10) + " iterations";
  if (a.erp >= 0) {
    char text[40];
    std::snprintf(text, sizeof text, ", ERP %g", a.erp);
    variant += text;
  }
  return variant + (sizeof(btScalar) == sizeof(double) ? ", double" : ", single");
}

bool is_solver(const std::string& name) {
  for (const char* known : {"", "si", "nncg", "dantzig", "multibody", "multibody-default"})
    if (name == known) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const peers::Arguments arguments = peers::read_arguments(argc, argv);
  if (!is_solver(arguments.solver)) {
    std::fprintf(stderr, "error: --solver is si, nncg, dantzig, multibody or multibody-default\n");
    return 2;
  }
  std::unique_ptr<peers::Engine> chain;
  if (arguments.solver.starts_with("multibody"))
    chain = std::make_unique<MultiBodyChain>(arguments);
  else
    chain = std::make_unique<RigidChain>(arguments);
  const int version = btGetVersion();
  peers::Recorder recorder(arguments, "Bullet",
                           std::to_string(version / 100) + "." + std::to_string(version % 100),
                           variant_of(arguments));
  recorder.run(*chain);
  recorder.print();
  return 0;
}
