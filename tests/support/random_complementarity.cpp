// Random rows of mixed kinds, without a scene: see complementarity_problems.h.
#include "support/complementarity_problems.h"

#include <cmath>

namespace catena::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using solve::complementarity::Block;
using solve::complementarity::Kind;
using solve::complementarity::Rows;

namespace {

double number_between(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

bool is_one_in(std::mt19937& random, unsigned n) {
  return random() % n == 0;
}

// A dependent row whose load is there already: one-sided rows and normals, or up to three rows of any kind.
bool add_random_dependent(std::mt19937& random, bool loads_may_be_free, Rows& rows) {
  if (rows.blocks().empty()) return false;
  const Block& load = rows.blocks()[random() % unsigned(rows.blocks().size())];
  const double friction = number_between(random, 0.01, 0.5);
  if (load.kind == Kind::cone || (load.kind == Kind::interval && load.lower == 0.0)) {
    rows.add_dependent(friction, load.row);
    return true;
  }
  if (!loads_may_be_free || load.kind == Kind::dependent) return false;
  rows.add_dependent(friction, load.row, std::min(3, rows.size() - load.row));
  return true;
}

void add_random_block(std::mt19937& random, int room, bool loads_may_be_free, Rows& rows) {
  const double mu = is_one_in(random, 12) ? 0.0 : number_between(random, 0.0, 1.2);
  const int kind = int(random() % 100u);
  if (kind < 15) {
    rows.add_equality();
  } else if (kind < 40) {
    rows.add_lower();
  } else if (kind < 52) {
    const double low = -number_between(random, 0.0, 1.0), high = number_between(random, 0.0, 1.0);
    rows.add_box(is_one_in(random, 6) ? high : low,
                 is_one_in(random, 6) ? solve::complementarity::kInfinity : high);
  } else if (kind < 60) {
    if (!add_random_dependent(random, loads_may_be_free, rows)) rows.add_lower();
  } else if (room >= 2 && kind < 70) {
    rows.add_cone(mu, 1);
  } else if (room >= 3 && kind < 94) {
    rows.add_cone(mu);
  } else if (room >= 3) {
    rows.add_elliptic_cone(mu, number_between(random, 0.05, 1.2));
  } else {
    rows.add_lower();
  }
}

// Jacobian with few bodies of three dimensions in each block of rows, in units of its own.
MatrixXd random_jacobian(std::mt19937& random, const Rows& rows, int dims) {
  std::normal_distribution<double> normal;
  MatrixXd J = MatrixXd::Zero(rows.size(), dims);
  const int bodies = (dims + 2) / 3;
  for (const Block& b : rows.blocks()) {
    const double unit = std::pow(10.0, number_between(random, -1.0, 1.0));
    for (int touched = 0; touched < 2; ++touched) {
      const int body = int(random() % unsigned(bodies));
      for (int i = b.row; i < b.row + b.size; ++i)
        for (int d = 3 * body; d < std::min(dims, 3 * body + 3); ++d) J(i, d) += unit * normal(random);
    }
  }
  return J;
}

// Multipliers that every block allows, many of them at the edge of what it does.
VectorXd allowed_multipliers(std::mt19937& random, const Rows& rows) {
  VectorXd r = VectorXd::Zero(rows.size());
  for (const Block& b : rows.blocks()) {
    if (b.kind == Kind::interval) {
      const double low = std::max(b.lower, -1.0), high = std::max(low, std::min(b.upper, 1.0));
      r[b.row] = is_one_in(random, 2) ? std::clamp(0.0, low, high) : number_between(random, low, high);
      if (is_one_in(random, 4)) r[b.row] = high;
    } else if (b.kind == Kind::cone && !is_one_in(random, 3)) {
      const double turn = number_between(random, 0.0, 6.28), at = is_one_in(random, 2) ? 1.0 : 0.5;
      r[b.row] = number_between(random, 0.0, 1.0);
      r[b.row + 1] = at * b.friction[0] * r[b.row] * std::cos(turn);
      if (b.size > 2) r[b.row + 2] = at * b.friction[1] * r[b.row] * std::sin(turn);
    }
  }
  return r;
}

// Gaps of one-sided rows, which make rest a solution with room around it; 0 elsewhere.
VectorXd gaps(std::mt19937& random, const Rows& rows) {
  VectorXd b = VectorXd::Zero(rows.size());
  for (const Block& block : rows.blocks())
    if (block.kind == Kind::cone || (block.kind == Kind::interval && block.lower > -1e9))
      b[block.row] = number_between(random, 0.01, 0.3);
  return b;
}

// Two rows that oppose each other, and both want to be left.
void contradict(std::mt19937& random, ComplementarityProblem& p, MatrixXd& J, VectorXd& b) {
  const int first = p.rows.add_lower(), second = p.rows.add_lower();
  MatrixXd larger = MatrixXd::Zero(p.rows.size(), J.cols());
  VectorXd longer = VectorXd::Zero(p.rows.size());
  larger.topRows(first) = J;
  longer.head(first) = b;
  std::normal_distribution<double> normal;
  for (Eigen::Index d = 0; d < J.cols(); d += 3) larger(first, d) = normal(random);
  larger.row(second) = -2.0 * larger.row(first);
  longer[first] = number_between(random, -0.5, 0.1);
  longer[second] = -2.0 * longer[first] - number_between(random, 0.1, 1.0);
  J.swap(larger);
  b.swap(longer);
}

}  // namespace

const char* name(RandomKind kind) {
  constexpr const char* kNames[] = {"regular", "degenerate", "hyperstatic", "infeasible", "unsymmetric"};
  return kNames[std::size_t(kind)];
}

ComplementarityProblem random_problem(std::mt19937& random, RandomKind kind) {
  ComplementarityProblem p;
  p.group = name(kind);
  const int target = 1 + int(random() % (kind == RandomKind::infeasible ? 58u : 60u));
  const bool is_deficient = kind == RandomKind::hyperstatic || kind == RandomKind::infeasible;
  while (p.rows.size() < target) add_random_block(random, target - p.rows.size(), !is_deficient, p.rows);
  const int n = p.rows.size(), dims = is_deficient ? 1 + n / 2 : 3 * n;
  MatrixXd J = random_jacobian(random, p.rows, dims);
  VectorXd b = is_deficient ? gaps(random, p.rows) : VectorXd::Zero(n);
  if (kind == RandomKind::infeasible) contradict(random, p, J, b);
  VectorXd inverse_mass(dims), v(dims);
  for (int d = 0; d < dims; ++d) {
    inverse_mass[d] = std::pow(10.0, number_between(random, -1.5, 1.5));
    v[d] = number_between(random, -1.0, 1.0);
  }
  MatrixXd K = J;
  if (kind == RandomKind::unsymmetric) K += 0.3 * random_jacobian(random, p.rows, dims);
  p.W = J * inverse_mass.asDiagonal() * K.transpose();
  p.q = J * v + b;
  if (kind == RandomKind::degenerate) p.q = -p.W * allowed_multipliers(random, p.rows);
  if (kind == RandomKind::infeasible) p.known = Known::unsolvable;
  if (kind == RandomKind::unsymmetric) p.known = Known::nothing;
  if (!is_deficient && kind != RandomKind::degenerate)
    for (int i = 0; i < p.rows.size(); ++i)
      if (is_one_in(random, 10))
        p.rows.set_compliance(i, number_between(random, 0.01, 1.0) * std::abs(p.W(i, i)));
  return p;
}

ComplementarityProblem random_problem(std::uint64_t seed) {
  std::mt19937 random{unsigned(seed)};
  return random_problem(random, kRandomKinds[seed % std::size(kRandomKinds)]);
}

}  // namespace catena::test
