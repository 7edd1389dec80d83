// Joint coordinates against differences of the pose, and against the rows of the same joint: what the rows hold and what the
// coordinates leave free are one description, and must be complements.
#include "model/joints/joint_motion.h"

#include "catena/joints.h"
#include "support/allocation_counter.h"
#include "unit/model/moving_marker.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

using std::numbers::pi;
using testing::derivative;
using testing::MovingMarker;
using testing::uniform;

constexpr double kPitch = 0.3;

struct MotionCase {
  std::string name;
  std::function<ConstraintPtr(const AttachmentPair&)> make;  // empty: no joint
  JointMotion motion() const { return make ? *joint_motion_of(*make({}), false) : JointMotion(kFreeShape); }
};

void PrintTo(const MotionCase& c, std::ostream* out) {
  *out << c.name;
}

/// Coordinates with angles from a list that has the awkward ones.
VecX random_coordinates(const JointMotion& joint, std::mt19937& random) {
  const double angles[] = {0.0, 1e-9, 0.3, -2.0, pi, -pi, pi - 1e-7, -pi + 1e-7, 5.0 * pi, 47.0, -31.4};
  VecX q(joint.num_q());
  double* at = q.data();
  for (int i = 0; i < joint.shape().moves.count; ++i) {
    const Move move = joint.shape().moves[i];
    const double angle = angles[std::uniform_int_distribution<int>(0, 10)(random)];
    if (is_slide(move)) {
      at[0] = uniform(random, -2, 2);
    } else if (move == Move::bend) {
      const double size = uniform(random, 0.0, 1.0) < 0.2 ? 1e-5 : uniform(random, 0.0, 3.1);
      at[0] = size * std::cos(angle);
      at[1] = size * std::sin(angle);
    } else if (move == Move::ball) {
      Eigen::Map<Eigen::Vector4d>{at} = Eigen::Vector4d::NullaryExpr([&] { return uniform(random, -1, 1); });
      Eigen::Map<Eigen::Vector4d>{at}.normalize();
    } else {
      at[0] = angle;
    }
    at += num_q(move);
  }
  return q;
}

VecX random_velocities(const JointMotion& joint, std::mt19937& random) {
  return VecX::NullaryExpr(joint.num_v(), [&] { return uniform(random, -1, 1); });
}

VecX retracted(const JointMotion& joint, const VecX& q, const VecX& d) {
  VecX out(q.size());
  joint.retract(q.data(), d.data(), out.data());
  return out;
}

/// Vector of the skew part of a matrix.
Vec3 vee(const Mat3& m) {
  return 0.5 * Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

/// What one random position of a joint is made of.
struct JointSample {
  std::mt19937 random;
  JointMotion joint;
  VecX q, v;
  JointSample(const MotionCase& c, unsigned seed)
      : random(seed),
        joint(c.motion()),
        q(random_coordinates(joint, random)),
        v(random_velocities(joint, random)) {}
  VecX along(double s) const { return retracted(joint, q, s * v); }
};

class JointMotions : public ::testing::TestWithParam<MotionCase> {
 protected:
  template <class Check>
  void for_samples(const Check& check) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      JointSample sample(GetParam(), seed);
      check(sample);
    }
  }
};

TEST_P(JointMotions, CoordinatesReturnFromTheirPose) {
  for_samples([](JointSample& x) {
    const RelativePose pose = x.joint.pose_from(x.q.data());
    EXPECT_LT((pose.R.transpose() * pose.R - Mat3::Identity()).norm(), 1e-14);
    VecX back = x.along(0.9);  // where the search starts: less than half a turn away
    x.joint.coordinates_of(pose, back.data());
    EXPECT_LT((back - x.q).norm(), 1e-13 * (1.0 + x.q.norm()));
    VecX principal(x.joint.num_q());
    x.joint.set_neutral(principal.data());
    x.joint.coordinates_of(pose, principal.data());
    const RelativePose again = x.joint.pose_from(principal.data());
    EXPECT_LT((again.R - pose.R).norm() + (again.x - pose.x).norm(), 1e-13);
  });
}

