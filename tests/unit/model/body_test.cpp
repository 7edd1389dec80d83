// Bodies: point and frame maps against finite differences, free flight, placements, and what they refuse.
#include "catena/bodies.h"
#include "math/rotation.h"
#include "unit/model/moving_marker.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace catena {
namespace {

using testing::derivative;
using testing::random_vector;
using testing::uniform;

/// A 12-velocity body as a user might write it: x = c + A·X, so that M and J are constant.
class Affine final : public Body {
 public:
  std::string_view kind() const override { return "affine"; }
  int num_q() const override { return 12; }
  int num_v() const override { return 12; }
  bool has_orientation() const override { return false; }
  double mass() const override { return 2.0; }
  void mass_block(const double*, double* M) const override {
    Eigen::Map<Eigen::Matrix<double, 12, 12>> block(M);
    block.setZero();
    block.diagonal().head<3>().setConstant(2.0);
    block.diagonal().tail<9>().setConstant(0.5);
  }
  void add_velocity_force(const double*, const double*, double*) const override {}
  void point(const double* q, const double*, const Vec3& X, PointMap& out) const override {
    out.J.setZero(3, 12);
    for (int i = 0; i < 3; ++i) {
      out.J(i, i) = 1.0;
      out.J.block<1, 3>(i, 3 + 3 * i) = X.transpose();
    }
    out.x = out.J * Eigen::Map<const Eigen::VectorXd>(q, 12);
    out.bias.setZero();
  }
  void frame(const double*, const double*, FrameMap& out) const override { out.W.setZero(3, 12); }
  void retract(double* q, const double* d) const override {
    for (int i = 0; i < 12; ++i) q[i] += d[i];
  }
  std::string pack(const Placement&, double* q, double* v) const override {
    std::fill(q, q + 12, 0.0);
    std::fill(v, v + 12, 0.0);
    return {};
  }
  Placement unpack(const double*, const double*) const override { return {}; }
  std::vector<std::string> validate() const override { return {}; }
};

struct Sample {
  std::shared_ptr<const Body> body;
  Placement placement;
};

std::vector<Sample> samples(std::mt19937& random) {
  const Vec3 x = random_vector(random), v = random_vector(random), w = random_vector(random, 3.0);
  const auto flat = [](Vec3 a) { return a.z() = 0.0, a; };
  const Vec3 spin(0, 0, w.z());
  return {{std::make_shared<Particle2>(1.5), {.position = flat(x), .velocity = flat(v)}},
          {std::make_shared<Particle3>(1.5), {.position = x, .velocity = v}},
          {std::make_shared<PlanarRigid>(1.5, 0.3),
           {.position = flat(x),
            .orientation = exp_rotation(spin),
            .velocity = flat(v),
            .angular_velocity = spin}},
          {std::make_shared<Rigid>(1.5, Vec3(0.2, 0.3, 0.4)),
           {.position = x, .orientation = exp_rotation(w), .velocity = v, .angular_velocity = w}}};
}

// Along q(t) = q ⊕ (t·v + t²/2·a) the velocity at t = 0 is v; for a rotation ω(t) = ω + t·ω̇ + O(t²) with ω̇ =
// a, because the left Jacobian of the exponential gives ω = φ̇ + φ × φ̇/2 + …, and φ × φ̇ = O(t²).
TEST(Bodies, PointAndFrameMapsMatchFiniteDifferences) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    for (const Sample& sample : samples(random)) {
      SCOPED_TRACE(::testing::Message() << sample.body->kind() << ", seed " << seed);
      const Body& body = *sample.body;
      VecX q(body.num_q()), v(body.num_v()), a(body.num_v());
      ASSERT_EQ(body.pack(sample.placement, q.data(), v.data()), "");
      for (double& x : a) x = uniform(random, -2, 2);
      Vec3 local = random_vector(random);
      if (body.is_planar()) local.z() = 0.0;

      const auto q_at = [&](double t) -> VecX {
        VecX moved = q;
        const VecX d = t * v + 0.5 * t * t * a;
        body.retract(moved.data(), d.data());
        return moved;
      };
      const auto x_at = [&](double t) -> Vec3 {
        PointMap map;
        body.point(q_at(t).data(), v.data(), local, map);
        return map.x;
      };
      PointMap map;
      body.point(q.data(), v.data(), local, map);
      EXPECT_LT((derivative(x_at, 0.0) - map.J * v).norm(), 1e-9);
      const double h = 2e-3;  // second difference, fourth order
      const Vec3 second =
          (16.0 * (x_at(h) + x_at(-h)) - (x_at(2 * h) + x_at(-2 * h)) - 30.0 * x_at(0)) / (12 * h * h);
      EXPECT_LT((second - map.J * a - map.bias).norm(), 1e-7);

      if (!body.has_orientation()) continue;
      FrameMap frame;
      body.frame(q.data(), v.data(), frame);
      const auto R_at = [&](double t) -> Mat3 {
        FrameMap moved;
        body.frame(q_at(t).data(), v.data(), moved);
        return moved.R;
      };
      const Mat3 R_dot = derivative(R_at, 0.0);
      EXPECT_LT((R_dot - skew(frame.W * v) * frame.R).norm(), 1e-9);
      EXPECT_LT(frame.bias.norm(), 1e-300);
    }
  }
}

