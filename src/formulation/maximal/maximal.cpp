#include "formulation/maximal/maximal.h"

#include "math/all_finite.h"
#include "math/small_matrix_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::maximal {
namespace {

// Direct solvers leave 1e-15 or so; above this one pass of refinement is worth its cost.
constexpr double kRefineAbove = 1e-12;
// Above this a solver that has a second way is asked to take it.
constexpr double kRescueAbove = 1e-10;
// Positions of a running simulation are better than this; a start that is far off says nothing about the error of its rows.
constexpr double kLargestDrift = 1e-9;
// Beyond this ratio of masses the residual, which is measured against the largest forces, says little about light bodies: then
// every solution is refined once. It brings 3e-10 back to 1e-10 at a ratio of 1e6 and a condition number of 1e6.
constexpr double kWideMasses = 1e3;

SolveResult from(const solve::FactorResult& result) {
  SolveResult out;
  out.constraint = result.constraint;
  out.body = result.body;
  switch (result.status) {
    case solve::FactorStatus::ok:
      break;
    case solve::FactorStatus::singular:
      out.status = SolveResult::Status::singular;
      break;
    case solve::FactorStatus::not_positive:
      out.status = SolveResult::Status::not_positive;
      break;
  }
  return out;
}

}  // namespace

MaximalEquations::MaximalEquations(const Model& model, const VecX& q, const VecX& v, double t, VecX& memory)
    : layout_(model), kinematics_(layout_), rows_(layout_), force_arrays_(layout_) {
  problem_.resize(layout_.graph);
  write_constant_mass(layout_, problem_.M);
  write_constant_rows(layout_, problem_);
  explicit_edge_.assign(layout_.constraints.size(), -1);
  double lightest = std::numeric_limits<double>::infinity(), heaviest = 0.0;
  for (const BodySlot& slot : layout_.bodies) {
    if (slot.mass == 0.0) continue;  // only an inertia
    lightest = std::min(lightest, slot.mass);
    heaviest = std::max(heaviest, slot.mass);
  }
  wide_masses_ = heaviest > kWideMasses * lightest;
  force_ = VecX::Zero(layout_.num_v);
  frequency_ = VecX::Zero(Eigen::Index(layout_.bodies.size()));
  if (memory.size() != layout_.num_memory) {
    memory = VecX::Zero(layout_.num_memory);
    start_memory(q, v, t, memory);
  }
  evaluate(q, v, t, memory);
}

solve::Refusal MaximalEquations::use_solver(std::unique_ptr<solve::EqualitySolver> solver,
                                            double residual_tolerance) {
  solve::Refusal refusal = solver->analyze(problem_);
  if (refusal.refused()) return refusal;
  solver_ = std::move(solver);
  residual_tolerance_ = residual_tolerance;
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c)
    explicit_edge_[c] = solver_->explicit_edge(int(c));
  evaluate(VecX(q_), VecX(v_), t_, VecX(memory_));  // fills the explicit forms now asked for
  return {};
}

void MaximalEquations::update_motion(const VecX& q, const VecX& v) {
  update_bodies(layout_, q, v, kinematics_);
  update_constraint_markers(layout_, q, v, kinematics_);
}

void MaximalEquations::evaluate(const VecX& q, const VecX& v, double t, const VecX& memory) {
  q_ = q;
  v_ = v;
  t_ = t;
  memory_ = memory;
  update_motion(q_, v_);
  update_mass(layout_, q_, kinematics_, problem_.M);
  update_rows(layout_, kinematics_, t_, memory_, explicit_edge_, RowParts::all, rows_, problem_);
  evaluate_forces(v_, t_, true, force_);
}

void MaximalEquations::update_drift() {
  problem_.drift = rows_.C.size() > 0 ? rows_.C.lpNorm<Eigen::Infinity>() / layout_.length_scale : 0.0;
}

SolveResult MaximalEquations::factor() {
  update_drift();
  return blame_rows(from(solver_->factor(problem_)));
}

SolveResult MaximalEquations::blame_rows(SolveResult result) const {
  if (result.ok()) return result;
  for (std::size_t c = 0; c < layout_.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout_.constraints[c];
    bool is_finite = rows_.bias.segment(slot.row, slot.rows).allFinite();
    for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
      const MarkerSlot& marker = layout_.constraint_markers[m];
      if (marker.body < 0) continue;
      const int size = slot.rows * layout_.bodies[marker.body].num_v;
      is_finite = is_finite && Eigen::Map<const VecX>(problem_.J.data() + marker.block, size).allFinite();
    }
    if (is_finite) continue;
    result.status = SolveResult::Status::not_finite;
    result.constraint = int(c);
    return result;
  }
  return result;
}

SolveResult MaximalEquations::solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  return from(solver_->solve(problem_, f, d, x, lambda));
}