TEST_P(JointMotions, NeutralCoordinatesPutAOnB) {
  const JointMotion joint = GetParam().motion();
  VecX q(joint.num_q());
  joint.set_neutral(q.data());
  const RelativePose pose = joint.pose_from(q.data());
  EXPECT_EQ(pose.x, Vec3(Vec3::Zero()));
  EXPECT_EQ(pose.R, Mat3(Mat3::Identity()));
}

TEST_P(JointMotions, DirectionsAreTheDerivativeOfThePose) {
  for_samples([](JointSample& x) {
    const auto pose = [&](double s) { return x.joint.pose_from(x.along(s).data()); };
    const Twist twist = x.joint.twist(x.q.data(), x.v.data());
    const Vec3 slope = derivative([&](double s) -> Vec3 { return pose(s).x; }, 0.0);
    const Mat3 turned = derivative([&](double s) -> Mat3 { return pose(s).R; }, 0.0);
    EXPECT_LT((twist.head<3>() - slope).norm(), 1e-8);
    EXPECT_LT((twist.tail<3>() - vee(turned * pose(0.0).R.transpose())).norm(), 1e-8);
  });
}

TEST_P(JointMotions, BiasIsTheDerivativeOfTheTwistAtConstantVelocities) {
  for_samples([](JointSample& x) {
    const Twist slope =
        derivative([&](double s) -> Twist { return x.joint.twist(x.along(s).data(), x.v.data()); }, 0.0);
    EXPECT_LT((x.joint.bias(x.q.data(), x.v.data()) - slope).norm(), 1e-8);
  });
}

TEST_P(JointMotions, RatesAreThoseOfTheRetractionAndHaveAnInverse) {
  for_samples([](JointSample& x) {
    VecX rates(x.joint.num_q()), back(x.joint.num_v());
    x.joint.rates(x.q.data(), x.v.data(), rates.data());
    EXPECT_LT((derivative([&](double s) -> VecX { return x.along(s); }, 0.0) - rates).norm(), 1e-8);
    x.joint.velocities(x.q.data(), rates.data(), back.data());
    EXPECT_LT((back - x.v).norm(), 1e-14);
  });
}

TEST_P(JointMotions, VelocitiesReturnFromTheirTwist) {
  for_samples([](JointSample& x) {
    VecX back(x.joint.num_v());
    x.joint.velocities_of(x.q.data(), x.joint.twist(x.q.data(), x.v.data()), back.data());
    // a bend loses rank towards |φ| = 2π only, but its columns become uneven before
    EXPECT_LT((back - x.v).norm(), 1e-12);
  });
}

/// One evaluation of a constraint.
struct JointRowValues {
  VecX C, C_t, gamma, G;
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>> of(int marker) {
    return {G.data() + marker * C.size() * 6, C.size(), 6};
  }
  JointRowValues(const Constraint& constraint, const Motion& motion)
      : C(VecX::Zero(constraint.num_rows(motion.planar))), C_t(C), gamma(C), G(VecX::Zero(12 * C.size())) {
    Rows rows(int(C.size()), 2, C.data(), C_t.data(), gamma.data(), G.data());
    constraint.evaluate(motion, rows);
  }
};

/// (3) of joint_motion.h at v̇ = 0.
Twist carried_acceleration(const JointSample& x, const Marker& b, const Twist& of_b) {
  const Vec3 W = b.w, r = b.R * x.joint.pose_from(x.q.data()).x;
  const Twist twist = x.joint.twist(x.q.data(), x.v.data()), bias = x.joint.bias(x.q.data(), x.v.data());
  const Vec3 nu = b.R * twist.head<3>(), w = b.R * twist.tail<3>();
  Twist out;
  out << of_b.head<3>() + of_b.tail<3>().cross(r) + W.cross(W.cross(r)) + 2.0 * W.cross(nu) +
             b.R * bias.head<3>(),
      of_b.tail<3>() + W.cross(w) + b.R * bias.tail<3>();
  return out;
}