TEST(Bodies, PlacementSurvivesPackingAndUnpacking) {
  std::mt19937 random(5);
  for (const Sample& sample : samples(random)) {
    SCOPED_TRACE(std::string(sample.body->kind()));
    VecX q(sample.body->num_q()), v(sample.body->num_v());
    ASSERT_EQ(sample.body->pack(sample.placement, q.data(), v.data()), "");
    const Placement back = sample.body->unpack(q.data(), v.data());
    EXPECT_LT((back.position - sample.placement.position).norm(), 1e-15);
    EXPECT_LT((back.velocity - sample.placement.velocity).norm(), 1e-15);
    EXPECT_LT((back.angular_velocity - sample.placement.angular_velocity).norm(), 1e-15);
    EXPECT_LT(log_rotation(back.orientation.conjugate() * sample.placement.orientation).norm(), 1e-14);
  }
}

TEST(Rigid, VelocityForceKeepsTheSpatialAngularMomentum) {
  // M·v̇ = F with the gyroscopic force alone must give dL/dt = 0:  I·ω̇ + ω × I·ω = 0
  const Rigid body(2.0, Vec3(0.2, 0.3, 0.4));
  VecX q(7), v(6), F = VecX::Zero(6);
  const Placement placement{.orientation = exp_rotation({0.4, -0.8, 0.3}), .angular_velocity = {1, 2, 3}};
  ASSERT_EQ(body.pack(placement, q.data(), v.data()), "");
  body.add_velocity_force(q.data(), v.data(), F.data());
  Eigen::Matrix<double, 6, 6> M;
  body.mass_block(q.data(), M.data());
  EXPECT_EQ(M, M.transpose());
  const VecX a = M.llt().solve(F);
  const auto L_at = [&](double t) -> Vec3 {
    VecX moved = q;
    const VecX d = t * v + 0.5 * t * t * a, v_t = v + t * a;
    body.retract(moved.data(), d.data());
    Eigen::Matrix<double, 6, 6> M_t;
    body.mass_block(moved.data(), M_t.data());
    return (M_t * v_t).tail<3>();
  };
  EXPECT_LT(derivative(L_at, 0.0).norm(), 1e-9);
}

TEST(Rigid, ChartRateIsTheRateOfTheRetraction) {
  // moving u at chart_rate(u, v) must turn q ⊕ u with the angular velocity of v
  const Rigid body(1.0, Vec3(1, 1, 1));
  const VecX q = VecX::Unit(7, 3);
  for (const double angle : {0.0, 1e-6, 9e-3, 1.1e-2, 0.5, 2.0, 3.0}) {
    SCOPED_TRACE(angle);
    VecX u = VecX::Zero(6), v(6), u_dot(6);
    u.tail<3>() = angle * Vec3(2, -1, 2) / 3.0;
    v << 1, 2, 3, 0.3, -0.4, 0.5;
    body.chart_rate(u.data(), v.data(), u_dot.data());
    const auto R_at = [&](double t) -> Mat3 {
      VecX moved = q;
      const VecX d = u + t * u_dot;
      body.retract(moved.data(), d.data());
      return load_quat(moved.data() + 3).toRotationMatrix();
    };
    EXPECT_LT((derivative(R_at, 0.0) - skew(v.tail<3>()) * R_at(0.0)).norm(), 1e-10);
    EXPECT_EQ(u_dot.head<3>(), v.head<3>());
  }
}

