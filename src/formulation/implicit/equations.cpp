#include "formulation/implicit/equations.h"

#include "formulation/mass.h"

#include <algorithm>
#include <cmath>

namespace catena {

std::unique_ptr<StageEquations> make_implicit_stage(System& system, const StageForm& form,
                                                    const State& start) {
  return std::make_unique<implicit::ImplicitStage>(system, form, start);
}

namespace implicit {

ImplicitStage::ImplicitStage(System& system, const StageForm& form, const State& start)
    : system_(system),
      layout_(system.layout),
      form_(form),
      blocks_(system.layout, form),
      inertia_(system),
      laws_(system),
      efforts_(system, start),
      balance_(layout_),
      is_off_(std::size_t(blocks_.graph.num_rows())),
      is_redundant_(is_off_),
      derivatives_(layout_) {
  problem_.resize(blocks_.graph, solve::Problem::Symmetry::unsymmetric);
  write_constant_rows(layout_, sink());
  loads_.reserve(layout_.has_other_bodies ? layout_.constraint_markers.size() + layout_.force_markers.size()
                                          : 0);
  for (VecX* vector : {&u_, &v_, &force_}) vector->setZero(num_v());
  r2_.setZero(num_lambda());
  rate_.setZero(num_lambda());
  errors_.setZero(layout_.num_rows);
  // representative numbers for the structure of the factorisation: a step of unit length at the start
  VecX lambda = VecX::Zero(num_lambda());
  begin({&start.q, &start.memory, start.time, &system_.still, 1.0, &system_.still, nullptr, 1.0});
  (void)evaluate(system_.still, lambda);
  for (std::size_t i = 0; i < layout_.forces.size(); ++i)
    if (blocks_.force_row[i] >= 0) problem_.S.segment(blocks_.force_row[i], layout_.forces[i].rows).setOnes();
  use_solver(form.stiffness == StiffForm::dense ? solve::make_dense_kkt_solver()
                                                : solve::make_ldu_solver_for(blocks_.graph));
}

void ImplicitStage::use_solver(std::unique_ptr<solve::EqualitySolver> solver) {
  const solve::Refusal refusal = solver->analyze(problem_);
  if (refusal.refused())  // only the dense form, where the model is too large for it
    throw InvalidInput({{"stiff_form", "the model " + refusal.reason, "use 'compliant' or 'grandparent'"}});
  solver_ = std::move(solver);
}

void ImplicitStage::begin(const Stage& stage) {
  stage_ = stage;
  is_at_start_ = false;
  laws_.begin_step();
}

void ImplicitStage::displaced_momentum(const VecX& q, const VecX& u, const VecX& v, VecX& pi) {
  displace_bodies(layout_, q, u, q_);
  momentum(q_, v, pi);
}

void ImplicitStage::set_redundant_rows(const std::vector<int>& rows) {
  std::fill(is_redundant_.begin(), is_redundant_.end(), 0);
  for (const int row : rows) {
    const int c = constraint_of_row(layout_, row);
    is_redundant_[std::size_t(blocks_.constraint_row[std::size_t(c)] + row -
                              layout_.constraints[std::size_t(c)].row)] = 1;
  }
}

StageError ImplicitStage::evaluate(const VecX& u, VecX& lambda) {
  u_ = u;
  displace_bodies(layout_, *stage_.q0, u, q_);
  velocity(u, v_);
  system_.place(instant());
  if (is_blanked_) write_constant_rows(layout_, sink());
  is_blanked_ = false;
  update_rows(layout_, system_.kinematics, instant(), RowParts::without_bias, system_.rows, sink());
  update_coordinates(lambda);
  for (std::size_t r = 0; r < is_redundant_.size(); ++r)
    if (is_redundant_[r] != 0) lambda[Eigen::Index(r)] = 0.0;
  force_.setZero();
  add_body_forces(layout_, q_, v_, force_);
  add_marker_forces(layout_, system_.kinematics, instant(), ForceParts::without_coordinates, system_.wrenches,
                    force_);
  inertia_.update_residual(stage_, u_, v_, balance_.r);
  balance_.subtract_applied(force_, stage_.s);
  balance_.subtract_rows(problem_, lambda);
  update_row_residuals(lambda);
  lambda_ = lambda;
  StageError error = measure_rows();
  balance_.measure(error);
  return error;
}

// Rows of forces along coordinates; sets λ where the law alone decides.
void ImplicitStage::update_coordinates(VecX& lambda) {
  laws_.evaluate(stage_, instant());
  for (std::size_t i = 0; i < layout_.forces.size(); ++i) {
    const ForceSlot& slot = layout_.forces[i];
    if (slot.along == nullptr) continue;
    write_coordinate_rows(layout_, slot, system_.kinematics.forces, system_.coordinates,
                          blocks_.force_block.data(), problem_.J.data());
    for (int r = 0; r < slot.rows; ++r) {
      const int row = blocks_.force_row[i] + r;
      const bool is_row = form_.has_coordinate_rows() && laws_.stiffness(stage_, slot.row + r) > 0.0;
      is_off_[std::size_t(row)] = is_row ? 0 : 1;
      if (!is_row) lambda[row] = laws_.response(slot.row + r).force;
    }
  }
}

// Rows without C hold for the velocity at the end of the stage.
void ImplicitStage::update_nonholonomic_residuals() {
  rate_.setZero();
  solve::add_J_times(problem_, v_, rate_);
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout_.constraints[c];
    for (int r = slot.holonomic_rows; r < slot.rows; ++r) {
      const int row = blocks_.constraint_row[c] + r;
      r2_[row] = stage_.tau * (rate_[row] + system_.rows.C_t[slot.row + r]);
    }
  }
}

void ImplicitStage::update_row_residuals(const VecX& lambda) {
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout_.constraints[c];
    for (int r = 0; r < slot.rows; ++r) {
      const int row = blocks_.constraint_row[c] + r;
      r2_[row] = system_.rows.C[slot.row + r];  // 0 for nonholonomic rows
      is_off_[std::size_t(row)] = is_redundant_[std::size_t(row)];
      problem_.S[row] = is_redundant_[std::size_t(row)] != 0 ? 1.0 : 0.0;
    }
  }
  if (layout_.has_nonholonomic_rows) update_nonholonomic_residuals();
  for (std::size_t i = 0; i < layout_.forces.size(); ++i) {
    const ForceSlot& slot = layout_.forces[i];
    for (int r = 0; r < slot.rows; ++r) {
      const int row = blocks_.force_row[i] + r;
      if (is_off_[std::size_t(row)] != 0) {
        problem_.S[row] = 1.0;
        r2_[row] = 0.0;
        continue;
      }
      const double stiffness = laws_.stiffness(stage_, slot.row + r);
      problem_.S[row] = 1.0 / (stage_.s * stiffness);
      r2_[row] = (lambda[row] - laws_.response(slot.row + r).force) / stiffness;
    }
  }
}