TEST_P(JointMotions, TheRowsOfTheJointAllowThisMotionAndNoOther) {
  if (!GetParam().make) {
    EXPECT_EQ(GetParam().motion().num_v(), 6);
    return;
  }
  const ConstraintPtr constraint = GetParam().make({});
  for_samples([&](JointSample& x) {
    const MovingMarker path(x.random, false);
    const Marker b = path.at(0.4), a = x.joint.carried_by(b, x.q.data(), x.v.data());
    const Marker markers[2] = {a, b};
    const double turns[3] = {x.joint.num_v() > 0 ? x.q[0] : 0.0, 0.0, 0.0};  // of a screw
    const std::span<const double> memory(turns, std::size_t(constraint->memory_size()));
    JointRowValues rows(*constraint, {markers, 0.0, false, memory});
    EXPECT_EQ(rows.C.size() + x.joint.num_v(), 6);
    EXPECT_LT(rows.C.norm(), 1e-13);
    FreeDirections S = x.joint.free_directions(x.q.data());
    for (const int half : {0, 3}) S.middleRows<3>(half) = (b.R * S.middleRows<3>(half)).eval();
    EXPECT_LT((rows.of(0) * S).norm(), 1e-14);  // G_a·S = 0
    Twist of_a, of_b;
    of_a << a.v, a.w;
    of_b << b.v, b.w;
    EXPECT_LT((rows.of(0) * of_a + rows.of(1) * of_b).norm(), 1e-13);  // Ċ = 0
    const Twist rate_b = path.acceleration(0.4), rate_a = carried_acceleration(x, b, rate_b);
    EXPECT_LT((rows.of(0) * rate_a + rows.of(1) * rate_b + rows.gamma).norm(), 1e-12);  // C̈ = 0
  });
}

TEST_P(JointMotions, OffTheConstraintTheNearestRotationIsTaken) {
  for_samples([](JointSample& x) {
    RelativePose pose = x.joint.pose_from(x.q.data());
    pose.R = pose.R * Eigen::AngleAxisd(0.05, testing::random_vector(x.random).normalized());
    VecX q = x.q;
    x.joint.coordinates_of(pose, q.data());
    const auto distance = [&](const VecX& at) { return (x.joint.pose_from(at.data()).R - pose.R).norm(); };
    for (int i = 0; i < 20; ++i) {
      VecX d = 1e-3 * random_velocities(x.joint, x.random);
      EXPECT_LE(distance(q), distance(retracted(x.joint, q, d)) + 1e-15);
    }
  });
}

