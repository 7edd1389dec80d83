#include "formulation/maximal/stage.h"

#include "math/rotation.h"

#include <algorithm>
#include <cmath>

namespace catena::maximal {
namespace {

constexpr double kVisible = 1e-3;  // of the model's size

/// r -= Jᵀλ of one edge. Returns the largest entry of Jᵀλ, torques of spatial bodies divided by a lever. DIM > 0: known to the compiler.
template <int DIM>
inline double subtract_row_forces(int rows, int dim_at_run_time, const double* J, const double* lambda,
                                  double inverse_lever, double* r) {
  const int dim = DIM > 0 ? DIM : dim_at_run_time;
  double force[DIM > 0 ? DIM : kMostVelocities] = {};
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < dim; ++k) force[k] += lambda[i] * J[i * dim + k];
  double linear = 0.0, angular = 0.0;
  for (int k = 0; k < dim; ++k) {
    r[k] -= force[k];
    double& largest = dim == 6 && k >= 3 ? angular : linear;
    largest = std::max(largest, std::abs(force[k]));
  }
  return std::max(linear, inverse_lever * angular);
}

}  // namespace

MaximalStage::MaximalStage(const Layout& layout, const Options& options, const State& start)
    : layout_(layout, options),
      kinematics_(layout_.layout),
      rows_(layout_.layout),
      force_arrays_(layout_.layout) {
  problem_.resize(layout_.graph);
  write_constant_rows(layout_.layout, problem_);
  no_explicit_form_.assign(layout_.layout.constraints.size(), -1);
  inertia_.assign(layout_.layout.bodies.size(), Mat3::Zero());
  const int rows = num_lambda(), n = num_v();
  response_.assign(std::size_t(rows), {});
  is_off_.assign(std::size_t(rows), 0);
  is_engaged_ = was_engaged_ = is_released_ = is_off_;
  is_redundant_.assign(std::size_t(rows), 0);
  caught_by_.assign(std::size_t(rows), 0);
  int size = 0;
  for (const ElasticSlot& slot : layout_.elastics) {
    elastic_G_begin_.push_back(size);
    size += slot.rows * (slot.marker_end - slot.marker_begin) * 6;
  }
  elastic_G_.setZero(size);
  const int markers = std::max(layout_.layout.most_markers, 1);
  marker_K_.setZero(36 * markers * markers);
  marker_V_.setZero(36 * markers * markers);
  moved_.resize(std::size_t(markers));
  loads_.reserve(layout_.has_other_bodies
                     ? layout_.layout.constraint_markers.size() + layout_.layout.force_markers.size()
                     : 0);
  for (VecX* vector : {&u_, &v_, &a_, &force_, &r1_}) vector->setZero(n);
  weight_.setZero(Eigen::Index(layout_.layout.bodies.size()));
  r2_.setZero(rows);
  // representative numbers for the structure of the factorisation: a step of unit length at the start
  const VecX zero = VecX::Zero(n);
  VecX lambda = VecX::Zero(rows);
  begin({&start.q, &start.memory, start.time, &zero, 1.0, &zero, nullptr, 1.0});
  (void)evaluate(zero, lambda);
  for (const ElasticSlot& slot : layout_.elastics) problem_.S.segment(slot.row, slot.rows).setOnes();
  use_solver(options.stiff_form == StiffForm::dense ? solve::make_dense_ldu_solver()
                                                    : solve::make_ldu_solver());
}

void MaximalStage::use_solver(std::unique_ptr<solve::LduSolver> solver) {
  solver_ = std::move(solver);
  solver_->analyze(problem_);
}

void MaximalStage::momentum(const VecX& q, const VecX& v, VecX& pi) {
  pi = v;
  for (const BodySlot& slot : layout_.layout.bodies) {
    double* own = pi.data() + slot.v;
    if (slot.type == BodyType::rigid) {
      const Mat3 R = load_quat(q.data() + slot.q + 3).toRotationMatrix();
      Eigen::Map<Vec3> linear(own), angular(own + 3);
      linear *= slot.mass;
      angular = R * (slot.inertia * (R.transpose() * angular)).eval();
    } else if (slot.type != BodyType::other) {  // constant masses
      for (int i = 0; i < slot.num_v; ++i)
        own[i] *= slot.type == BodyType::planar && i == 2 ? slot.planar_inertia : slot.mass;
    }
  }
}

