// Bodies that deform as a whole.   x = c + A·m(X),  F = ∂x/∂X = A·∇m
//
// Legend: G = ∫ρ m mᵀ, R·U the polar decomposition of F at the centre, B = RᵀḞ, vee([a]×) = a, ⟨⟩ mean over the box.
//
//   M = diag(m·1, G, G, G), constant;   ẋ = ċ + Ȧ·m(X), linear in v, bias 0                                        (1)
//   V = k/2 ⟨|FᵀF - 1|²⟩,   force on A: -2k ⟨F(FᵀF - 1)·∇mᵀ⟩;   damping with d and the rate of FᵀF in its place      (2)
//   [w]U + U[w] = [(tr U - U)w]  gives the rate of the frame:  K·w = vee(B - Bᵀ),  K = tr(U)·1 - U,  ω = R·w         (3)
//   with Ä = 0:  Ḃ = -[w]B,  U̇ = B - [w]U,   K·ẇ = vee(Ḃ - Ḃᵀ) - (tr(U̇)·1 - U̇)·w,  ω̇ = R·ẇ                        (4)
#include "catena/bodies.h"
#include "math/rotation.h"
#include "model/bodies/placement_checks.h"
#include "model/checks.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <cmath>

namespace catena {
namespace {

using ConstMap3 = Eigen::Map<const Vec3>;

// Gauss-Legendre points and weights on [-1, 1]: four make the Gram matrix of quadratic functions and the mean of the
// energy, of degree 4 along each axis, exact.
constexpr double kPoints[4] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                               0.86113631159405258};
constexpr double kWeights[4] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                0.34785484513745386};

Vec3 vee(const Mat3& A) {
  return {A(2, 1), A(0, 2), A(1, 0)};
}

// The rotation nearest to F: Newton's iteration R ← ½(R + R⁻ᵀ), which converges quadratically. For det F ≤ 0 there is none;
// what comes out then is not used, because state_problem() refuses the state.
Mat3 nearest_rotation(const Mat3& F) {
  Mat3 R = F;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Mat3 next = 0.5 * (R + R.inverse().transpose());
    const double change = (next - R).norm();
    R = next;
    if (!(change > 1e-15 * R.norm())) break;
  }
  return R;
}

}  // namespace

Deformable::Deformable(Order order, double mass, const Vec3& edges, double stiffness, double damping)
    : basis_(order == Order::linear ? 3 : 9),
      mass_(mass),
      edges_(edges),
      stiffness_(stiffness),
      damping_(damping),
      mean_square_(edges.cwiseAbs2() / 12.0) {
  gram_.setZero();
  const int points = order == Order::linear ? 1 : 4;  // ∇m is constant for linear bodies: one sample is exact
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) {
        const Vec3 X = 0.5 * edges.cwiseProduct(Vec3(kPoints[i], kPoints[j], kPoints[k]));
        const double weight = kWeights[i] * kWeights[j] * kWeights[k] / 8.0;
        const Basis m = basis(X);
        gram_ += (mass * weight) * m * m.transpose();
        if (points == 4) samples_.push_back({basis_gradient(X), weight});
      }
  if (points == 1) samples_.push_back({basis_gradient(Vec3::Zero()), 1.0});
}

Deformable::Basis Deformable::basis(const Vec3& X) const {
  Basis m = Basis::Zero();
  m.head<3>() = X;
  if (basis_ == 3) return m;
  m.segment<3>(3) = X.cwiseAbs2() - mean_square_;
  m.tail<3>() = Vec3(X.y() * X.z(), X.z() * X.x(), X.x() * X.y());
  return m;
}

Deformable::Gradient Deformable::basis_gradient(const Vec3& X) const {
  Gradient g = Gradient::Zero();
  g.topRows<3>().setIdentity();
  if (basis_ == 3) return g;
  g.middleRows<3>(3).diagonal() = 2.0 * X;
  g.bottomRows<3>() << 0.0, X.z(), X.y(), X.z(), 0.0, X.x(), X.y(), X.x(), 0.0;
  return g;
}

