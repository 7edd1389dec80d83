#include "formulation/minimal/equations.h"

#include "catena/interrupt.h"
#include "formulation/checked_solve.h"
#include "formulation/minimal/body_map.h"
#include "math/all_finite.h"
#include "math/small_matrix_kernel.h"
#include "model/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

namespace catena {

std::unique_ptr<JointEquations> make_joint_equations(const Model& model, System& system,
                                                     BodyEquations& bodies, Formulation formulation,
                                                     double residual_tolerance) {
  constexpr double kMostProducts = 5e8;  // of one factor of the closures: about a quarter of a second
  auto structure = std::make_shared<const minimal::Structure>(model);
  double rows = 0.0;
  for (const int c : structure->cuts) rows += system.layout.constraints[std::size_t(c)].rows;
  const double products = rows * rows * (rows / 3.0 + structure->num_v);
  if (formulation == Formulation::minimal && products > kMostProducts)
    throw InvalidInput(
        {{fmt::format("formulation '{}'", name(formulation)),
          fmt::format(
              "{} constraints with {:g} rows are no joints of trees, and a factor of their dense matrix "
              "takes {:.2g} products: joint coordinates gain nothing here",
              structure->cuts.size(), rows, products),
          "use formulation 'maximal', which takes loops at near-linear cost"}});
  return std::make_unique<minimal::MinimalEquations>(std::move(structure), system, bodies, formulation,
                                                     residual_tolerance);
}

namespace minimal {
namespace {

constexpr double kRefineAbove = 1e-12;  // one pass of refinement is worth its cost there
constexpr double kSmallestPivot = 1e-14;

}  // namespace

MinimalEquations::MinimalEquations(std::shared_ptr<const Structure> structure, System& system,
                                   BodyEquations& bodies, Formulation formulation, double residual_tolerance)
    : shared_structure_(std::move(structure)),
      structure_(*shared_structure_),
      system_(system),
      layout_(system.layout),
      bodies_(bodies),
      formulation_(formulation),
      tolerance_(residual_tolerance),
      needs_bodies_(formulation == Formulation::middle || !structure_.cuts.empty() ||
                    !structure_.loose.empty()),
      has_forces_(!layout_.forces.empty()),
      work_(structure_),
      elsewhere_(structure_),
      closures_(structure_, layout_),
      C_(VecX::Zero(layout_.num_rows)),
      C_t_(C_),
      bias_(C_),
      force_(VecX::Zero(structure_.num_v)),
      row_residual_(C_),
      correction_x_(force_),
      correction_lambda_(C_),
      scratch_rows_(C_),
      row_rates_(C_),
      all_C_(C_) {
  keep_closures(layout_.holonomic, holonomic_);
  std::size_t size = 0;
  for (const LooseBody& loose : structure_.loose) size += std::size_t(loose.num_v) * std::size_t(loose.num_v);
  loose_factor_.resize(size);
}

std::unique_ptr<JointEquations> MinimalEquations::clone(System& system, BodyEquations& bodies) const {
  return std::make_unique<MinimalEquations>(shared_structure_, system, bodies, formulation_, tolerance_);
}

/// Of numbers per row of the model those of closures; zero for the joints of the tree.
void MinimalEquations::keep_closures(const VecX& all, VecX& own) const {
  own.setZero(layout_.num_rows);
  for (const int row : closures_.rows()) own[row] = all[row];
}

void MinimalEquations::evaluate(const Instant& at) {
  assert(at.q.size() == structure_.num_q && at.v.size() == structure_.num_v);
  allow_interruption();
  q_ = at.q;
  v_ = at.v;
  memory_ = at.memory;
  time_ = at.time;
  step_ = at.step;
  bodies_are_here_ = false;
  update_motion(structure_, q_, v_, work_);
  if (needs_bodies_)
    read_bodies();
  else if (has_forces_)
    read_forces();
  force_is_known_ = needs_bodies_;
}

/// What pushes the bodies of a tree beside their weight. They are placed, and nothing of theirs is evaluated.
void MinimalEquations::read_forces() {
  write_motions(structure_, work_, system_.kinematics.bodies);
  update_force_markers(layout_, body_q_, body_v_, system_.kinematics);
  pushes_.setZero(layout_.num_v);
  add_marker_forces(layout_, system_.kinematics, instant(), ForceParts::all, system_.wrenches, pushes_);
}

// Of a tree: minus the bias forces, and what pushes its bodies.
const VecX& MinimalEquations::force() {
  if (force_is_known_) return force_;
  update_accelerations(structure_, work_.still, work_);
  update_joint_forces(structure_, {}, work_);
  for (std::size_t k = 0; k < structure_.links.size(); ++k)
    project_on_joint(structure_.links[k], work_.links[k].F, work_, force_.data() + structure_.links[k].v);
  force_ = -force_;
  if (has_forces_) {
    gather(structure_, work_, pushes_, scratch_x_);
    force_ += scratch_x_;
  }
  force_is_known_ = true;
  return force_;
}

BodyEquations& MinimalEquations::bodies() {
  if (bodies_are_here_) return bodies_;
  write_bodies(structure_, work_, q_, v_, body_q_, body_v_);
  bodies_.evaluate({body_q_, body_v_, time_, memory_, step_});
  bodies_are_here_ = true;
  return bodies_;
}

// (2)
void MinimalEquations::read_bodies() {
  BodyEquations& here = bodies();
  keep_closures(here.C(), C_);
  keep_closures(here.C_t(), C_t_);
  write_bias_accelerations(structure_, work_, bias_acceleration_);
  here.apply_J(bias_acceleration_, scratch_rows_);
  scratch_rows_ += here.bias();
  keep_closures(scratch_rows_, bias_);
  body_f_.resize(layout_.num_v);
  here.apply_mass(bias_acceleration_, body_f_);
  body_f_ = here.force() - body_f_;
  gather(structure_, work_, body_f_, force_);
  closures_.update(structure_, here.problem(), work_);
  row_scale_ = closures_.free_acceleration(here.problem(), here.force());
}

bool MinimalEquations::factor_loose() {
  double* block = loose_factor_.data();
  for (const LooseBody& loose : structure_.loose) {
    const int n = loose.num_v;
    const double* M = bodies_.problem().M.data() + layout_.bodies[std::size_t(loose.body)].M;
    std::copy_n(M, n * n, block);
    if (math::factor_ldlt(n, block, kSmallestPivot) >= 0) return false;
    block += n * n;
  }
  return true;
}

void MinimalEquations::solve_mass(const VecX& f, VecX& x) {
  minimal::solve_mass(structure_, f, work_, x);
  const double* block = loose_factor_.data();
  for (const LooseBody& loose : structure_.loose) {
    x.segment(loose.v, loose.num_v) = f.segment(loose.v, loose.num_v);
    math::solve_ldlt(loose.num_v, block, x.data() + loose.v);
    block += loose.num_v * loose.num_v;
  }
}

void MinimalEquations::multiply_mass(const VecX& x, VecX& out) {
  minimal::multiply_mass(structure_, x, work_, out);
  for (const LooseBody& loose : structure_.loose) {
    const Eigen::Map<const MatX> M(bodies_.problem().M.data() + layout_.bodies[std::size_t(loose.body)].M,
                                   loose.num_v, loose.num_v);
    out.segment(loose.v, loose.num_v).noalias() = M.lazyProduct(x.segment(loose.v, loose.num_v));
  }
}

SolveResult MinimalEquations::factor() {
  allow_interruption();
  if (solves_bodies()) return bodies().factor();
  SolveResult result;
  if (const int stuck = factor_mass(structure_, work_); stuck != JointTree::kNone) {
    result.status = SolveResult::Status::not_positive;
    result.body = structure_.links[std::size_t(stuck)].body;
    return result;
  }
  if (!factor_loose()) {
    result.status = SolveResult::Status::not_positive;
    result.body = structure_.loose.front().body;
    return result;
  }
  if (closures_.num_rows() > 0 &&
      !closures_.factor(bodies_.problem(), [this](const VecX& f, VecX& x) { solve_mass(f, x); }))
    result.status = SolveResult::Status::not_finite;
  return result;
}

SolveResult MinimalEquations::solve(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  assert(f.size() == structure_.num_v && d.size() == layout_.num_rows);
  if (solves_bodies()) return solve_in_bodies(f, d, false, x, lambda);
  solve_mass(f, x);
  closures_.solve(d, x, lambda);
  return {};
}

SolveResult MinimalEquations::solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  if (solves_bodies()) return solve_in_bodies(f, d, true, x, lambda);
  const SolveResult result = solve(f, d, x, lambda);
  return result.ok() ? check(f, d, x, lambda) : result;
}

SolveResult MinimalEquations::factor_and_solve_checked(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  const SolveResult result = factor();
  return result.ok() ? solve_checked(f, d, x, lambda) : result;
}

// A tree needs no forces in joint coordinates: one pass of articulated bodies, judged by what the joints would have to give at these
// accelerations, which is nothing.
SolveResult MinimalEquations::solve_accelerations(VecX& a, VecX& lambda) {
  if (needs_bodies_) {
    scratch_d_ = -bias_;
    return factor_and_solve_checked(force(), scratch_d_, a, lambda);
  }
  SolveResult result;
  lambda.setZero(layout_.num_rows);
  a.resize(structure_.num_v);
  start_bias_forces(structure_, {}, work_);
  if (has_forces_) take_off_bias(structure_, pushes_, work_);
  if (const int stuck = solve_articulated(structure_, work_.still.data(), work_, a);
      stuck != JointTree::kNone) {
    result.status = SolveResult::Status::not_positive;
    result.body = structure_.links[std::size_t(stuck)].body;
    return result;
  }
  result.residual = residual_of_accelerations();
  if (!std::isfinite(result.residual)) {
    result.status = SolveResult::Status::not_finite;
  } else if (result.residual > tolerance_) {
    result.status = SolveResult::Status::residual;
    result.is_of_forces = true;
  }
  return result;
}

/// The Sᵀ F that joints are left with at the accelerations of solve_articulated, over the wrenches on all links; both as sums of squares, in
/// which a NaN stays one.
double MinimalEquations::residual_of_accelerations() {
  double left = 0.0, scale = 0.0;
  for (std::size_t k = 0; k < structure_.links.size(); ++k) {
    const LinkMotion& own = work_.links[k];
    const Force6 moved = own.I * own.A;
    Force6& all = work_.forces[k];
    scale += squared(moved) + squared(all);
    all += moved;
  }
  double own[JointMotion::kMostV];
  for (std::size_t k = structure_.links.size(); k-- > 0;) {
    const Link& link = structure_.links[k];
    const Force6& F = work_.forces[k];
    project_on_joint(link, F, work_, own);
    for (int i = 0; i < link.num_v(); ++i) left += own[i] * own[i];
    if (link.parent >= 0) work_.forces[std::size_t(link.parent)] += F.from(work_.links[k].r);
  }
  return std::sqrt(scale > 0.0 ? left / scale : left);
}

// The joints are rows that hold without an acceleration of their own: x_b = A x.
SolveResult MinimalEquations::solve_in_bodies(const VecX& f, const VecX& d, bool is_checked, VecX& x,
                                              VecX& lambda) {
  scatter(structure_, work_, f, body_f_);
  keep_closures(d, body_d_);
  const SolveResult result = is_checked ? bodies().solve_checked(body_f_, body_d_, body_x_, lambda)
                                        : bodies().solve(body_f_, body_d_, body_x_, lambda);
  if (!result.ok()) return result;
  collect(structure_, work_, body_x_, x);
  row_residual_ = bodies_.row_residual();
  keep_closures(lambda, scratch_rows_);
  std::swap(lambda, scratch_rows_);
  return result;
}

int MinimalEquations::weakest_constraint() const {
  if (solves_bodies()) return bodies_.weakest_constraint();
  const int row = closures_.weakest().row;
  return row >= 0 ? constraint_of_row(layout_, row) : -1;
}

/// The rate at which rows part, over the model's size.
double MinimalEquations::parting() {
  closures_.apply_J(v_, row_rates_);
  row_rates_ += C_t_;
  return row_rates_.lpNorm<Eigen::Infinity>() / layout_.length_scale;
}

/// Of M x = f + K λ and J x = d, over the terms that cancel in them.
double MinimalEquations::relative_residual(const VecX& f, const VecX& d, const VecX& x, const VecX& lambda) {
  const auto norm = [](const VecX& values) {
    return values.size() > 0 ? values.lpNorm<Eigen::Infinity>() : 0.0;
  };
  const auto over = [](double left, double scale) { return scale > 0.0 ? left / scale : left; };
  multiply_mass(x, scratch_x_);
  force_residual_ = f;
  closures_.add_forces(lambda, force_residual_);
  const double scale = std::max({norm(f), norm(scratch_x_), norm(force_residual_)});
  force_residual_ -= scratch_x_;
  double worst = over(norm(force_residual_), scale);
  if (closures_.num_rows() == 0) return worst;
  closures_.apply_J(x, scratch_rows_);
  for (const int row : closures_.rows()) row_residual_[row] = d[row] - scratch_rows_[row];
  const double row_scale = std::max(row_scale_, closures_.largest_term(d, x)), speed2 = body_v_.squaredNorm();
  scratch_rows_ = row_residual_;
  double left = 0.0;
  for (const int row : closures_.dropped()) {
    left = std::max(left, std::abs(scratch_rows_[row]));
    scratch_rows_[row] = 0.0;
  }
  const double allowed =
      left > 0.0 ? largest_disagreement(bodies_.problem().row_error, parting(), row_scale, speed2) : 0.0;
  // in steady motion all accelerations cancel: what is left then is the rounding of J̇v
  const double rounding = 64.0 * std::numeric_limits<double>::epsilon() * speed2;
  if (norm(scratch_rows_) > rounding) worst = std::max(worst, over(norm(scratch_rows_), row_scale));
  if (left > std::max(allowed, rounding)) worst = std::max(worst, over(left, row_scale));
  return worst;
}

SolveResult MinimalEquations::check(const VecX& f, const VecX& d, VecX& x, VecX& lambda) {
  SolveResult result;
  result.residual = relative_residual(f, d, x, lambda);
  if (result.residual > kRefineAbove) {
    solve_mass(force_residual_, correction_x_);
    closures_.solve(row_residual_, correction_x_, correction_lambda_);
    x += correction_x_;
    lambda += correction_lambda_;
    result.residual = relative_residual(f, d, x, lambda);
  }
  if (!std::isfinite(result.residual) || !math::all_finite(x)) {
    result.status = SolveResult::Status::not_finite;
  } else if (result.residual > tolerance_) {
    result.status = SolveResult::Status::residual;
    Eigen::Index at = 0;
    if (row_residual_.size() > 0) row_residual_.cwiseAbs().maxCoeff(&at);
    result.constraint = constraint_of_row(layout_, int(at));
  }
  return result;
}

void MinimalEquations::evaluate_errors(const VecX& q, double t, const VecX& memory, VecX& C) {
  if (closures_.num_rows() == 0) {
    C.setZero(layout_.num_rows);
    return;
  }
  to_bodies(q, work_.still, trial_q_, trial_v_);
  bodies_.evaluate_errors(trial_q_, t, memory, all_C_);
  keep_closures(all_C_, C);
}

void MinimalEquations::evaluate_forces(const VecX& /*v*/, double /*t*/, bool /*with_gyroscopic*/,
                                       VecX& /*F*/) {
  throw std::logic_error("forces at other velocities are asked of bodies only");
}

void MinimalEquations::drift(double /*h*/, const VecX& /*P*/, VecX& /*q*/) const {
  throw std::logic_error("free flight is that of bodies");
}

Powers MinimalEquations::powers(const VecX& lambda) const {
  if (needs_bodies_) return bodies_.powers(lambda);
  return has_forces_ ? compute_powers(layout_, system_.kinematics, instant()) : Powers{};
}

Energy MinimalEquations::energy() const {
  if (needs_bodies_) return bodies_.energy();
  Energy energy;
  for (std::size_t k = 0; k < structure_.links.size(); ++k) {
    const LinkMotion& link = work_.links[k];
    energy.kinetic += 0.5 * dot(link.I * link.V, link.V);
    energy.gravity -= structure_.gravity.dot(Vec3(link.I.m * link.world.x + link.I.h));
  }
  if (has_forces_) energy.springs = spring_potential(layout_, system_.kinematics, instant());
  return energy;
}

void MinimalEquations::apply_mass(const VecX& v, VecX& P) {
  multiply_mass(v, P);
}

void MinimalEquations::apply_inverse_mass(VecX& f) {
  Workspace own(structure_);
  update_places(structure_, q_, own);
  if (factor_mass(structure_, own) != JointTree::kNone) return;
  VecX x;
  minimal::solve_mass(structure_, f, own, x);
  for (const LooseBody& loose : structure_.loose) {
    const int n = loose.num_v;
    MatX M =
        Eigen::Map<const MatX>(bodies_.problem().M.data() + layout_.bodies[std::size_t(loose.body)].M, n, n);
    x.segment(loose.v, n) = f.segment(loose.v, n);
    if (math::factor_ldlt(n, M.data(), 0.0) < 0) math::solve_ldlt(n, M.data(), x.data() + loose.v);
  }
  f = x;
}

void MinimalEquations::add_point_force(int body, const Vec3& point, const Vec3& force, VecX& f) {
  VecX on_bodies = VecX::Zero(layout_.num_v), own;
  bodies().add_point_force(body, point, force, on_bodies);
  gather(structure_, work_, on_bodies, own);
  f += own;
}

void MinimalEquations::evaluate_inequalities() {
  if (!needs_bodies_) {
    write_motions(structure_, work_, system_.kinematics.bodies);
    update_inequality_markers(layout_, body_q_, body_v_, system_.kinematics);
  }
  catena::evaluate_inequalities(layout_, system_.kinematics.inequalities, instant(), system_.inequalities);
}

void MinimalEquations::hold(const InequalitySlot& slot, int row, double sign) {
  catena::hold(layout_, system_.kinematics.inequalities, system_.inequalities, slot, row, sign, held_);
}

void MinimalEquations::retract(const VecX& d, VecX& q) const {
  for (const Link& link : structure_.links)
    link.motion.retract(q.data() + link.q, d.data() + link.v, q.data() + link.q);
  for (const LooseBody& loose : structure_.loose)
    structure_.bodies[std::size_t(loose.body)]->retract(q.data() + loose.q, d.data() + loose.v);
}

void MinimalEquations::chart_rate(const VecX& u, const VecX& v, VecX& u_dot) const {
  for (const Link& link : structure_.links)
    link.motion.chart_rate(u.data() + link.v, v.data() + link.v, u_dot.data() + link.v);
  for (const LooseBody& loose : structure_.loose)
    structure_.bodies[std::size_t(loose.body)]->chart_rate(u.data() + loose.v, v.data() + loose.v,
                                                           u_dot.data() + loose.v);
}

JointPlace MinimalEquations::place_of(int constraint) const {
  const int k = structure_.link_of_joint[std::size_t(constraint)];
  if (k < 0) return {};
  const Link& link = structure_.links[std::size_t(k)];
  return {link.q, link.num_q(), link.v, link.num_v()};
}

void MinimalEquations::to_bodies(const VecX& q, const VecX& v, VecX& body_q, VecX& body_v) {
  update_motion(structure_, q, v, elsewhere_);
  write_bodies(structure_, elsewhere_, q, v, body_q, body_v);
}

int MinimalEquations::body_that_is_nowhere(const VecX& q, const VecX& v) const {
  constexpr double kUnit = 1e-9;  // as of a body's own quaternion
  for (const Link& link : structure_.links) {
    int at = link.q;
    for (int i = 0; i < link.motion.shape().moves.count; ++i) {
      const Move move = link.motion.shape().moves[i];
      if (move == Move::ball && !(std::abs(q.segment<4>(at).norm() - 1.0) <= kUnit)) return link.body;
      at += catena::num_q(move);
    }
  }
  for (const LooseBody& loose : structure_.loose)
    if (!coordinates_problem(*structure_.bodies[std::size_t(loose.body)], q.data() + loose.q,
                             v.data() + loose.v)
             .empty())
      return loose.body;
  return -1;
}

void MinimalEquations::to_joints(const VecX& body_q, const VecX& body_v, VecX& q, VecX& v) {
  read_joints(structure_, body_q, body_v, markers_, q, v);
}

void MinimalEquations::body_accelerations(const VecX& a, VecX& out) {
  spread(structure_, work_, a, out);
  write_bias_accelerations(structure_, work_, bias_acceleration_);
  out += bias_acceleration_;
}

}  // namespace minimal
}  // namespace catena