void MaximalStage::displaced_momentum(const VecX& q, const VecX& u, const VecX& v, VecX& pi) {
  displace_bodies(q, u);
  momentum(q_, v, pi);
}

// q_ = q ⊕ u. Rigid bodies here, and without normalising their quaternions, which are of unit length to rounding.
void MaximalStage::displace_bodies(const VecX& q, const VecX& u) {
  q_ = q;
  for (const BodySlot& slot : layout_.layout.bodies) {
    double* own = q_.data() + slot.q;
    const double* d = u.data() + slot.v;
    if (slot.type == BodyType::rigid) {
      for (int i = 0; i < 3; ++i) own[i] += d[i];
      store_quat(exp_rotation(Vec3(d[3], d[4], d[5])) * load_quat(own + 3), own + 3);
    } else {
      slot.body->retract(own, d);
    }
  }
}

void MaximalStage::momentum_rate(const VecX& q, const VecX& v, const VecX& a, VecX& rate) {
  momentum(q, a, rate);
  VecX& pi = force_;  // scratch until the next evaluate()
  momentum(q, v, pi);
  for (const BodySlot& slot : layout_.layout.bodies)
    if (slot.type == BodyType::rigid) {
      const Vec3 w(v.segment<3>(slot.v + 3)), L(pi.segment<3>(slot.v + 3));
      rate.segment<3>(slot.v + 3) += w.cross(L);
    }
}

void MaximalStage::set_redundant_rows(const std::vector<int>& rows) {
  std::fill(is_redundant_.begin(), is_redundant_.end(), 0);
  for (const int row : rows) is_redundant_[std::size_t(layout_.row_of_model[std::size_t(row)])] = 1;
}

void MaximalStage::update_motion(const VecX& q, const VecX& v) {
  update_bodies(layout_.layout, q, v, kinematics_);
  update_constraint_markers(layout_.layout, q, v, kinematics_);
  update_force_markers(layout_.layout, q, v, kinematics_);
}

// Inertia minus applied forces of (2), (3) of stage_equations.h into r₁; weight_: the size of these terms.
void MaximalStage::update_inertia() {
  const double inverse = 1.0 / stage_.tau;
  if (!is_momentum_form()) a_ = (u_ - *stage_.acceleration_base) / stage_.s;
  for (std::size_t i = 0; i < layout_.layout.bodies.size(); ++i) {
    const BodySlot& slot = layout_.layout.bodies[i];
    double* r = r1_.data() + slot.v;
    const double* v = v_.data() + slot.v;
    const double* F = force_.data() + slot.v;
    const double* old = is_momentum_form() ? stage_.momentum->data() + slot.v : nullptr;
    const double* a = a_.data() + slot.v;
    double weight = 0.0;
    if (slot.type == BodyType::rigid) {
      const Mat3& R = kinematics_.bodies[i].R;
      Mat3& I = inertia_[i];
      write_inertia<3>(R, slot.inertia, I.data());
      const Vec3 w(v[3], v[4], v[5]), L = I * w;
      if (old != nullptr) {
        for (int k = 0; k < 3; ++k) r[k] = (slot.mass * v[k] - old[k]) * inverse;
        for (int k = 0; k < 3; ++k) r[3 + k] = (L[k] - old[3 + k]) * inverse;
        if (stage_.predicted_velocity != nullptr) {  // (4), at u = 0
          const Vec3 spin = stage_.predicted_velocity->segment<3>(slot.v + 3),
                     gyroscopic = spin.cross(I * spin);
          for (int k = 0; k < 3; ++k) r[3 + k] -= gyroscopic[k];
        }
      } else {
        const Vec3 torque = I * Vec3(a[3], a[4], a[5]) + w.cross(L);
        for (int k = 0; k < 3; ++k) r[k] = slot.mass * a[k];
        for (int k = 0; k < 3; ++k) r[3 + k] = torque[k];
      }
    } else if (slot.type == BodyType::other) {
      VecX out(slot.num_v);
      other_residual(slot, u_.data() + slot.v, out);
      for (int k = 0; k < slot.num_v; ++k) r[k] = out[k];
    } else {
      for (int k = 0; k < slot.num_v; ++k) {
        const double mass = slot.type == BodyType::planar && k == 2 ? slot.planar_inertia : slot.mass;
        r[k] = old != nullptr ? (mass * v[k] - old[k]) * inverse : mass * a[k];
      }
    }
    const int linear = slot.type == BodyType::rigid ? 3 : slot.type == BodyType::planar ? 2 : slot.num_v;
    for (int k = 0; k < slot.num_v; ++k) {
      const double unit = k < linear ? 1.0 : layout_.inverse_lever[i];
      weight = std::max(weight, unit * (std::abs(r[k]) + std::abs(F[k])));
      r[k] -= F[k];
    }
    // a force counts where it would move the body by a visible part of the model's size; at rest nothing else sets a scale
    const double visible = kVisible * slot.mass * layout_.layout.length_scale / stage_.s;
    weight_[Eigen::Index(i)] = std::max({weight, 1e-3 * slot.mass * layout_.layout.gravity.norm(), visible});
  }
}

