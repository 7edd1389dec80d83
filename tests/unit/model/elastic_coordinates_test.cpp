// Elastic coordinates against their definitions, differentiated exactly: rows G and geometric stiffness K at small,
// large and nearly half-turn rotations.
//
// The definitions are written once more below, for numbers with two infinitesimals (ε₁² = ε₂² = 0): turned by
// exp(ε₁η)exp(ε₂ξ), a coordinate has its first derivatives in the parts of ε₁ and ε₂, and η·∂(Gᵀλ)/∂ξ in that of
// ε₁ε₂. No step is chosen and no digits are lost; what remains is the rounding of one evaluation, over the distance to
// where a coordinate is singular.
#include "catena/force.h"
#include "catena/joints.h"
#include "math/rotation.h"
#include "unit/model/moving_marker.h"

#include <gtest/gtest.h>

#include <array>
#include <numbers>

namespace catena {
namespace {

using testing::random_vector;
using testing::uniform;

/// f + f₁ε₁ + f₂ε₂ + f₁₂ε₁ε₂
struct Hyper {
  double f = 0.0, f1 = 0.0, f2 = 0.0, f12 = 0.0;
  Hyper() = default;
  Hyper(double value, double e1 = 0.0, double e2 = 0.0, double e12 = 0.0)  // NOLINT: numbers are constants
      : f(value), f1(e1), f2(e2), f12(e12) {}
  /// g(*this) from the value and the first two derivatives of g.
  Hyper apply(double g, double g1, double g2) const { return {g, g1 * f1, g1 * f2, g1 * f12 + g2 * f1 * f2}; }
};
Hyper operator+(const Hyper& a, const Hyper& b) {
  return {a.f + b.f, a.f1 + b.f1, a.f2 + b.f2, a.f12 + b.f12};
}
Hyper operator-(const Hyper& a, const Hyper& b) {
  return {a.f - b.f, a.f1 - b.f1, a.f2 - b.f2, a.f12 - b.f12};
}
Hyper operator*(const Hyper& a, const Hyper& b) {
  return {a.f * b.f, a.f * b.f1 + a.f1 * b.f, a.f * b.f2 + a.f2 * b.f,
          a.f * b.f12 + a.f1 * b.f2 + a.f2 * b.f1 + a.f12 * b.f};
}
Hyper inverse(const Hyper& a) {
  return a.apply(1.0 / a.f, -1.0 / (a.f * a.f), 2.0 / (a.f * a.f * a.f));
}
Hyper root(const Hyper& a) {
  const double r = std::sqrt(a.f);
  return a.apply(r, 0.5 / r, -0.25 / (r * a.f));
}
/// atan2(y, x): the angle at the point itself, and what is beyond it by atan of the turned point.
Hyper angle_of(const Hyper& y, const Hyper& x) {
  const Hyper c(x.f), s(y.f);
  const Hyper t = (c * y - s * x) * inverse(c * x + s * y);  // 0 at the point
  return Hyper(std::atan2(y.f, x.f)) + t.apply(0.0, 1.0, 0.0);
}

using Hyper3 = std::array<Hyper, 3>;
Hyper dot(const Hyper3& a, const Hyper3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Hyper3 cross(const Hyper3& a, const Hyper3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Hyper3 operator-(const Hyper3& a, const Hyper3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// w + v, a rotation
struct HyperQuat {
  Hyper w;
  Hyper3 v;
};
HyperQuat operator*(const HyperQuat& a, const HyperQuat& b) {
  const Hyper3 c = cross(a.v, b.v);
  HyperQuat out{a.w * b.w - dot(a.v, b.v), {}};
  for (std::size_t i = 0; i < 3; ++i) out.v[i] = a.w * b.v[i] + b.w * a.v[i] + c[i];
  return out;
}
HyperQuat conjugate(const HyperQuat& q) {
  return {q.w, {Hyper(0.0) - q.v[0], Hyper(0.0) - q.v[1], Hyper(0.0) - q.v[2]}};
}
Hyper3 rotate(const HyperQuat& q, const Hyper3& p) {
  return (q * HyperQuat{Hyper(0.0), p} * conjugate(q)).v;
}
Hyper3 axis_of(const HyperQuat& q, int k) {
  Hyper3 unit;
  unit[std::size_t(k)] = 1.0;
  return rotate(q, unit);
}
/// The rotation vector, on the branch of the point itself: it does not jump at half a turn.
Hyper3 log_of(HyperQuat q) {
  if (q.w.f < 0.0) {
    q.w = Hyper(0.0) - q.w;
    for (Hyper& v : q.v) v = Hyper(0.0) - v;
  }
  const Hyper n2 = dot(q.v, q.v);
  Hyper factor;
  if (n2.f < 0.01) {  // 2/w·(1 - t/3 + t²/5 - ...), t = n²/w²
    const Hyper t = n2 * inverse(q.w * q.w);
    for (int k = 9; k >= 0; --k) factor = Hyper(1.0 / (2 * k + 1)) - t * factor;
    factor = Hyper(2.0) * inverse(q.w) * factor;
  } else {
    const Hyper n = root(n2);
    factor = Hyper(2.0) * angle_of(n, q.w) * inverse(n);
  }
  return {factor * q.v[0], factor * q.v[1], factor * q.v[2]};
}

/// Two markers of which b is at rest and a is turned and displaced against it.
struct Pose {
  Vec3 x_a, x_b;
  Quat q_a, q_b;
  std::vector<Marker> markers() const {
    return {{x_a, Vec3::Zero(), q_a.toRotationMatrix(), Vec3::Zero()},
            {x_b, Vec3::Zero(), q_b.toRotationMatrix(), Vec3::Zero()}};
  }
};
using Direction = Eigen::Matrix<double, 12, 1>;  // displacement and rotation of a, then of b

struct HyperFrame {
  Hyper3 x;
  HyperQuat q;
};
HyperFrame hyper_frame(const Vec3& x, const Quat& q, const Eigen::Matrix<double, 6, 1>& eta,
                       const Eigen::Matrix<double, 6, 1>& xi) {
  HyperFrame out;
  HyperQuat turn_eta{1.0, {}}, turn_xi{1.0, {}}, start{q.w(), {q.x(), q.y(), q.z()}};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = Eigen::Index(i);
    out.x[i] = {x[k], eta[k], xi[k], 0.0};
    turn_eta.v[i] = {0.0, 0.5 * eta[3 + k], 0.0, 0.0};  // exp(ε₁η) = 1 + ε₁η/2, exactly
    turn_xi.v[i] = {0.0, 0.0, 0.5 * xi[3 + k], 0.0};
  }
  out.q = turn_eta * turn_xi * start;
  return out;
}

/// What a coordinate is, by its definition.
using Definition = std::function<std::vector<Hyper>(const HyperFrame& a, const HyperFrame& b)>;

struct CoordinateCase {
  std::string name;
  ConstraintPtr rows;
  Definition definition;
  double clearance =
      0.0;  // rad: how near to 0 and π (swing), or to 90° of an inner angle (universal), it may come
};

const AttachmentPair kMarkers{{BodyId{0}}, {BodyId{1}}};

Hyper3 offset_in_b(const HyperFrame& a, const HyperFrame& b) {
  return rotate(conjugate(b.q), a.x - b.x);  // ρ in the axes of b
}
Hyper hinge_angle_of(const HyperFrame& a, const HyperFrame& b) {
  const Hyper3 xa = axis_of(a.q, 0), ya = axis_of(a.q, 1), xb = axis_of(b.q, 0), yb = axis_of(b.q, 1);
  return angle_of(dot(xa, yb) - dot(ya, xb), dot(xa, xb) + dot(ya, yb));
}
std::vector<Hyper> universal_angles(const HyperFrame& a, const HyperFrame& b) {
  const Hyper3 x_a = axis_of(a.q, 0), z_b = axis_of(b.q, 2);
  return {angle_of(dot(x_a, axis_of(b.q, 1)), dot(x_a, axis_of(b.q, 0))),
          angle_of(dot(axis_of(a.q, 1), z_b), dot(axis_of(a.q, 2), z_b))};
}
std::vector<Hyper> swing_angle(const HyperFrame& a, const HyperFrame& b) {
  const Hyper3 z_a = axis_of(a.q, 2), z_b = axis_of(b.q, 2), g = cross(z_a, z_b);
  return {angle_of(root(dot(g, g)), dot(z_a, z_b))};
}
std::vector<Hyper> frame_of(const HyperFrame& a, const HyperFrame& b) {
  const Hyper3 rho = offset_in_b(a, b), phi = log_of(conjugate(b.q) * a.q);
  return {rho[0], rho[1], rho[2], phi[0], phi[1], phi[2]};
}

ConstraintPtr gap_coordinate(double radius, const SurfacePtr& surface) {
  const ForcePtr force = compliant_contact(kMarkers.a, radius, kMarkers.b, surface, 1.0, 0.0);
  const auto& elastic_force = dynamic_cast<const Elastic&>(*force);
  // the coordinates belong to the force, which this keeps
  return {force, &elastic_force.coordinates()};
}

std::vector<CoordinateCase> contact_cases() {
  const Vec3 centre(0.2, -3.0, 0.4), axis = Vec3(1, 2, 2) / 3.0;
  const auto from_centre = [centre](const HyperFrame& a, const HyperFrame& b) {
    return offset_in_b(a, b) - Hyper3{centre.x(), centre.y(), centre.z()};
  };
  const auto along = [axis](const Hyper3& y) { return dot(y, {axis.x(), axis.y(), axis.z()}); };
  return {{"contact_plane", gap_coordinate(0.1, plane_surface(centre, axis)),
           [=](const HyperFrame& a, const HyperFrame& b) {
             return std::vector<Hyper>{along(from_centre(a, b)) - 0.1};
           }},
          {"contact_sphere", gap_coordinate(0.1, sphere_surface(centre, 0.5)),
           [=](const HyperFrame& a, const HyperFrame& b) {
             const Hyper3 y = from_centre(a, b);
             return std::vector<Hyper>{root(dot(y, y)) - 0.6};
           }},
          {"contact_pipe", gap_coordinate(0.1, cylinder_surface(centre, axis, 9.0, true)),
           [=](const HyperFrame& a, const HyperFrame& b) {
             const Hyper3 y = from_centre(a, b);
             return std::vector<Hyper>{Hyper(8.9) - root(dot(y, y) - along(y) * along(y))};
           }}};
}

std::vector<CoordinateCase> coordinate_cases() {
  using F = const HyperFrame&;
  std::vector<CoordinateCase> all{{"hinge", hinge_coordinate(kMarkers, 0.3),
                                   [](F a, F b) { return std::vector<Hyper>{hinge_angle_of(a, b) - 0.3}; }},
                                  {"slider", slider_coordinate(kMarkers, 0.3),
                                   [](F a, F b) { return std::vector<Hyper>{offset_in_b(a, b)[2] - 0.3}; }},
                                  {"ball", ball_coordinates(kMarkers),
                                   [](F a, F b) {
                                     const Hyper3 phi = log_of(conjugate(b.q) * a.q);
                                     return std::vector<Hyper>(phi.begin(), phi.end());
                                   }},
                                  {"universal", universal_coordinates(kMarkers), universal_angles, 0.1},
                                  {"planar", planar_coordinates(kMarkers),
                                   [](F a, F b) {
                                     const Hyper3 rho = offset_in_b(a, b);
                                     return std::vector<Hyper>{rho[0], rho[1], hinge_angle_of(a, b)};
                                   }},
                                  {"frame", frame_coordinates(kMarkers), frame_of},
                                  {"swing", swing_coordinate(kMarkers), swing_angle, 0.1},
                                  {"length", length_coordinate(kMarkers, 0.3), [](F a, F b) {
                                     const Hyper3 rho = a.x - b.x;
                                     return std::vector<Hyper>{root(dot(rho, rho)) - 0.3};
                                   }}};
  for (CoordinateCase& c : contact_cases()) all.push_back(std::move(c));
  return all;
}

/// Rows and stiffness of a coordinate in one pose.
class Differentiated {
 public:
  Differentiated(const CoordinateCase& c, const Pose& pose, const VecX& lambda)
      : case_(c), pose_(pose), lambda_(lambda), markers_(pose.markers()) {
    const int rows = c.rows->num_rows(false);
    value = VecX::Zero(rows);
    VecX rate = VecX::Zero(rows), gamma = VecX::Zero(rows), flat = VecX::Zero(rows * 12);
    Rows out(rows, 2, value.data(), rate.data(), gamma.data(), flat.data());
    const Motion motion{markers_, 0.0, false, {}};
    c.rows->evaluate(motion, out);
    G.resize(rows, 12);
    G << out.G(0), out.G(1);
    double values[144] = {};
    MarkerStiffness stiffness(2, values);
    c.rows->add_geometric_stiffness(motion, {lambda_.data(), std::size_t(rows)}, stiffness);
    K.resize(12, 12);
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l) K.block<6, 6>(6 * k, 6 * l) = stiffness.block(k, l);
  }

  /// Largest differences of C, G η and ηᵀK ξ from the definition.
  void compare(const Direction& eta, const Direction& xi, double tolerance) const {
    const std::vector<Hyper> exact =
        case_.definition(hyper_frame(pose_.x_a, pose_.q_a, eta.head<6>(), xi.head<6>()),
                         hyper_frame(pose_.x_b, pose_.q_b, eta.tail<6>(), xi.tail<6>()));
    ASSERT_EQ(Eigen::Index(exact.size()), value.size());
    const VecX along = G * eta;
    double bend = 0.0;
    for (std::size_t r = 0; r < exact.size(); ++r) {
      const auto row = Eigen::Index(r);
      EXPECT_NEAR(value[row], exact[r].f, tolerance) << "C, row " << r;
      EXPECT_NEAR(along[row], exact[r].f1, tolerance * (1.0 + eta.norm())) << "G, row " << r;
      bend += lambda_[row] * exact[r].f12;
    }
    // second derivatives are singular one power more
    EXPECT_NEAR(eta.dot(K * xi), bend, tolerance * (1.0 + std::abs(bend)) * (1.0 + eta.norm() * xi.norm()));
  }

  VecX value;
  MatX G, K;

 private:
  const CoordinateCase& case_;
  Pose pose_;
  VecX lambda_;
  std::vector<Marker> markers_;
};

Quat random_rotation(std::mt19937& random) {
  Quat q(Eigen::Vector4d(random_vector(random).homogeneous() - Eigen::Vector4d(0, 0, 0, 0.5)));
  return q.normalized();
}
VecX random_multipliers(std::mt19937& random, int rows) {
  VecX lambda(rows);
  for (double& value : lambda) value = uniform(random, -2, 2);
  return lambda;
}
Vec3 unit_vector(std::mt19937& random) {
  Vec3 v;
  do v = random_vector(random);
  while (v.squaredNorm() > 1.0 || v.squaredNorm() < 0.01);
  return v.normalized();
}
/// Sine of how far a pose is from where the coordinate has no derivative; 1 where there is no such place.
double distance_to_singularity(const CoordinateCase& c, const Pose& pose) {
  const Mat3 R = (pose.q_b.conjugate() * pose.q_a).toRotationMatrix();
  if (c.name == "swing") return Vec3(R.col(2)).head<2>().norm();
  if (c.name == "universal") return std::hypot(R(0, 0), R(1, 0));  // x_a against z_b
  // an angle about z of b exists as long as a is not upside down: S² + K² = (1 + z_a·z_b)²
  if (c.name == "hinge" || c.name == "planar") return 0.5 * (1.0 + R(2, 2));
  return 1.0;
}

const double kAngles[] = {0.0, 1e-8, 1e-3, 1.0, 3.1, 3.14, std::numbers::pi - 1e-6};

TEST(ElasticCoordinates, HaveTheDerivativesOfTheirDefinitionsAtAllAngles) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  int compared = 0;
  for (const CoordinateCase& c : coordinate_cases())
    for (const double angle : kAngles)
      for (const Vec3& axis : {Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(unit_vector(random))}) {
        SCOPED_TRACE(::testing::Message() << c.name << " at " << angle << " about " << axis.transpose());
        Pose pose{random_vector(random), random_vector(random), {}, random_rotation(random)};
        pose.q_a = pose.q_b * exp_rotation(angle * axis);
        const double clear = distance_to_singularity(c, pose);
        // 1e-14: some tens of roundings of numbers of order one; second derivatives go with 1/clear²
        const double tolerance = 1e-14 * std::max(1.0, 1.0 / (clear * clear));
        if (!(tolerance < 1e-6)) continue;
        const Differentiated at(c, pose, random_multipliers(random, c.rows->num_rows(false)));
        for (int i = 0; i < 12; ++i)
          for (int j = 0; j < 12; ++j) at.compare(Direction::Unit(i), Direction::Unit(j), tolerance);
        ++compared;
      }
  EXPECT_GT(compared, 9 * 7 * 2);
}

TEST(ElasticCoordinates, HaveThoseDerivativesInTenThousandRandomPoses) {
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  const std::vector<CoordinateCase> cases = coordinate_cases();
  int compared = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const CoordinateCase& c = cases[random() % cases.size()];
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed << ", trial " << trial << ", " << c.name);
    Pose pose{random_vector(random), random_vector(random), {}, random_rotation(random)};
    const double angle = std::numbers::pi * std::pow(10.0, uniform(random, -4, 0));
    pose.q_a = pose.q_b * exp_rotation(angle * unit_vector(random));
    const double clear = distance_to_singularity(c, pose);
    if (clear < 1e-3) continue;
    const Differentiated at(c, pose, random_multipliers(random, c.rows->num_rows(false)));
    Direction eta, xi;
    for (int i = 0; i < 12; ++i) {
      eta[i] = uniform(random, -1, 1);
      xi[i] = uniform(random, -1, 1);
    }
    at.compare(eta, xi, 1e-14 / (clear * clear));
    ++compared;
    if (::testing::Test::HasFailure()) return;  // one is enough to look at
  }
  EXPECT_GT(compared, 8000) << "poses that are clear of a singularity";
}

