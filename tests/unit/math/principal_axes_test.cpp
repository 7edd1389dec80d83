// Principal values and axes: what defines them, and Eigen's solver.
#include "math/principal_axes.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace catena {
namespace {

TEST(PrincipalAxes, AreThoseOfRandomMatrices) {
  constexpr unsigned kSeed = 20260;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::normal_distribution<double> number;
  for (int trial = 0; trial < 200; ++trial) {
    const Mat3 any = Mat3::NullaryExpr([&] { return number(random); });
    const Mat3 A = any + any.transpose();
    const math::PrincipalAxes found = math::principal_axes(A);
    EXPECT_LT((found.axes.transpose() * found.axes - Mat3::Identity()).norm(), 1e-14);
    EXPECT_LT((A * found.axes - found.axes * found.values.asDiagonal()).norm(), 1e-14 * A.norm());
    EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
    const Vec3 expected = Eigen::SelfAdjointEigenSolver<Mat3>(A).eigenvalues();
    EXPECT_LT((found.values - expected).norm(), 1e-14 * A.norm());
  }
}

TEST(PrincipalAxes, OfADiagonalMatrixAreItsAxesInOrder) {
  const math::PrincipalAxes found = math::principal_axes(Vec3(3.0, 1.0, 2.0).asDiagonal());
  EXPECT_EQ(found.values, Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(found.axes.col(0), Vec3::UnitY());
  EXPECT_EQ(found.axes.col(2), Vec3::UnitX());
}

TEST(PrincipalAxes, OfThinRodsAreAsExactAsTheMatrix) {
  const Mat3 turn = Quat(0.5, 0.5, -0.5, 0.5).toRotationMatrix();
  const math::PrincipalAxes found =
      math::principal_axes(turn * Vec3(1e-12, 1.0, 1.0).asDiagonal() * turn.transpose());
  EXPECT_NEAR(found.values[0], 1e-12, 1e-20);
}

}  // namespace
}  // namespace catena
