// What the peers of `catena bench speed` share: a tree of rigid bodies, and the conversation about it.
//
// The command writes the tree as one line of JSON to the peer's standard input, then one request per line; every answer is one line
// of JSON. A peer stays alive while the engines are timed in turns, so that what else the machine does meets all of them.
//
//   about            {"engine", "version", "step", "forward", "same_steps"}: what it calls them, and whether its steps are those of all
//   accelerations    of every link at the start, in world axes: of its centre of mass (m/s²), angular (rad/s²); six numbers per link
//   state N          after N steps from the start: position and velocity of the centre of mass, angular velocity; nine per link
//   step N           {"seconds"}: processor time of N steps, from the second one on
//   forward N        {"seconds"}: of N times the accelerations of the start
//
// What an engine cannot do is the last answer: {"engine", "error"}.
//
// Legend. All links have the axes of the world in the position where every coordinate is zero. A link's origin is the point of its
// joint (of a free link its centre of mass); vectors are in the axes of the link itself, axes of joints too. Engines that are better
// off with other axes turn them (in_axes).
#pragma once

#include <Eigen/Geometry>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace peers {

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;
using Quaternion = Eigen::Quaterniond;

enum class JointKind { hinge, ball, universal, free };

struct Link {
  int parent = -1;  // -1: the world; parents come first
  JointKind joint = JointKind::hinge;
  Vector axis = Vector::UnitZ();     // of a hinge; the first one of a universal joint, fixed in the parent
  Vector second = Vector::UnitX();   // of a universal joint, fixed in the link
  Vector offset = Vector::Zero();    // from the origin of the parent to that of the link, in its axes   m
  Vector centre = Vector::Zero();    // from the origin to the centre of mass                        m
  double mass = 0;                   // kg
  Matrix zero = Matrix::Identity();  // its axes to those of the parent where all coordinates are zero
  Matrix inertia = Matrix::Zero();   // about the centre of mass                                     kg·m²
  // the start
  double angle[2] = {}, rate[2] = {};  // of a hinge; both of a universal joint                rad, rad/s
  Vector place = Vector::Zero();       // of a free link                                       m
  Vector speed = Vector::Zero();       // of a free link                                       m/s
  Quaternion turn = Quaternion::Identity();  // of a ball and of a free link, seen from its position at zero
  Vector spin = Vector::Zero();              // of a ball and of a free link, in its own axes        rad/s
};

struct Tree {
  Vector gravity = Vector::Zero();  // m/s²
  double dt = 0;                    // s
  std::vector<Link> links;
};

/// The same tree with other axes for its links: A[i], those of link i to those it has.
Tree in_axes(const Tree& tree, const std::vector<Matrix>& A);
/// Axes whose z is that of the hinge, where a link has one.
std::vector<Matrix> axes_along_hinges(const Tree& tree);

/// An engine that has built the tree.
class TreeEngine {
 public:
  virtual ~TreeEngine() = default;
  virtual void restart() = 0;
  virtual void step() = 0;
  /// Accelerations of the start, in the engine's own coordinates. @pre restart() came last
  virtual void forward() = 0;
  virtual std::vector<double> accelerations() = 0;
  virtual std::vector<double> state() = 0;
  /// Steps are v += dt·v̇(q, v), q ⊕= dt·v, in coordinates in which that is the same for all engines.
  virtual bool has_same_steps() const { return true; }
};

struct About {
  std::string engine, version;
  std::string step, forward;  // what is timed for them, "mj_step, Euler"
};

/// Appends three numbers.
void append(std::vector<double>& out, const Vector& v);

/// Answers requests until there are none. @param build may throw std::exception for what the engine cannot do
int serve(const About& about, const std::function<std::unique_ptr<TreeEngine>(const Tree&)>& build);

}  // namespace peers
