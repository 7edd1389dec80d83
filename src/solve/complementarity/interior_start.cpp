// Scale and start of the interior-point method, see interior_point.h.
#include "solve/complementarity/interior_point.h"

namespace catena::solve::complementarity {
namespace {

constexpr double kLeastFriction = 1e-5;  // normals are divided by it; Newton's method ends with the true one

}  // namespace

void InteriorPoint::set_scale(const NormalForm& p) {
  n_ = p.size();
  Vector d = d_.vector(n_), q = q_.vector(n_);
  d.setOnes();
  for (const Block& b : p.blocks())
    if (b.kind == Kind::cone) d[b.row] = std::max(NormalForm::friction(b), kLeastFriction);
  q = p.q().cwiseQuotient(d);
  Q_ = n_ > 0 ? q.cwiseAbs().maxCoeff() : 1.0;
  if (!(Q_ > 0.0)) Q_ = 1.0;
  q /= Q_;
  Matrix W = W_.matrix(n_, n_);
  for (int j = 0; j < n_; ++j) W.col(j) = p.W().col(j).cwiseQuotient(d) / d[j];
  blocks_.assign(p.blocks().begin(), p.blocks().end());
  for (Block& b : blocks_) {
    b.lower /= Q_;
    b.upper /= Q_;
    for (int i = 0; i < b.load_size; ++i) b.load_weight[std::size_t(i)] /= d[b.load_row + i];
  }
}

void InteriorPoint::set_scalar_start(const Block& b, double start, Scalar& scalar) {
  double& x = x_.vector(n_)[b.row];
  scalar.lower.is_there = !b.is_fixed() && (b.kind == Kind::dependent || b.lower > -kInfinity);
  scalar.upper.is_there = !b.is_fixed() && (b.kind == Kind::dependent || b.upper < kInfinity);
  double room = start;
  if (b.is_fixed()) {
    x = b.lower;
  } else if (b.kind == Kind::dependent) {
    x = 0.0;
  } else if (scalar.lower.is_there && scalar.upper.is_there) {
    room = 0.5 * (b.upper - b.lower);
    x = b.lower + room;
  } else {
    x = scalar.lower.is_there ? b.lower + start : scalar.upper.is_there ? b.upper - start : 0.0;
  }
  scalar.lower.s = scalar.upper.s = room;
  scalar.lower.z = scalar.lower.is_there ? start : 0.0;
  scalar.upper.z = scalar.upper.is_there ? start : 0.0;
}

void InteriorPoint::set_start(double start) {
  x_.zeros(n_);
  z_.zeros(n_);
  scalars_.clear();
  int cones = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& b = blocks_[k];
    if (b.kind == Kind::cone) {
      put(x_, b, start * Vector3d::UnitX());
      put(z_, b, start * Vector3d::UnitX());
      ++cones;
    } else {
      Scalar scalar;
      scalar.block = int(k);
      scalar.row = b.row;
      set_scalar_start(b, start, scalar);
      scalars_.push_back(scalar);
    }
  }
  corrector_.assign(std::size_t(cones), Vector3d::Zero());
  last_try_ = kInfinity;
}

}  // namespace catena::solve::complementarity
