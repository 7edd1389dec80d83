#include "solve/complementarity/residual.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena::solve::complementarity {
namespace {

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;
using VectorRef = Eigen::Ref<const Eigen::VectorXd>;

// The larger of two sizes; what is not a number counts as infinite.
double larger(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) ? std::max(a, b) : kInfinity;
}

// How much a row's axis is stretched so that its cone is round: μ_i/μ with the larger μ; 1 for all other rows.
double row_stretch(const Block& b, int i) {
  const double largest = std::max(b.friction[0], b.friction[1]);
  if (b.kind != Kind::cone || b.size < 3 || i == 0 || largest == 0.0) return 1.0;
  return b.friction[std::size_t(i) - 1] / largest;
}

double response_size(const Rows& rows, const MatrixRef& W, const Block& b) {
  double sum = 0.0;
  for (int i = 0; i < b.size; ++i) {
    const double e = row_stretch(b, i);
    sum += e * e * std::abs(W(b.row + i, b.row + i) + rows.compliance(b.row + i));
  }
  if (sum > 0.0) return sum / b.size;
  const double largest = std::max(W.row(b.row).cwiseAbs().maxCoeff(), W.col(b.row).cwiseAbs().maxCoeff());
  return largest > 0.0 ? largest : 1.0;
}

double dependent_bound(const Block& b, const VectorRef& r) {
  double square = 0.0;
  for (int i = 0; i < b.load_size; ++i)
    square += std::pow(b.load_weight[std::size_t(i)] * r[b.load_row + i], 2);
  return std::sqrt(square);
}

double scalar_defect(const Block& b, const VectorRef& r, double u, double w) {
  double lower = b.lower, upper = b.upper;
  if (b.kind == Kind::dependent) {
    upper = dependent_bound(b, r);
    lower = -upper;
  }
  return std::abs(r[b.row] - std::clamp(r[b.row] - u / w, lower, upper));
}

// Forces and rates of a contact with its tangents stretched: forces are divided by the stretch, rates are multiplied.
struct StretchedContact {
  double mu, force[3] = {}, rate[3] = {};

  StretchedContact(const Block& b, const VectorRef& r, const double* u)
      : mu(std::max(b.friction[0], b.size > 2 ? b.friction[1] : b.friction[0])) {
    for (int i = 0; i < b.size; ++i) {
      const double e = row_stretch(b, i);
      force[i] = e > 0.0 ? r[b.row + i] / e : (r[b.row + i] == 0.0 ? 0.0 : kInfinity);
      rate[i] = e * u[i];
    }
  }
};

// (4)
double pyramid_defect(const StretchedContact& c, double w, int directions) {
  const double between = 2.0 * M_PI / directions;
  const auto along = [&](int k, const double* v) {
    return std::cos(k * between) * v[1] + std::sin(k * between) * v[2];
  };
  double sigma = 0.0;
  for (int k = 0; k < directions; ++k) sigma = larger(sigma, std::max(0.0, -along(k, c.rate)));
  const double size = std::hypot(c.force[1], c.force[2]);
  double turn = std::atan2(c.force[2], c.force[1]);
  if (turn < 0.0) turn += 2.0 * M_PI;
  const int first = std::min(int(turn / between), directions - 1), second = (first + 1) % directions;
  const double past = turn - first * between;
  const double beta[2] = {size * std::sin(between - past) / std::sin(between),
                          size * std::sin(past) / std::sin(between)};
  double defect = std::abs(std::min(c.force[0], c.rate[0] / w));
  defect = larger(defect, std::abs(std::min(c.mu * c.force[0] - beta[0] - beta[1], sigma / w)));
  defect = larger(defect, std::abs(std::min(beta[0], (along(first, c.rate) + sigma) / w)));
  return larger(defect, std::abs(std::min(beta[1], (along(second, c.rate) + sigma) / w)));
}

// |F|∞ of (1)
double cone_defect(const Block& b, const StretchedContact& c, double w) {
  const double mu = c.mu;
  const double* force = c.force;
  double y[3] = {};
  for (int i = 0; i < b.size; ++i) y[i] = force[i] - c.rate[i] / w;
  y[0] -= mu * std::hypot(c.rate[1], c.rate[2]) / w;
  const double tangent = std::hypot(y[1], y[2]);
  double p[3] = {y[0], y[1], y[2]};
  if (mu * tangent <= -y[0]) {
    std::fill_n(p, 3, 0.0);
  } else if (tangent > mu * y[0]) {
    p[0] = (y[0] + mu * tangent) / (1.0 + mu * mu);
    for (int i = 1; i < 3; ++i) p[i] = mu * p[0] * y[i] / tangent;
  }
  double defect = 0.0;
  for (int i = 0; i < b.size; ++i) defect = larger(defect, std::abs(force[i] - p[i]));
  return defect;
}

double block_defect(const Block& b, const VectorRef& r, const double* u, double w, int directions) {
  if (b.kind != Kind::cone) return scalar_defect(b, r, *u, w);
  const StretchedContact contact(b, r, u);
  return directions > 0 && b.size > 2 ? pyramid_defect(contact, w, directions) : cone_defect(b, contact, w);
}

}  // namespace

bool Judgement::accepts(double tolerance) const {
  return eta <= std::max(tolerance, floor);
}

Judgement Judge::judge(const Rows& rows, std::span<const int> blocks, const MatrixRef& W, const VectorRef& q,
                       const VectorRef& r) {
  const std::size_t n = std::size_t(rows.size());
  u_.assign(n, 0.0);
  start_.assign(n, 0.0);  // q + W r₀
  for (const int i : blocks) {
    const Block& from = rows.blocks()[std::size_t(i)];
    for (int j = from.row; j < from.row + from.size; ++j) {
      const double nearest = from.kind == Kind::interval ? std::clamp(0.0, from.lower, from.upper) : 0.0;
      u_[std::size_t(j)] += rows.compliance(j) * r[j] + q[j];
      start_[std::size_t(j)] += rows.compliance(j) * nearest + q[j];
      for (std::size_t k = 0; k < n; ++k) {
        u_[k] += W(Eigen::Index(k), j) * r[j];
        start_[k] += W(Eigen::Index(k), j) * nearest;
      }
    }
  }
  Judgement out;
  double norm = 0.0, largest = 0.0, size = 0.0;
  for (const int i : blocks) {
    const Block& b = rows.blocks()[std::size_t(i)];
    const double w = response_size(rows, W, b);
    const double* u = u_.data() + b.row;
    const double defect = std::sqrt(w) * block_defect(b, r, u, w, directions_);
    if (larger(largest, defect) != largest || out.worst_row < 0) {
      largest = larger(largest, defect);
      out.worst_row = b.row;
    }
    for (int j = b.row; j < b.row + b.size; ++j) {
      norm = larger(norm, std::max(std::abs(q[j]), std::abs(start_[std::size_t(j)])) / std::sqrt(w));
      size = std::max(size, std::sqrt(w) * std::abs(r[j]));
    }
  }
  if (norm == 0.0) norm = 1.0;
  out.eta = std::isfinite(norm) ? largest / norm : kInfinity;
  out.floor = std::min(1e-13 * size / norm, 1e-7);
  return out;
}

Judgement Judge::judge(const Rows& rows, const MatrixRef& W, const VectorRef& q, const VectorRef& r) {
  all_.resize(rows.blocks().size());
  std::iota(all_.begin(), all_.end(), 0);
  return judge(rows, all_, W, q, r);
}

}  // namespace catena::solve::complementarity
