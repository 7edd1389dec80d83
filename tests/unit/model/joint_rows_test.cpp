// Every built-in constraint against finite differences, off the constraint and for arbitrary motion of both
// markers:
//   dC/dt = Σ G·(v ; ω) + C_t      and      d(Ċ)/dt = Σ G·(v̇ ; ω̇) + γ
#include "catena/force.h"
#include "catena/joints.h"
#include "support/allocation_counter.h"
#include "unit/model/moving_marker.h"
#include "unit/model/row_evaluation.h"

#include <gtest/gtest.h>

#include <numbers>

namespace catena {
namespace {

using testing::derivative;
using testing::evaluate;
using testing::Evaluation;
using testing::marker_at;
using testing::MovingMarker;

const TimeFunction kDrive = [](double t) {
  return Jet{0.7 + 0.4 * std::sin(1.3 * t), 0.52 * std::cos(1.3 * t), -0.676 * std::sin(1.3 * t)};
};

struct JointCase {
  std::string name;
  bool planar;
  Mat3 axes;  // of both markers in their bodies
  std::function<ConstraintPtr(const AttachmentPair&)> make;
  Vec3 apart = Vec3::Zero();  // keeps the first marker away from the others, where rows would bend sharply
};

void PrintTo(const JointCase& c, std::ostream* out) {
  *out << c.name;
}

CurvePoint wavy(double u) {
  return {{u, std::sin(u), 0.5 * u * u}, {1, std::cos(u), u}, {0, -std::sin(u), 1}, {0, -std::cos(u), 0}};
}
CurvePoint wavy_in_plane(double u) {
  return {{u, std::sin(u), 0}, {1, std::cos(u), 0}, {0, -std::sin(u), 0}, {0, -std::cos(u), 0}};
}

SurfaceValue saddle(const Vec3& p) {
  SurfaceValue value{p.z() - p.x() * p.y(), {-p.y(), -p.x(), 1.0}, Mat3::Zero()};
  value.hessian(0, 1) = value.hessian(1, 0) = -1.0;
  return value;
}

Attachment third(const AttachmentPair& at) {
  return {BodyId{2}, at.a.point, at.a.axes};
}

std::function<ConstraintPtr(const AttachmentPair&)> on_surface(const SurfacePtr& surface) {
  return [surface](const AttachmentPair& at) { return point_on_surface(at.a, at.b, surface); };
}

// Circles are large and pass near the origin, so that the random points stay away from their centres, where
// no nearest point exists.
// Building blocks of the cases below.
const Mat3 kTilted = frame_from_axis({0.3, -0.5, 0.8}), kPlain = Mat3::Identity(),
           kInPlane = frame_from_axis({0.6, 0.8, 0.0});
using Make = std::function<ConstraintPtr(const AttachmentPair&)>;
const Make kNailed = [](const AttachmentPair& at) { return nail(at.a, {0.1, -0.2, 0.0}); };
const Make kDrivenNailed = [](const AttachmentPair& at) {
  return driven_nail(at.a, {kDrive, kDrive, kDrive});
};
const Make kFar = [](const AttachmentPair& at) { return distance(at, 1.5); };
const Make kDrivenFar = [](const AttachmentPair& at) { return driven_distance(at, kDrive); };
const Make kGeared = [](const AttachmentPair& at) { return gear(at, -2.5); };
const Make kTurned = [](const AttachmentPair& at) { return driven_hinge(at, kDrive); };
const Make kMoved = [](const AttachmentPair& at) { return driven_slider(at, kDrive); };
Make on(const std::shared_ptr<const Curve>& curve) {
  return [curve](const AttachmentPair& at) { return point_on_curve(at.a, at.b, curve); };
}

const Make kRemote = [](const AttachmentPair& at) { return remote_drive(at, third(at), kDrive); };
const Make kSliding = [](const AttachmentPair& at) {
  return sliding_point(at, {0.2, 1.0, 0.0}, {1.0, 0.1, 0.0}, 0.3);
};

std::vector<JointCase> joint_cases() {
  return {
      {"ball", false, kTilted, ball},
      {"hinge", false, kTilted, hinge},
      {"universal", false, kTilted, universal},
      {"slider", false, kTilted, slider},
      {"weld", false, kTilted, weld},
      {"distance", false, kTilted, kFar},
      {"nail", false, kTilted, kNailed},
      {"gear", false, kTilted, kGeared},
      {"driven_hinge", false, kTilted, kTurned},
      {"driven_slider", false, kTilted, kMoved},
      {"driven_distance", false, kTilted, kDrivenFar},
      {"driven_nail", false, kTilted, kDrivenNailed},
      {"point_on_line", false, kTilted, on(line({0.1, 0.2, 0.3}, {1, 2, -1}))},
      {"point_on_circle", false, kTilted, on(circle({-20, 0, 0}, {0, 0.3, 1}, 20))},
      {"point_on_cycloid", false, kTilted, on(cycloid({0, 0, -6}, {1, 0.2, 0}, {0, 0, 1}, 2.0))},
      {"point_on_user_curve", false, kTilted, on(user_curve(wavy, -2, 2))},
      {"cylindrical", false, kTilted, cylindrical},
      {"planar_joint", false, kTilted, planar},
      {"constant_velocity", false, kTilted, constant_velocity},
      {"point_on_ellipse", false, kTilted, on(ellipse({-20, 0, 0}, {20, 0, 0}, {0, 12, 9}))},
  };
}

std::vector<JointCase> coupling_cases() {
  return {
      {"screw", false, kTilted, [](const AttachmentPair& at) { return screw(at, 0.3); }},
      {"rack", false, kTilted,
       [](const AttachmentPair& at) { return rack_and_pinion(at.a, at.b, third(at), 0.4); }},
      {"gear_on_carrier", false, kTilted,
       [](const AttachmentPair& at) { return gear_on_carrier(at.a, at.b, third(at), -1.7); }},
      {"differential", false, kTilted,
       [](const AttachmentPair& at) { return differential(at.a, at.b, third(at)); }},
      {"rope", false, kTilted,
       [](const AttachmentPair& at) {
         return rope({at.a, at.b, third(at), at.b}, 5.0);
       }},
      {"winch_rope", false, kTilted,
       [](const AttachmentPair& at) {
         return winch_rope({at.a, at.b, third(at)}, kDrive);
       }},
      {"rope_on_drum_left", false, kTilted,
       [](const AttachmentPair& at) { return rope_on_drum(at.a, at.b, 0.05, Winding::left); }, Vec3(3, 0, 0)},
      {"rope_on_drum_right", false, kTilted,
       [](const AttachmentPair& at) { return rope_on_drum(at.a, at.b, 0.05, Winding::right); },
       Vec3(3, 0, 0)},
      {"centre_of_mass", false, kTilted,
       [](const AttachmentPair& at) {
         return centre_of_mass({at.a, at.b, third(at)}, {1.0, 2.0, 0.5}, {0.1, 0.2, 0.3});
       }},
      {"driven_centre_of_mass", false, kTilted,
       [](const AttachmentPair& at) {
         return driven_centre_of_mass({at.a, at.b}, {1.0, 2.0}, {kDrive, kDrive, kDrive});
       }},
      {"driven_weld_everywhere", false, kTilted,
       [](const AttachmentPair& at) {
         return driven(weld(at), {{kDrive, kDrive, kDrive}, {kDrive, kDrive, kDrive}});
       }},
      {"driven_cylindrical_travel", false, kTilted,
       [](const AttachmentPair& at) { return driven(hinge(at), {.travel = {.z = kDrive}, .angles = {}}); }},
      {"remote_drive", false, kTilted, kRemote},
      {"sliding_point", false, kTilted, kSliding},
      {"driven_cylindrical_angle", false, kTilted,
       [](const AttachmentPair& at) { return driven(slider(at), {.travel = {}, .angles = {.z = kDrive}}); }},
  };
}

std::vector<JointCase> surface_cases() {
  return {
      {"point_on_plane", false, kTilted, on_surface(plane_surface({0.1, 0.2, 0.3}, {1, 2, 3}))},
      {"point_on_sphere", false, kTilted, on_surface(sphere_surface({5, 0.2, 0.3}, 2.0))},
      {"point_in_cylinder", false, kTilted,
       on_surface(cylinder_surface({5, 0.2, 0.3}, {0, 1, 2}, 2.0, true))},
      {"point_on_ellipsoid", false, kTilted, on_surface(ellipsoid_surface({5, 0.2, 0.3}, {1, 2, 3}))},
      {"point_on_user_surface", false, kTilted, on_surface(user_surface(saddle))},
      {"tangency_of_ellipsoids", false, kTilted,
       [](const AttachmentPair& at) {
         return tangency(at.a, ellipsoid_shape({0.3, 0.2, 0.5}), at.b, ellipsoid_shape({0.4, 0.3, 0.2}));
       }},
      {"tangency_with_plane", false, kTilted,
       [](const AttachmentPair& at) {
         return tangency(at.a, ellipsoid_shape({0.3, 0.2, 0.5}), at.b);
       }},
      {"rolling_ellipsoids", false, kTilted,
       [](const AttachmentPair& at) {
         return rolling(at.a, ellipsoid_shape({0.3, 0.2, 0.5}), at.b, ellipsoid_shape({0.4, 0.3, 0.2}));
       }},
      {"rolling_ellipsoid_on_plane", false, kTilted,
       [](const AttachmentPair& at) {
         return rolling(at.a, ellipsoid_shape({0.3, 0.2, 0.5}), at.b);
       }},
      {"rolling_disc", false, kTilted,
       [](const AttachmentPair& at) { return rolling(at.a, disc_shape(0.5, 0.1), at.b); }},
      {"rolling_ellipsoid_in_pipe", false, kTilted,
       [](const AttachmentPair& at) {
         return rolling_on_surface(at.a, ellipsoid_shape({0.3, 0.2, 0.5}), at.b,
                                   cylinder_surface({5, 0.2, 0.3}, {0, 1, 2}, 5.0, true));
       }},
      {"tangency_of_a_disc_on_a_sphere", false, kTilted,
       [](const AttachmentPair& at) {
         return tangency_on_surface(at.a, disc_shape(0.5, 0.1), at.b, sphere_surface({5, 0.2, 0.3}, 2.0));
       }},
      {"rolling_ellipsoid_in_a_bowl", false, kTilted,
       [](const AttachmentPair& at) {
         return rolling(at.a, ellipsoid_shape({0.3, 0.2, 0.5}), at.b,
                        cavity(ellipsoid_shape({3.6, 3.8, 4.0})));
       },
       Vec3(3, 0, 0)},
      {"knife_edge", false, kTilted, [](const AttachmentPair& at) { return knife_edge(at.a, at.b); }},
  };
}

std::vector<JointCase> planar_cases() {
  return {
      {"planar_knife_edge", true, kPlain, [](const AttachmentPair& at) { return knife_edge(at.a, at.b); }},
      {"planar_rolling_disc", true, kInPlane,
       [](const AttachmentPair& at) {
         return rolling({at.a.body, at.a.point, Mat3::Identity()}, disc_shape(0.5), at.b);
       }},
      {"planar_rack", true, kPlain,
       [](const AttachmentPair& at) { return rack_and_pinion(at.a, at.b, third(at), 0.4); }},
      {"planar_rope_on_drum", true, kPlain,
       [](const AttachmentPair& at) { return rope_on_drum(at.a, at.b, 0.05, Winding::left); }, Vec3(3, 0, 0)},
      {"planar_driven_weld", true, kPlain,
       [](const AttachmentPair& at) {
         return driven(weld(at), {.travel = {.x = kDrive, .y = kDrive}, .angles = {.z = kDrive}});
       }},
      {"planar_remote_drive", true, kPlain, kRemote},
      {"planar_sliding_point", true, kPlain, kSliding},
      {"planar_ball", true, kPlain, ball},
      {"planar_hinge", true, kPlain, hinge},
      {"planar_slider", true, kInPlane, slider},
      {"planar_weld", true, kPlain, weld},
      {"planar_weld_axis_in_plane", true, kInPlane, weld},
      {"planar_distance", true, kPlain, kFar},
      {"planar_nail", true, kPlain, kNailed},
      {"planar_gear", true, kPlain, kGeared},
      {"planar_driven_hinge", true, kPlain, kTurned},
      {"planar_driven_hinge_axis_down", true, frame_from_axis({0, 0, -1}), kTurned},
      {"planar_driven_slider", true, kInPlane, kMoved},
      {"planar_driven_distance", true, kPlain, kDrivenFar},
      {"planar_driven_nail", true, kPlain, kDrivenNailed},
      {"planar_point_on_circle", true, kPlain, on(circle({-20, 0, 0}, {0, 0, 1}, 20))},
      {"planar_point_on_user_curve", true, kPlain, on(user_curve(wavy_in_plane, -2, 2))},
  };
}

std::vector<JointCase> elastic_coordinate_cases() {
  return {
      {"hinge_coordinate", false, kTilted,
       [](const AttachmentPair& at) { return hinge_coordinate(at, 0.3); }},
      {"slider_coordinate", false, kTilted,
       [](const AttachmentPair& at) { return slider_coordinate(at, 0.3); }},
      {"ball_coordinates", false, kTilted, ball_coordinates},
      {"universal_coordinates", false, kTilted, universal_coordinates},
      {"planar_coordinates", false, kTilted, planar_coordinates},
      {"frame_coordinates", false, kTilted, frame_coordinates},
      {"swing_coordinate", false, kTilted, swing_coordinate},
      {"length_coordinate", false, kTilted,
       [](const AttachmentPair& at) { return length_coordinate(at, 0.3); }},
  };
}

std::vector<JointCase> all_joint_cases() {
  std::vector<JointCase> all;
  for (const auto& group :
       {joint_cases(), coupling_cases(), surface_cases(), planar_cases(), elastic_coordinate_cases()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

class JointRows : public ::testing::TestWithParam<JointCase> {};

/// One random motion of the markers of a constraint.
class Experiment {
 public:
  Experiment(const JointCase& c, unsigned seed) : random_(seed), planar_(c.planar), apart_(c.apart) {
    constraint_ = c.make({{BodyId{0}, Vec3::Zero(), c.axes}, {BodyId{1}, Vec3::Zero(), c.axes}});
    for (const Attachment& at : constraint_->attachments()) paths_.emplace_back(random_, planar_, at.axes);
    memory_.resize(std::size_t(constraint_->memory_size()));
    if (!memory_.empty()) constraint_->start_memory(motion(kTime, memory_), memory_);
  }

  static constexpr double kTime = 0.4;
  const Constraint& constraint() const { return *constraint_; }
  Evaluation at(double t) { return evaluate(*constraint_, motion(t, memory_)); }
  VecX rate(double t) {
    const Evaluation e = at(t);
    VecX rate = e.C_t;
    for (std::size_t k = 0; k < paths_.size(); ++k) {
      const Marker m = paths_[k].at(t);
      rate += e.G[k].leftCols(3) * m.v + e.G[k].rightCols(3) * m.w;
    }
    return rate;
  }
  VecX second_rate(double t) {
    const Evaluation e = at(t);
    VecX rate = e.gamma;
    for (std::size_t k = 0; k < paths_.size(); ++k) rate += e.G[k] * paths_[k].acceleration(t);
    return rate;
  }
  Motion motion(double t, std::span<const double> memory) {
    markers_.clear();
    for (const MovingMarker& path : paths_) markers_.push_back(path.at(t));
    markers_[0].x += apart_;
    return {markers_, t, planar_, memory};
  }
  std::vector<double>& memory() { return memory_; }

 private:
  std::mt19937 random_;
  bool planar_;
  Vec3 apart_;
  ConstraintPtr constraint_;
  std::vector<MovingMarker> paths_;
  std::vector<Marker> markers_;
  std::vector<double> memory_;
};

TEST_P(JointRows, RateIsTheDerivativeOfTheErrorAndGammaCompletesTheSecond) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Experiment x(GetParam(), seed);
    const double t = Experiment::kTime;
    const int holonomic = x.constraint().num_holonomic_rows(GetParam().planar);
    const VecX rate = x.rate(t), second = x.second_rate(t);
    const VecX rate_by_difference = derivative([&](double s) -> VecX { return x.at(s).C; }, t);
    const VecX second_by_difference = derivative([&](double s) -> VecX { return x.rate(s); }, t);
    ASSERT_TRUE(rate.allFinite() && second.allFinite());
    EXPECT_LT((rate - rate_by_difference).head(holonomic).norm(), 1e-8 * (1.0 + rate.norm()));
    EXPECT_LT((second - second_by_difference).norm(), 1e-8 * (1.0 + second.norm()));
  }
}

/// λᵀK on all markers, in one vector.
VecX marker_forces(const Constraint& constraint, const Motion& motion, const VecX& lambda) {
  const Evaluation e = evaluate(constraint, motion);
  VecX out(6 * Eigen::Index(motion.at.size()));
  for (std::size_t k = 0; k < motion.at.size(); ++k)
    out.segment<6>(Eigen::Index(6 * k)) = e.K[k].transpose() * lambda;
  return out;
}

TEST_P(JointRows, GeometricStiffnessIsTheDerivativeOfTheForces) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Experiment x(GetParam(), seed);
    Motion motion = x.motion(Experiment::kTime, x.memory());
    std::vector<Marker> markers(motion.at.begin(), motion.at.end());
    motion.at = markers;
    std::mt19937 random(seed);
    VecX lambda(x.constraint().num_rows(motion.planar));
    for (double& value : lambda) value = testing::uniform(random, -1, 1);
    const Eigen::Index n = 6 * Eigen::Index(markers.size());
    std::vector<double> values(std::size_t(n * n), 0.0);
    MarkerStiffness K(int(markers.size()), values.data());
    x.constraint().add_geometric_stiffness(motion, {lambda.data(), std::size_t(lambda.size())}, K);
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto in_plane = [](Eigen::Index i) { return i % 6 < 2 || i % 6 == 5; };
      if (motion.planar && !in_plane(j)) continue;
      const Marker kept = markers[std::size_t(j / 6)];
      const VecX column = derivative(
          [&](double s) -> VecX {
            Marker& moved = markers[std::size_t(j / 6)];
            moved = kept;
            if (j % 6 < 3)
              moved.x[j % 6] += s;
            else
              moved.R = Eigen::AngleAxisd(s, Vec3::Unit(j % 6 - 3)).toRotationMatrix() * kept.R;
            const VecX forces = marker_forces(x.constraint(), motion, lambda);
            moved = kept;
            return forces;
          },
          0.0);
      for (Eigen::Index i = 0; i < n; ++i) {
        if (motion.planar && !in_plane(i)) continue;
        EXPECT_NEAR(K.block(int(i / 6), int(j / 6))(i % 6, j % 6), column[i], 1e-7 * (1.0 + column.norm()))
            << "row " << i << ", column " << j;
      }
    }
  }
}