TEST(ElasticCoordinates, GiveNoForceWhereThereIsNoDirection) {
  // aligned axes may part in any direction, coincident points too: rows of 0, not of NaN
  const std::vector<CoordinateCase> cases = coordinate_cases();
  int tried = 0;
  for (const CoordinateCase& c : cases) {
    if (c.name != "swing" && c.name != "length") continue;
    ++tried;
    SCOPED_TRACE(c.name);
    const Pose pose{Vec3(1, 2, 3), Vec3(1, 2, 3), Quat::Identity(), Quat::Identity()};
    const Differentiated at(c, pose, VecX::Ones(1));
    EXPECT_EQ(at.G.norm(), 0.0);
    EXPECT_TRUE(at.value.allFinite() && at.K.allFinite());
  }
  EXPECT_EQ(tried, 2);
}

TEST(BallCoordinates, AreTheRotationVectorUpToHalfATurn) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const ConstraintPtr ball_rows = ball_coordinates(kMarkers);
  for (const double angle : kAngles)
    for (int k = 0; k < 20; ++k) {
      const Vec3 phi = angle * unit_vector(random);
      Pose pose{Vec3::Zero(), Vec3::Zero(), {}, random_rotation(random)};
      pose.q_a = pose.q_b * exp_rotation(phi);
      const CoordinateCase c{"ball", ball_rows, nullptr};
      const Differentiated at(c, pose, VecX::Zero(3));
      EXPECT_LT((at.value - phi).norm(), 4e-15) << angle;  // log(exp φ) = φ
      // a turn about φ itself changes |φ| and nothing else, at every angle
      const Vec3 about = pose.q_b * phi.normalized();
      if (angle > 0.0) {
        EXPECT_LT((at.G.block<3, 3>(0, 3) * about - phi.normalized()).norm(), 1e-14 + 1e-15 / angle);
      }
    }
}

}  // namespace
}  // namespace catena
