#include "formulation/minimal/closures.h"

#include "formulation/minimal/body_map.h"
#include "math/all_finite.h"
#include "solve/sparse.h"

#include <algorithm>

namespace catena::minimal {
namespace {

/// One row over the bodies, as a force along it.
void write_row(const solve::Problem& p, int constraint, int row, bool along_K, VecX& f) {
  const solve::Graph& g = *p.graph;
  f.setZero();
  const int in_block = row - g.row_offset[std::size_t(constraint)];
  for (int e = g.edge_begin[std::size_t(constraint)]; e < g.edge_begin[std::size_t(constraint) + 1]; ++e) {
    const solve::Edge& edge = g.edges[std::size_t(e)];
    const int dim = g.dims[std::size_t(edge.body)];
    const double* block = along_K ? p.force_block(edge) : p.J.data() + edge.offset;
    f.segment(g.body_offset[std::size_t(edge.body)], dim) +=
        Eigen::Map<const VecX>(block + in_block * dim, dim);
  }
}

}  // namespace

Closures::Closures(const Structure& structure, const Layout& layout)
    : is_symmetric_(!layout.has_own_directions) {
  for (const int c : structure.cuts)
    for (int r = 0; r < layout.constraints[std::size_t(c)].rows; ++r) {
      rows_.push_back(layout.constraints[std::size_t(c)].row + r);
      constraint_of_.push_back(c);
    }
  const auto k = Eigen::Index(rows_.size());
  J_ = MatX::Zero(structure.num_v, k);
  if (!is_symmetric_) K_ = J_;
  W_ = J_;
  Lambda_ = MatX::Zero(k, k);
  scale_ = rest_ = VecX::Zero(k);
  scratch_f_ = VecX::Zero(layout.num_v);
}

void Closures::update(const Structure& structure, const solve::Problem& bodies, Workspace& data) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    write_row(bodies, constraint_of_[i], rows_[i], false, scratch_f_);
    gather(structure, data, scratch_f_, scratch_x_);
    J_.col(Eigen::Index(i)) = scratch_x_;
    if (is_symmetric_) continue;
    write_row(bodies, constraint_of_[i], rows_[i], true, scratch_f_);
    gather(structure, data, scratch_f_, scratch_x_);
    K_.col(Eigen::Index(i)) = scratch_x_;
  }
}

bool Closures::factor(const solve::Problem& bodies,
                      const std::function<void(const VecX&, VecX&)>& solve_mass) {
  dropped_.clear();
  if (rows_.empty()) return true;
  for (Eigen::Index i = 0; i < J_.cols(); ++i) {
    direction_ = directions().col(i);
    solve_mass(direction_, scratch_x_);
    W_.col(i) = scratch_x_;
    for (Eigen::Index r = 0; r < J_.cols(); ++r) Lambda_(r, i) = J_.col(r).dot(scratch_x_);
  }
  if (!Lambda_.allFinite()) return false;
  solve::row_weights(bodies, weights_);
  for (std::size_t i = 0; i < rows_.size(); ++i) scale_[Eigen::Index(i)] = weights_[rows_[i]];
  const double drop = solve::SparseSolver::drop_threshold(bodies);
  if (is_symmetric_)
    positive_.factor(Lambda_, scale_, drop);
  else
    general_.factor(Lambda_, scale_, scale_, drop);
  const std::vector<int>& order = is_symmetric_ ? positive_.order() : general_.row_order();
  const int rank = is_symmetric_ ? positive_.rank() : general_.rank();
  for (auto i = std::size_t(rank); i < order.size(); ++i) dropped_.push_back(rows_[std::size_t(order[i])]);
  find_weakest(order, rank);
  std::sort(dropped_.begin(), dropped_.end());
  return true;
}

void Closures::find_weakest(const std::vector<int>& order, int rank) {
  weakest_ = {};
  if (usually_dropped_ < 0) usually_dropped_ = int(dropped_.size());
  if (is_symmetric_ && rank > 0)
    weakest_.note(positive_.smallest_pivot(), rows_[std::size_t(order[std::size_t(rank) - 1])]);
  if (int(dropped_.size()) > usually_dropped_) weakest_.note(0.0, dropped_.front());
}

void Closures::solve(const VecX& d, VecX& x, VecX& lambda) {
  lambda.setZero(d.size());
  if (rows_.empty()) return;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rest_[Eigen::Index(i)] = d[rows_[i]] - J_.col(Eigen::Index(i)).dot(x);
  if (is_symmetric_)
    positive_.solve(rest_);
  else
    general_.solve(rest_);
  for (Eigen::Index i = 0; i < rest_.size(); ++i) x += rest_[i] * W_.col(i);
  for (std::size_t i = 0; i < rows_.size(); ++i) lambda[rows_[i]] = rest_[Eigen::Index(i)];
}

void Closures::apply_J(const VecX& x, VecX& y) const {
  y.setZero();
  for (std::size_t i = 0; i < rows_.size(); ++i) y[rows_[i]] = J_.col(Eigen::Index(i)).dot(x);
}

void Closures::add_forces(const VecX& lambda, VecX& f) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) f += lambda[rows_[i]] * directions().col(Eigen::Index(i));
}

double Closures::free_acceleration(const solve::Problem& p, const VecX& f) const {
  const solve::Graph& g = *p.graph;
  double largest = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto c = std::size_t(constraint_of_[i]);
    const int in_block = rows_[i] - g.row_offset[c];
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
      const solve::Edge& edge = g.edges[std::size_t(e)];
      const auto b = std::size_t(edge.body);
      for (int j = 0; j < g.dims[b]; ++j)
        largest =
            std::max(largest, std::abs(p.J[edge.offset + in_block * g.dims[b] + j] * f[g.body_offset[b] + j] /
                                       p.M[g.mass_offset[b] + j * (g.dims[b] + 1)]));
    }
  }
  return largest;
}

double Closures::largest_term(const VecX& d, const VecX& x) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    largest = std::max(largest, std::abs(d[rows_[i]]) + J_.col(Eigen::Index(i)).cwiseAbs().dot(x.cwiseAbs()));
  return largest;
}

}  // namespace catena::minimal
