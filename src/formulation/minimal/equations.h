// Joint coordinates: the unknowns are the velocities of the joints of spanning trees, and of bodies that no joint carries.
//
//   M(q) v̇ = F(q, v, t) + K λ,     J v̇ + b = 0        for the constraints that close loops, gear, roll or drive                  (1)
//   F = Aᵀ(F_b - M_b Ȧv),   b = b_b + J_b Ȧv,   J = J_b A,   K = AᵀK_b        A: from joints to bodies (body_map.h)              (2)
//
// Where a model is a tree the equations of its bodies are not evaluated at all: F = -(bias forces) + AᵀF_b, and of the bodies nothing but the
// markers of forces is placed, where there are any.
// `middle` solves (1) by the solver of body coordinates, which knows the joints as rows too: v̇_b = A v̇ + Ȧv.
#pragma once

#include "formulation/joint_equations.h"
#include "formulation/minimal/closures.h"
#include "formulation/minimal/held_rows.h"

namespace catena::minimal {

class MinimalEquations final : public JointEquations {
 public:
  MinimalEquations(std::shared_ptr<const Structure> structure, System& system, BodyEquations& bodies,
                   Formulation formulation, double residual_tolerance);

  // Equations
  int num_q() const override { return structure_.num_q; }
  int num_v() const override { return structure_.num_v; }
  int num_rows() const override { return layout_.num_rows; }
  const VecX& holonomic() const override { return holonomic_; }
  bool has_nonholonomic_rows() const override { return layout_.has_nonholonomic_rows; }
  bool is_constrained() const override { return closures_.num_rows() > 0; }
  bool has_velocity_forces() const override { return layout_.has_velocity_forces; }
  double length_scale() const override { return layout_.length_scale; }
  void evaluate(const Instant& at) override;
  SolveResult factor() override;
  SolveResult solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  SolveResult solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  SolveResult solve_accelerations(VecX& a, VecX& lambda) override;
  SolveResult factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) override;
  const VecX& row_residual() const override { return row_residual_; }
  double smallest_pivot() const override {
    return solves_bodies() ? bodies_.smallest_pivot() : closures_.weakest().pivot;
  }
  int weakest_constraint() const override;
  const std::vector<int>& redundant_rows() override { return closures_.dropped(); }
  void evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) override;
  void evaluate_forces(const VecX& v, double t, bool with_gyroscopic, VecX& F) override;
  Powers powers(const VecX& lambda) const override;
  bool is_driven() const override { return bodies_.is_driven(); }
  Energy energy() const override;
  const VecX& C() const override { return C_; }
  const VecX& C_t() const override { return C_t_; }
  const VecX& bias() const override { return bias_; }
  const VecX& force() override;
  void add_row_forces(const VecX& lambda, VecX& f) const override { closures_.add_forces(lambda, f); }
  void apply_J(const VecX& v, VecX& y) const override { closures_.apply_J(v, y); }
  void apply_mass(const VecX& v, VecX& P) override;
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

  // JointEquations
  JointPlace place_of(int constraint) const override;
  std::unique_ptr<JointEquations> clone(System& system, BodyEquations& bodies) const override;
  void to_bodies(const VecX& q, const VecX& v, VecX& body_q, VecX& body_v) override;
  void to_joints(const VecX& body_q, const VecX& body_v, VecX& q, VecX& v) override;
  int body_that_is_nowhere(const VecX& q, const VecX& v) const override;
  BodyEquations& bodies() override;
  void bodies_have_moved() override { bodies_are_here_ = false; }
  void body_accelerations(const VecX& a, VecX& out) override;
  void complete_multipliers(const VecX& a, VecX& lambda) override;

 private:
  Instant instant() const { return {body_q_, body_v_, time_, memory_, step_}; }
  bool solves_bodies() const { return formulation_ == Formulation::middle; }
  void read_bodies();
  void read_forces();
  void keep_closures(const VecX& all, VecX& own) const;
  static void balance_joint(const solve::Problem& p, const Link& link, VecX& lack, VecX& lambda);
  bool factor_loose();
  void solve_mass(const VecX& f, VecX& x);
  void multiply_mass(const VecX& x, VecX& out);
  SolveResult solve_in_bodies(const VecX& f, const VecX& d, bool is_checked, VecX& x, VecX& lambda);
  SolveResult check(const VecX& f, const VecX& d, VecX& x, VecX& lambda);
  double residual_of_accelerations();
  double parting();
  double relative_residual(const VecX& f, const VecX& d, const VecX& x, const VecX& lambda);

  const std::shared_ptr<const Structure> shared_structure_;  // with clones
  const Structure& structure_;
  System& system_;
  const Layout& layout_;
  BodyEquations& bodies_;
  const Formulation formulation_;
  const double tolerance_;
  const bool needs_bodies_;  // in every evaluation: something closes loops or is loose
  const bool has_forces_;    // beside weight
  VecX holonomic_;

  Workspace work_;       // sweeps keep their scratch here
  Workspace elsewhere_;  // for questions about other positions
  std::vector<Marker> markers_;
  Closures closures_;
  JointHeldRows held_{*this, structure_, layout_, work_};
  std::vector<double> loose_factor_;  // L D Lᵀ of the mass blocks of loose bodies, one after the other
  bool bodies_are_here_ = false;

  VecX q_, v_, memory_;  // of the evaluated instant
  double time_ = 0.0, step_ = 0.0;
  VecX body_q_, body_v_;
  VecX C_, C_t_, bias_, force_, row_residual_;  // there
  bool force_is_known_ = false;
  VecX pushes_;             // on the bodies of a tree, beside weight
  VecX bias_acceleration_;  // Ȧ v
  double row_scale_ = 0.0;  // what forces alone would accelerate rows by: at rest all else cancels
  VecX force_residual_, correction_x_, correction_lambda_;
  VecX scratch_d_, scratch_rows_, row_rates_, scratch_x_, body_f_, body_d_, body_x_, trial_q_, trial_v_,
      all_C_;
};

}  // namespace catena::minimal
