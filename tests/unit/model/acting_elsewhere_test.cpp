// Constraints whose forces act elsewhere than along their rows: what exactly they say. Their G, γ and stiffness are compared with
// differences in joint_rows_test.cpp.
#include "catena/force.h"
#include "catena/joints.h"
#include "unit/model/row_evaluation.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

using testing::evaluate;
using testing::Evaluation;
using testing::marker_at;

TEST(RemoteDrive, TakesItsReactionFromTheThirdBodyAndTurnsAsToldFromAnyTurn) {
  const Mat3 R_b = frame_from_axis({1, 2, 3});
  const Mat3 R_a = R_b * Eigen::AngleAxisd(0.9, Vec3::UnitZ());
  const Marker b = marker_at(Vec3::Zero(), R_b), c = marker_at({1, 0, 0}, Mat3::Identity());
  const std::vector<Marker> at{marker_at(Vec3::Zero(), R_a), b, c};
  const double angle = 0.9 + 6.0 * std::numbers::pi;  // three turns further
  const ConstraintPtr drive = remote_drive({}, {}, constant(angle));
  double memory[3];
  drive->start_memory({at, 0.0, false, {}}, memory);
  const Evaluation e = evaluate(*drive, {at, 0.0, false, memory});
  EXPECT_NEAR(e.C[0], 0.0, 1e-14);
  const Vec3 z = R_b.col(2);
  EXPECT_LT((e.G[0].row(0).tail<3>().transpose() - z).norm(), 1e-15);
  EXPECT_LT((e.G[1].row(0).tail<3>().transpose() + z).norm(), 1e-15);
  EXPECT_EQ(e.G[2].norm(), 0.0);
  EXPECT_LT((e.K[0].row(0).tail<3>().transpose() - z).norm(), 1e-15);
  EXPECT_EQ(e.K[1].norm(), 0.0);
  EXPECT_LT((e.K[2].row(0).tail<3>().transpose() + z).norm(), 1e-15);
}

TEST(SlidingPoint, ItsForceCarriesFrictionAgainstTheDirectionAndDissipatesIt) {
  const double mu = 0.3;
  const ConstraintPtr block = sliding_point({}, Vec3::UnitZ(), {2, 0, 1}, mu);
  const std::vector<Marker> at{{{1, 2, 0}, {0.5, 0, 0}, Mat3::Identity(), Vec3::Zero()},
                               marker_at(Vec3::Zero(), Mat3::Identity())};
  const Evaluation e = evaluate(*block, {at, 0.0, false, {}});
  EXPECT_LT((e.G[0].row(0).head<3>().transpose() - Vec3(0, 0, 1)).norm(), 1e-15);
  EXPECT_LT((e.K[0].row(0).head<3>().transpose() - Vec3(-mu, 0, 1)).norm(), 1e-15);
  double power = 0.0;  // of λ = 1
  for (std::size_t k = 0; k < 2; ++k) power += e.K[k].row(0).head<3>().dot(at[k].v);
  EXPECT_NEAR(power, -mu * 0.5, 1e-15);
}

TEST(SlidingPoint, RefusesWhatHasNoSense) {
  const auto problems = [](const Vec3& normal, const Vec3& direction, double friction, bool planar) {
    return sliding_point({}, normal, direction, friction)->validate(planar).size();
  };
  EXPECT_EQ(problems({0, 1, 0}, {1, 0, 0}, 0.3, true), 0u);
  EXPECT_EQ(problems({0, 1, 0}, {1, 0, 0}, -0.3, false), 1u);
  EXPECT_EQ(problems({0, 0, 0}, {1, 0, 0}, 0.3, false), 1u);
  EXPECT_EQ(problems({0, 1, 0}, {0, 2, 0}, 0.3, false), 1u);
  EXPECT_EQ(problems({0, 1, 0}, {0, 0, 0}, 0.3, false), 1u);
  EXPECT_EQ(problems({0, 0, 1}, {1, 0, 0}, 0.3, true), 1u);
}

TEST(ActingElsewhere, IsNeitherDrivenNorElastic) {
  const ConstraintPtr point = sliding_point({}, Vec3::UnitZ(), Vec3::UnitX(), 0.3);
  ASSERT_EQ(driven(point, {})->validate(false).size(), 1u);
  EXPECT_NE(driven(point, {})->validate(false)[0].find("does not act along its rows"), std::string::npos);
  ASSERT_EQ(elastic(point, Law{.stiffness = 1.0})->validate().size(), 1u);
  EXPECT_NE(elastic(point, Law{.stiffness = 1.0})->validate()[0].find("does not act along"),
            std::string::npos);
}

// The default stiffness of such a constraint differentiates K.
TEST(ActingElsewhere, DefaultStiffnessIsTheDerivativeOfItsForces) {
  const Mat3 R_b = frame_from_axis({1, 2, 3});
  const Mat3 R_a = R_b * Eigen::AngleAxisd(0.9, Vec3(0.1, 0.2, 1.0).normalized());
  const std::vector<Marker> at{marker_at({0.1, 0.2, 0.3}, R_a), marker_at({0.3, -0.2, 0.5}, R_b),
                               marker_at({1, 0, 0}, Mat3::Identity())};
  const AttachmentPair pair;
  for (const ConstraintPtr& constraint :
       {remote_drive(pair, {}, constant(0.9)), sliding_point(pair, {0.2, 1, 0.4}, {1, 0, 0}, 0.4)}) {
    SCOPED_TRACE(std::string(constraint->kind()));
    const std::size_t markers = constraint->attachments().size();
    const Motion motion{{at.data(), markers}, 0.0, false, {}};
    const double lambda[1] = {1.7};
    std::vector<double> closed(36 * markers * markers, 0.0), differences = closed;
    MarkerStiffness K(int(markers), closed.data()), reference(int(markers), differences.data());
    constraint->add_geometric_stiffness(motion, lambda, K);
    constraint->Constraint::add_geometric_stiffness(motion, lambda, reference);
    double largest = 0.0;
    for (std::size_t i = 0; i < closed.size(); ++i) {
      EXPECT_NEAR(closed[i], differences[i], 1e-9);
      largest = std::max(largest, std::abs(closed[i]));
    }
    EXPECT_GT(largest, 0.1);
  }
}

}  // namespace
}  // namespace catena