// r₁ -= Jᵀλ
void MaximalStage::add_constraint_forces(const VecX& lambda) {
  const solve::Graph& g = layout_.graph;
  for (const solve::Edge& edge : g.edges) {
    const int rows = g.rows[std::size_t(edge.constraint)], dim = g.dims[std::size_t(edge.body)];
    const double* J = problem_.J.data() + edge.offset;
    const double* l = lambda.data() + g.row_offset[std::size_t(edge.constraint)];
    double* r = r1_.data() + g.body_offset[std::size_t(edge.body)];
    const double inverse_lever = layout_.inverse_lever[std::size_t(edge.body)];
    const double largest = dim == 6 ? subtract_row_forces<6>(rows, dim, J, l, inverse_lever, r)
                                    : subtract_row_forces<0>(rows, dim, J, l, inverse_lever, r);
    weight_[edge.body] = std::max(weight_[edge.body], largest);
  }
}

void MaximalStage::update_row_residuals(const VecX& lambda) {
  const Layout& layout = layout_.layout;
  std::fill(r2_.data(), r2_.data() + r2_.size(), 0.0);
  for (const ConstraintSlot& slot : layout.constraints) {
    for (int r = slot.row; r < slot.row + slot.holonomic_rows; ++r) r2_[r] = rows_.C[r];
    for (int r = slot.row; r < slot.row + slot.rows; ++r) {
      is_off_[std::size_t(r)] = is_redundant_[std::size_t(r)];
      problem_.S[r] = is_redundant_[std::size_t(r)] != 0 ? 1.0 : 0.0;
    }
  }
  if (layout.has_nonholonomic_rows) {  // rows without C hold for the velocity at the end of the stage
    VecX rate = rows_.C_t;
    solve::add_J_times(problem_, v_, rate);
    for (const ConstraintSlot& slot : layout.constraints)
      for (int r = slot.row + slot.holonomic_rows; r < slot.row + slot.rows; ++r)
        r2_[r] = stage_.tau * rate[r];
  }
  for (const ElasticSlot& slot : layout_.elastics)
    for (int r = slot.row; r < slot.row + slot.rows; ++r) {
      if (is_off_[std::size_t(r)] != 0) {
        problem_.S[r] = 1.0;
        continue;
      }
      const LawResponse& answer = response_[std::size_t(r)];
      const double stiffness = answer.stiffness + answer.damping / stage_.tau;
      problem_.S[r] = 1.0 / (stage_.s * stiffness);
      r2_[r] = (lambda[r] - answer.force) / stiffness;
    }
}

StageError MaximalStage::measure_rows() const {
  StageError error;
  const Layout& layout = layout_.layout;
  for (Eigen::Index r = 0; r < r2_.size(); ++r) {
    const double size = std::abs(r2_[r]) / layout.length_scale;
    if (!(size <= error.constraints)) {  // a NaN must win
      error.constraints = size;
      error.worst_row = layout_.model_row[std::size_t(r)];
    }
    if (layout_.model_row[std::size_t(r)] >= 0 && !(size <= error.joints)) error.joints = size;
  }
  return error;
}

