// The public face of the structure, and coordinates of joints from and to those of bodies.
#include "formulation/minimal/body_map.h"
#include "formulation/minimal/dynamics.h"
#include "formulation/minimal/operational_space.h"

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

void refuse_other_bodies(const Model& model) {
  std::vector<Issue> issues = model.validate();
  for (const BodyEntry& entry : model.bodies())
    if (entry.body->type() == BodyType::other)
      issues.push_back({fmt::format("body '{}'", entry.name),
                        fmt::format("a body of the kind '{}' is no link of a tree", entry.body->kind()),
                        "simulate it (Simulation), which takes it with coordinates of its own"});
  if (!issues.empty()) throw InvalidInput(std::move(issues));
}

std::unique_ptr<const Structure> structure_of(const Model& model) {
  refuse_other_bodies(model);
  return std::make_unique<const Structure>(model);
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

JointTree::JointTree(const Model& model) : structure_(structure_of(model)) {}
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
  if (q.size() != 0) check_size("q", q.size(), s.num_q);
  std::vector<Marker> markers;
  read_joints(s, body_q, body_v, markers, q, v);
}

void JointTree::to_bodies(const VecX& q, const VecX& v, VecX& body_q, VecX& body_v) const {
  TreeData data(*this);
  forward_kinematics(*this, q, v, data);
  write_bodies(*structure_, data.workspace(), q, v, body_q, body_v);
}

void JointTree::retract(const VecX& d, VecX& q) const {
  check_size("d", d.size(), structure_->num_v);
  check_size("q", q.size(), structure_->num_q);
  for (const Link& link : structure_->links)
    link.motion.retract(q.data() + link.q, d.data() + link.v, q.data() + link.q);
}

TreeData::TreeData(const JointTree& tree)
    : workspace_(std::make_unique<Workspace>(tree.structure())),
      operational_(std::make_unique<OperationalWorkspace>()) {}
TreeData::~TreeData() = default;
TreeData::TreeData(TreeData&&) noexcept = default;
TreeData& TreeData::operator=(TreeData&&) noexcept = default;

}  // namespace catena
