// Bodies that stretch and bodies that follow a rule: maps against finite differences, masses against closed forms, free motion
// against d'Alembert's principle on point masses, forces against potentials.
#include "catena/bodies.h"
#include "catena/joints.h"
#include "math/rotation.h"
#include "unit/model/moving_marker.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace catena {
namespace {

using testing::derivative;
using testing::random_vector;
using testing::uniform;

struct FlexibleSample {
  std::shared_ptr<const Body> body;
  VecX q, v;
};

/// A body in a random pose, stretched and moving in every coordinate.
FlexibleSample random_sample(std::shared_ptr<const Body> body, std::mt19937& random, bool placed) {
  VecX q = VecX::Zero(body->num_q()), v = VecX::Zero(body->num_v());
  if (placed) {
    const Placement at{.position = random_vector(random),
                       .orientation = exp_rotation(random_vector(random, 2.0))};
    EXPECT_EQ(body->pack(at, q.data(), v.data()), "");
  }
  VecX d(body->num_v());
  for (double& x : d) x = uniform(random, -0.2, 0.2);
  if (!placed) d *= 5.0;
  body->retract(q.data(), d.data());
  for (double& x : v) x = uniform(random, -1, 1);
  return {std::move(body), q, v};
}

Pantograph tilted_pantograph() {
  Pantograph shape;
  shape.pivot = {0.1, 0.2, 0.3};
  shape.n = Vec3(0, 0.6, 0.8);
  shape.long_bar = 0.9;
  shape.short_bar = 0.3;
  return shape;
}

std::vector<FlexibleSample> flexible_samples(std::mt19937& random) {
  const Vec3 moments(0.2, 0.3, 0.4);
  std::vector<FlexibleSample> all;
  for (const ScaleAxes& axes :
       {ScaleAxes::uniform(), ScaleAxes::along_x(), ScaleAxes::along_xy(), ScaleAxes::along_xyz()})
    all.push_back(random_sample(std::make_shared<ScaledRigid>(1.5, moments, axes, 30.0, 0.4), random, true));
  for (const auto order : {Deformable::Order::linear, Deformable::Order::quadratic})
    all.push_back(random_sample(std::make_shared<Deformable>(order, 1.5, Vec3(0.4, 0.6, 0.8), 30.0, 0.4),
                                random, true));
  all.push_back(
      random_sample(bead_on_curve(0.3, cycloid({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.7)), random, false));
  all.push_back(random_sample(pantograph(tilted_pantograph()), random, false));
  return all;
}

TEST(FlexibleBodies, PointAndFrameMapsMatchFiniteDifferences) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    for (const FlexibleSample& s : flexible_samples(random)) {
      SCOPED_TRACE(::testing::Message() << s.body->kind() << " " << s.body->num_v() << ", seed " << seed);
      VecX a(s.body->num_v());
      for (double& x : a) x = uniform(random, -1, 1);
      const Vec3 local = random_vector(random, 0.3);
      // q(t) with q̇(0) = v and v̇(0) = a
      const auto q_at = [&](double t) -> VecX {
        VecX moved = s.q;
        const VecX d = t * s.v + 0.5 * t * t * a;
        s.body->retract(moved.data(), d.data());
        return moved;
      };
      const auto x_at = [&](double t) -> Vec3 {
        PointMap map;
        s.body->point(q_at(t).data(), s.v.data(), local, map);
        return map.x;
      };
      PointMap map;
      s.body->point(s.q.data(), s.v.data(), local, map);
      EXPECT_LT((derivative(x_at, 0.0) - map.J * s.v).norm(), 1e-9);
      const double h = 2e-3;
      const Vec3 second =
          (16.0 * (x_at(h) + x_at(-h)) - (x_at(2 * h) + x_at(-2 * h)) - 30.0 * x_at(0)) / (12 * h * h);
      EXPECT_LT((second - map.J * a - map.bias).norm(), 2e-7);
      EXPECT_LT((s.body->local_point(s.q.data(), map.x) -
                 (s.body->kind() == "pantograph" ? Vec3(local.x(), local.y(), 0) : local))
                    .norm(),
                1e-12);

      if (!s.body->has_orientation()) continue;
      FrameMap frame;
      s.body->frame(s.q.data(), s.v.data(), frame);
      EXPECT_LT((frame.R.transpose() * frame.R - Mat3::Identity()).norm(), 1e-13);
      const auto R_at = [&](double t) -> Mat3 {
        FrameMap moved;
        s.body->frame(q_at(t).data(), s.v.data(), moved);
        return moved.R;
      };
      EXPECT_LT((derivative(R_at, 0.0) - skew(frame.W * s.v) * frame.R).norm(), 1e-9);
      const auto w_at = [&](double t) -> Vec3 {
        const VecX v_t = s.v + t * a;
        FrameMap moved;
        s.body->frame(q_at(t).data(), v_t.data(), moved);
        return moved.W * v_t;
      };
      EXPECT_LT((derivative(w_at, 0.0) - frame.W * a - frame.bias).norm(), 1e-8);
    }
  }
}