TEST(Rigid, RetractionKeepsTheQuaternionAtUnitLength) {
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const Rigid body(1.0, Vec3(1, 1, 1));
  VecX q = VecX::Unit(7, 3), d(6);
  for (int i = 0; i < 10000; ++i) {
    for (double& x : d) x = uniform(random, -1, 1);
    body.retract(q.data(), d.data());
  }
  EXPECT_NEAR(q.tail<4>().norm(), 1.0, 1e-15);
}

/// Largest relative energy error of a torque-free, unstably spinning body over 10 s.
double energy_error(double h) {
  const Rigid body(1.0, Vec3(1.0, 2.0, 3.0));
  VecX q = VecX::Unit(7, 3), P = VecX::Zero(6);
  P.tail<3>() = Vec3(0.02, 4.0, 0.01);  // about the middle axis: it tumbles
  const auto energy = [&] {
    Eigen::Matrix<double, 6, 6> M;
    body.mass_block(q.data(), M.data());
    return 0.5 * P.dot(M.llt().solve(P));
  };
  const double start = energy();
  double worst = 0.0;
  for (int i = 0; i < int(std::lround(10.0 / h)); ++i) {
    body.drift(h, P.data(), q.data());
    worst = std::max(worst, std::abs(energy() - start) / start);
  }
  return worst;
}

TEST(RigidDrift, EnergyErrorIsOfSecondOrder) {
  const double coarse = energy_error(0.02), fine = energy_error(0.01);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(coarse / fine, 4.0, 0.1);
}

TEST(RigidDrift, IsTimeReversible) {
  // the same momentum seen from the new orientation satisfies the equation with -h: that is what keeps L
  // exactly
  const Rigid body(2.0, Vec3(1.0, 2.0, 2.5));
  constexpr unsigned kSeed = 9;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (const double h : {1e-6, 1e-3, 0.1}) {
    SCOPED_TRACE(h);
    VecX q = VecX::Zero(7), P(6);
    q.head<3>() = random_vector(random);
    store_quat(exp_rotation(random_vector(random)), q.data() + 3);
    for (double& x : P) x = uniform(random, -5, 5);
    const VecX start = q;
    body.drift(h, P.data(), q.data());
    ASSERT_TRUE(q.allFinite());
    EXPECT_LT((q.head<3>() - start.head<3>() - h / 2.0 * P.head<3>()).norm(), 1e-12 * (1.0 + h));
    body.drift(-h, P.data(), q.data());
    EXPECT_LT((q - start).norm(), 1e-13);
  }
}

TEST(RigidDrift, HugeMomentaStayFinite) {
  const Rigid body(1.0, Vec3(1e-6, 1.0, 1.0));
  VecX q = VecX::Unit(7, 3), P(6);
  P << 1, 2, 3, 1e6, -1e6, 1e6;
  for (int i = 0; i < 10; ++i) body.drift(1.0, P.data(), q.data());
  EXPECT_TRUE(q.allFinite());
  EXPECT_NEAR(q.tail<4>().norm(), 1.0, 1e-14);
}

TEST(BodyDrift, TheDefaultMovesWithTheVelocityOfTheMomentum) {
  const Affine body;
  VecX q = VecX::Zero(12), P = VecX::Ones(12);
  body.drift(0.5, P.data(), q.data());
  EXPECT_LT((q.head<3>() - Vec3::Constant(0.25)).norm(), 1e-15);
  EXPECT_LT((q.tail<9>() - VecX::Constant(9, 1.0)).norm(), 1e-15);
}

TEST(BodyShapes, HaveTextbookMoments) {
  const auto inertia = [](const std::shared_ptr<const Body>& body) {
    return Vec3(dynamic_cast<const Rigid&>(*body).inertia().diagonal());
  };
  EXPECT_LT((inertia(rod(3, 2)) - Vec3(0.5 * 3 * 0.01, 1, 1)).norm(), 1e-15);
  EXPECT_LT((inertia(rod(3, 2, 0.2)) - Vec3(0.5 * 3 * 0.04, 1, 1)).norm(), 1e-15);
  EXPECT_LT((inertia(sphere(5, 0.5)) - Vec3::Constant(0.5)).norm(), 1e-15);
  EXPECT_LT((inertia(box(12, {1, 2, 3})) - Vec3(13, 10, 5)).norm(), 1e-14);
  EXPECT_DOUBLE_EQ(dynamic_cast<const PlanarRigid&>(*planar_rod(3, 2)).inertia(), 1.0);
  for (const auto& body : {rod(3, 2), rod(3, 2, 0.2), sphere(5, 0.5), box(12, {1, 2, 3}), planar_rod(3, 2)}) {
    EXPECT_TRUE(body->validate().empty());
  }
}

