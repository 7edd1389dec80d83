#include "model/joints/joint_motion.h"

#include "math/rotation.h"
#include "math/small_matrix_kernel.h"

#include <cmath>
#include <numbers>

namespace catena {
namespace {

using Directions3 = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3>;

constexpr double kWholeTurn = 2.0 * std::numbers::pi;

int axis_of(Move move) {
  switch (move) {
    case Move::slide_x:
    case Move::turn_x:
      return 0;
    case Move::slide_y:
      return 1;
    default:
      return 2;
  }
}

/// A, B, C of (9) and their derivatives with respect to x = θ².
struct TurnSeries {
  double A, B, C, A1, B1, C1;
  explicit TurnSeries(double x) {
    if (x < 1.0) {
      sum(1, x, A, A1);
      sum(2, x, B, B1);
      sum(3, x, C, C1);
      return;
    }
    const double theta = std::sqrt(x), cosine = std::cos(theta);
    A = std::sin(theta) / theta;
    B = (1.0 - cosine) / x;
    C = (1.0 - A) / x;
    A1 = 0.5 * (cosine - A) / x;
    B1 = 0.5 * (A - 2.0 * B) / x;
    C1 = -(A1 + C) / x;
  }

 private:
  /// Σ (-x)ⁿ/(2n + k)!, and its derivative; the next terms are below 1e-18.
  static void sum(int k, double x, double& value, double& derivative) {
    double term = 1.0 / (k == 3 ? 6.0 : k);
    value = derivative = 0.0;
    for (int n = 0; n < 10; ++n) {
      value += term;
      term /= -double((2 * n + k + 1) * (2 * n + k + 2));
      derivative += (n + 1) * term;
      term *= x;
    }
  }
};

Vec3 bend_vector(const double* q) {
  return {q[0], q[1], 0.0};
}

/// R_i
Mat3 turned_by(Move move, const double* q) {
  switch (move) {
    case Move::ball:
      return load_quat(q).toRotationMatrix();
    case Move::bend:
      return exp_rotation(bend_vector(q)).toRotationMatrix();
    case Move::turn_x:
    case Move::turn_z:
    case Move::helix:
      return Eigen::AngleAxisd(q[0], Vec3::Unit(axis_of(move))).toRotationMatrix();
    default:
      return Mat3::Identity();
  }
}

/// Angular part of S_i
Directions3 turning_directions(Move move, const double* q) {
  if (move == Move::ball) return Mat3::Identity();
  if (move != Move::bend) return Vec3::Unit(axis_of(move));
  const Vec3 phi = bend_vector(q);
  const TurnSeries f(phi.squaredNorm());
  const Mat3 J = f.A * Mat3::Identity() + f.B * skew(phi) + f.C * phi * phi.transpose();  // (9)
  return J.leftCols<2>();
}

/// Angular part of c_i, (9) differentiated at constant φ̇ = v
Vec3 turning_bias(Move move, const double* q, const double* v) {
  if (move != Move::bend) return Vec3::Zero();
  const Vec3 phi = bend_vector(q), rate = bend_vector(v);
  const double along = phi.dot(rate);
  const TurnSeries f(phi.squaredNorm());
  return 2.0 * along * (f.A1 * rate + f.B1 * phi.cross(rate) + f.C1 * along * phi) +
         f.C * (along * rate + rate.squaredNorm() * phi);
}

/// The angle about z nearest to R: that of hinge_angle().
double angle_about_z(const Mat3& R) {
  return std::atan2(R(1, 0) - R(0, 1) + 0.0, R(0, 0) + R(1, 1));
}

double nearest_turn(double angle, double to) {
  return to + std::remainder(angle - to, kWholeTurn);
}

/// Rz(θ)·Rx(ψ) nearest to R: their common trace is greatest, where each angle is the best for the other. On the constraint the first
/// guess is the answer; off it by ε each round leaves ε² of the error.
void universal_angles(const Mat3& R, double* q) {
  double theta = std::atan2(R(1, 0), R(0, 0)), psi = 0.0;
  for (int round = 0; round < 50; ++round) {
    const double s = std::sin(theta), c = std::cos(theta);
    psi = std::atan2(R(0, 2) * s - R(1, 2) * c + R(2, 1), R(1, 1) * c - R(0, 1) * s + R(2, 2));
    const double before = theta, sine = std::sin(psi), cosine = std::cos(psi);
    theta =
        std::atan2(R(1, 0) - R(0, 1) * cosine + R(0, 2) * sine, R(0, 0) + R(1, 1) * cosine - R(1, 2) * sine);
    if (std::abs(std::remainder(theta - before, kWholeTurn)) < 1e-15) break;
  }
  q[0] = nearest_turn(theta, q[0]);
  q[1] = nearest_turn(psi, q[1]);
}

/// The rotation without z nearest to R: its quaternion without z, since the angle between two is 2·acos of their product.
void bend_coordinates(const Mat3& R, double* q) {
  const Quat p(R);
  const Vec3 phi = log_rotation(normalised(Quat(p.w(), p.x(), p.y(), 0.0)));
  q[0] = phi.x();
  q[1] = phi.y();
}

void ball_coordinates_of(const Mat3& R, double* q) {
  const Quat p = normalised(Quat(R)), before = load_quat(q);
  store_quat(p.coeffs().dot(before.coeffs()) < 0.0 ? Quat(-p.coeffs()) : p, q);
}

}  // namespace

JointMotion::JointMotion(const JointShape& shape, double lead) : shape_(&shape), lead_(lead) {
  for (int i = 0; i < shape.moves.count; ++i) {
    num_q_ += catena::num_q(shape.moves[i]);
    num_v_ += catena::num_v(shape.moves[i]);
  }
}

void JointMotion::set_neutral(double* q) const {
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    for (int k = 0; k < catena::num_q(move); ++k) q[k] = move == Move::ball && k == 0 ? 1.0 : 0.0;
    q += catena::num_q(move);
  }
}

