#include "solve/complementarity/polyhedral.h"

namespace catena::solve::complementarity {

int Polyhedral::add(const Variable& variable) {
  variables_.push_back(variable);
  return int(variables_.size()) - 1;
}

void Polyhedral::add_interval(const Block& b) {
  const bool has_lower = b.lower > -kInfinity, has_upper = b.upper < kInfinity;
  if (b.is_fixed()) return;
  const int z = add({.row = {b.row, -1}, .factor = {!has_lower && has_upper ? -1.0 : 1.0, 0.0}});
  variables_[std::size_t(z)].is_free = !has_lower && !has_upper;
  if (!has_lower || !has_upper) return;
  const int slack = add({});
  variables_[std::size_t(z)].slack = slack;
  slacks_.push_back({.variable = slack, .room = b.upper - b.lower});
}

// Forces along the tangents and the slack that bounds them: (1) without its normal.
void Polyhedral::add_slipping(const Block& b, int directions) {
  const bool is_cone = b.kind == Kind::cone;
  const int tangent = is_cone ? b.row + 1 : b.row, count = is_cone && b.size > 2 ? directions : 2;
  const int slack = int(variables_.size()) + count;
  for (int k = 0; k < count; ++k) {
    const double turn = 2.0 * M_PI * k / count;
    Variable force{.row = {tangent, -1}, .factor = {k == 0 ? 1.0 : -1.0, 0.0}, .slack = slack};
    if (count > 2 || (is_cone && b.size > 2))
      force = {.row = {tangent, tangent + 1}, .factor = {std::cos(turn), std::sin(turn)}, .slack = slack};
    add(force);
  }
  add({});
  const double factor = is_cone ? NormalForm::friction(b) : b.load_weight[0];
  slacks_.push_back({.variable = slack, .row = is_cone ? b.row : b.load_row, .factor = factor});
}

bool Polyhedral::is_nonnegative(const NormalForm& p, int row) const {
  for (const Block& b : p.blocks()) {
    if (b.kind == Kind::cone && b.row == row) return true;
    if (b.kind == Kind::interval && b.row == row) return b.lower >= 0.0;
  }
  return false;
}

bool Polyhedral::add_block(const NormalForm& p, const Block& b, int directions) {
  if (b.kind == Kind::interval) {
    add_interval(b);
    return true;
  }
  if (b.kind == Kind::cone)
    add({.row = {b.row, -1}, .factor = {1.0, 0.0}});
  else if (b.load_size != 1 || !is_nonnegative(p, b.load_row))
    return false;
  add_slipping(b, directions);
  return true;
}

void Polyhedral::fill(const NormalForm& p) {
  const int n = p.size(), N = int(variables_.size());
  lemke_.reset(N);
  Vector x0 = x0_.zeros(n), u0 = u0_.vector(n);
  for (const Block& b : p.blocks())
    if (b.kind == Kind::interval)
      x0[b.row] = b.lower > -kInfinity ? b.lower : b.upper < kInfinity ? b.upper : 0.0;
  find_rates(p, x0, u0);
  Matrix WT = WT_.matrix(n, N);
  for (int j = 0; j < N; ++j) {
    WT.col(j).setZero();
    const Variable& v = variables_[std::size_t(j)];
    for (int part = 0; part < 2; ++part)
      if (v.row[part] >= 0) WT.col(j) += v.factor[part] * p.W().col(v.row[part]);
  }
  for (int k = 0; k < N; ++k) {
    const Variable& v = variables_[std::size_t(k)];
    if (v.is_free) lemke_.set_free(k);
    for (int part = 0; part < 2; ++part) {
      if (v.row[part] < 0) continue;
      lemke_.q(k) += v.factor[part] * u0[v.row[part]];
      for (int j = 0; j < N; ++j) lemke_.M(k, j) += v.factor[part] * WT(v.row[part], j);
    }
    if (v.slack < 0) continue;
    lemke_.M(k, v.slack) += 1.0;
    lemke_.M(v.slack, k) -= 1.0;
  }
  for (const Slack& s : slacks_) {
    lemke_.q(s.variable) = s.room + (s.row >= 0 ? s.factor * x0[s.row] : 0.0);
    for (int k = 0; k < N && s.row >= 0; ++k)
      for (int part = 0; part < 2; ++part)
        if (variables_[std::size_t(k)].row[part] == s.row)
          lemke_.M(s.variable, k) += s.factor * variables_[std::size_t(k)].factor[part];
  }
}

Outcome Polyhedral::run(const NormalForm& p, const Options& options, Vector x) {
  Outcome outcome;
  variables_.clear();
  slacks_.clear();
  end_ = Lemke::End::ray;
  for (const Block& b : p.blocks())
    if (!add_block(p, b, options.directions)) return outcome;
  fill(p);
  end_ = options.eliminates_equalities ? lemke_.solve_without_free(options.most_pivots, reduced_)
                                       : lemke_.solve(options.most_pivots);
  x = x0_.vector(p.size());
  for (int k = 0; k < int(variables_.size()); ++k) {
    const Variable& v = variables_[std::size_t(k)];
    for (int part = 0; part < 2; ++part)
      if (v.row[part] >= 0) x[v.row[part]] += v.factor[part] * lemke_.z(k);
  }
  outcome.sweeps = lemke_.pivots();
  find_rates(p, x, u_.vector(p.size()));
  outcome.eta = natural_residual(p, x, u_.vector(p.size()));
  return outcome;
}

}  // namespace catena::solve::complementarity