StageError MaximalStage::measure() const {
  StageError error = measure_rows();
  const Layout& layout = layout_.layout;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const BodySlot& slot = layout.bodies[i];
    const double* r = r1_.data() + slot.v;
    const int linear = slot.num_v == 6 ? 3 : slot.num_v;
    double largest = 0.0;
    for (int k = 0; k < linear; ++k) largest = std::abs(r[k]) <= largest ? largest : std::abs(r[k]);
    for (int k = linear; k < slot.num_v; ++k) {
      const double size = layout_.inverse_lever[i] * std::abs(r[k]);
      largest = size <= largest ? largest : size;
    }
    const double size = largest / weight_[Eigen::Index(i)];
    if (!(size <= error.forces)) {
      error.forces = size;
      error.worst_body = int(i);
    }
  }
  return error;
}

StageError MaximalStage::evaluate(const VecX& u, VecX& lambda) {
  u_ = u;
  displace_bodies(*stage_.q0, u);
  velocity(u, v_);
  update_motion(q_, v_);
  if (is_blanked_) write_constant_rows(layout_.layout, problem_);
  is_blanked_ = false;
  update_rows(layout_.layout, kinematics_, stage_.time, *stage_.memory, no_explicit_form_,
              RowParts::without_bias, rows_, problem_);
  update_elastics(lambda);
  for (std::size_t r = 0; r < is_redundant_.size(); ++r)
    if (is_redundant_[r] != 0) lambda[Eigen::Index(r)] = 0.0;
  update_forces(layout_.layout, q_, v_, problem_.M, kinematics_, stage_.time, *stage_.memory, false,
                force_arrays_, force_);
  update_inertia();
  add_constraint_forces(lambda);
  update_row_residuals(lambda);
  lambda_ = lambda;
  return measure();
}

double MaximalStage::driven_power() const {
  double power = 0.0;
  for (const ConstraintSlot& slot : layout_.layout.constraints)
    for (int r = slot.row; r < slot.row + slot.rows; ++r) power -= lambda_[r] * rows_.C_t[r];
  return power;
}

void MaximalStage::solve(VecX& du, VecX& dlambda) {
  switch_rows_off();  // evaluate() may have written them since the factor was made
  du = -stage_.s * r1_;
  dlambda = r2_;
  solver_->solve(problem_, du, dlambda);
  dlambda /= stage_.s;
}

StageError MaximalStage::evaluate_errors(const VecX& u) {
  const Layout& layout = layout_.layout;
  displace_bodies(*stage_.q0, u);
  velocity(u, v_);
  update_bodies(layout, q_, v_, kinematics_);
  update_constraint_markers(layout, q_, v_, kinematics_);
  r2_.setZero();
  update_errors(layout, kinematics_, stage_.time, *stage_.memory, rows_, r2_);
  for (Eigen::Index r = 0; r < r2_.size(); ++r)
    if (is_redundant_[std::size_t(r)] != 0) r2_[r] = 0.0;
  return measure_rows();
}

void MaximalStage::correct_errors(VecX& du, VecX& dlambda) {
  du.setZero(num_v());
  dlambda = r2_;
  solver_->solve(problem_, du, dlambda);
  dlambda /= stage_.s;
}

double MaximalStage::largest_turn(const VecX& u) const {
  double largest = 0.0;
  for (const BodySlot& slot : layout_.layout.bodies)
    if (slot.type == BodyType::rigid) largest = std::max(largest, u.segment<3>(slot.v + 3).squaredNorm());
  return std::sqrt(largest);
}

void MaximalStage::advance(const VecX& du, VecX& u) const {
  double rate[kMostVelocities];
  for (const BodySlot& slot : layout_.layout.bodies) {
    if (slot.type == BodyType::rigid) {
      const Eigen::Map<const Vec3> turn(du.data() + slot.v + 3);
      Eigen::Map<Vec3> linear(u.data() + slot.v), phi(u.data() + slot.v + 3);
      linear += Eigen::Map<const Vec3>(du.data() + slot.v);
      phi += rotation_chart_rate(phi, turn);
      continue;
    }
    slot.body->chart_rate(u.data() + slot.v, du.data() + slot.v, rate);
    for (int k = 0; k < slot.num_v; ++k) u[slot.v + k] += rate[k];
  }
}

}  // namespace catena::maximal
