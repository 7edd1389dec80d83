// Maximal coordinates: the unknowns are the velocities of all bodies, constraints act through multipliers.
//
// Brings the evaluated system to an instant and writes it into the problem at the seam (solve/problem.h): M per body, J per constraint
// and body. evaluate() costs O(bodies + constraints); what factor() and solve() cost is the solver's affair.
#pragma once

#include "formulation/body_equations.h"
#include "formulation/checked_solve.h"
#include "formulation/maximal/blocks.h"
#include "formulation/maximal/held_rows.h"

namespace catena::maximal {

class MaximalEquations final : public BodyEquations {
 public:
  /// Evaluates at the start, so that solvers can look at representative numbers.
  MaximalEquations(System& system, const Instant& start);
  MaximalEquations(System& system, const MaximalEquations& other);

  // Equations
  int num_q() const override { return layout_.num_q; }
  int num_v() const override { return layout_.num_v; }
  int num_rows() const override { return layout_.num_rows; }
  const VecX& holonomic() const override { return layout_.holonomic; }
  bool has_nonholonomic_rows() const override { return layout_.has_nonholonomic_rows; }
  bool is_constrained() const override { return layout_.num_rows > 0; }
  bool has_velocity_forces() const override { return layout_.has_velocity_forces; }
  double length_scale() const override { return layout_.length_scale; }
  void evaluate(const Instant& at) override;
  SolveResult factor() override;
  SolveResult solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  SolveResult solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  SolveResult solve_accelerations(VecX& a, VecX& lambda) override {
    right_side_ = -bias();
    return factor_and_solve_checked(force_, right_side_, a, lambda);
  }
  SolveResult factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  const VecX& row_residual() const override { return checked_.row_residual(); }
  double smallest_pivot() const override { return solver_->smallest_pivot(); }
  int weakest_constraint() const override {
    const int row = solver_->weakest_row();
    return row >= 0 ? solve::find_block(problem_.graph->row_offset, row) : -1;
  }
  const std::vector<int>& redundant_rows() override;
  void evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) override;
  void evaluate_forces(const VecX& v, double t, bool with_gyroscopic, VecX& F) override;
  const VecX& C() const override { return system_.rows.C; }
  const VecX& C_t() const override { return system_.rows.C_t; }
  const VecX& bias() const override { return system_.rows.bias; }
  const VecX& force() override { return force_; }
  void add_row_forces(const VecX& lambda, VecX& f) const override {
    if (layout_.has_own_directions)
      solve::add_Kt_times(problem_, lambda, f);
    else
      solve::add_Jt_times(problem_, lambda, f);
  }
  void apply_J(const VecX& v, VecX& y) const override;
  void apply_mass(const VecX& v, VecX& P) override { solve::mass_times(problem_, v, P); }
  void apply_inverse_mass(VecX& f) override;
  void add_point_force(int body, const Vec3& point, const Vec3& force, VecX& f) override;
  std::span<const InequalitySlot> inequality_slots() const override { return layout_.inequalities; }
  void evaluate_inequalities() override;
  const InequalityValues& inequality_values() const override { return system_.inequalities; }
  HeldRows& held_rows() override { return held_; }
  void hold(const InequalitySlot& slot, int row, double sign) override;
  void retract(const VecX& d, VecX& q) const override;
  void chart_rate(const VecX& u, const VecX& v, VecX& u_dot) const override;
  void drift(double h, const VecX& P, VecX& q) const override;
  Energy energy() const override;
  Powers powers(const VecX& lambda) const override;
  bool is_driven() const override { return !layout_.driven.empty(); }

  // BodyEquations
  std::unique_ptr<BodyEquations> clone(System& system) const override {
    return std::make_unique<MaximalEquations>(system, *this);
  }
  solve::Refusal use_solver(std::unique_ptr<solve::EqualitySolver> solver,
                            double residual_tolerance) override;
  solve::EqualitySolver& solver() const override { return *solver_; }
  const solve::Problem& problem() const override { return problem_; }
  void set_damping(double relative) override;
  double tension_frequency(const VecX& lambda, int* body) const override;

 private:
  RowSink sink() {
    return {blocks_.block.data(), problem_.J.data(), problem_.K.data(), explicit_place_.data(),
            problem_.pairs.data()};
  }
  Instant instant() const { return {q_, v_, time_, memory_, step_}; }
  RowMotion row_motion() const { return {v_, system_.rows.C_t, layout_.length_scale}; }
  SolveResult verdict(const solve::FactorResult& result) const;
  void make_rank_finder();
  void note_factor();

  System& system_;
  const Layout& layout_;
  const std::shared_ptr<const Blocks> shared_blocks_;  // with clones
  const Blocks& blocks_;
  std::vector<ExplicitPlace> explicit_place_;  // per constraint; none until a solver asks
  solve::Problem problem_;
  std::unique_ptr<solve::EqualitySolver> solver_;
  std::unique_ptr<solve::EqualitySolver>
      rank_finder_;  // where solver_ does not tell which rows are redundant; made when somebody asks
  CheckedSolve checked_;
  BodyHeldRows held_{*this};
  VecX q_, v_, memory_;  // of the evaluated instant
  double time_ = 0.0, step_ = 0.0;
  struct Place {
    VecX q, v, memory;
    double time = 0.0, step = 0.0;
    Instant instant() const { return {q, v, time, memory, step}; }
  };
  Place analysed_at_;  // where the solver saw representative numbers
  VecX force_;         // of the evaluated instant
  VecX right_side_;
  VecX factored_q_;  // where the factor was made, for assertions
};

}  // namespace catena::maximal
