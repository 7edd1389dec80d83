// A square matrix of blocks over the bodies of a graph: one block per body, two per link between bodies; symmetric or not.
//
//   (M x)_a = M_a x_a + Σ over links (a, b) of U x_b,    (M x)_b = M_b x_b + Σ over links (a, b) of L x_a            (1)
//
// U is the link's block above, L the one below. In a symmetric matrix L = Uᵀ, which is then not stored. A "body" is nothing but a
// block of x with a dimension.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace catena::solve {

/// A pair of blocks between two bodies.
struct Link {
  int a = 0, b = 0;
  int offset = 0;  // of the first entry of both blocks, in BlockMatrix::links and BlockMatrix::lower
};

/// Which blocks there are. Constant between structural changes.
struct BlockPattern {
  std::vector<int> dims;         // per body
  std::vector<int> body_offset;  // of its first entry in x              (bodies + 1)
  std::vector<int>
      mass_offset;          // of its block in BlockMatrix::M       (bodies + 1), dims × dims, column-major
  std::vector<Link> links;  // mostly none
  int links_size = 0;       // entries of BlockMatrix::links

  int num_bodies() const { return int(dims.size()); }
  int num_x() const { return body_offset.empty() ? 0 : body_offset.back(); }
};

/// The numbers; all blocks are column-major.
struct BlockMatrix {
  Eigen::VectorXd M;         // blocks of the bodies
  Eigen::VectorXd links;     // U of (1): dims[a] × dims[b]
  Eigen::VectorXd lower;     // L of (1): dims[b] × dims[a]; empty in a symmetric matrix
  bool is_symmetric = true;  // blocks of bodies included
};

/// y += s M x
void add_matrix_times(const BlockPattern& pattern, const BlockMatrix& matrix, double s,
                      const Eigen::VectorXd& x, Eigen::VectorXd& y);
/// y += s (the blocks of links) x
void add_links_times(const BlockPattern& pattern, const BlockMatrix& matrix, double s,
                     const Eigen::VectorXd& x, Eigen::VectorXd& y);

}  // namespace catena::solve