Mat3 Deformable::deformation(const double* rows, const Gradient& gradient) const {
  Mat3 F = Mat3::Zero();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < basis_; ++k) F.row(i) += rows[i * basis_ + k] * gradient.row(k);
  return F;
}

void Deformable::mass_block(const double*, double* M) const {
  Eigen::Map<MatX> block(M, num_v(), num_v());
  block.setZero();
  for (int i = 0; i < 3; ++i) {
    block(i, i) = mass_;
    block.block(3 + i * basis_, 3 + i * basis_, basis_, basis_) = gram_.topLeftCorner(basis_, basis_);  // (1)
  }
}

void Deformable::point(const double* q, const double*, const Vec3& local, PointMap& out) const {
  const Basis m = basis(local);
  out.bias.setZero();
  out.J.setZero(3, num_v());
  for (int i = 0; i < 3; ++i) {
    out.x[i] = q[i];
    out.J(i, i) = 1.0;
    for (int k = 0; k < basis_; ++k) {
      out.x[i] += q[3 + i * basis_ + k] * m[k];
      out.J(i, 3 + i * basis_ + k) = m[k];
    }
  }
}

void Deformable::frame(const double* q, const double* v, FrameMap& out) const {
  const Gradient gradient = basis_gradient(Vec3::Zero());
  const Mat3 F = deformation(q + 3, gradient), F_dot = deformation(v + 3, gradient);
  out.R = nearest_rotation(F);
  const Mat3 U = out.R.transpose() * F, B = out.R.transpose() * F_dot;
  Mat3 K = -U;
  K.diagonal().array() += U.trace();
  const Mat3 K_inverse = K.inverse();
  // column (i, k) of W: ω of Ȧ = e_i e_kᵀ, for which B = (row i of R)ᵀ e_kᵀ and vee(B - Bᵀ) = e_k × (row i of R)
  out.W.setZero(3, num_v());
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      out.W.col(3 + i * basis_ + k) =
          out.R * (K_inverse * Vec3::Unit(k).cross(Vec3(out.R.row(i).transpose())));  // (3)
  const Vec3 w = K_inverse * vee(B - B.transpose());
  const Mat3 B_dot = -skew(w) * B, U_dot = B - skew(w) * U;
  out.bias = out.R * (K_inverse * (vee(B_dot - B_dot.transpose()) - U_dot.trace() * w + U_dot * w));  // (4)
}

void Deformable::retract(double* q, const double* d) const {
  for (int i = 0; i < num_q(); ++i) q[i] += d[i];
}

// Newton's method from the linear part; one step is exact for affine bodies.
Vec3 Deformable::local_point(const double* q, const Vec3& x) const {
  const double at_rest[kMostVelocities] = {};
  Vec3 X = Vec3::Zero();
  for (int iteration = 0; iteration < 50; ++iteration) {
    PointMap at;
    point(q, at_rest, X, at);
    const Vec3 step = deformation(q + 3, basis_gradient(X)).inverse() * (x - at.x);
    X += step;
    if (!(step.norm() > 1e-15 * edges_.norm())) break;
  }
  return X;
}

void Deformable::add_shape_force(const double* q, const double* v, double* F_out) const {
  for (const Sample& sample : samples_) {
    const Mat3 F = deformation(q + 3, sample.gradient), F_dot = deformation(v + 3, sample.gradient);
    const Mat3 product = F_dot.transpose() * F;
    const Mat3 stress =
        stiffness_ * (F.transpose() * F - Mat3::Identity()) + damping_ * (product + product.transpose());
    const Mat3 P = (2.0 * sample.weight) * F * stress;  // (2)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < basis_; ++k) F_out[3 + i * basis_ + k] -= P.row(i).dot(sample.gradient.row(k));
  }
}

double Deformable::shape_potential(const double* q) const {
  double potential = 0.0;
  for (const Sample& sample : samples_) {
    const Mat3 F = deformation(q + 3, sample.gradient);
    potential += 0.5 * stiffness_ * sample.weight * (F.transpose() * F - Mat3::Identity()).squaredNorm();
  }
  return potential;
}

