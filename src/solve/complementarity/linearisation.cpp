#include "solve/complementarity/linearisation.h"

namespace catena::solve::complementarity {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A unit vector along the tangential part of y, with 0 in its normal.
Vector3d tangent_direction(const Vector3d& y, double size) {
  return size > 0.0 ? Vector3d(0.0, y[1] / size, y[2] / size) : Vector3d::UnitY();
}

// 1 - τ τᵀ of the tangential part.
Matrix3d across_slip(const Vector3d& tau) {
  Matrix3d T = -tau * tau.transpose();
  T(1, 1) += 1.0;
  T(2, 2) += 1.0;
  return T;
}

void set_scalar(const Block& b, const double* x, const double* u, Linearised& out) {
  const double y = x[b.row] - u[b.row];
  double lower = b.lower, upper = b.upper;
  if (b.kind == Kind::dependent) {
    upper = load_bound(b, x);
    lower = -upper;
  }
  if (lower < upper && y >= lower && y <= upper) {
    out.F[0] = u[b.row];
    out.A(0, 0) = 1.0;
    return;
  }
  const double bound = y < lower ? lower : upper;
  out.F[0] = x[b.row] - bound;
  out.B(0, 0) = 1.0;
  if (b.kind != Kind::dependent) return;
  const double sign = y < lower ? 1.0 : -1.0;  // of -∂bound/∂|bound|
  for (int i = 0; i < b.load_size; ++i) {
    const double weight = b.load_weight[std::size_t(i)], load = x[b.load_row + i];
    if (upper > 0.0)
      out.load[i] = sign * weight * weight * load / upper;
    else if (b.load_size == 1)
      out.load[i] = sign * weight;
  }
}

// (2) of newton.h
void set_alart_curnier(const Block& b, const Vector3d& x, const Vector3d& u, Linearised& out) {
  const double mu = NormalForm::friction(b);
  const Vector3d y = x - u;
  const double tangent = tangent_size(b, y.data());
  if (y[0] <= 0.0) {
    out.F = x;
    out.B.setIdentity();
  } else if (tangent <= mu * y[0]) {
    out.F = u;
    out.A.setIdentity();
  } else {
    const Vector3d tau = tangent_direction(y, tangent);
    const Matrix3d G = (mu * y[0] / tangent) * across_slip(tau);
    out.F = x - mu * y[0] * tau;
    out.F[0] = u[0];
    out.A = G;
    out.A.col(0) += mu * tau;
    out.A(0, 0) = 1.0;
    out.B = -G;
    out.B.col(0) -= mu * tau;
    out.B(1, 1) += 1.0;
    out.B(2, 2) += 1.0;
  }
}

// (1)
void set_natural_map(const Block& b, const Vector3d& x, const Vector3d& u, Linearised& out) {
  const double mu = NormalForm::friction(b), slip = tangent_size(b, u.data());
  Vector3d y = x - u;
  y[0] -= mu * slip;
  const double tangent = tangent_size(b, y.data());
  Vector3d p = y;
  project_on_cone(b, p.data());
  out.F = x - p;
  Matrix3d D = Matrix3d::Zero();
  if (tangent <= mu * y[0]) {
    D.setIdentity();
  } else if (mu * tangent > -y[0]) {
    const Vector3d tau = tangent_direction(y, tangent);
    const Vector3d g = Vector3d::UnitX() + mu * tau;
    D = g * g.transpose() / (1.0 + mu * mu) + (mu * p[0] / tangent) * across_slip(tau);
  }
  out.B = Matrix3d::Identity() - D;
  Matrix3d shifted = Matrix3d::Identity();
  if (slip > 0.0) shifted.row(0) += mu * tangent_direction(u, slip).transpose();
  out.A.noalias() = D * shifted;
}

}  // namespace

Linearised linearise(const Block& b, const double* x, const double* u, bool natural) {
  Linearised out;
  if (b.kind != Kind::cone) {
    set_scalar(b, x, u, out);
    return out;
  }
  Vector3d x3 = Vector3d::Zero(), u3 = Vector3d::Zero();
  for (int i = 0; i < b.size; ++i) {
    x3[i] = x[b.row + i];
    u3[i] = u[b.row + i];
  }
  if (natural)
    set_natural_map(b, x3, u3, out);
  else
    set_alart_curnier(b, x3, u3, out);
  return out;
}

}  // namespace catena::solve::complementarity
