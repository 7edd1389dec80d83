// An implicit stage in body velocities and multipliers: residuals, and the matrix of Newton's method with all its derivatives.
//
//   D = s ∂(inertia)/∂u - s Σ K,   K = ∂(Kᵀλ)/∂q, the geometric stiffness of constraints and springs                       (1)
//
// Everything of a body, a constraint or a force comes from the evaluated system: inertia (stage_inertia.h), rows and their stiffness
// (body_rows.h, stiffness.h), laws of springs and stops (coordinate_laws.h), work (stage_efforts.h). Here is where it goes in the matrix,
// and how it is solved.
#pragma once

#include "formulation/force_balance.h"
#include "formulation/force_derivatives.h"
#include "formulation/implicit/blocks.h"
#include "formulation/momentum.h"
#include "formulation/stage_efforts.h"
#include "formulation/stage_inertia.h"
#include "solve/equality_solver.h"

namespace catena::implicit {

class ImplicitStage final : public StageEquations {
 public:
  ImplicitStage(System& system, const StageForm& form, const State& start);
  ImplicitStage(System& system, const ImplicitStage& other);

  // StageEquations
  std::unique_ptr<StageEquations> clone(System& system) const override {
    return std::make_unique<ImplicitStage>(system, *this);
  }
  int num_v() const override { return layout_.num_v; }
  int num_lambda() const override { return blocks_.graph.num_rows(); }
  void momentum(const VecX& q, const VecX& v, VecX& pi) override { catena::momentum(layout_, q, v, pi); }
  void displaced_momentum(const VecX& q, const VecX& u, const VecX& v, VecX& pi) override;
  void momentum_rate(const VecX& q, const VecX& v, const VecX& a, VecX& rate) override {
    catena::momentum_rate(layout_, q, v, a, rate);
  }
  void start(const State& at, double step, const VecX& constraint_lambda, VecX& lambda, VecX& effort,
             VecX& rate) override;
  bool constraint_lambda(const VecX& lambda, VecX& out) const override;
  void set_redundant_rows(const std::vector<int>& rows) override;
  void begin(const Stage& stage) override;
  StageError evaluate(const VecX& u, VecX& lambda) override;
  SolveResult factor() override;
  bool has_right_signs() override {
    return solver_->pivot_signs(problem_).are_those_of_a_minimum(blocks_.graph);
  }
  void solve(VecX& du, VecX& dlambda) override;
  StageError evaluate_errors(const VecX& u) override;
  void correct_errors(VecX& du, VecX& dlambda) override;
  void advance(const VecX& du, VecX& u) const override { advance_chart(layout_, du, u); }
  bool has_stops() const override { return laws_.has_stops(); }
  bool take_stop_changes() override { return laws_.take_changes(); }
  bool adjust_stops(const VecX& u, const VecX& lambda) override {
    return laws_.adjust_stops(stage_, u, lambda, blocks_.rows.coordinate);
  }
  const std::vector<Account>& effort_accounts() const override { return efforts_.accounts(); }
  void read_efforts(VecX& effort, VecX& rate) override { efforts_.read(lambda_, instant(), effort, rate); }
  void read_linear_efforts(const VecX& u, const VecX& lambda, VecX& effort, VecX& rate) override {
    efforts_.read_linear(stage_, u, lambda, effort, rate);
  }
  void add_row_impulses(const VecX& mu, VecX& impulse) const override {
    efforts_.add_row_impulses(mu, impulse);
  }
  double largest_turn(const VecX& u, int* body) const override {
    return catena::largest_turn(layout_, u, body);
  }
  void velocity(const VecX& u, VecX& v) const override {
    v = (1.0 / stage_.tau) * (u - *stage_.velocity_base);
  }

  /// For tests: the matrix, and another solver for it.
  const solve::Problem& problem() const { return problem_; }
  const Blocks& blocks() const { return blocks_; }
  const VecX& force_residual() const { return balance_.r; }
  const VecX& row_residual() const { return r2_; }
  void use_solver(std::unique_ptr<solve::EqualitySolver> solver);

 private:
  Instant instant() const { return {q_, v_, stage_.time, *stage_.memory, stage_.tau}; }
  RowSink sink() { return {blocks_.constraint_block.data(), problem_.J.data(), problem_.K.data()}; }

  // λ of a constraint, and of a force along coordinates, at the last evaluate()
  const double* lambda_of(const ConstraintSlot& slot) const {
    return lambda_.data() + blocks_.rows.constraint[std::size_t(slot.row)];
  }
  const double* lambda_of(const ForceSlot& slot) const {
    return lambda_.data() + blocks_.rows.coordinate[std::size_t(slot.row)];
  }

  // residuals, equations.cpp
  void reserve();
  void update_constraint_rows(VecX& lambda);
  void update_nonholonomic_residuals();
  void update_coordinate_rows(VecX& lambda);
  StageError measure_rows() const;
  void correct(VecX& du, VecX& dlambda);

  // matrix, matrix.cpp
  StiffnessSink constraint_sink();
  StiffnessSink force_sink();
  MarkerStiffness clear_stiffness(int markers);
  void add_constraint_stiffness();
  void add_coordinate_stiffness(const StiffnessSink& sink, std::size_t force);
  void update_derivatives(const ForceSlot& slot, bool& trial_is_placed);
  void add_force_stiffness();
  void collect_loads();
  void switch_rows_off();

  System& system_;
  const Layout& layout_;
  const StageForm form_;
  const std::shared_ptr<const Blocks> shared_blocks_;  // with clones
  const Blocks& blocks_;
  Stage stage_;
  solve::Problem problem_;
  std::unique_ptr<solve::EqualitySolver> solver_;
  StageInertia inertia_;
  CoordinateLaws laws_;
  StageEfforts efforts_;
  ForceBalance balance_;
  VecX u_, q_, v_, lambda_;         // of the last evaluate()
  VecX force_, r2_;                 // applied forces, residuals of rows
  VecX f_, d_;                      // right-hand sides of (5) of stage_equations.h
  VecX rate_, errors_;              // scratch: rates of rows in λ, errors of rows in model order
  VecX correction_;                 // scratch: a force of a linearised step
  std::vector<char> is_off_;        // per row of λ: takes no part in the matrix
  std::vector<char> is_redundant_;  // per row in model order
  bool is_blanked_ = false;         // constant entries of J were overwritten
  ForceDerivatives derivatives_;    // scratch: stiffness of one constraint or force at its markers
  std::vector<MarkerLoad> loads_;   // on bodies of other kinds
};

}  // namespace catena::implicit
