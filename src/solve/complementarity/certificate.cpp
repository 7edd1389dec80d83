#include "solve/complementarity/certificate.h"

namespace catena::solve::complementarity {
namespace {

// Takes d to D.
void restrict_direction(const NormalForm& p, Vector d) {
  for (const Block& b : p.blocks()) {
    if (b.kind == Kind::dependent) {
      d[b.row] = 0.0;
    } else if (b.kind == Kind::cone) {
      d[b.row] = std::max(d[b.row], 0.0);
      d.segment(b.row + 1, b.size - 1).setZero();
    } else {
      if (b.lower > -kInfinity) d[b.row] = std::max(d[b.row], 0.0);
      if (b.upper < kInfinity) d[b.row] = std::min(d[b.row], 0.0);
    }
  }
}

struct Supremum {
  double value = 0.0;      // of g·x, what is infinite left out
  double violation = 0.0;  // largest part of g that leaves it out
};

void add_interval(const Block& b, double g, Supremum& sup) {
  const double bound = g > 0.0 ? b.upper : b.lower;
  if (std::isfinite(bound))
    sup.value += g * bound;
  else
    sup.violation = std::max(sup.violation, std::abs(g));
}

Supremum find_supremum(const NormalForm& p, const Vector& g) {
  Supremum sup;
  for (const Block& b : p.blocks()) {
    if (b.kind == Kind::interval) {
      add_interval(b, g[b.row], sup);
    } else if (b.kind == Kind::cone) {
      const double along = g[b.row] + NormalForm::friction(b) * tangent_size(b, g.data() + b.row);
      sup.violation = std::max(sup.violation, along);
    } else {
      for (int i = 0; i < b.load_size; ++i)
        sup.violation = std::max(sup.violation, std::abs(g[b.row]) * b.load_weight[std::size_t(i)]);
    }
  }
  return sup;
}

}  // namespace

// (1) and (2) for d_, made of unit length.
bool Certificate::proves(const NormalForm& p, double least) {
  Vector d = d_.vector(p.size()), g = g_.vector(p.size());
  restrict_direction(p, d);
  const double size = d.norm();
  if (!(size > 0.0) || !std::isfinite(size)) return false;
  d /= size;
  g.noalias() = p.W().transpose() * d;
  const Supremum sup = find_supremum(p, g);
  const double margin = -(d.dot(p.q()) + sup.value);
  if (!(margin > 1e-9)) return false;
  least_size_ = margin / std::max(sup.violation, 1e-300);
  return least_size_ >= least;
}

// Single rows that no multiplier can help.
bool Certificate::try_rows(const NormalForm& p, double least) {
  for (int i = 0; i < p.size(); ++i) {
    if (p.q()[i] == 0.0) continue;
    d_.zeros(p.size())[i] = p.q()[i] < 0.0 ? 1.0 : -1.0;
    if (proves(p, least)) return true;
  }
  return false;
}

bool Certificate::find(const NormalForm& p, double least, int budget, Newton& newton) {
  constexpr int kMost = 8;
  const int n = p.size();
  factorisations_ = 0;
  if (try_rows(p, least)) return true;
  smooth_.set_frictionless(p);
  Vector x = x_.zeros(n), next = next_.zeros(n);
  double c = 1e-2;
  for (int k = 0; k < kMost; ++k, c = std::max(0.01 * c, 1e-6)) {
    step_problem_.set_proximal(smooth_, c, x);
    const Outcome outcome =
        newton.run(step_problem_, {.most = std::min(20, budget - factorisations_), .tolerance = 1e-12}, next);
    factorisations_ += outcome.factorisations;
    if (!(outcome.eta < 1e-6)) return false;
    d_.vector(n) = next - x;
    x = next;
    if (k > 0 && proves(p, least)) return true;
    if (d_.vector(n).cwiseAbs().maxCoeff() < 1e-8) return false;  // it converges: there is a solution
  }
  return false;
}

}  // namespace catena::solve::complementarity
