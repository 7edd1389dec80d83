#include "integrate/inequality_set.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kLeastFriction = 1e-6;  // below it a contact is taken as smooth
constexpr double kResting = 2.0;         // (3): times what forces change a rate by in a step
constexpr double kInside = 1.0 - 1e-9;   // of its bound: a friction that is not used up

}  // namespace

double deepest_penetration(const Equations& equations, int& inequality) {
  double depth = 0.0;
  inequality = -1;
  const auto slots = equations.inequality_slots();
  const VecX& C = equations.inequality_values().C;
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (int r = 0; r < slots[i].rows; ++r) {
      const RowLaw& law = slots[i].inequality->law(r);
      if (law.kind != RowLaw::Kind::travel) continue;
      const double c = C[slots[i].row + r], beyond = std::max(law.lower - c, c - law.upper);
      if (beyond <= depth) continue;
      depth = beyond;
      inequality = int(i);
      if (std::isnan(depth)) return depth;
    }
  return depth;
}

void InequalitySet::clear(Equations& equations) {
  rows_.clear();
  gap_list_.clear();
  limits_.clear();
  problem_.clear();
  equations.held_rows().begin();
}

void InequalitySet::add(Equations& equations, int inequality, int row, double sign, double gap, int of,
                        double limit) {
  const InequalitySlot& slot = equations.inequality_slots()[std::size_t(inequality)];
  rows_.push_back({inequality, row, sign, &slot.inequality->law(row), of});
  gap_list_.push_back(gap);
  limits_.push_back(limit);
  equations.hold(slot, row, sign);
}

// A normal row with the tangents that slide on it and what its load bounds.
void InequalitySet::add_travel(Equations& equations, int inequality, int row, double gap, double sign,
                               bool with_friction) {
  const InequalitySlot& slot = equations.inequality_slots()[std::size_t(inequality)];
  const int normal = int(rows_.size());
  add(equations, inequality, row, sign, gap, -1, 0.0);
  int tangents = 0;
  double friction = 0.0;
  for (int r = 0; r < slot.rows && with_friction; ++r) {
    const RowLaw& law = slot.inequality->law(r);
    if (law.kind != RowLaw::Kind::tangent || law.of != row) continue;
    if (tangents == 0) friction = law.friction;
    if (friction < kLeastFriction) break;
    add(equations, inequality, r, 1.0, 0.0, normal, friction);
    ++tangents;
  }
  if (tangents > 0)
    problem_.add_cone(friction, tangents);
  else
    problem_.add_lower();
  for (int r = 0; r < slot.rows && with_friction; ++r) {
    const RowLaw& law = slot.inequality->law(r);
    if (law.kind != RowLaw::Kind::load || law.of != row || law.friction < kLeastFriction) continue;
    add(equations, inequality, r, 1.0, 0.0, normal, law.friction);
    problem_.add_dependent(law.friction, normal);
  }
}

void InequalitySet::add_inequality(Equations& equations, int inequality, double reach, double h,
                                   bool with_friction) {
  const InequalitySlot& slot = equations.inequality_slots()[std::size_t(inequality)];
  const VecX& C = equations.inequality_values().C;
  for (int r = 0; r < slot.rows; ++r) {
    const RowLaw& law = slot.inequality->law(r);
    if (law.kind == RowLaw::Kind::travel) {
      const double lower = C[slot.row + r] - law.lower, upper = law.upper - C[slot.row + r];
      if (lower <= reach) add_travel(equations, inequality, r, lower, 1.0, with_friction);
      if (upper <= reach) add_travel(equations, inequality, r, upper, -1.0, with_friction);
    } else if (law.kind == RowLaw::Kind::box && with_friction && law.limit > 0.0) {
      add(equations, inequality, r, 1.0, 0.0, -1, law.limit * h);
      problem_.add_box(-law.limit * h, law.limit * h);
    }
  }
}

void InequalitySet::collect(Equations& equations, double reach, double h) {
  collect_all(equations, reach, h, true);
}

void InequalitySet::collect_travel(Equations& equations, double reach) {
  collect_all(equations, reach, 0.0, false);
}

