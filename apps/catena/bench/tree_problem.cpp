// Trees of rigid bodies in the words of other engines.
//
// A peer's link has the axes of the world where all coordinates are zero: R, its axes to those of the world, is how far its body has turned
// since. With p the parent (R_p = 1, ω_p = 0 for the world):
//
//   turn of a ball = R_pᵀ R,      its angular velocity in the axes of the link = Rᵀ(ω - ω_p)                                   (1)
#include "bench/tree_problem.h"

#include <nlohmann/json.hpp>

#include <random>

namespace catena::app {
namespace {

using TreeJson = nlohmann::ordered_json;

TreeJson list_of(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

TreeJson list_of(const Quat& p) {
  return {p.w(), p.x(), p.y(), p.z()};
}

/// About the centre of mass, in world axes.
Mat3 inertia_of(const Body& body, const Placement& at) {
  VecX q(body.num_q()), v(body.num_v());
  body.pack(at, q.data(), v.data());
  Eigen::Matrix<double, 6, 6> M;
  body.mass_block(q.data(), M.data());
  return M.bottomRightCorner<3, 3>();
}

class TreeWriter {
 public:
  explicit TreeWriter(const TreeProblem& problem)
      : problem_(problem),
        model_(problem.model),
        tree_(problem.model),
        now_(placements(model_, problem.start)) {}

  std::string text() {
    TreeJson links = TreeJson::array();
    for (int i = 0; i < tree_.num_links(); ++i) links.push_back(link(i));
    return TreeJson{{"gravity", list_of(model_.gravity)}, {"dt", problem_.dt}, {"links", std::move(links)}}
        .dump();
  }

 private:
  TreeJson link(int i) {
    const BodyEntry& entry = body_of(i);
    const Placement& at = problem_.zero[std::size_t(tree_.body(i))];
    TreeJson inertia = TreeJson::array();
    const Mat3 I = inertia_of(*entry.body, at);
    for (int k = 0; k < 9; ++k) inertia.push_back(I(k / 3, k % 3));
    TreeJson out = {
        {"parent", tree_.parent(i)}, {"mass", entry.body->mass()}, {"inertia", std::move(inertia)}};
    const bool is_free = tree_.joint(i) == JointTree::kNone;
    const Vec3 origin = is_free ? at.position : joint_point(i);
    origins_.push_back(origin);
    const Vec3 below = tree_.parent(i) < 0 ? Vec3(Vec3::Zero()) : origins_[std::size_t(tree_.parent(i))];
    out["offset"] = list_of(is_free ? Vec3(Vec3::Zero()) : Vec3(origin - below));
    out["centre"] = list_of(Vec3(at.position - origin));
    is_free ? add_free(i, out) : add_joint(i, out);
    return out;
  }

  void add_free(int i, TreeJson& out) const {
    const Placement& now = now_[std::size_t(tree_.body(i))];
    out["joint"] = "free";
    out["place"] = list_of(now.position);
    out["speed"] = list_of(now.velocity);
    add_ball(i, out);
  }

  void add_joint(int i, TreeJson& out) const {
    const Constraint& joint = joint_of(i);
    out["joint"] = std::string(joint.kind());
    if (joint.type() == JointType::ball) return add_ball(i, out);
    const Mat3 a = axes_of(joint.attachments()[0]), b = axes_of(joint.attachments()[1]);
    const double *q = problem_.start.q.data() + tree_.q(i), *v = problem_.start.v.data() + tree_.v(i);
    out["axis"] = list_of(Vec3(b.col(2)));
    out["angles"] = TreeJson::array({q[0]});
    out["rates"] = TreeJson::array({v[0]});
    if (joint.type() != JointType::universal) return;
    out["second"] = list_of(Vec3(a.col(0)));
    out["angles"].push_back(q[1]);
    out["rates"].push_back(v[1]);
  }

  void add_ball(int i, TreeJson& out) const {  // (1)
    const Quat turn = turn_of(i);
    const int p = tree_.parent(i);
    const Vec3 carried = p < 0 ? Vec3(Vec3::Zero()) : now_[std::size_t(tree_.body(p))].angular_velocity;
    out["turn"] = list_of(p < 0 ? turn : Quat(turn_of(p).conjugate() * turn));
    out["spin"] =
        list_of(Vec3(turn.conjugate() * (now_[std::size_t(tree_.body(i))].angular_velocity - carried)));
  }

  Quat turn_of(int i) const {
    const auto body = std::size_t(tree_.body(i));
    return now_[body].orientation * problem_.zero[body].orientation.conjugate();
  }

  const Constraint& joint_of(int i) const {
    return *model_.constraints()[std::size_t(tree_.joint(i))].constraint;
  }
  const BodyEntry& body_of(int i) const { return model_.bodies()[std::size_t(tree_.body(i))]; }

  Vec3 joint_point(int i) const {
    const Attachment& marker = joint_of(i).attachments()[0];
    const Placement& at = problem_.zero[std::size_t(model_.index_of(marker.body))];
    return at.position + at.orientation * marker.point;
  }

  Mat3 axes_of(const Attachment& marker) const {
    if (marker.body == world) return marker.axes;
    return problem_.zero[std::size_t(model_.index_of(marker.body))].orientation * marker.axes;
  }

  const TreeProblem& problem_;
  const Model& model_;
  JointTree tree_;
  std::vector<Placement> now_;  // per body of the model
  std::vector<Vec3> origins_;   // per link, where all coordinates are zero
};

void append_three(std::vector<double>& out, const Vec3& v) {
  out.insert(out.end(), {v[0], v[1], v[2]});
}

}  // namespace

TreeProblem moving(std::string key, std::string name, Model model, double same) {
  const JointTree tree(model);
  std::mt19937 engine(2008);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Placement> zero;
  for (const BodyEntry& entry : model.bodies())
    zero.push_back(entry.body->unpack(entry.q.data(), entry.v.data()));
  VecX q, v, turned(tree.num_v()), body_q, body_v;
  tree.start(q, v);
  for (double& x : turned) x = uniform(engine);
  for (double& x : v) x = uniform(engine);
  tree.retract(turned, q);
  tree.to_bodies(q, v, body_q, body_v);
  for (int i = 0, at_q = 0, at_v = 0; i < int(zero.size()); ++i) {
    const Body& body = *model.bodies()[std::size_t(i)].body;
    model.set_start(i, body_q.segment(at_q, body.num_q()), body_v.segment(at_v, body.num_v()));
    at_q += body.num_q(), at_v += body.num_v();
  }
  State start = Simulation(model, {.formulation = Formulation::minimal}).state();
  return {std::move(key), std::move(name), std::move(model), std::move(start), std::move(zero), same};
}

std::string described(const TreeProblem& problem) {
  return TreeWriter(problem).text();
}

std::vector<double> joint_accelerations(const TreeProblem& problem) {
  const JointTree tree(problem.model);
  TreeData data(tree);
  const VecX tau = VecX::Zero(tree.num_v());
  VecX a = tau;
  const State& s = problem.start;
  if (forward_dynamics(tree, s.q, s.v, tau, data, a) != JointTree::kNone) return {};
  forward_kinematics(tree, s.q, s.v, data);
  std::vector<double> out;
  MotionJacobian J;
  for (int i = 0; i < tree.num_links(); ++i) {
    body_jacobian(tree, data, i, J);
    const Vec6 acceleration = J * a + body_bias(tree, data, i);
    append_three(out, acceleration.head<3>());
    append_three(out, acceleration.tail<3>());
  }
  return out;
}

std::vector<double> body_accelerations(const TreeProblem& problem) {
  const JointTree tree(problem.model);
  Simulation sim(problem.model, {.formulation = Formulation::maximal});
  const VecX& a = sim.accelerations();
  std::vector<double> out;
  for (int i = 0; i < tree.num_links(); ++i) {
    append_three(out, a.segment<3>(6 * tree.body(i)));
    append_three(out, a.segment<3>(6 * tree.body(i) + 3));
  }
  return out;
}

std::vector<double> state_after(const TreeProblem& problem, int steps) {
  const JointTree tree(problem.model);
  Simulation sim(problem.model,
                 {.formulation = Formulation::minimal, .integrator = Integrator::symplectic_euler});
  for (int k = 0; k < steps; ++k)
    if (!sim.step(problem.dt).ok()) return {};
  std::vector<double> out;
  for (int i = 0; i < tree.num_links(); ++i) {
    const Placement at = sim.placement(problem.model.bodies()[std::size_t(tree.body(i))].id);
    for (const Vec3& part : {at.position, at.velocity, at.angular_velocity}) append_three(out, part);
  }
  return out;
}

}  // namespace catena::app
