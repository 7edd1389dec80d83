// The tree in MuJoCo: mj_step with its Euler integrator, mj_forward. Nothing collides and nothing is damped: Euler is then semi-implicit
// in joint coordinates, v += dt·v̇, q ⊕= dt·v.
#include "tree.h"

#include <mujoco/mujoco.h>

#include <stdexcept>

namespace {

using peers::JointKind;
using peers::Link;
using peers::Vector;

void copy(const Vector& from, double* to) {
  for (int i = 0; i < 3; ++i) to[i] = from[i];
}

void copy(const peers::Quaternion& from, double* to) {
  to[0] = from.w(), to[1] = from.x(), to[2] = from.y(), to[3] = from.z();
}

Vector vector_at(const double* from) {
  return {from[0], from[1], from[2]};
}

void add_joint(mjsBody* body, mjtJoint type, const Vector& axis) {
  mjsJoint* joint = mjs_addJoint(body, nullptr);
  joint->type = type;
  copy(axis, joint->axis);
}

void add_joints(mjsBody* body, const Link& link) {
  switch (link.joint) {
    case JointKind::free:
      return add_joint(body, mjJNT_FREE, Vector::UnitZ());
    case JointKind::ball:
      return add_joint(body, mjJNT_BALL, Vector::UnitZ());
    case JointKind::hinge:
      return add_joint(body, mjJNT_HINGE, link.axis);
    case JointKind::universal:
      add_joint(body, mjJNT_HINGE, link.axis);
      add_joint(body, mjJNT_HINGE, link.second);
  }
}

/// @param ids   of the bodies: MuJoCo puts them into an order of its own
mjModel* build(const peers::Tree& tree, std::vector<int>& ids) {
  mjSpec* spec = mj_makeSpec();
  spec->option.timestep = tree.dt;
  spec->option.integrator = mjINT_EULER;
  copy(tree.gravity, spec->option.gravity);
  std::vector<mjsBody*> bodies;
  for (const Link& link : tree.links) {
    mjsBody* parent = link.parent < 0 ? mjs_findBody(spec, "world") : bodies[std::size_t(link.parent)];
    mjsBody* body = mjs_addBody(parent, nullptr);
    copy(link.offset, body->pos);
    body->explicitinertial = 1;
    body->mass = link.mass;
    copy(link.centre, body->ipos);
    const peers::Matrix& I = link.inertia;
    const double full[] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    for (int i = 0; i < 6; ++i) body->fullinertia[i] = full[i];
    add_joints(body, link);
    bodies.push_back(body);
  }
  mjModel* model = mj_compile(spec, nullptr);
  if (model == nullptr) throw std::runtime_error(mjs_getError(spec));
  for (mjsBody* body : bodies) ids.push_back(mjs_getId(body->element));
  mj_deleteSpec(spec);
  return model;
}

class MujocoTree : public peers::TreeEngine {
 public:
  explicit MujocoTree(const peers::Tree& tree)
      : tree_(tree), model_(build(tree, ids_)), data_(mj_makeData(model_)) {}
  ~MujocoTree() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoTree(const MujocoTree&) = delete;
  MujocoTree& operator=(const MujocoTree&) = delete;

  void restart() override {
    mj_resetData(model_, data_);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const Link& link = tree_.links[i];
      double* q = data_->qpos + model_->jnt_qposadr[model_->body_jntadr[ids_[i]]];
      double* v = data_->qvel + model_->body_dofadr[ids_[i]];
      if (link.joint == JointKind::hinge || link.joint == JointKind::universal) {
        const int count = link.joint == JointKind::hinge ? 1 : 2;
        for (int k = 0; k < count; ++k) q[k] = link.angle[k], v[k] = link.rate[k];
        continue;
      }
      if (link.joint == JointKind::free) {
        copy(link.place, q), copy(link.speed, v);
        q += 3, v += 3;
      }
      copy(link.turn, q), copy(link.spin, v);
    }
    mj_forward(model_, data_);
  }
  void step() override { mj_step(model_, data_); }
  void forward() override { mj_forward(model_, data_); }

  std::vector<double> accelerations() override {
    mj_forward(model_, data_);
    mj_rnePostConstraint(model_, data_);
    std::vector<double> out;
    for (const int body : ids_) {
      double a[6];  // angular, linear; falling freely it is zero
      mj_objectAcceleration(model_, data_, mjOBJ_BODY, body, a, 0);
      peers::append(out, vector_at(a + 3) + tree_.gravity);
      peers::append(out, vector_at(a));
    }
    return out;
  }

  std::vector<double> state() override {
    mj_forward(model_, data_);
    std::vector<double> out;
    for (const int body : ids_) {
      double v[6];  // angular, linear
      mj_objectVelocity(model_, data_, mjOBJ_BODY, body, v, 0);
      peers::append(out, vector_at(data_->xipos + 3 * body));
      peers::append(out, vector_at(v + 3));
      peers::append(out, vector_at(v));
    }
    return out;
  }

 private:
  peers::Tree tree_;
  std::vector<int> ids_;  // per link
  mjModel* model_;
  mjData* data_;
};

}  // namespace

int main() {
  mju_user_warning = [](const char*) {};  // or it is written to a file in the current folder
  return peers::serve({"MuJoCo", mj_versionString(), "mj_step, Euler", "mj_forward"},
                      [](const peers::Tree& tree) { return std::make_unique<MujocoTree>(tree); });
}