TEST_P(JointMotions, NothingAllocates) {
  JointSample x(GetParam(), 5);
  VecX q_dot(x.joint.num_q()), v(x.joint.num_v()), q = x.q;
  Twist twist = Twist::Zero();
  const testing::AllocationCounter allocations;
  const RelativePose pose = x.joint.pose_from(x.q.data());
  x.joint.coordinates_of(pose, q.data());
  twist = x.joint.twist(x.q.data(), x.v.data()) + x.joint.bias(x.q.data(), x.v.data());
  x.joint.velocities_of(x.q.data(), twist, v.data());
  x.joint.rates(x.q.data(), x.v.data(), q_dot.data());
  x.joint.velocities(x.q.data(), q_dot.data(), v.data());
  x.joint.retract(x.q.data(), x.v.data(), q.data());
  EXPECT_EQ(allocations.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, JointMotions,
    ::testing::Values(MotionCase{"ball", ball}, MotionCase{"universal", universal},
                      MotionCase{"hinge", hinge}, MotionCase{"weld", weld},
                      MotionCase{"constant_velocity", constant_velocity}, MotionCase{"slider", slider},
                      MotionCase{"cylindrical", cylindrical}, MotionCase{"planar", planar},
                      MotionCase{"screw", [](const AttachmentPair& at) { return screw(at, kPitch); }},
                      MotionCase{"free", nullptr}),
    [](const ::testing::TestParamInfo<MotionCase>& test) { return test.param.name; });

TEST(JointMotion, TurnsAreThoseOfHingeAngleAndAreCounted) {
  const JointMotion joint(kHingeShape);
  for (const double angle : {0.0, 0.7, -3.0, pi, 20.0, -100.0}) {
    const RelativePose pose = joint.pose_from(&angle);
    const Marker a{pose.x, Vec3::Zero(), pose.R, Vec3::Zero()},
        b{Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()};
    double q = 0.0;
    joint.coordinates_of(pose, &q);
    EXPECT_NEAR(std::remainder(q - hinge_angle(a, b), 2.0 * pi), 0.0, 1e-15);
    q = angle - 3.0;
    joint.coordinates_of(pose, &q);
    EXPECT_NEAR(q, angle, 1e-13);
  }
}

TEST(JointMotion, ABendEndsAtHalfATurnWhereItsOwnRowVanishes) {
  const JointMotion joint(kConstantVelocityShape);
  const ConstraintPtr constraint = constant_velocity({});
  const Marker b{Vec3::Zero(), Vec3::Zero(), Mat3::Identity(), Vec3::Zero()};
  const auto row_at = [&](double angle) {
    const double q[2] = {angle * 0.6, angle * 0.8}, v[2] = {};
    const Marker markers[2] = {joint.carried_by(b, q, v), b};
    return JointRowValues(*constraint, {markers, 0.0, false, {}}).of(0).row(3).norm();
  };
  EXPECT_NEAR(row_at(0.0), 1.0, 1e-15);
  EXPECT_GT(row_at(pi - 0.1), 0.04);
  EXPECT_LT(row_at(pi), 1e-15);
}

TEST(JointMotion, OnlyPlainJointsHaveCoordinates) {
  EXPECT_FALSE(joint_motion_of(*driven_hinge({}, constant(0.0)), false));
  EXPECT_FALSE(joint_motion_of(*driven_slider({}, constant(0.0)), false));
  EXPECT_FALSE(joint_motion_of(*distance({}, 1.0), false));
  EXPECT_FALSE(joint_motion_of(*universal({}), true));
  EXPECT_EQ(joint_motion_of(*ball({}), true)->num_v(), 1);
  EXPECT_EQ(joint_motion_of(*hinge({}), true)->num_v(), 1);
  EXPECT_EQ(joint_motion_of(*slider({}), true)->num_v(), 1);
  EXPECT_EQ(joint_motion_of(*weld({}), true)->num_v(), 0);
}

// Closed forms of the geometric stiffness against the one read off γ.
TEST(JointStiffness, ClosedFormsAgreeWithTheGenericOne) {
  const TimeFunction drive = ramp(0.4, 0.7);
  const Attachment flat{.axes = frame_from_axis({0.6, 0.8, 0.0})};
  const AttachmentPair rail{flat, flat};
  const std::vector<ConstraintPtr> joints{ball({}),
                                          universal({}),
                                          hinge({}),
                                          weld({}),
                                          constant_velocity({}),
                                          slider({}),
                                          slider(rail),
                                          cylindrical({}),
                                          planar({}),
                                          weld(rail),
                                          driven_hinge({}, drive),
                                          driven_slider({}, drive),
                                          driven_slider(rail, drive),
                                          screw({}, kPitch)};
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (const ConstraintPtr& joint : joints) {
      for (const bool in_plane : {false, true}) {
        if (in_plane && !joint->validate(true).empty()) continue;
        SCOPED_TRACE(::testing::Message()
                     << joint->kind() << ", seed " << seed << (in_plane ? ", planar" : ""));
        std::mt19937 random(seed);
        const Mat3 axes = joint->attachments()[0].axes;
        const MovingMarker path_a(random, in_plane, axes), path_b(random, in_plane, axes);
        const Marker markers[2] = {path_a.at(0.3), path_b.at(0.3)};
        const Motion motion{markers, 0.3, in_plane, {}};
        const VecX lambda =
            VecX::NullaryExpr(joint->num_rows(in_plane), [&] { return uniform(random, -1, 1); });
        double closed[144] = {}, generic[144] = {};
        MarkerStiffness K(2, closed), reference(2, generic);
        const std::span<const double> multipliers(lambda.data(), std::size_t(lambda.size()));
        joint->add_geometric_stiffness(motion, multipliers, K);
        joint->Constraint::add_geometric_stiffness(motion, multipliers, reference);
        for (int i = 0; i < 144; ++i) EXPECT_NEAR(closed[i], generic[i], 1e-13) << "entry " << i;
      }
    }
  }
}

}  // namespace
}  // namespace catena
