#include "formulation/maximal/equations.h"

#include "catena/interrupt.h"
#include "formulation/efforts.h"
#include "formulation/explicit_form.h"
#include "formulation/mass.h"

#include <cassert>

namespace catena {

std::unique_ptr<BodyEquations> make_body_equations(System& system, const Instant& start) {
  return std::make_unique<maximal::MaximalEquations>(system, start);
}

namespace maximal {

MaximalEquations::MaximalEquations(System& system, const Instant& start)
    : system_(system),
      layout_(system.layout),
      shared_blocks_(std::make_shared<const Blocks>(system.layout)),
      blocks_(*shared_blocks_),
      explicit_place_(system.layout.constraints.size()) {
  problem_.resize(blocks_.graph);
  write_constant_mass(layout_, problem_.M);
  write_constant_rows(layout_, sink());
  for (std::size_t c = 0; c < layout_.constraints.size();
       ++c)  // the point rows of a joint are the unit vectors
    if (const int pair = blocks_.graph.pair[c]; pair >= 0 && layout_.constraints[c].joint != JointType::other)
      Columns(problem_.pairs[std::size_t(pair)].nu).setIdentity();
  force_ = VecX::Zero(layout_.num_v);
  evaluate(start);
}

MaximalEquations::MaximalEquations(System& system, const MaximalEquations& other)
    : system_(system),
      layout_(system.layout),
      shared_blocks_(other.shared_blocks_),
      blocks_(*shared_blocks_),
      explicit_place_(other.explicit_place_),
      problem_(other.problem_),
      solver_(other.solver_->clone()),
      rank_finder_(other.rank_finder_ ? other.rank_finder_->clone() : nullptr),
      checked_(other.checked_),
      q_(other.q_),
      v_(other.v_),
      memory_(other.memory_),
      time_(other.time_),
      step_(other.step_),
      analysed_at_(other.analysed_at_),
      force_(other.force_),
      factored_q_(other.factored_q_) {}

solve::Refusal MaximalEquations::use_solver(std::unique_ptr<solve::EqualitySolver> solver,
                                            double residual_tolerance) {
  assert(solve::has_promised_zeros(problem_));
  solve::Refusal refusal = solver->analyze(problem_);
  if (refusal.refused()) return refusal;
  solver_ = std::move(solver);
  rank_finder_.reset();
  analysed_at_ = {q_, v_, memory_, time_, step_};
  std::vector<double> masses;
  for (const BodySlot& slot : layout_.bodies) masses.push_back(slot.mass);
  checked_.reset(residual_tolerance, mass_ratio(masses));
  for (int c = 0; c < int(layout_.constraints.size()); ++c)
    explicit_place_[std::size_t(c)] = blocks_.explicit_place(layout_, c, solver_->explicit_edge(c));
  evaluate(analysed_at_.instant());  // fills the explicit forms now asked for
  (void)solver_->factor(problem_);   // settles the order of elimination here, for all that follows
  return {};
}

void MaximalEquations::evaluate(const Instant& at) {
  assert(at.q.size() == layout_.num_q && at.v.size() == layout_.num_v &&
         at.memory.size() == layout_.num_memory);
  allow_interruption();
  q_ = at.q;
  v_ = at.v;
  memory_ = at.memory;
  time_ = at.time;
  step_ = at.step;
  system_.place(at);
  update_mass(layout_, q_, system_.kinematics, problem_.M);
  update_rows(layout_, system_.kinematics, at, RowParts::all, system_.rows, sink());
  force_.setZero();
  add_body_forces(layout_, q_, v_, force_);
  add_velocity_forces(layout_, q_, v_, problem_.M, force_);
  add_marker_forces(layout_, system_.kinematics, at, ForceParts::all, system_.wrenches, force_);
  problem_.row_error = C().size() > 0 ? C().lpNorm<Eigen::Infinity>() / layout_.length_scale : 0.0;
}

// A failed factorisation is explained by rows that are not finite, where there are any.
SolveResult MaximalEquations::verdict(const solve::FactorResult& factored) const {
  SolveResult result = from(factored);
  if (result.ok()) return result;
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout_.constraints[c];
    bool is_finite = bias().segment(slot.row, slot.rows).allFinite();
    for (int e = blocks_.graph.edge_begin[c]; e < blocks_.graph.edge_begin[c + 1]; ++e) {
      const solve::Edge& edge = blocks_.graph.edges[std::size_t(e)];
      const int size = slot.rows * blocks_.graph.dims[std::size_t(edge.body)];
      is_finite = is_finite && problem_.J.segment(edge.offset, size).allFinite();
    }
    if (!is_finite) return {SolveResult::Status::not_finite, int(c), result.body, 0.0};
  }
  return result;
}

// A factor holds for the position it was made at, whatever the velocities: who moves on has to factor anew.
void MaximalEquations::note_factor() {
#ifndef NDEBUG
  factored_q_ = q_;
#endif
}

SolveResult MaximalEquations::factor() {
  note_factor();
  allow_interruption();
  return verdict(solver_->factor(problem_));
}

SolveResult MaximalEquations::solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  assert(f.size() == layout_.num_v && d.size() == layout_.num_rows);
  assert(factored_q_ == q_ && "the factor is that of another position");
  allow_interruption();
  return from(solver_->solve(problem_, f, d, x, lambda));
}

