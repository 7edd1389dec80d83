#include "solve/complementarity/interior_point.h"

namespace catena::solve::complementarity {
namespace {

constexpr double kProximal = 1e-10;

// 1 - e tᵀ; t along the tangents of z
Matrix3d shift_derivative(const Vector3d& z, bool holds_shift) {
  Matrix3d E = Matrix3d::Identity();
  const double size = lorentz_tangent(z);
  if (holds_shift || !(size > 0.0)) return E;
  E(0, 1) = -z[1] / size;
  E(0, 2) = -z[2] / size;
  return E;
}

}  // namespace

Vector3d InteriorPoint::at(const Numbers& numbers, const Block& b) const {
  const ConstVector v = numbers.vector(n_);
  return {v[b.row], v[b.row + 1], b.size > 2 ? v[b.row + 2] : 0.0};
}

void InteriorPoint::put(Numbers& numbers, const Block& b, const Vector3d& value) {
  numbers.vector(n_).segment(b.row, b.size) = value.head(b.size);
}

// ρ of (2), defects of (3) and the derivatives of dependent bounds, at x_, z_.
void InteriorPoint::update_defects() {
  const Vector x = x_.vector(n_);
  Vector z = z_.vector(n_), rho = rho_.vector(n_);
  rho = q_.vector(n_);
  rho.noalias() += W_.matrix(n_, n_) * x;
  for (Scalar& scalar : scalars_) {
    const Block& b = blocks_[std::size_t(scalar.block)];
    double lower = b.lower, upper = b.upper;
    if (b.kind == Kind::dependent) {
      upper = load_bound(b, x.data());
      lower = -upper;
      for (int i = 0; i < b.load_size; ++i) {
        const double weight = b.load_weight[std::size_t(i)];
        scalar.load[i] = upper > 0.0 ? weight * weight * x[b.load_row + i] / upper : 0.0;
      }
    }
    if (scalar.lower.is_there) scalar.lower.defect = x[scalar.row] - lower - scalar.lower.s;
    if (scalar.upper.is_there) scalar.upper.defect = upper - x[scalar.row] - scalar.upper.s;
    z[scalar.row] = scalar.lower.z - scalar.upper.z;
  }
  rho -= z;
  for (const Block& b : blocks_)
    if (b.kind == Kind::cone) rho[b.row] += lorentz_tangent(at(z_, b));
}

double InteriorPoint::find_mu() const {
  return find_mu_after(0.0);
}

double InteriorPoint::find_mu_after(double alpha) const {
  double sum = 0.0;
  int count = 0;
  for (const Block& b : blocks_) {
    if (b.kind != Kind::cone) continue;
    Vector3d x = at(x_, b), z = at(z_, b);
    if (alpha > 0.0) {
      x += alpha * at(dx_, b);
      z += alpha * at(dz_, b);
    }
    sum += x.dot(z);
    ++count;
  }
  for (const Scalar& scalar : scalars_)
    for (const Bound* bound : {&scalar.lower, &scalar.upper}) {
      if (!bound->is_there) continue;
      sum += (bound->s + alpha * bound->ds) * (bound->z + alpha * bound->dz);
      ++count;
    }
  return count > 0 ? sum / count : 0.0;
}

// The matrix of (2) and its factor.
void InteriorPoint::assemble(bool holds_shift) {
  Matrix K = lu_.matrix(n_);
  K = W_.matrix(n_, n_);
  K.diagonal().array() += kProximal;
  scaling_.clear();
  for (const Block& b : blocks_) {
    if (b.kind != Kind::cone) continue;
    const Vector3d z = at(z_, b);
    const LorentzScaling& scaling = scaling_.emplace_back(at(x_, b), z);
    const Matrix3d block = shift_derivative(z, holds_shift) * scaling.square;
    K.block(b.row, b.row, b.size, b.size) += block.topLeftCorner(b.size, b.size);
  }
  for (const Scalar& scalar : scalars_) {
    const Block& b = blocks_[std::size_t(scalar.block)];
    if (b.is_fixed()) {
      K.row(b.row).setZero();
      K(b.row, b.row) = 1.0;
      continue;
    }
    const double lower = scalar.lower.is_there ? scalar.lower.z / scalar.lower.s : 0.0;
    const double upper = scalar.upper.is_there ? scalar.upper.z / scalar.upper.s : 0.0;
    K(b.row, b.row) += lower + upper;
    for (int i = 0; i < b.load_size; ++i) K(b.row, b.load_row + i) += (lower - upper) * scalar.load[i];
  }
  lu_.factor();
}

void InteriorPoint::read_scalar_direction(double target) {
  const Vector dx = dx_.vector(n_);
  for (Scalar& scalar : scalars_) {
    const Block& b = blocks_[std::size_t(scalar.block)];
    double bound = 0.0;
    for (int i = 0; i < b.load_size; ++i) bound += scalar.load[i] * dx[b.load_row + i];
    const auto read = [target](Bound& of, double change) {
      if (!of.is_there) return;
      of.ds = change + of.defect;
      of.dz = of.push(target) - of.z / of.s * change;
    };
    read(scalar.lower, dx[b.row] + bound);
    read(scalar.upper, -dx[b.row] + bound);
  }
}

// (2) and (3) for σμ = target.
void InteriorPoint::find_direction(double target, bool holds_shift, bool corrects) {
  Vector dx = dx_.vector(n_);
  dx = -rho_.vector(n_);
  std::size_t cone = 0;
  for (const Block& b : blocks_) {
    if (b.kind != Kind::cone) continue;
    const LorentzScaling& s = scaling_[cone];
    Vector3d ds = lorentz_product(s.lambda, s.lambda) - target * Vector3d::UnitX();
    if (corrects) ds += corrector_[cone];
    const Vector3d g = s.root * lorentz_quotient(s.lambda, ds);
    put(dz_, b, g);  // until Δx is known
    const Vector3d shifted = shift_derivative(at(z_, b), holds_shift) * g;
    dx.segment(b.row, b.size) -= shifted.head(b.size);
    ++cone;
  }
  for (Scalar& scalar : scalars_) {
    if (!corrects) scalar.lower.corrector = scalar.upper.corrector = 0.0;
    if (scalar.lower.is_there) dx[scalar.row] += scalar.lower.push(target);
    if (scalar.upper.is_there) dx[scalar.row] -= scalar.upper.push(target);
    if (blocks_[std::size_t(scalar.block)].is_fixed()) dx[scalar.row] = 0.0;
  }
  lu_.solve(dx);
  cone = 0;
  for (const Block& b : blocks_)
    if (b.kind == Kind::cone) put(dz_, b, -at(dz_, b) - scaling_[cone++].square * at(dx_, b));
  read_scalar_direction(target);
}

double InteriorPoint::longest_step() const {
  double alpha = kInfinity;
  for (const Block& b : blocks_)
    if (b.kind == Kind::cone)
      alpha =
          std::min({alpha, step_in_lorentz(at(x_, b), at(dx_, b)), step_in_lorentz(at(z_, b), at(dz_, b))});
  for (const Scalar& scalar : scalars_)
    for (const Bound* bound : {&scalar.lower, &scalar.upper}) {
      if (!bound->is_there) continue;
      if (bound->ds < 0.0) alpha = std::min(alpha, -bound->s / bound->ds);
      if (bound->dz < 0.0) alpha = std::min(alpha, -bound->z / bound->dz);
    }
  return alpha;
}

void InteriorPoint::set_correctors() {
  std::size_t cone = 0;
  for (const Block& b : blocks_) {
    if (b.kind != Kind::cone) continue;
    const LorentzScaling& s = scaling_[cone];
    corrector_[cone] = lorentz_product(s.root * at(dx_, b), s.inverse * at(dz_, b));
    ++cone;
  }
  for (Scalar& scalar : scalars_)
    for (Bound* bound : {&scalar.lower, &scalar.upper}) bound->corrector = bound->ds * bound->dz;
}

void InteriorPoint::advance(double alpha) {
  x_.vector(n_) += alpha * dx_.vector(n_);
  for (const Block& b : blocks_)
    if (b.kind == Kind::cone) put(z_, b, at(z_, b) + alpha * at(dz_, b));
  for (Scalar& scalar : scalars_)
    for (Bound* bound : {&scalar.lower, &scalar.upper}) {
      if (!bound->is_there) continue;
      bound->s += alpha * bound->ds;
      bound->z += alpha * bound->dz;
    }
}

// Predictor, corrector, and how far to go along it.
double InteriorPoint::step_length(const Options& options, double mu, bool holds_shift) {
  find_direction(0.0, holds_shift, false);
  const double affine = std::min(1.0, longest_step());
  double sigma = mu > 0.0 ? std::clamp(std::pow(find_mu_after(affine) / mu, 3), 1e-8, 1.0) : 0.0;
  if (affine < 0.1) sigma = std::max(sigma, 0.5);
  set_correctors();
  find_direction(sigma * mu, holds_shift, true);
  double alpha = std::min(1.0, options.step * longest_step());
  if (alpha < 0.05) {
    find_direction(std::max(sigma, 0.3) * mu, holds_shift, false);
    alpha = std::min(1.0, options.step * longest_step());
  }
  return alpha;
}

// x of the normal form.
void InteriorPoint::read_point(const NormalForm& p, Vector x) {
  x = Q_ * x_.vector(n_).cwiseQuotient(d_.vector(n_));
  find_rates(p, x, u_.vector(n_));
}

// Newton's method from the point at hand where it is worth it; true when that is the end.
bool InteriorPoint::try_crossover(const NormalForm& p, const Options& options, Newton& newton, double mu,
                                  Outcome& outcome, Vector x) {
  Vector point = point_.vector(n_);
  read_point(p, point);
  double eta = natural_residual(p, point, u_.vector(n_));
  if (eta > options.tolerance && (eta < 1e-2 || mu < 1e-4) && (mu < 0.1 * last_try_ || mu == 0.0)) {
    last_try_ = mu;
    const Outcome polished = newton.run(p, {.most = 4, .tolerance = options.tolerance}, point);
    outcome.factorisations += polished.factorisations;
    eta = polished.eta;
  }
  if (eta < outcome.eta) {
    outcome.eta = eta;
    x = point;
  }
  return outcome.eta <= allowance(x, options.tolerance);
}

Outcome InteriorPoint::run(const NormalForm& p, const Options& options, Newton& newton, Vector x) {
  Outcome outcome;
  set_scale(p);
  set_start(options.start);
  int stalls = 0;
  bool holds_shift = false;
  for (int k = 0; k < options.most && outcome.factorisations < options.budget; ++k) {
    update_defects();
    const double mu = find_mu();
    if (k > 0 && try_crossover(p, options, newton, mu, outcome, x)) break;
    assemble(holds_shift);
    ++outcome.factorisations;
    const double alpha = step_length(options, mu, holds_shift);
    if (!std::isfinite(alpha) || !dx_.vector(n_).allFinite()) break;
    advance(alpha);
    if (!(x_.vector(n_).cwiseAbs().maxCoeff() < 1e13)) break;
    stalls = alpha < 1e-3 ? stalls + 1 : 0;
    if (stalls == 4 && holds_shift) break;
    if (stalls == 4) {
      holds_shift = true;
      stalls = 0;
    }
  }
  return outcome;
}

}  // namespace catena::solve::complementarity
