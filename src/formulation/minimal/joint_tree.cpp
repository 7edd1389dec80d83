// The public face of the structure, and coordinates of joints from and to those of bodies.
#include "formulation/minimal/dynamics.h"
#include "math/rotation.h"

#include <fmt/core.h>

#include <algorithm>

namespace catena {

using namespace minimal;

namespace {

[[noreturn]] void refuse(std::string what, std::string remedy) {
  throw InvalidInput({{"tree algorithm", std::move(what), std::move(remedy)}});
}

void check_size(std::string_view name, Eigen::Index size, Eigen::Index wanted) {
  if (size != wanted)
    refuse(fmt::format("{} has {} numbers, the tree wants {}", name, size, wanted),
           "give as many as JointTree says");
}

/// A body as the frame of its link moves, in the world.
Marker carried(const Placement& body, const Frame& body_in_link) {
  const Frame link = Frame{body.orientation.toRotationMatrix(), body.position} * body_in_link.inverse();
  return {link.x, body.velocity + body.angular_velocity.cross(link.x - body.position), link.R,
          body.angular_velocity};
}

/// The frame `inner` fixed in a moving frame.
Marker on(const Marker& outer, const Frame& inner) {
  const Vec3 r = outer.R * inner.x;
  return {outer.x + r, outer.v + outer.w.cross(r), outer.R * inner.R, outer.w};
}

/// Pose and twist of a seen from b, in the axes of b.
void read_joint(const JointMotion& motion, const Marker& a, const Marker& b, double* q, double* v) {
  const Vec3 apart = a.x - b.x;
  const RelativePose pose{b.R.transpose() * apart, b.R.transpose() * a.R};
  motion.coordinates_of(pose, q);
  Twist twist;
  twist << b.R.transpose() * (a.v - b.v - b.w.cross(apart)), b.R.transpose() * (a.w - b.w);
  motion.velocities_of(q, twist, v);
}

}  // namespace

namespace minimal {

const Link& link_at(const Structure& structure, int link) {
  if (link < 0 || link >= int(structure.links.size()))
    refuse(fmt::format("there is no link {}", link),
           fmt::format("links are 0 to {}", int(structure.links.size()) - 1));
  return structure.links[std::size_t(link)];
}

void check_sizes(const Structure& structure, const VecX& q, const VecX& v, const VecX* a, Loads loads) {
  check_size("q", q.size(), structure.num_q);
  check_size("v", v.size(), structure.num_v);
  if (a != nullptr) check_size("the vector of accelerations or forces", a->size(), structure.num_v);
  if (!loads.empty())
    check_size("the list of loads", Eigen::Index(loads.size()), Eigen::Index(structure.bodies.size()));
}

}  // namespace minimal

JointTree::JointTree(const Model& model) : structure_(std::make_unique<const Structure>(model)) {}
JointTree::~JointTree() = default;
JointTree::JointTree(JointTree&&) noexcept = default;
JointTree& JointTree::operator=(JointTree&&) noexcept = default;

int JointTree::num_links() const {
  return int(structure_->links.size());
}
int JointTree::num_q() const {
  return structure_->num_q;
}
int JointTree::num_v() const {
  return structure_->num_v;
}
int JointTree::parent(int link) const {
  return link_at(*structure_, link).parent;
}
int JointTree::body(int link) const {
  return link_at(*structure_, link).body;
}
int JointTree::joint(int link) const {
  return link_at(*structure_, link).joint;
}
int JointTree::q(int link) const {
  return link_at(*structure_, link).q;
}
int JointTree::num_q(int link) const {
  return link_at(*structure_, link).num_q();
}
int JointTree::v(int link) const {
  return link_at(*structure_, link).v;
}
int JointTree::num_v(int link) const {
  return link_at(*structure_, link).num_v();
}
const std::vector<int>& JointTree::cuts() const {
  return structure_->cuts;
}

int JointTree::link_of(BodyId body) const {
  const auto& ids = structure_->ids_of_bodies;
  const auto found = std::find(ids.begin(), ids.end(), body);
  if (found == ids.end())
    refuse("this body is not in the model", "give the id that Model::add returned; the world is no link");
  return structure_->link_of_body[std::size_t(found - ids.begin())];
}

int JointTree::link_of(ConstraintId joint) const {
  const auto& ids = structure_->ids_of_joints;
  const auto found = std::find(ids.begin(), ids.end(), joint);
  if (found == ids.end())
    refuse("this constraint is not in the model", "give the id that Model::add returned");
  return structure_->link_of_joint[std::size_t(found - ids.begin())];
}

void JointTree::start(VecX& q, VecX& v) const {
  q.resize(0);
  to_joints(structure_->start_q, structure_->start_v, q, v);
}

void JointTree::to_joints(const VecX& body_q, const VecX& body_v, VecX& q, VecX& v) const {
  const Structure& s = *structure_;
  check_size("the vector of body coordinates", body_q.size(), s.body_q.back());
  check_size("the vector of body velocities", body_v.size(), s.body_v.back());
  if (q.size() == 0) {
    q.resize(s.num_q);
    for (const Link& link : s.links) link.motion.set_neutral(q.data() + link.q);
  }
  check_size("q", q.size(), s.num_q);
  v.resize(s.num_v);
  std::vector<Marker> moving(s.links.size());
  const Marker ground{Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()};
  for (std::size_t k = 0; k < s.links.size(); ++k) {
    const Link& link = s.links[k];
    const auto b = std::size_t(link.body);
    moving[k] =
        carried(s.bodies[b]->unpack(body_q.data() + s.body_q[b], body_v.data() + s.body_v[b]), link.at_body);
    const Marker other = on(link.parent < 0 ? ground : moving[std::size_t(link.parent)], link.at_parent);
    read_joint(link.motion, link.carries_b ? other : moving[k], link.carries_b ? moving[k] : other,
               q.data() + link.q, v.data() + link.v);
  }
}

void JointTree::to_bodies(const VecX& q, const VecX& v, VecX& body_q, VecX& body_v) const {
  const Structure& s = *structure_;
  TreeData data(*this);
  forward_kinematics(*this, q, v, data);
  body_q.resize(s.body_q.back());
  body_v.resize(s.body_v.back());
  for (std::size_t k = 0; k < s.links.size(); ++k) {
    const auto b = std::size_t(s.links[k].body);
    const std::string problem = s.bodies[b]->pack(placement(*this, data, int(k)), body_q.data() + s.body_q[b],
                                                  body_v.data() + s.body_v[b]);
    if (!problem.empty()) refuse(fmt::format("body {}: {}", b, problem), "check q and v");
  }
}

void JointTree::retract(const VecX& d, VecX& q) const {
  check_size("d", d.size(), structure_->num_v);
  check_size("q", q.size(), structure_->num_q);
  for (const Link& link : structure_->links)
    link.motion.retract(q.data() + link.q, d.data() + link.v, q.data() + link.q);
}

TreeData::TreeData(const JointTree& tree) : workspace_(std::make_unique<Workspace>(tree.structure())) {}
TreeData::~TreeData() = default;
TreeData::TreeData(TreeData&&) noexcept = default;
TreeData& TreeData::operator=(TreeData&&) noexcept = default;

}  // namespace catena