SolveResult MaximalEquations::solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  const SolveResult result = solve(f, d, x, lambda);
  return result.ok() ? checked_.check(problem_, *solver_, f, d, row_motion(), x, lambda) : result;
}

SolveResult MaximalEquations::factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  assert(f.size() == layout_.num_v && d.size() == layout_.num_rows);
  note_factor();
  const SolveResult result = verdict(solver_->factor_and_solve(problem_, f, d, x, lambda));
  return result.ok() ? checked_.check(problem_, *solver_, f, d, row_motion(), x, lambda) : result;
}

const std::vector<int>& MaximalEquations::redundant_rows() {
  if (!solver_->hides_redundant_rows()) return solver_->dropped_rows();
  if (!rank_finder_) make_rank_finder();
  (void)rank_finder_->factor(problem_);
  return rank_finder_->dropped_rows();
}

// Its order is settled where the solver was analysed, wherever somebody asks first: a restored run finds the rows of the one that was saved.
void MaximalEquations::make_rank_finder() {
  const Place here{q_, v_, memory_, time_, step_};
  auto finder = solve::make_sparse_solver();
  evaluate(analysed_at_.instant());
  (void)finder->analyze(problem_);  // takes what the solvers that need it take
  (void)finder->factor(problem_);
  evaluate(here.instant());
  rank_finder_ = std::move(finder);
}

void MaximalEquations::set_damping(double relative) {
  solve::row_weights(problem_, problem_.S);
  problem_.S *= relative;
}

void MaximalEquations::evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) {
  system_.evaluate_errors(q, t, memory, C);
}

void MaximalEquations::evaluate_forces(const VecX& v, double t, bool with_gyroscopic, VecX& F) {
  system_.evaluate_forces({q_, v, t, memory_, step_}, F);
  if (with_gyroscopic) add_velocity_forces(layout_, q_, v, problem_.M, F);
}

void MaximalEquations::apply_J(const VecX& v, VecX& y) const {
  assert(v.size() == layout_.num_v && y.size() == layout_.num_rows);
  y.setZero();
  solve::add_J_times(problem_, v, y);
}

void MaximalEquations::apply_inverse_mass(VecX& f) {
  double block[kMostVelocities * kMostVelocities];
  for (const BodySlot& slot : layout_.bodies) {
    const double* M = problem_.M.data() + slot.M;
    std::copy(M, M + slot.num_v * slot.num_v, block);
    if (math::factor_ldlt(slot.num_v, block, 0.0) < 0) math::solve_ldlt(slot.num_v, block, f.data() + slot.v);
  }
}

void MaximalEquations::chart_rate(const VecX& u, const VecX& v, VecX& u_dot) const {
  for (const BodySlot& slot : layout_.bodies)
    slot.body->chart_rate(u.data() + slot.v, v.data() + slot.v, u_dot.data() + slot.v);
}

void MaximalEquations::retract(const VecX& d, VecX& q) const {
  assert(d.size() == layout_.num_v && q.size() == layout_.num_q);
  for (const BodySlot& slot : layout_.bodies) slot.body->retract(q.data() + slot.q, d.data() + slot.v);
}

void MaximalEquations::drift(double h, const VecX& P, VecX& q) const {
  assert(h > 0.0 && P.size() == layout_.num_v && q.size() == layout_.num_q);
  for (const BodySlot& slot : layout_.bodies) slot.body->drift(h, P.data() + slot.v, q.data() + slot.q);
}

Energy MaximalEquations::energy() const {
  Energy energy;
  for (const BodySlot& slot : layout_.bodies)
    energy.kinetic += kinetic_energy(slot, problem_.M.data() + slot.M, v_.data() + slot.v);
  energy.gravity = gravity_potential(layout_, q_, system_.kinematics);
  energy.springs = spring_potential(layout_, system_.kinematics, instant());
  return energy;
}

Powers MaximalEquations::powers(const VecX& lambda) const {
  Powers powers = compute_powers(layout_, system_.kinematics, instant());
  powers[Account::driven] += driven_power(system_, lambda);
  return powers;
}

double MaximalEquations::tension_frequency(const VecX& lambda, int* body) const {
  static thread_local VecX scratch;  // readers may come from several threads
  return catena::tension_frequency(system_, blocks_.block.data(), problem_.J.data(), lambda, scratch, body);
}

void MaximalEquations::add_point_force(int body, const Vec3& point, const Vec3& force, VecX& f) {
  assert(body >= 0 && std::size_t(body) < layout_.bodies.size() && f.size() == layout_.num_v);
  const BodySlot& slot = layout_.bodies[std::size_t(body)];
  const BodyMotion& motion = system_.kinematics.bodies[std::size_t(body)];
  PointMap at;
  slot.body->point(q_.data() + slot.q, v_.data() + slot.v, motion.R.transpose() * (point - motion.x), at);
  f.segment(slot.v, slot.num_v) += at.J.transpose() * force;
}

void MaximalEquations::evaluate_inequalities() {
  catena::evaluate_inequalities(layout_, system_.kinematics.inequalities, instant(), system_.inequalities);
}

void MaximalEquations::hold(const InequalitySlot& slot, int row, double sign) {
  catena::hold(layout_, system_.kinematics.inequalities, system_.inequalities, slot, row, sign, held_);
}

}  // namespace maximal
}  // namespace catena