MatX mass_of(const Body& body, const VecX& q) {
  MatX M(body.num_v(), body.num_v());
  body.mass_block(q.data(), M.data());
  return M;
}

/// Accelerations of the free body: M·v̇ = velocity-quadratic force.
VecX free_acceleration(const FlexibleSample& s) {
  VecX F = VecX::Zero(s.body->num_v());
  s.body->add_velocity_force(s.q.data(), s.v.data(), F.data());
  return mass_of(*s.body, s.q).llt().solve(F);
}

TEST(FlexibleBodies, FreeMotionKeepsEnergyAndMomenta) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    for (const FlexibleSample& s : flexible_samples(random)) {
      SCOPED_TRACE(::testing::Message() << s.body->kind() << " " << s.body->num_v() << ", seed " << seed);
      const VecX a = free_acceleration(s);
      const auto at = [&](double t) -> FlexibleSample {
        VecX moved = s.q;
        const VecX d = t * s.v + 0.5 * t * t * a;
        s.body->retract(moved.data(), d.data());
        return {s.body, moved, s.v + t * a};
      };
      const auto energy = [&](double t) -> VecX {
        const FlexibleSample x = at(t);
        return VecX::Constant(1, 0.5 * x.v.dot(mass_of(*x.body, x.q) * x.v));
      };
      EXPECT_LT(derivative(energy, 0.0).norm(), 1e-9);
      const bool held = s.body->kind() == "bead" || s.body->kind() == "pantograph";
      if (held) continue;  // a wire and a pivot take up momentum
      const auto L = [&](double t) -> Vec3 {
        return s.body->angular_momentum(at(t).q.data(), at(t).v.data());
      };
      const auto p = [&](double t) -> Vec3 {
        return s.body->linear_momentum(at(t).q.data(), at(t).v.data());
      };
      EXPECT_LT(derivative(L, 0.0).norm(), 1e-9);
      EXPECT_LT(derivative(p, 0.0).norm(), 1e-9);
    }
  }
}

// Six point masses on the axes have the second moments of the body: d'Alembert's principle on them must give the same motion.
TEST(ScaledRigid, MovesAsItsPointMassesDo) {
  constexpr unsigned kSeed = 4;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const double mass = 1.5;
  const Vec3 second(0.25, 0.15, 0.05);  // ∫ρX² of the moments 0.2, 0.3, 0.4
  for (const ScaleAxes& axes : {ScaleAxes::uniform(), ScaleAxes::along_x(), ScaleAxes::along_xyz()}) {
    const FlexibleSample s =
        random_sample(std::make_shared<ScaledRigid>(mass, Vec3(0.2, 0.3, 0.4), axes), random, true);
    const VecX a = free_acceleration(s);
    MatX M = MatX::Zero(s.body->num_v(), s.body->num_v());
    VecX virtual_work = VecX::Zero(s.body->num_v());
    for (int i = 0; i < 3; ++i)
      for (const double sign : {-1.0, 1.0}) {
        PointMap map;
        s.body->point(s.q.data(), s.v.data(), sign * std::sqrt(3.0 * second[i] / mass) * Vec3::Unit(i), map);
        virtual_work += mass / 6.0 * map.J.transpose() * (map.J * a + map.bias);
        M += mass / 6.0 * map.J.transpose() * map.J;
      }
    EXPECT_LT(virtual_work.norm(), 1e-14);
    EXPECT_LT((M - mass_of(*s.body, s.q)).norm(), 1e-14);
  }
}