TEST_P(JointRows, LowerPairsHaveTheRowsTheyPromise) {
  Experiment x(GetParam(), 7);
  const LowerPair pair = x.constraint().lower_pair(GetParam().planar);
  if (!pair.exists()) return;
  const Evaluation e = x.at(Experiment::kTime);
  const Motion motion = x.motion(Experiment::kTime, x.memory());
  const Vec3 rho = motion.at[0].x - motion.at[1].x;
  ASSERT_EQ(pair.linear + pair.angular, int(e.C.size()));
  for (int i = 0; i < pair.linear; ++i) {
    const Vec3 n = e.G[0].row(i).head<3>();
    EXPECT_EQ((e.G[0].row(i).tail<3>().norm()), 0.0);
    EXPECT_LT((e.G[1].row(i).head<3>().transpose() + n).norm(), 1e-15);
    const Vec3 arm = pair.at_marker_a ? Vec3(-rho.cross(n)) : Vec3(Vec3::Zero());
    EXPECT_LT((e.G[1].row(i).tail<3>().transpose() - arm).norm(), 1e-14);
  }
  for (int i = pair.linear; i < pair.linear + pair.angular; ++i) {
    EXPECT_EQ((e.G[0].row(i).head<3>().norm()), 0.0);
    EXPECT_LT((e.G[0].row(i) + e.G[1].row(i)).norm(), 1e-15);
  }
}

