// Spanning trees: breadth first from the world, then from the heaviest body of what is left; numbered depth first.   O(bodies + constraints)
#include "formulation/minimal/structure.h"

#include "math/rotation.h"

#include <fmt/core.h>

#include <algorithm>

namespace catena::minimal {
namespace {

// A body that is joined to nothing, by its kind.
constexpr JointShape kFreePlanar{.kind = "free-planar",
                                 .title = "a free planar body",
                                 .moves = {3, {Move::slide_x, Move::slide_y, Move::turn_z}}};
constexpr JointShape kFreeParticle{.kind = "free-particle",
                                   .title = "a free particle",
                                   .moves = {3, {Move::slide_x, Move::slide_y, Move::slide_z}}};
constexpr JointShape kFreeParticle2{.kind = "free-particle-2d",
                                    .title = "a free particle in the plane",
                                    .moves = {2, {Move::slide_x, Move::slide_y}}};

/// nullptr: such bodies have coordinates that are not those of a frame.
const JointShape* free_shape(BodyType type) {
  switch (type) {
    case BodyType::rigid:
      return &kFreeShape;
    case BodyType::planar:
      return &kFreePlanar;
    case BodyType::particle3:
      return &kFreeParticle;
    case BodyType::particle2:
      return &kFreeParticle2;
    case BodyType::other:
      break;
  }
  return nullptr;
}

Frame frame_of(const Attachment& attachment) {
  return {attachment.axes, attachment.point};
}

/// Marker a (0) or b (1) of a joint that has the motion `motion`, in the coordinates of its body. A ball in the plane has no axes of its own.
Frame marker_of(const ConstraintEntry& entry, const JointMotion& motion, int side) {
  Frame frame = frame_of(entry.constraint->attachments()[std::size_t(side)]);
  if (entry.planar && entry.constraint->type() == JointType::ball && &motion.shape() == &kHingeShape)
    frame.R = M3<double>::identity();
  return frame;
}

Frame body_frame(const Model& model, BodyId id) {
  const int index = model.index_of(id);
  if (index < 0) return {};
  const BodyEntry& entry = model.bodies()[std::size_t(index)];
  const Placement at = entry.body->unpack(entry.q.data(), entry.v.data());
  return {at.orientation.toRotationMatrix(), at.position};
}

/// Whether the coordinates of the joint can say how it stands at the start. Rows of axes hold for opposite ones too, the coordinates do not.
bool covers_start(const Model& model, const ConstraintEntry& entry, const JointMotion& motion) {
  constexpr double kFarOff = 0.1;  // rad; below it a start is merely inaccurate
  const auto at = entry.constraint->attachments();
  const Frame a = body_frame(model, at[0].body) * marker_of(entry, motion, 0),
              b = body_frame(model, at[1].body) * marker_of(entry, motion, 1), seen = b.inverse() * a;
  double q[JointMotion::kMostQ];
  motion.set_neutral(q);
  motion.coordinates_of({seen.x, seen.R}, q);
  return log_rotation(Quat(Mat3(motion.pose_from(q).R.transpose() * Mat3(seen.R)))).norm() < kFarOff;
}

bool is_frame(const Model& model, BodyId id, bool planar) {
  const int index = model.index_of(id);
  if (index < 0) return true;
  const BodyType type = model.bodies()[std::size_t(index)].body->type();
  return type == (planar ? BodyType::planar : BodyType::rigid);
}

/// The motion of a constraint that can carry a link; nothing for those that are rows on joint coordinates.
std::optional<JointMotion> carrier(const Model& model, const ConstraintEntry& entry) {
  std::optional<JointMotion> motion = joint_motion_of(*entry.constraint, entry.planar);
  if (!motion) return motion;
  const auto at = entry.constraint->attachments();
  const bool joins = at[0].body != at[1].body && is_frame(model, at[0].body, entry.planar) &&
                     is_frame(model, at[1].body, entry.planar);
  return joins && covers_start(model, entry, *motion) ? motion : std::nullopt;
}

RigidInertia<double> inertia_of(const Body& body, const Frame& at) {
  RigidInertia<double> out;
  out.m = body.mass();
  out.h = out.m * at.x;
  Mat3 about_centre = Mat3::Zero();
  if (body.type() == BodyType::rigid) about_centre = static_cast<const Rigid&>(body).inertia();
  if (body.type() == BodyType::planar) about_centre(2, 2) = static_cast<const PlanarRigid&>(body).inertia();
  const Mat3 R = at.R, x = skew(at.x);
  out.J = R * about_centre * R.transpose() - out.m * x * x;
  return out;
}

JointKind kind_of(const JointMotion& motion) {
  if (motion.num_v() == 0) return JointKind::fixed;
  if (&motion.shape() == &kUniversalShape) return JointKind::universal;
  if (&motion.shape() == &kFreeShape) return JointKind::free;
  if (motion.shape().moves.count > 1) return JointKind::other;
  switch (motion.shape().moves[0]) {
    case Move::ball:
      return JointKind::ball;
    case Move::turn_z:
      return JointKind::hinge;
    case Move::slide_z:
      return JointKind::slider;
    default:
      return JointKind::other;
  }
}

/// Joints that may carry, from body to body; the world comes last.
struct JointGraph {
  struct Edge {
    int to, joint;
  };
  std::vector<std::vector<Edge>> edges;

