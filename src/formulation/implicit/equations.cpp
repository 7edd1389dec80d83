#include "formulation/implicit/equations.h"

#include "catena/interrupt.h"
#include "formulation/mass.h"

#include <algorithm>
#include <cassert>
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
      shared_blocks_(std::make_shared<const Blocks>(system.layout, form)),
      blocks_(*shared_blocks_),
      inertia_(system),
      laws_(system, form),
      efforts_(system, laws_, blocks_.rows, start),
      balance_(layout_),
      is_off_(std::size_t(blocks_.graph.num_rows())),
      is_redundant_(std::size_t(layout_.num_rows)),
      derivatives_(layout_) {
  problem_.resize(blocks_.graph, solve::Problem::Symmetry::unsymmetric);
  write_constant_rows(layout_, sink());
  reserve();
  // representative numbers for the structure of the factorisation: a step of unit length at the start
  VecX lambda = VecX::Zero(num_lambda());
  begin({&start.q, &start.memory, start.time, &system_.still, 1.0, &system_.still, nullptr, 1.0});
  (void)evaluate(system_.still, lambda);
  for (const int row : blocks_.rows.coordinate) problem_.S[row] = 1.0;
  use_solver(form.stiffness == StiffForm::dense ? solve::make_dense_kkt_solver()
                                                : solve::make_ldu_solver_for(blocks_.graph));
  (void)evaluate(system_.still, lambda);
  (void)factor();  // settles the order of elimination here, for all that follows
}

ImplicitStage::ImplicitStage(System& system, const ImplicitStage& other)
    : system_(system),
      layout_(system.layout),
      form_(other.form_),
      shared_blocks_(other.shared_blocks_),
      blocks_(*shared_blocks_),
      problem_(other.problem_),
      solver_(other.solver_->clone()),
      inertia_(system),
      laws_(system, form_),
      efforts_(system, laws_, blocks_.rows, other.efforts_.list()),
      balance_(layout_),
      is_off_(other.is_off_),
      is_redundant_(other.is_redundant_),
      is_blanked_(other.is_blanked_),
      derivatives_(layout_) {
  reserve();
}

void ImplicitStage::reserve() {
  loads_.reserve(layout_.has_other_bodies ? layout_.constraint_markers.size() + layout_.force_markers.size()
                                          : 0);
  for (VecX* vector : {&u_, &v_, &force_}) vector->setZero(num_v());
  r2_.setZero(num_lambda());
  rate_.setZero(num_lambda());
  errors_.setZero(layout_.num_rows);
}

void ImplicitStage::use_solver(std::unique_ptr<solve::EqualitySolver> solver) {
  const solve::Refusal refusal = solver->analyze(problem_);
  if (refusal.refused())  // only the dense form, where the model is too large for it
    throw InvalidInput({{"stiff_form", "the model " + refusal.reason, "use 'compliant' or 'grandparent'"}});
  solver_ = std::move(solver);
}

void ImplicitStage::begin(const Stage& stage) {
  assert(stage.q0 != nullptr && stage.q0->size() == layout_.num_q &&
         stage.memory->size() == layout_.num_memory);
  assert(stage.velocity_base->size() == num_v() && stage.tau > 0.0 && stage.s > 0.0);
  assert((stage.momentum != nullptr ? stage.momentum : stage.acceleration_base)->size() == num_v());
  stage_ = stage;
  laws_.begin_step();
}

void ImplicitStage::displaced_momentum(const VecX& q, const VecX& u, const VecX& v, VecX& pi) {
  displace_bodies(layout_, q, u, q_);
  momentum(q_, v, pi);
}

void ImplicitStage::set_redundant_rows(const std::vector<int>& rows) {
  std::fill(is_redundant_.begin(), is_redundant_.end(), 0);
  for (const int row : rows) is_redundant_[std::size_t(row)] = 1;
}

StageError ImplicitStage::evaluate(const VecX& u, VecX& lambda) {
  assert(u.size() == num_v() && lambda.size() == num_lambda());
  allow_interruption();
  u_ = u;
  displace_bodies(layout_, *stage_.q0, u, q_);
  velocity(u, v_);
  system_.place(instant());
  if (is_blanked_) write_constant_rows(layout_, sink());
  is_blanked_ = false;
  update_rows(layout_, system_.kinematics, instant(), RowParts::without_bias, system_.rows, sink());
  update_constraint_rows(lambda);
  update_coordinate_rows(lambda);
  force_.setZero();
  add_body_forces(layout_, q_, v_, force_);
  add_marker_forces(layout_, system_.kinematics, instant(), ForceParts::without_coordinates, system_.wrenches,
                    force_);
  inertia_.update_residual(stage_, u_, v_, balance_.r);
  balance_.subtract_applied(force_, stage_.s);
  balance_.subtract_rows(problem_, lambda);
  lambda_ = lambda;
  StageError error = measure_rows();
  balance_.measure(error);
  return error;
}

// Redundant rows have no multiplier.
void ImplicitStage::update_constraint_rows(VecX& lambda) {
  for (std::size_t r = 0; r < is_redundant_.size(); ++r) {
    const int row = blocks_.rows.constraint[r];
    const bool is_off = is_redundant_[r] != 0;
    r2_[row] = system_.rows.C[Eigen::Index(r)];  // 0 for nonholonomic rows
    problem_.S[row] = is_off ? 1.0 : 0.0;
    is_off_[std::size_t(row)] = is_redundant_[r];
    if (is_off) lambda[row] = 0.0;
  }
  if (layout_.has_nonholonomic_rows) update_nonholonomic_residuals();
}