double Deformable::shape_damping_power(const double* q, const double* v) const {
  double power = 0.0;
  for (const Sample& sample : samples_) {
    const Mat3 F = deformation(q + 3, sample.gradient), F_dot = deformation(v + 3, sample.gradient);
    const Mat3 product = F_dot.transpose() * F;
    power -= damping_ * sample.weight * (product + product.transpose()).squaredNorm();
  }
  return power;
}

// The centre of mass is c, not the material point X = 0: that one moves when a quadratic body bends.
void Deformable::add_gravity(const double*, const Vec3& g, double* F) const {
  for (int i = 0; i < 3; ++i) F[i] += mass_ * g[i];
}

double Deformable::gravity_potential(const double* q, const Vec3& g) const {
  return -mass_ * g.dot(ConstMap3(q));
}

Vec3 Deformable::linear_momentum(const double*, const double* v) const {
  return mass_ * ConstMap3(v);
}

Vec3 Deformable::angular_momentum(const double* q, const double* v) const {
  Vec3 sum = ConstMap3(q).cross(mass_ * ConstMap3(v));
  // ∫ρ (A m) × (Ȧ m)
  Mat3 T;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Eigen::Map<const VecX> a(q + 3 + i * basis_, basis_), b(v + 3 + j * basis_, basis_);
      T(i, j) = a.dot(gram_.topLeftCorner(basis_, basis_) * b);
    }
  return sum + Vec3(T(1, 2) - T(2, 1), T(2, 0) - T(0, 2), T(0, 1) - T(1, 0));
}

const char* Deformable::state_problem(const double* q) const {
  if (deformation(q + 3, basis_gradient(Vec3::Zero())).determinant() > 0.0) return nullptr;
  return "has turned inside out; give it more stiffness or a smaller step";
}

// The edges of the box, in pieces short enough to show that they bend.
std::vector<std::pair<Vec3, Vec3>> Deformable::picture_lines() const {
  std::vector<std::pair<Vec3, Vec3>> lines;
  const int pieces = basis_ == 3 ? 1 : 8;
  for (int axis = 0; axis < 3; ++axis)
    for (int corner = 0; corner < 4; ++corner) {
      Vec3 from = -0.5 * edges_;
      if (corner & 1) from[(axis + 1) % 3] *= -1.0;
      if (corner & 2) from[(axis + 2) % 3] *= -1.0;
      const Vec3 step = edges_[axis] / pieces * Vec3::Unit(axis);
      for (int k = 0; k < pieces; ++k) lines.emplace_back(from + k * step, from + (k + 1) * step);
    }
  return lines;
}

std::string Deformable::pack(const Placement& placement, double* q, double* v) const {
  const Mat3 R = normalised(placement.orientation).toRotationMatrix();
  const Mat3 R_dot = skew(placement.angular_velocity) * R;
  std::fill(q, q + num_q(), 0.0);
  std::fill(v, v + num_v(), 0.0);
  Eigen::Map<Vec3>{q} = placement.position;
  Eigen::Map<Vec3>{v} = placement.velocity;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      q[3 + i * basis_ + k] = R(i, k);
      v[3 + i * basis_ + k] = R_dot(i, k);
    }
  return check_placement(placement);
}

Placement Deformable::unpack(const double* q, const double* v) const {
  FrameMap axes;
  frame(q, v, axes);
  return {.position = ConstMap3(q),
          .orientation = Quat(axes.R),
          .velocity = ConstMap3(v),
          .angular_velocity = axes.W * Eigen::Map<const VecX>(v, num_v())};
}

std::vector<std::string> Deformable::validate() const {
  Problems problems;
  check_mass(mass_, problems);
  for (int i = 0; i < 3; ++i)
    check_positive(fmt::format("edge {}", "xyz"[i]), edges_[i], kLargestLength, "m", problems);
  check_not_negative("stiffness", stiffness_, kLargestStiffness, "J", problems);
  check_not_negative("damping", damping_, kLargestStiffness, "J·s", problems);
  return problems;
}

}  // namespace catena
