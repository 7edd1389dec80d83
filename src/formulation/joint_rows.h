// The joints known by name between rigid bodies, straight from the bodies' motion to rows over their velocities.
//
// Says what Constraint::evaluate and the chain rule say (body_rows.h, eq. 1; model/joints/rows.h, eqs. 1 and 2) without markers and G
// in between; a third of the operations. Three point rows, then the dot rows s·e of its description (model/joints/joint_shape.h) with s fixed in a and e fixed in b:
//
//   C = x_a + r_a - x_b - r_b        J_a = ( 1 | -[r_a]× )    J_b = ( -1 | [r_b]× )   b = ω_a×(ω_a×r_a) - ω_b×(ω_b×r_b)  (1)
//   C = s·e     J_a = ( 0 | g ),  J_b = ( 0 | -g ),  g = s × e      b = (e·ω_a)(s·ω) - (s·ω_b)(e·ω) - C|ω|²,  ω = ω_a - ω_b  (2)
#pragma once

#include "formulation/explicit_form.h"
#include "formulation/kinematics.h"
#include "model/joints/joint_shape.h"

namespace catena {

/// Dot rows of a joint, and which axes they compare.
template <JointType TYPE>
inline constexpr int kDots = joint_shape(TYPE).dots.count;
template <JointType TYPE>
constexpr DotAxes dot_axes(int row) {
  return joint_shape(TYPE).dots[row];
}

/// Both sides of a joint.
struct JointSides {
  const MarkerSlot& a;
  const MarkerSlot& b;
  const BodyMotion& A;
  const BodyMotion& B;

