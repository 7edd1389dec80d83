// Exponential, logarithm and Cayley map of rotations, and frames from an axis.
#include "math/rotation.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace catena {
namespace {

constexpr double kPi = std::numbers::pi;
const Vec3 kAxis = Vec3(1, -2, 3).normalized();

TEST(Rotation, SkewIsTheCrossProduct) {
  const Vec3 a(1, 2, 3), b(-4, 5, 0.5);
  EXPECT_EQ(skew(a) * b, a.cross(b));
}

TEST(Rotation, ExponentialTurnsByTheAngleAboutTheAxis) {
  for (const double angle : {0.0, 1e-12, 1e-8, 9e-4, 1.1e-3, 0.1, 1.0, 3.1, kPi, 6.0}) {
    SCOPED_TRACE(angle);
    const Mat3 expected = Eigen::AngleAxisd(angle, kAxis).toRotationMatrix();
    const Quat q = exp_rotation(angle * kAxis);
    EXPECT_NEAR(q.norm(), 1.0, 1e-15);
    EXPECT_LT((q.toRotationMatrix() - expected).norm(), 2e-15);
  }
}

TEST(Rotation, LogarithmUndoesTheExponentialUpToHalfATurn) {
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-8, 1.9e-4, 2.1e-4, 1e-3, 0.1, 1.0, 3.0, kPi - 1e-9}) {
    SCOPED_TRACE(angle);
    const Vec3 phi = angle * kAxis;
    EXPECT_LT((log_rotation(exp_rotation(phi)) - phi).norm(), 1e-15 + 1e-15 * angle);
    const Quat q = exp_rotation(phi);
    const Quat minus(-q.w(), -q.x(), -q.y(), -q.z());
    EXPECT_LT((log_rotation(minus) - phi).norm(), 1e-15 + 1e-15 * angle);  // the same rotation
  }
}

TEST(Rotation, WorldIncrementsMultiplyFromTheLeft) {
  const Quat q = exp_rotation({0.3, 0.2, -0.5});
  const Vec3 phi(0.1, -0.7, 0.4);
  const Mat3 expected = Eigen::AngleAxisd(phi.norm(), phi.normalized()) * q.toRotationMatrix();
  EXPECT_LT((rotate_world(q, phi).toRotationMatrix() - expected).norm(), 1e-15);
}

TEST(Rotation, CayleyMapIsTheMatrixQuotient) {
  const Quat q = exp_rotation({0.3, 0.2, -0.5});
  for (const double size : {0.0, 1e-9, 0.1, 1.0, 100.0}) {
    SCOPED_TRACE(size);
    const Vec3 a = size * kAxis;
    const Mat3 A = 0.5 * skew(a), one = Mat3::Identity();
    const Mat3 expected = q.toRotationMatrix() * ((one - A).inverse() * (one + A));
    EXPECT_LT((cayley_right(q, a).toRotationMatrix() - expected).norm(), 1e-13);
  }
}

TEST(Rotation, NormalisingKeepsABlownUpRotationVisible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(normalised(Quat(0, 0, 0, 0)).coeffs().allFinite());
  EXPECT_FALSE(normalised(Quat(nan, 0, 0, 0)).coeffs().allFinite());
  EXPECT_NEAR(normalised(Quat(3, -4, 0, 1e-3)).norm(), 1.0, 1e-15);
}

TEST(FrameFromAxis, IsRightHandedWithItsThirdAxisAlongTheGivenOne) {
  constexpr unsigned kSeed = 11;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100; ++i) {
    const double size = std::pow(10.0, 3.0 * (i - 50));  // also where squares leave the range of doubles
    const Vec3 direction = Vec3(normal(random), normal(random), normal(random)).normalized();
    const Mat3 frame = frame_from_axis(size * direction);
    EXPECT_LT((frame.transpose() * frame - Mat3::Identity()).norm(), 2e-15);
    EXPECT_GT(frame.determinant(), 0.0);
    EXPECT_LT((frame.col(2) - direction).norm(), 2e-15);
  }
}

TEST(FrameFromAxis, WorldZGivesTheWorldFrame) {
  EXPECT_EQ(frame_from_axis(Vec3::UnitZ()), Mat3(Mat3::Identity()));
}

TEST(FrameFromAxis, AnAxisWithoutDirectionGivesNaNForTheValidationToFind) {
  EXPECT_FALSE(frame_from_axis(Vec3::Zero()).allFinite());
  EXPECT_FALSE(frame_from_axis({1, std::numeric_limits<double>::infinity(), 0}).allFinite());
}

TEST(RotationBetween, TakesOneDirectionToTheOtherByTheAngleBetweenThem) {
  constexpr unsigned kSeed = 12;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::normal_distribution<double> normal;
  for (const double angle : {0.0, 1e-12, 1e-6, 0.1, 1.0, 2.6, 2.7, 3.1, kPi - 1e-6, kPi - 1e-12, kPi}) {
    SCOPED_TRACE(angle);
    const Vec3 a = Vec3(normal(random), normal(random), normal(random)).normalized();
    const Vec3 b = Eigen::AngleAxisd(angle, any_perpendicular(a)) * a;
    const Quat turn = rotation_between(3.0 * a, 0.1 * b);
    EXPECT_NEAR(turn.norm(), 1.0, 4e-15);
    EXPECT_LT((turn * a - b).norm(), 4e-15);
    EXPECT_NEAR(log_rotation(turn).norm(), angle, 4e-15);
  }
}

TEST(RotationBetween, IsNoneWhereADirectionIsMissing) {
  EXPECT_EQ(rotation_between(Vec3::Zero(), Vec3::UnitX()).coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(rotation_between(Vec3::UnitX(), Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
}

}  // namespace
}  // namespace catena
