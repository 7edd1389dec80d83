#include "solve/complementarity/normal_form.h"

#include <algorithm>
#include <cmath>

namespace catena::solve::complementarity {

void NormalForm::add_block(const Rows& rows, const Eigen::Ref<const Eigen::MatrixXd>& W, const Block& block) {
  const double mu = std::max(block.friction[0], block.size > 2 ? block.friction[1] : block.friction[0]);
  const bool is_elliptic = block.size > 2 && mu > 0.0;
  double sum = 0.0;
  for (int i = 0; i < block.size; ++i) {
    const double e = is_elliptic && i > 0 ? block.friction[std::size_t(i) - 1] / mu : 1.0;
    sum += e * e * std::abs(W(block.row + i, block.row + i) + rows.compliance(block.row + i));
    d_.push_back(e);
  }
  double w = sum / block.size;
  if (!(w > 0.0))
    w = std::max(W.row(block.row).cwiseAbs().maxCoeff(), W.col(block.row).cwiseAbs().maxCoeff());
  if (!(w > 0.0)) w = 1.0;
  for (int i = 0; i < block.size; ++i) {
    d_[rows_.size()] /= std::sqrt(w);
    place_[std::size_t(block.row + i)] = int(rows_.size());
    rows_.push_back(block.row + i);
  }
  Block b = block;
  b.row = int(rows_.size()) - block.size;
  b.friction = {mu, mu};
  if (b.kind == Kind::cone && mu == 0.0)
    add_without_friction(b);
  else
    blocks_.push_back(b);
}

void NormalForm::add_without_friction(const Block& b) {
  if (b.kind == Kind::cone) blocks_.push_back({.row = b.row, .lower = 0.0});
  const int normals = b.kind == Kind::cone ? 1 : 0;
  for (int i = normals; i < b.size; ++i) blocks_.push_back({.row = b.row + i, .lower = 0.0, .upper = 0.0});
}

// (2) of intervals; of dependent rows: weights between the scales of two rows.
void NormalForm::scale_bounds() {
  for (Block& b : blocks_) {
    b.lower /= scale(b.row);
    b.upper /= scale(b.row);
    if (b.kind != Kind::dependent) continue;
    const int load = place_[std::size_t(b.load_row)];
    for (int i = 0; i < b.load_size; ++i) b.load_weight[std::size_t(i)] *= scale(load + i) / scale(b.row);
    b.load_row = load;
  }
}

void NormalForm::set(const Rows& rows, std::span<const int> blocks,
                     const Eigen::Ref<const Eigen::MatrixXd>& W, const Eigen::Ref<const Eigen::VectorXd>& q) {
  blocks_.clear();
  rows_.clear();
  d_.clear();
  place_.resize(std::size_t(rows.size()));
  for (const int i : blocks) add_block(rows, W, rows.blocks()[std::size_t(i)]);
  const int n = size();
  W_.resize(std::size_t(n) * std::size_t(n));
  q_.resize(std::size_t(n));
  Q_ = 0.0;
  for (int j = 0; j < n; ++j) {
    const double d = d_[std::size_t(j)];
    for (int i = 0; i < n; ++i)
      W_[std::size_t(j) * std::size_t(n) + std::size_t(i)] = d_[std::size_t(i)] * W(row(i), row(j)) * d;
    W_[std::size_t(j) * std::size_t(n + 1)] += d * d * rows.compliance(row(j));
    q_[std::size_t(j)] = d * q[row(j)];
    Q_ = std::max(Q_, std::abs(q_[std::size_t(j)]));
  }
  if (!(Q_ > 0.0)) Q_ = 1.0;
  for (double& value : q_) value /= Q_;
  scale_bounds();
}

void NormalForm::to_x(const Eigen::Ref<const Eigen::VectorXd>& r, Vector x) const {
  for (int i = 0; i < size(); ++i) x[i] = scale(i) > 0.0 ? r[row(i)] / scale(i) : 0.0;
}

void NormalForm::to_r(const Vector& x, Eigen::Ref<Eigen::VectorXd> r) const {
  for (int i = 0; i < size(); ++i) r[row(i)] = x[i] * scale(i);
}

void NormalForm::set_frictionless(const NormalForm& of) {
  *this = of;
  blocks_.clear();
  for (const Block& b : of.blocks_)
    if (b.kind == Kind::interval)
      blocks_.push_back(b);
    else
      add_without_friction(b);
}

void NormalForm::set_proximal(const NormalForm& of, double c, const Vector& x) {
  *this = of;  // vectors keep their storage
  Matrix(W_.data(), size(), size()).diagonal().array() += c;
  Vector(q_.data(), size()) -= c * x;
}

}  // namespace catena::solve::complementarity
