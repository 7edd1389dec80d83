// Tree algorithms on joint coordinates: kinematics, inverse and forward dynamics, mass matrix, Jacobians, momentum, operational space.
//
//   JointTree tree(model);                        // which joint carries which body; once per structure
//   TreeData data(tree);                          // workspace: nothing is allocated afterwards
//   VecX q, v, a, tau = VecX::Zero(tree.num_v());
//   tree.start(q, v);
//   forward_dynamics(tree, q, v, tau, data, a);   // O(links)
//
// A joint's coordinates are those of its marker a seen from its marker b, whichever of the two carries the other. A hinge has an angle, a
// slider a length, a ball a unit quaternion (w, x, y, z) and the angular velocity in the axes of b; what is joined to nothing has its
// position and quaternion, and velocities in world axes.
//
//   M(q) v̇ + b(q, v) = τ + Σ_k J_kᵀ F_k         F_k: loads, a wrench at the centre of mass of body k in world axes            (1)
//
// b holds gravity, Coriolis and centrifugal forces. Constraints that are not joints of the tree (loops, gears, rolling) and the forces of
// the model take no part: they are the caller's τ and F.
//
// A program: examples/cpp/inverse_dynamics.cpp
#pragma once

#include "catena/model.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace catena::minimal {  // not shown by the shared library
struct Structure;
struct Workspace;
struct OperationalWorkspace;
}  // namespace catena::minimal

namespace CATENA_API catena {

using Vec6 = Eigen::Matrix<double, 6, 1>;  // (linear ; angular)
using MotionJacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// The bodies of a model as links of trees. Links are numbered so that parents come before what they carry.
class JointTree {
 public:
  static constexpr int kNone = -1;

  /// Trees are as short as they can be; where nothing leads to the world, the heaviest body is free and carries the others.
  /// Throws InvalidInput when the model is not valid, or has bodies without joint coordinates (those that stretch, Lagrangian ones).
  explicit JointTree(const Model& model);
  ~JointTree();
  JointTree(JointTree&&) noexcept;
  JointTree& operator=(JointTree&&) noexcept;

  int num_links() const;
  int num_q() const;
  int num_v() const;

  int parent(int link) const;  // kNone: the world
  int body(int link) const;    // position in Model::bodies
  int joint(int link) const;   // position in Model::constraints; kNone: free
  int q(int link) const;       // first of its coordinates, and how many
  int num_q(int link) const;
  int v(int link) const;
  int num_v(int link) const;
  int link_of(BodyId body) const;  // throws InvalidInput for the world and for unknown bodies
  int link_of(ConstraintId joint)
      const;  // the link that moves by this joint; kNone where it is not one of the tree's
  /// Constraints that are no joints of the tree, as positions in Model::constraints.
  const std::vector<int>& cuts() const;

  /// Coordinates of the model's start values.
  void start(VecX& q, VecX& v) const;
  /// Coordinates of bodies, in the order of State with Coordinates::bodies, to those of joints: exact where the joints hold, else the
  /// nearest. On entry q tells which of several (turns are counted from there); empty: those nearest to zero.
  void to_joints(const VecX& body_q, const VecX& body_v, VecX& q, VecX& v) const;
  /// And back.
  void to_bodies(const VecX& q, const VecX& v, VecX& body_q, VecX& body_v) const;
  /// q ← q ⊕ d, where d is a velocity times a time. Rotations stay rotations.
  void retract(const VecX& d, VecX& q) const;

  const minimal::Structure& structure() const { return *structure_; }

 private:
  std::unique_ptr<const minimal::Structure> structure_;
};

/// Numbers of one instant. Readers below say which function must have filled them.
class TreeData {
 public:
  explicit TreeData(const JointTree& tree);
  ~TreeData();
  TreeData(TreeData&&) noexcept;
  TreeData& operator=(TreeData&&) noexcept;
  minimal::Workspace& workspace() { return *workspace_; }
  const minimal::Workspace& workspace() const { return *workspace_; }
  minimal::OperationalWorkspace& operational() { return *operational_; }

