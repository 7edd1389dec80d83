#include "formulation/minimal/held_rows.h"

#include "formulation/minimal/body_map.h"

namespace catena::minimal {

void JointHeldRows::begin() {
  size_ = 0;
  A_.clear();
  K_.clear();
  is_up_to_date_ = false;
}

void JointHeldRows::begin_row() {
  on_bodies_.setZero(layout_.num_v);
  has_direction_ = false;
}

void JointHeldRows::add_to(VecX& on_bodies, int body, const double* numbers) const {
  const BodySlot& slot = layout_.bodies[std::size_t(body)];
  for (int k = 0; k < slot.num_v; ++k) on_bodies[slot.v + k] += numbers[k];
}

void JointHeldRows::add_direction(int body, const double* numbers) {
  if (!has_direction_) direction_.setZero(layout_.num_v);
  has_direction_ = true;
  add_to(direction_, body, numbers);
}

void JointHeldRows::append(const VecX& on_bodies, std::vector<double>& columns) {
  gather(structure_, work_, on_bodies, own_);
  columns.insert(columns.end(), own_.data(), own_.data() + own_.size());
}

void JointHeldRows::end_row() {
  append(on_bodies_, A_);
  append(has_direction_ ? direction_ : on_bodies_, K_);
  ++size_;
  is_up_to_date_ = false;
}

Eigen::Map<const MatX> JointHeldRows::response() {
  if (!is_up_to_date_) {
    W_.resize(std::size_t(size_) * std::size_t(size_));
    Eigen::Map<MatX> W(W_.data(), size_, size_);
    no_rates_.setZero(equations_.num_rows());
    for (int k = 0; k < size_; ++k) {
      own_ = columns(K_).col(k);
      (void)equations_.solve(own_, no_rates_, x_, lambda_);  // its factor is there
      W.col(k).noalias() = columns(A_).transpose() * x_;
    }
    is_up_to_date_ = true;
  }
  return {W_.data(), size_, size_};
}

void JointHeldRows::respond(const VecX& mu, VecX& x, VecX& lambda) {
  own_.setZero(structure_.num_v);
  add_forces(mu, own_);
  no_rates_.setZero(equations_.num_rows());
  (void)equations_.solve(own_, no_rates_, x_, lambda_);
  x += x_;
  lambda += lambda_;
}

}  // namespace catena::minimal
