#include "solve/complementarity/dantzig.h"

namespace catena::solve::complementarity {
namespace {

constexpr double kZeroRate = 1e-12;  // of rates up to 1

}  // namespace

void Dantzig::set_rows(const NormalForm& p) {
  rows_.assign(std::size_t(p.size()), {});
  for (const Block& b : p.blocks()) {
    Row& first = rows_[std::size_t(b.row)];
    if (b.kind == Kind::interval) {
      first.lower = b.lower;
      first.upper = b.upper;
    } else if (b.kind == Kind::dependent) {
      first.load = b.load_row;
      first.weight = b.load_weight[0];
    } else {
      first.upper = kInfinity;
      for (int i = 1; i < b.size; ++i) {
        rows_[std::size_t(b.row + i)].load = b.row;
        rows_[std::size_t(b.row + i)].weight = NormalForm::friction(b);
      }
    }
  }
}

double Dantzig::bound(int row, bool is_upper) const {
  const Row& r = rows_[std::size_t(row)];
  if (r.load < 0) return is_upper ? r.upper : r.lower;
  const double most = std::abs(r.weight * x_.vector(int(rows_.size()))[r.load]);
  return is_upper ? most : -most;
}

double Dantzig::bound_rate(int row, bool is_upper) const {
  const Row& r = rows_[std::size_t(row)];
  if (r.load < 0) return 0.0;
  const int n = int(rows_.size());
  const double sign = x_.vector(n)[r.load] < 0.0 ? -1.0 : 1.0;
  return (is_upper ? sign : -sign) * r.weight * dx_.vector(n)[r.load];
}

// Puts a driven row where it belongs, if it has arrived.
bool Dantzig::settle(int row) {
  const int n = int(rows_.size());
  const double x = x_.vector(n)[row], u = u_.vector(n)[row];
  Row& r = rows_[std::size_t(row)];
  if (u >= 0.0 && x <= bound(row, false))
    r.state = State::lower;
  else if (u <= 0.0 && x >= bound(row, true))
    r.state = State::upper;
  else if (std::abs(u) <= kZeroRate)
    r.state = State::held;
  else
    return false;
  return true;
}

// (1): the answer to a row and to all that follow it.
void Dantzig::add_response(const NormalForm& p, int column, double factor, Vector out) {
  out += factor * p.W().col(column);
  for (int i = 0; i < p.size(); ++i) {
    const Row& r = rows_[std::size_t(i)];
    if (r.load != column || (r.state != State::lower && r.state != State::upper)) continue;
    const double sign = (r.state == State::upper) == (x_.vector(p.size())[column] >= 0.0) ? 1.0 : -1.0;
    out += factor * sign * r.weight * p.W().col(i);
  }
}

// (2)
void Dantzig::find_rates_of_change(const NormalForm& p, int driven, double direction) {
  const int n = p.size();
  held_.clear();
  for (int i = 0; i < n; ++i)
    if (rows_[std::size_t(i)].state == State::held) held_.push_back(i);
  const int c = int(held_.size());
  Matrix A = A_.matrix(c, c);
  Vector b = b_.vector(c), ones = ones_.vector(c), column = column_.vector(n);
  ones.setOnes();
  Vector dx = dx_.zeros(n), du = du_.zeros(n);
  for (int j = 0; j < c; ++j) {
    column.setZero();
    add_response(p, held_[std::size_t(j)], 1.0, column);
    for (int i = 0; i < c; ++i) A(i, j) = column[held_[std::size_t(i)]];
  }
  add_response(p, driven, direction, du);
  for (int i = 0; i < c; ++i) b[i] = -du[held_[std::size_t(i)]];
  lu_.factor(A, ones, ones, 1e-11);
  lu_.solve(b);
  dx[driven] = direction;
  for (int j = 0; j < c; ++j) {
    dx[held_[std::size_t(j)]] = b[j];
    add_response(p, held_[std::size_t(j)], b[j], du);
  }
  for (int i = 0; i < n; ++i) {
    const Row& r = rows_[std::size_t(i)];
    if (r.load >= 0 && (r.state == State::lower || r.state == State::upper))
      dx[i] = bound_rate(i, r.state == State::upper);
  }
}

// A distance that shrinks at this speed.
void Dantzig::see(double distance, double speed, int row, State state, Event& event) const {
  if (!(speed > 1e-13)) return;
  const double after = std::max(distance, 0.0) / speed;
  if (after < event.after) event = {after, row, state};
}

Dantzig::Event Dantzig::next_event(int driven) const {
  const int n = int(rows_.size());
  const ConstVector x = x_.vector(n), u = u_.vector(n), dx = dx_.vector(n), du = du_.vector(n);
  Event event;
  see(std::abs(u[driven]), u[driven] < 0.0 ? du[driven] : -du[driven], driven, State::held, event);
  for (int i = 0; i < n; ++i) {
    const State state = rows_[std::size_t(i)].state;
    if (state == State::held || i == driven) {
      see(bound(i, true) - x[i], dx[i] - bound_rate(i, true), i, State::upper, event);
      see(x[i] - bound(i, false), bound_rate(i, false) - dx[i], i, State::lower, event);
    } else if (bound(i, false) < bound(i, true) || rows_[std::size_t(i)].load >= 0) {
      if (state == State::lower) see(u[i], -du[i], i, State::held, event);
      if (state == State::upper) see(-u[i], du[i], i, State::held, event);
    }
  }
  return event;
}

bool Dantzig::drive(const NormalForm& p, int row, int most_steps) {
  const int n = p.size();
  while (!settle(row)) {
    if (++steps_ > most_steps) {
      end_ = End::most_steps;
      return false;
    }
    find_rates_of_change(p, row, u_.vector(n)[row] < 0.0 ? 1.0 : -1.0);
    const Event event = next_event(row);
    if (!std::isfinite(event.after)) {
      end_ = End::stuck;
      return false;
    }
    x_.vector(n) += event.after * dx_.vector(n);
    u_.vector(n) += event.after * du_.vector(n);
    if (event.state != State::held) x_.vector(n)[event.row] = bound(event.row, event.state == State::upper);
    if (event.state == State::held) u_.vector(n)[event.row] = 0.0;
    rows_[std::size_t(event.row)].state = event.state;
    if (event.row == row) return true;
  }
  return true;
}

Outcome Dantzig::run(const NormalForm& p, int most_steps, Vector x) {
  const int n = p.size();
  Outcome outcome;
  set_rows(p);
  Vector start = x_.zeros(n);
  for (const Block& b : p.blocks()) {
    if (b.kind == Kind::dependent && b.load_size != 1) return outcome;
    project_block(b, start.data(), start.data() + b.row);
  }
  find_rates(p, start, u_.vector(n));
  steps_ = 0;
  end_ = End::solved;
  for (int i = 0; i < n && end_ == End::solved; ++i) (void)drive(p, i, most_steps);
  x = x_.vector(n);
  find_rates(p, x, u_.vector(n));
  outcome.eta = natural_residual(p, x, u_.vector(n));
  outcome.sweeps = steps_;
  return outcome;
}

}  // namespace catena::solve::complementarity
