// Rigid body with scale.   x = c + r,  r = R·D·X,  D = diag(s_x, s_y, s_z)
//
// Legend: S_i = ∫ρX_i² (body axes are principal), w = Rᵀω, e_i axis i of the body in the world, k a scale and i ∈ k its axes.
//
//   I_x = S_y s_y² + S_z s_z² and cyclic,  I = R·diag(I_x, I_y, I_z)·Rᵀ,  j_k = Σ_{i∈k} S_i,  M = diag(m·1, I, j)  (1)
//   ω and ṡ do not couple, because ∫ρ DX × ḊX has only products of inertia, which vanish in principal axes.
//   velocity-quadratic force: -ω × Iω - R·İ_b·w on ω,   ∂T/∂s_k = Σ_{i∈k} S_i s_i (|w|² - w_i²) on s_k             (2)
//   ẋ = ċ + ω × r + Σ_k ṡ_k Σ_{i∈k} X_i e_i,   bias = ω × (ω × r) + 2ω × R·Ḋ·X                                     (3)
#include "catena/bodies.h"
#include "math/rotation.h"
#include "model/bodies/placement_checks.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

using ConstMap3 = Eigen::Map<const Vec3>;

Mat3 rotation_of(const double* q) {
  return load_quat(q + 3).toRotationMatrix();
}

}  // namespace

int ScaleAxes::count() const {
  return *std::max_element(group.begin(), group.end()) + 1;
}

ScaledRigid::ScaledRigid(double mass, const Vec3& principal_moments, ScaleAxes axes, double stiffness,
                         double damping)
    : mass_(mass),
      moments_(principal_moments),
      second_(Vec3::Constant(0.5 * principal_moments.sum()) - principal_moments),
      axes_(axes),
      num_scales_(std::clamp(axes.count(), 0, 3)),
      stiffness_(stiffness),
      damping_(damping) {}

Vec3 ScaledRigid::scales(const double* q) const {
  Vec3 s;
  for (int i = 0; i < 3; ++i) s[i] = axes_.group[i] < 0 ? 1.0 : q[7 + axes_.group[i]];
  return s;
}

Vec3 ScaledRigid::scale_rates(const double* v) const {
  Vec3 rate;
  for (int i = 0; i < 3; ++i) rate[i] = axes_.group[i] < 0 ? 0.0 : v[6 + axes_.group[i]];
  return rate;
}

Vec3 ScaledRigid::inertia(const Vec3& s) const {
  const Vec3 S = second_.cwiseProduct(s.cwiseAbs2());
  return Vec3::Constant(S.sum()) - S;  // (1)
}

double ScaledRigid::spread(int scale) const {
  double j = 0.0;
  for (int i = 0; i < 3; ++i)
    if (axes_.group[i] == scale) j += second_[i];
  return j;
}

void ScaledRigid::mass_block(const double* q, double* M) const {
  const int n = num_v();
  Eigen::Map<MatX> block(M, n, n);
  block.setZero();
  for (int i = 0; i < 3; ++i) block(i, i) = mass_;
  const Mat3 R = rotation_of(q);
  const Vec3 I = inertia(scales(q));
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i <= j; ++i)
      block(3 + i, 3 + j) = block(3 + j, 3 + i) =
          (R.row(i).array() * I.transpose().array() * R.row(j).array()).sum();
  for (int k = 0; k < num_scales_; ++k) block(6 + k, 6 + k) = spread(k);
}

void ScaledRigid::add_velocity_force(const double* q, const double* v, double* F) const {
  const Mat3 R = rotation_of(q);
  const Vec3 s = scales(q), s_dot = scale_rates(v);
  const Vec3 omega = ConstMap3(v + 3);
  const Vec3 w = R.transpose() * omega;
  const Vec3 S_dot = 2.0 * second_.cwiseProduct(s).cwiseProduct(s_dot);
  const Vec3 I_dot = Vec3::Constant(S_dot.sum()) - S_dot;
  const Vec3 momentum = R * inertia(s).cwiseProduct(w);
  Eigen::Map<Vec3>(F + 3) -= omega.cross(momentum) + R * I_dot.cwiseProduct(w);  // (2)
  for (int i = 0; i < 3; ++i)
    if (axes_.group[i] >= 0) F[6 + axes_.group[i]] += second_[i] * s[i] * (w.squaredNorm() - w[i] * w[i]);
}