StageError ImplicitStage::measure_rows() const {
  StageError error;
  int worst = -1;
  for (Eigen::Index r = 0; r < r2_.size(); ++r) {
    const double size = std::abs(r2_[r]) / layout_.length_scale;
    if (!(size <= error.constraints)) {  // a NaN must win
      error.constraints = size;
      worst = int(r);
    }
    if (blocks_.model_row[std::size_t(r)] >= 0 && !(size <= error.joints)) error.joints = size;
  }
  error.worst_row = worst < 0 ? -1 : blocks_.model_row[std::size_t(worst)];
  if (worst >= 0 && error.worst_row < 0) error.worst_force = blocks_.force_of_row(layout_, worst);
  return error;
}

void ImplicitStage::solve(VecX& du, VecX& dlambda) {
  switch_rows_off();  // evaluate() may have written them since the factor was made
  f_ = -stage_.s * balance_.r;
  d_ = -r2_;
  (void)solver_->solve(problem_, f_, d_, du, dlambda);
  dlambda /= stage_.s;
}

StageError ImplicitStage::evaluate_errors(const VecX& u) {
  displace_bodies(layout_, *stage_.q0, u, q_);
  system_.evaluate_errors(q_, stage_.time, *stage_.memory, errors_);
  r2_.setZero();
  for (std::size_t r = 0; r < is_redundant_.size(); ++r)
    if (const int row = blocks_.model_row[r]; row >= 0 && is_redundant_[r] == 0)
      r2_[Eigen::Index(r)] = errors_[row];
  return measure_rows();
}

void ImplicitStage::correct_errors(VecX& du, VecX& dlambda) {
  f_.setZero(num_v());
  d_ = -r2_;
  (void)solver_->solve(problem_, f_, d_, du, dlambda);
  dlambda /= stage_.s;
}

bool ImplicitStage::adjust_stops(const VecX& u, const VecX& lambda) {
  bool any = false;
  for (std::size_t i = 0; laws_.has_stops() && i < layout_.forces.size(); ++i) {
    const ForceSlot& slot = layout_.forces[i];
    for (int r = 0; slot.first_law >= 0 && r < slot.rows; ++r) {
      const int row = blocks_.force_row[i] + r;
      if (law_of(layout_, slot, r).has_bounds())
        any = laws_.adjust_stop(stage_, slot, r, u, is_off_[std::size_t(row)] == 0, lambda[row]) || any;
    }
  }
  return any;
}

void ImplicitStage::start_lambda(const State& at, double step, const VecX& constraint_lambda, VecX& lambda) {
  lambda.setZero(num_lambda());
  for (std::size_t r = 0; r < blocks_.model_row.size(); ++r)
    if (blocks_.model_row[r] >= 0) lambda[Eigen::Index(r)] = constraint_lambda[blocks_.model_row[r]];
  if (layout_.num_coordinates == 0) return;
  stage_.memory = &at.memory;
  stage_.time = at.time;
  stage_.tau = step;  // what a law answers depends on it: that of another step would be memory nobody saves
  stage_.is_linearised = false;
  q_ = at.q;
  v_ = at.v;
  system_.place(instant());
  update_coordinates(lambda);
  for (std::size_t i = 0; i < layout_.forces.size(); ++i)
    for (int r = 0; r < layout_.forces[i].rows; ++r)
      lambda[blocks_.force_row[i] + r] = laws_.response(layout_.forces[i].row + r).force;
  laws_.accept_changes();
  is_at_start_ = true;
}

bool ImplicitStage::constraint_lambda(const VecX& lambda, VecX& out) const {
  out.resize(layout_.num_rows);
  for (std::size_t r = 0; r < blocks_.model_row.size(); ++r)
    if (blocks_.model_row[r] >= 0) out[blocks_.model_row[r]] = lambda[Eigen::Index(r)];
  return layout_.num_coordinates > 0;
}

}  // namespace implicit
}  // namespace catena
