// The bodies of a model as links of trees: which joint carries which body, and the constant numbers of each.
//
// The frame of a link is that of its own marker of the joint that carries it, so that hinges turn about z of it; of a link that is joined to
// nothing, that of its body.
#pragma once

#include "catena/algorithms.h"
#include "formulation/minimal/spatial.h"
#include "model/joints/joint_motion.h"

namespace catena::minimal {

using Frame = Pose<double>;

/// Joints that the sweeps know by name.
enum class JointKind : std::uint8_t { fixed, hinge, slider, ball, universal, free, other };

struct Link {
  int parent = -1;         // link; -1: the world
  int body = -1;           // position in the model
  int joint = -1;          // position among the constraints; -1: free
  bool carries_b = false;  // the joint's marker b is on this link and its marker a on the parent
  JointKind kind = JointKind::other;
  int q = 0, v = 0;  // offsets
  JointMotion motion;
  Frame at_parent;               // marker of the joint on the parent, in the frame of the parent
  Frame at_body;                 // frame of the body (centre of mass, body axes) in the frame of the link
  RigidInertia<double> inertia;  // in the frame of the link

  explicit Link(const JointMotion& joint_motion) : motion(joint_motion) {}
  int num_q() const { return motion.num_q(); }
  int num_v() const { return motion.num_v(); }
};

/// A body with coordinates of its own, which no joint carries and which carries none: those that stretch, Lagrangian ones.
struct LooseBody {
  int body = -1;
  int q = 0, v = 0;  // offsets
  int num_q = 0, num_v = 0;
};

struct Structure {
  /// @pre the model is valid
  explicit Structure(const Model& model);

  std::vector<Link> links;                       // depth first
  std::vector<LooseBody> loose;                  // behind the links, in q and v too
  std::vector<int> link_of_body, link_of_joint;  // by position in the model; -1: none
  std::vector<int> body_q,
      body_v;  // offsets of bodies in a state of body coordinates, and one behind the last
  std::vector<std::shared_ptr<const Body>> bodies;
  std::vector<BodyId> ids_of_bodies;  // in the order of the model, as the following
  std::vector<std::string> names_of_bodies;
  std::vector<ConstraintId> ids_of_joints;
  std::vector<int> cuts;
  VecX start_q, start_v;  // of the bodies
  Vec3 gravity = Vec3::Zero();
  int num_q = 0, num_v = 0;

 private:
  void span_trees(const Model& model);
  void add_link(const Model& model, int body, int parent, int joint);
};

}  // namespace catena::minimal
