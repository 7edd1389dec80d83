// Splines: through their points, and smooth, on the equations that define them.
#include "catena/joints.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

std::vector<Vec3> zigzag(int count) {
  std::vector<Vec3> points;
  for (int k = 0; k < count; ++k) points.emplace_back(k, k % 3 - 0.5 * (k % 2), 0.3 * (k % 4));
  return points;
}

void expect_same(const Vec3& a, const Vec3& b) {
  EXPECT_LT((a - b).norm(), 1e-12) << a.transpose() << " and " << b.transpose();
}

/// Place, direction and curvature are the same on both sides of every point, whatever the number of points.
void expect_smooth(const Curve& curve, const std::vector<Vec3>& points, bool closed) {
  const int count = int(points.size());
  for (int k = closed ? 0 : 1; k < (closed ? count : count - 1); ++k) {
    SCOPED_TRACE(::testing::Message() << count << " points, at " << k);
    constexpr double kAside = 1e-9;
    const CurvePoint here = curve.at(k), before = curve.at(k == 0 ? count - kAside : k - kAside);
    expect_same(here.c, points[std::size_t(k)]);
    EXPECT_LT((here.c - before.c).norm(), 1e-7);
    EXPECT_LT((here.d1 - before.d1).norm(), 1e-7);
    EXPECT_LT((here.d2 - before.d2).norm(), 1e-6);
  }
}

TEST(Spline, IsSmoothAtEveryPoint) {
  for (int count = 2; count < 9; ++count) {
    const auto points = zigzag(count);
    expect_smooth(*spline(points, false), points, false);
    if (count > 2) expect_smooth(*spline(points, true), points, true);
  }
}

TEST(Spline, HasStraightEndsWhereItIsOpen) {
  for (int count = 2; count < 9; ++count) {
    const auto curve = spline(zigzag(count), false);
    expect_same(curve->at(0.0).d2, Vec3::Zero());
    expect_same(curve->at(count - 1.0).d2, Vec3::Zero());
  }
}

TEST(Spline, OfManyPointsIsMadeInNoTime) {
  const auto points = zigzag(200000);  // a dense matrix of them would have 320 GB
  expect_smooth(*spline(points, false), {points.begin(), points.begin() + 4}, false);
}

}  // namespace
}  // namespace catena