void ScaledRigid::point(const double* q, const double* v, const Vec3& local, PointMap& out) const {
  const Mat3 R = rotation_of(q);
  const Vec3 r = R * scales(q).cwiseProduct(local);
  const Vec3 w = ConstMap3(v + 3);
  out.x = ConstMap3(q) + r;
  out.bias = w.cross(w.cross(r)) + 2.0 * w.cross(R * scale_rates(v).cwiseProduct(local));  // (3)
  out.J.setZero(3, num_v());
  out.J.leftCols<3>().setIdentity();
  out.J.middleCols<3>(3) = -skew(r);
  for (int i = 0; i < 3; ++i)
    if (axes_.group[i] >= 0) out.J.col(6 + axes_.group[i]) += local[i] * R.col(i);
}

void ScaledRigid::frame(const double* q, const double*, FrameMap& out) const {
  out.R = rotation_of(q);
  out.bias.setZero();
  out.W.setZero(3, num_v());
  out.W.middleCols<3>(3).setIdentity();
}

void ScaledRigid::retract(double* q, const double* d) const {
  for (int i = 0; i < 3; ++i) q[i] += d[i];
  store_quat(rotate_world(load_quat(q + 3), ConstMap3(d + 3)), q + 3);
  for (int k = 0; k < num_scales_; ++k) q[7 + k] += d[6 + k];
}

void ScaledRigid::chart_rate(const double* u, const double* v, double* u_dot) const {
  std::copy(v, v + num_v(), u_dot);
  Eigen::Map<Vec3>(u_dot + 3) = rotation_chart_rate(ConstMap3(u + 3), ConstMap3(v + 3));
}

Vec3 ScaledRigid::local_point(const double* q, const Vec3& x) const {
  return (rotation_of(q).transpose() * (x - ConstMap3(q))).cwiseQuotient(scales(q));
}

void ScaledRigid::add_shape_force(const double* q, const double* v, double* F) const {
  for (int k = 0; k < num_scales_; ++k) F[6 + k] -= stiffness_ * (q[7 + k] - 1.0) + damping_ * v[6 + k];
}

double ScaledRigid::shape_potential(const double* q) const {
  double sum = 0.0;
  for (int k = 0; k < num_scales_; ++k) sum += (q[7 + k] - 1.0) * (q[7 + k] - 1.0);
  return 0.5 * stiffness_ * sum;
}

double ScaledRigid::shape_damping_power(const double*, const double* v) const {
  double sum = 0.0;
  for (int k = 0; k < num_scales_; ++k) sum += v[6 + k] * v[6 + k];
  return -damping_ * sum;
}

Vec3 ScaledRigid::angular_momentum(const double* q, const double* v) const {
  const Mat3 R = rotation_of(q);
  return ConstMap3(q).cross(mass_ * ConstMap3(v)) +
         R * inertia(scales(q)).cwiseProduct(R.transpose() * ConstMap3(v + 3));
}

const char* ScaledRigid::state_problem(const double* q) const {
  for (int k = 0; k < num_scales_; ++k)
    if (!(q[7 + k] > 0.0)) return "has shrunk to nothing along an axis; give it more stiffness";
  return nullptr;
}

std::string ScaledRigid::pack(const Placement& placement, double* q, double* v) const {
  Eigen::Map<Vec3>{q} = placement.position;
  store_quat(normalised(placement.orientation), q + 3);
  std::fill(q + 7, q + num_q(), 1.0);
  Eigen::Map<Vec3>{v} = placement.velocity;
  Eigen::Map<Vec3>{v + 3} = placement.angular_velocity;
  std::fill(v + 6, v + num_v(), 0.0);
  return check_placement(placement);
}

Placement ScaledRigid::unpack(const double* q, const double* v) const {
  return {.position = ConstMap3(q),
          .orientation = load_quat(q + 3),
          .velocity = ConstMap3(v),
          .angular_velocity = ConstMap3(v + 3)};
}

std::vector<std::string> ScaledRigid::validate() const {
  Problems problems = Rigid(mass_, moments_).validate();
  check_not_negative("stiffness", stiffness_, kLargestStiffness, "J", problems);
  check_not_negative("damping", damping_, kLargestStiffness, "J·s", problems);
  if (num_scales_ < 1) problems.push_back("no axis stretches; give scale axes or use a rigid body");
  for (int k = 0; k < num_scales_; ++k)
    if (problems.empty() && !(spread(k) > 1e-12 * moments_.maxCoeff()))
      problems.push_back(
          fmt::format("scale number {} acts along an axis without extent: the moments {} kg·m² leave no mass "
                      "away from its "
                      "plane; stretch another axis or give the body thickness",
                      k, to_text(moments_)));
  return problems;
}

}  // namespace catena