RelativePose JointMotion::pose_from(const double* q) const {
  RelativePose pose;
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    if (is_slide(move)) pose.x[axis_of(move)] += q[0];
    if (move == Move::helix) pose.x.z() += lead_ * q[0];  // (5)
    if (!is_slide(move)) pose.R = times(pose.R, turned_by(move, q));
    q += catena::num_q(move);
  }
  return pose;
}

void JointMotion::coordinates_of(const RelativePose& pose, double* q) const {
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    switch (move) {
      case Move::slide_x:
      case Move::slide_y:
      case Move::slide_z:
        q[0] = pose.x[axis_of(move)];
        break;
      case Move::helix:
        q[0] = nearest_turn(angle_about_z(pose.R), pose.x.z() / lead_);
        break;
      case Move::turn_z:
        if (i + 1 < shape_->moves.count)
          return universal_angles(pose.R, q);  // with the turn about x after it
        q[0] = nearest_turn(angle_about_z(pose.R), q[0]);
        break;
      case Move::turn_x:
        break;  // after turn_z, which has both
      case Move::bend:
        bend_coordinates(pose.R, q);
        break;
      case Move::ball:
        ball_coordinates_of(pose.R, q);
        break;
    }
    q += catena::num_q(move);
  }
}

FreeDirections JointMotion::free_directions(const double* q) const {
  FreeDirections S = FreeDirections::Zero(6, num_v_);
  Mat3 before = Mat3::Identity();
  for (int i = 0, column = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    const int width = catena::num_v(move);
    if (is_slide(move)) S(axis_of(move), column) = 1.0;
    if (move == Move::helix) S(2, column) = lead_;
    if (!is_slide(move)) {
      S.block(3, column, 3, width) = before.lazyProduct(turning_directions(move, q));  // (8)
      before = times(before, turned_by(move, q));
    }
    q += catena::num_q(move);
    column += width;
  }
  return S;
}

