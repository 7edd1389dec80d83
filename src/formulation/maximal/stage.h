// An implicit stage in maximal coordinates: residuals, and the matrix of Newton's method with all its derivatives.
//
// The body block of a spatial rigid body, with I in world axes, L = I ω, and θ the angular part of u:
//   D = [ m 1   0 ;  0   I J_l⁻¹(θ) + τ(I[ω]× - [L]×) ] - s Σ K                             momentum form              (1)
//   D_ang = (I + (s/τ)([ω]×I - [L]×)) J_l⁻¹(θ) + s(I[a]× - [I a]× + [ω]×(I[ω]× - [L]×)) - s Σ K     acceleration form   (2)
// K = ∂(Jᵀλ)/∂q, the geometric stiffness of constraints and springs: of the markers (Constraint::add_geometric_stiffness), brought to
// the bodies by the chain rule, whose own derivative adds [f]×[r]× for a force f on a lever r.                          (3)
// A linearised step from u = 0 would miss that I turns; it takes the gyroscopic torque instead, linear about the velocity ω at its start:
//   D_ang = I + τ([ω]×I - [I ω]×),   r₁ = (I u/τ - L)/τ - ω × I ω  at u = 0                                             (4)
// Forces without a law of their own, and bodies of other kinds, are differentiated numerically.
#pragma once

#include "formulation/maximal/forces.h"
#include "formulation/maximal/rows.h"
#include "formulation/maximal/stage_layout.h"
#include "formulation/stage_equations.h"
#include "solve/ldu.h"

#include <algorithm>

namespace catena::maximal {

class MaximalStage final : public StageEquations {
 public:
  MaximalStage(const Layout& layout, const Options& options, const State& start);

  int num_v() const override { return layout_.layout.num_v; }
  int num_lambda() const override { return layout_.graph.num_rows(); }
  void momentum(const VecX& q, const VecX& v, VecX& pi) override;
  void displaced_momentum(const VecX& q, const VecX& u, const VecX& v, VecX& pi) override;
  void momentum_rate(const VecX& q, const VecX& v, const VecX& a, VecX& rate) override;
  void start_lambda(const State& at, const VecX& constraint_lambda, VecX& lambda) override;
  bool constraint_lambda(const VecX& lambda, VecX& out) const override;
  void set_redundant_rows(const std::vector<int>& rows) override;
  void begin(const Stage& stage) override {
    stage_ = stage;
    std::fill(is_released_.begin(), is_released_.end(), 0);
    std::fill(caught_by_.begin(), caught_by_.end(), 0);
  }
  StageError evaluate(const VecX& u, VecX& lambda) override;
  SolveResult factor() override;
  bool has_right_signs() const override { return solver_->has_right_signs(); }
  void solve(VecX& du, VecX& dlambda) override;
  StageError evaluate_errors(const VecX& u) override;
  void correct_errors(VecX& du, VecX& dlambda) override;
  void advance(const VecX& du, VecX& u) const override;
  bool has_stops() const override { return layout_.has_stops; }
  bool take_stop_changes() override;
  bool adjust_stops(const VecX& u, const VecX& lambda) override;
  Powers powers() const override;
  double driven_power() const override;
  double largest_turn(const VecX& u) const override;
  void velocity(const VecX& u, VecX& v) const override {
    v = (1.0 / stage_.tau) * (u - *stage_.velocity_base);
  }

  /// Fastest rate at which a spring or damper acts on the masses it joins, at the last evaluate(): √(k w) or b w, with w = J M⁻¹Jᵀ.
  /// @param slot its place in layout().elastics, -1 when there are none        rad/s
  double fastest_spring(int* slot) const;

  /// For tests: the matrix, and another solver for it.
  const solve::LduProblem& problem() const { return problem_; }
  const StageLayout& layout() const { return layout_; }
  const VecX& force_residual() const { return r1_; }
  const VecX& row_residual() const { return r2_; }
  void use_solver(std::unique_ptr<solve::LduSolver> solver);

 private:
  /// A wrench at a marker of a body of another kind, about the marker: what its generalised force is made of.
  struct MarkerLoad {
    const MarkerSlot* marker;
    Vec3 force, torque;
  };

  // residuals, stage.cpp
  void displace_bodies(const VecX& q, const VecX& u);
  void update_motion(const VecX& q, const VecX& v);
  void update_inertia();
  void add_constraint_forces(const VecX& lambda);
  void update_row_residuals(const VecX& lambda);
  StageError measure_rows() const;
  StageError measure() const;
  bool is_momentum_form() const { return stage_.momentum != nullptr; }

  // forces along coordinates, stage_elastics.cpp
  Motion motion_of(const ElasticSlot& slot) const;             // with the numbers of the force
  Motion coordinate_motion_of(const ElasticSlot& slot) const;  // with those of its coordinates
  void evaluate_coordinates(const ElasticSlot& slot, const Motion& motion, double* G);
  void update_elastics(VecX& lambda);
  LawResponse predicted_answer(const ElasticSlot& slot, int row, double c, double rate) const;
  double displaced_coordinate(const ElasticSlot& slot, const double* G, int row, const VecX& u) const;
  void add_elastic_stiffness();
  void add_law_stiffness(const ElasticSlot& slot, const double* G, MarkerStiffness& K) const;
  /// w = J M⁻¹Jᵀ of a spring's row, with the diagonal of M.
  double inverse_mass(const ElasticSlot& slot, int row) const;

  // matrix, stage_matrix.cpp
  void add_inertia();
  void add_constraint_stiffness();
  void switch_rows_off();
  void add_joint_stiffness(std::size_t constraint);
  void add_marker_stiffness(const std::vector<MarkerSlot>& markers, int begin, int end,
                            const std::vector<MarkerMotion>& levers, const std::vector<OtherMarker>& others,
                            int first_place, double factor);
  void add_lever_stiffness(const MarkerSlot& marker, const MarkerMotion& lever, const Vec3& force);
  double* place(const BlockPlace& at);

  // numerical derivatives, stage_differences.cpp
  void add_force_stiffness();
  void add_other_bodies();
  void other_residual(const BodySlot& slot, const double* u, VecX& out) const;
  void collect_loads();

  StageLayout layout_;
  Stage stage_;
  Kinematics kinematics_;
  RowArrays rows_;
  ForceArrays force_arrays_;
  solve::LduProblem problem_;
  std::unique_ptr<solve::LduSolver> solver_;
  std::vector<int> no_explicit_form_;
  std::vector<Mat3> inertia_;                   // world axes, of rigid bodies
  VecX u_, q_, v_, a_, lambda_;                 // of the last evaluate()
  VecX force_, r1_, r2_, weight_;               // applied forces, residuals, size of the forces on a body
  std::vector<LawResponse> response_;           // per row, of springs
  std::vector<char> is_engaged_, was_engaged_;  // per row: a stop that pushes, a spring that is switched on
  std::vector<char> is_off_;                    // per row: takes no part in the matrix
  std::vector<char> is_released_;               // per row: a stop that would have pulled
  std::vector<signed char>
      caught_by_;  // per row: by its upper bound (1) or lower one (-1), which it would have passed
  std::vector<char> is_redundant_;  // per row
  bool is_blanked_ = false;         // constant entries of J were overwritten
  VecX elastic_G_;                  // G of all elastic forces
  std::vector<int> elastic_G_begin_;
  VecX marker_K_, marker_V_;       // scratch: stiffness and damping of one constraint or force at its markers
  std::vector<Marker> moved_;      // scratch: markers of one force
  std::vector<MarkerLoad> loads_;  // on bodies of other kinds
};

}  // namespace catena::maximal
