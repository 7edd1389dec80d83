// Rigid body in space.   q = (x, quaternion wxyz), v = (ẋ, ω) in world axes
//
// Legend: I₀ inertia in body axes, I = R·I₀·Rᵀ in world axes, r = R·local, P = (p ; L) spatial momentum.
//
//   M = diag(m·1, I),   velocity-quadratic force (0 ; -ω × I·ω)                                       (1)
//   ẋ_r = [1 -[r]×]·v,  bias = ω × (ω × r)                                                            (2)
//
// Free flight (discrete Moser-Veselov with the Cayley map; Moser & Veselov 1991): L stays fixed exactly,
//
//   x⁺ = x + h·p/m,   I₀Ω + (h/2)·Ω × I₀Ω + (h²/4)(Ω·I₀Ω)·Ω = RᵀL,   R⁺ = R·cay(hΩ)                   (3)
#include "catena/bodies.h"
#include "math/principal_axes.h"
#include "math/rotation.h"
#include "model/bodies/placement_checks.h"
#include "model/checks.h"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <cmath>

namespace catena {
namespace {

using ConstMap3 = Eigen::Map<const Vec3>;

Mat3 world_inertia(const Mat3& inertia, const Mat3& R) {
  const Mat3 A = R * inertia;
  Mat3 I;
  // one triangle only, so that the block is symmetric to the last bit
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i <= j; ++i) I(i, j) = I(j, i) = A.row(i).dot(R.row(j));
  }
  return I;
}

// x with A·x = b by Cramer's rule; not finite when A is singular.
Vec3 solve3(const Mat3& A, const Vec3& b) {
  const Vec3 c12 = A.col(1).cross(A.col(2)), c20 = A.col(2).cross(A.col(0)), c01 = A.col(0).cross(A.col(1));
  return Vec3(c12.dot(b), c20.dot(b), c01.dot(b)) / A.col(0).dot(c12);
}

// Solves (3) for Ω by Newton's method, damped so that it cannot diverge. A solution always exists: the left
// side times Ω grows without bound. Two iterations in practice, since the first guess is off by O(h²) only.
Vec3 solve_moser_veselov(const Mat3& I0, const Vec3& l, double h) {
  const auto residual = [&](const Vec3& O, const Vec3& I0_O) -> Vec3 {
    return I0_O + (0.5 * h) * O.cross(I0_O) + (0.25 * h * h * O.dot(I0_O)) * O - l;
  };
  const Vec3 w = solve3(I0, l);
  Vec3 O = w - (0.5 * h) * solve3(I0, w.cross(l));
  Vec3 k = I0 * O;
  Vec3 r = residual(O, k);
  double r2 = r.squaredNorm();
  const double round_off = 8e-31 * l.squaredNorm();  // a residual of four units in the last place of l
  for (int iteration = 0; iteration < 30 && r2 > round_off; ++iteration) {
    Mat3 D = I0 + (0.5 * h) * (skew(O) * I0 - skew(k)) + (0.5 * h * h) * O * k.transpose();
    D.diagonal().array() += 0.25 * h * h * O.dot(k);
    const Vec3 step = -solve3(D, r);

    // the full step, or the half of it until the residual falls; a step that is not finite ends here as well
    const double r2_before = r2;
    const Vec3 O_before = O;
    double fraction = 2.0;
    do {
      fraction *= 0.5;
      O = O_before + fraction * step;
      k = I0 * O;
      r = residual(O, k);
      r2 = r.squaredNorm();
    } while (!(r2 < r2_before) && fraction > 1e-3);
    if (!(r2 < r2_before)) return O_before;  // no better in floating point
    // convergence is quadratic: a relative step ε leaves an error of h|Ω|ε², at most 1e-17 here
    if (fraction == 1.0 && std::abs(h) * step.squaredNorm() <= 1e-17 * O.norm()) break;
  }
  return O;
}