void InequalitySet::collect_all(Equations& equations, double reach, double h, bool with_friction) {
  clear(equations);
  for (int i = 0; i < int(equations.inequality_slots().size()); ++i)
    add_inequality(equations, i, reach, h, with_friction);
  gaps_ = Eigen::Map<const VecX>(gap_list_.data(), Eigen::Index(gap_list_.size()));
}

// @pre the row is one of friction. Whether its bound is not used up.
bool InequalitySet::sticks(std::size_t row) const {
  const Row& own = rows_[row];
  double used = std::abs(impulses_[Eigen::Index(row)]);
  if (own.law->kind == RowLaw::Kind::box) return used < kInside * limits_[row];
  if (own.law->kind == RowLaw::Kind::tangent) {  // with its neighbour
    used = 0.0;
    for (std::size_t k = std::size_t(own.of) + 1; k < rows_.size() && rows_[k].of == own.of; ++k)
      if (rows_[k].law->kind == RowLaw::Kind::tangent) used = std::hypot(used, impulses_[Eigen::Index(k)]);
  }
  return used < kInside * limits_[row] * impulses_[own.of];
}

void InequalitySet::collect_again(Equations& equations, const InequalitySet& step) {
  clear(equations);
  for (std::size_t k = 0; k < step.rows_.size(); ++k) {
    const Row& row = step.rows_[k];
    const bool is_travel = row.law->kind == RowLaw::Kind::travel;
    if (is_travel ? !(step.impulses_[Eigen::Index(k)] > 0.0) : !step.sticks(k)) continue;
    add(equations, row.inequality, row.row, row.sign, 0.0, -1, 0.0);
    if (is_travel)
      problem_.add_lower();
    else
      problem_.add_equality();
  }
  gaps_ = Eigen::Map<const VecX>(gap_list_.data(), Eigen::Index(gap_list_.size()));
}

void InequalitySet::rates(Equations& equations, const VecX& v, VecX& u) const {
  equations.held_rows().rates(v, u);
  const VecX& C_t = equations.inequality_values().C_t;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const InequalitySlot& slot = equations.inequality_slots()[std::size_t(rows_[k].inequality)];
    u[Eigen::Index(k)] += rows_[k].sign * C_t[slot.row + rows_[k].row];
  }
}

ContactOutcome InequalitySet::run(Equations& equations, const VecX& q) {
  solver_.analyze(problem_);
  const solve::complementarity::Result result = solver_.solve(equations.held_rows().response(), q, impulses_);
  ContactOutcome outcome{result.ok(), result.eta, -1};
  if (result.worst_row >= 0) outcome.worst_inequality = rows_[std::size_t(result.worst_row)].inequality;
  return outcome;
}

ContactOutcome InequalitySet::solve(Equations& equations, const VecX& before, VecX& v, VecX& lambda) {
  work_of_travel_ = work_of_friction_ = 0.0;
  impulses_.setZero(Eigen::Index(rows_.size()));
  if (empty()) return {};
  rates(equations, v, free_);
  after_ = free_;
  for (std::size_t k = 0; k < rows_.size() && before.size() > 0; ++k) {  // (1), (3)
    const auto i = Eigen::Index(k);
    if (rows_[k].law->kind == RowLaw::Kind::travel && before[i] < -kResting * std::abs(free_[i] - before[i]))
      after_[i] += rows_[k].law->restitution * before[i];
  }
  const ContactOutcome outcome = run(equations, after_);
  equations.held_rows().respond(impulses_, v, lambda);
  rates(equations, v, after_);
  for (std::size_t k = 0; k < rows_.size() && before.size() > 0; ++k) {  // (2)
    const auto i = Eigen::Index(k);
    const double work = 0.5 * impulses_[i] * (before[i] + after_[i]);
    (rows_[k].law->kind == RowLaw::Kind::travel ? work_of_travel_ : work_of_friction_) += work;
  }
  return outcome;
}

ContactOutcome InequalitySet::solve_gaps(Equations& equations, VecX& delta, VecX& lambda) {
  impulses_.setZero(Eigen::Index(rows_.size()));
  if (empty()) return {};
  equations.held_rows().rates(delta, free_);
  free_ += gaps_;
  const ContactOutcome outcome = run(equations, free_);
  equations.held_rows().respond(impulses_, delta, lambda);
  return outcome;
}

}  // namespace catena