// Rows without C hold for the velocity at the end of the stage.
void ImplicitStage::update_nonholonomic_residuals() {
  rate_.setZero();
  solve::add_J_times(problem_, v_, rate_);
  for (Eigen::Index r = 0; r < layout_.num_rows; ++r) {
    const int row = blocks_.rows.constraint[std::size_t(r)];
    if (layout_.holonomic[r] == 0.0) r2_[row] = stage_.tau * (rate_[row] + system_.rows.C_t[r]);
  }
}

// Sets λ where the law alone decides.
void ImplicitStage::update_coordinate_rows(VecX& lambda) {
  laws_.evaluate(stage_, instant());
  for (const ForceSlot& slot : layout_.forces)
    if (slot.along != nullptr)
      write_coordinate_rows(layout_, slot, system_.kinematics.forces, system_.coordinates,
                            blocks_.force_block.data(), problem_.J.data());
  for (int k = 0; k < layout_.num_coordinates; ++k) {
    const int row = blocks_.rows.coordinate[std::size_t(k)];
    const double law = laws_.response(k).force, stiffness = laws_.stiffness(stage_, k);
    const bool is_unknown = laws_.is_unknown(stage_, k);
    if (!is_unknown) lambda[row] = law;
    problem_.S[row] = is_unknown ? 1.0 / (stage_.s * stiffness) : 1.0;
    r2_[row] = is_unknown ? (lambda[row] - law) / stiffness : 0.0;
    is_off_[std::size_t(row)] = is_unknown ? 0 : 1;
  }
}

StageError ImplicitStage::measure_rows() const {
  StageError error;
  const auto find_worst = [&](const std::vector<int>& row_of) {
    int worst = -1;
    for (std::size_t r = 0; r < row_of.size(); ++r) {
      const double size = std::abs(r2_[row_of[r]]) / layout_.length_scale;
      if (!is_worse(size, error.constraints)) continue;
      error.constraints = size;
      worst = int(r);
    }
    return worst;
  };
  error.worst_row = find_worst(blocks_.rows.constraint);
  error.joints = error.constraints;
  error.worst_force = force_of_coordinate(layout_, find_worst(blocks_.rows.coordinate));
  if (error.worst_force >= 0) error.worst_row = -1;
  return error;
}

void ImplicitStage::solve(VecX& du, VecX& dlambda) {
  allow_interruption();
  switch_rows_off();  // evaluate() may have written them since the factor was made
  f_ = -stage_.s * balance_.r;
  correct(du, dlambda);
}

StageError ImplicitStage::evaluate_errors(const VecX& u) {
  displace_bodies(layout_, *stage_.q0, u, q_);
  system_.evaluate_errors(q_, stage_.time, *stage_.memory, errors_);
  r2_.setZero();
  for (std::size_t r = 0; r < is_redundant_.size(); ++r)
    if (is_redundant_[r] == 0) r2_[blocks_.rows.constraint[r]] = errors_[Eigen::Index(r)];
  return measure_rows();
}

void ImplicitStage::correct_errors(VecX& du, VecX& dlambda) {
  f_.setZero(num_v());
  correct(du, dlambda);
}

// (5) for f_ and the residuals of rows.
void ImplicitStage::correct(VecX& du, VecX& dlambda) {
  d_ = -r2_;
  (void)solver_->solve(problem_, f_, d_, du, dlambda);
  dlambda /= stage_.s;
}

void ImplicitStage::start(const State& at, double step, const VecX& constraint_lambda, VecX& lambda,
                          VecX& effort, VecX& rate) {
  assert(step > 0.0 && constraint_lambda.size() == layout_.num_rows);
  stage_.memory = &at.memory;
  stage_.time = at.time;
  stage_.tau = step;  // what a law answers depends on it: that of another step would be memory nobody saves
  stage_.is_linearised = false;
  q_ = at.q;
  v_ = at.v;
  if (layout_.num_coordinates > 0 || !efforts_.is_empty()) system_.place(instant());
  laws_.evaluate(stage_, instant());
  laws_.accept_changes();
  lambda.resize(num_lambda());
  for (std::size_t r = 0; r < blocks_.rows.constraint.size(); ++r)
    lambda[blocks_.rows.constraint[r]] = constraint_lambda[Eigen::Index(r)];
  for (std::size_t k = 0; k < blocks_.rows.coordinate.size(); ++k)
    lambda[blocks_.rows.coordinate[k]] = laws_.response(int(k)).force;
  if (!layout_.driven.empty())  // the rows of the last iteration would be memory nobody saves
    update_rows(layout_, system_.kinematics, instant(), RowParts::without_bias, system_.rows, sink());
  efforts_.read(lambda, instant(), effort, rate);
}

bool ImplicitStage::constraint_lambda(const VecX& lambda, VecX& out) const {
  assert(lambda.size() == num_lambda());
  out.resize(layout_.num_rows);
  for (std::size_t r = 0; r < blocks_.rows.constraint.size(); ++r)
    out[Eigen::Index(r)] = lambda[blocks_.rows.constraint[r]];
  return layout_.num_coordinates > 0;
}

}  // namespace implicit
}  // namespace catena