TEST(BodyValidation, NamesTheValueAndTheRemedy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double mass : {0.0, -1.0, 1e-300, nan, HUGE_VAL}) {
    SCOPED_TRACE(mass);
    for (const auto& problems : {Particle2(mass).validate(), Particle3(mass).validate(),
                                 PlanarRigid(mass, 1.0).validate(), Rigid(mass, Vec3(1, 1, 1)).validate()}) {
      ASSERT_EQ(problems.size(), 1u);
      EXPECT_NE(problems[0].find("mass"), std::string::npos);
      EXPECT_NE(problems[0].find("; "), std::string::npos);
    }
  }
  EXPECT_EQ(Particle3(-1).validate()[0], "mass must be positive and finite, got -1 kg; give a mass above 0");
}

TEST(BodyValidation, RefusesImpossibleInertia) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto complaint = [](const Body& body) {
    const auto problems = body.validate();
    return problems.empty() ? std::string() : problems[0];
  };
  EXPECT_NE(complaint(Rigid(1, Vec3(1, 1, 3))).find("triangle inequality"), std::string::npos);
  EXPECT_NE(complaint(Rigid(1, Vec3(-1, 1, 1))).find("positive definite"), std::string::npos);
  EXPECT_NE(complaint(Rigid(1, Vec3(0, 1, 1))).find("positive definite"), std::string::npos);
  EXPECT_NE(complaint(Rigid(1, Vec3(nan, 1, 1))).find("finite"), std::string::npos);
  Mat3 lopsided = Mat3::Identity();
  lopsided(0, 1) = 0.1;
  EXPECT_NE(complaint(Rigid(1, lopsided)).find("symmetric"), std::string::npos);
  EXPECT_NE(complaint(PlanarRigid(1, 0)).find("inertia"), std::string::npos);
  // a thin rod is fine, a rod of negative length is not
  EXPECT_EQ(complaint(Rigid(1, Vec3(1e-9, 1, 1))), "");
  for (const auto& body :
       {rod(1, -1), rod(1, 1, -0.1), sphere(1, 0), box(1, {1, 1, -1}), planar_rod(1, nan)}) {
    EXPECT_NE(complaint(*body), "");
  }
}

TEST(BodyPlacement, WhatAKindCannotRepresentIsRefused) {
  double q[7], v[6];
  const Particle2 flat_particle(1);
  const Particle3 particle(1);
  const PlanarRigid planar(1, 1);
  const Rigid rigid(1, Vec3(1, 1, 1));
  const Quat tilt = exp_rotation({0.1, 0, 0}), turn = exp_rotation({0, 0, 0.1});
  const auto refused = [&](const Body& body, const Placement& p, const char* word) {
    const std::string problem = body.pack(p, q, v);
    EXPECT_NE(problem.find(word), std::string::npos) << problem;
  };
  refused(planar, {.position = {0, 0, 1}}, "z = 0");
  refused(planar, {.velocity = {0, 0, 1}}, "plane");
  refused(planar, {.orientation = tilt}, "plane");
  refused(planar, {.angular_velocity = {1, 0, 0}}, "about z");
  refused(flat_particle, {.position = {0, 0, 1}}, "z = 0");
  refused(flat_particle, {.orientation = turn}, "no orientation");
  refused(particle, {.orientation = tilt}, "no orientation");
  refused(particle, {.angular_velocity = {0, 0, 1}}, "cannot turn");
  refused(rigid, {.position = {1e308, 0, 0}}, "too large");
  refused(rigid, {.velocity = {0, HUGE_VAL, 0}}, "finite");
  refused(rigid, {.orientation = Quat(0, 0, 0, 0)}, "unit quaternion");
  EXPECT_EQ(planar.pack({.position = {1, 2, 0}, .orientation = turn, .angular_velocity = {0, 0, 3}}, q, v),
            "");
  // short decimals are meant to be unit
  EXPECT_EQ(rigid.pack({.orientation = Quat(0.707, 0, 0.707, 0)}, q, v), "");
  EXPECT_NEAR(Eigen::Map<Eigen::Vector4d>(q + 3).norm(), 1.0, 1e-15);
}

}  // namespace
}  // namespace catena