SolveResult MaximalEquations::solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  return check(solve(f, d, x, lambda), f, d, x, lambda);
}

SolveResult MaximalEquations::factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  update_drift();
  return check(blame_rows(from(solver_->factor_and_solve(problem_, f, d, x, lambda))), f, d, x, lambda);
}

SolveResult MaximalEquations::check(SolveResult result, const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  if (!result.ok()) return result;
  solve::compute_residual(problem_, f, d, x, lambda, residual_);
  int passes = solver_->refinements();
  if (residual_.relative > kRefineAbove || wide_masses_) passes = std::max(passes, 1);
  for (int pass = 0; pass < passes && solver_->iterations() == 0; ++pass) {
    result = solve(residual_.r1, residual_.r2, correction_x_, correction_lambda_);
    if (!result.ok()) return result;
    x += correction_x_;
    lambda += correction_lambda_;
    solve::compute_residual(problem_, f, d, x, lambda, residual_);
  }
  // In steady motion all accelerations cancel, and what is left of J̇v is the error of its parts, of the size of |v|² times rounding
  // and times the drift of the positions it is taken at. A residual of that size says nothing about the solution; to remove it
  // would take forces without bound where rows are redundant.
  const double relative_error =
      64.0 * std::numeric_limits<double>::epsilon() + 8.0 * std::min(problem_.drift, kLargestDrift);
  if (residual_.relative2 > kRescueAbove && residual_.relative1 <= kRescueAbove &&
      residual_.r2.lpNorm<Eigen::Infinity>() <= relative_error * v_.squaredNorm())
    residual_.relative = residual_.relative1;
  if (residual_.relative > kRescueAbove && solver_->rescue(problem_, f, d, x, lambda))
    solve::compute_residual(problem_, f, d, x, lambda, residual_);
  result.residual = residual_.relative;
  if (!std::isfinite(residual_.relative) || !math::all_finite(x) || !math::all_finite(lambda)) {
    result.status = SolveResult::Status::not_finite;
  } else if (residual_.relative > residual_tolerance_) {
    result.status = SolveResult::Status::residual;
    Eigen::Index row = 0;
    if (residual_.r2.size() > 0 && residual_.r2.cwiseAbs().maxCoeff(&row) > 0.0)
      for (std::size_t c = 0; c < layout_.constraints.size(); ++c)
        if (layout_.constraints[c].row <= row) result.constraint = int(c);
  }
  return result;
}

void MaximalEquations::set_damping(double relative) {
  solve::row_weights(problem_, problem_.S);
  problem_.S *= relative;
}

void MaximalEquations::evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) {
  // velocities do not enter C; those of the last evaluation are as good as any
  update_motion(q, v_);
  update_errors(layout_, kinematics_, t, memory, rows_, C);
}

void MaximalEquations::evaluate_forces(const VecX& v, double t, bool with_gyroscopic, VecX& F) {
  if (&v != &v_) update_bodies(layout_, q_, v, kinematics_);
  update_force_markers(layout_, q_, v, kinematics_);
  update_forces(layout_, q_, v, problem_.M, kinematics_, t, memory_, with_gyroscopic, force_arrays_, F);
}

void MaximalEquations::apply_J(const VecX& v, VecX& y) const {
  y.setZero();
  solve::add_J_times(problem_, v, y);
}

void MaximalEquations::apply_inverse_mass(VecX& f) const {
  for (const BodySlot& slot : layout_.bodies) {
    const double* M = problem_.M.data() + slot.M;
    block_.assign(M, M + slot.num_v * slot.num_v);
    if (math::factor_ldlt(slot.num_v, block_.data(), 0.0) < 0)
      math::solve_ldlt(slot.num_v, block_.data(), f.data() + slot.v);
  }
}

void MaximalEquations::chart_rate(const VecX& u, const VecX& v, VecX& u_dot) const {
  for (const BodySlot& slot : layout_.bodies)
    slot.body->chart_rate(u.data() + slot.v, v.data() + slot.v, u_dot.data() + slot.v);
}

void MaximalEquations::retract(const VecX& d, VecX& q) const {
  for (const BodySlot& slot : layout_.bodies) slot.body->retract(q.data() + slot.q, d.data() + slot.v);
}

void MaximalEquations::drift(double h, const VecX& P, VecX& q) const {
  for (const BodySlot& slot : layout_.bodies) slot.body->drift(h, P.data() + slot.v, q.data() + slot.q);
}

