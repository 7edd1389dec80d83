// Random block problems, and the dense matrices they stand for.
//
// Every constraint brings a body of its own with at least as many dimensions as it has rows, whose block of J
// has orthonormal rows up to scale. In a forest J is then block triangular with well-conditioned diagonal
// blocks: full rank by construction. Rooted at the first body of each tree, every constraint has its own body
// below it.
#pragma once

#include "solve/equality_solver.h"
#include "solve/problem.h"

#include <Eigen/Core>

#include <random>
#include <utility>
#include <vector>

namespace catena::testing {

struct RandomProblemOptions {
  int bodies = 20;
  std::vector<int> dims{2, 3, 6, 7, 12};  // drawn from
  int max_rows = 6;
  int max_arity = 3;               // bodies per constraint
  double mass_ratio = 10.0;        // heaviest to lightest body, drawn evenly in the logarithm
  double root_probability = 0.15;  // that a body starts a new tree
  double free_probability = 0.3;   // that the first body of a tree is not held by a constraint of its own
  double pair_probability = 0.0;   // that a constraint between 6-dimensional bodies is a lower pair
  int nails = 0;                   // further constraints of one body
  int loops = 0;                   // further constraints of two bodies, while J keeps full rank
  int copies = 0;                  // constraints that repeat another one's rows and right-hand side
  double compliance = 0.0;         // > 0: about half of the constraints are soft, S around this
};

/// Owns the graph its problem points to; therefore not copied.
class RandomProblem {
 public:
  RandomProblem(std::mt19937& random, const RandomProblemOptions& options);
  RandomProblem(const RandomProblem&) = delete;
  RandomProblem& operator=(const RandomProblem&) = delete;

  /// Fills Problem::pairs for the edges that the solver asked for.
  void fill_pairs(const solve::EqualitySolver& solver);

  solve::Graph graph;
  solve::Problem problem;
  Eigen::VectorXd f, d;
  std::vector<std::pair<int, int>> copies;  // (constraint, its copy)

 private:
  // A lower pair as it is drawn, seen from the body of its first edge (equation 4 of problem.h).
  struct Joint {
    int constraint;
    Eigen::Vector3d l, r;
    Eigen::Matrix3d n, g;  // rows: normals of the constrained directions, then any that complete a basis
  };

  void draw_structure(std::mt19937& random, const RandomProblemOptions& options);
  void draw_further_constraints(std::mt19937& random, const RandomProblemOptions& options,
                                std::vector<int>& freedom, solve::GraphBuilder& builder);
  void draw_numbers(std::mt19937& random, const RandomProblemOptions& options);
  void write_joint_rows();
  void copy_numbers();

  std::vector<Joint> joints_;  // per pair
};

/// The matrices of a problem in full.
Eigen::MatrixXd dense_M(const solve::Problem& problem);
Eigen::MatrixXd dense_J(const solve::Problem& problem);
Eigen::MatrixXd dense_K(const solve::Problem& problem);    // laid out as J
Eigen::MatrixXd dense_kkt(const solve::Problem& problem);  // [M -Kᵀ; -J -S]

Eigen::VectorXd random_vector(std::mt19937& random, int size);

struct Solution {
  Eigen::VectorXd x, lambda;
};
// References by Eigen's rank-revealing decompositions; compiled once, because they take the compiler long.
/// The answer of the full KKT matrix, by elimination with complete pivoting.
Solution solve_reference(const RandomProblem& r);
/// The same for any problem; vectors over rows may be longer than it needs.
Solution solve_reference(const solve::Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d);
/// The same for redundant rows: least squares of least norm.
Solution solve_least_squares(const RandomProblem& r);
/// Upper left block of the inverse of the KKT matrix: response of x to f.
Eigen::MatrixXd inverse_response(const solve::Problem& problem);
Eigen::VectorXd solve_dense(const Eigen::MatrixXd& H, const Eigen::VectorXd& rhs);
int count_negative_eigenvalues(const Eigen::MatrixXd& symmetric);
int rank_of_rows(const Eigen::MatrixXd& J);

/// max |a - b| / max(1, max |b|)
double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b);

}  // namespace catena::testing