Twist JointMotion::bias(const double* q, const double* v) const {
  Mat3 before = Mat3::Identity();
  Vec3 w = Vec3::Zero(), c = Vec3::Zero();
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    if (!is_slide(move)) {
      const Eigen::Map<const VecX> own(v, catena::num_v(move));
      const Vec3 turning = before * Vec3(turning_directions(move, q).lazyProduct(own));
      c += w.cross(turning) + before * turning_bias(move, q, v);  // (8)
      w += turning;
      before = times(before, turned_by(move, q));
    }
    q += catena::num_q(move);
    v += catena::num_v(move);
  }
  Twist out;
  out << Vec3::Zero(), c;
  return out;
}

Twist JointMotion::twist(const double* q, const double* v) const {
  return free_directions(q).lazyProduct(Eigen::Map<const VecX>(v, num_v_));
}

void JointMotion::velocities_of(const double* q, const Twist& twist, double* v) const {
  if (num_v_ == 0) return;
  const FreeDirections S = free_directions(q);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6> normal(num_v_, num_v_);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> right(num_v_);
  normal.noalias() = S.transpose().lazyProduct(S);
  right.noalias() = S.transpose().lazyProduct(twist);
  if (math::factor_ldlt(num_v_, normal.data(), 0.0) < 0)
    math::solve_ldlt(num_v_, normal.data(), right.data());
  else  // no directions of their own, as at the poles of angles: none is told from the others
    right.setZero();
  Eigen::Map<VecX>(v, num_v_) = right;
}

void JointMotion::rates(const double* q, const double* v, double* q_dot) const {
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    if (move == Move::ball)
      store_quat(Quat(0.0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]) * load_quat(q), q_dot);
    else
      for (int k = 0; k < catena::num_v(move); ++k) q_dot[k] = v[k];
    q += catena::num_q(move);
    q_dot += catena::num_q(move);
    v += catena::num_v(move);
  }
}

void JointMotion::velocities(const double* q, const double* q_dot, double* v) const {
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    if (move == Move::ball)
      Eigen::Map<Vec3>{v} = 2.0 * (load_quat(q_dot) * load_quat(q).conjugate()).vec();
    else
      for (int k = 0; k < catena::num_v(move); ++k) v[k] = q_dot[k];
    q += catena::num_q(move);
    q_dot += catena::num_q(move);
    v += catena::num_v(move);
  }
}

void JointMotion::retract(const double* q, const double* d, double* out) const {
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    if (move == Move::ball)
      store_quat(rotate_world(load_quat(q), {d[0], d[1], d[2]}), out);
    else
      for (int k = 0; k < catena::num_v(move); ++k) out[k] = q[k] + d[k];
    q += catena::num_q(move);
    out += catena::num_q(move);
    d += catena::num_v(move);
  }
}

void JointMotion::chart_rate(const double* u, const double* v, double* u_dot) const {
  for (int i = 0; i < shape_->moves.count; ++i) {
    const Move move = shape_->moves[i];
    const int count = catena::num_v(move);
    if (move == Move::ball)
      Eigen::Map<Vec3>{u_dot} = rotation_chart_rate({u[0], u[1], u[2]}, {v[0], v[1], v[2]});
    else
      std::copy_n(v, count, u_dot);
    u += count;
    v += count;
    u_dot += count;
  }
}

Marker JointMotion::carried_by(const Marker& b, const double* q, const double* v) const {
  const RelativePose pose = pose_from(q);
  const Twist own = twist(q, v);
  const Vec3 r = b.R * pose.x;
  return {b.x + r, b.v + b.w.cross(r) + b.R * own.head<3>(), times(b.R, pose.R), b.w + b.R * own.tail<3>()};
}

std::optional<JointMotion> joint_motion_of(const Constraint& constraint, bool planar) {
  const auto* joint = dynamic_cast<const HasJointMotion*>(&constraint);
  if (joint == nullptr) return std::nullopt;
  const JointMotion motion = joint->joint_motion();
  if (planar && motion.shape().in_plane == InPlane::absent) return std::nullopt;
  if (planar && motion.shape().in_plane == InPlane::point) return JointMotion(kHingeShape);
  return motion;
}

}  // namespace catena
