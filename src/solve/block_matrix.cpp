#include "solve/block_matrix.h"

#include "solve/block_dimension.h"

namespace catena::solve {

void add_matrix_times(const BlockPattern& pattern, const BlockMatrix& matrix, double s,
                      const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  for (int b = 0; b < pattern.num_bodies(); ++b) {
    const int dim = pattern.dims[b], at = pattern.body_offset[b];
    with_dimension(dim, [&](auto D) {
      const double* M = &matrix.M[pattern.mass_offset[b]];
      MutableBlock<D> y_b(&y[at], dim);
      Sum<D> sum(y_b);
      for (int j = 0; j < dim; ++j) sum += s * x[at + j] * ConstBlock<D>(M + j * dim, dim);
      y_b = sum;
    });
  }
  add_links_times(pattern, matrix, s, x, y);
}

void add_links_times(const BlockPattern& pattern, const BlockMatrix& matrix, double s,
                     const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  using Block = Eigen::Map<const Eigen::MatrixXd>;
  for (const Link& link : pattern.links) {
    const int a = pattern.dims[link.a], b = pattern.dims[link.b];
    const auto x_a = x.segment(pattern.body_offset[link.a], a),
               x_b = x.segment(pattern.body_offset[link.b], b);
    auto y_a = y.segment(pattern.body_offset[link.a], a), y_b = y.segment(pattern.body_offset[link.b], b);
    const Block upper(&matrix.links[link.offset], a, b);
    y_a.noalias() += s * upper.lazyProduct(x_b);
    if (matrix.is_symmetric)
      y_b.noalias() += s * upper.transpose().lazyProduct(x_a);
    else
      y_b.noalias() += s * Block(&matrix.lower[link.offset], b, a).lazyProduct(x_a);
  }
}

}  // namespace catena::solve