Energy MaximalEquations::energy() const {
  Energy energy;
  for (std::size_t b = 0; b < layout_.bodies.size(); ++b) {
    const BodySlot& slot = layout_.bodies[b];
    const double* M = problem_.M.data() + slot.M;
    const double* v = v_.data() + slot.v;
    if (slot.type == BodyType::rigid) {
      using Block = Eigen::Map<const Eigen::Matrix<double, 6, 6>>;
      const Eigen::Map<const Vec3> linear(v), angular(v + 3);
      energy.kinetic += 0.5 * (slot.mass * linear.squaredNorm() +
                               angular.dot(Block(M).bottomRightCorner<3, 3>().lazyProduct(angular)));
      continue;
    }
    for (int j = 0; j < slot.num_v; ++j)
      for (int i = 0; i < slot.num_v; ++i) energy.kinetic += 0.5 * v[i] * M[i + j * slot.num_v] * v[j];
  }
  energy.gravity = gravity_potential(layout_, q_, kinematics_);
  energy.springs = spring_potential(layout_, q_, kinematics_, t_, memory_);
  return energy;
}

Powers MaximalEquations::powers() const {
  return compute_powers(layout_, q_, v_, kinematics_, t_, memory_);
}

void MaximalEquations::constraint_wrench(int constraint, const VecX& lambda, Vec3& force, Vec3& torque) {
  const ConstraintSlot& slot = layout_.constraints[constraint];
  update_markers(layout_, slot, q_, v_, kinematics_);
  evaluate_constraint(slot, kinematics_, t_, memory_, rows_);
  force.setZero();
  torque.setZero();
  for (int i = 0; i < slot.rows; ++i) {
    const double* g = rows_.G.data() + 6 * i;
    force += lambda[slot.row + i] * Vec3(g[0], g[1], g[2]);
    torque += lambda[slot.row + i] * Vec3(g[3], g[4], g[5]);
  }
}

double MaximalEquations::tension_frequency(const VecX& lambda, int* body) {
  frequency_.setZero();  // ω² per body
  for (const ConstraintSlot& slot : layout_.constraints) {
    // points held a distance apart swing about each other even without a lever: ω² = 2 T/(m L) a side
    double gap = 0.0;
    if (slot.rows == 1 && slot.marker_end - slot.marker_begin == 2)
      gap = (kinematics_.constraint_markers[slot.marker_begin].x -
             kinematics_.constraint_markers[slot.marker_begin + 1].x)
                .norm();
    for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
      const MarkerSlot& marker = layout_.constraint_markers[m];
      if (marker.body < 0) continue;
      const BodySlot& slot_body = layout_.bodies[marker.body];
      if (slot_body.type == BodyType::other) continue;
      const int n = slot_body.num_v;
      const int linear = n == 6 || slot_body.type == BodyType::particle3 ? 3 : 2;
      double force2 = 0.0;
      for (int k = 0; k < linear; ++k) {
        double sum = 0.0;
        for (int i = 0; i < slot.rows; ++i)
          sum += lambda[slot.row + i] * problem_.J[marker.block + i * n + k];
        force2 += sum * sum;
      }
      const double force = std::sqrt(force2);
      frequency_[marker.body] += force * marker.lever_ratio;
      if (gap > 0.0) frequency_[marker.body] += 2.0 * force / (slot_body.mass * gap);
    }
  }
  if (frequency_.size() == 0) return 0.0;
  Eigen::Index worst = 0;
  const double largest = frequency_.maxCoeff(&worst);
  if (body != nullptr) *body = int(worst);
  return std::sqrt(largest);
}

void MaximalEquations::update_memory(const VecX& q, const VecX& v, double t, bool start, VecX& memory) {
  if (layout_.num_memory == 0) return;
  update_motion(q, v);
  update_force_markers(layout_, q, v, kinematics_);
  const auto update = [&](const auto& object, Motion motion, int offset, int size) {
    const std::span<double> own(memory.data() + offset, std::size_t(size));
    motion.memory = own;
    if (start)
      object.start_memory(motion, own);
    else
      object.advance_memory(motion, own);
  };
  for (const ConstraintSlot& slot : layout_.constraints)
    if (slot.memory_size > 0) {
      Motion motion;
      motion.at = {kinematics_.constraint_markers.data() + slot.marker_begin,
                   std::size_t(slot.marker_end - slot.marker_begin)};
      motion.time = t;
      motion.planar = slot.planar;
      update(*slot.constraint, motion, slot.memory, slot.memory_size);
    }
  for (const ForceSlot& slot : layout_.forces)
    if (slot.memory_size > 0)
      update(*slot.force, force_motion(slot, kinematics_, t, memory), slot.memory, slot.memory_size);
}

void MaximalEquations::start_memory(const VecX& q, const VecX& v, double t, VecX& memory) {
  update_memory(q, v, t, true, memory);
}

void MaximalEquations::advance_memory(const VecX& q, const VecX& v, double t, VecX& memory) {
  update_memory(q, v, t, false, memory);
}

}  // namespace catena::maximal