void check_inertia(const Mat3& inertia, Problems& problems) {
  if (!inertia.allFinite()) {
    problems.push_back(
        "inertia must be finite, got NaN or infinity; give finite moments, and lengths, radii and edges "
        "above 0");
    return;
  }
  const double scale = inertia.cwiseAbs().maxCoeff();
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > 1e-9 * scale) {
    problems.push_back("inertia must be symmetric; give the same number above and below the diagonal");
    return;
  }
  const Vec3 moments = math::principal_axes(inertia).values;
  if (!(moments[0] > 1e-14 * moments[2]) || moments[0] < 1e-40 || moments[2] > 1e40) {
    problems.push_back(fmt::format(
        "inertia must be positive definite and of sane size, its principal moments are {} kg·m²; give "
        "positive moments, for a thin rod a small axial one",
        to_text(moments)));
  } else if (moments[0] + moments[1] < moments[2] * (1.0 - 1e-9)) {
    problems.push_back(
        fmt::format("inertia violates the triangle inequality: no body has the principal moments {} kg·m²; "
                    "the two smaller ones must add up to at least the largest",
                    to_text(moments)));
  }
}

}  // namespace

void Rigid::mass_block(const double* q, double* M) const {
  Eigen::Map<Eigen::Matrix<double, 6, 6>> block(M);
  block.setZero();
  block.diagonal().head<3>().setConstant(mass_);
  block.bottomRightCorner<3, 3>() = world_inertia(inertia_, load_quat(q + 3).toRotationMatrix());  // (1)
}

void Rigid::add_velocity_force(const double* q, const double* v, double* F) const {
  const Mat3 R = load_quat(q + 3).toRotationMatrix();
  const Vec3 w = ConstMap3(v + 3);
  const Vec3 L = R * (inertia_ * (R.transpose() * w));
  Eigen::Map<Vec3>(F + 3) -= w.cross(L);  // (1)
}

void Rigid::point(const double* q, const double* v, const Vec3& local, PointMap& out) const {
  const Vec3 r = load_quat(q + 3).toRotationMatrix() * local;
  const Vec3 w = ConstMap3(v + 3);
  out.x = ConstMap3(q) + r;
  out.bias = w.cross(w.cross(r));  // (2)
  out.J.resize(3, 6);
  out.J.leftCols<3>().setIdentity();
  out.J.rightCols<3>() = -skew(r);  // (2)
}

void Rigid::frame(const double* q, const double*, FrameMap& out) const {
  out.R = load_quat(q + 3).toRotationMatrix();
  out.bias.setZero();
  out.W.setZero(3, 6);
  out.W.rightCols<3>().setIdentity();
}

void Rigid::retract(double* q, const double* d) const {
  for (int i = 0; i < 3; ++i) q[i] += d[i];
  store_quat(rotate_world(load_quat(q + 3), ConstMap3(d + 3)), q + 3);
}

void Rigid::drift(double h, const double* P, double* q) const {
  for (int i = 0; i < 3; ++i) q[i] += h * P[i] / mass_;
  const Quat rotation = load_quat(q + 3);
  const Vec3 l = rotation.toRotationMatrix().transpose() * ConstMap3(P + 3);
  const Vec3 O = solve_moser_veselov(inertia_, l, h);
  store_quat(cayley_right(rotation, h * O), q + 3);  // (3)
}

Vec3 Rigid::angular_momentum(const double* q, const double* v) const {
  const Mat3 R = load_quat(q + 3).toRotationMatrix();
  return ConstMap3(q).cross(mass_ * ConstMap3(v)) + R * (inertia_ * (R.transpose() * ConstMap3(v + 3)));
}

std::string Rigid::pack(const Placement& placement, double* q, double* v) const {
  Eigen::Map<Vec3>{q} = placement.position;
  store_quat(normalised(placement.orientation), q + 3);
  Eigen::Map<Vec3>{v} = placement.velocity;
  Eigen::Map<Vec3>{v + 3} = placement.angular_velocity;
  return check_placement(placement);
}

Placement Rigid::unpack(const double* q, const double* v) const {
  return {.position = ConstMap3(q),
          .orientation = load_quat(q + 3),
          .velocity = ConstMap3(v),
          .angular_velocity = ConstMap3(v + 3)};
}

std::vector<std::string> Rigid::validate() const {
  Problems problems;
  check_mass(mass_, problems);
  check_inertia(inertia_, problems);
  return problems;
}

}  // namespace catena