  JointSides(const Layout& layout, const ConstraintSlot& slot, const Kinematics& kinematics)
      : a(layout.constraint_markers[std::size_t(slot.marker_begin)]),
        b(layout.constraint_markers[std::size_t(slot.marker_begin) + 1]),
        A(kinematics.bodies[std::size_t(a.motion)]),
        B(kinematics.bodies[std::size_t(b.motion)]) {}
};

/// Calls `run` with the type of a joint known by name as a constant. @pre joint != JointType::other
template <class Run>
inline void with_joint(JointType joint, Run&& run) {
  switch (joint) {
    case JointType::ball:
      return run.template operator()<JointType::ball>();
    case JointType::universal:
      return run.template operator()<JointType::universal>();
    case JointType::hinge:
      return run.template operator()<JointType::hinge>();
    case JointType::weld:
      return run.template operator()<JointType::weld>();
    case JointType::other:
      break;
  }
}

/// C of one joint.
template <JointType TYPE>
inline void write_joint_errors(const JointSides& at, double* C) {
  Eigen::Map<Vec3>{C} = at.A.x - at.B.x + at.A.R * at.a.point - at.B.R * at.b.point;
  for (int i = 0; i < kDots<TYPE>; ++i) {
    const DotAxes axes = dot_axes<TYPE>(i);
    C[3 + i] = (at.A.R * at.a.axes.col(axes.a)).dot(at.B.R * at.b.axes.col(axes.b));
  }
}

/// The entries of one side's block of J that depend on where the joint is; sign +1 for a, -1 for b.
template <int ANG>
inline void write_joint_block(double sign, const Vec3& r, const Vec3* g, double* block) {
  block[4] = sign * r[2];
  block[5] = -sign * r[1];
  block[9] = -sign * r[2];
  block[11] = sign * r[0];
  block[15] = sign * r[1];
  block[16] = -sign * r[0];
  for (int i = 0; i < ANG; ++i)
    for (int k = 0; k < 3; ++k) block[6 * (3 + i) + 3 + k] = sign * g[i][k];
}

/// The other entries, once.
inline void write_constant_joint_block(double sign, int rows, double* block) {
  for (int i = 0; i < rows * 6; ++i) block[i] = 0.0;
  for (int i = 0; i < 3; ++i) block[7 * i] = sign;
}

/// Explicit form of a joint at a point (its ν are the unit vectors, written once). Seen from the body that carries marker a
/// (sign 1) or b (sign -1).
template <int ANG>
inline void write_joint_explicit_form(double sign, const Vec3& r_a, const Vec3& r_b, const Vec3* g,
                                      solve::Pair& out) {
  const Vec3& r = sign > 0.0 ? r_a : r_b;
  Eigen::Map<Vec3>(out.l) = sign * (r_b - r_a);
  Eigen::Map<Vec3>(out.r) = r;
  out.sign = sign;
  if constexpr (ANG > 0) write_dual_basis<ANG>(g, Columns(out.gamma));
}

/// Everything of one joint. J_a, J_b: nullptr for the world; pair: nullptr where no explicit form is wanted; bias: nullptr likewise.
template <JointType TYPE>
inline void write_joint(const JointSides& at, double* C, double* bias, double* J_a, double* J_b,
                        double pair_sign, solve::Pair* pair) {
  const Vec3 w_a = at.A.w, w_b = at.B.w, w = w_a - w_b;
  const Vec3 r_a = at.A.R * at.a.point, r_b = at.B.R * at.b.point;
  Eigen::Map<Vec3>{C} = at.A.x - at.B.x + r_a - r_b;
  if (bias != nullptr) Eigen::Map<Vec3>{bias} = w_a.cross(w_a.cross(r_a)) - w_b.cross(w_b.cross(r_b));  // (1)
  Vec3 g[3];
  const double w2 = w.squaredNorm();
  for (int i = 0; i < kDots<TYPE>; ++i) {
    const DotAxes axes = dot_axes<TYPE>(i);
    const Vec3 s = at.A.R * at.a.axes.col(axes.a), e = at.B.R * at.b.axes.col(axes.b);
    g[i] = s.cross(e);
    C[3 + i] = s.dot(e);
    if (bias != nullptr) bias[3 + i] = e.dot(w_a) * s.dot(w) - s.dot(w_b) * e.dot(w) - C[3 + i] * w2;  // (2)
  }
  if (J_a != nullptr) write_joint_block<kDots<TYPE>>(1.0, r_a, g, J_a);
  if (J_b != nullptr) write_joint_block<kDots<TYPE>>(-1.0, r_b, g, J_b);
  if (pair != nullptr) write_joint_explicit_form<kDots<TYPE>>(pair_sign, r_a, r_b, g, *pair);
}

/// How the forces of a joint change when its bodies turn: angular blocks of K = ∂(Jᵀλ)/∂q, for a and b. Their linear blocks are zero.
struct JointStiffness {
  Mat3 aa, bb, ab;  // K_ba is the transpose of K_ab
};

/// [p]×[q]× = q pᵀ - (p·q) 1
inline Mat3 double_cross(const Vec3& p, const Vec3& q) {
  Mat3 m = q * p.transpose();
  m.diagonal().array() -= p.dot(q);
  return m;
}

/// A force f on a lever r gives [f]×[r]×; dot rows give K_aa = λ[e]×[s]×, K_ab = -λ[s]×[e]×, K_ba = -λ[e]×[s]×, K_bb = λ[s]×[e]×.   (3)
template <JointType TYPE>
inline JointStiffness joint_stiffness(const JointSides& at, const double* lambda) {
  const Vec3 force(lambda[0], lambda[1], lambda[2]);
  JointStiffness K{double_cross(force, at.A.R * at.a.point), -double_cross(force, at.B.R * at.b.point),
                   Mat3::Zero()};
  for (int i = 0; i < kDots<TYPE>; ++i) {
    const DotAxes axes = dot_axes<TYPE>(i);
    const Vec3 s = at.A.R * at.a.axes.col(axes.a), e = at.B.R * at.b.axes.col(axes.b);
    const Mat3 es = lambda[3 + i] * double_cross(e, s);  // [s]×[e]× is its transpose
    K.aa += es;
    K.bb += es.transpose();
    K.ab -= es.transpose();
  }
  return K;
}

}  // namespace catena