 private:
  std::unique_ptr<minimal::Workspace> workspace_;
  std::unique_ptr<minimal::OperationalWorkspace> operational_;
};

/// No loads, or one wrench per body in the order of the model, at its centre of mass, in world axes.
using Loads = std::span<const Vec6>;

/// Where every link is, and how it moves.
void forward_kinematics(const JointTree& tree, const VecX& q, const VecX& v, TreeData& data);
/// τ of (1), by the recursive Newton-Euler algorithm. O(links)
void inverse_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& a, TreeData& data,
                      VecX& tau, Loads loads = {});
/// b of (1): the τ that leaves v̇ = 0.
void bias_forces(const JointTree& tree, const VecX& q, const VecX& v, TreeData& data, VecX& b);
/// v̇ of (1), by the articulated-body algorithm. O(links)
/// @returns the link whose motion has no inertia, kNone when all is well; then a is not to be used
[[nodiscard]] int forward_dynamics(const JointTree& tree, const VecX& q, const VecX& v, const VecX& tau,
                                   TreeData& data, VecX& a, Loads loads = {});
/// M(q), by the composite-rigid-body algorithm. O(links · depth)
void mass_matrix(const JointTree& tree, const VecX& q, TreeData& data, MatX& M);

// Operational space: what points of links answer to wrenches on them.

/// A point of a link, from the centre of mass of its body, in body axes.
struct LinkPoint {
  int link = 0;
  Vec3 at = Vec3::Zero();  // m
};

/// Λ = J M⁻¹Jᵀ of these points, 6 × 6 for each pair of them, J that of point_jacobian: how they accelerate for wrenches on them (linear ; angular).
/// Of rank below 6 × points where joints leave fewer ways to move. O(links + points · meetings + points²), where meetings are links that points
/// share on their ways to the world. @returns the link whose motion has no inertia, kNone when all is well
[[nodiscard]] int operational_compliance(const JointTree& tree, const VecX& q,
                                         std::span<const LinkPoint> points, TreeData& data, MatX& Lambda);

/// Whether there is an inertia Λ⁻¹, and if not, why.
struct OperationalReport {
  int rank = 0;  // of Λ, which has 6 × points rows
  MatX missing;  // a column for each that lacks: wrenches on the points which move none of them
  std::string
      refusal;  // which points, of which bodies, and in which directions they do not give way; empty: Λ⁻¹ exists
  bool ok() const { return refusal.empty(); }
};
/// Λ⁻¹: the inertia that is felt at these points. A pivot of Λ below 1e-11 of what its row is worth counts as none: near a singular position
/// that is a distance of 3e-6. Where Λ has no inverse the inertia is left as it was.
[[nodiscard]] OperationalReport operational_inertia(const JointTree& tree, const VecX& q,
                                                    std::span<const LinkPoint> points, TreeData& data,
                                                    MatX& inertia);

// After forward_kinematics:

Placement placement(const JointTree& tree, const TreeData& data, int link);
/// (velocity of the centre of mass ; angular velocity) = J v of a link, in world axes, and the bias J̇v of the accelerations. O(depth)
void body_jacobian(const JointTree& tree, const TreeData& data, int link, MotionJacobian& J);
Vec6 body_bias(const JointTree& tree, const TreeData& data, int link);
/// The same of the point of a link that is at `point` in the world.
void point_jacobian(const JointTree& tree, const TreeData& data, int link, const Vec3& point,
                    MotionJacobian& J);
Vec6 point_bias(const JointTree& tree, const TreeData& data, int link, const Vec3& point);
double kinetic_energy(const JointTree& tree, const TreeData& data);  // J
double gravity_energy(const JointTree& tree, const TreeData& data);  // J, zero at the world's origin
Vec3 centre_of_mass(const JointTree& tree, const TreeData& data);
/// (linear ; angular about the centre of mass of all), world axes.
Vec6 momentum(const JointTree& tree, const TreeData& data);
/// Its matrix: momentum = A v. O(links · depth)
void momentum_matrix(const JointTree& tree, TreeData& data, MotionJacobian& A);

// After inverse_dynamics or forward_dynamics with what they were given:

/// What the parent exerts on a link through its joint, at the origin of the joint's marker on that link, in world axes. O(depth)
Vec6 joint_wrench(const JointTree& tree, const TreeData& data, int link);

}  // namespace catena
