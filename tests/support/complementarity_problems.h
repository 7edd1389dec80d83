// Complementarity problems with answers or without, made of random bodies or of scenes: W = J M⁻¹Jᵀ and q = J v + b of what they touch.
//
// No mechanics of the library is used. The same seed gives the same problem.
#pragma once

#include "solve/complementarity/problem.h"

#include <Eigen/Dense>

#include <random>
#include <string>

namespace catena::test {

enum class Known : std::uint8_t { solvable, unsolvable, nothing };

struct ComplementarityProblem {
  std::string group;
  solve::complementarity::Rows rows;
  Eigen::MatrixXd W;
  Eigen::VectorXd q;
  Known known = Known::solvable;
};

/// Bodies, what they touch, and the problem of their velocities.
class ContactScene {
 public:
  /// Mass and principal moments of inertia along the axes, velocity of the middle and angular velocity.
  int add_body(const Eigen::Vector3d& middle, double mass, const Eigen::Vector3d& inertia,
               const Eigen::Vector3d& velocity = Eigen::Vector3d::Zero(),
               const Eigen::Vector3d& spin = Eigen::Vector3d::Zero());
  /// A box with these half sides.
  int add_box(const Eigen::Vector3d& middle, const Eigen::Vector3d& half, double mass,
              const Eigen::Vector3d& velocity = Eigen::Vector3d::Zero(),
              const Eigen::Vector3d& spin = Eigen::Vector3d::Zero());

  /// Body -1 is the world. The normal points from b to a; `bias` is added to the normal rate.
  void add_contact(int a, int b, const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double friction,
                   double bias = 0.0);
  void add_ball(int a, int b, const Eigen::Vector3d& point);
  /// Rows of the relative spin about an axis: a hinge's two equalities, its limit, its dry friction.
  void add_spin_equality(int a, int b, const Eigen::Vector3d& axis);
  void add_spin_limit(int a, int b, const Eigen::Vector3d& axis, double bias = 0.0);
  void add_spin_friction(int a, int b, const Eigen::Vector3d& axis, double most);
  /// Friction of spin at the last contact, bounded by its normal force.
  void add_spin_at_contact(int a, int b, const Eigen::Vector3d& axis, double friction);

  /// Adds to all velocities, as gravity does.
  void fall(const Eigen::Vector3d& change);
  ComplementarityProblem problem(std::string group, Known known = Known::solvable) const;

 private:
  void add_point_row(int a, int b, const Eigen::Vector3d& point, const Eigen::Vector3d& axis, double bias);
  void add_spin_row(int a, int b, const Eigen::Vector3d& axis, double bias);

  struct Body {
    Eigen::Vector3d middle, inertia, velocity, spin;
    double mass;
  };
  struct Row {
    int a, b;
    Eigen::Matrix<double, 6, 1> on_a, on_b;
    double bias;
  };
  std::vector<Body> bodies_;
  std::vector<Row> row_list_;
  solve::complementarity::Rows rows_;
  int last_normal_ = -1;
};

/// Scenes of the table of docs/complementarity.md.
ComplementarityProblem stack_problem(std::mt19937& random, int boxes, double mass_ratio, bool slides,
                                     bool falls);
ComplementarityProblem dense_face_problem(std::mt19937& random, int boxes);
ComplementarityProblem arch_problem(std::mt19937& random, int stones);
ComplementarityProblem chain_problem(std::mt19937& random, int links);
ComplementarityProblem robot_problem(std::mt19937& random, int joints);
ComplementarityProblem heap_problem(std::mt19937& random, int spheres);
ComplementarityProblem loose_problem(std::mt19937& random, int contacts, double most_friction);
ComplementarityProblem grip_problem(std::mt19937& random);
/// A body between two walls that close in on it.
ComplementarityProblem pinch_problem(std::mt19937& random);

/// Of the seed alone: the scenes above in turn, with random numbers.
ComplementarityProblem scene_problem(std::uint64_t seed);

enum class RandomKind : std::uint8_t { regular, degenerate, hyperstatic, infeasible, unsymmetric };
inline constexpr RandomKind kRandomKinds[] = {RandomKind::regular, RandomKind::degenerate,
                                              RandomKind::hyperstatic, RandomKind::infeasible,
                                              RandomKind::unsymmetric};
const char* name(RandomKind kind);

/// 1 to 60 rows of mixed kinds without a scene.
ComplementarityProblem random_problem(std::mt19937& random, RandomKind kind);
/// Of the seed alone: kinds in turn.
ComplementarityProblem random_problem(std::uint64_t seed);

}  // namespace catena::test
