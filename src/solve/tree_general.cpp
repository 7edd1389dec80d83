#include "solve/tree_general.h"

namespace catena::solve {
namespace {

using RowBlock = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

RowBlock block(const Problem& problem, int offset, int rows, int cols) {
  return {problem.J.data() + offset, rows, cols};
}

}  // namespace

GeneralStep::GeneralStep(const Graph& graph, const Forest& forest, const ForestStep& step)
    : constraint_(step.constraint) {
  if (constraint_ >= 0) {
    rows_ = graph.rows[constraint_];
    row_ = graph.row_offset[constraint_];
  }
  int largest = rows_;
  for (int k = step.child_begin; k < step.child_end; ++k) {
    const Child& child = forest.children[k];
    ChildBody c;
    c.body = child.body;
    c.dim = graph.dims[child.body];
    c.x = graph.body_offset[child.body];
    c.P = graph.mass_offset[child.body];
    if (child.edge >= 0) c.J = graph.edges[child.edge].offset;
    for (int i = forest.merged_begin[child.body]; i < forest.merged_begin[child.body + 1]; ++i) {
      const Edge& edge = graph.edges[forest.merged[i]];
      c.merged.push_back(
          {edge.offset, graph.rows[edge.constraint], graph.row_offset[edge.constraint], edge.constraint});
      c.merged_rows += c.merged.back().rows;
    }
    c.factor.resize(c.dim, c.dim);
    c.merged_J.resize(c.merged_rows, c.dim);
    c.T.resize(c.dim, c.merged_rows);
    c.merged_factor.resize(c.merged_rows, c.merged_rows);
    c.Z.resize(c.dim, rows_);
    c.Y.resize(c.merged_rows, rows_);
    largest = std::max({largest, c.dim, c.merged_rows});
    children_.push_back(std::move(c));
  }
  if (step.parent >= 0) {
    parent_dim_ = graph.dims[step.parent];
    parent_x_ = graph.body_offset[step.parent];
    parent_P_ = graph.mass_offset[step.parent];
    parent_J_ = graph.edges[step.parent_edge].offset;
  }
  S_.resize(rows_, rows_);
  V_.resize(rows_, parent_dim_);
  scratch_.resize(largest);
  whole_.resize(largest);
}

FactorResult GeneralStep::factor_child(const Problem& problem, const double* P, ChildBody& c) {
  c.factor = Eigen::Map<const Eigen::MatrixXd>(P + c.P, c.dim, c.dim);
  if (math::factor_ldlt(c.dim, c.factor.data(), 0.0) >= 0) return {FactorStatus::not_positive, -1, c.body};
  int first = 0;
  for (const Block& b : c.merged) {
    c.merged_J.middleRows(first, b.rows) = block(problem, b.edge_offset, b.rows, c.dim);
    first += b.rows;
  }
  if (c.merged_rows > 0) {
    c.T = c.merged_J.transpose();
    for (int j = 0; j < c.merged_rows; ++j) math::solve_ldlt(c.dim, c.factor.data(), c.T.col(j).data());
    c.merged_factor.noalias() = c.merged_J.lazyProduct(c.T);
    first = 0;
    for (const Block& b : c.merged)
      for (int i = 0; i < b.rows; ++i, ++first) c.merged_factor(first, first) += problem.S[b.row + i];
    whole_.head(c.merged_rows) = c.merged_factor.diagonal();
    const int bad = math::factor_ldlt(c.merged_rows, c.merged_factor.data(), kSingularTreePivot);
    first = 0;
    for (const Block& b : c.merged)
      for (int i = 0; i < b.rows; ++i, ++first) {
        if (bad == first) return {FactorStatus::singular, b.constraint, c.body};
        weakest_.note(1.0 / (c.merged_factor(first, first) * whole_[first]), b.row + i);
      }
  }
  if (c.J < 0) return {};
  const auto J = block(problem, c.J, rows_, c.dim);
  c.Z = J.transpose();
  if (c.merged_rows > 0) {
    c.Y.noalias() = c.T.transpose().lazyProduct(J.transpose());
    for (int j = 0; j < rows_; ++j)
      math::solve_ldlt(c.merged_rows, c.merged_factor.data(), c.Y.col(j).data());
  }
  for (int j = 0; j < rows_; ++j) math::solve_ldlt(c.dim, c.factor.data(), c.Z.col(j).data());
  if (c.merged_rows > 0) c.Z.noalias() -= c.T.lazyProduct(c.Y);
  return {};
}

FactorResult GeneralStep::factor(const Problem& problem, double* P) {
  S_.setZero();
  weakest_ = {};
  for (ChildBody& c : children_) {
    const FactorResult result = factor_child(problem, P, c);
    if (!result.ok()) return result;
    if (c.J >= 0) S_.noalias() += block(problem, c.J, rows_, c.dim).lazyProduct(c.Z);  // (2)
  }
  if (constraint_ < 0) return {};
  // A pivot is judged against the row's size before the merged constraints took their share: a row that they imply has
  // nothing left, however large the rounding that remains of it may look beside itself.
  for (int i = 0; i < rows_; ++i) {
    double& whole = whole_[i];
    whole = problem.S[row_ + i];
    for (const ChildBody& c : children_) {
      const auto j = block(problem, c.J, rows_, c.dim).row(i);
      for (int k = 0; k < c.dim; ++k) scratch_[k] = j[k];
      math::solve_ldlt(c.dim, c.factor.data(), scratch_.data());
      for (int k = 0; k < c.dim; ++k) whole += scratch_[k] * j[k];
    }
    S_(i, i) += problem.S[row_ + i];
    if (!(S_(i, i) > kSingularTreePivot * whole)) return {FactorStatus::singular, constraint_, -1};
  }
  if (math::factor_ldlt(rows_, S_.data(), kSingularTreePivot) >= 0)
    return {FactorStatus::singular, constraint_, -1};
  for (int i = 0; i < rows_; ++i) weakest_.note(1.0 / (S_(i, i) * whole_[i]), row_ + i);
  if (parent_dim_ > 0) {
    const auto Jp = block(problem, parent_J_, rows_, parent_dim_);
    V_ = Jp;
    for (int j = 0; j < parent_dim_; ++j) math::solve_ldlt(rows_, S_.data(), V_.col(j).data());
    Eigen::Map<Eigen::MatrixXd> Pp(P + parent_P_, parent_dim_, parent_dim_);
    Pp.noalias() += Jp.transpose().lazyProduct(V_);
  }
  return {};
}

void GeneralStep::up(const Problem& problem, double* x, double* lambda) {
  Eigen::Map<Eigen::VectorXd> r(lambda + row_, rows_);
  for (const ChildBody& c : children_) {
    Eigen::Map<Eigen::VectorXd> xc(x + c.x, c.dim);
    math::solve_ldlt(c.dim, c.factor.data(), xc.data());
    if (c.merged_rows > 0) {
      auto mu = scratch_.head(c.merged_rows);
      int first = 0;
      for (const Block& b : c.merged)
        for (int i = 0; i < b.rows; ++i) mu[first++] = lambda[b.row + i];
      mu.noalias() -= c.merged_J.lazyProduct(xc);
      math::solve_ldlt(c.merged_rows, c.merged_factor.data(), scratch_.data());
      xc.noalias() += c.T.lazyProduct(mu);
      first = 0;
      for (const Block& b : c.merged)
        for (int i = 0; i < b.rows; ++i) lambda[b.row + i] = mu[first++];
    }
    if (c.J >= 0) r.noalias() -= block(problem, c.J, rows_, c.dim).lazyProduct(xc);
  }
  if (constraint_ < 0) return;
  math::solve_ldlt(rows_, S_.data(), r.data());  // (3)
  if (parent_dim_ > 0) {
    Eigen::Map<Eigen::VectorXd> fp(x + parent_x_, parent_dim_);
    fp.noalias() += block(problem, parent_J_, rows_, parent_dim_).transpose().lazyProduct(r);
  }
}

void GeneralStep::down(double* x, double* lambda) {
  if (constraint_ < 0) return;
  Eigen::Map<Eigen::VectorXd> r(lambda + row_, rows_);
  if (parent_dim_ > 0) r.noalias() -= V_.lazyProduct(Eigen::Map<Eigen::VectorXd>(x + parent_x_, parent_dim_));
  for (const ChildBody& c : children_) {  // (4)
    Eigen::Map<Eigen::VectorXd>(x + c.x, c.dim).noalias() += c.Z.lazyProduct(r);
    if (c.merged_rows == 0) continue;
    auto change = scratch_.head(c.merged_rows);
    change.noalias() = c.Y.lazyProduct(r);
    int first = 0;
    for (const Block& b : c.merged)
      for (int i = 0; i < b.rows; ++i) lambda[b.row + i] -= change[first++];
  }
}

}  // namespace catena::solve