// Where a constraint acts elsewhere than along its rows, its forces still balance.
TEST_P(JointRows, ForcesOfConstraintsThatActElsewhereBalance) {
  Experiment x(GetParam(), 11);
  const Evaluation e = x.at(Experiment::kTime);
  const Motion motion = x.motion(Experiment::kTime, x.memory());
  if (!x.constraint().acts_elsewhere()) return;
  for (Eigen::Index row = 0; row < e.C.size(); ++row) {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (std::size_t k = 0; k < motion.at.size(); ++k) {
      const Vec3 f = e.K[k].row(row).head<3>(), torque = e.K[k].row(row).tail<3>();
      force += f;
      moment += torque + motion.at[k].x.cross(f);
    }
    EXPECT_LT(force.norm() + moment.norm(), 1e-14);
    EXPECT_GT((e.K[1].row(row) - e.G[1].row(row)).norm(), 0.1);
  }
}

TEST_P(JointRows, EvaluationDoesNotAllocate) {
  Experiment x(GetParam(), 3);
  const Motion motion = x.motion(Experiment::kTime, x.memory());
  double C[6] = {}, C_t[6] = {}, gamma[6] = {}, G[72] = {};
  double K[72] = {};
  Rows rows(x.constraint().num_rows(GetParam().planar), int(motion.at.size()), C, C_t, gamma, G, true, K);
  const testing::AllocationCounter allocations;
  x.constraint().evaluate(motion, rows);
  EXPECT_EQ(allocations.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, JointRows, ::testing::ValuesIn(all_joint_cases()),
                         [](const ::testing::TestParamInfo<JointCase>& test) { return test.param.name; });

TEST(DrivenHinge, ErrorVanishesAtTheGivenAngleOfAAgainstB) {
  const Mat3 R_b = frame_from_axis({1, 2, 3});
  const Mat3 R_a = R_b * Eigen::AngleAxisd(0.9, Vec3::UnitZ());
  const std::vector<Marker> at{marker_at(Vec3::Zero(), R_a), marker_at(Vec3::Zero(), R_b)};
  EXPECT_NEAR(hinge_angle(at[0], at[1]), 0.9, 1e-15);
  const Evaluation e = evaluate(*driven_hinge({}, constant(0.9)), {at, 0.0, false, {}});
  EXPECT_LT(e.C.norm(), 1e-15);
}

TEST(HingeAngle, HalfATurnIsPiFromEitherSide) {
  const Marker b = marker_at(Vec3::Zero(), Mat3::Identity());
  const Marker a = marker_at(Vec3::Zero(), Vec3(-1, -1, 1).asDiagonal());
  EXPECT_DOUBLE_EQ(hinge_angle(a, b), std::numbers::pi);
  const Marker almost =
      marker_at(Vec3::Zero(), Eigen::AngleAxisd(-std::numbers::pi + 1e-9, Vec3::UnitZ()).toRotationMatrix());
  EXPECT_NEAR(hinge_angle(almost, b), -std::numbers::pi + 1e-9, 1e-14);
}

TEST(DistanceRow, CoincidentPointsGiveFiniteRows) {
  const std::vector<Marker> at{{Vec3::Zero(), Vec3(1, 2, 3), Mat3::Identity(), Vec3::Zero()},
                               marker_at(Vec3::Zero(), Mat3::Identity())};
  const Evaluation e = evaluate(*distance({}, 1.0), {at, 0.0, false, {}});
  EXPECT_TRUE(e.C.allFinite() && e.gamma.allFinite() && e.G[0].allFinite());
  EXPECT_NEAR(e.G[0].norm(), 1.0, 1e-15);
}

TEST(PointOnCurve, StartFindsTheGlobalNearestPointAndAdvancesContinuously) {
  const auto curve = circle({0, 0, 0}, {0, 0, 1}, 2.0);
  const ConstraintPtr bead = point_on_curve({}, {}, curve);
  double u[1];
  const auto motion = [](std::vector<Marker>& at, double angle, std::span<const double> memory) {
    at = {marker_at({2.1 * std::cos(angle), 2.1 * std::sin(angle), 0.2}, Mat3::Identity()),
          marker_at(Vec3::Zero(), Mat3::Identity())};
    return Motion{at, 0.0, false, memory};
  };
  std::vector<Marker> at;
  bead->start_memory(motion(at, 4.0, {}), u);
  // seen from x, the frame of the circle may start at any angle: compare points
  EXPECT_LT((curve->at(u[0]).c - 2.0 * Vec3(std::cos(4.0), std::sin(4.0), 0)).norm(), 1e-14);
  const double start = u[0];
  for (int i = 1; i <= 200; ++i) bead->advance_memory(motion(at, 4.0 + 0.1 * i, u), u);
  EXPECT_NEAR(u[0] - start, 20.0, 1e-12);  // three turns and more, without a jump
}

TEST(PointOnCurve, ACuspAndACentreOfCurvatureGiveFiniteRows) {
  const auto rows_at = [](const std::shared_ptr<const Curve>& curve, const Vec3& x) {
    const std::vector<Marker> at{{x, Vec3(1, 1, 1), Mat3::Identity(), Vec3::Zero()},
                                 marker_at(Vec3::Zero(), Mat3::Identity())};
    const ConstraintPtr bead = point_on_curve({}, {}, curve);
    double u[1];
    bead->start_memory({at, 0.0, false, {}}, u);
    return evaluate(*bead, {at, 0.0, false, u});
  };
  const Evaluation cusp = rows_at(cycloid({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 1.0), {std::numbers::pi, 0, 2});
  const Evaluation centre = rows_at(circle({0, 0, 0}, {0, 0, 1}, 1.0), Vec3::Zero());
  EXPECT_TRUE(cusp.C.allFinite() && cusp.gamma.allFinite() && cusp.G[0].allFinite());
  EXPECT_TRUE(centre.C.allFinite() && centre.gamma.allFinite() && centre.G[0].allFinite());
}

TEST(Curves, DerivativesMatchFiniteDifferences) {
  const std::shared_ptr<const Curve> curves[] = {line({1, 2, 3}, {0, 1, 2}),
                                                 circle({1, 2, 3}, {1, 1, 0}, 0.7),
                                                 cycloid({0, 1, 0}, {1, 0, 0}, {0.3, 0, 1}, 1.3),
                                                 ellipse({1, 0, 2}, {2, 0, 0}, {0, 0.6, 0.8}),
                                                 spline({{0, 0, 0}, {1, 2, 0}, {2, 1, 1}, {4, 0, 2}}),
                                                 spline({{0, 0, 0}, {1, 2, 0}, {2, 1, 1}}, true)};
  for (const auto& curve : curves) {
    SCOPED_TRACE(std::string(curve->kind()));
    for (const double u : {-1.3, 0.2, 1.7}) {  // between the points of the splines
      const CurvePoint p = curve->at(u);
      EXPECT_LT((derivative([&](double s) -> Vec3 { return curve->at(s).c; }, u) - p.d1).norm(), 1e-10);
      EXPECT_LT((derivative([&](double s) -> Vec3 { return curve->at(s).d1; }, u) - p.d2).norm(), 1e-10);
      EXPECT_LT((derivative([&](double s) -> Vec3 { return curve->at(s).d2; }, u) - p.d3).norm(), 1e-10);
    }
  }
}

}  // namespace
}  // namespace catena
