// Multipliers of the joints of a tree, which joint coordinates do without: from the balance of forces at every body, when somebody reads them.
//
//   J_kᵀλ_k = M_b v̇_b - F_b - (what other constraints and the joints of its children exert on it)      for every link k                     (1)
//
// J_k has full rank, so that λ is its only solution. Cost: O(links)
#include "formulation/minimal/body_map.h"
#include "formulation/minimal/equations.h"
#include "math/small_matrix_kernel.h"

namespace catena::minimal {
namespace {

constexpr double kLeastHold = 1e-14;  // pivots of J Jᵀ, relative to its diagonal

}  // namespace

// Children first: what a body lacks is what its joint gives, and takes from the parent.
void MinimalEquations::complete_multipliers(const VecX& a, VecX& lambda) {
  BodyEquations& here = bodies();
  body_accelerations(a, body_x_);
  body_f_.resize(layout_.num_v);
  here.apply_mass(body_x_, body_f_);
  body_f_ -= here.force();
  keep_closures(lambda, scratch_rows_);
  body_x_.setZero();
  here.add_row_forces(scratch_rows_, body_x_);
  body_f_ -= body_x_;
  for (std::size_t k = structure_.links.size(); k-- > 0;)
    if (structure_.links[k].joint >= 0) balance_joint(here.problem(), structure_.links[k], body_f_, lambda);
}

/// λ of the joint of a link: J_linkᵀλ = what the link lacks. It is taken off what both bodies lack.
void MinimalEquations::balance_joint(const solve::Problem& p, const Link& link, VecX& lack, VecX& lambda) {
  using Block = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const solve::Graph& g = *p.graph;
  const auto c = std::size_t(link.joint);
  const int rows = g.rows[c];
  auto own = lambda.segment(g.row_offset[c], rows);
  const auto edges = std::span(g.edges).subspan(std::size_t(g.edge_begin[c]),
                                                std::size_t(g.edge_begin[c + 1] - g.edge_begin[c]));
  for (const solve::Edge& e : edges) {
    if (e.body != link.body) continue;
    const int dim = g.dims[std::size_t(e.body)];
    const Block J(p.J.data() + e.offset, rows, dim);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> gram = J.lazyProduct(J.transpose());
    own = J.lazyProduct(lack.segment(g.body_offset[std::size_t(e.body)], dim));
    if (math::factor_ldlt(rows, gram.data(), kLeastHold) < 0) math::solve_ldlt(rows, gram.data(), own.data());
  }
  for (const solve::Edge& e : edges) {
    const int dim = g.dims[std::size_t(e.body)];
    lack.segment(g.body_offset[std::size_t(e.body)], dim) -=
        Block(p.J.data() + e.offset, rows, dim).transpose().lazyProduct(own);
  }
}

}  // namespace catena::minimal
