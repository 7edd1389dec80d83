// Vectors in four lanes against Eigen's, and the zero in the fourth, on which dot products rely.
#include "math/lanes3.h"

#include "catena/math.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace catena::math {
namespace {

constexpr double kRounding = 1e-14;  // of a few products of numbers below 1

struct Lanes3 : testing::Test {
  static constexpr unsigned kSeed = 12;
  testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(kSeed)};
  std::mt19937 random{kSeed};
  std::uniform_real_distribution<double> number{-1.0, 1.0};

  Vec3 vector() { return {number(random), number(random), number(random)}; }
  Mat3 matrix() {
    Mat3 out;
    out << vector(), vector(), vector();
    return out;
  }
  static void expect_equal(const Vector3<double>& lanes, const Vec3& expected) {
    EXPECT_LE((Vec3(lanes) - expected).norm(), kRounding);
    EXPECT_EQ(lanes.lanes[3], 0.0);
  }
  static void expect_equal(const Matrix3<double>& lanes, const Mat3& expected) {
    expect_equal(lanes.x, expected.col(0));
    expect_equal(lanes.y, expected.col(1));
    expect_equal(lanes.z, expected.col(2));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(lanes(i, j), expected(i, j), kRounding);
  }
};

TEST_F(Lanes3, VectorsAreThoseOfEigen) {
  for (int round = 0; round < 20; ++round) {
    const Vec3 a = vector(), b = vector();
    const Vector3<double> x(a), y(b);
    expect_equal(x + y, a + b);
    expect_equal(x - y, a - b);
    expect_equal(-x, -a);
    expect_equal(2.5 * x, 2.5 * a);
    expect_equal(cross(x, y), a.cross(b));
    EXPECT_NEAR(dot(x, y), a.dot(b), kRounding);
    double stored[4] = {0.0, 0.0, 0.0, 7.0};
    x.store(stored);
    expect_equal(Vector3<double>::load(stored), a);
    EXPECT_EQ(stored[3], 7.0) << "three numbers are stored, not four";
  }
}

TEST_F(Lanes3, MatricesAreThoseOfEigen) {
  for (int round = 0; round < 20; ++round) {
    const Mat3 A = matrix(), B = matrix();
    const Vec3 b = vector();
    const Matrix3<double> X(A), Y(B);
    const Vector3<double> y(b);
    Mat3 skew;
    skew << Vec3(b.cross(Vec3::UnitX())), Vec3(b.cross(Vec3::UnitY())), Vec3(b.cross(Vec3::UnitZ()));
    expect_equal(Matrix3<double>::skew(y), skew);
    expect_equal(X * y, A * b);
    expect_equal(X * Y, A * B);
    expect_equal(times_transposed(X, Y), A * B.transpose());
    expect_equal(transposed(X), A.transpose());
    expect_equal(times_skew(X, y), A * skew);
    expect_equal(-X, -A);
    Matrix3<double> taken = X;
    taken.take(y, Vector3<double>(Vec3(B.col(0))));
    expect_equal(taken, A - b * B.col(0).transpose());
    taken += Y;
    expect_equal(taken, A - b * B.col(0).transpose() + B);
    expect_equal(Matrix3<double>::diagonal(3.0), 3.0 * Mat3::Identity());
  }
}

}  // namespace
}  // namespace catena::math
