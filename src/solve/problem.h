// The seam between mechanics and linear algebra: an equality-constrained problem on a graph of blocks.
//
//   [ M  -Kᵀ ] [ x ]   [  f ]            M x     = f + Kᵀλ                                                   (1)
//   [ -J  -S ] [ λ ] = [ -d ]    i.e.    J x + S λ = d                                                       (2)
//
// Legend
//   node   a "body" (block of x, dimension dims[i]) or a "constraint" (block of λ, rows[c])
//   M      the block matrix of block_matrix.h; positive definite where it is symmetric, near that otherwise
//   J      block sparse: one block per (constraint, attached body) edge
//   K      directions in which the multipliers act: J, except for constraints that have their own (Graph::own_direction)
//   S      compliance, diagonal, ≥ 0; zero for rigid constraints
//
// Nothing here knows what a body is: a solver bug is a dumped problem and a short test.
#pragma once

#include "solve/block_matrix.h"

#include <Eigen/Core>

#include <vector>

namespace catena::solve {

/// One block of J.
struct Edge {
  int constraint = 0;
  int body = 0;
  int offset = 0;  // of its first entry in Problem::J; rows[constraint] × dims[body], row-major
};

/// Numbers of rows of a pair; both zero for constraints without an explicit form.
struct PairShape {
  int linear = 0, angular = 0;
  bool at_point =
      false;  // three linear rows, ± the unit vectors: both blocks of J have the form ± ( 1 | -[r]× ; 0 | g )
  bool exists() const { return linear + angular > 0; }
  bool operator==(const PairShape&) const = default;
};

/// Which unknowns there are and which blocks of J exist. Constant between structural changes.
struct Graph : BlockPattern {
  std::vector<int> rows;              // per constraint
  std::vector<int> row_offset;        // of its first entry in λ and d         (constraints + 1)
  std::vector<Edge> edges;            // grouped by constraint; no two edges of a constraint share a body
  std::vector<int> edge_begin;        // first edge of each constraint         (constraints + 1)
  std::vector<int> pair;              // per constraint: index in Problem::pairs, or -1
  std::vector<PairShape> pair_shape;  // per constraint
  std::vector<char> own_direction;    // per constraint: 1 where K is not J

  int num_constraints() const { return int(rows.size()); }
  int num_rows() const { return row_offset.empty() ? 0 : row_offset.back(); }
  int num_pairs = 0;
  int num_own_directions = 0;
  int J_size = 0;  // entries of Problem::J
};

/// Explicit form of a constraint between a 6-dimensional body c, whose block of x consists of two vectors, x_c = (v ; ω), and
/// another one p (or none):
///
///   x_c = T x_p + N s + B d,    T = [ 1 -[l]× ; 0 1 ],    J_c N = 0,  J_c B = 1,  J_c T = -J_p                    (3)
///
/// s: free coordinates. It says the same as the rows of J and lets a solver eliminate body and joint together. Which of
/// the two bodies is c, if any, is the solver's choice: EqualitySolver::explicit_edge. The rows of c are
///   ± n_i·(v + ω × r)  for i < linear,   ± g_j·ω  for j < angular                                                (4)
/// With ν_i dual to n_i and γ_j dual to g_j, completed to bases of space by the free directions,
///   B = ± [ ν_i , r × γ_j ; 0 , γ_j ] for i < linear, j < angular;   N = the same columns for the remaining i, j.      (5)
struct Pair {
  double l[3];
  double r[3];      // of (4)
  double nu[9];     // column-major; the first `linear` columns are dual vectors, the others free directions
  double gamma[9];  // the same for the angular rows
  double sign;
};

/// The numbers. Sized once by `resize`, refilled every evaluation.
struct Problem : BlockMatrix {
  const Graph* graph = nullptr;
  Eigen::VectorXd J;  // edge blocks
  Eigen::VectorXd
      K;  // of constraints with directions of their own, laid out as J; empty where there are none
  Eigen::VectorXd S;  // compliance per row
  double row_error =
      0.0;  // relative error of the rows of J: dependent ones may look independent by its square
  std::vector<Pair> pairs;

  /// unsymmetric: the blocks of M are, and `lower` exists.
  enum class Symmetry { symmetric, unsymmetric };
  void resize(const Graph& g, Symmetry symmetry = Symmetry::symmetric);

  /// Block of K of an edge.
  const double* force_block(const Edge& e) const {
    return (graph->own_direction[std::size_t(e.constraint)] != 0 ? K : J).data() + e.offset;
  }
};

/// y += J x,  y += Jᵀ λ,  y += Kᵀ λ,  y = M x.
void add_J_times(const Problem& p, const Eigen::VectorXd& x, Eigen::VectorXd& y);
void add_Jt_times(const Problem& p, const Eigen::VectorXd& lambda, Eigen::VectorXd& y);
void add_Kt_times(const Problem& p, const Eigen::VectorXd& lambda, Eigen::VectorXd& y);
void mass_times(const Problem& p, const Eigen::VectorXd& x, Eigen::VectorXd& y);
/// Makes a row of J and of K zero.
void clear_row(Problem& p, int constraint, int row);

/// Residuals of (1) and (2), and their size relative to the terms they are made of.
struct Residual {
  Eigen::VectorXd r1, r2;
  // |r|∞ over the size of the terms that cancel in it: of (1), of (2), and the larger of the two
  double relative1 = 0.0, relative2 = 0.0, relative = 0.0;
};
void compute_residual(const Problem& p, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                      const Eigen::VectorXd& x, const Eigen::VectorXd& lambda, Residual& out);

/// Index of the block that contains entry `at`, from the offsets of a Graph.
int find_block(const std::vector<int>& offsets, int at);

/// weights_i = J_i W J_iᵀ with W the inverse of the diagonal of M: what a row is worth, to compare rows with.
void row_weights(const Problem& p, Eigen::VectorXd& weights);

/// Whether a block of J with 6 columns has the zeros that PairShape::at_point promises, and whether all that are promised are there.
bool has_point_form(const double* J, int rows);
bool has_promised_zeros(const Problem& p);

/// Builder used by the formulation and by tests.
struct GraphBuilder {
  Graph graph;
  int add_body(int dim);
  /// @param bodies attached bodies, without repetition
  /// @param own_direction its multipliers act along Problem::K
  int add_constraint(int rows, const std::vector<int>& bodies, PairShape pair = {},
                     bool own_direction = false);
  void add_link(int a, int b);
  Graph finish();
  /// The same, with the graph left where it is: for graphs that are made anew in the same storage.
  void finish_in_place();
};

}  // namespace catena::solve