  explicit JointGraph(const Model& model) : edges(model.bodies().size() + 1) {
    const int world_node = int(model.bodies().size());
    for (int c = 0; c < int(model.constraints().size()); ++c) {
      const ConstraintEntry& entry = model.constraints()[std::size_t(c)];
      if (!carrier(model, entry)) continue;
      const auto at = entry.constraint->attachments();
      int a = model.index_of(at[0].body), b = model.index_of(at[1].body);
      if (a < 0) a = world_node;
      if (b < 0) b = world_node;
      edges[std::size_t(a)].push_back({b, c});
      edges[std::size_t(b)].push_back({a, c});
    }
  }
};

/// Per body: the body and the joint that carry it; both -1 for those that are free.
struct Carriers {
  std::vector<int> parent, joint;
  std::vector<char> is_reached;

  Carriers(const Model& model, const JointGraph& graph)
      : parent(model.bodies().size(), -1), joint(parent), is_reached(model.bodies().size() + 1, 0) {
    spread(graph, int(model.bodies().size()));
    for (int root : by_mass(model))
      if (is_reached[std::size_t(root)] == 0) spread(graph, root);
  }

 private:
  static std::vector<int> by_mass(const Model& model) {
    std::vector<int> order(model.bodies().size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = int(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return model.bodies()[std::size_t(a)].body->mass() > model.bodies()[std::size_t(b)].body->mass();
    });
    return order;
  }
  void spread(const JointGraph& graph, int root) {
    const int world_node = int(parent.size());
    std::vector<int> queue{root};
    is_reached[std::size_t(root)] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const JointGraph::Edge& edge : graph.edges[std::size_t(queue[i])]) {
        if (is_reached[std::size_t(edge.to)] != 0) continue;
        is_reached[std::size_t(edge.to)] = 1;
        parent[std::size_t(edge.to)] = queue[i] == world_node ? -1 : queue[i];
        joint[std::size_t(edge.to)] = edge.joint;
        queue.push_back(edge.to);
      }
  }
};

}  // namespace

Structure::Structure(const Model& model)
    : link_of_body(model.bodies().size(), -1),
      link_of_joint(model.constraints().size(), -1),
      gravity(model.gravity) {
  body_q.push_back(0);
  body_v.push_back(0);
  for (const BodyEntry& entry : model.bodies()) {
    bodies.push_back(entry.body);
    body_q.push_back(body_q.back() + entry.body->num_q());
    body_v.push_back(body_v.back() + entry.body->num_v());
    ids_of_bodies.push_back(entry.id);
    names_of_bodies.push_back(entry.name);
  }
  for (const ConstraintEntry& entry : model.constraints()) ids_of_joints.push_back(entry.id);
  start_q.resize(body_q.back());
  start_v.resize(body_v.back());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    start_q.segment(body_q[b], bodies[b]->num_q()) = model.bodies()[b].q;
    start_v.segment(body_v[b], bodies[b]->num_v()) = model.bodies()[b].v;
  }
  span_trees(model);
  for (int c = 0; c < int(link_of_joint.size()); ++c)
    if (link_of_joint[std::size_t(c)] < 0) cuts.push_back(c);
}

void Structure::span_trees(const Model& model) {
  const JointGraph graph(model);
  const Carriers carriers(model, graph);
  std::vector<std::vector<int>> children(bodies.size());
  std::vector<int> stack;
  for (int b = int(bodies.size()) - 1; b >= 0; --b) {
    if (free_shape(bodies[std::size_t(b)]->type()) == nullptr) continue;
    const int parent = carriers.parent[std::size_t(b)];
    (parent < 0 ? stack : children[std::size_t(parent)]).push_back(b);
  }
  while (!stack.empty()) {
    const int b = stack.back();
    stack.pop_back();
    const int parent = carriers.parent[std::size_t(b)];
    add_link(model, b, parent < 0 ? -1 : link_of_body[std::size_t(parent)], carriers.joint[std::size_t(b)]);
    stack.insert(stack.end(), children[std::size_t(b)].begin(), children[std::size_t(b)].end());
  }
  for (int b = 0; b < int(bodies.size()); ++b) {
    const Body& body = *bodies[std::size_t(b)];
    if (free_shape(body.type()) != nullptr) continue;
    loose.push_back({b, num_q, num_v, body.num_q(), body.num_v()});
    num_q += body.num_q();
    num_v += body.num_v();
  }
}

void Structure::add_link(const Model& model, int body, int parent, int joint) {
  const Body& own = *bodies[std::size_t(body)];
  const ConstraintEntry* entry = joint < 0 ? nullptr : &model.constraints()[std::size_t(joint)];
  Link link(entry != nullptr ? *carrier(model, *entry) : JointMotion(*free_shape(own.type())));
  link.parent = parent;
  link.body = body;
  link.joint = joint;
  link.kind = kind_of(link.motion);
  link.q = num_q;
  link.v = num_v;
  if (entry != nullptr) {
    link.carries_b = model.index_of(entry->constraint->attachments()[1].body) == body;
    link.at_body = marker_of(*entry, link.motion, link.carries_b ? 1 : 0).inverse();
    link.at_parent = marker_of(*entry, link.motion, link.carries_b ? 0 : 1);
    if (parent >= 0) link.at_parent = links[std::size_t(parent)].at_body * link.at_parent;
    link_of_joint[std::size_t(joint)] = int(links.size());
  }
  link.inertia = inertia_of(own, link.at_body);
  link_of_body[std::size_t(body)] = int(links.size());
  num_q += link.num_q();
  num_v += link.num_v();
  links.push_back(link);
}

}  // namespace catena::minimal