TEST(Deformable, MassesAreTheMomentsOfABox) {
  const double m = 2.0;
  const Vec3 e(0.4, 0.6, 0.8);
  const Deformable body(Deformable::Order::quadratic, m, e);
  const MatX M = mass_of(body, VecX::Zero(30));
  MatX expected = MatX::Zero(30, 30);
  for (int i = 0; i < 3; ++i) {
    expected(i, i) = m;
    for (int k = 0; k < 3; ++k) {
      const int row = 3 + 9 * i + k;
      expected(row, row) = m * e[k] * e[k] / 12.0;                 // ⟨X²⟩
      expected(row + 3, row + 3) = m * std::pow(e[k], 4) / 180.0;  // ⟨X⁴⟩ - ⟨X²⟩²
      const double other = e.prod() / e[k];
      expected(row + 6, row + 6) = m * other * other / 144.0;  // ⟨Y²Z²⟩
    }
  }
  EXPECT_LT((M - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(FlexibleBodies, ShapeForceIsTheGradientOfThePotentialAndDampingLosesWhatItSays) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    for (const FlexibleSample& s : flexible_samples(random)) {
      if (!s.body->has_shape_force()) continue;
      SCOPED_TRACE(::testing::Message() << s.body->kind() << " " << s.body->num_v() << ", seed " << seed);
      const VecX at_rest = VecX::Zero(s.body->num_v());
      VecX elastic = at_rest, all = at_rest;
      s.body->add_shape_force(s.q.data(), at_rest.data(), elastic.data());
      s.body->add_shape_force(s.q.data(), s.v.data(), all.data());
      const auto potential = [&](double t) -> VecX {
        VecX moved = s.q;
        const VecX d = t * s.v;
        s.body->retract(moved.data(), d.data());
        return VecX::Constant(1, s.body->shape_potential(moved.data()));
      };
      EXPECT_NEAR(derivative(potential, 0.0)[0], -elastic.dot(s.v), 1e-8 * (1.0 + elastic.norm()));
      EXPECT_NEAR((all - elastic).dot(s.v), s.body->shape_damping_power(s.q.data(), s.v.data()), 1e-12);
      EXPECT_LE(s.body->shape_damping_power(s.q.data(), s.v.data()), 0.0);
    }
  }
}

TEST(Deformable, RigidMotionIsNeitherStressedNorDamped) {
  const Deformable body(Deformable::Order::quadratic, 1.0, Vec3(0.4, 0.6, 0.8), 50.0, 3.0);
  VecX q(30), v(30), F = VecX::Zero(30);
  ASSERT_EQ(body.pack({.position = {1, 2, 3},
                       .orientation = exp_rotation({0.4, -0.8, 0.3}),
                       .velocity = {1, 0, 2},
                       .angular_velocity = {1, 2, 3}},
                      q.data(), v.data()),
            "");
  body.add_shape_force(q.data(), v.data(), F.data());
  EXPECT_LT(F.norm(), 1e-12);
  EXPECT_LT(body.shape_potential(q.data()), 1e-28);
  const Placement back = body.unpack(q.data(), v.data());
  EXPECT_LT((back.angular_velocity - Vec3(1, 2, 3)).norm(), 1e-14);
}

TEST(Lagrangian, GravityIsTheGradientOfItsPotential) {
  constexpr unsigned kSeed = 9;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const Vec3 g(1.0, -2.0, -9.81);
  for (const FlexibleSample& s : flexible_samples(random)) {
    SCOPED_TRACE(std::string(s.body->kind()));
    VecX F = VecX::Zero(s.body->num_v());
    s.body->add_gravity(s.q.data(), g, F.data());
    const auto potential = [&](double t) -> VecX {
      VecX moved = s.q;
      const VecX d = t * s.v;
      s.body->retract(moved.data(), d.data());
      return VecX::Constant(1, s.body->gravity_potential(moved.data(), g));
    };
    EXPECT_NEAR(derivative(potential, 0.0)[0], -F.dot(s.v), 1e-9);
  }
}

TEST(Pantograph, ThePenDrawsWhatTheTracerDrawsLarger) {
  const Pantograph shape = tilted_pantograph();
  const auto body = pantograph(shape);
  PointMap tracer, pen;
  const VecX still = VecX::Zero(2);
  for (const double a : {0.3, 1.0}) {
    const VecX u = coordinates({a, a + 0.7});
    body->point(u.data(), still.data(), Vec3(shape.short_bar, shape.short_bar, 0), tracer);
    body->point(u.data(), still.data(), Vec3(shape.long_bar, shape.long_bar, 0), pen);
    EXPECT_LT((pen.x - shape.pivot - 3.0 * (tracer.x - shape.pivot)).norm(), 1e-15);
  }
}

TEST(FlexibleBodies, BadParametersAreNamed) {
  const auto problems = [](const Body& body) {
    std::string all;
    for (const std::string& problem : body.validate()) all += problem + "\n";
    return all;
  };
  EXPECT_NE(problems(ScaledRigid(-1.0, Vec3(1, 1, 1))).find("mass"), std::string::npos);
  EXPECT_NE(problems(ScaledRigid(1.0, Vec3(1, 1, 1), {}, -5.0)).find("stiffness"), std::string::npos);
  EXPECT_NE(problems(ScaledRigid(1.0, Vec3(1, 1, 2), {{-1, -1, 0}})).find("without extent"),
            std::string::npos);
  EXPECT_NE(problems(Deformable(Deformable::Order::linear, 1.0, Vec3(1, 0, 1))).find("edge y"),
            std::string::npos);
  EXPECT_NE(problems(*bead_on_curve(1.0, nullptr)).find("curve"), std::string::npos);
  EXPECT_NE(problems(*bead_on_curve(0.0, line({0, 0, 0}, {1, 0, 0}))).find("mass"), std::string::npos);
  EXPECT_NE(problems(*lagrangian(0, nullptr, {})).find("no rule"), std::string::npos);
  EXPECT_NE(
      problems(*lagrangian(31, [](const double*, const double*, const Vec3&, PointMap&) {}, {{{}, 1.0}}))
          .find("31 coordinates"),
      std::string::npos);
}

}  // namespace
}  // namespace catena
